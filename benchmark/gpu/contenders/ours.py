"""The kernels of this project, from PTX and manifest through the Python runtime."""

import os

import kernels

from . import Built, Contender


class Ours(Contender):
    """One variant: the schedule of the cost model, or one that was asked for."""

    name, variant = "ours", kernels.DEFAULT

    def refuse(self, case):
        index = self.context.index
        if self.variant != kernels.DEFAULT and self.variant not in index["schedules"].get(
                case.workload, {}):
            return "no such variant of this workload"
        error = index["errors"].get((case.key, self.variant))
        if error:
            return f"not compiled: {error}"
        if not os.path.exists(self._stem(case) + ".ptx"):
            return "not compiled: not in the folder of kernels"
        return None

    def _stem(self, case):
        return kernels.stem_of(self.context.kernels, case, self.variant)

    def build(self, case, sets):
        from mlir_scan import runtime  # pylint: disable=import-outside-toplevel

        stem = self._stem(case)
        program = runtime.Program(self.context.device, stem + ".ptx", stem + ".json")
        function = program["scan_vjp" if case.is_derivative else "scan"]
        call = function.prepare(*sets[0].inputs)
        shapes = [result.shape for result in call.results]
        assert shapes == [array.shape for array in case.outputs], shapes
        plan = "; ".join(
            f"{kernel.description.entry} {kernel.description.schedule} "
            f"grid {'x'.join(map(str, kernel.grid))}" for kernel in call.plan.kernels)
        # Temporaries belong to a call. Sets may share one: they run one after the other.
        calls = [lambda s=one: call.launch(*s.inputs, out=s.outputs) for one in sets]
        return Built(calls, lambda number: sets[number].outputs, note=plan)


def variants(context):
    """The class for the cost model's choice, and one for each schedule asked for."""
    names = {name: None for schedules in context.index["schedules"].values() for name in schedules}
    return [Ours] + [type("Variant", (Ours,), {"name": f"ours:{name}", "variant": name})
                     for name in names]
