"""Writes a plan for scan-matrix: combiners, each over every element type,
direction, dimension and kind of init that it has, each with all extents.

usage: matrix.py COMBINER... [--schedule=STRATEGY:THREADS:ITEMS] [--part=N --seed=S] > plan.json
       matrix.py --list
       matrix.py --wrong MISTAKE > plan.json

With --schedule every scan has that schedule, and shapes that fill a few tiles of
it rather than a processor. ITEMS is a number, or 3x16B for as many as have three
vectors of 16 bytes of each input: configurations that have no such number are left
out then (bulk_items). With --wrong the tested module differs from the one
that is evaluated by a mistake, which the comparison has to find in every
configuration. With --part, a sample: one configuration of so many (sampling.py).
"""

import argparse
import itertools
import json
import math
import sys

import sampling

INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
EXTENTS = [0, 1, 2, 3, 31, 32, 33, 1000, 4097]
BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8,
         "complex<f32>": 8, "complex<f64>": 16}
MOST_ITEMS = 64


def is_integer(dtype):
    return dtype.startswith("i")


def is_complex(dtype):
    return dtype.startswith("complex")


def binary(name, dtype):
    """The operation `name` ("add", "mul", "max") for an element type."""
    if is_complex(dtype):
        return f"complex.{name}"
    if name == "max":
        suffix = {"i1": "maxui"}.get(dtype, "maxsi") if is_integer(dtype) else "maximumf"
        return f"arith.{suffix}"
    return f"arith.{name}{'i' if is_integer(dtype) else 'f'}"


class Leaf:
    """One leaf of a scan: its element type, trailing extents and values."""

    def __init__(self, dtype, values, trailing=()):
        self.dtype, self.values, self.trailing = dtype, values, list(trailing)

    def argument(self):
        if not self.trailing:
            return self.dtype
        return f"tensor<{'x'.join(map(str, self.trailing))}x{self.dtype}>"

    def tensor(self, rank):
        shape = ["?"] * rank + [str(extent) for extent in self.trailing]
        return f"tensor<{''.join(extent + 'x' for extent in shape)}{self.dtype}>"

    def operand(self, collapsed):
        return {"type": self.dtype, "trailing": self.trailing, "collapsed": collapsed,
                "values": self.values}


def numbers(dtype, values):
    return "bits" if is_integer(dtype) else values


# Each combiner returns its leaves, the lines of its region over %a0.. (the
# accumulated values) and %b0.. (the new ones) that define %y0.., and the number
# of roundings of one combine: one for an addition, one for a multiplication of
# real numbers, three for one of complex numbers (at most sqrt(5): Brent,
# Percival, Zimmermann, Error bounds on complex floating-point multiplication).


def product_roundings(dtype):
    return 3 if is_complex(dtype) else 1


def exact_if_integer(dtype, roundings):
    return 0 if is_integer(dtype) else roundings


def add(t):
    return [Leaf(t, numbers(t, "unit"))], [f"%y0 = {binary('add', t)} %a0, %b0 : {t}"], \
        exact_if_integer(t, 1)


def mul(t):
    return [Leaf(t, numbers(t, "near_one"))], [f"%y0 = {binary('mul', t)} %a0, %b0 : {t}"], \
        exact_if_integer(t, product_roundings(t))


def maximum(t):
    return [Leaf(t, numbers(t, "unit"))], [f"%y0 = {binary('max', t)} %a0, %b0 : {t}"], 0


def xor(t):
    return [Leaf(t, "bits")], [f"%y0 = arith.xori %a0, %b0 : {t}"], 0


def linear(t):
    """(a, b) stands for h -> a h + b: not commutative."""
    region = [
        f"%y0 = {binary('mul', t)} %b0, %a0 : {t}",
        f"%t = {binary('mul', t)} %b0, %a1 : {t}",
        f"%y1 = {binary('add', t)} %t, %b1 : {t}",
    ]
    leaves = [Leaf(t, numbers(t, "unit")), Leaf(t, numbers(t, "unit"))]
    return leaves, region, exact_if_integer(t, 1 + product_roundings(t))


def matmul(t):
    """The product of 2x2 matrices: not commutative."""
    leaf = Leaf(t, numbers(t, "rotation"), [2, 2])
    m = leaf.argument()
    if is_complex(t):
        part = t[len("complex<"):-1]
        zero = [f"%z = complex.constant [0.0 : {part}, 0.0 : {part}] : {t}",
                f"%zero = tensor.splat %z : {m}"]
    else:
        zero = [f"%zero = arith.constant dense<{'0' if is_integer(t) else '0.0'}> : {m}"]
    region = zero + [
        f"%y0 = linalg.matmul ins(%a0, %b0 : {m}, {m}) outs(%zero : {m}) -> {m}"
    ]
    return [leaf], region, exact_if_integer(t, 1 + product_roundings(t))


def segmented(t):
    """A sum that starts anew where the flag is set: not commutative."""
    region = [
        "%y0 = arith.ori %a0, %b0 : i1",
        f"%s = {binary('add', t)} %a1, %b1 : {t}",
        f"%y1 = arith.select %b0, %b1, %s : {t}",
    ]
    leaves = [Leaf("i1", "flag"), Leaf(t, numbers(t, "unit"))]
    return leaves, region, exact_if_integer(t, 1)


def argmax(t):
    """The largest value and where it is first: ties make the order visible."""
    compare = f"arith.cmpi {'ugt' if t == 'i1' else 'sgt'}" if is_integer(t) else "arith.cmpf ogt"
    region = [
        f"%c = {compare}, %b0, %a0 : {t}",
        f"%y0 = arith.select %c, %b0, %a0 : {t}",
        "%y1 = arith.select %c, %b1, %a1 : i64",
    ]
    return [Leaf(t, "few"), Leaf("i64", "position")], region, 0


COMBINERS = {
    "add": (add, INTEGERS + FLOATS + COMPLEX),
    "mul": (mul, INTEGERS + FLOATS + COMPLEX),
    "max": (maximum, INTEGERS + FLOATS),
    "xor": (xor, INTEGERS),
    "linear": (linear, INTEGERS + FLOATS + COMPLEX),
    "matmul": (matmul, INTEGERS + FLOATS + COMPLEX),
    "segmented": (segmented, INTEGERS + FLOATS + COMPLEX),
    "argmax": (argmax, INTEGERS + FLOATS),
}


def joined(*parts):
    return ", ".join(part for part in parts if part)


def schedule_parameters(schedule):
    strategy, threads, items, *more = schedule.split(":")
    parameters = [f"strategy = {strategy}", f"threads = {threads}", f"items = {items}"]
    return ", ".join(parameters + [entry.replace("=", " = ") for entry in more])


def element_bytes(operand):
    """Of what an operand has at one index, its trailing dimensions included."""
    return BYTES[operand["type"]] * math.prod(operand["trailing"])


def bulk_items(inputs, rank, dim, vectors):
    """The items of which each thread has so many vectors of 16 bytes of every input, as bulk
    copies of tiles ask for, or None: where the scan dimension is not the innermost one, inputs
    differ in the size of their elements, vectors hold no whole number of these, or a schedule
    can not have as many items. Nor can it have one item that is one element."""
    sizes = {element_bytes(operand) for operand in inputs if not operand["collapsed"]}
    if dim != rank - 1 or len(sizes) != 1:
        return None
    items, rest = divmod(16 * vectors, sizes.pop())
    is_single = items == 1 and not any(operand["trailing"] for operand in inputs)
    return None if rest or items > MOST_ITEMS or is_single else items


def with_items(schedule, inputs, rank, dim):
    """The schedule for these inputs, or None."""
    if not schedule or not schedule.split(":")[2].endswith("x16B"):
        return schedule
    strategy, threads, items, *more = schedule.split(":")
    items = bulk_items(inputs, rank, dim, int(items.removesuffix("x16B")))
    return items and ":".join([strategy, threads, str(items), *more])


def has_long_tiles(schedule):
    """Whether it takes the longest extent to fill several: vectors of small elements have many."""
    _, threads, items, *_ = schedule.split(":")
    return int(threads) * int(items) > 1000


def attributes(order=None, schedule=None):
    """The attribute dictionary of a scan, behind its keyword."""
    entries = [f"order = #scan.order<{order}>"] if order else []
    if schedule:
        entries.append(f"schedule = #scan.schedule<{schedule_parameters(schedule)}>")
    return f" attributes {{{', '.join(entries)}}}" if entries else ""


def associative(leaves, region, rank, dim, reverse, exclusive, init, order=None, schedule=None):
    """A function @f around one scan.associative, with its final states."""
    n = len(leaves)
    tensors = [leaf.tensor(rank) for leaf in leaves]
    # In rank 1 an init is a scalar, where the leaf has no trailing dimensions.
    collapsed = [leaf.argument() if rank == 1 else leaf.tensor(rank - 1) for leaf in leaves]
    finals = [leaf.tensor(rank - 1) for leaf in leaves]
    xs = [f"%x{i}" for i in range(n)]
    inits = [f"%i{i}" for i in range(n)] if init else []
    parameters = [f"{v}: {t}" for v, t in zip(xs + inits, tensors + collapsed)]
    block = [f"%{name}{i}: {leaf.argument()}" for name in "ab" for i, leaf in enumerate(leaves)]
    types = ", ".join(leaf.argument() for leaf in leaves)
    results = ", ".join(tensors + finals)
    names = ", ".join([f"%r{i}" for i in range(2 * n)])
    text = f"func.func @f({', '.join(parameters)}) -> ({results}) {{\n"
    text += f"  {names} = scan.associative ins({', '.join(xs)} : {', '.join(tensors)})"
    if init:
        text += f" init({', '.join(inits)} : {', '.join(collapsed)})"
    text += f" dim = {dim}{' reverse' if reverse else ''}{' exclusive' if exclusive else ''}"
    text += attributes(order, schedule)
    text += f" {{\n  ^bb0({', '.join(block)}):\n"
    text += "".join(f"    {line}\n" for line in region)
    text += f"    scan.yield {', '.join(f'%y{i}' for i in range(n))} : {types}\n"
    text += f"  }} -> {results}\n  return {names} : {results}\n}}\n"
    return text


def recurrence(t, rank, dim, reverse, init, order=None, schedule=None):
    """A function @f around one scan.linear_recurrence, with its final state."""
    leaf = Leaf(t, "unit")
    tensor, final = leaf.tensor(rank), leaf.tensor(rank - 1)
    state = t if rank == 1 else final
    text = f"func.func @f(%a: {tensor}, %b: {tensor}"
    text += f", %i: {state}" if init else ""
    text += f") -> ({tensor}, {final}) {{\n"
    text += f"  %h, %l = scan.linear_recurrence ins(%a, %b : {tensor}, {tensor})"
    text += f" init(%i : {state})" if init else ""
    text += f" dim = {dim}{' reverse' if reverse else ''}{attributes(order, schedule)}"
    text += f" -> {tensor}, {final}\n"
    text += f"  return %h, %l : {tensor}, {final}\n}}\n"
    return text


def shapes(rank, dim, few=False, longest=False):
    """Every extent of the scan dimension, with other extents that are odd, larger
    than a vector where there is room for it, one, and zero. With `few` the longest one
    only if asked for."""
    extents = EXTENTS[:-1] if few and not longest else EXTENTS
    if rank == 1:
        return [[extent] for extent in extents]
    result = []
    for extent in extents:
        if rank == 2:
            others = [5 if few else 37] if extent < 1000 else [5] if extent == 1000 else [2]
        elif few:
            others = [2, 3] if extent < 1000 else [1, 2]
        else:
            others = [3, 19] if extent < 1000 else [1, 3] if extent == 1000 else [2, 1]
        result.append(others[:dim] + [extent] + others[dim:])
    empty = [0] + [2] * (rank - 2)
    return result + [empty[:dim] + [3] + empty[dim:]]


def kept_order(t, schedule):
    """The order of scans by one thread, whose bits are to be those of the left fold: complex
    products are fused with sums where none is asked for."""
    return "sequential" if is_complex(t) and schedule and schedule.startswith("sequential") else None


def configurations(combiner, schedule=None):
    """Every configuration of a combiner."""
    for rank in (1, 2, 3):
        for dim, reverse in itertools.product(range(rank), (False, True)):
            base = {"dim": dim, "reverse": reverse, "shapes": shapes(rank, dim, few=schedule is not None)}
            where = f"rank {rank} dim {dim} {'reverse' if reverse else 'forward'}"
            if combiner == "recurrence":
                for t, init in itertools.product(INTEGERS[1:] + FLOATS + COMPLEX, (False, True)):
                    leaf = Leaf(t, numbers(t, "unit"))
                    given = with_items(schedule, [leaf.operand(False)], rank, dim)
                    if schedule and not given:
                        continue
                    if given != schedule:
                        base["shapes"] = shapes(rank, dim, few=True, longest=has_long_tiles(given))
                    module = recurrence(t, rank, dim, reverse, init, kept_order(t, given), given)
                    yield dict(
                        base, name=f"recurrence {t} {where}{' init' if init else ''}",
                        module=module, tested=module,
                        roundings=exact_if_integer(t, 1 + product_roundings(t)),
                        inputs=[leaf.operand(False)] * 2 + [leaf.operand(True)] * init,
                        outputs=[leaf.operand(False), leaf.operand(True)])
                continue
            make, dtypes = COMBINERS[combiner]
            # Inclusive with an init as well, for one type of each kind.
            kinds = [(False, False), (True, True), (False, True)]
            for t, (exclusive, init) in itertools.product(dtypes, kinds):
                if init and not exclusive and t not in ("i32", "bf16", "f32", "complex<f32>"):
                    continue
                leaves, region, roundings = make(t)
                given = with_items(schedule, [leaf.operand(False) for leaf in leaves], rank, dim)
                if schedule and not given:
                    continue
                if given != schedule:
                    base["shapes"] = shapes(rank, dim, few=True, longest=has_long_tiles(given))
                module = associative(leaves, region, rank, dim, reverse, exclusive, init,
                                     kept_order(t, given), given)
                kind = ("exclusive" if exclusive else "inclusive") + (" init" if init else "")
                yield dict(
                    base, name=f"{combiner} {t} {where} {kind}", module=module, tested=module,
                    roundings=roundings,
                    inputs=[leaf.operand(False) for leaf in leaves]
                    + [leaf.operand(True) for leaf in leaves] * init,
                    outputs=[leaf.operand(False) for leaf in leaves]
                    + [leaf.operand(True) for leaf in leaves])


def sequential():
    """`order = sequential`: bit for bit equal to the left fold."""
    for combiner, t, reverse in itertools.product(
            ("add", "mul", "linear", "matmul"), FLOATS + COMPLEX, (False, True)):
        leaves, region, _ = COMBINERS[combiner][0](t)
        module = associative(leaves, region, 2, 0, reverse, False, False, "sequential")
        yield {
            "name": f"sequential {combiner} {t} {'reverse' if reverse else 'forward'}",
            "module": module, "tested": module, "dim": 0, "reverse": reverse, "roundings": 0,
            "shapes": shapes(2, 0),
            "inputs": [leaf.operand(False) for leaf in leaves],
            "outputs": [leaf.operand(c) for c in (False, True) for leaf in leaves]}


def vector_rows():
    """Rows of all extents around one and two vectors, and long enough to begin where
    stores are aligned, in every order, with every kind of state."""
    extents = [*range(0, 36), 63, 64, 65, 70, 255, 256, 257, 300, 1023]
    cases = [("add", "f32"), ("add", "bf16"), ("add", "f64"), ("add", "i8"), ("linear", "f32"),
             ("linear", "i64"), ("segmented", "f32"), ("argmax", "i32"), ("max", "f16")]
    for (combiner, t), rank, reverse, order in itertools.product(
            cases, (1, 2), (False, True), (None, "deterministic", "sequential")):
        leaves, region, roundings = COMBINERS[combiner][0](t)
        for exclusive, init in ((False, False), (True, True)):
            module = associative(leaves, region, rank, rank - 1, reverse, exclusive, init, order)
            yield {
                "name": f"vectors {combiner} {t} rank {rank} "
                        f"{'reverse' if reverse else 'forward'} {order or 'any'} "
                        f"{'exclusive' if exclusive else 'inclusive'}",
                "module": module, "tested": module, "dim": rank - 1, "reverse": reverse,
                "roundings": 0 if order == "sequential" else roundings,
                "shapes": [[3] * (rank - 1) + [extent] for extent in extents],
                "inputs": [leaf.operand(False) for leaf in leaves]
                + [leaf.operand(True) for leaf in leaves] * init,
                "outputs": [leaf.operand(c) for c in (False, True) for leaf in leaves]}


def swap_operands(line):
    """%a (accumulated) and %b (new) exchanged."""
    return line.replace("%a", "%A").replace("%b", "%a").replace("%A", "%b")


# Mistakes that a lowering could make: what the tested module has instead.
MISTAKES = {
    # Operands swapped: visible where the operator is not commutative.
    "swapped": ("linear", "f32", {}, lambda region: [
        swap_operands(line) for line in region]),
    "direction": ("add", "f32", {"reverse": True}, None),
    "inclusive": ("add", "i32", {"exclusive": False}, None),
    # Products without their last bit of an addend: just above the rounding.
    "imprecise": ("add", "f32", {}, lambda region: [
        "%c = arith.constant 1.00001 : f32", "%d = arith.mulf %b0, %c : f32",
        "%y0 = arith.addf %a0, %d : f32"]),
    "off_by_one_ulp": ("max", "f32", {}, lambda region: [
        "%m = arith.maximumf %a0, %b0 : f32", "%j = arith.bitcast %m : f32 to i32",
        "%o = arith.constant 1 : i32", "%k = arith.xori %j, %o : i32",
        "%y0 = arith.bitcast %k : i32 to f32"]),
    "last_of_ties": ("argmax", "i32", {}, lambda region: [
        line.replace("sgt", "sge") for line in region]),
}


def wrong(mistake):
    """Configurations whose tested module has the mistake."""
    combiner, t, changes, edit = MISTAKES[mistake]
    leaves, region, roundings = COMBINERS[combiner][0](t)
    for dim in (0, 1):
        arguments = {"rank": 2, "dim": dim, "reverse": False, "exclusive": True, "init": True}
        module = associative(leaves, region, **arguments)
        tested = associative(leaves, edit(region) if edit else region, **{**arguments, **changes})
        yield {
            "name": f"{mistake} dim {dim}", "module": module, "tested": tested, "dim": dim,
            "reverse": False, "roundings": roundings,
            "shapes": [[33, 37], [1000, 5][::1 if dim == 0 else -1]],
            "inputs": [leaf.operand(c) for c in (False, True) for leaf in leaves],
            "outputs": [leaf.operand(c) for c in (False, True) for leaf in leaves]}


def add_sample_options(parser):
    parser.add_argument("--part", type=int, default=1, help="one configuration of so many")
    parser.add_argument("--seed", type=int, default=0, help="which ones")


def draw_sample(plan, arguments):
    # Names have one word for each value of a factor, at the same place.
    return sampling.sample(plan, arguments.part, arguments.seed,
                           lambda configuration: configuration["name"].split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("combiner", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--schedule")
    parser.add_argument("--wrong", choices=MISTAKES)
    add_sample_options(parser)
    arguments = parser.parse_args()
    if arguments.list:
        print(*COMBINERS, "recurrence", "sequential", "vectors")
        return
    if arguments.wrong:
        plan = list(wrong(arguments.wrong))
    else:
        plan = []
        for combiner in arguments.combiner:
            plan += (sequential() if combiner == "sequential"
                     else vector_rows() if combiner == "vectors"
                     else configurations(combiner, arguments.schedule))
    json.dump(draw_sample(plan, arguments), sys.stdout)


if __name__ == "__main__":
    main()
