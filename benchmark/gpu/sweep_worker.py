"""The process of sweep.py that measures: one case is a program at some extents, and what
is measured side by side are its schedules. It answers as worker.py does."""

import dataclasses
import json
import os
import sys
import time

import kernels
import sweep_cases
import timing
import workloads
from worker import Context, describe

# How far results of two schedules may differ, of the largest: they add in another order.
# Products of rotations drift apart over millions of steps.
DRIFT = 20
TOLERANCE = {"f32": 1e-4, "complex<f32>": 1e-4, "bf16": 2e-2, "i32": 0}


def difference(torch, found, expected, elements):
    """Of what is tolerated; infinite where one is no number and the other is."""
    worst = 0.0
    for result, other, element in zip(found, expected, elements):
        if element == "i32":
            worst = max(worst, 0.0 if torch.equal(result, other) else float("inf"))
            continue
        # In parts: the difference needs memory of its own.
        for one, two in zip(result.flatten().split(2**26), other.flatten().split(2**26)):
            error = float((one - two).abs().max())
            largest = float(two.abs().max())
            if not error <= float("inf"):
                return float("inf")
            worst = max(worst, error / (TOLERANCE[element] * largest or 1e-300))
    return worst


class Sweep:
    """Cells that are measured on the GPU."""

    def __init__(self, options):
        self.options, self.context = options, Context(options)
        self.cells = {cell.key: cell for cell in sweep_cases.all_cells()}
        self.programs = {}

    def load(self, name, stem):
        from mlir_scan import runtime  # pylint: disable=import-outside-toplevel

        if stem not in self.programs:
            path = os.path.join(self.context.kernels, stem)
            self.programs[stem] = runtime.Program(self.context.device, path + ".ptx",
                                                  path + ".json")[name]
        return self.programs[stem]

    def build(self, cell, stem, sets):
        from contenders import Built  # pylint: disable=import-outside-toplevel

        call = self.load(cell.program.function, stem).prepare(*sets[0].inputs)
        return Built([lambda s=one: call.launch(*s.inputs, out=s.outputs) for one in sets])

    def measure(self, key):
        """{schedule: figures or why there are none}."""
        from mlir_scan import runtime  # pylint: disable=import-outside-toplevel

        torch = self.context.torch
        work = self.options["work"][key]
        cell, record, samplers = self.cells[key], {}, {}
        shapes = runtime.plan(
            os.path.join(self.context.kernels, next(iter(work.values())) + ".json"),
            cell.program.function, *[runtime.Tensor(array.shape) for array in cell.inputs]).results
        cell = dataclasses.replace(cell, outputs=tuple(
            workloads.Array(result.shape, result.element) for result in shapes))
        elements = [array.element for array in cell.outputs]
        sets = self.context.make_sets(cell)
        number, expected = min(1, len(sets) - 1), None
        try:
            for schedule, stem in work.items():
                reason = self.options["skipped"].get(key, {}).get(schedule)
                if reason or time.monotonic() > self.options["deadline"]:
                    record[schedule] = {"not_measured": reason or "the time was up"}
                    continue
                print(json.dumps({"now": schedule, "case": key}), flush=True)
                try:
                    built = self.build(cell, stem, sets)
                    for tensor in sets[number].outputs:
                        tensor.fill_(-7 if tensor.dtype == torch.int32 else float("nan"))
                    built.calls[number]()
                    torch.cuda.synchronize()
                    found = sets[number].outputs
                    if expected is None:
                        expected = [tensor.clone() for tensor in found]
                    error = difference(torch, found, expected, elements)
                    if "matrices" in cell.program.name:
                        error /= DRIFT
                    record[schedule] = {"error": error}
                    count = timing.choose_calls(len(sets),
                                                self.context.quick_time(built.calls[0]))
                    samplers[schedule] = timing.Sampler(self.context, built, count)
                except Exception as error:  # pylint: disable=broad-except
                    record[schedule] = {"not_measured": describe(error)}
                    torch.cuda.synchronize()
            print(json.dumps({"now": "", "case": key}), flush=True)
            if samplers:
                figures = timing.measure(samplers, self.options["rounds"],
                                         self.options["deadline"], self.options["seconds"])
                for schedule, measured in figures.items():
                    record[schedule].update(measured)
        finally:
            samplers = sets = expected = None
            torch.cuda.empty_cache()
        return record


def main():
    options = json.loads(sys.stdin.readline())
    options["deadline"] += time.monotonic()
    sweep = Sweep(options)
    print(json.dumps({"ready": True, "l2_bytes": sweep.context.l2_bytes}), flush=True)
    for key in options["cases"]:
        if time.monotonic() > options["deadline"]:
            break
        print(json.dumps({"start": key}), flush=True)
        print(json.dumps({"done": key, "contenders": sweep.measure(key)}), flush=True)


if __name__ == "__main__":
    main()
