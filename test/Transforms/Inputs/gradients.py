"""Compares derivatives that --scan-differentiate writes with central differences.

usage: gradients.py WORKDIR GROUP [NAME...] [--target=TARGET] [--extents=0,1,33]
                    [--every=N] [--part=N] [--sample=SEED,COUNT] [--wrong=1.001]

For a function f, random inputs x and cotangents c the derivative gives g; for
a random direction v, Re<g, v> has to be the slope of Re<c, f(x + e v)> at e = 0.
f is evaluated by the interpreter in f64, the derivative by the target. Results that
are infinite have a cotangent of zero. With `--every`, all derivatives are written, and
every Nth comparison is made, the first one too. With `--part` there is one program of so
many, another one each day (sampling.is_of_today). Groups of random programs take a
`--sample`. `--wrong` is a factor to multiply gradients by,
to see that it is noticed.
"""

import os
import sys

import numpy as np

import sampling
import scan_tools
from gradient_programs import GROUPS

EPS = 1e-5


class Evaluator:
    def __init__(self, work):
        self.work = work
        os.makedirs(work, exist_ok=True)

    def path(self, name):
        return os.path.join(self.work, name)

    def call(self, program, entry, inputs, results, target="reference"):
        command = ["scan-run", program, f"--entry={entry}", f"--target={target}"]
        for i, array in enumerate(inputs):
            np.save(self.path(f"in{i}.npy"), array)
            command.append(f"--input={self.path(f'in{i}.npy')}")
        outputs = [self.path(f"out{i}.npy") for i in range(results)]
        scan_tools.check([*command, *[f"--output={o}" for o in outputs]])
        return [np.load(o) for o in outputs]


def inner(xs, ys):
    return sum(float(np.real(np.vdot(x, np.where(x == 0, 0, y)))) for x, y in zip(xs, ys))


def noise(random, like):
    values = random.uniform(-1, 1, like.shape)
    if np.iscomplexobj(like):
        values = values + 1j * random.uniform(-1, 1, like.shape)
    return np.asarray(values, like.dtype)


def is_number(array):
    return array.dtype.kind in "fc"


def check(evaluator, case, derivative, target, random, factor):
    """A message about what is wrong with one program at one set of inputs."""
    inputs = case.inputs
    values = evaluator.call(case.path, case.entry, inputs, case.results)
    asked = case.asked_results or [i for i, v in enumerate(values) if is_number(v)]
    arguments = case.asked_arguments or [i for i, x in enumerate(inputs) if is_number(x)]
    cotangents = [np.where(np.isfinite(values[i]), noise(random, values[i]), 0) for i in asked]
    returned = evaluator.call(
        derivative, case.entry + "_vjp", inputs + cotangents, case.results + len(arguments), target
    )
    primal, gradients = returned[: case.results], returned[case.results :]
    for i, (found, expected) in enumerate(zip(primal, values)):
        if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-9, atol=1e-12):
            return f"result {i} is\n{found}\nand was\n{expected}"
    for i, gradient in zip(arguments, gradients):
        if gradient.shape != inputs[i].shape or gradient.dtype != inputs[i].dtype:
            return f"the gradient of argument {i} is {gradient.dtype}{list(gradient.shape)}"
        if not np.all(np.isfinite(gradient)):
            return f"the gradient of argument {i} is\n{gradient}"
    gradients = [g * factor for g in gradients]
    direction = [noise(random, inputs[i]) for i in arguments]
    slopes = []
    for step in (EPS, -EPS):
        moved = list(inputs)
        for i, d in zip(arguments, direction):
            moved[i] = inputs[i] + step * d
        found = evaluator.call(case.path, case.entry, moved, case.results)
        slopes.append(inner(cotangents, [found[i] for i in asked]))
    slope = (slopes[0] - slopes[1]) / (2 * EPS)
    found = inner(gradients, direction)
    size = sum(float(np.sum(np.abs(g) * np.abs(d))) for g, d in zip(gradients, direction))
    if not np.isfinite(slope):
        return f"slope by central differences {slope}"
    if abs(slope - found) > 1e-6 * (1 + size):
        return f"slope {found}, by central differences {slope}"
    return None


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    options = dict(w[2:].split("=") for w in sys.argv[1:] if w.startswith("--"))
    work, group, names = words[0], words[1], words[2:]
    target = options.get("target", "reference")
    extents = [int(e) for e in options.get("extents", "0,1,2,33").split(",")]
    factor = float(options.get("wrong", 1))
    every, part = int(options.get("every", 1)), int(options.get("part", 1))
    evaluator = Evaluator(work)
    number = count = bad = 0
    sample = map(int, options["sample"].split(",")) if "sample" in options else ()
    programs = [program for program in GROUPS[group](*sample) if not names or program.name in names]
    for place, program in enumerate(programs):
        if not sampling.is_of_today(place, part):
            continue
        path = evaluator.path("program.mlir")
        derivative = evaluator.path("derivative.mlir")
        entry = "f"
        with open(path, "w") as file:
            file.write(program.text)
        for order in range(program.orders):
            if order:
                # The derivative is the function now.
                path, derivative = derivative, evaluator.path(f"derivative{order}.mlir")
                if order > 1:
                    raise ValueError("twice is enough")
                entry += "_vjp"
            words = [f"function={entry}", "primal"]
            if program.asked_results and not order:
                words.append("results=" + ",".join(map(str, program.asked_results)))
            if program.asked_arguments and not order:
                words.append("arguments=" + ",".join(map(str, program.asked_arguments)))
            words += program.options
            command = ["scan-opt", path, f"--scan-differentiate={' '.join(words)}", "-o", derivative]
            if program.may_refuse:
                done = scan_tools.run(command)
                if done.returncode == 1 and program.may_refuse in done.stderr:
                    break
            scan_tools.check(command)
            for extent in extents:
                number += 1
                if (number - 1) % every:
                    continue
                random = np.random.default_rng([7, extent])
                inputs = program.make_inputs(random, extent)
                case = program.at(path, entry, inputs)
                if order:
                    values = evaluator.call(path, "f", inputs, program.results)
                    asked = program.asked_results or [i for i, v in enumerate(values) if is_number(v)]
                    seeds = [np.where(np.isfinite(values[i]), noise(random, values[i]), 0) for i in asked]
                    case.inputs = inputs + [s * (0 if program.at_zero else 1) for s in seeds]
                    asked_arguments = program.asked_arguments or [
                        i for i, x in enumerate(inputs) if is_number(x)
                    ]
                    case.results = program.results + len(asked_arguments)
                    case.asked_results = case.asked_arguments = None
                count += 1
                problem = check(evaluator, case, derivative, target, random, factor)
                if problem:
                    bad += 1
                    print(f"{program.name}, derivative {order + 1}, extent {extent}: {problem}")
                    print(f"  program:\n{program.text}" if bad <= 3 else "")
    print(f"{count} gradients, {bad} wrong")
    sys.exit(bad > 0)


main()
