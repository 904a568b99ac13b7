"""Other packages, measured where they are installed: CuPy, accelerated-scan,
flash-linear-attention, mamba-ssm."""

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


class Peer(Contender):
    """A package that has one of the models, with the derivative from PyTorch's autograd."""

    module, operators = "", ()

    def __init__(self, context):
        super().__init__(context)
        if importlib.util.find_spec(self.module) is None:
            self.missing = f"{self.name} is not installed"

    def refuse(self, case):
        return None if case.operator in self.operators else f"has {', '.join(self.operators)}"

    def run(self, *inputs):
        """The result of the package's function, of inputs in its own layout."""
        raise NotImplementedError

    def convert(self, inputs):
        """Ours in the layout of the package."""
        return inputs

    def restore(self, tensor):
        """An array of the package in our layout."""
        return tensor

    def build(self, case, sets):
        torch, found = self.context.torch, [None] * len(sets)
        count = len(sets[0].inputs) - case.is_derivative
        leaves = [[x.detach().requires_grad_(case.is_derivative) for x in self.convert(one.inputs)]
                  for one in sets]

        def call(number):
            inputs, cotangents = leaves[number][:count], leaves[number][count:]
            result = self.run(*inputs)
            found[number] = [result.detach()]
            if case.is_derivative:
                found[number] += torch.autograd.grad(result, inputs, cotangents)

        return Built([lambda n=number: call(n) for number, _ in enumerate(sets)],
                     lambda number: [self.restore(x) for x in found[number]])


class Fla(Peer):
    """chunk_hgrn of flash-linear-attention: [batch, time, channels]."""

    name, module, operators = "fla", "fla", ("hgrn",)

    def run(self, *inputs):
        from fla.ops.hgrn import chunk_hgrn  # pylint: disable=import-outside-toplevel

        g, x = inputs
        return chunk_hgrn(x, g)[0]


class MambaSsm(Peer):
    """selective_scan_fn of mamba-ssm: [batch, channels, time], coefficients in f32."""

    name, module, operators = "mamba-ssm", "mamba_ssm", ("mamba",)
    # Of u, delta, bias, a, b, c, d and z, and the cotangent.
    WIDE = (2, 3, 6)

    def convert(self, inputs):
        inputs = [x.float() if number in self.WIDE else x for number, x in enumerate(inputs)]
        inputs[3] = -inputs[3].exp()
        return [x.transpose(1, 2).contiguous() if x.dim() == 3 else x for x in inputs]

    def restore(self, tensor):
        return tensor.transpose(1, 2) if tensor.dim() == 3 else None

    def run(self, *inputs):
        from mamba_ssm.ops.selective_scan_interface import (  # pylint: disable=import-outside-toplevel
            selective_scan_fn)

        u, delta, bias, a, b, c, d, z = inputs
        return selective_scan_fn(u, delta, a, b, c, D=d, z=z, delta_bias=bias, delta_softplus=True)
