"""Runs scans of whose operators something is known (scan.operator) on the emulator.

usage: operator_facts.py FOLDER PART SEED

Operators, schedules, extents, directions and results of every kind are compared with the
reference interpreter, to the bit. One case of PART is run (sampling.py); prints how many
were.
"""

import itertools
import os
import sys

import sampling
import scan_tools

# Leaf types, the region's lines, what is known.
OPERATORS = {
    "xor": (["i32"], ["%r0 = arith.xori %a0, %b0 : i32"], "commutative, identity = [0 : i32]"),
    "max": (["f32"], ["%r0 = arith.maximumf %a0, %b0 : f32"],
            "commutative, idempotent, identity = [0xFF800000 : f32]"),
    # Idempotent, and neither commutative nor with an identity.
    "left": (["i32"], ["%r0 = scan.clone %a0 : i32"], "idempotent"),
    # Maps x -> p x + q: the identity matters, and so does the order.
    "maps": (["i32", "i32"],
             ["%r0 = arith.muli %a0, %b0 : i32", "%t = arith.muli %b0, %a1 : i32",
              "%r1 = arith.addi %t, %b1 : i32"], "identity = [1 : i32, 0 : i32]"),
    # The later of two elements, unless it is 0: not commutative, idempotent, with an
    # identity.
    "last": (["i32"],
             ["%z = arith.constant 0 : i32", "%c = arith.cmpi eq, %b0, %z : i32",
              "%r0 = arith.select %c, %a0, %b0 : i32"], "idempotent, identity = [0 : i32]"),
    # A division, which may not be done with what is there by chance.
    "trapping": (["i32"],
                 ["%o = arith.constant 1 : i32", "%v = arith.ori %a0, %o : i32",
                  "%q = arith.divui %v, %v : i32", "%s = arith.addi %a0, %b0 : i32",
                  "%m = arith.subi %q, %o : i32", "%r0 = arith.addi %s, %m : i32"],
                 "commutative, identity = [0 : i32]"),
}

# Schedules, and whether they are for the last dimension.
SCHEDULES = [
    ("strategy = row, threads = 64, items = 3", True),
    ("strategy = row, threads = 128, items = 4, rows = 16", True),
    ("strategy = row, threads = 512, items = 2", True),
    ("strategy = row, threads = 64, items = 3, scope = grid", True),
    ("strategy = row, threads = 64, items = 3, scope = grid, blocks = 3", True),
    ("strategy = column, threads = 64, items = 3, lanes = 8", False),
    ("strategy = column, threads = 32, items = 4, lanes = 1", False),
    ("strategy = column, threads = 64, items = 3, lanes = 4, vector = 2, scope = grid", False),
    ("strategy = sequential, threads = 32, items = 4", False),
]
EXTENTS = [1, 130, 192, 700]
DIRECTIONS = ["", "reverse "]
RESULTS = ["states", "both", "final"]
DYNAMIC = [False, True]




class Program:
    """A function with many scans, and its arguments."""

    def __init__(self):
        self.arguments, self.lines, self.results, self.types = {}, [], [], []
        self.count = 0

    def argument(self, element, shape):
        return self.arguments.setdefault((element, tuple(shape)), f"%x{len(self.arguments)}")

    def add(self, operator, schedule, shape, dim, direction, kind, dynamic):
        leaves, body, facts = OPERATORS[operator]
        number, self.count = self.count, self.count + 1
        names, tensors = [], []
        for leaf in leaves:
            name = self.argument(leaf, shape)
            type = tensor(leaf, shape)
            if dynamic:
                hidden = tensor(leaf, ["?"] * len(shape))
                cast = f"%d{number}_{len(names)}"
                self.lines.append(f"  {cast} = tensor.cast {name} : {type} to {hidden}")
                name, type = cast, hidden
            names.append(name)
            tensors.append(type)
        rest = ["?" if dynamic else e for i, e in enumerate(shape) if i != dim]
        attributes = [f"schedule = #scan.schedule<{schedule}>",
                      f"scan.operator = {{{facts}, leaves = {len(leaves)} : i64}}"]
        if kind != "states":
            attributes.append("final_states")
            tensors_and_finals = tensors + [tensor(leaf, rest) for leaf in leaves]
        else:
            tensors_and_finals = tensors
        block = ", ".join(f"%{side}{i}: {leaf}" for side in "ab" for i, leaf in enumerate(leaves))
        self.lines += [
            f"  %y{number}:{len(tensors_and_finals)} = scan.associative ins({', '.join(names)} : "
            f"{', '.join(tensors)}) dim = {dim} {direction}attributes {{{', '.join(attributes)}}} {{",
            f"  ^bb0({block}):",
            *("    " + line for line in body),
            f"    scan.yield {', '.join(f'%r{i}' for i in range(len(leaves)))} : "
            f"{', '.join(leaves)}",
            f"  }} -> {', '.join(tensors_and_finals)}",
        ]
        for i, type in enumerate(tensors_and_finals):
            if kind != "final" or i >= len(leaves):
                self.results.append(f"%y{number}#{i}")
                self.types.append(type)

    def run(self, path, seed):
        text = ", ".join(f"{name}: {tensor(*key)}" for key, name in self.arguments.items())
        types = ", ".join(self.types)
        with open(path, "w", encoding="utf-8") as file:
            print(f"func.func @main({text}) -> ({types}) {{", *self.lines,
                  f"  return {', '.join(self.results)} : {types}", "}", sep="\n", file=file)
        inputs = [f"--input=random:{element}:{'x'.join(map(str, shape))}:{number}"
                  for number, (element, shape) in enumerate(self.arguments)]
        run = scan_tools.run(["scan-run", path, "--target=emulator", "--compare=reference",
                              "--tolerance=0", f"--seed={seed}", *inputs])
        if run.returncode:
            sys.exit(f"{path}: {run.stderr}")


def tensor(element, shape):
    return f"tensor<{'x'.join(map(str, [*shape, element]))}>"


def main():
    folder, part, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.makedirs(folder)
    cases = list(itertools.product(OPERATORS, SCHEDULES, EXTENTS, DIRECTIONS, RESULTS, DYNAMIC))
    cases = sampling.sample(cases, part, seed, lambda case: case)
    step = 60
    for first in range(0, len(cases), step):
        program = Program()
        for operator, (schedule, isRow), extent, direction, kind, dynamic in \
                cases[first:first + step]:
            shape, dim = ([3, extent], 1) if isRow else ([extent, 10], 0)
            program.add(operator, schedule, shape, dim, direction, kind, dynamic)
        program.run(os.path.join(folder, f"{first}.mlir"), seed % 1000)
    # Both directions in one kernel, of whose tile a part may be beyond the end.
    both = Program()
    for operator, extent, direction in itertools.product(OPERATORS, (300, 512), DIRECTIONS):
        both.add(operator, "strategy = row, threads = 128, items = 4", [2, extent], 1, direction,
                 "states" if operator == "left" else "both", False)
    both.run(os.path.join(folder, "both.mlir"), seed % 1000)
    print(f"{len(cases) + both.count} scans")


if __name__ == "__main__":
    main()
