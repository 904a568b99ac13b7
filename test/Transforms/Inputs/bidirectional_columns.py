"""Runs scans of columns in both directions in the emulator, and compares with the interpreter.

usage: bidirectional_columns.py WORKDIR COUNT SEED

COUNT programs, drawn by the seed: an operator, its type, initial states and finals, which
direction comes first, schedules with few and many lanes, columns per thread, threads and items,
extents from one step to all that a tile holds, static and dynamic, and columns that fill a block
and its vectors or do not.
"""

import os
import random
import sys

import scan_tools

# Lines of a region over %a and %b, or over pairs (%a, %c), (%b, %d), and what it yields.
LAST_SET = ("%z = arith.constant 0 : T\n%p = arith.cmpi eq, %b, %z : T\n%r = arith.select %p, %a, %b : T", "%r")
MAXIMUM = ("%r = arith.maxsi %a, %b : T", "%r")
FIRST = ("%r = arith.subi %b, %b : T\n%s = arith.addi %r, %a : T", "%s")
AFFINE = ("%m = arith.muli %b, %a : T\n%t = arith.muli %b, %c : T\n%n = arith.addi %t, %d : T", "%m, %n")
OPERATORS = [(LAST_SET, "i16", 1), (LAST_SET, "i64", 1), (MAXIMUM, "i8", 1), (MAXIMUM, "i32", 1),
             (FIRST, "i32", 1), (AFFINE, "i32", 2), (AFFINE, "i8", 2)]


def scan(name, operator, element, leaves, tensor, row, is_reverse, has_init, has_finals, is_exclusive, schedule):
    body, result = operator
    arguments = ", ".join(f"%{v}: {element}" for v in ("ab", "acbd")[leaves - 1])
    inputs = ", ".join(["%x", "%w"][:leaves])
    init = f" init({', '.join(['%h', '%k'][:leaves])} : {', '.join([row] * leaves)})" if has_init else ""
    types = [tensor] * leaves + [row] * leaves * has_finals
    names = [f"%{name}{i}" for i in range(len(types))]
    text = (f"  {', '.join(names)} = scan.associative ins({inputs} : {', '.join([tensor] * leaves)}){init} dim = 1"
            f"{' reverse' if is_reverse else ''}{' exclusive' if is_exclusive else ''} attributes {{schedule = {schedule}}} {{\n"
            f"  ^bb0({arguments}):\n    " + body.replace("T", element).replace("\n", "\n    ")
            + f"\n    scan.yield {result} : {', '.join([element] * leaves)}\n  }} -> {', '.join(types)}\n")
    return text, names, types


def make(draw):
    """A program, its inputs, and what is drawn."""
    operator, element, leaves = draw.choice(OPERATORS)
    lanes, vector = draw.choice([1, 2, 4, 8, 16, 32]), draw.choice([1, 1, 2, 4])
    threads, items = draw.choice([32, 64, 128]), draw.choice([1, 2, 3, 4, 7])
    tile = threads // lanes * items
    steps = draw.choice([tile, max(1, tile - 1), draw.randint(1, tile), min(tile, items), 1])
    across = lanes * vector
    columns = draw.choice([across, across + 1, 2 * across, max(1, across - 1), 1])
    is_static, has_init, has_finals = (draw.random() < 0.5 for _ in range(3))
    schedule = f"#scan.schedule<strategy = column, threads = {threads}, items = {items}, lanes = {lanes}, vector = {vector}>"
    tensor = f"tensor<?x{steps if is_static else '?'}x?x{element}>"
    row = f"tensor<?x?x{element}>"
    text, returned, types = "", [], []
    first = draw.random() < 0.5
    for name, is_reverse in (("f", first), ("g", not first)):
        part, names, kinds = scan(name, operator, element, leaves, tensor, row, is_reverse, has_init,
                                  has_finals and draw.random() < 0.8, has_init and draw.random() < 0.5, schedule)
        text += part
        returned += names
        types += kinds
    arguments = [("x", tensor), ("w", tensor), ("h", row), ("k", row)]
    shapes = [f"2x{steps}x{columns}"] * 2 + [f"2x{columns}"] * 2
    head = f"func.func @f({', '.join(f'%{name}: {kind}' for name, kind in arguments)}) -> ({', '.join(types)}) {{\n"
    # Small numbers, zero among them.
    inputs = [f"--input=random:{element}:{shape}:{i + 1}:-2:3" for i, shape in enumerate(shapes)]
    return head + text + f"  return {', '.join(returned)} : {', '.join(types)}\n}}\n", inputs


def main():
    work, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.makedirs(work, exist_ok=True)
    bad = merged = 0
    for number in range(count):
        text, inputs = make(random.Random(1000 * seed + number))
        path = os.path.join(work, f"{number}.mlir")
        with open(path, "w") as file:
            file.write(text)
        kernels = scan_tools.check(["scan-opt", path, "--scan-to-fused"])
        merged += "bidirectional = " in kernels
        done = scan_tools.run(["scan-run", path, "--target=emulator", "--compare=reference", *inputs])
        if done.returncode:
            bad += 1
            print(f"{number}: {' '.join(inputs)}\n{text}{done.stdout}{done.stderr}")
    print(f"seed {seed}: {count} programs, {merged} merged, {bad} fail")
    sys.exit(bad > 0)


main()
