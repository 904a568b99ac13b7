"""Runs scans over packed sequences with offsets that are none, on the emulator.

usage: wrong_offsets.py FOLDER PART SEED

One case of PART runs (sampling.py). Each has to stop as it does on the CPU, or with offsets
that are some to give the results of the reference interpreter. Prints how many ran.
"""

import itertools
import os
import re
import sys

import sampling
import scan_tools

STEPS = 700

SUM = """
func.func @f(%x: tensor<?xi32>, %s: tensor<?xOFFSET>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) segments(%s : tensor<?xOFFSET>) dim = 0 WAY ATTRIBUTES {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.subi %new, %acc : i32
    %t = arith.addi %r, %acc : i32
    %u = arith.addi %t, %acc : i32
    scan.yield %u : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}"""
# With a state to begin with, and a last one, for each sequence; rows share the list.
STATES = """
func.func @f(%a: tensor<3x?xi32>, %b: tensor<3x?xi32>, %s: tensor<?xOFFSET>, %i: tensor<3x?xi32>) -> (tensor<3x?xi32>, tensor<3x?xi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<3x?xi32>, tensor<3x?xi32>) init(%i : tensor<3x?xi32>)
    segments(%s : tensor<?xOFFSET>) dim = 1 WAY ATTRIBUTES -> tensor<3x?xi32>, tensor<3x?xi32>
  return %h, %last : tensor<3x?xi32>, tensor<3x?xi32>
}"""
# Sequences side by side: a tensor of flags.
COLUMNS = """
func.func @f(%a: tensor<?x5xi32>, %b: tensor<?x5xi32>, %s: tensor<?xOFFSET>, %i: tensor<?x5xi32>) -> (tensor<?x5xi32>, tensor<?x5xi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x5xi32>, tensor<?x5xi32>) init(%i : tensor<?x5xi32>)
    segments(%s : tensor<?xOFFSET>) dim = 0 WAY exclusive ATTRIBUTES -> tensor<?x5xi32>, tensor<?x5xi32>
  return %h, %last : tensor<?x5xi32>, tensor<?x5xi32>
}"""
# A row in both directions.
BOTH = """
func.func @f(%x: tensor<2xEXTENTxi32>, %s: tensor<?xOFFSET>) -> (tensor<2xEXTENTxi32>, tensor<2xEXTENTxi32>) {
  %y = scan.associative ins(%x : tensor<2xEXTENTxi32>) segments(%s : tensor<?xOFFSET>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<2xEXTENTxi32>
  %z = scan.associative ins(%x : tensor<2xEXTENTxi32>) segments(%s : tensor<?xOFFSET>) dim = 1 reverse {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<2xEXTENTxi32>
  return %y, %z : tensor<2xEXTENTxi32>, tensor<2xEXTENTxi32>
}"""


def row(text):
    return f"attributes {{schedule = #scan.schedule<strategy = row, {text}>}}"


# The program, and the schedule.
KINDS = {
    "walk": (SUM, row("threads = 64, items = 4")),
    "one warp": (SUM, row("threads = 32, items = 4")),
    "grid": (SUM, row("threads = 64, items = 4, scope = grid")),
    "persistent": (SUM, row("threads = 64, items = 4, scope = grid, blocks = 2")),
    "rows": (STATES, row("threads = 64, items = 2, rows = 2")),
    "states": (STATES, row("threads = 64, items = 4, scope = grid")),
    "variants": (SUM, ""),
    "columns": (COLUMNS, ""),
    "both": (BOTH, ""),
    "gradient": (STATES, "gradient"),
}
VALID = {
    "some": lambda n: [0, n // 3, n // 2, n],
    "one": lambda n: [0, n],
    "empty": lambda n: [0, 0, n // 2, n // 2, n, n],
    "many": lambda n: [0, *range(n), *[n] * 40],
}
WRONG = {
    "first": lambda n: [1, n // 3, n // 2, n],
    "negative first": lambda n: [-1, n // 3, n],
    "last less": lambda n: [0, n // 3, n - 1],
    "last more": lambda n: [0, n // 3, n + 1],
    "decreases": lambda n: [0, n // 2, n // 3, n],
    "decreases late": lambda n: [0, *range(n - 1), n, n - 1, n],
    "negative": lambda n: [0, n // 3, -9, n],
    "out of range": lambda n: [0, n + 5000, n // 2, n],
    "far out of range": lambda n: [0, 2**31 - 1, -2**31, n],
    "backwards": lambda n: list(range(n, -1, -1)),
    "no sequence": lambda n: [0],
}
LISTS = {**VALID, **WRONG}


def main():
    folder, part, seed = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    cases = [(kind, name, way, steps) for kind, name, way, steps in itertools.product(
        KINDS, LISTS, ("", "reverse"), (STEPS, 0))
             # Without steps all lists but these are as wrong as others; and what is known to
             # have none is no kernel.
             if steps or name in ("one", "first", "last more", "empty") and kind != "both"]
    # Every kernel in every direction, and every list.
    chosen = sampling.sample(cases, int(part), int(seed),
                             lambda case: (case[0], case[2] + str(case[3])))
    left = set(LISTS) - {case[1] for case in chosen}
    chosen += [case for case in cases if case[1] in left and case[::2] == ("grid", "")]
    stopped = 0
    for index, (kind, name, way, steps) in enumerate(chosen):
        text, attributes = KINDS[kind]
        gradient = attributes == "gradient"
        offset = ("i32", "i64", "index")[index % 3]
        for old, new in (("OFFSET", offset), ("WAY", way), ("EXTENT", str(steps)),
                         ("ATTRIBUTES", "" if gradient else attributes)):
            text = text.replace(old, new)
        path = os.path.join(folder, f"{index}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        offsets = LISTS[name](steps)
        given = f"values:{offset}:{len(offsets)}:{','.join(map(str, offsets))}"
        count = len(offsets) - 1
        shapes = {SUM: ["{n}"], STATES: ["3x{n}", "3x{n}", None, "3x{s}"],
                  COLUMNS: ["{n}x5", "{n}x5", None, "{s}x5"], BOTH: ["2x{n}"]}[KINDS[kind][0]]
        inputs = [given if shape is None else
                  f"random:i32:{shape.format(n=steps, s=count)}:{i}:-3:3"
                  for i, shape in enumerate(shapes)]
        if None not in shapes:
            inputs.append(given)
        command = ["scan-run", path, "--entry=f", *[f"--input={one}" for one in inputs]]
        if gradient:
            # What it is for integers is refused: floating-point numbers that are whole.
            path, command = differentiate(path, text, command)
        emulator = [*command, "--target=emulator", f"--seed={index}",
                    f"--dispatch={'on' if kind == 'variants' else 'off'}"]
        if name in VALID and (steps or name != "one" or offsets == [0, 0]):
            # Gradients are products in f32.
            tolerance = "1e-5" if gradient else "0"
            scan_tools.check([*emulator, "--compare=reference", f"--tolerance={tolerance}"])
            continue
        found = scan_tools.run(emulator)
        expected = scan_tools.run([*command, "--target=cpu"])
        assert found.returncode == expected.returncode == 1, (index, kind, name, way, found)
        assert "expected the offsets of segments to start with 0" in expected.stderr, expected
        assert found.stderr == expected.stderr, (index, kind, name, way, found.stderr)
        stopped += 1
    print(f"{len(chosen)} runs, {stopped} of them stopped")


def differentiate(path, text, command):
    """The vector-Jacobian product of the program in f32 by the inputs and the states."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("xi32>", "xf32>").replace("%s: tensor<?xf32>", "%s: tensor<?xi32>")
                   .replace("segments(%s : tensor<?xf32>)", "segments(%s : tensor<?xi32>)") + "\n")
    result = scan_tools.run(
        ["scan-opt", path, "--scan-differentiate=function=f name=vjp arguments=0,1,3 results=0,1",
         "-o", path + ".vjp.mlir"])
    assert result.returncode == 0, result.stderr
    # States that are multiplied by numbers beyond 1 at each step of a long sequence are infinite,
    # in one order of products sooner than in another.
    words = [re.sub(r":i32:(3x.*):-3:3$", r":f32:\1:-1:1", word) for word in command]
    inputs = [word for word in words if word.startswith("--input=random")]
    # Cotangents of both results.
    return path, ["scan-run", path + ".vjp.mlir", "--entry=vjp", *words[3:], inputs[0], inputs[2]]


if __name__ == "__main__":
    main()
