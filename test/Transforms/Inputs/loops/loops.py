"""Runs the programs of this folder and compares their results with NumPy.

usage: loops.py PROGRAMS.mlir WORKDIR EXTENT,EXTENT,... TARGET[,TARGET...] -- PASS...

The line before a function says its inputs, as scan-run's --input (N is an extent), and how
well the results agree with NumPy and among the targets: `run`, exactly; `roughly`, up to 1e-5
of the largest number. Every target runs what the passes make of the program. With
`--unchanged=TARGET` among the passes, that target runs the program as it is, too.
"""

import os
import re
import sys

import numpy as np

import references
import scan_tools

TYPES = {"f32": np.float32, "f64": np.float64, "i1": np.bool_, "i32": np.int32,
         "i64": np.int64, "c64": np.complex64}


def generate(spec):
    """The array that an input is, by a generator of ours: what runs is told by files."""
    kind, element, shape, *rest = spec.split(":")
    shape = [int(e) for e in shape.split("x") if e]
    dtype = np.dtype(TYPES[element])
    if kind == "zeros":
        return np.zeros(shape, dtype)
    if kind == "values":
        return np.array([float(v) for v in rest[0].split(",")], dtype).reshape(shape)
    rng = np.random.default_rng(int(rest[0]))
    low, high = (float(v) for v in rest[1:]) if len(rest) > 1 else (-1.0, 1.0)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.3)
    if dtype.kind == "i":
        return np.asarray(rng.integers(int(low), int(high), shape, endpoint=True), dtype)
    values = rng.uniform(low, high, shape)
    if dtype.kind == "c":
        values = values + 1j * rng.uniform(low, high, shape)
    return np.asarray(values, dtype)


def differs(kind, expected, found):
    if expected.shape != found.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if kind == "run":
        same = np.array_equal(expected, found)
    else:
        scale = np.max(np.abs(expected), initial=0)
        same = np.allclose(expected, found, rtol=0, atol=1e-5 * scale)
    return "" if same else f"{found}\nexpected\n{expected}"


def main():
    program, work, extents, targets = sys.argv[1:5]
    passes = sys.argv[sys.argv.index("--") + 1 :]
    runs = [(p.split("=")[1], program) for p in passes if p.startswith("--unchanged=")]
    passes = [p for p in passes if not p.startswith("--unchanged=")]
    os.makedirs(work, exist_ok=True)
    after = program
    if passes:
        after = os.path.join(work, "after.mlir")
        scan_tools.check(["scan-opt", program, *passes, "-o", after])
    runs += [(target, after) for target in targets.split(",")]

    text = open(program).read()
    cases = re.findall(r"^// (run|roughly): (.*)\nfunc\.func @(\w+)\(", text, re.M)
    if len(cases) + text.count("func.func private") != text.count("func.func"):
        sys.exit("not every function has a 'run' or 'roughly' line")
    bad = 0
    for kind, specs, name in cases:
        for extent in extents.split(",") if "N" in specs else ["0"]:
            inputs = [generate(s) for s in specs.replace("N", extent).split()]
            files = []
            for i, array in enumerate(inputs):
                files.append(os.path.join(work, f"in{i}.npy"))
                np.save(files[-1], array)
            expected = getattr(references, name)(*[np.array(a) for a in inputs])
            expected = expected if isinstance(expected, tuple) else (expected,)
            for target, path in runs:
                outputs = [os.path.join(work, f"out{i}.npy") for i in range(len(expected))]
                done = scan_tools.run(
                    ["scan-run", path, f"--entry={name}", f"--target={target}"]
                    + [f"--input={f}" for f in files] + [f"--output={f}" for f in outputs])
                problems = [done.stderr[:600]] if done.returncode else [
                    p for e, f in zip(expected, outputs) if (p := differs(kind, e, np.load(f)))]
                for problem in problems:
                    bad += 1
                    print(f"{name}, extent {extent}, {target}, {os.path.basename(path)}: {problem}")
    print(f"{len(cases)} programs, {bad} results differ")
    sys.exit(bad > 0)


main()
