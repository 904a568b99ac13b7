"""Checks recurrences against loops in numpy.

usage: recurrences.py WHERE COUNT SEED [EVERY]

WHERE is `graph` (the interpreter, as the program is), `loops` (the interpreter, after
--convert-recurrence-to-loops), `kernels` (after --scan-normalize-recurrence), `blocks` (the
emulator, after --scan-recurrence-to-blocks), or a target of scan-run. COUNT programs are drawn beside
those that are listed, or a sample of these, one of EVERY. All results have to be equal in each bit: every operation of
a step rounds as numpy does, and the steps have one order.
"""

import itertools
import sys

import numpy as np
from refcheck import DTYPES, Batch, Checker, rounded

import sampling

where, (count, seed, every) = sys.argv[1], map(int, [*sys.argv[2:], "1"][:3])
rng = np.random.default_rng(seed)
ahead = np.random.default_rng(seed)
checker = Checker()
np.seterr(all="ignore")  # Random cells may overflow.
PASSES = {"graph": [], "loops": ["--convert-recurrence-to-loops"], "kernels": ["--scan-normalize-recurrence"]}
TYPES = ["f32", "f64", "bf16", "f16", "i32", "i64"]


class Case:
    """One recurrence. `windows`: k of each state. `row`: the shape of a row. `limit`: how
    many more rows the inputs have than there are steps; None without `steps`. `cell`: how
    many operations the body consists of, drawn by `draw_cell`; None for the one of
    `step`. `hidden`: nobody asks for histories, only for what there is besides."""

    def __init__(self, type="f32", row=(5,), dim=0, windows=(1,), steps=7, limit=None, inputs=1,
                 reverse=False, init_rows=False, finals=True, output=False, dynamic=False,
                 swap=False, cell=None, hidden=False):
        self.__dict__.update({k: v for k, v in locals().items() if k != "self"})

    def __str__(self):
        return f"{where}: " + ", ".join(f"{k} = {v}" for k, v in self.__dict__.items())


def draw():
    row = [(), (3,), (2, 3), (1,), (4, 1, 2), (0,), (257,)][rng.integers(7)]
    inputs = int(rng.integers(3))
    dynamic, finals = bool(rng.integers(2)), bool(rng.integers(2))
    return Case(
        type=TYPES[rng.integers(len(TYPES))], row=row, dim=int(rng.integers(len(row) + 1)),
        windows=tuple(int(k) for k in rng.integers(1, 4, rng.integers(1, 4))),
        steps=int(rng.choice([0, 1, 2, 3, 11])), inputs=inputs,
        limit=int(rng.integers(3)) if inputs == 0 or rng.integers(2) else None,
        reverse=bool(rng.integers(2)), init_rows=bool(rng.integers(2)),
        finals=finals, hidden=finals and bool(rng.integers(2)), dynamic=dynamic, output=bool(rng.integers(2)),
        swap=bool(rng.integers(2)), cell=None if rng.integers(3) == 0 else int(rng.integers(1, 9)))


OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


def draw_cell(case):
    """Operations on rows, as triples of a name and two places in the list of all rows there
    are: those of the states, of the inputs, the weight, the results so far. Then the places
    of what is yielded, which may be rows as they came in."""
    count = sum(case.windows) + case.inputs + 1
    operations = [(list(OPERATIONS)[rng.integers(3)], *map(int, rng.integers(0, count + i, 2)))
                  for i in range(case.cell)]
    yields = rng.integers(0, count + case.cell, len(case.windows) + case.output)
    return operations, [int(place) for place in yields]


def tensor(shape, type, dynamic, fixed=()):
    """The type of a tensor; a scalar without dimensions."""
    if not shape:
        return type
    extents = "".join("?x" if dynamic and d not in fixed else f"{n}x" for d, n in enumerate(shape))
    return f"tensor<{extents}{type}>"


def values(type, shape):
    if type.startswith("i"):
        return rng.integers(-99, 99, shape).astype(DTYPES[type])
    # Two of these times a state and a half are less than the state.
    return rounded(rng.uniform(-0.45, 0.45, shape), type)


class Numbers:
    """Arithmetic that rounds each result to a type."""

    def __init__(self, type):
        self.type = type

    def __call__(self, op, a, b):
        if self.type.startswith("i"):
            return op(a, b)
        wide = np.float64 if self.type in ("f16", "bf16") else a.dtype
        return rounded(op(a.astype(wide), b.astype(wide)), self.type)


def step(case, t, states, rows, weight):
    """The rows of all states at t, and of the output; states have the latest row last."""
    do = Numbers(case.type)
    if case.cell:
        operations, yields = case.drawn
        known = [s[-back] for s, k in zip(states, case.windows) for back in range(1, k + 1)]
        known += [*rows, weight]
        for op, a, b in operations:
            known.append(do(OPERATIONS[op], known[a], known[b]))
        made = [known[place] for place in yields]
        return made[: len(states)], made[-1]
    latest = [rows_of[-1] for rows_of in states]
    oldest = [rows_of[-k] for rows_of, k in zip(states, case.windows)]
    if case.swap:
        new = latest[1:] + [oldest[0]]
    else:
        number = np.full(case.row, t % 2, latest[0].dtype)
        new = []
        for i in range(len(states)):
            value = do(np.add, oldest[i], latest[(i + 1) % len(states)])
            value = do(np.multiply, weight, value)
            for row in rows:
                value = do(np.subtract, row, value)
            new.append(do(np.subtract, value, number))
    output = do(np.subtract, latest[-1], rows[0] if rows else weight)
    return new, output


def expected(case, inits, inputs, weight):
    """All results, in order."""
    forward = (lambda a: np.flip(a, case.dim)) if case.reverse else (lambda a: a)
    first = lambda a: [np.asarray(r) for r in np.moveaxis(a, case.dim, 0)]
    # Rows beyond the steps are not read, also where the walk is from the last one.
    used = [np.take(x, range(case.steps), case.dim) for x in inputs]
    states = [first(forward(init)) for init in inits]
    rows = [first(forward(x)) for x in used]
    outputs = []
    for s in range(case.steps):
        t = case.steps - 1 - s if case.reverse else s
        new, output = step(case, t, states, [x[s] for x in rows], weight)
        for state, row in zip(states, new):
            state.append(row)
        outputs.append(output)

    def join(rows):
        shape = (0, *case.row)
        dtype = DTYPES[case.type]
        joined = np.stack(rows) if rows else np.zeros(shape, dtype)
        return forward(np.moveaxis(joined.astype(dtype), 0, case.dim))

    histories = [join(s if case.init_rows else s[k:]) for s, k in zip(states, case.windows)]
    finals = [join(s[-k:]) for s, k in zip(states, case.windows)]
    return histories + ([join(outputs)] if case.output else []) + (finals if case.finals else [])


def body(case, row):
    """The body of the recurrence, as a list of lines."""
    kind = "i" if case.type.startswith("i") else "f"
    arguments, latest, oldest = ["%t: index"], [], []
    for i, k in enumerate(case.windows):
        arguments += [f"%h{i}_{back}: {row}" for back in range(1, k + 1)]
        latest.append(f"%h{i}_1")
        oldest.append(f"%h{i}_{k}")
    arguments += [f"%row{i}: {row}" for i in range(case.inputs)] + [f"%weight: {row}"]
    lines, names = [f"^bb0({', '.join(arguments)}):"], itertools.count()

    def emit(op, a, b):
        name = f"%v{next(names)}"
        lines.append(f"{name} = arith.{op}{kind} {a}, {b} : {row}")
        return name

    if case.cell:
        operations, yields = case.drawn
        known = [argument.split(":")[0] for argument in arguments[1:]]
        for op, a, b in operations:
            known.append(emit(op, known[a], known[b]))
        new = [known[place] for place in yields]
    elif case.swap:
        new = latest[1:] + [oldest[0]]
    else:
        lines += ["%two = arith.constant 2 : index", "%rest = arith.remui %t, %two : index"]
        if kind == "i":
            lines.append(f"%number = arith.index_cast %rest : index to {case.type}")
        else:
            lines += ["%i32 = arith.index_cast %rest : index to i32",
                      f"%number = arith.sitofp %i32 : i32 to {case.type}"]
        number = "%number"
        if case.row:
            sizes = []
            for d in range(len(case.row) if case.dynamic else 0):
                lines += [f"%d{d} = arith.constant {d} : index",
                          f"%n{d} = tensor.dim %weight, %d{d} : {row}"]
                sizes.append(f"%n{d}")
            extents = f"[{', '.join(sizes)}]" if sizes else ""
            lines.append(f"%all = tensor.splat %number{extents} : {row}")
            number = "%all"
        new = []
        for i in range(len(case.windows)):
            value = emit("add", oldest[i], latest[(i + 1) % len(latest)])
            value = emit("mul", "%weight", value)
            for x in range(case.inputs):
                value = emit("sub", f"%row{x}", value)
            new.append(emit("sub", value, number))
    if case.output and not case.cell:
        new.append(emit("sub", latest[-1], "%row0" if case.inputs else "%weight"))
    lines.append(f"scan.yield {', '.join(new)} : {', '.join([row] * len(new))}")
    return lines


def add(batch, case):
    """Adds the function of a case to the batch."""
    if case.cell:
        case.drawn = draw_cell(case)

    def shape(extent):
        return case.row[: case.dim] + (extent,) + case.row[case.dim :]

    of = lambda extent, fixed=(): tensor(shape(extent), case.type, case.dynamic, fixed)
    row = tensor(case.row, case.type, case.dynamic)
    rows = case.steps + (case.limit or 0)
    inits = [values(case.type, shape(k)) for k in case.windows]
    inputs = [values(case.type, shape(rows)) for _ in range(case.inputs)]
    weight = values(case.type, case.row)
    init_types = [of(k, fixed=(case.dim,)) for k in case.windows]
    arrays = [(a, case.type) for a in inits + inputs + [weight]]
    kinds = init_types + [of(rows)] * case.inputs + [row]
    names = [f"%init{i}" for i in range(len(inits))] + [f"%x{i}" for i in range(case.inputs)] + ["%w"]

    # With `steps` the extent is not known.
    time = lambda extent: (tensor(shape(extent), case.type, case.dynamic) if case.limit is None else
                           "tensor<" + "".join(
                               "?x" if case.dynamic or d == case.dim else f"{n}x"
                               for d, n in enumerate(shape(extent))) + f"{case.type}>")
    types = [time(case.steps + (k if case.init_rows else 0)) for k in case.windows]
    types += [time(case.steps)] if case.output else []
    types += init_types if case.finals else []
    text = []
    ins = f"ins({', '.join(names[len(inits):-1])} : {', '.join([of(rows)] * case.inputs)}) " if case.inputs else ""
    if case.limit is not None:
        text.append(f"%steps = arith.constant {case.steps} : index")
    extents = ""
    if case.output and case.dynamic and case.row:
        places = range(len(case.row))
        text += [f"%c{d} = arith.constant {d} : index" for d in places]
        text += [f"%e{d} = tensor.dim %w, %c{d} : {row}" for d in places]
        extents = f"extents({', '.join(f'%e{d}' for d in places)} : {', '.join(['index' for d in places])}) "
    # Integers are the same in whatever order steps are taken.
    attributes = [] if case.type.startswith("i") else ["order = #scan.order<sequential>"]
    if where == "blocks":
        attributes.append("scan.schedule = #scan.schedule<strategy = sequential, threads = 32, "
                          f"items = {ahead.integers(1, 5)}>")
    attributes = f" attributes {{{', '.join(attributes)}}}" if attributes else ""
    text.append(f"%r:{len(types)} = scan.recurrence {ins}init({', '.join(names[:len(inits)])} : {', '.join(init_types)}) "
                f"captures(%w : {row}) {'steps(%steps : index) ' if case.limit is not None else ''}{extents}dim = {case.dim}"
                f"{' reverse' if case.reverse else ''}{' init_rows' if case.init_rows else ''}{attributes} {{")
    text += body(case, row)
    text.append(f"}} -> {', '.join(types)}")
    asked = range(len(inits) if case.hidden else 0, len(types))
    types = [types[i] for i in asked]
    text.append(f"return {', '.join(f'%r#{i}' for i in asked)} : {', '.join(types)}")
    reference = [expected(case, inits, inputs, weight)[i] for i in asked]

    def handle(found):
        for i, (mine, theirs) in enumerate(zip(found, reference, strict=True)):
            checker.equal(f"{case}: result {i}", mine, theirs)

    batch.add("\n".join(text), arrays, names, kinds, [(t, case.type) for t in types], handle)


cases = []
# Each direction, kind of results and dimension with windows of one and several lengths.
for reverse, init_rows, dim, windows in itertools.product(
        [False, True], [False, True], [0, 1, 2], [(1,), (2,), (3,), (1, 3), (2, 1, 3)]):
    cases.append(Case(row=(2, 3), dim=dim, windows=windows, reverse=reverse, init_rows=init_rows,
                      output=True, dynamic=dim == 1, swap=len(windows) == 3))
# Element types, widths around those of vectors, few steps and many.
for type, n in itertools.product(TYPES, [1, 255, 257]):
    cases.append(Case(type=type, row=(n,), windows=(2,), reverse=n == 255, init_rows=n == 1))
for type, steps in itertools.product(TYPES, [0, 1, 2, 300]):
    cases.append(Case(type=type, row=(), windows=(2, 1), steps=steps, reverse=steps == 2))
    cases.append(Case(type=type, row=(3,), dim=1, windows=(3,), steps=steps, inputs=2, init_rows=steps == 1))
# Only the last rows, and outputs: of windows that are no powers of two, and longer than
# the walk.
for reverse, dim, windows, steps in itertools.product([False, True], [0, 1], [(1,), (3, 1), (2, 5)], [0, 1, 4, 11]):
    cases.append(Case(row=(4,), dim=dim, windows=windows, steps=steps, reverse=reverse, hidden=True,
                      output=dim == 0, init_rows=steps == 4, swap=len(windows) == 2))
# A number of steps, with and without inputs; fewer steps than rows of the init.
for inputs, limit, steps, reverse in itertools.product([0, 2], [0, 3], [0, 1, 5], [False, True]):
    cases.append(Case(windows=(3, 1), steps=steps, limit=limit, inputs=inputs, reverse=reverse,
                      dynamic=True))
factors = lambda case: [case.type, case.row, case.dim, case.windows, case.reverse, case.init_rows,
                        case.steps, case.limit is None]
if where == "blocks":  # Loops over scalars would be raised to scans before they are kernels.
    draw_any, draw = draw, lambda: next(case for case in iter(draw_any, None) if case.row)
    cases = [case for case in cases if case.row]
cases = sampling.sample(cases, every, seed, factors) + [draw() for _ in range(count)]
for first in range(0, len(cases), 40):
    batch = Batch()
    for case in cases[first : first + 40]:
        add(batch, case)
    if where == "blocks":
        batch.run("--scan-recurrence-to-blocks", run_options=["--target=emulator"])
    elif where in PASSES:
        batch.run(*PASSES[where])
    else:
        batch.run_on(where)
checker.finish()
