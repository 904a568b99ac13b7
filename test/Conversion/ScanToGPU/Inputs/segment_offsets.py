"""Runs kernels that look up in offsets where sequences start, on the emulator.

usage: segment_offsets.py FOLDER PART SEED [REGEX]

Each is compared with the reference interpreter, which walks segment by segment: bit by
bit, as all numbers are whole. One kernel of PART runs (sampling.py); REGEX picks some of
these by their names. Prints how many ran.
"""

import itertools
import os
import random
import re
import sys

import sampling
import scan_tools

PROGRAMS = {
    # One leaf.
    "sum": """
func.func @f(%x: tensor<?xi32>, %s: tensor<?xOFFSET>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) segments(%s : tensor<?xOFFSET>) dim = 0 WAY SCHEDULE {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}""",
    # A static extent, a constant to begin with, and the state before each step.
    "exclusive": """
func.func @f(%x: tensor<STEPSxi64>, %s: tensor<?xOFFSET>) -> tensor<STEPSxi64> {
  %i = arith.constant 7 : i64
  %y = scan.associative ins(%x : tensor<STEPSxi64>) init(%i : i64) segments(%s : tensor<?xOFFSET>) dim = 0 WAY exclusive SCHEDULE {
  ^bb0(%acc: i64, %new: i64):
    %r = arith.addi %acc, %new : i64
    scan.yield %r : i64
  } -> tensor<STEPSxi64>
  return %y : tensor<STEPSxi64>
}""",
    # Rows that share the list, with a state to begin with and a last one for each
    # sequence.
    "recurrence": """
func.func @f(%a: tensor<3x?xi32>, %b: tensor<3x?xi32>, %s: tensor<COUNTxOFFSET>, %i: tensor<3xSEGMENTSxi32>) -> (tensor<3x?xi32>, tensor<3xSEGMENTSxi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<3x?xi32>, tensor<3x?xi32>) init(%i : tensor<3xSEGMENTSxi32>)
    segments(%s : tensor<COUNTxOFFSET>) dim = 1 WAY SCHEDULE -> tensor<3x?xi32>, tensor<3xSEGMENTSxi32>
  return %h, %last : tensor<3x?xi32>, tensor<3xSEGMENTSxi32>
}""",
    # Two lists, and an operator that minds the order.
    "matrices": """
func.func @f(%x: tensor<?x2x2xi32>, %s: tensor<?xOFFSET>, %t: tensor<?xi32>) -> tensor<?x2x2xi32> {
  %y = scan.associative ins(%x : tensor<?x2x2xi32>) segments(%s : tensor<?xOFFSET>) dim = 0 WAY SCHEDULE {
  ^bb0(%acc: tensor<2x2xi32>, %new: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %r = linalg.matmul ins(%acc, %new : tensor<2x2xi32>, tensor<2x2xi32>) outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x2x2xi32>
  %z = scan.associative ins(%y : tensor<?x2x2xi32>) segments(%t : tensor<?xi32>) dim = 0 WAY SCHEDULE {
  ^bb0(%acc: tensor<2x2xi32>, %new: tensor<2x2xi32>):
    %r = arith.addi %acc, %new : tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x2x2xi32>
  return %z : tensor<?x2x2xi32>
}""",
}

BLOCKS = {
    "block": "threads = {}, items = {}",
    "rows": "threads = {}, items = {}, rows = 2",
    "grid": "threads = {}, items = {}, scope = grid",
    "persistent": "threads = {}, items = {}, scope = grid, blocks = 2",
    "roles": "threads = {}, items = {}, scope = grid, blocks = 2, stages = 4",
}
# Threads and items: whose items begin with a word of the mask, lie in two, or fill more.
SHAPES = [(64, 4), (32, 24), (64, 5), (32, 40)]
# Where warps have roles: threads that scan and vectors of 16 bytes in place of these, how
# many numbers of a program such a vector has, and the threads of other warps.
ROLE_SHAPES = dict(zip(SHAPES, [(64, 1), (96, 3), (64, 5), (64, 9)]))
VECTOR_LENGTHS = {"sum": 4, "exclusive": 2, "recurrence": 4, "matrices": 1}
ROLE_THREADS = 96


def lists(steps, tile, number):
    """Offsets: what may be special about them, for tiles of so many steps."""
    edges = [t for t in range(0, steps, tile)]
    back = sorted({steps - t for t in edges} | {0})
    inner = sorted(number.sample(range(steps), min(steps, 40)))
    return {
        "one": [0, steps],
        "edges": [*edges, steps],
        "edges from the end": [*back],
        "beside edges": sorted({0, steps} | {min(steps, max(0, e + d)) for e in edges for d in (-1, 0, 1)}),
        "single steps": list(range(steps + 1)),
        "empty": [0] * 50 + [steps // 2] * 400 + [steps] * 300,
        "some": [0, *inner, steps],
        "crowded": [0] + sorted(number.choices(range(steps // 8 + 1), k=500)) + [steps],
    }


def main():
    folder, part, seed, *pattern = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    number = random.Random(7)
    cases = itertools.product(BLOCKS, PROGRAMS, ("", "reverse"), SHAPES, lists(1, 1, number))
    chosen = sampling.sample(cases, int(part), int(seed), lambda case: case)
    number.shuffle(chosen)
    ran = 0
    for index, (blocks, program, way, shape, special) in enumerate(chosen):
        name = "-".join((blocks, program, way, special))
        if pattern and not re.search(pattern[0], name):
            continue
        if blocks == "rows" and program in ("sum", "exclusive", "matrices"):
            program = "recurrence"
        # Its initial states are gathered, which bulk copies do not do.
        if blocks == "roles" and program == "recurrence":
            program = "sum"
        if blocks == "roles":
            threads, vectors = ROLE_SHAPES[shape]
            shape = (threads, vectors * VECTOR_LENGTHS[program])
        tile = shape[0] * shape[1] // (2 if blocks == "rows" else 1)
        steps = (1 if index % 17 == 3 else 3 * tile if index % 3 else 2 * tile + 77)
        offsets = lists(steps, tile, number)[special]
        kind = ("i32", "i64", "index")[index % 3]
        threads = shape[0] + (ROLE_THREADS if blocks == "roles" else 0)
        schedule = BLOCKS[blocks].format(threads, shape[1])
        text = PROGRAMS[program]
        if "COUNT" in text and special == "empty" and steps == 1:
            offsets = [0, 1]
        for old, new in (("OFFSET", kind), ("WAY", way), ("STEPS", str(steps)),
                         ("SEGMENTS", str(len(offsets) - 1)), ("COUNT", str(len(offsets))),
                         ("SCHEDULE",
                          f"attributes {{schedule = #scan.schedule<strategy = row, {schedule}>}}")):
            text = text.replace(old, new)
        path = os.path.join(folder, f"{index}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        given = f"values:{kind}:{len(offsets)}:{','.join(map(str, offsets))}"
        inputs = {
            "sum": [f"random:i32:{steps}:1:-9:9", given],
            "exclusive": [f"random:i64:{steps}:1:-9:9", given],
            "recurrence": [f"random:i32:3x{steps}:1:-3:3", f"random:i32:3x{steps}:2:-9:9", given,
                           f"random:i32:3x{len(offsets) - 1}:3:-9:9"],
            "matrices": [f"random:i32:{steps}x2x2:1:-2:2", given,
                         f"values:i32:3:0,{steps // 3},{steps}"],
        }[program]
        orders = ["--schedule=adversarial"] if index % 4 == 0 else [f"--seed={index}"]
        scan_tools.check(["scan-run", path, "--entry=f", "--target=emulator", "--compare=reference", "--tolerance=0",
             f"--resident-blocks={1 + index % 4}", *orders,
             *[f"--input={one}" for one in inputs]])
        ran += 1
    print(f"{ran} kernels")


if __name__ == "__main__":
    main()
