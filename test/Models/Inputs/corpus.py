"""Runs recurrences as people write them through all targets, and compares them with NumPy.

usage: corpus.py SUBJECT WORKDIR [--group=I/N] [--every=N] [--seed=N] [--only=NAME]
                 [--part=forward|derivative] [--ptxas=PATH] [--wrong=1.001]

SUBJECT is one of
  numbers     results on reference, cpu and emulator, and of object files, within the bound of
              bounded.py; `--every=N`: in the emulator one of N models, and of these one of 6 with
              all variants that --dispatch makes, and one with each of them by itself, whatever the
              extents are; one of N from an object file
  gradients   --scan-differentiate, on the cpu in f64, against central differences;
              `--every=N`: of one of N models
  launches    how many there are for 1,024 steps, the bytes that the fused program moves over
              those that it has to move, in as many operations, and the time to compile (printed
              only)
  backward    how many launches the gradient is for 1,024 steps, and the bytes that it moves over
              those that it has to move; `--every=N`: of one of N models
  spills      of each kernel of a program and of its derivative, by ptxas; `--every=N`: one of
              N models on one of the chips, and the derivatives of fewer

What `--every` takes is another part for each seed. `--group=I/N` is the Ith of N parts of the
models, `--part` one part of `spills`. `--wrong` is a factor that results are multiplied by, to see that it is noticed.

`table.py` says of each model what it takes and what has to hold; `references.py` has NumPy.
What a model does not fulfil is in its `known`: a check fails if it became worse, and if it
became better, so that the list is true.
"""

import argparse
import json
import math
import operator
import os
import re
import subprocess
import sys
import time

import numpy as np

import references
import scan_tools
from bounded import Bounded
from c_objects import Object
from table import CHIPS, MODELS, MOST_BACKWARD, MOST_BACKWARD_TRAFFIC

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_TRAFFIC = 1.02
EPS = 1e-5
FORWARD, DERIVATIVE = "forward", "derivative"
# Of so many samples of programs, one of derivatives: they have several times as many kernels.
DERIVATIVES = 5
UNITS = {np.dtype(np.float32): 2.0**-24, np.dtype(np.complex64): 2.0**-24}
ENTRY = re.compile(r"Compiling entry function '(\S+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


class Problem(Exception):
    pass


def program_of(model):
    return os.path.join(HERE, "programs", f"{model.name}.mlir")


def run(command):
    done = scan_tools.run(command)
    if done.returncode:
        raise Problem(f"{os.path.basename(command[0])} fails: {done.stderr.strip().splitlines()[0]}")
    return done.stdout


def call(work, program, entry, target, inputs, count):
    """Results of a function. The target `dispatch` is the emulator, with a kernel for each kind of extents."""
    command = ["scan-run", program, f"--entry={entry}", f"--target={target}"]
    if target in ("emulator", "dispatch"):
        command[3:] = ["--target=emulator", f"--dispatch={'on' if target == 'dispatch' else 'off'}"]
    for i, array in enumerate(inputs):
        np.save(os.path.join(work, f"in{i}.npy"), array)
        command.append(f"--input={work}/in{i}.npy")
    run([*command, *[f"--output={work}/out{i}.npy" for i in range(count)]])
    return [np.load(os.path.join(work, f"out{i}.npy")) for i in range(count)]


def widen(array):
    """An argument for a reference: exact numbers, of which errors are counted if they are real or complex."""
    return Bounded(array) if array.dtype.kind in "fc" else array


def compare(found, expected, name):
    if found.shape != expected.shape:
        raise Problem(f"{name} has the shape {found.shape}, expected {expected.shape}")
    if not isinstance(expected, Bounded):
        if not np.array_equal(found, expected):
            raise Problem(f"{name} is\n{found}\nexpected\n{expected}")
        return
    error, bound = np.abs(found - expected.v), expected.error(UNITS[found.dtype])
    if not np.all(error <= bound):
        at = np.unravel_index(np.argmax(error - bound), error.shape)
        raise Problem(f"{name} at {[int(i) for i in at]} is off by {error[at]:.3g}, allowed {bound[at]:.3g}")


def write_variants(model, options):
    """Programs in which each kernel has one of its schedules, which are for some extents, for all extents."""
    fused, report = (os.path.join(options.work, name) for name in ("fused.mlir", "fused.json"))
    run(["scan-opt", program_of(model), "--scan-to-fused", "-o", fused])
    run(["scan-opt", fused, f"--scan-explain=format=json output={report}", "-o", os.devnull])
    with open(report) as file:
        count = max(len(kernel.get("variants", [0])) for kernel in json.load(file))
    for number in range(1, count + 1):
        program = os.path.join(options.work, f"variant{number}.mlir")
        run(["scan-opt", fused, f"--scan-assign-schedule=variant={number}", "-o", program])
        yield number, program


def compare_all(found, expected, options, where):
    for i, (x, y) in enumerate(zip(found, expected)):
        x = x if options.wrong == 1 else (x * options.wrong).astype(x.dtype)
        compare(x, y, f"result {i} {where}")


def check_variants(model, options):
    inputs = model.make_inputs(37)
    expected = getattr(references, model.reference)(*map(widen, inputs))
    for number, program in write_variants(model, options):
        found = call(options.work, program, model.name, "emulator", inputs, len(expected))
        compare_all(found, expected, options, f"of variant {number}")


def check_numbers(model, options, target):
    if target == "variants":
        return check_variants(model, options)
    compiled = Object(program_of(model), options.work) if target == "object" else None
    for steps in (1, 2, 37):
        inputs = model.make_inputs(steps)
        expected = getattr(references, model.reference)(*map(widen, inputs))
        if compiled:
            found = compiled.call(model.name, inputs)
        else:
            found = call(options.work, program_of(model), model.name, target, inputs, len(expected))
        compare_all(found, expected, options, f"with {steps} steps")


def inner(xs, ys):
    return sum(float(np.real(np.vdot(x, y))) for x, y in zip(xs, ys))


def check_gradients(model, options):
    """The slope along a random direction, per differentiable argument, by the gradient and by differences."""
    wide, derivative = (os.path.join(options.work, f"{n}.mlir") for n in ("wide", "derivative"))
    with open(wide, "w") as file:
        file.write(open(program_of(model)).read().replace("f32", "f64"))
    run(["scan-opt", wide, f"--scan-differentiate=function={model.name}", "-o", derivative])
    inputs = [np.asarray(x, {"f": np.float64, "c": np.complex128}.get(x.dtype.kind, x.dtype))
              for x in model.make_inputs(9)]
    evaluate = getattr(references, model.reference)
    random = np.random.default_rng(1)

    def noise(like):
        values = random.uniform(-1, 1, like.shape)
        return values + 1j * random.uniform(-1, 1, like.shape) if np.iscomplexobj(like) else values

    results = [y for y in evaluate(*inputs) if y.dtype.kind in "fc"]
    cotangents = [np.asarray(noise(y)) for y in results]
    active = [i for i, x in enumerate(inputs) if x.dtype.kind in "fc"]
    gradients = call(options.work, derivative, f"{model.name}_vjp", "cpu", inputs + cotangents, len(active))
    for i, gradient in zip(active, gradients):
        direction, slopes = np.asarray(noise(inputs[i])), []
        for step in (EPS, -EPS):
            moved = list(inputs)
            moved[i] = inputs[i] + step * direction
            slopes.append(inner(cotangents, [y for y in evaluate(*moved) if y.dtype.kind in "fc"]))
        expected, found = (slopes[0] - slopes[1]) / (2 * EPS), options.wrong * inner([gradient], [direction])
        # Differences lose 1e-16 / EPS by rounding and EPS**2 by truncation, times what derivatives are.
        size = float(np.sum(np.abs(gradient) * np.abs(direction)))
        if not abs(expected - found) <= 1e-6 * (1 + size):
            raise Problem(f"slope along argument {i} is {found}, by differences {expected}")


def is_launched(kernel, extents):
    """Whether the conditions of a kernel (docs/manifest.md) hold, which compare a product of extents with a number."""
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

    def multiply(factor):
        if isinstance(factor, list):
            return math.prod(map(multiply, factor[1:]))
        return extents[factor] if isinstance(factor, str) else factor

    return all(compare[how](multiply(what), number) for how, what, number in kernel.get("when", []))


def large_extents(model):
    """Those of the arguments, for 1,024 steps."""
    return {f"arg{i}_d{d}": extent for i, shape in enumerate(model.shapes(1024, large=True))
            for d, extent in enumerate(shape)}


def count_launches(kernels, extents):
    return sum(is_launched(kernel, extents) for kernel in kernels)


def check_traffic(model, options, program, most, subject="traffic", suffix=""):
    """How many times the compulsory traffic the fused program moves, as text, and how many operations do."""
    report = os.path.join(options.work, "traffic.json")
    extents = large_extents(model) | (model.extents if suffix else {})
    numbers = ",".join(f"{name}={extent}" for name, extent in extents.items())
    run(["scan-opt", program, "--scan-to-fused", "-o", os.devnull,
         f"--scan-print-traffic=format=json output={report} extents={numbers}"])
    function = find_function(model, report, suffix)
    ratio = function.get("least_over_compulsory", function["total_over_compulsory"])
    text = "unknown" if ratio is None else f"{ratio:.3g}"
    known = model.known.get(subject)
    if text != known if known else ratio is None or ratio > most:
        raise Problem(f"moves {text} times what it has to; the table says {known or 'nothing'}, and may say {most}")
    if known and ratio is not None and ratio <= most:
        raise Problem(f"moves {text} times what it has to, which the table need not say")
    return f"{text} times the compulsory traffic", len(function["operations"])


def check_launches(model, options):
    traffic, operations = check_traffic(model, options, program_of(model), MOST_TRAFFIC * model.least)
    manifest = os.path.join(options.work, "launches.json")
    start = time.monotonic()
    run(["scan-translate", "--scan-to-ptx", program_of(model), "--dispatch=false", "-o", os.devnull,
         f"--manifest={manifest}"])
    seconds = time.monotonic() - start
    launches = count_launches(find_function(model, manifest)["kernels"], large_extents(model))
    expected = model.known.get("launches", model.launches)
    if launches != expected:
        raise Problem(f"{launches} launches; the table says {expected}")
    if launches > operations:
        raise Problem(f"{launches} launches, of which the traffic is that of {operations}")
    return f"{launches} launches, {traffic}, compiled in {seconds:.2f} s"


def check_backward(model, options):
    derivative, manifest = (os.path.join(options.work, name) for name in ("backward.mlir", "backward.json"))
    run(["scan-opt", program_of(model), f"--scan-differentiate=function={model.name}", "-o", derivative])
    traffic, operations = check_traffic(model, options, derivative, MOST_BACKWARD_TRAFFIC, "backward_traffic", "_vjp")
    start = time.monotonic()
    run(["scan-translate", "--scan-to-ptx", derivative, "--dispatch=false", "-o", os.devnull, f"--manifest={manifest}"])
    seconds = time.monotonic() - start
    launches = count_launches(find_function(model, manifest, "_vjp")["kernels"], large_extents(model))
    known = model.known.get("backward")
    expected = known or model.backward
    if launches != expected or (known is None) != (launches <= MOST_BACKWARD):
        raise Problem(f"{launches} launches; the table says {expected}, and may say {MOST_BACKWARD}")
    if launches > operations:
        raise Problem(f"{launches} launches, of which the traffic is that of {operations}")
    return f"{launches} launches, {traffic}, compiled in {seconds:.2f} s with the forward pass"


def find_function(model, path, suffix=""):
    (function,) = [f for f in json.load(open(path))["functions"] if f["name"] == model.name + suffix]
    return function


def assemble(options, chip, base):
    """{entry: bytes that ptxas spills} of base.ptx."""
    done = subprocess.run([options.ptxas, f"-arch={chip}", "-v", "-o", base + ".cubin", base + ".ptx"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Problem(f"ptxas fails: {done.stderr.strip()}")
    spilled, entry = {}, None
    for line in done.stderr.splitlines():
        if match := ENTRY.search(line):
            entry = match[1]
        elif match := SPILLS.search(line):
            spilled[entry] = int(match[1]) + int(match[2])
    return spilled


def check_spills(model, options, chip, part):
    base, program = os.path.join(options.work, "kernels"), program_of(model)
    if part == DERIVATIVE:
        program = os.path.join(options.work, "backward.mlir")
        run(["scan-opt", program_of(model), f"--scan-differentiate=function={model.name}", "-o", program])
    run(["scan-translate", "--scan-to-ptx", program, f"--chip={chip}", "-o", base + ".ptx", f"--manifest={base}.json"])
    spilled = assemble(options, chip, base)
    functions = json.load(open(base + ".json"))["functions"]
    if spilled.keys() != {kernel["entry"] for function in functions for kernel in function["kernels"]}:
        raise Problem(f"ptxas speaks of {sorted(spilled)}")
    most = max(spilled.values())
    if most:
        raise Problem(f"spills {most} bytes")
    return f"{len(spilled)} kernels, none spills"


CHECKS = {"numbers": check_numbers, "gradients": check_gradients, "launches": check_launches,
          "backward": check_backward, "spills": check_spills}


def get_cases(subject, every, seed):
    """What there is to check, as tuples that begin with a model."""
    for number, model in enumerate(MODELS):
        turn = number + seed
        if subject == "numbers":
            yield from ((model, target) for target in ("reference", "cpu"))
            if turn % every == 0:
                yield model, "emulator"
            if turn % every == every - 1:
                yield model, "object"
            for target, place in ("dispatch", 0), ("variants", 3):
                if every == 1 or turn % (6 * every) == place * every:
                    yield model, target
        elif subject == "spills":
            parts = (FORWARD, DERIVATIVE) if model.differentiable else (FORWARD,)
            if every == 1:
                yield from ((model, chip, part) for chip in CHIPS for part in parts)
            elif turn % every == 0:
                yield model, CHIPS[turn // every % len(CHIPS)], FORWARD
            if every > 1 and DERIVATIVE in parts and turn % (DERIVATIVES * every) == 1:
                yield model, CHIPS[turn // every % len(CHIPS)], DERIVATIVE
        elif subject == "launches" or (model.differentiable and turn % every == 0):
            yield (model,)


def check(subject, case, options):
    """What there is to say. What the table says is refused has to be, with this message."""
    model, *rest = case
    known = model.known.get(subject)
    try:
        said = CHECKS[subject](model, options, *rest)
    except Problem as problem:
        if isinstance(known, str) and known in str(problem):
            return f"known: {known}"
        raise
    if isinstance(known, str):
        raise Problem(f"works; the table says that it is refused: {known}")
    return said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject", choices=CHECKS)
    parser.add_argument("work")
    parser.add_argument("--group", default="0/1")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--part", choices=(FORWARD, DERIVATIVE))
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--wrong", type=float, default=1)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    known = {model.name for model in MODELS}
    files = {name.removesuffix(".mlir") for name in os.listdir(os.path.join(HERE, "programs"))}
    if files != known or len(known) != len(MODELS):
        sys.exit(f"programs without an entry in the table, entries without one, or twice: {sorted(files ^ known)}")
    group, groups = map(int, options.group.split("/"))
    names = [model.name for model in MODELS][len(MODELS) * group // groups : len(MODELS) * (group + 1) // groups]
    if options.only:
        names = [options.only]
    checks = problems = 0
    for case in get_cases(options.subject, options.every, options.seed):
        if case[0].name not in names or (options.part and options.part not in case):
            continue
        checks += 1
        title = " ".join([case[0].name, *case[1:]])
        try:
            if said := check(options.subject, case, options):
                print(f"{title}: {said}")
        except Problem as problem:
            problems += 1
            print(f"PROBLEM {title}: {problem}")
    print(f"seed {options.seed}: {options.subject} of {len(names)} models, {checks} checks, {problems} problems")
    sys.exit(problems > 0)


if __name__ == "__main__":
    main()
