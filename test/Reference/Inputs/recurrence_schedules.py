"""Checks that a schedule changes no number.

usage: recurrence_schedules.py PART SEED

A sample of the cells of te.scan's tutorial (sums of columns, two stages, two states of
which one reads another lane, a filter of two rows back), element types, widths, numbers of
rows, and schedules: stages that are split, in vectors and placed inside of their reader,
time that is unrolled, threads and steps that are loaded ahead, and time that threads split.
By the interpreter, on the CPU and in the emulator, against loops in numpy, to the bit.
"""

import itertools
import random
import sys

import numpy as np
from refcheck import DTYPES, Batch, Checker, rounded

import sampling

part, seed = map(int, sys.argv[1:3])
rng = np.random.default_rng(seed)
TARGETS = ["reference", "cpu", "emulator"]
OPERATIONS = {"add": np.add, "sub": np.subtract}
# Of each cell: k, and what a step computes, as triples of a name, an operation and its
# operands. The last row is the state's.
CELLS = {
    "sums": (1, [("sum", "add", "h1", "row")]),
    "stages": (1, [("twice", "add", "h1", "h1"), ("sum", "add", "twice", "row")]),
    "states": (1, [("sum", "add", "h1", "row"), ("total", "add", "g1", "lanes")]),
    "filter": (2, [("change", "sub", "h1", "h2"), ("sum", "add", "row", "change")]),
}
OTHER = 7  # The width of the second state.
FACTORS = {
    "cell": list(CELLS),
    "type": ["f32", "f64", "bf16", "i32"],
    "n": [1, 255, 257, 1024],
    # Rows beyond the first k, which are the init's.
    "steps": [0, 1, 8],
    "dynamic": [False, True],
    "split": [0, 1, 32, 256],
    "vector": [1, 4, 8],
    "inside": [False, True],
    "unroll": [None, 1, 2, 3],
    "threads": [None, "sequential, threads = 32", "sequential, threads = 256, items = 2",
                "sequential, threads = 64, items = 5", "column, threads = 64, items = 4, lanes = 8"],
}


class Case:
    def __init__(self, values):
        self.values = values
        self.__dict__.update(zip(FACTORS, values))
        self.isFloat = self.type[0] != "i"

    def __str__(self):
        return ", ".join(f"{name} = {value}" for name, value in zip(FACTORS, self.values))

    def isLegal(self):
        hasLoops = self.split or self.vector > 1
        # Sums of floats are others in another order; other lanes, and rows further back of
        # many lanes, are none of a scan's.
        splitsTime = self.threads and self.threads.startswith("column")
        return (self.split % self.vector == 0
                and (not self.inside or hasLoops and self.cell in ("stages", "filter"))
                and (not splitsTime or not self.isFloat and self.cell in ("sums", "stages")))

    def stage(self, name):
        """The attributes of a stage."""
        if self.inside and name in ("twice", "change"):
            return " {scan.stage = #scan.stage<inside>}"
        parts = [f"split = [{self.split}]"] if self.split else []
        parts += [f"vector = {self.vector}"] if self.vector > 1 else []
        return f" {{scan.stage = #scan.stage<{', '.join(parts)}>}}" if parts else ""

    def attributes(self):
        entries = ["order = #scan.order<sequential>"] if self.isFloat else []
        entries += [f"scan.loops = #scan.loops<unroll = {self.unroll}>"] if self.unroll else []
        entries += [f"scan.schedule = #scan.schedule<strategy = {self.threads}>"] if self.threads else []
        return f" attributes {{{', '.join(entries)}}}" if entries else ""


def values(case, *shape):
    if case.isFloat:
        return rounded(rng.uniform(-1, 1, shape), case.type)
    return rng.integers(-99, 99, shape).astype(DTYPES[case.type])


def compute(case, name, a, b):
    if not case.isFloat:
        return OPERATIONS[name](a, b)
    wide = np.float64 if case.type == "bf16" else a.dtype
    return rounded(OPERATIONS[name](a.astype(wide), b.astype(wide)), case.type)


def expected(case, x, init, other):
    """The histories, with the rows of the inits in front."""
    k, stages = CELLS[case.cell]
    rows, others = list(init), list(other)
    for row in x:
        known = {"h1": rows[-1], "h2": rows[-k], "row": row, "g1": others[-1],
                 "lanes": np.full(OTHER, rows[-1][0])}
        for name, op, a, b in stages:
            known[name] = compute(case, op, known[a], known[b])
        rows.append(known["sum"])
        others.append(known.get("total"))
    return [np.stack(rows), np.stack(others)] if case.cell == "states" else [np.stack(rows)]


def add(batch, case, arrays, handle):
    k, stages = CELLS[case.cell]
    width = "?" if case.dynamic else case.n
    hasOther = case.cell == "states"
    row, other = f"tensor<{width}x{case.type}>", f"tensor<{OTHER}x{case.type}>"
    of = lambda extent, width=width: f"tensor<{extent}x{width}x{case.type}>"
    inputs, inits = of("?"), [of(k)] + [of(1, OTHER)] * hasOther
    results = [of("?")] + [of("?", OTHER)] * hasOther
    names = ["%x", "%i", "%j"][: 2 + hasOther]
    lines = [f"%r:{len(results)} = scan.recurrence ins(%x : {inputs}) init({', '.join(names[1:])} : "
             f"{', '.join(inits)}) dim = 0 init_rows{case.attributes()} {{",
             "^bb0(%t: index, " + "".join(f"%h{back}: {row}, " for back in range(1, k + 1))
             + (f"%g1: {other}, " if hasOther else "") + f"%row: {row}):"]
    if hasOther:
        lines += ["%c0 = arith.constant 0 : index", f"%lane = tensor.extract %h1[%c0] : {row}",
                  f"%lanes = tensor.splat %lane : {other}"]
    for name, op, a, b in stages:
        type = other if name == "total" else row
        lines.append(f"%{name} = arith.{op}{'f' if case.isFloat else 'i'} %{a}, %{b}{case.stage(name)} : {type}")
    yields = ["%sum"] + ["%total"] * hasOther
    lines += [f"scan.yield {', '.join(yields)} : {', '.join([row] + [other] * hasOther)}",
              f"}} -> {', '.join(results)}",
              f"return {', '.join(f'%r#{i}' for i in range(len(results)))} : {', '.join(results)}"]
    batch.add("\n".join(lines), [(a, case.type) for a in arrays], names, [inputs, *inits],
              [(type, case.type) for type in results], handle)


# Which cases there are to choose from is drawn, too: all of them are 46,080.
drawn = random.Random(seed).sample(list(itertools.product(*FACTORS.values())), 6000)
cases = [case for case in map(Case, drawn) if case.isLegal()]
cases = sampling.sample(cases, part, seed, lambda case: case.values)
checker = Checker()
batches = [Batch() for _ in TARGETS]
for case in cases:
    k = CELLS[case.cell][0]
    arrays = [values(case, case.steps, case.n), values(case, k, case.n)]
    if case.cell == "states":
        arrays.append(values(case, 1, OTHER))
    reference = expected(case, *(arrays + [[None]])[:3])

    for target, batch in zip(TARGETS, batches):
        def handle(found, target=target, case=case, reference=reference):
            for i, (mine, theirs) in enumerate(zip(found, reference, strict=True)):
                checker.equal(f"{target}: {case}: result {i}", mine, theirs)

        add(batch, case, arrays, handle)
for target, batch in zip(TARGETS, batches):
    batch.run_on(target)
print(f"{len(cases)} schedules")
checker.finish()
