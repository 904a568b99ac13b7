"""The kernels of this project, from PTX and manifest through the Python runtime."""

import os

import kernels
import timing

from . import Built, Contender

# Of schedules, to find the fastest.
ROUNDS = 5


class Ours(Contender):
    """One variant: the schedule of the cost model, or one that was asked for."""

    name, variant = "ours", kernels.DEFAULT

    def refuse(self, case):
        index = self.context.index
        if self.variant != kernels.DEFAULT and self.variant not in index["schedules"].get(
                case.workload, {}):
            return "no such variant of this workload"
        return self._why_not_compiled(case)

    def _why_not_compiled(self, case):
        error = self.context.index["errors"].get((case.key, self.variant))
        if error:
            return f"not compiled: {error}"
        if not os.path.exists(self._stem(case) + ".ptx"):
            return "not compiled: not in the folder of kernels"
        return None

    def _stem(self, case):
        return kernels.stem_of(self.context.kernels, case, self.variant)

    def build(self, case, sets):
        return self._build(case, sets, self._stem(case))

    def _build(self, case, sets, stem):
        from mlir_scan import runtime  # pylint: disable=import-outside-toplevel

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


class Tuned(Ours):
    """A dynamic case with the schedules that scan-tune has measured."""

    name = variant = kernels.TUNED

    def refuse(self, case):
        if not case.is_dynamic:
            return "for dynamic extents"
        if not os.path.exists(self._stem(case) + ".ptx"):
            return "compiled without a tuning cache (--tuning)"
        return None


class Static(Ours):
    """The program of a dynamic case with its extents static, under that one of some schedules
    which is the fastest here."""

    name = kernels.STATIC

    def _variants(self, case):
        index = self.context.index
        names = [f"{kernels.STATIC}:{schedule}" for schedule in index["static"].get(case.key, [])]
        return [name for name in names if (case.key, name) not in index["errors"]]

    def refuse(self, case):
        if not case.is_dynamic:
            return "the extents of all contenders are static"
        return None if self._variants(case) else "not compiled: not in the folder of kernels"

    def build(self, case, sets):
        samplers = {}
        for variant in self._variants(case):
            built = self._build(case, sets, kernels.stem_of(self.context.kernels, case, variant))
            count = timing.choose_calls(len(sets), self.context.quick_time(built.calls[0]))
            samplers[variant] = timing.Sampler(self.context, built, count)
        measured = timing.measure(samplers, ROUNDS, float("inf"))
        return samplers[min(measured, key=lambda name: measured[name]["seconds"])].built


class FastMath(Ours):
    """A model whose functions may be approximate (--fast-math)."""

    name = variant = kernels.FAST_MATH[False]
    tolerance = 10

    def refuse(self, case):
        if case.workload != "h":
            return "for models"
        return self._why_not_compiled(case)


class StaticFastMath(FastMath):
    """The same of the program with static extents."""

    name = variant = kernels.FAST_MATH[True]


def variants(context):
    """The class for the cost model's choice, and one for each schedule asked for."""
    names = {name: None for schedules in context.index["schedules"].values() for name in schedules}
    return [Ours, Tuned, Static, FastMath, StaticFastMath] + [
        type("Variant", (Ours,), {"name": f"ours:{name}", "variant": name}) for name in names]
