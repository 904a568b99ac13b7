"""Gradients where operands are equal, not numbers or at a bound.

usage: ties.py WORKDIR

The numbers are those of PyTorch 2.13 in f64 (torch.maximum, minimum, fmax, fmin, clamp,
abs, and a fold of torch.maximum for the scans), for cotangents of one.
"""

import os
import sys

import numpy as np

import scan_tools

INF, NAN = np.inf, np.nan
LEFT = [1.0, 1.0, 3.0, NAN, 1.0, INF, -INF, -0.0]
RIGHT = [1.0, 3.0, 2.0, 1.0, NAN, INF, -INF, 0.0]
# Per operation its arguments and the gradient of each.
BINARY = {
    "arith.maximumf": ([0.5, 0, 1, 1, 1, 0.5, 0.5, 0.5], [0.5, 1, 0, 1, 1, 0.5, 0.5, 0.5]),
    "arith.minimumf": ([0.5, 1, 0, 1, 1, 0.5, 0.5, 0.5], [0.5, 0, 1, 1, 1, 0.5, 0.5, 0.5]),
    "arith.maxnumf": ([1, 0, 1, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 0, 0, 0]),
    "arith.minnumf": ([1, 1, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 0, 0]),
}
SCAN = """func.func @f(%x: tensor<?xf64>) -> tensor<f64> {
  %y, %last = scan.associative ins(%x : tensor<?xf64>) dim = 0WORDS {
  ^bb0(%a: f64, %b: f64):
    LINES
    scan.yield %m : f64
  } -> tensor<?xf64>, tensor<f64>
  return %last : tensor<f64>
}
"""
MAXIMUM = "%m = arith.maximumf %a, %b : f64"
# One of them, as an index says it: torch.cummax's rule is the last one.
CUMMAX = "%c = arith.cmpf ogt, %a, %b : f64\n    %m = arith.select %c, %a, %b : f64"


def elementwise(line, arguments):
    t = "tensor<?xf64>"
    names = ", ".join(f"%x{i}: {t}" for i in range(arguments))
    return f"func.func @f({names}) -> {t} {{\n  %r = {line} : {t}\n  return %r : {t}\n}}\n"


def cases():
    for name, expected in BINARY.items():
        yield name, elementwise(f"{name} %x0, %x1", 2), [LEFT, RIGHT], expected, np.ones(8)
    yield (
        "math.clampf",
        elementwise("math.clampf %x0 to [%x1, %x2]", 3),
        [[0, 1, 2, -1, 3], [0] * 5, [2] * 5],
        ([1, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]),
        np.ones(5),
    )
    yield "math.absf", elementwise("math.absf %x0", 1), [[0.0, -0.0, 1, -1]], ([0, 0, 1, -1],), np.ones(4)
    equal = [[1.0, 1.0, 1.0]]
    for words, expected in (("", [0.25, 0.25, 0.5]), (" reverse", [0.5, 0.25, 0.25])):
        yield "fold" + words, SCAN.replace("WORDS", words).replace("LINES", MAXIMUM), equal, (expected,), np.ones(())
    for words, expected in (("", [0, 0, 1]), (" reverse", [1, 0, 0])):
        yield "cummax" + words, SCAN.replace("WORDS", words).replace("LINES", CUMMAX), equal, (expected,), np.ones(())


def main():
    work = sys.argv[1]
    os.makedirs(work, exist_ok=True)
    path = lambda name: os.path.join(work, name)
    count = bad = 0
    for name, text, arguments, expected, cotangent in cases():
        with open(path("program.mlir"), "w") as file:
            file.write(text)
        scan_tools.check(["scan-opt", path("program.mlir"), "--scan-differentiate=function=f", "-o", path("d.mlir")])
        command = ["scan-run", path("d.mlir"), "--entry=f_vjp", "--target=reference"]
        for i, array in enumerate([*arguments, cotangent]):
            np.save(path(f"in{i}.npy"), np.asarray(array, np.float64))
            command.append(f"--input={path(f'in{i}.npy')}")
        outputs = [path(f"out{i}.npy") for i in range(len(expected))]
        scan_tools.check(command + [f"--output={o}" for o in outputs])
        for i, (output, gradient) in enumerate(zip(outputs, expected)):
            count += 1
            found = np.load(output)
            if not np.array_equal(found, np.asarray(gradient, np.float64)):
                bad += 1
                print(f"{name}, argument {i}: expected {gradient}, found {found.tolist()}")
    print(f"{count} gradients, {bad} wrong")
    sys.exit(bad > 0)


main()
