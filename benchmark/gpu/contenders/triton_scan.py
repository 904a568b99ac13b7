"""Triton: a sequential recurrence, and tl.associative_scan over tiles."""

import math

from . import Built, Contender


class _Triton(Contender):
    def __init__(self, context):
        super().__init__(context)
        try:
            from . import triton_kernels
            self.kernels = triton_kernels
        except ImportError:
            self.missing = "Triton is not installed"

    def refuse(self, case):
        if case.operator not in ("cumsum", "recurrence"):
            return "written for sums and linear recurrences"
        if case.element.startswith("complex"):
            return "Triton has no complex numbers"
        return None

    def fastest(self, configurations, launch, sets):
        """The calls of the configuration that is fastest on the first set."""
        best = min(configurations, key=lambda configuration: self.context.quick_time(
            lambda: launch(configuration, sets[0])))
        note = ", ".join(f"{key} = {value}" for key, value in best.items())
        return Built([lambda s=one: launch(best, s) for one in sets],
                     lambda number: sets[number].outputs, note=note)


def _layout(case, x):
    """T, C and the strides of time, channel and batch; without a batch one of 1."""
    batch, channel = (0, 2) if case.dim == 1 else (0, 1)
    strides = x.stride()
    return (x.shape[0], x.shape[case.dim], x.shape[channel], strides[case.dim], strides[channel],
            strides[batch])


class Sequential(_Triton):
    name = "triton-seq"

    def refuse(self, case):
        if len(case.shape) == 1:
            return "one sequence: nothing to do side by side"
        return super().refuse(case)

    def build(self, case, sets):
        batch, *layout = _layout(case, sets[0].inputs[0])
        channels = layout[1]

        def launch(configuration, one):
            size, warps = configuration["BC"], configuration["num_warps"]
            grid = (math.ceil(channels / size), batch)
            if case.operator == "cumsum":
                x, = one.inputs
                self.kernels.sequential[grid](x, x, one.outputs[0], *layout, True, case.reverse,
                                              size, num_warps=warps)
                return
            a, b = one.inputs[:2]
            self.kernels.sequential[grid](a, b, one.outputs[0], *layout, False, False, size,
                                          num_warps=warps)
            if case.is_derivative:
                h, da, db = one.outputs
                self.kernels.sequential_backward[grid](a, h, one.inputs[2], da, db, *layout, size,
                                                       num_warps=warps)

        return self.fastest([{"BC": 32, "num_warps": 1}, {"BC": 64, "num_warps": 1}], launch, sets)


class Associative(_Triton):
    name = "triton-assoc"

    def build(self, case, sets):
        return self._long(case, sets) if len(case.shape) == 1 else self._tiles(case, sets)

    def _tiles(self, case, sets):
        batch, *layout = _layout(case, sets[0].inputs[0])
        time, channels = layout[:2]
        rows = case.dim == 2

        def launch(configuration, one):
            steps, size = configuration["BT"], configuration["BC"]
            options = {"num_warps": configuration["num_warps"]}
            grid = (math.ceil(channels / size), batch)
            if case.operator == "cumsum":
                x, = one.inputs
                self.kernels.tiles[grid](x, x, one.outputs[0], *layout, True, case.reverse, rows,
                                         steps, size, **options)
                return
            a, b = one.inputs[:2]
            self.kernels.tiles[grid](a, b, one.outputs[0], *layout, False, False, rows, steps,
                                     size, **options)
            if case.is_derivative:
                h, da, db = one.outputs
                self.kernels.tiles_backward[grid](a, h, one.inputs[2], da, db, *layout, rows,
                                                  steps, size, **options)

        shapes = [(1024, 1, 4), (2048, 1, 8)] if rows else [(64, 32, 4), (128, 16, 4)]
        longest = 1 << (time - 1).bit_length()
        return self.fastest([{"BT": min(steps, longest), "BC": size, "num_warps": warps}
                             for steps, size, warps in shapes], launch, sets)

    def _long(self, case, sets):
        torch = self.context.torch
        is_sum, elements = case.operator == "cumsum", case.elements
        block = min(4096, 1 << (elements - 1).bit_length())
        count = math.ceil(elements / block)
        device = sets[0].inputs[0].device
        decays, totals = (torch.empty(count, device=device) for _ in range(2))

        def launch(configuration, one):
            options = {"num_warps": configuration["num_warps"]}
            a, b = one.inputs[0], one.inputs[-1]
            self.kernels.block_totals[(count,)](a, b, decays, totals, elements, is_sum, block,
                                                **options)
            self.kernels.scan_totals[(1,)](decays, totals, count, is_sum,
                                           min(4096, 1 << max(4, (count - 1).bit_length())),
                                           num_warps=8)
            self.kernels.apply_totals[(count,)](a, b, totals, one.outputs[0], elements, is_sum,
                                                block, **options)

        built = self.fastest([{"num_warps": 4}, {"num_warps": 8}], launch, sets)
        built.note += "; three launches, reads twice"
        return built
