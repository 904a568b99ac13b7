"""Writes scan programs for the tests of the GPU target.

A program is one function with one scan; `Case` says which. Functions are named
after their case, and go into modules of many, which compiles faster.
"""

import dataclasses
import itertools

INTEGERS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
DTYPES = ["i1"] + INTEGERS + FLOATS + COMPLEX
COMBINERS = ["add", "mul", "max", "xor", "linear", "matrix", "segmented", "argmax"]
# Of the whole product; the covering cases have columns as well.
STRATEGIES = ["sequential", "row"]
# Every dimension of ranks 1 to 3.
DIMS = [(rank, dim) for rank in (1, 2, 3) for dim in range(rank)]

# Bytes of one element as it is accumulated.
BYTES = dict(zip(DTYPES, (1, 1, 2, 4, 8, 4, 4, 4, 8, 8, 16)))


def schedule(case):
    """A schedule that fits into the shared memory of every chip; what the cost
    model would choose has tests of its own."""
    if case.strategy == "sequential":
        return "strategy = sequential, threads = 128, items = 4"
    leaves = 4 if case.combiner == "matrix" else 2
    if case.strategy in ("column", "columns_over_grid"):
        vector = max(1, 8 // BYTES[case.dtype])
        words = leaves * vector * max(1, BYTES[case.dtype] // 4)
        items = 8 if words <= 8 else 4 if words <= 16 else 2
        scope = ", scope = grid" if case.strategy == "columns_over_grid" else ""
        return (f"strategy = column, threads = 256, items = {items}, lanes = 8, "
                f"vector = {vector}{scope}")
    items = 8 if leaves * BYTES[case.dtype] <= 16 else 3 if leaves * BYTES[case.dtype] <= 32 else 1
    scope = ", scope = grid" if case.strategy == "grid" else ""
    return f"strategy = row, threads = 128, items = {items}{scope}"


@dataclasses.dataclass(frozen=True)
class Case:
    combiner: str
    dtype: str
    exclusive: bool  # exclusive with an init and a final state, or inclusive
    reverse: bool
    strategy: str
    rank: int
    dim: int

    @property
    def name(self):
        dtype = self.dtype.replace("complex<f32>", "c64").replace("complex<f64>", "c128")
        return "_".join(
            [
                self.combiner,
                dtype,
                "exclusive" if self.exclusive else "inclusive",
                "reverse" if self.reverse else "forward",
                self.strategy,
                f"{self.dim}of{self.rank}",
            ]
        )

    def is_valid(self):
        if self.combiner == "xor":
            return self.dtype == "i1" or self.dtype in INTEGERS
        if self.combiner in ("max", "argmax"):
            return self.dtype not in COMPLEX
        return self.dtype != "i1"


def all_cases():
    """The whole product, without the pairs that mean nothing."""
    for values in itertools.product(
        COMBINERS, DTYPES, (False, True), (False, True), STRATEGIES, DIMS
    ):
        case = Case(*values[:-1], *values[-1])
        if case.is_valid():
            yield case


def covering_cases(strategies=None):
    """A subset: every combiner with every dtype and strategy; direction,
    exclusive and dimension go round, so that each pair of two of them and each
    of them with each combiner occurs."""
    rest = list(itertools.product((False, True), (False, True), DIMS))
    step = 0
    kinds = list(itertools.product(COMBINERS, DTYPES, strategies or STRATEGIES))
    if not strategies:
        kinds += itertools.product(COMBINERS, DTYPES, ["column"])
    for combiner, dtype, strategy in kinds:
        exclusive, reverse, (rank, dim) = rest[step % len(rest)]
        case = Case(combiner, dtype, exclusive, reverse, strategy, rank, dim)
        if case.is_valid():
            # Not a divisor of the 24 of `rest`: all of them have their turn.
            step += 7
            yield case


def arithmetic(op, dtype):
    """The operation called `op` on values of `dtype`."""
    if dtype in COMPLEX:
        return f"complex.{op}"
    return f"arith.{op}{'i' if dtype[0] == 'i' else 'f'}"


def leaves_and_body(case):
    """The element types and trailing shapes of the leaves, and the lines of the
    combine region; %a0... are accumulated, %b0... are new, %r0... are yielded."""
    t = case.dtype
    add, mul = arithmetic("add", t), arithmetic("mul", t)
    if case.combiner in ("add", "mul"):
        return [(t, "")], [f"%r0 = {arithmetic(case.combiner, t)} %a0, %b0 : {t}"]
    if case.combiner == "max":
        op = "arith.maximumf" if t in FLOATS else "arith.maxui" if t == "i1" else "arith.maxsi"
        return [(t, "")], [f"%r0 = {op} %a0, %b0 : {t}"]
    if case.combiner == "xor":
        return [(t, "")], [f"%r0 = arith.xori %a0, %b0 : {t}"]
    if case.combiner == "linear":
        return [(t, ""), (t, "")], [
            f"%r0 = {mul} %b0, %a0 : {t}",
            f"%t = {mul} %b0, %a1 : {t}",
            f"%r1 = {add} %t, %b1 : {t}",
        ]
    if case.combiner == "matrix":
        m = f"tensor<2x2x{t}>"
        zero = "0" if t[0] == "i" else "(0.0, 0.0)" if t in COMPLEX else "0.0"
        return [(t, "2x2x")], [
            f"%z = arith.constant dense<{zero}> : {m}",
            f"%r0 = linalg.matmul ins(%a0, %b0 : {m}, {m}) outs(%z : {m}) -> {m}",
        ]
    if case.combiner == "segmented":
        return [("i1", ""), (t, "")], [
            "%r0 = arith.ori %a0, %b0 : i1",
            f"%t = {add} %a1, %b1 : {t}",
            f"%r1 = arith.select %b0, %b1, %t : {t}",
        ]
    assert case.combiner == "argmax"
    less = f"arith.cmpf ogt, %b0, %a0 : {t}" if t in FLOATS else f"arith.cmpi ugt, %b0, %a0 : {t}"
    return [(t, ""), ("i64", "")], [
        f"%c = {less}",
        f"%r0 = arith.select %c, %b0, %a0 : {t}",
        "%r1 = arith.select %c, %b1, %a1 : i64",
    ]


def write_function(case):
    leaves, body = leaves_and_body(case)
    # One static extent, no multiple of anything, among dynamic ones.
    shape = ["33" if rank_dim == 2 else "?" for rank_dim in range(case.rank)]
    outer = shape[: case.dim] + shape[case.dim + 1 :]

    def join(extents, leaf):
        element, trailing = leaf
        return "tensor<" + "".join(f"{extent}x" for extent in extents) + trailing + element + ">"

    inputs = [join(shape, leaf) for leaf in leaves]
    states = [join(outer, leaf) for leaf in leaves]
    arguments = [f"%x{i}: {type}" for i, type in enumerate(inputs)]
    results = list(inputs)
    init = ""
    if case.exclusive:
        # Scalars where there is nothing but the scan dimension.
        inits = [
            leaf[0] if case.rank == 1 and not leaf[1] else state
            for leaf, state in zip(leaves, states)
        ]
        arguments += [f"%i{i}: {type}" for i, type in enumerate(inits)]
        names = ", ".join(f"%i{i}" for i in range(len(inits)))
        init = f" init({names} : {', '.join(inits)})"
        results += states
    blocks = [
        f"%{side}{i}: " + (f"tensor<{trailing[:-1]}x{element}>" if trailing else element)
        for side in "ab"
        for i, (element, trailing) in enumerate(leaves)
    ]
    yielded = [block.split(": ")[1] for block in blocks[: len(leaves)]]
    returned = ", ".join(f"%y#{i}" for i in range(len(results)))
    keywords = f"dim = {case.dim}"
    keywords += " reverse" if case.reverse else ""
    keywords += " exclusive" if case.exclusive else ""
    lines = [
        f"func.func @{case.name}({', '.join(arguments)}) -> ({', '.join(results)}) {{",
        f"  %y:{len(results)} = scan.associative ins("
        + ", ".join(f"%x{i}" for i in range(len(leaves)))
        + f" : {', '.join(inputs)}){init} {keywords}",
        f"      attributes {{schedule = #scan.schedule<{schedule(case)}>}} {{",
        f"  ^bb0({', '.join(blocks)}):",
        *[f"    {line}" for line in body],
        "    scan.yield "
        + ", ".join(f"%r{i}" for i in range(len(leaves)))
        + f" : {', '.join(yielded)}",
        f"  }} -> {', '.join(results)}",
        f"  return {returned} : {', '.join(results)}",
        "}",
    ]
    return "\n".join(lines) + "\n"
