"""Other packages, measured where they are installed: CuPy, accelerated-scan."""

import importlib.util

from . import Built, Contender


class Cupy(Contender):
    """cupy.cumsum."""

    name = "cupy"

    def __init__(self, context):
        super().__init__(context)
        if importlib.util.find_spec("cupy") is None:
            self.missing = "CuPy is not installed"

    def refuse(self, case):
        if case.operator != "cumsum" or case.reverse:
            return "CuPy has cumsum, forward"
        return None

    def build(self, case, sets):
        import cupy  # pylint: disable=import-outside-toplevel

        arrays = [[cupy.from_dlpack(tensor) for tensor in (one.inputs[0], one.outputs[0])]
                  for one in sets]

        def call(x, y):
            stream = self.context.torch.cuda.current_stream().cuda_stream
            with cupy.cuda.ExternalStream(stream):
                cupy.cumsum(x, axis=case.dim, out=y)

        return Built([lambda a=pair: call(*a) for pair in arrays],
                     lambda number: sets[number].outputs)


class AcceleratedScan(Contender):
    """accelerated_scan.warp: [batch, channels, time], time a power of two."""

    name = "accelerated-scan"

    def __init__(self, context):
        super().__init__(context)
        if importlib.util.find_spec("accelerated_scan") is None:
            self.missing = "accelerated-scan is not installed"

    def refuse(self, case):
        if case.operator != "recurrence" or len(case.shape) != 3 or case.dim != 2:
            return "for linear recurrences with time innermost"
        return None

    def build(self, case, sets):
        from accelerated_scan.warp import scan  # pylint: disable=import-outside-toplevel

        torch, found = self.context.torch, [None] * len(sets)
        leaves = [[x.detach().requires_grad_(case.is_derivative) for x in one.inputs[:2]]
                  for one in sets]

        def call(number, inputs):
            h = scan(*leaves[number])
            found[number] = [h.detach()]
            if case.is_derivative:
                found[number] += torch.autograd.grad(h, leaves[number], inputs[2])

        return Built([lambda n=number, s=one: call(n, s.inputs) for number, one in enumerate(sets)],
                     lambda number: found[number])
