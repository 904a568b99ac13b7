"""The process that measures: reads cases, writes one JSON object per line.

run.py starts it, and starts another where it ends before its time: a kernel that hangs
or reads where it may not takes its case with it, and no other one.
"""

import json
import math
import sys
import time
import traceback

import kernels
import models
import reference
import timing
import workloads

# As many sets of inputs at most; with the cache flushed before each sample that is
# enough for short calls, too.
MAX_SETS = 32
# Elements that a reference is computed for at once, in float64.
MAX_REFERENCE = 2**28
# Contenders of dynamic cases.
DYNAMIC = ("ours", "tuned", "static", *kernels.FAST_MATH.values(), "copy", "torch", "fla",
           "mamba-ssm")


class Context:
    """The GPU as the contenders see it, and what they share."""

    needs_gpu, where = True, "cuda"

    def __init__(self, options):
        import torch

        self.torch, self.options = torch, options
        self.device = kernels.import_runtime().Device()
        self.chip = options["chip"]
        self.kernels = options["kernels"]
        self.index = kernels.read_index(self.kernels)
        properties = torch.cuda.get_device_properties(0)
        self.l2_bytes = getattr(properties, "L2_cache_size", 64 << 20)
        self.memory = properties.total_memory
        self.scratch = torch.empty(2 * self.l2_bytes + (16 << 20), dtype=torch.uint8,
                                   device=self.where)

    def flush(self):
        """Fills the L2 with something else."""
        self.scratch.fill_(1)

    def quick_time(self, call):
        """The time of a call, warm, for choosing among configurations."""
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(2)]
        call()
        times = []
        for _ in range(3):
            events[0].record()
            call()
            events[1].record()
            self.torch.cuda.synchronize()
            times.append(events[0].elapsed_time(events[1]))
        return sorted(times)[1] * 1e-3

    def make_inputs(self, case, seed):
        torch = self.torch
        generator = torch.Generator(self.where).manual_seed(seed)
        options = {"device": self.where, "generator": generator}
        tensors = []
        for array in case.inputs:
            shape = array.shape
            if array.values == "integers":
                x = torch.randint(-8, 9, shape, dtype=torch.int8, **options).float()
            elif array.values == "decays":
                x = torch.rand(shape, **options).mul_(0.49).add_(0.5)
            elif array.values == "spirals":
                angle = torch.rand(shape, **options).mul_(6)
                x = torch.polar(torch.rand(shape, **options).mul_(0.49).add_(0.5), angle)
            elif array.values == "log decays":
                x = torch.rand(shape, **options).mul_(0.49).add_(0.5).log_()
            elif array.values == "log steps":
                x = torch.rand(shape, **options).mul_(4).sub_(7)
            elif array.values == "left half":
                x = torch.complex(-0.1 - torch.rand(shape, **options), torch.randn(shape, **options))
            elif array.values == "offsets":
                x = torch.tensor(case.offsets, dtype=torch.int32, device=self.where)
            elif array.values == "complex":
                x = torch.randn(shape, dtype=torch.complex64, **options)
            elif array.values == "rotations":
                angle = torch.rand(shape[:-2], **options).mul_(6)
                sine, cosine = angle.sin(), angle.cos()
                x = torch.stack([cosine, -sine, sine, cosine], -1).reshape(shape)
            else:
                x = torch.randn(shape, **options)
            tensors.append(x.bfloat16() if array.element == "bf16" else x)
        return tensors

    def make_sets(self, case):
        from contenders import Set

        kinds = {"f32": self.torch.float32, "bf16": self.torch.bfloat16,
                 "i32": self.torch.int32, "complex<f32>": self.torch.complex64}
        count = max(2, min(MAX_SETS, math.ceil(2 * self.l2_bytes / case.nbytes) + 1))
        if case.nbytes * 8 > self.memory:
            count = 1
        sets = []
        for number in range(count):
            # Different numbers for the set that is checked only: others are copies.
            inputs = (self.make_inputs(case, number) if number < 2
                      else [tensor.clone() for tensor in sets[0].inputs])
            sets.append(Set(inputs, [
                self.torch.empty(array.shape, dtype=kinds[array.element], device=self.where)
                for array in case.outputs]))
        return sets


class Expected:
    """The reference of a case: of all of it, or of slices where it is large."""

    def __init__(self, context, case, inputs):
        torch = self.torch = context.torch
        self.case = case
        # Scans of slices across the scanned dimension are scans of their own.
        self.select, self.what = [], "whole"
        limit = min(MAX_REFERENCE, context.memory // 400)
        if case.elements > limit:
            self.what = "slices"
            if len(case.shape) == 1 and case.operator == "cumsum" and not case.reverse:
                self.what, self.input = "each step", inputs[0]
                return
            if len(case.shape) == 1:
                self.what = "beginning"
                self.select = [slice(0, limit)]
            elif len(case.shape) == 2:
                width = max(1, min(case.shape[1], limit // case.shape[0]) // 2)
                last = case.shape[1]
                self.select = [slice(None), [*range(width), *range(last - width, last)]]
            else:
                batch, other = 0, 3 - case.dim
                self.select = [slice(None)] * 3
                self.select[batch] = [0, case.shape[batch] - 1]
                width = max(1, min(case.shape[other], limit // (2 * case.shape[case.dim])) // 2)
                last = case.shape[other]
                self.select[other] = [*range(width), *range(last - width, last)]
        wide = [tensor if array.values == "offsets" else self.cut(tensor)
                for array, tensor in zip(case.inputs, inputs)]
        if case.operator == "cumsum" and not case.reverse:
            self.outputs = [torch.cumsum(wide[0], case.dim)]
        else:
            self.outputs = reference.evaluate(torch, case, wide)

    def cut(self, tensor):
        """The part that is compared, in float64."""
        for dim, chosen in enumerate(self.select):
            if isinstance(chosen, list):
                chosen = self.torch.tensor(chosen, device=tensor.device)
                tensor = tensor.index_select(dim, chosen)
            else:
                tensor = tensor[(slice(None),) * dim + (chosen,)]
        return tensor.to(self.torch.complex128 if tensor.is_complex() else self.torch.float64)

    def difference(self, results):
        for result in results:
            if result is not None and tuple(result.shape) not in {
                    array.shape for array in self.case.outputs}:
                return float("inf")
        if self.what == "each step":
            error = reference.largest_step(self.torch, self.input, results[0])
            return float("inf") if error else 0.0
        found = [None if result is None else self.cut(result) for result in results]
        return reference.difference(self.torch, self.case, found, self.outputs)


class Agreement:
    """Of models, whose numbers the tests compare with references: contenders have to agree,
    up to the order in which they add."""

    what = "agreement"
    # Of the largest number.
    TOLERANCE = {"f32": 1e-4, "complex<f32>": 1e-4, "bf16": 2e-2}

    def __init__(self, context, case):
        self.torch, self.case, self.first = context.torch, case, None

    def difference(self, results):
        if self.first is None:
            self.first = [result.clone() for result in results]
        worst = 0.0
        for array, result, other in zip(self.case.outputs, results, self.first):
            if result is None:
                continue
            # In parts: the difference needs memory of its own.
            for one, two in zip(result.flatten().split(2**26), other.flatten().split(2**26)):
                error = float((one - two).abs().max())
                if not error < float("inf"):
                    return float("inf")
                worst = max(worst, error / (self.TOLERANCE[array.element] *
                                            float(two.abs().max()) or 1e-300))
        return worst


def expect(context, case, inputs):
    """What the results of `case` are compared with."""
    if case.operator in models.MODELS:
        return Agreement(context, case)
    return Expected(context, case, inputs)


def check(context, case, sets, built, expected):
    """The error as a fraction of what is tolerated; results are poisoned before."""
    if built.check:
        return built.check()
    if built.results is None:
        return None
    number = len(sets) - 1 if len(sets) < 2 else 1
    for tensor in sets[number].outputs:
        tensor.fill_(float("nan") if tensor.is_floating_point() or tensor.is_complex() else -7)
    built.calls[number]()
    context.torch.cuda.synchronize()
    return expected.difference(built.results(number))


def measure_case(context, contenders, case, options):
    """The record of a case: {contender: figures or why there are none}."""
    torch, record = context.torch, {}
    sets = context.make_sets(case)
    expected = None
    samplers, facts = {}, {}
    try:
        for contender in contenders:
            reason = options["skipped"].get(case.key, {}).get(
                contender.name) or why_not(contender, case, options)
            if reason is None and time.monotonic() > options["deadline"]:
                reason = "the time was up"
            if reason:
                record[contender.name] = {"not_measured": reason}
                continue
            begin = time.monotonic()
            print(json.dumps({"now": contender.name, "case": case.key}), flush=True)
            try:
                built = contender.build(case, sets)
                if options["check"] and (built.results or built.check) and expected is None:
                    expected = expect(context, case, sets[min(1, len(sets) - 1)].inputs)
                error = check(context, case, sets, built, expected) if options["check"] else None
                if error is not None:
                    error /= contender.tolerance
                facts[contender.name] = {
                    "error": error, "nbytes": built.nbytes or case.nbytes, "note": built.note,
                    "checked": ("smaller" if built.check else expected.what
                                if error is not None else None)}
                guess = 1e-5 if built.sample else context.quick_time(built.calls[0])
                count = timing.choose_calls(len(sets), guess)
                samplers[contender.name] = timing.Sampler(context, built, count)
                facts[contender.name]["build_seconds"] = round(time.monotonic() - begin, 2)
            except Exception as error:  # pylint: disable=broad-except
                record[contender.name] = {"not_measured": describe(error)}
                facts.pop(contender.name, None)
                if options["verbose"]:
                    traceback.print_exc()
                # After some errors nothing works any more: run.py starts anew.
                torch.cuda.synchronize()
        expected = None
        torch.cuda.empty_cache()
        if samplers:
            print(json.dumps({"now": "", "case": case.key}), flush=True)
            measured = timing.measure(samplers, options["rounds"], options["deadline"])
            for name, figures in measured.items():
                record[name] = {**figures, **facts[name]}
    finally:
        for sampler in samplers.values():
            sampler.close()
        samplers = sets = None
        torch.cuda.empty_cache()
    return record


def why_not(contender, case, options):
    if contender.missing:
        return contender.missing
    if case.is_dynamic and contender.name.split(":")[0] not in DYNAMIC:
        return "models and dynamic extents are measured beside a copy and what has the same"
    if contender.is_slow and not (options["slow"] == "all" or (
            options["slow"] == "headline" and case.is_headline)):
        return "takes long to build: for headline cases only (--slow)"
    return contender.refuse(case)


def describe(error):
    text = " ".join(str(error).split()) or type(error).__name__
    if type(error).__name__ == "OutOfMemoryError":
        text = "out of memory"
    return text[:300]


def main():
    from contenders import make_all

    options = json.loads(sys.stdin.readline())
    options["deadline"] += time.monotonic()
    cases = {case.key: case for case in workloads.all_cases()}
    context = Context(options)
    chosen = [contender for contender in make_all(context)
              if options["contenders"] is None or contender.name.split(":")[0]
              in options["contenders"]]
    print(json.dumps({"ready": True, "contenders": [contender.name for contender in chosen],
                      "l2_bytes": context.l2_bytes}), flush=True)
    for key in options["cases"]:
        if time.monotonic() > options["deadline"]:
            break
        print(json.dumps({"start": key}), flush=True)
        record = measure_case(context, chosen, cases[key], options)
        print(json.dumps({"done": key, "contenders": record}), flush=True)


if __name__ == "__main__":
    main()
