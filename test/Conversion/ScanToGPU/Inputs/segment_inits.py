"""Runs kernels that read one init per segment where the segment starts.

usage: segment_inits.py FOLDER TARGET PART SEED [REGEX]

Each is compared with the reference interpreter, which walks segment by segment: bit by
bit, as all numbers are whole. TARGET is `emulator`, where races are looked for, or
`cpu`. One kernel of PART runs (sampling.py); REGEX picks some of these by their names.
Prints how many ran.
"""

import os
import random
import re
import sys

import sampling
import scan_tools

PROGRAMS = {
    # Columns, with the last state of each segment.
    "columns": """
func.func @f(%a: tensor<?xCOLUMNSxi32>, %b: tensor<?xCOLUMNSxi32>, %s: tensor<COUNTxi32>, %i: tensor<SEGMENTSxCOLUMNSxi32>)
    -> (tensor<?xCOLUMNSxi32>, tensor<SEGMENTSxCOLUMNSxi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?xCOLUMNSxi32>, tensor<?xCOLUMNSxi32>) init(%i : tensor<SEGMENTSxCOLUMNSxi32>)
    segments(%s : tensor<COUNTxi32>) dim = 0 WAY SCHEDULE -> tensor<?xCOLUMNSxi32>, tensor<SEGMENTSxCOLUMNSxi32>
  return %h, %last : tensor<?xCOLUMNSxi32>, tensor<SEGMENTSxCOLUMNSxi32>
}""",
    # All extents are dynamic, and sequences share the offsets.
    "batch": """
func.func @f(%a: tensor<?x?x?xi32>, %b: tensor<?x?x?xi32>, %s: tensor<?xi64>, %i: tensor<?x?x?xi32>) -> tensor<?x?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xi32>, tensor<?x?x?xi32>) init(%i : tensor<?x?x?xi32>)
    segments(%s : tensor<?xi64>) dim = 1 WAY SCHEDULE -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}""",
    # The state before each step, and numbers that are rounded when they are stored.
    "narrow": """
func.func @f(%x: tensor<?xCOLUMNSxbf16>, %s: tensor<?xi32>, %i: tensor<?xCOLUMNSxbf16>) -> tensor<?xCOLUMNSxbf16> {
  %y = scan.associative ins(%x : tensor<?xCOLUMNSxbf16>) init(%i : tensor<?xCOLUMNSxbf16>) segments(%s : tensor<?xi32>) dim = 0 WAY exclusive SCHEDULE {
  ^bb0(%acc: bf16, %new: bf16):
    %r = arith.addf %acc, %new : bf16
    scan.yield %r : bf16
  } -> tensor<?xCOLUMNSxbf16>
  return %y : tensor<?xCOLUMNSxbf16>
}""",
    # Several leaves, of which one has no init of its own, and an operator that minds
    # the order.
    "matrices": """
func.func @f(%x: tensor<?xCOLUMNSx2x2xi32>, %v: tensor<?xCOLUMNSxi32>, %s: tensor<?xi32>, %i: tensor<?xCOLUMNSx2x2xi32>, %j: tensor<?xCOLUMNSxi32>)
    -> (tensor<?xCOLUMNSx2x2xi32>, tensor<?xCOLUMNSxi32>) {
  %y, %w = scan.associative ins(%x, %v : tensor<?xCOLUMNSx2x2xi32>, tensor<?xCOLUMNSxi32>) init(%i, %j : tensor<?xCOLUMNSx2x2xi32>, tensor<?xCOLUMNSxi32>)
      segments(%s : tensor<?xi32>) dim = 0 WAY SCHEDULE {
  ^bb0(%acc: tensor<2x2xi32>, %m0: i32, %new: tensor<2x2xi32>, %m1: i32):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %r = linalg.matmul ins(%acc, %new : tensor<2x2xi32>, tensor<2x2xi32>) outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    %m = arith.maxsi %m0, %m1 : i32
    scan.yield %r, %m : tensor<2x2xi32>, i32
  } -> tensor<?xCOLUMNSx2x2xi32>, tensor<?xCOLUMNSxi32>
  return %y, %w : tensor<?xCOLUMNSx2x2xi32>, tensor<?xCOLUMNSxi32>
}""",
    # Rows that share the offsets.
    "rows": """
func.func @f(%a: tensor<3x?xi32>, %b: tensor<3x?xi32>, %s: tensor<?xi32>, %i: tensor<3x?xi32>) -> tensor<3x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<3x?xi32>, tensor<3x?xi32>) init(%i : tensor<3x?xi32>)
    segments(%s : tensor<?xi32>) dim = 1 WAY SCHEDULE -> tensor<3x?xi32>
  return %h : tensor<3x?xi32>
}""",
    # One row, two kinds of states.
    "row": """
func.func @f(%x: tensor<?xi32>, %s: tensor<?xi32>, %i: tensor<?xi32>, %j: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y, %z = scan.associative ins(%x, %x : tensor<?xi32>, tensor<?xi32>) init(%i, %j : tensor<?xi32>, tensor<?xi32>) segments(%s : tensor<?xi32>) dim = 0 WAY exclusive SCHEDULE {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %a = arith.addi %a0, %a1 : i32
    %b = arith.maxsi %b0, %b1 : i32
    scan.yield %a, %b : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y, %z : tensor<?xi32>, tensor<?xi32>
}""",
    # An operator that must not see a made-up state.
    "division": """
func.func @f(%x: tensor<?xCOLUMNSxi32>, %s: tensor<?xi32>, %i: tensor<?xCOLUMNSxi32>) -> tensor<?xCOLUMNSxi32> {
  %y = scan.associative ins(%x : tensor<?xCOLUMNSxi32>) init(%i : tensor<?xCOLUMNSxi32>) segments(%s : tensor<?xi32>) dim = 0 WAY SCHEDULE {
  ^bb0(%acc: i32, %new: i32):
    %q = arith.divui %new, %acc : i32
    %p = arith.muli %q, %acc : i32
    %m = arith.maxui %p, %acc : i32
    %r = arith.maxui %m, %new : i32
    scan.yield %r : i32
  } -> tensor<?xCOLUMNSxi32>
  return %y : tensor<?xCOLUMNSxi32>
}""",
}
ROWS = ("rows", "row")

# Per strategy: the schedule and the steps of a tile.
COLUMNS = {
    "tiles": ("strategy = column, threads = 64, items = 3, lanes = 8, vector = 2", 24),
    "wide": ("strategy = column, threads = 32, items = 4, lanes = 32", 4),
    "grid": ("strategy = column, threads = 64, items = 2, lanes = 16, vector = 1, scope = grid", 8),
    "threads": ("strategy = sequential, threads = 32, items = 4", 4),
    "any": ("", 32),
}
BLOCKS = {
    "block": ("strategy = row, threads = 64, items = 4", 256),
    "several": ("strategy = row, threads = 64, items = 5, rows = 2", 160),
    "grid": ("strategy = row, threads = 32, items = 24, scope = grid", 768),
    "persistent": ("strategy = row, threads = 64, items = 4, scope = grid, blocks = 2", 256),
    "threads": ("strategy = sequential, threads = 32, items = 4", 4),
    "any": ("", 32),
}


def lists(steps, tile, number):
    """Offsets: what may be special about them, for tiles of so many steps."""
    inner = sorted(number.sample(range(steps), min(steps, 5)))
    return {
        "one": [0, steps],
        "edges": [*range(0, steps, tile), steps],
        "single steps": list(range(steps + 1)),
        "empty": [0] * 3 + [steps // 2] * 4 + [steps] * 3,
        "some": [0, *inner, steps],
    }


def small(steps, columns, number):
    """Whole numbers whose sums f32 has."""
    values = (str(number.randrange(-9, 10)) for _ in range(steps * columns))
    return f"values:bf16:{steps}x{columns}:{','.join(values)}"


def main():
    folder, target, part, seed, *pattern = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    number = random.Random(7)
    cases = [(program, way, strategy, special)
             for program in PROGRAMS for way in ("", "reverse")
             for strategy in (BLOCKS if program in ROWS else COLUMNS)
             for special in lists(1, 1, number)]
    chosen = sampling.sample(cases, int(part), int(seed), lambda case: case)
    number.shuffle(chosen)
    ran = 0
    for index, (program, way, strategy, special) in enumerate(chosen):
        name = "-".join((program, way, strategy, special))
        if pattern and not re.search(pattern[0], name):
            continue
        schedule, tile = (BLOCKS if program in ROWS else COLUMNS)[strategy]
        steps = 1 if index % 17 == 3 else 3 * tile if index % 3 else 2 * tile + 5
        columns = number.choice([1, 5, 16, 18])
        offsets = lists(steps, tile, number)[special]
        count = len(offsets) - 1
        text = PROGRAMS[program]
        for old, new in (("WAY", way), ("SEGMENTS", str(count)), ("COUNT", str(count + 1)),
                         ("COLUMNS", str(columns)),
                         ("SCHEDULE", f"attributes {{schedule = #scan.schedule<{schedule}>}}"
                          if schedule and target != "cpu" else "")):
            text = text.replace(old, new)
        path = os.path.join(folder, f"{index}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        kind = re.search(r"%s: tensor<[^x]*x(i\d+)>", text)[1]
        given = f"values:{kind}:{count + 1}:{','.join(map(str, offsets))}"
        inputs = {
            "columns": [f"random:i32:{steps}x{columns}:1:-3:3", f"random:i32:{steps}x{columns}:2:-9:9",
                        given, f"random:i32:{count}x{columns}:3:-9:9"],
            "batch": [f"random:i32:2x{steps}x{columns}:1:-3:3", f"random:i32:2x{steps}x{columns}:2:-9:9",
                      given, f"random:i32:2x{count}x{columns}:3:-9:9"],
            "narrow": [small(steps, columns, number), given, small(count, columns, number)],
            "matrices": [f"random:i32:{steps}x{columns}x2x2:1:-2:2", f"random:i32:{steps}x{columns}:2:-99:99", given,
                         f"random:i32:{count}x{columns}x2x2:3:-9:9", f"random:i32:{count}x{columns}:4:-99:99"],
            "rows": [f"random:i32:3x{steps}:1:-3:3", f"random:i32:3x{steps}:2:-9:9", given,
                     f"random:i32:3x{count}:3:-9:9"],
            "row": [f"random:i32:{steps}:1:-9:9", given, f"random:i32:{count}:3:-9:9",
                    f"random:i32:{count}:4:-9:9"],
            "division": [f"random:i32:{steps}x{columns}:1:1:99", given, f"random:i32:{count}x{columns}:3:1:9"],
        }[program]
        how = []
        if target == "emulator":
            how = [f"--resident-blocks={1 + index % 4}",
                   "--schedule=adversarial" if index % 4 == 0 else f"--seed={index}"]
        scan_tools.check(["scan-run", path, "--entry=f", f"--target={target}", "--compare=reference",
                          "--tolerance=0", *how, *[f"--input={one}" for one in inputs]])
        ran += 1
    print(f"{ran} kernels")


if __name__ == "__main__":
    main()
