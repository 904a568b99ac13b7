"""The table of mutants: correct kernels, and faults to inject into them.

BASES are the correct kernels: those that the compiler makes of a program, and
grid scans written by hand. MUTANTS each inject one fault into one of them, and name
the tool that has to find it:

    race           two accesses that nothing orders
    bounds         an access out of bounds
    uninitialised  a read of what nobody has written
    unwritten      an element of a result that nobody has written
    divergence     a barrier or shuffle that not all threads execute
    livelock       a launch that never ends
    deadlock       a wait for an mbarrier that nobody will complete
    proxy          a bulk copy that no fence orders behind what threads have written
    shuffle        a shuffle whose operands hardware takes for something else
    numbers        the comparison with the reference interpreter; nothing else
                   in the emulator finds an error then

run_mutants.py runs the table.
"""

import dataclasses
import typing

import numpy

# ---- Inputs -----------------------------------------------------------------


def bits(dtype):
    """Any bits."""
    def make(random, shape):
        size = numpy.dtype(dtype).itemsize
        return numpy.frombuffer(random.bytes(size * int(numpy.prod(shape))), dtype).reshape(shape)
    return make


def odd(dtype):
    """Odd numbers: a product of these never forgets what came before."""
    return lambda random, shape: bits(dtype)(random, shape) | 1


def sparse(random, shape):
    """Mostly zeros, but for every third element or so."""
    return numpy.where(random.random(shape) < 0.3, bits("i4")(random, shape), 0).astype("i4")


def flags(random, shape):
    return random.random(shape) < 0.02


def whole_bf16(random, shape):
    """Whole numbers that bf16 has: their sums are exact in f32, not in bf16."""
    values = random.integers(0, 256, shape).astype("f4")
    return (values.view("u4") >> 16).astype("u2")


def per_row(make):
    return lambda random, shape: make(random, shape[:1])


# ---- Correct kernels --------------------------------------------------------


@dataclasses.dataclass
class Base:
    name: str
    program: str  # On tensors, what the reference interpreter runs: @f.
    inputs: list
    shapes: list  # Of the first input; the first one is that of the mutants.
    results: int = 1
    source: str = None  # The kernel, where it is not what becomes of `program`.
    resident: tuple = (4, 1, 16)  # Blocks side by side, from seed to seed.
    budget: int = 1000000


def affine(strategy=None, dtype="i32", threads=64, items=2, init=False, attributes="", scope="block", lanes=None,
           blocks=None, stages=None):
    scope = (f", lanes = {lanes}" if lanes else "") + (", scope = grid" if scope == "grid" else "")
    scope += f", blocks = {blocks}" if blocks else ""
    scope += f", stages = {stages}" if stages else ""
    schedule = f"attributes {{schedule = #scan.schedule<strategy = {strategy}, threads = {threads}, items = {items}{scope}>}}"
    t = f"tensor<?x?x{dtype}>"
    r = f"tensor<?x{dtype}>"
    return f"""
func.func @f(%a: {t}, %b: {t}{f", %i: {r}, %j: {r}" if init else ""}) -> ({t}, {t}) {{
  %p, %h = scan.associative ins(%a, %b : {t}, {t}) {f"init(%i, %j : {r}, {r})" if init else ""} dim = 1 {attributes}
      {schedule if strategy else ""} {{
  ^bb0(%a0: {dtype}, %b0: {dtype}, %a1: {dtype}, %b1: {dtype}):
    %q = arith.muli %a0, %a1 : {dtype}
    %m = arith.muli %b0, %a1 : {dtype}
    %s = arith.addi %m, %b1 : {dtype}
    scan.yield %q, %s : {dtype}, {dtype}
  }} -> {t}, {t}
  return %p, %h : {t}, {t}
}}
"""


LAST = """
func.func @f(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64>} {
  ^bb0(%acc: i32, %new: i32):
    %zero = arith.constant 0 : i32
    %is = arith.cmpi ne, %new, %zero : i32
    %last = arith.select %is, %new, %acc : i32
    scan.yield %last : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
"""

SEGMENTED = """
func.func @f(%starts: tensor<?x?xi1>, %x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %f, %y = scan.associative ins(%starts, %x : tensor<?x?xi1>, tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 96, items = 3>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %any = arith.ori %f0, %f1 : i1
    %sum = arith.addi %x0, %x1 : i32
    %value = arith.select %f1, %x1, %sum : i32
    scan.yield %any, %value : i1, i32
  } -> tensor<?x?xi1>, tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
"""

MATRIX = """
func.func @f(%x: tensor<?x?x2x2xi64>) -> tensor<?x?x2x2xi64> {
  %y = scan.associative ins(%x : tensor<?x?x2x2xi64>) dim = 1
      attributes {schedule = #scan.schedule<strategy = STRATEGY, threads = 64, items = 2>} {
  ^bb0(%acc: tensor<2x2xi64>, %new: tensor<2x2xi64>):
    %zero = arith.constant dense<0> : tensor<2x2xi64>
    %product = linalg.matmul ins(%acc, %new : tensor<2x2xi64>, tensor<2x2xi64>)
        outs(%zero : tensor<2x2xi64>) -> tensor<2x2xi64>
    scan.yield %product : tensor<2x2xi64>
  } -> tensor<?x?x2x2xi64>
  return %y : tensor<?x?x2x2xi64>
}
"""

# As many leaves as do not fit into the words of a descriptor.
NINE = range(9)


def sums(strategy, lanes=None):
    schedule = f"strategy = {strategy}, threads = 64, items = 2{f', lanes = {lanes}' if lanes else ''}, scope = grid"

    def each(text, separator=", "):
        return separator.join(text.replace("#", str(k)) for k in NINE)

    return f"""
func.func @f({each('%x#: tensor<?x?xi64>')}) -> ({each('tensor<?x?xi64>')}) {{
  {each('%y#')} = scan.associative ins({each('%x#')} : {each('tensor<?x?xi64>')}) dim = 1
      attributes {{schedule = #scan.schedule<{schedule}>}} {{
  ^bb0({each('%a#: i64')}, {each('%b#: i64')}):
    {each('%s# = arith.addi %a#, %b# : i64', chr(10) + '    ')}
    scan.yield {each('%s#')} : {each('i64')}
  }} -> {each('tensor<?x?xi64>')}
  return {each('%y#')} : {each('tensor<?x?xi64>')}
}}
"""


SUM_BF16 = """
func.func @f(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>} {
  ^bb0(%acc: bf16, %new: bf16):
    %sum = arith.addf %acc, %new : bf16
    scan.yield %sum : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
"""

# Two products of matrices in a step: h W is in another order than W.
RECURRENCE = """
func.func @f(%x: tensor<?x?x40xi32>, %h0: tensor<?x1x40xi32>, %w: tensor<40x40xi32>) -> (tensor<?x?x40xi32>, tensor<?x1x40xi32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x40xi32>) init(%h0 : tensor<?x1x40xi32>)
      captures(%w : tensor<40x40xi32>) dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<?x40xi32>, %row: tensor<?x40xi32>, %m: tensor<40x40xi32>):
    %z = linalg.matmul ins(%h1, %m : tensor<?x40xi32>, tensor<40x40xi32>) outs(%row : tensor<?x40xi32>) -> tensor<?x40xi32>
    %next = linalg.matmul ins(%z, %m : tensor<?x40xi32>, tensor<40x40xi32>) outs(%row : tensor<?x40xi32>) -> tensor<?x40xi32>
    scan.yield %next : tensor<?x40xi32>
  } -> tensor<?x?x40xi32>, tensor<?x1x40xi32>
  return %h, %last : tensor<?x?x40xi32>, tensor<?x1x40xi32>
}
"""
# Columns, with one init for each of three segments, of which the first has no step.
INITS = """
func.func @f(%x: tensor<?x?xi32>, %s: tensor<4xi32>, %i: tensor<3x?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) init(%i : tensor<3x?xi32>) segments(%s : tensor<4xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 1, lanes = 8>} {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
"""


# Two states of each channel in parts that lanes have, whose steps five blocks share.
PARTS = """
func.func @f(%a: tensor<?x?xi32>, %b: tensor<?x2xi32>, %i: tensor<?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %a, %c0 : tensor<?x?xi32>
  %c = tensor.dim %a, %c1 : tensor<?x?xi32>
  %out = tensor.empty(%t, %c) : tensor<?x?xi32>
  %y = scan.kernel dim = 0 ins(%a, %b : tensor<?x?xi32>, tensor<?x2xi32>) init(%i : tensor<?xi32>)
      outs(%out : tensor<?x?xi32>)
      maps [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t)>, affine_map<(t, c) -> (c)>, affine_map<(t, c) -> (t, c)>]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4, lanes = 16, scope = grid, blocks = 5>}
      load {
      ^bb0(%at: i32, %b0: i32, %b1: i32):
        scan.yield %at, %b0, %at, %b1 : i32, i32, i32, i32
      } initialize {
      ^bb0(%h: i32):
        %one = arith.constant 1 : i32
        scan.yield %one, %h, %one, %h : i32, i32, i32, i32
      } combine {
      ^bb0(%p0: i32, %h0: i32, %p1: i32, %h1: i32, %a0: i32, %x0: i32, %a1: i32, %x1: i32):
        %q0 = arith.muli %a0, %p0 : i32
        %m0 = arith.muli %a0, %h0 : i32
        %s0 = arith.addi %m0, %x0 : i32
        %q1 = arith.muli %a1, %p1 : i32
        %m1 = arith.muli %a1, %h1 : i32
        %s1 = arith.addi %m1, %x1 : i32
        scan.yield %q0, %s0, %q1, %s1 : i32, i32, i32, i32
      } store {
      ^bb0(%q0: i32, %s0: i32, %q1: i32, %s1: i32, %e0: i32, %f0: i32, %e1: i32, %f1: i32, %at: i32, %b0: i32, %b1: i32):
        %sum = arith.addi %s0, %s1 : i32
        scan.yield %sum : i32
      } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
"""


def two_segments(random, shape):
    return numpy.array([0, 0, random.integers(1, shape[0]), shape[0]], "i4")


def per_segment(make):
    return lambda random, shape: make(random, (3, *shape[1:]))


PAIR = [odd("i4"), bits("i4")]
WITH_INIT = PAIR + [per_row(odd("i4")), per_row(bits("i4"))]

BASES = [
    # Two full tiles of 128 elements, and a part of a third one.
    Base("row", affine("row"), PAIR, [(3, 300), (1, 128), (2, 513)], results=2,
         source="row.mlir"),
    Base("row-reverse", affine("row", init=True, attributes="reverse exclusive"), WITH_INIT, [(3, 300)], results=2,
         source="row-reverse.mlir"),
    # An item a thread: no transposition, and so one barrier a tile.
    Base("row-last", LAST, [sparse], [(3, 200)]),
    Base("row-segmented", SEGMENTED, [flags, bits("i4")], [(2, 700)]),
    Base("row-matrix", MATRIX.replace("STRATEGY", "row"), [bits("i8")], [(2, 150, 2, 2)]),
    Base("row-bf16", SUM_BF16, [whole_bf16], [(2, 500)], source="row-bf16.mlir"),
    # Two blocks of 64 rows, the second one in part; pairs of steps and a rest.
    Base("sequential", affine("sequential"), PAIR, [(70, 12), (70, 13)], results=2),
    Base("sequential-reverse", affine("sequential", init=True, attributes="reverse exclusive"), WITH_INIT,
         [(70, 13)], results=2),
    Base("sequential-matrix", MATRIX.replace("STRATEGY", "sequential"), [bits("i8")], [(70, 5, 2, 2)]),
    # Five tiles a row, the last one in part; the state is in two words, each with the flag.
    Base("grid-row", affine("row", dtype="i64", scope="grid"), [odd("i8"), bits("i8")], [(3, 600), (2, 64)], results=2),
    # The same with states that lie beside the flag.
    Base("grid-row-apart", sums("row"), [bits("i8")] * 9, [(3, 600), (2, 64)], results=9),
    # Flag and state in 16 bytes; more tiles than one look-back window has.
    Base("grid-row-wide", affine("row", threads=32, items=1, scope="grid"), PAIR, [(1, 1290)], results=2,
         resident=(40,), budget=50000000),
    # Three tiles are looked at first, then a warp's; nine tiles.
    Base("grid-row-narrow", affine("row", items=5, scope="grid"), PAIR, [(1, 2800)], results=2, resident=(9, 4)),
    Base("grid-row-folds", affine("row", items=8, scope="grid").replace("{schedule", "{order = #scan.order<deterministic>, schedule"),
         PAIR, [(1, 4480)], results=2, resident=(9, 4)),
    # Fifteen tiles of persistent blocks.
    Base("persistent-row", affine("row", scope="grid", blocks=3), PAIR, [(3, 600), (2, 64)], results=2, resident=(3, 1, 2)),
    # Ten tiles of two blocks, which have three at a time, and of which three warps scan.
    Base("specialized-row", affine("row", threads=192, items=4, scope="grid", blocks=2, stages=3), PAIR,
         [(2, 1900), (1, 64)], results=2, resident=(2, 1)),
    # Two blocks of columns, the second one in part, with ten tiles each.
    Base("grid-column", affine("column", dtype="i64", lanes=8, scope="grid"), [odd("i8"), bits("i8")],
         [(12, 150), (2, 16)], results=2),
    Base("grid-column-apart", sums("column", lanes=8), [bits("i8")] * 9, [(12, 150), (2, 16)], results=9),
    # Flag and state in 16 bytes; more tiles than the warp looks at together.
    Base("grid-column-wide", affine("column", threads=32, items=1, lanes=16, scope="grid"), PAIR, [(1, 60)], results=2,
         resident=(30,), budget=50000000),
    # Two blocks of 16 channels, the second one in part, with five tiles of 16 steps each, the last one in part.
    Base("split-tiles", PARTS, [odd("i4"), lambda random, shape: bits("i4")(random, (shape[0], 2)),
                                lambda random, shape: bits("i4")(random, (shape[1],))], [(75, 24), (9, 16)],
         budget=50000000),
    # Two blocks of columns, the second one in part, with five tiles each.
    Base("column-inits", INITS, [bits("i4"), two_segments, per_segment(bits("i4"))], [(37, 12), (8, 3)]),
    # One block of columns whose totals one warp walks for all; three tiles of 16 steps, the last one in part.
    Base("column-walked", affine("column", threads=512, items=1, lanes=32), PAIR, [(20, 37), (3, 16)], results=2),
    # Three launches of ten tiles, the last one in part.
    Base("grid-split", affine(dtype="i64"), [odd("i8"), bits("i8")], [(3, 600), (2, 64)], results=2,
         source="grid-split.mlir"),
    Base("grid-packed", affine(), PAIR, [(3, 600), (2, 1)], results=2, source="grid-packed.mlir"),
    # More tiles side by side than one look-back window has.
    Base("grid-packed-wide", affine(), PAIR, [(1, 2700)], results=2, source="grid-packed.mlir", resident=(43,), budget=50000000),
    # Two blocks of rows, the second one in part; the last chunk, too.
    Base("private", affine(), PAIR, [(40, 14), (3, 8)], results=2, source="private-chunks.mlir"),
    # A block for each of the first dimension; of its 64 threads 40 have an element.
    Base("recurrence", RECURRENCE,
         [bits("i4"), lambda random, shape: bits("i4")(random, (shape[0], 1, 40)),
          lambda random, shape: bits("i4")(random, (40, 40))], [(3, 5, 40), (1, 1, 40), (2, 0, 40)], results=2),
]

# ---- Mutants ----------------------------------------------------------------


@dataclasses.dataclass
class Edit:
    """Replaces the match number `nth`, from 0, of a regular expression that
    matches in `of` places; all of them if `nth` is None. `moves` is how many
    regions more than one the change may be seen as: 1 for lines that move."""
    pattern: str
    replacement: typing.Union[str, typing.Callable]
    nth: typing.Optional[int] = 0
    of: int = 1
    moves: int = 0


@dataclasses.dataclass
class Mutant:
    name: str
    base: str
    edits: typing.Union[Edit, list]
    caught_by: str
    at: tuple = ()  # Each has to match a source line that the message names.
    also: tuple = ()  # Tools that may find it first, with other seeds.
    # Whether only some orders bring the fault out, or to this tool: more seeds
    # are tried then until one does.
    sometimes: bool = False
    shape: tuple = None
    resident: tuple = None

    def __post_init__(self):
        if isinstance(self.edits, Edit):
            self.edits = [self.edits]
        if isinstance(self.at, str):
            self.at = (self.at,)


def barrier_removed(nth, of):
    return Edit(r"^ *gpu\.barrier\n", "", nth, of)


def sync_removed(nth, of):
    return Edit(r"^ *nvvm\.bar\.warp\.sync .*\n", "", nth, of)


def barrier_in_branch(nth, of):
    """Moves a barrier into the scf.if before it: who does not take the branch
    does not wait."""
    return Edit(r"^( *)\}\n *gpu\.barrier\n", r"\1  gpu.barrier\n\1}\n", nth, of, moves=1)


def barrier_added_in_branch(nth, of):
    """Adds a barrier to the scf.if before one: all wait, but not at the same."""
    return Edit(r"^( *)(\}\n *gpu\.barrier\n)", r"\1  gpu.barrier\n\1\2", nth, of)


# What a combine of the affine pair looks like after the two shuffles of a step.
STEP = (r"(?P<s0>%shuffleResult\w*), %\w+ = gpu\.shuffle +up (?P<v0>%\w+), .*\n"
        r" *(?P<s1>%shuffleResult\w*), %\w+ = gpu\.shuffle +up (?P<v1>%\w+), .*\n"
        r"(?P<compare> *%\w+ = arith\.cmpi uge, .*\n)"
        r"(?P<combine>( *%\w+ = arith\.(muli|addi) .*\n)+)")


def swap_combine(match):
    """Exchanges the accumulated and the new operands of the combine."""
    import re
    names = {match["s0"]: match["v0"], match["v0"]: match["s0"],
             match["s1"]: match["v1"], match["v1"]: match["s1"]}
    # The first product is of both in either order.
    lines = match["combine"].split("\n")
    new = [lines[0]] + [re.sub(r"%\w+", lambda m: names.get(m[0], m[0]), line) for line in lines[1:]]
    return match[0].replace(match["combine"], "\n".join(new))


def diverging_shuffle(match):
    """Executes a shuffle in the lanes that use its result only."""
    indent, result, valid, shuffle, value, distance = match.groups()
    return (f"{indent}%below = arith.cmpi uge, %0, %c{distance} : index\n"
            f"{indent}{result}, {valid} = scf.if %below -> (i32, i1) {{\n"
            f"{indent}  %r, %v = {shuffle}\n"
            f"{indent}  scf.yield %r, %v : i32, i1\n"
            f"{indent}}} else {{\n"
            f"{indent}  scf.yield {value}, %below : i32, i1\n"
            f"{indent}}}")


def merge_buffers(name, into, size, into_size, of):
    """Uses one workgroup buffer for two purposes."""
    return Edit(rf"{name}(\[.*memref<){size}x", rf"{into}\g<1>{into_size}x", None, of)


IN_SHARED = r"memref\.(load|store) .*#gpu.address_space<workgroup>"
STORES_SHARED = r"memref\.store .*#gpu.address_space<workgroup>"
LOADS_SHARED = r"memref\.load .*#gpu.address_space<workgroup>"
LOADS_GLOBAL = r"memref\.load %reinterpret_cast"
TRANSPOSES_IN = r"vector\.store .*#gpu.address_space<workgroup>"
TRANSPOSES_OUT = r"vector\.load .*#gpu.address_space<workgroup>"
STORES_GLOBAL = r"memref\.store .*, %reinterpret_cast"
# Where each operand is walked with a pointer.
LOADS_POINTER = r"llvm\.load .*!llvm\.ptr<1> "
STORES_POINTER = r"llvm\.store .*!llvm\.ptr<1>$"

# Kernels of rows: first the loop over full tiles, then the partial tile; in both
# three barriers: after the transposition of what was loaded, after the totals of
# the warps, and after the transposition of what is stored.
ROW = [
    *(Mutant(f"row-{tile}-barrier-{what}-removed", "row", barrier_removed(3 * i + k, 6), "race",
             (STORES_SHARED, LOADS_SHARED))
      for i, tile in enumerate(("full", "partial")) for k, what in enumerate(("load", "totals", "store"))),
    *(Mutant(f"row-reverse-{tile}-barrier-{what}-removed", "row-reverse", barrier_removed(3 * i + k, 6), "race",
             (STORES_SHARED, LOADS_SHARED))
      for i, tile in enumerate(("full", "partial")) for k, what in enumerate(("load", "totals", "store"))),
    *(Mutant(f"row-{tile}-swapped-at-distance-{1 << k}", "row", Edit(STEP, swap_combine, 5 * i + k, 10), "numbers")
      for i, tile in enumerate(("full", "partial")) for k in range(5)),
    *(Mutant(f"row-reverse-{tile}-swapped", "row-reverse", Edit(STEP, swap_combine, 5 * i + 2, 10), "numbers")
      for i, tile in enumerate(("full", "partial"))),
    Mutant("row-swapped-with-carry", "row",
           Edit(r"arith\.muli %arg18, (%\w+) : i32\n( *%\w+ = arith\.addi %\w+,) (%\w+)",
                r"arith.muli \3, %arg17 : i32\n\2 %arg18"), "numbers"),
    Mutant("row-last-swapped", "row-last",
           Edit(r"arith\.cmpi ne, (%\w+), %c0_i32 : i32\n( *%\w+ = arith\.select %\w+,) \1, (%shuffleResult_8) ",
                r"arith.cmpi ne, \3, %c0_i32 : i32\n\2 \3, \1 ", 0, 2), "numbers"),
    Mutant("row-shuffle-distance-of-one-leaf", "row",
           Edit(r"(gpu\.shuffle +up %\w+), %c2_i32", r"\1, %c1_i32", 0, 4), "numbers"),
    Mutant("row-shuffle-down", "row", Edit(r"gpu\.shuffle +up (%\w+), %c8_i32", r"gpu.shuffle  down \1, %c8_i32", 1, 4),
           "numbers"),
    Mutant("row-shuffle-xor", "row", Edit(r"gpu\.shuffle +up (%\w+), %c4_i32", r"gpu.shuffle  xor \1, %c4_i32", 0, 4),
           "numbers"),
    Mutant("row-lane-out-of-range-used", "row", Edit(r"arith\.cmpi uge, %0, %c1 ", "arith.cmpi uge, %0, %c0 ", 0, 2),
           "numbers"),
    Mutant("row-lane-in-range-not-used", "row", Edit(r"arith\.cmpi uge, %0, %c4 ", "arith.cmpi ugt, %0, %c4 ", 1, 2),
           "numbers"),
    Mutant("row-total-of-wrong-lane", "row", Edit(r"arith\.cmpi eq, %0, %c31 ", "arith.cmpi eq, %0, %c16 ", 0, 2),
           "numbers"),
    Mutant("row-totals-of-all-lanes", "row", Edit(r"arith\.cmpi eq, %0, %c31 ", "arith.cmpi ule, %0, %c31 ", 0, 2),
           "race", STORES_SHARED),
    Mutant("row-total-of-first-warp-only", "row",
           Edit(r"arith\.cmpi eq, %0, %c31 ", "arith.cmpi eq, %thread_id_x, %c31 ", 0, 2),
           "uninitialised", LOADS_SHARED),
    Mutant("row-total-of-warp-twice", "row",
           Edit(r"(memref\.load %arg10)\[%73\]", r"\1[%61]"), "numbers"),
    Mutant("row-no-carry-in-full-tile", "row",
           Edit(r"arith\.cmpi ne, %arg16, %c0 ", "arith.cmpi ult, %arg16, %c0 "), "numbers"),
    Mutant("row-no-carry-in-partial-tile", "row", Edit(r"arith\.cmpi ne, %5, %c0 ", "arith.cmpi ult, %5, %c0 "),
           "numbers"),
    Mutant("row-carry-before-first-tile", "row",
           Edit(r"arith\.cmpi ne, %arg16, %c0 ", "arith.cmpi uge, %arg16, %c0 "), "numbers"),
    Mutant("row-carry-of-one-leaf-lost", "row",
           Edit(r"scf\.yield (%\w+), (%\w+) : i32, i32\n", r"scf.yield \1, %c0_i32 : i32, i32\n"), "numbers"),
    Mutant("row-carry-not-advanced", "row",
           Edit(r"scf\.yield (%\w+), (%\w+) : i32, i32\n", r"scf.yield %arg17, %arg18 : i32, i32\n"), "numbers"),
    Mutant("row-carry-counted-twice", "row",
           Edit(r"^( *)scf\.yield (%\w+), (%\w+) : i32, i32\n",
                r"\1%m0 = arith.muli %arg17, \2 : i32\n\1%m1 = arith.muli %arg18, \2 : i32\n"
                r"\1%m2 = arith.addi %m1, \3 : i32\n\1scf.yield %m0, %m2 : i32, i32\n"), "numbers"),
    Mutant("row-totals-in-buffer-of-load", "row", merge_buffers("%arg10", "%arg12", 4, 131, 5), "race",
           (STORES_SHARED, LOADS_SHARED)),
    Mutant("row-totals-in-buffer-of-store", "row", merge_buffers("%arg11", "%arg14", 4, 131, 5), "race",
           (STORES_SHARED, IN_SHARED)),
    Mutant("row-leaves-in-one-buffer", "row", merge_buffers("%arg13", "%arg12", 131, 131, 8), "numbers"),
    Mutant("row-padding-forgotten", "row", Edit(r"arith\.addi (%\w+), %c66 ", r"arith.addi \1, %c64 ", 0, 2), "race",
           STORES_SHARED),
    Mutant("row-items-of-neighbour", "row", Edit(r"arith\.addi %20, %c1 : index", "arith.addi %20, %c2 : index"),
           "uninitialised", LOADS_SHARED, also=("bounds",), sometimes=True),
    Mutant("row-totals-not-alternating", "row-last", Edit(r"arith\.andi %arg7, %c1 ", "arith.andi %arg7, %c0 "), "race",
           (STORES_SHARED, LOADS_SHARED)),
    Mutant("row-last-full-barrier-removed", "row-last", barrier_removed(0, 2), "race", (STORES_SHARED, LOADS_SHARED)),
    Mutant("row-last-partial-barrier-removed", "row-last", barrier_removed(1, 2), "race",
           (STORES_SHARED, LOADS_SHARED)),
    Mutant("row-tail-read-past-the-end", "row",
           Edit(r"arith\.minui (%\w+), %\w+ :", r"arith.minui \1, \1 :", 1, 2), "bounds", LOADS_GLOBAL),
    Mutant("row-tail-read-by-one", "row", Edit(r"(%11 = arith\.subi %arg9), %c1 ", r"\1, %c0 "), "bounds",
           LOADS_GLOBAL),
    Mutant("row-tail-written-by-one-too-many", "row",
           Edit(r"arith\.cmpi ult, (%\w+), %arg9 ", r"arith.cmpi ule, \1, %arg9 ", 0, 2), "bounds", STORES_GLOBAL,
           shape=(1, 300)),
    Mutant("row-tail-written-into-next-row", "row",
           Edit(r"arith\.cmpi ult, (%\w+), %arg9 ", r"arith.cmpi ule, \1, %arg9 ", 0, 2), "race", STORES_GLOBAL,
           also=("bounds",), sometimes=True),
    Mutant("row-tail-written-by-one-too-few", "row",
           Edit(r"arith\.cmpi ult, (%\w+), %arg9 ", r"arith.cmpi ult, \1, %11 ", 0, 2), "unwritten"),
    Mutant("row-partial-tile-skipped", "row", Edit(r"arith\.cmpi ne, %7, %c0 ", "arith.cmpi ult, %7, %c0 "),
           "unwritten"),
    Mutant("row-tiles-overlap", "row", Edit(r"arith\.muli %arg16, %c128 ", "arith.muli %arg16, %c64 "), "unwritten"),
    *(Mutant(f"row-{tile}-barrier-added-in-branch", "row", barrier_added_in_branch(i, 2), "divergence",
             r"gpu\.barrier") for i, tile in enumerate(("full", "partial"))),
    *(Mutant(f"row-{tile}-barrier-in-branch", "row", barrier_in_branch(i, 2), "race", (STORES_SHARED, LOADS_SHARED),
             also=("divergence",)) for i, tile in enumerate(("full", "partial"))),
    Mutant("row-divergent-shuffle", "row",
           Edit(r"^( *)(%\w+), (%\w+) = (gpu\.shuffle +up (%\w+), %c(4)_i32, %c32_i32 : i32)$", diverging_shuffle, 0, 4),
           "divergence", r"gpu\.shuffle"),
    Mutant("row-divergent-shuffle-of-second-leaf", "row",
           Edit(r"^( *)(%\w+), (%\w+) = (gpu\.shuffle +up (%\w+), %c(16)_i32, %c32_i32 : i32)$", diverging_shuffle, 3,
                4), "divergence", r"gpu\.shuffle"),
    Mutant("row-narrow-shuffle", "row",
           Edit(r"(gpu\.shuffle +up %\w+, %c16_i32), %c32_i32", r"\1, %c16_i32", 0, 4), "shuffle", r"gpu\.shuffle"),
]

REVERSE = [
    Mutant("row-reverse-load-not-reversed", "row-reverse",
           Edit(r"arith\.subi %13, %14 ", "arith.minui %14, %13 "), "numbers"),
    Mutant("row-reverse-store-not-reversed", "row-reverse",
           Edit(r"arith\.subi %13, %12 : index\n( *)memref\.store %86", r"arith.minui %12, %13 : index\n\1memref.store %86"),
           "unwritten"),
    Mutant("row-reverse-one-leaf-not-reversed", "row-reverse",
           Edit(r"(memref\.load %reinterpret_cast_0\[%3,) %15\]", r"\1 %14]"), "numbers"),
    Mutant("row-reverse-starts-one-off", "row-reverse",
           # One row's results go where the next row's begin, too.
           Edit(r"(%13 = arith\.subi %arg11), %c1 ", r"\1, %c0 ", 0, 2), "bounds", LOADS_GLOBAL,
           also=("race",), sometimes=True),
    Mutant("row-exclusive-shifted-by-two", "row-reverse",
           Edit(r"(%shuffleResult_23, .* = gpu\.shuffle +up %\w+), %c1_i32", r"\1, %c2_i32", 0, 2), "numbers"),
    Mutant("row-exclusive-shifted-by-two-on-partial-tile", "row-reverse",
           Edit(r"(%shuffleResult_25, .* = gpu\.shuffle +up %\w+), %c1_i32", r"\1, %c2_i32", 1, 2), "numbers"),
    Mutant("row-exclusive-shifted-the-wrong-way", "row-reverse",
           Edit(r"(%shuffleResult_23, .* = gpu\.shuffle +)up ", r"\1down ", 0, 2), "numbers"),
    Mutant("row-exclusive-first-lane-not-shifted", "row-reverse",
           Edit(r"arith\.cmpi eq, %0, %c0 ", "arith.cmpi ult, %0, %c0 ", 0, 2), "numbers"),
    Mutant("row-exclusive-items-exchanged", "row-reverse",
           Edit(r"memref\.store (%\w+), (%arg17\[.*)\n( *)memref\.store (%\w+), (%arg17\[.*)",
                r"memref.store \4, \2\n\3memref.store \1, \5", 0, 2), "numbers"),
    Mutant("row-init-of-other-row", "row-reverse",
           Edit(r"(memref\.load %reinterpret_cast_1)\[%3\]", r"\1[%c0]"), "numbers"),
    Mutant("row-inits-exchanged", "row-reverse",
           Edit(r"iter_args\((%arg19) = (%6), (%arg20) = (%7)\)", r"iter_args(\1 = \4, \3 = \2)"), "numbers"),
    Mutant("row-bf16-accumulated-in-bf16", "row-bf16",
           Edit(r"^( *)(%\w+) = arith\.addf (%shuffleResult_7), (%\w+) : f32\n",
                r"\1%wide = arith.addf \3, \4 : f32\n\1%narrow = arith.truncf %wide : f32 to bf16\n"
                r"\1\2 = arith.extf %narrow : bf16 to f32\n", 0, 2), "numbers"),
]

SEQUENTIAL = [
    Mutant("sequential-rows-one-too-many", "sequential",
           Edit(r"arith\.cmpi ult, %3, %arg8 ", "arith.cmpi ule, %3, %arg8 "), "bounds", LOADS_POINTER),
    Mutant("sequential-rows-one-too-few", "sequential",
           Edit(r"^( *)(%\w+) = arith\.cmpi ult, %3, %arg8 ",
                r"\1%less = arith.subi %arg8, %c1 : index\n\1\2 = arith.cmpi ult, %3, %less "), "unwritten"),
    Mutant("sequential-blocks-overlap", "sequential", Edit(r"arith\.muli %1, %c64 ", "arith.muli %1, %c4 "), "race",
           STORES_POINTER),
    Mutant("sequential-prefetches-too-far", "sequential",
           Edit(r"arith\.cmpi uge, %43, %38 ", "arith.cmpi ugt, %43, %38 "), "bounds", LOADS_POINTER, shape=(70, 13)),
    Mutant("sequential-step-skipped", "sequential",
           Edit(r"^( *)(%41:6 = scf\.for %\w+ =) %c1 to %38 step %c2 ",
                r"\1%later = arith.addi %c1, %c2 : index\n\1\2 %later to %38 step %c2 "), "unwritten"),
    Mutant("sequential-rest-skipped", "sequential",
           Edit(r"scf\.for (%\w+) = %38 to %arg9 ", r"scf.for \1 = %arg9 to %arg9 "), "unwritten"),
    Mutant("sequential-rest-one-too-many", "sequential",
           Edit(r"^( *)(%42:2 = scf\.for %\w+ = %38 to) %arg9 ",
                r"\1%more = arith.addi %arg9, %c1 : index\n\1\2 %more "), "race", STORES_POINTER,
           also=("bounds",), sometimes=True),
    Mutant("sequential-rest-past-the-end", "sequential",
           Edit(r"^( *)(%42:2 = scf\.for %\w+ = %38 to) %arg9 ",
                r"\1%more = arith.addi %arg9, %c1 : index\n\1\2 %more "), "bounds", LOADS_POINTER, shape=(1, 12)),
    Mutant("sequential-carry-of-rest-lost", "sequential",
           Edit(r"= %41#0, (%\w+) = %41#1\)", r"= %34#0, \1 = %34#1)"), "numbers"),
    Mutant("sequential-buffers-exchanged", "sequential",
           Edit(r"%50, %51, %54, %55 ", "%54, %51, %50, %55 "), "numbers"),
    Mutant("sequential-prefetch-stale", "sequential",
           Edit(r"%50, %51, %54, %55 ", "%arg13, %51, %54, %55 "), "numbers"),
    Mutant("sequential-swapped", "sequential",
           Edit(r"arith\.muli %arg12, %arg13 : i32\n( *%62 = arith\.addi %61), %arg14 ",
                r"arith.muli %arg14, %arg11 : i32\n\1, %arg12 "), "numbers"),
    Mutant("sequential-reverse-load-not-reversed", "sequential-reverse",
           Edit(r"arith\.subi %44, %43 ", "arith.minui %44, %43 "), "numbers"),
    Mutant("sequential-reverse-rest-not-reversed", "sequential-reverse",
           Edit(r"^( *)(%46 = llvm\.getelementptr %32)\[%44\]",
                r"\1%forward = arith.muli %arg12, %c4 : index\n"
                r"\1%bytes = arith.index_cast %forward : index to i64\n\1\2[%bytes]"), "unwritten"),
    Mutant("sequential-exclusive-inclusive", "sequential-reverse",
           Edit(r"llvm\.store %arg13, %59 ", "llvm.store %61, %59 "), "numbers"),
    Mutant("sequential-wrong-init", "sequential-reverse", Edit(r"iter_args\(%arg13 = %33,", "iter_args(%arg13 = %34,"),
           "numbers"),
]

# ---- Grid scans -------------------------------------------------------------

MANY = (16, 8)  # Blocks side by side, so that aggregates are read.

# The loads of both branches are made one load of one of two buffers, which has
# the place of the first one.
LOADS_FOUND = r"memref\.load %(prefixes|aggregates)"

SPLIT = [
    Mutant("split-flag-before-aggregate", "grid-split",
           Edit(r"((?: *memref\.store %own#\d, %aggregates.*\n){2})( *llvm\.store %has_aggregate.*\n)", r"\2\1",
                moves=1), "race", (r"memref\.store %own#\d, %aggregates", LOADS_FOUND), resident=MANY),
    Mutant("split-flag-before-prefix", "grid-split",
           Edit(r"((?: *memref\.store %prefix#\d, %prefixes.*\n){2})( *llvm\.store %has_prefix.*\n)", r"\2\1", moves=1),
           "race", (r"memref\.store %prefix#\d, %prefixes", LOADS_FOUND)),
    Mutant("split-flag-before-half-of-prefix", "grid-split",
           Edit(r"( *memref\.store %prefix#1, %prefixes.*\n)( *llvm\.store %has_prefix.*\n)", r"\2\1", moves=1),
           "race", (r"memref\.store %prefix#1, %prefixes", r"memref\.load %prefixes\[%k, %c1\]")),
    Mutant("split-aggregate-flag-stored-plainly", "grid-split",
           Edit(r"(llvm\.store %has_aggregate, %own_flag) atomic.* : i32,", r"\1 : i32,"), "race",
           (r"llvm\.store %has_aggregate", r"llvm\.(load %flag|store %has_prefix)"), resident=MANY),
    Mutant("split-prefix-flag-stored-plainly", "grid-split",
           Edit(r"(llvm\.store %has_prefix, %own_flag) atomic.* : i32,", r"\1 : i32,"), "race",
           (r"llvm\.store %has_prefix", r"llvm\.load %flag")),
    Mutant("split-flag-loaded-plainly", "grid-split",
           Edit(r"(llvm\.load %flag) atomic.* : !llvm", r"\1 : !llvm"), "race", r"llvm\.(load %flag|store %has_)"),
    Mutant("split-aggregate-published-relaxed", "grid-split",
           Edit(r"(llvm\.store %has_aggregate.*) release ", r"\1 monotonic "), "race",
           (r"memref\.store %own#\d, %aggregates", LOADS_FOUND), resident=MANY),
    Mutant("split-prefix-published-relaxed", "grid-split",
           Edit(r"(llvm\.store %has_prefix.*) release ", r"\1 monotonic "), "race",
           (r"memref\.store %prefix#\d, %prefixes", LOADS_FOUND)),
    Mutant("split-observed-relaxed", "grid-split", Edit(r"(llvm\.load %flag.*) acquire ", r"\1 monotonic "), "race",
           (r"memref\.store %(own|prefix)#\d", LOADS_FOUND)),
    Mutant("split-observed-volatile", "grid-split",
           Edit(r"llvm\.load %flag atomic.* : !llvm", "llvm.load volatile %flag : !llvm"), "race",
           (r"memref\.store %(own|prefix)#\d", LOADS_FOUND)),
    Mutant("split-aggregate-released-in-block-scope", "grid-split",
           Edit(r'(llvm\.store %has_aggregate.*)"device"', r'\1"block"'), "race",
           (r"llvm\.store %has_aggregate", r"llvm\.load %flag"), resident=MANY),
    Mutant("split-prefix-released-in-block-scope", "grid-split",
           Edit(r'(llvm\.store %has_prefix.*)"device"', r'\1"block"'), "race",
           (r"llvm\.store %has_prefix", r"llvm\.load %flag")),
    Mutant("split-acquired-in-block-scope", "grid-split", Edit(r'(llvm\.load %flag.*)"device"', r'\1"block"'), "race",
           (r"llvm\.store %has_", r"llvm\.load %flag")),
    Mutant("split-released-by-another-lane", "grid-split",
           Edit(r"^( *)llvm\.store %has_prefix, %own_flag (.*)\n *\}\n *gpu\.barrier\n",
                r"      }\n"
                r"      %is_last = arith.cmpi eq, %t, %c31 : index\n"
                r"      scf.if %is_last {\n"
                r"        %own_flag = func.call @flag_of(%flags, %tile) : (memref<?xi32>, index) -> !llvm.ptr<1>\n"
                r"        llvm.store %has_prefix, %own_flag \2\n"
                r"      }\n"
                r"      gpu.barrier\n", moves=2),
           "race", (r"memref\.store %prefix#\d, %prefixes", LOADS_FOUND), also=("bounds",), sometimes=True),
    Mutant("split-block-id-as-tile-id", "grid-split",
           Edit(r"%tile = arith\.index_cast %tile_i32 : i32 to index", "%tile = gpu.block_id x"), "livelock",
           r"scf\.while|llvm\.load %flag", resident=(2, 1, 3)),
    Mutant("split-ticket-by-load-and-store", "grid-split",
           Edit(r"^( *)%ticket = llvm\.atomicrmw add %counter.*\n",
                r"\1%ticket = llvm.load %counter : !llvm.ptr<1> -> i32\n"
                r"\1%next = arith.addi %ticket, %c1_i32 : i32\n"
                r"\1llvm.store %next, %counter : i32, !llvm.ptr<1>\n"), "race",
           (r"llvm\.store %next, %counter", r"llvm\.(load %counter|store %next)")),
    Mutant("split-ticket-by-atomic-load-and-store", "grid-split",
           Edit(r"^( *)%ticket = llvm\.atomicrmw add %counter.*\n",
                r'\1%ticket = llvm.load %counter atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32\n'
                r"\1%next = arith.addi %ticket, %c1_i32 : i32\n"
                r'\1llvm.store %next, %counter atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>\n'),
           "race", r"store %(own|prefix|value|has)", also=("bounds", "livelock", "unwritten"), sometimes=True, resident=(16,)),
    Mutant("split-ticket-in-block-scope", "grid-split", Edit(r'(llvm\.atomicrmw .*)"device"', r'\1"block"'), "race",
           r"llvm\.atomicrmw add %counter"),
    Mutant("split-tickets-not-advanced", "grid-split",
           Edit(r"(%first_ticket = arith\.index_cast) %taken ", r"\1 %c0 "), "bounds"),
    Mutant("split-epoch-not-advanced", "grid-split", Edit(r"(%epoch = arith\.index_cast) %row ", r"\1 %c0 "), "race",
           (r"memref\.store %prefix#\d, %prefixes", LOADS_FOUND), resident=MANY),
    Mutant("split-prefix-over-aggregate", "grid-split", Edit(r"%prefixes\[", "%aggregates[", None, 4), "race",
           (r"memref\.store %prefix#\d, %aggregates", r"memref\.load %aggregates"), sometimes=True, resident=MANY),
    Mutant("split-look-back-swapped", "grid-split",
           Edit(r"@combine\(%found#0, %found#1, %x, %y\)", "@combine(%x, %y, %found#0, %found#1)"), "numbers",
           resident=MANY),
    Mutant("split-carry-on-the-right", "grid-split",
           Edit(r"@combine\(%ca, %cb, %in_tile#0, %in_tile#1\)", "@combine(%in_tile#0, %in_tile#1, %ca, %cb)"),
           "numbers"),
    Mutant("split-aggregate-published-as-prefix", "grid-split",
           Edit(r"llvm\.store %has_aggregate,", "llvm.store %has_prefix,"), "race",
           (r"memref\.store %prefix#\d, %prefixes", LOADS_FOUND), also=("uninitialised",), resident=MANY),
    Mutant("split-carry-counted-twice", "grid-split",
           Edit(r"^( *)scf\.yield %all#0, %all#1 ",
                r"\1%twice:2 = func.call @combine(%sum#1, %sum#2, %all#0, %all#1) : (i64, i64, i64, i64) -> (i64, i64)\n"
                r"\1scf.yield %twice#0, %twice#1 "), "numbers"),
    Mutant("split-prefix-without-carry", "grid-split",
           Edit(r"scf\.yield %all#0, %all#1 ", "scf.yield %own#0, %own#1 "), "numbers"),
    *(Mutant(f"split-barrier-{what}-removed", "grid-split", barrier_removed(k, 3), "race", lines)
      for k, (what, lines) in enumerate((
          ("tile", (r"memref\.store %taken, %tile_of_block", r"memref\.load %tile_of_block")),
          ("totals", (r"memref\.store %w#\d, %totals", r"memref\.load %totals")),
          ("carry", (r"memref\.store %sum#\d, %carry", r"memref\.load %carry"))))),
    Mutant("split-does-not-wait", "grid-split",
           Edit(r"arith\.cmpi sle, %s, %old_flag ", "arith.cmpi slt, %s, %s "), "race",
           (r"memref\.store %(own|prefix)#\d", LOADS_FOUND), also=("uninitialised",),
           sometimes=True, resident=MANY),
    Mutant("split-first-tile-without-prefix", "grid-split",
           Edit(r"^( *)llvm\.store %has_prefix,",
                r"\1%state = arith.select %is_later_tile, %has_prefix, %has_aggregate : i32\n\1llvm.store %state,"),
           "uninitialised", LOADS_FOUND, also=("bounds",)),
    Mutant("split-waits-for-aggregate", "grid-split",
           Edit(r"arith\.cmpi sle, %s, %old_flag ", "arith.cmpi ne, %s, %has_aggregate "), "livelock",
           r"scf\.while|llvm\.load %flag"),
    Mutant("split-waits-for-itself", "grid-split",
           Edit(r"%before = arith\.subi %tile, %c1 ", "%before = arith.subi %tile, %c0 "), "numbers"),
    *(Mutant(f"split-barrier-{what}-added-in-branch", "grid-split", barrier_added_in_branch(k, 3), "divergence",
             r"gpu\.barrier") for k, what in enumerate(("tile", "totals", "carry"))),
    Mutant("split-barrier-in-branch", "grid-split", barrier_in_branch(1, 3), "race",
           (r"memref\.store %w#\d, %totals", r"memref\.load %totals"), also=("divergence",)),
    Mutant("split-threads-behind-the-end-leave-early", "grid-split",
           Edit(r"^      gpu\.barrier\n(\n.*What comes before)",
                r"      %in = arith.cmpi ult, %i, %n : index\n      scf.if %in {\n        gpu.barrier\n      }\n\1"),
           "race", (r"memref\.store %sum#\d, %carry", r"memref\.load %carry"), also=("divergence",), sometimes=True),
    Mutant("split-divergent-shuffle-at-the-tail", "grid-split",
           Edit(r"^( *)%ys, %valid_y = (gpu\.shuffle .*)\n",
                r"\1%in = arith.cmpi ult, %i, %n : index\n"
                r"\1%ys, %valid_y = scf.if %in -> (i64, i1) {\n"
                r"\1  %r, %v = \2\n"
                r"\1  scf.yield %r, %v : i64, i1\n"
                r"\1} else {\n"
                r"\1  scf.yield %y, %false : i64, i1\n"
                r"\1}\n"), "divergence", r"gpu\.shuffle"),
    Mutant("split-tail-read-past-the-end", "grid-split", Edit(r"arith\.minui %i, %end ", "arith.minui %i, %i "),
           "bounds", r"memref\.load %[ab]\["),
    Mutant("split-tail-written-by-one-too-many", "grid-split",
           Edit(r"arith\.cmpi ult, %i, %n ", "arith.cmpi ule, %i, %n "), "bounds", r"memref\.store %value"),
    Mutant("split-tail-written-by-one-too-few", "grid-split",
           Edit(r"arith\.cmpi ult, %i, %n ", "arith.cmpi ult, %i, %end "), "unwritten"),
    Mutant("split-half-of-carry", "grid-split", Edit(r"^ *memref\.store %sum#2, %carry.*\n", ""), "uninitialised",
           r"%cb = memref\.load %carry"),
    Mutant("split-tiles-overlap", "grid-split", Edit(r"arith\.muli %tile, %c64 ", "arith.muli %tile, %c31 "), "race",
           r"memref\.store %value"),
    Mutant("split-flags-packed-too-tightly", "grid-split",
           Edit(r"%four = arith\.constant 4 ", "%four = arith.constant 2 "), "alignment"),
    Mutant("split-invalid-lane-used", "grid-split",
           Edit(r"arith\.select %valid, %sum#1, %y ", "arith.select %true, %sum#1, %y "), "numbers"),
]

# What the compiler makes: releases of the first tile's prefix, of aggregates, of
# the others' prefixes.
RELEASE = r'(llvm\.store %\w+, %\w+ atomic syncscope\()"device"(\)) release'
WORKSPACE_STORE = r"llvm\.store %\w+, %\w+ \{alignment = 8"
WORKSPACE_LOAD = r"llvm\.load %\w+ \{alignment = 8"

# What waits until all words of a descriptor have the same flag.
SECOND_WORD = Edit(r"(%\w+ = arith\.ori (%\w+), )%\w+( : i1\n *scf\.condition\(%\w+\) %arg\d+, %arg\d+ : i128)", r"\1\2\3", 0, 2)

# The items of a thread are one vector: where rows are aligned, what it moves are its own.
UNALIGNED = (3, 601)

GRID_ROW = [
    *(Mutant(f"grid-row-{what}-published-relaxed", "grid-row-apart", Edit(RELEASE, r'\1"device"\2 monotonic', k, 3), "race",
             (WORKSPACE_STORE, WORKSPACE_LOAD), resident=MANY, sometimes=what == "prefix")
      for k, what in enumerate(("first-prefix", "aggregate", "prefix"))),
    *(Mutant(f"grid-row-{what}-released-in-block-scope", "grid-row-apart", Edit(RELEASE, r'\1"block"\2 release', k, 3),
             "race", (r"llvm\.store .* release", r"llvm\.load .* acquire"), resident=MANY)
      for k, what in enumerate(("first-prefix", "aggregate", "prefix"))),
    Mutant("grid-row-observed-relaxed", "grid-row-apart",
           Edit(r"(llvm\.load .*) acquire ", r"\1 monotonic ", nth=None, of=4, moves=2), "race",
           (WORKSPACE_STORE, WORKSPACE_LOAD)),
    Mutant("grid-row-second-word-not-awaited", "grid-row", SECOND_WORD, "numbers", sometimes=True, resident=MANY),
    Mutant("grid-row-block-id-as-tile-id", "grid-row",
           Edit(r"(memref\.load %\w+\[%c0\] : memref<1xi64, .*\n(?:.*\n)*? *%\w+) = arith\.index_cast %\w+ : i64 to index$",
                r"\1 = gpu.block_id x"), "livelock",
           r"scf\.while|llvm\.load .* monotonic", resident=(2, 1, 3)),
    Mutant("grid-row-ticket-by-load-and-store", "grid-row",
           Edit(r"^( *)(%\w+) = llvm\.atomicrmw add (%\w+), %c1_i64 .*\n",
                r"\1\2 = llvm.load \3 : !llvm.ptr<1> -> i64\n"
                r"\1%next = llvm.add \2, %c1_i64 : i64\n"
                r"\1llvm.store %next, \3 : i64, !llvm.ptr<1>\n"), "race",
           (r"llvm\.store %next", r"llvm\.(load .*ptr<1> -> i64|store %next)")),
    Mutant("grid-row-barrier-ticket-removed", "grid-row", barrier_removed(0, 3), "race",
           (STORES_SHARED, LOADS_SHARED)),
    Mutant("grid-row-barrier-carry-removed", "grid-row", barrier_removed(2, 3), "race",
           (STORES_SHARED, LOADS_SHARED)),
    *(Mutant(f"grid-row-sync-{what}-removed", "grid-row", sync_removed(k, 4), "race", (TRANSPOSES_IN, TRANSPOSES_OUT),
             shape=UNALIGNED)
      for k, what in enumerate(("full-load", "partial-load", "full-store", "partial-store"))),
    Mutant("grid-row-sync-in-branch", "grid-row",
           Edit(r"^( *)(nvvm\.bar\.warp\.sync .*)\n",
                r"\1%some = arith.cmpi ult, %0, %c16 : index\n\1scf.if %some {\n\1  \2\n\1}\n", 0, 4),
           "divergence", r"nvvm\.bar\.warp\.sync"),
    Mutant("grid-row-window-swapped", "grid-row",
           Edit(r"(%\w+) = arith\.muli (%shuffleResult\w*), (%\w+#0) : i64\n"
                r"( *%\w+ = )arith\.muli (%shuffleResult\w*), %\w+#0 : i64\n"
                r"( *%\w+ = arith\.addi %\w+,) (%\w+#1) : i64\n",
                r"\1 = arith.muli \2, \3 : i64\n\4arith.muli \7, \2 : i64\n\6 \5 : i64\n", 0, 2), "numbers",
           resident=MANY),
    Mutant("grid-row-windows-overlap", "grid-row-wide",
           Edit(r"(arith\.subi %\w+), %c33 ", r"\1, %c32 "), "numbers", sometimes=True),
    Mutant("grid-row-first-window-skips", "grid-row-narrow",
           Edit(r"(arith\.subi %\d+), %c4 (: index\n.* = scf\.while)", r"\1, %c32 \2"), "numbers", sometimes=True),
    Mutant("grid-row-first-window-overlaps", "grid-row-narrow",
           Edit(r"(arith\.subi %\d+), %c4 (: index\n.* = scf\.while)", r"\1, %c3 \2"), "numbers", sometimes=True),
    Mutant("grid-row-first-window-adds-who-did-not-look", "grid-row-narrow",
           Edit(r"(arith\.cmpi ult, %0), %c2 (: index\n.* = arith\.xori)", r"\1, %c31 \2"), "numbers", sometimes=True),
    Mutant("grid-row-search-ends-at-who-did-not-look", "grid-row-folds",
           Edit(r"(else \{\n)( *scf\.yield) %\d+ : i1$", r"\1%yes = arith.constant true\n\2 %yes : i1"), "numbers",
           sometimes=True),
    Mutant("grid-row-fold-without-first-window", "grid-row-folds",
           Edit(r"(arith\.addi %\d+), %c29 ", r"\1, %c0 "), "numbers", sometimes=True),
    Mutant("grid-row-first-window-of-fold-too-far", "grid-row-folds",
           Edit(r"arith\.minsi (%\d+), %\d+ : index", r"arith.minsi \1, \1 : index"), "bounds", sometimes=True),
    Mutant("grid-row-torn-store", "grid-row-wide",
           Edit(r"^( *)llvm\.store (%\w+), (%\w+) atomic .* : i128, !llvm\.ptr<1>\n",
                r"\1%low = llvm.trunc \2 : i128 to i64\n"
                r"\1%half = llvm.mlir.constant(64 : i128) : i128\n"
                r"\1%shifted = llvm.lshr \2, %half : i128\n"
                r"\1%high = llvm.trunc %shifted : i128 to i64\n"
                r"\1%upper = llvm.getelementptr \3[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
                r'\1llvm.store %high, %upper atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>\n'
                r'\1llvm.store %low, \3 atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>\n',
                2, 3), "race", (r"llvm\.store %(low|high)", r"llvm\.load .*i128")),
]

# Persistent blocks: barriers after the first ticket, and one in each stage; lanes of a
# warp wait for each other where they transpose.
PERSISTENT_ROW = [
    *(Mutant(f"persistent-row-barrier-{what}-removed", "persistent-row", barrier_removed(k, 2), "race",
             (STORES_SHARED, LOADS_SHARED)) for k, what in enumerate(("ticket", "stage"))),
    *(Mutant(f"persistent-row-sync-{what}-removed", "persistent-row", sync_removed(k, 3), "race", (TRANSPOSES_IN, TRANSPOSES_OUT),
             shape=UNALIGNED) for k, what in enumerate(("load", "full-store", "partial-store"))),
    Mutant("persistent-row-state-of-this-stage", "persistent-row",
           Edit(r"(memref\.load %view_7)\[%\w+\]", r"\1[%arg12]"), "race", (STORES_SHARED, LOADS_SHARED)),
    Mutant("persistent-row-two-slots", "persistent-row", Edit(r"(arith\.remui %\w+), %c3 ", r"\1, %c2 ", 1, 2),
           "uninitialised", TRANSPOSES_OUT),
    Mutant("persistent-row-ticket-of-next-stage", "persistent-row",
           Edit(r"arith\.addi %arg12, %c1 (: index\n *%\w+ = memref\.load %view_8)", r"arith.subi %c2, %arg12 \1"), "race",
           (STORES_SHARED, LOADS_SHARED)),
]

# Persistent blocks whose warps wait for each other at mbarriers, in this order: those that
# scan, the loader, the publisher, the warp that looks back. The order of arrivals is theirs,
# too: there is one more of the loader at tiles that it does not load and one at the end, and
# one more of the publisher at the end.
WAITS = ("loaded", "found", "stored", "loaded-by-publisher", "scanned", "published")
ARRIVALS = ("scanned", "stored", "loaded-of-others", "loaded-at-the-end", "published", "published-at-the-end", "found")
TRIES = r"= nvvm\.mbarrier\.try_wait (%\w+), (%\w+) .*"

SPECIALIZED_ROW = [
    *(Mutant(f"specialized-row-wait-{what}-removed", "specialized-row", Edit(TRIES, "= arith.constant true", k, 6), "race")
      for k, what in enumerate(WAITS)),
    *(Mutant(f"specialized-row-arrival-{what}-removed", "specialized-row",
             Edit(r"^ *%\w+ = nvvm\.mbarrier\.arrive %.*\n", "", k, 7), "deadlock", r"mbarrier\.try_wait")
      for k, what in enumerate(ARRIVALS)),
    Mutant("specialized-row-arrival-before-totals", "specialized-row",
           Edit(r"((?: *memref\.store %\w+, %view_[12]\[.*\n){2})((?:.*\n){3}.*mbarrier\.arrive .*\n)", r"\2\1", moves=1), "race",
           (STORES_SHARED, LOADS_SHARED)),
    Mutant("specialized-row-loaded-of-other-parity", "specialized-row",
           Edit(TRIES, r"= nvvm.mbarrier.try_wait \1, %c1_i32 : !llvm.ptr<3>, i32 -> i1", 0, 6), "race"),
    Mutant("specialized-row-stored-of-other-parity", "specialized-row",
           Edit(r"arith\.xori (%\w+), %c1_i32 (: i32\n(?:.*\n){1,8}?.*scf\.while : )", r"arith.ori \1, \1 \2"), "deadlock"),
    # Results were in the slot.
    Mutant("specialized-row-fence-removed", "specialized-row", Edit(r"^ *nvvm\.fence\.proxy .*\n", "", 1, 2), "proxy",
           r"nvvm\.cp\.async\.bulk"),
    Mutant("specialized-row-fewer-bytes-expected", "specialized-row",
           Edit(r"(arrive\.expect_tx %\w+), %c3072_i32", r"\1, %c1536_i32"), "race"),
    Mutant("specialized-row-more-bytes-expected", "specialized-row",
           Edit(r"^( *)(nvvm\.mbarrier\.arrive\.expect_tx %\w+), (%c3072_i32)",
                r"\1%more = arith.addi \3, %c16_i32 : i32\n\1\2, %more"), "deadlock", r"mbarrier\.try_wait"),
    Mutant("specialized-row-one-copy-removed", "specialized-row", Edit(r"^ *nvvm\.cp\.async\.bulk\..*\n", "", 1, 2), "deadlock"),
    Mutant("specialized-row-ring-of-one-slot", "specialized-row",
           Edit(r"(arith\.addi %\w+, %c1 : index\n *%\w+ = arith\.cmpi eq, %\w+), %c3 ", r"\1, %c1 ", None, 5), "deadlock"),
    # Where lanes transpose, and where one of them arrives for all of its warp. There is one more
    # at the end of the publisher, behind which nobody writes.
    *(Mutant(f"specialized-row-sync-{what}-removed", "specialized-row", sync_removed(k, 8), "race",
             (TRANSPOSES_IN, TRANSPOSES_OUT), shape=(2, 1901))
      for k, what in enumerate(("load", "full-store", "partial-store"))),
    *(Mutant(f"specialized-row-sync-{what}-removed", "specialized-row", sync_removed(k, 8), "race")
      for k, what in ((3, "stored"), (4, "totals"), (5, "published"), (7, "found"))),
]

# The same of columns: barriers after the ticket, the totals of the warps, the carry.
# What the first group of the warp sees, what the groups see together, and what was
# seen before it are combined in two places.
COMBINED = (r"(%\w+) = arith\.muli (%shuffleResult\w*), (%ACC) : i64\n"
            r"( *%\w+ = )arith\.muli (%shuffleResult\w*), %ACC : i64\n"
            r"( *%\w+ = arith\.addi %\w+,) (%NEW) : i64\n")
SWAPPED = r"\1 = arith.muli \2, \3 : i64\n\4arith.muli \7, \2 : i64\n\6 \5 : i64\n"

GRID_COLUMN = [
    *(Mutant(f"grid-column-{what}-published-relaxed", "grid-column-apart", Edit(RELEASE, r'\1"device"\2 monotonic', k, 3),
             "race", (WORKSPACE_STORE, WORKSPACE_LOAD), resident=MANY, sometimes=what == "prefix")
      for k, what in enumerate(("first-prefix", "aggregate", "prefix"))),
    *(Mutant(f"grid-column-{what}-released-in-block-scope", "grid-column-apart", Edit(RELEASE, r'\1"block"\2 release', k, 3),
             "race", (r"llvm\.store .* release", r"llvm\.load .* acquire"), resident=MANY, sometimes=what == "prefix")
      for k, what in enumerate(("first-prefix", "aggregate", "prefix"))),
    Mutant("grid-column-observed-relaxed", "grid-column-apart",
           Edit(r"(llvm\.load .*) acquire ", r"\1 monotonic ", nth=None, of=4, moves=2), "race",
           (WORKSPACE_STORE, WORKSPACE_LOAD)),
    Mutant("grid-column-second-word-not-awaited", "grid-column", SECOND_WORD, "numbers", sometimes=True, resident=MANY),
    Mutant("grid-column-block-id-as-tile-id", "grid-column",
           Edit(r"(memref\.load %\w+\[%c0\] : memref<1xi64, .*\n(?:.*\n)*? *%\w+) = arith\.index_cast %\w+ : i64 to index$",
                r"\1 = gpu.block_id x"), "livelock",
           r"scf\.while|llvm\.load .* monotonic", resident=(2, 1, 3)),
    *(Mutant(f"grid-column-barrier-{what}-removed", "grid-column", barrier_removed(k, 3), "race",
             (STORES_SHARED, LOADS_SHARED)) for k, what in enumerate(("ticket", "totals", "carry"))),
    Mutant("grid-column-window-swapped", "grid-column",
           Edit(COMBINED.replace("ACC", r"\w+#0").replace("NEW", r"\w+#1"), SWAPPED), "numbers", sometimes=True,
           resident=MANY),
    Mutant("grid-column-windows-swapped", "grid-column",
           Edit(COMBINED.replace("shuffleResult", "").replace("ACC", r"arg\d+").replace("NEW", r"arg\d+"), SWAPPED),
           "numbers", resident=MANY),
    Mutant("grid-column-windows-overlap", "grid-column",
           Edit(r"(arith\.subi %arg\d+), %c4 ", r"\1, %c3 "), "numbers", sometimes=True, resident=MANY),
    Mutant("grid-column-first-window-overlaps", "grid-column-wide",
           Edit(r"(arith\.subi %\d+), %c2 (: index\n.* = scf\.while)", r"\1, %c1 \2"), "numbers", sometimes=True),
    Mutant("grid-column-adds-behind-prefix", "grid-column-wide",
           Edit(r"(%\w+) = arith\.xori (%\w+#2), %true ", r"\1 = arith.ori \2, %true "), "numbers", sometimes=True),
    Mutant("grid-column-descriptor-of-another-column", "grid-column",
           Edit(r"(= arith\.muli %\w+, %\w+ : index\n *%\w+ = arith\.addi %\w+, )%\w+"
                r"( : index\n *%\w+ = arith\.muli %\w+, %c32 )",
                r"\1%c0\2", 2, 5), "numbers"),
    Mutant("grid-column-lanes-leave-the-loop", "grid-column",
           Edit(r"scf\.condition\(%\w+\) (%\w+, (%\w+), )",
                r"%leaves = arith.xori \2, %true : i1\n              scf.condition(%leaves) \1"), "divergence",
           r"gpu\.shuffle", sometimes=True, resident=MANY),
    Mutant("grid-column-carry-stored-by-all-groups", "grid-column",
           Edit(r"scf\.if %\w+ \{\n( *memref\.store %\w+#2, %arg\d+)", r"scf.if %true {\n\1"), "race",
           r"(memref|llvm)\.store"),
    Mutant("grid-column-torn-store", "grid-column-wide",
           Edit(r"^( *)llvm\.store (%\w+), (%\w+) atomic .* : i128, !llvm\.ptr<1>\n",
                r"\1%low = llvm.trunc \2 : i128 to i64\n"
                r"\1%half = llvm.mlir.constant(64 : i128) : i128\n"
                r"\1%shifted = llvm.lshr \2, %half : i128\n"
                r"\1%high = llvm.trunc %shifted : i128 to i64\n"
                r"\1%upper = llvm.getelementptr \3[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
                r'\1llvm.store %high, %upper atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>\n'
                r'\1llvm.store %low, \3 atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>\n',
                2, 3), "race", (r"llvm\.store %(low|high)", r"llvm\.load .*i128")),
]

SPLIT_TILES = [
    Mutant("split-tiles-block-id-as-tile-id", "split-tiles",
           Edit(r"(memref\.load %\w+\[%c0\] : memref<1xi64, .*\n(?:.*\n)*? *%\w+) = arith\.index_cast %\w+ : i64 to index$",
                r"\1 = gpu.block_id x"), "livelock",
           r"scf\.while|llvm\.load .* monotonic", resident=(2, 1, 3)),
    Mutant("split-tiles-barrier-ticket-removed", "split-tiles", barrier_removed(0, 1), "race",
           (STORES_SHARED, LOADS_SHARED)),
    Mutant("split-tiles-look-back-swapped", "split-tiles",
           Edit(r"(arith\.muli )(%arg\d+), (%\w+)( : i32\n *%\w+ = arith\.muli )\2, (%\w+)"
                r"( : i32\n *%\w+ = arith\.addi %\w+, )(%arg\d+)( : i32\n *scf\.yield)",
                r"\1\2, \3\4\3, \7\6\5\8"), "numbers", sometimes=True, resident=MANY),
    Mutant("split-tiles-look-back-passes-a-tile", "split-tiles",
           Edit(r"(arith\.subi %arg\d+, )%c1( : index\n *%\w+ = arith\.muli %\w+, %c2 )", r"\1%c2\2"), "bounds",
           r"llvm\.load .*i128", also=("numbers", "livelock"), sometimes=True, resident=MANY),
    Mutant("split-tiles-aggregate-as-prefix", "split-tiles",
           Edit(r"arith\.extui (%\w+)( : i32 to i128(?:\n.*){{8}}\n.*llvm\.store(?:.*\n)*?.*arith\.extui )(%\w+)".replace("{{8}}", "{7}"),
                r"arith.extui \1\2\1"), "numbers", sometimes=True, resident=MANY),
    Mutant("split-tiles-prefix-without-what-is-before", "split-tiles",
           Edit(r"(arith\.muli %\w+#0, %\w+#1 : i32\n *%\w+ = arith\.)addi %\w+, (%\w+#1)", r"\1ori \2, \2"), "numbers",
           sometimes=True, resident=MANY),
]

PACKED = [
    Mutant("packed-torn-store", "grid-packed",
           Edit(r"^( *)llvm\.store %word, %to atomic.*\n",
                r"\1%low = arith.trunci %word : i128 to i64\n"
                r"\1%half = arith.constant 64 : i128\n"
                r"\1%shifted = arith.shrui %word, %half : i128\n"
                r"\1%high = arith.trunci %shifted : i128 to i64\n"
                r"\1%upper = llvm.getelementptr %to[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
                r'\1llvm.store %high, %upper atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>\n'
                r'\1llvm.store %low, %to atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>\n'),
           "race", (r"llvm\.store %(low|high)", r"llvm\.load %from")),
    Mutant("packed-torn-load", "grid-packed",
           Edit(r"^( *)%word = llvm\.load %from atomic.*\n",
                r'\1%low = llvm.load %from atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64\n'
                r"\1%upper = llvm.getelementptr %from[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
                r'\1%high = llvm.load %upper atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64\n'
                r"\1%low_w = arith.extui %low : i64 to i128\n"
                r"\1%high_w = arith.extui %high : i64 to i128\n"
                r"\1%half = arith.constant 64 : i128\n"
                r"\1%high_s = arith.shli %high_w, %half : i128\n"
                r"\1%word = arith.ori %high_s, %low_w : i128\n"),
           "race", (r"llvm\.store %word", r"llvm\.load %(from|upper)")),
    Mutant("packed-stored-plainly", "grid-packed",
           Edit(r"(llvm\.store %word, %to) atomic.* : i128,", r"\1 : i128,"), "race",
           (r"llvm\.store %word", r"llvm\.(load %from|store %word)")),
    Mutant("packed-loaded-plainly", "grid-packed",
           Edit(r"(llvm\.load %from) atomic.* : !llvm", r"\1 : !llvm"), "race",
           (r"llvm\.store %word", r"llvm\.load %from")),
    Mutant("packed-stored-in-block-scope", "grid-packed", Edit(r'(llvm\.store %word.*)"device"', r'\1"block"'), "race",
           (r"llvm\.store %word", r"llvm\.load %from")),
    Mutant("packed-loaded-in-block-scope", "grid-packed", Edit(r'(llvm\.load %from.*)"device"', r'\1"block"'), "race",
           (r"llvm\.store %word", r"llvm\.load %from")),
    Mutant("packed-block-id-as-tile-id", "grid-packed",
           Edit(r"%tile = arith\.index_cast %tile_i32 : i32 to index", "%tile = gpu.block_id x"), "livelock",
           r"scf\.while|llvm\.load %from", resident=(2, 1, 3)),
    Mutant("packed-ticket-by-load-and-store", "grid-packed",
           Edit(r"^( *)%ticket = memref\.atomic_rmw.*\n",
                r"\1%ticket = memref.load %tickets[%c0] : memref<1xi32>\n"
                r"\1%next = arith.addi %ticket, %c1_i32 : i32\n"
                r"\1memref.store %next, %tickets[%c0] : memref<1xi32>\n"), "race",
           (r"memref\.store %next, %tickets", r"memref\.(load %tickets|store %next)")),
    Mutant("packed-epoch-not-advanced", "grid-packed", Edit(r"(%epoch = arith\.index_cast) %row ", r"\1 %c0 "),
           "numbers", resident=MANY),
    Mutant("packed-does-not-wait", "grid-packed",
           Edit(r"arith\.cmpi sle, %parts#0, %old_flag ", "arith.cmpi slt, %parts#0, %old_flag "), "numbers",
           sometimes=True, resident=MANY),
    Mutant("packed-tickets-not-advanced", "grid-packed",
           Edit(r"(%first_ticket = arith\.index_cast) %taken ", r"\1 %c0 "), "bounds"),
    Mutant("packed-window-swapped", "grid-packed",
           Edit(r"@combine\(%far_u, %far_v, %u, %v\)", "@combine(%u, %v, %far_u, %far_v)"), "numbers", resident=MANY),
    Mutant("packed-windows-swapped", "grid-packed-wide",
           Edit(r"@combine\(%all_u, %all_v, %x, %y\)", "@combine(%x, %y, %all_u, %all_v)"), "numbers", sometimes=True),
    Mutant("packed-windows-overlap", "grid-packed-wide",
           Edit(r"(%nearest_next = arith\.subi %nearest), %c32 ", r"\1, %c31 "), "numbers", sometimes=True),
    Mutant("packed-window-of-wrong-lane", "grid-packed",
           Edit(r"(gpu\.shuffle idx %sums#1), %c0_i32,", r"\1, %c1_i32,"), "numbers", resident=MANY),
    Mutant("packed-adds-behind-prefix", "grid-packed",
           Edit(r"%open = arith\.xori %ends, %true ", "%open = arith.ori %ends, %true "), "numbers"),
    Mutant("packed-first-tile-without-prefix", "grid-packed",
           Edit(r"arith\.select %is_later_tile, %has_aggregate, %has_prefix ",
                "arith.select %is_later_tile, %has_aggregate, %has_aggregate "), "numbers"),
    Mutant("packed-aggregate-as-prefix", "grid-packed",
           Edit(r"arith\.select %is_later_tile, %has_aggregate, %has_prefix ",
                "arith.select %is_later_tile, %has_prefix, %has_prefix "), "numbers", resident=MANY),
    Mutant("packed-never-ends", "grid-packed",
           Edit(r"arith\.cmpi eq, %all_ends_i32, %c0_i32 ", "arith.cmpi ne, %all_ends_i32, %c0_i32 "), "livelock", r"scf\.while|llvm\.load %from|scf\.for|gpu\.shuffle"),
    Mutant("packed-nothing-published", "grid-packed",
           Edit(r"func\.call @publish\(%descriptors, %tile, %own_flag", "func.call @publish(%descriptors, %tile, %old_flag"),
           "livelock", r"scf\.while|llvm\.load %from"),
    Mutant("packed-carry-stored-by-all-lanes", "grid-packed",
           Edit(r"scf\.if %is_first \{\n( *memref\.store %sum#1, %carry)", r"scf.if %is_first_warp {\n\1"), "race",
           r"memref\.store %sum#\d, %carry"),
    Mutant("packed-lanes-leave-the-loop", "grid-packed",
           Edit(r"arith\.cmpi eq, %all_ends_i32, %c0_i32 ", "arith.cmpi ne, %seen#0, %has_prefix "), "divergence",
           r"gpu\.shuffle", resident=MANY),
    *(Mutant(f"packed-barrier-{what}-removed", "grid-packed", barrier_removed(k, 3), "race", lines)
      for k, (what, lines) in enumerate((
          ("tile", (r"memref\.store %taken, %tile_of_block", r"memref\.load %tile_of_block")),
          ("totals", (r"memref\.store %w#\d, %totals", r"memref\.load %totals")),
          ("carry", (r"memref\.store %sum#\d, %carry", r"memref\.load %carry"))))),
    Mutant("packed-barrier-added-in-branch", "grid-packed", barrier_added_in_branch(0, 3), "divergence",
           r"gpu\.barrier"),
    Mutant("packed-descriptor-misplaced", "grid-packed",
           Edit(r"%sixteen = arith\.constant 16 ", "%sixteen = arith.constant 8 "), "alignment",
           r"llvm\.(load %from|store %word)"),
]

# One thread's own memory: nobody else can write what it has not.
PRIVATE = [
    Mutant("private-written-past-the-end", "private", Edit(r"(%count = arith\.minui %left), %c4 ", r"\1, %left "),
           "bounds", r"memref\.store %ai, %u"),
    Mutant("private-read-before-the-start", "private",
           Edit(r"scf\.for %k = %c1 to %count", "scf.for %k = %c0 to %count"), "bounds",
           r"memref\.load %u\[%before\]"),
    Mutant("private-last-by-one-too-far", "private", Edit(r"(%last = arith\.subi %count), %c1 ", r"\1, %c0 "), "bounds",
           r"memref\.load %u\[%last\]"),
    Mutant("private-first-of-chunk-not-read", "private",
           Edit(r"(scf\.for %k) = %c0 to %count", r"\1 = %c1 to %count", 0, 2), "uninitialised",
           r"memref\.load %u\[%before\]"),
    Mutant("private-first-two-of-chunk-read", "private",
           Edit(r"(scf\.for %k = %c0 to) %count", r"\1 %c2", 0, 2), "uninitialised", r"memref\.load %u\[%k\]"),
    Mutant("private-one-leaf-not-kept", "private",
           Edit(r"(memref\.store %bi), %v\[", r"\1, %u["), "uninitialised", r"memref\.load %v\[%before\]"),
    Mutant("private-one-leaf-of-other-buffer", "private",
           Edit(r"(memref\.store %w#1), %v\[", r"\1, %u["), "numbers"),
    Mutant("private-carry-of-first", "private", Edit(r"(%last = arith\.subi %count), %c1 ", r"\1, %count "), "numbers"),
    Mutant("private-swapped", "private",
           Edit(r"@combine\(%u0, %v0, %u1, %v1\)", "@combine(%u1, %v1, %u0, %v0)"), "numbers"),
]

# Between the stages of a step, and between one step and the next.
RECURRENCES = [
    *(Mutant(f"recurrence-barrier-{k}-removed", "recurrence", barrier_removed(k, 2), "race") for k in range(2)),
    Mutant("recurrence-row-loaded-too-early", "recurrence",
           Edit(r"arith\.addi (%arg\d+), %c2 :", r"arith.addi \1, %c1 :"), "numbers"),
]

# Inits that are read where segments start.
INIT_LOAD = r"(memref\.load %reinterpret_cast_0\[)(%\w+)(, %\w+\] : memref<3x\?xi32)"
COLUMN_INITS = [
    Mutant("column-inits-read-without-place", "column-inits",
           Edit(r"arith\.cmpi ult, (%\w+), %c3 :", r"arith.cmpi ne, \1, %c3 :"), "bounds", LOADS_GLOBAL),
    Mutant("column-inits-of-segment-before", "column-inits", Edit(INIT_LOAD, r"\1%c0\3"), "numbers"),
    Mutant("column-inits-never-read", "column-inits",
           Edit(r"arith\.cmpi ult, (%\w+), %c3 :", r"arith.cmpi eq, \1, %c3 :"), "numbers"),
    Mutant("column-inits-at-steps-of-segments", "column-inits",
           Edit(r"arith\.select (%\w+), (%\w+), %c-1_i32 ", r"arith.select \1, \2, \2 "), "numbers"),
]

# Totals are stored, walked by one warp, and found in their place by all.
TOTALS = (r"vector\.(store|load) .*#gpu.address_space<workgroup>",) * 2
COLUMN_WALKED = [
    *(Mutant(f"column-walked-barrier-{what}-removed", "column-walked", barrier_removed(k, 2), "race", TOTALS)
      for k, what in enumerate(("stored", "walked"))),
    Mutant("column-walked-barrier-walked-in-branch", "column-walked", barrier_in_branch(0, 1), "race", TOTALS),
    Mutant("column-walked-by-two-warps", "column-walked",
           Edit(r"arith\.cmpi ult, (%\w+), %c1 :", r"arith.cmpi ule, \1, %c1 :"), "race", TOTALS),
]

MUTANTS = ROW + REVERSE + SEQUENTIAL + GRID_ROW + PERSISTENT_ROW + SPECIALIZED_ROW + GRID_COLUMN + SPLIT_TILES + COLUMN_INITS + COLUMN_WALKED + SPLIT + PACKED + PRIVATE + RECURRENCES

# What must not count as caught: for the test of run_mutants.py.
MISTAKES = [
    Mutant("nothing", "row", Edit(r"gpu\.barrier", "gpu.barrier", 0, 6), "race"),
    Mutant("ambiguous", "row", Edit(r"gpu\.barrier", ""), "race"),
    Mutant("harmless", "row", Edit(r"^( *)gpu\.barrier\n", r"\1gpu.barrier\n\1gpu.barrier\n", 0, 6), "race"),
    Mutant("by-another-tool", "row", barrier_removed(0, 6), "numbers"),
    Mutant("elsewhere", "row", barrier_removed(0, 6), "race", r"memref\.store %arg0"),
    Mutant("invalid", "row", Edit(r"gpu\.barrier\n", "gpu.barriers\n", 0, 6), "race"),
]
