"""Checks scans over segments against left folds in numpy, one per segment.

usage: segments.py WHERE COUNT SEED

WHERE is `graph` (the interpreter, as the program is), `flags` (the interpreter,
after --scan-expand-segments), `kernels` (the interpreter, after --scan-normalize),
or a target of scan-run, which may round differently. COUNT programs are drawn; no
kind of segments, inits or results is left to chance.
"""

import itertools
import sys

import numpy as np
from refcheck import DTYPES, Batch, Checker, accumulator, rounded, run

where, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(seed)
checker = Checker()
batch = Batch()
PASSES = {"graph": [], "flags": ["--scan-expand-segments"], "kernels": ["--scan-normalize"]}
STEPS = 13

# Per operator: its leaves (element type, trailing shape), the combine region on %a*
# (accumulated) and %b* (new), and the same in numpy.
OPERATORS = {
    "sum": ([("f32", ())], "%y0 = arith.addf %a0, %b0 : f32", lambda s, x: [s[0] + x[0]]),
    "xor": ([("i32", ())], "%y0 = arith.xori %a0, %b0 : i32", lambda s, x: [s[0] ^ x[0]]),
    "bf16 sum": ([("bf16", ())], "%y0 = arith.addf %a0, %b0 : bf16", lambda s, x: [s[0] + x[0]]),
    "pair": ([("f32", ()), ("f32", ())], """%y0 = arith.mulf %b0, %a0 : f32
      %t = arith.mulf %b0, %a1 : f32
      %y1 = arith.addf %t, %b1 : f32""", lambda s, x: [x[0] * s[0], x[0] * s[1] + x[1]]),
    "matrix": ([("f32", (2, 2))], """%z = arith.constant dense<0.0> : tensor<2x2xf32>
      %y0 = linalg.matmul ins(%a0, %b0 : tensor<2x2xf32>, tensor<2x2xf32>)
        outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>""",
               lambda s, x: [(np.float32(0) + s[0][..., :, 0, None] * x[0][..., None, 0, :])
                             + s[0][..., :, 1, None] * x[0][..., None, 1, :]]),
    "linear": ([("f32", ())], None, None),
    "bf16 linear": ([("bf16", ())], None, None),
    "i32 linear": ([("i32", ())], None, None),
}


def values(type, shape):
    if type == "i32":
        return rng.integers(-9, 9, shape, dtype=np.int32)
    return rounded(rng.uniform(-1.5, 1.5, shape), type)


def spoil(array, type, is_sum):
    """Something that is not to leave its segment. What comes out of infinite
    numbers depends on the order in which they are multiplied and added up, but for
    sums."""
    if type != "i32" and array.size:
        array.reshape(-1)[rng.integers(array.size)] = rng.choice(
            [np.nan, np.inf] if is_sum or where in PASSES else [np.nan])


def draw_offsets(steps):
    kind = rng.integers(5)
    if steps == 0:
        return np.zeros(1 + rng.integers(3), np.int64)
    if kind == 0:
        return np.array([0, steps])
    if kind == 1:
        return np.arange(steps + 1)
    cuts = np.sort(rng.integers(0, steps + 1, rng.integers(1, 7)))
    if kind == 2:  # Empty segments first, last and in between.
        cuts = np.sort(np.concatenate([[0, 0], cuts, cuts[:1], [steps]]))
    return np.concatenate([[0], cuts, [steps]])


def tensor(shape, type, dynamic):
    extents = "".join("?x" if dynamic else f"{n}x" for n in shape)
    return f"tensor<{extents}{type}>"


def fold(leaves, inputs, inits, walk, step, exclusive):
    """One walk: inits per leaf or None; inputs per leaf, steps first."""
    wide = [accumulator(type) for type, _ in leaves]
    state = None if inits is None else [np.asarray(i).astype(w) for i, w in zip(inits, wide)]
    outs = {}
    with np.errstate(all="ignore"):
        for t in walk:
            new = [x[t].astype(w) for x, w in zip(inputs, wide)]
            before = state
            state = step(state, new)
            outs[t] = before if exclusive else state
    return outs, state


def add_case(name, rank, dim, offsets_type, init_kind, reverse, exclusive, finals, dynamic, steps):
    leaves, body, function = OPERATORS[name]
    linear = body is None
    shape = list(rng.integers(1, 4, rank))
    shape[dim] = steps
    is_offsets = offsets_type != "flags"
    inputs, names, kinds = [], [], []

    def add(array, type, label, kind):
        inputs.append((array, type))
        names.append(label)
        kinds.append(kind)
        return label

    data = []
    for i, (type, trailing) in enumerate(leaves):
        x = values(type, (*shape, *trailing))
        spoil(x, type, linear or len(leaves) == 1 and not trailing)
        data.append(x)
        text = tensor(shape, type, dynamic)
        if trailing:
            text = text[:-len(type) - 1] + "".join(f"{n}x" for n in trailing) + type + ">"
        add(x, type, f"%x{i}", text)
    coefficient = None
    if linear:
        type = leaves[0][0]
        a_shape = [1 if d != dim and rng.integers(3) == 0 else n for d, n in enumerate(shape)]
        coefficient = values(type, a_shape)
        add(coefficient, type, "%a",
            "tensor<" + "".join("1x" if m == 1 and n != 1 else "?x" if dynamic else f"{m}x"
                                for m, n in zip(a_shape, shape)) + type + ">")
        coefficient = np.broadcast_to(coefficient, shape)

    if is_offsets:
        offsets = draw_offsets(steps)
        count_segments = len(offsets) - 1
        segments = add(offsets, offsets_type, "%s",
                       tensor(offsets.shape, offsets_type, dynamic or steps == 0))
    else:
        full = rng.integers(3) > 0
        flags_shape = [1 if d != dim and rng.integers(2) else n for d, n in enumerate(shape)] if full else [steps]
        flags = rng.integers(0, 3, flags_shape) == 0
        extents = "".join("1x" if full and m == 1 and d != dim else "?x" if dynamic else f"{m}x"
                          for d, m in enumerate(flags_shape))
        segments = add(flags, "i1", "%s", f"tensor<{extents}i1>")
        if not full:
            flags = flags.reshape([-1 if d == dim else 1 for d in range(rank)])
        flags = np.broadcast_to(flags, shape)

    init_arrays, init_names, init_kinds = [], [], []
    for i, (type, trailing) in enumerate(leaves):
        if init_kind == "none":
            break
        rest = [n for d, n in enumerate(shape) if d != dim]
        if init_kind == "scalar" and not trailing:
            init_shape, kind = (), type
        elif init_kind in ("scalar", "shared"):
            init_shape = (*rest, *trailing)
            kind = None
        else:
            init_shape = list(shape)
            if is_offsets:
                init_shape[dim] = count_segments
            init_shape = (*init_shape, *trailing)
            kind = None
        array = values(type, init_shape)
        if kind is None:
            lead = init_shape[:len(init_shape) - len(trailing)]
            kind = "tensor<" + "".join("?x" if dynamic else f"{n}x" for n in lead) + \
                "".join(f"{n}x" for n in trailing) + type + ">"
        init_arrays.append(array)
        init_names.append(add(array, type, f"%i{i}", kind))
        init_kinds.append(kind)

    results = []
    for (type, trailing), x in zip(leaves, data):
        results.append((kinds[names.index(f"%x{len(results)}")], type))
    if finals:
        for type, trailing in leaves:
            lead = [n for d, n in enumerate(shape) if d != dim]
            lead = ["?" if dynamic else str(n) for n in lead]
            if is_offsets:
                lead.insert(dim, "?" if dynamic or steps == 0 else str(count_segments))
            results.append(("tensor<" + "".join(f"{n}x" for n in (*lead, *trailing)) + type + ">", type))

    init = f" init({', '.join(init_names)} : {', '.join(init_kinds)})" if init_names else ""
    mode = (" reverse" if reverse else "") + (" exclusive" if exclusive else "")
    seg = f" segments(%s : {kinds[names.index('%s')]})"
    types = ", ".join(t for t, _ in results)
    if linear:
        type = leaves[0][0]
        op = (f"  %r:{len(results)} = scan.linear_recurrence ins(%a, %x0 : {kinds[names.index('%a')]}, {kinds[0]})"
              f"{init}{seg} dim = {dim}{mode} -> {types}\n")
    else:
        blocks = [f"tensor<{''.join(f'{n}x' for n in trailing)}{type}>" if trailing else type
                  for type, trailing in leaves]
        arguments = ", ".join([f"%a{i}: {t}" for i, t in enumerate(blocks)] +
                              [f"%b{i}: {t}" for i, t in enumerate(blocks)])
        listed = ", ".join(f"%x{i}" for i in range(len(leaves)))
        op = (f"  %r:{len(results)} = scan.associative ins({listed} : {', '.join(kinds[:len(leaves)])})"
              f"{init}{seg} dim = {dim}{mode} {{\n    ^bb0({arguments}):\n      {body}\n"
              f"      scan.yield {', '.join(f'%y{i}' for i in range(len(leaves)))} : {', '.join(blocks)}\n"
              f"  }} -> {types}\n")
    op += f"  return {', '.join(f'%r#{i}' for i in range(len(results)))} : {types}"

    # What to expect.
    expected = [np.zeros((*shape, *trailing), accumulator(type)) for type, trailing in leaves]
    last = []
    for type, trailing in leaves:
        lead = [n for d, n in enumerate(shape) if d != dim]
        if is_offsets:
            lead.insert(dim, count_segments)
        last.append(np.zeros((*lead, *trailing), accumulator(type)))
    others = [range(n) if d != dim else [0] for d, n in enumerate(shape)]
    for point in itertools.product(*others):
        def line(array):
            at = list(point)
            at[dim] = slice(None)
            return array[tuple(at)]
        if is_offsets:
            runs = [(s, list(range(offsets[s], offsets[s + 1]))) for s in range(count_segments)]
            runs = [(s, r[::-1] if reverse else r) for s, r in runs]
        else:
            order = list(range(steps))[::-1] if reverse else list(range(steps))
            runs = []
            for t in order:
                if not runs or line(flags)[t]:
                    runs.append((t, []))
                runs[-1][1].append(t)
            if not runs:
                runs = [(None, [])]
        for state_index, walk in runs:
            inits = None
            if init_arrays:
                inits = []
                for array, (type, trailing) in zip(init_arrays, leaves):
                    if array.ndim - len(trailing) == rank:
                        inits.append(np.zeros(trailing) if state_index is None else line(array)[state_index])
                    elif array.ndim == 0:
                        inits.append(array)
                    else:
                        rest_point = tuple(p for d, p in enumerate(point) if d != dim)
                        inits.append(array[rest_point])
            if linear:
                coefficients = line(coefficient).astype(accumulator(leaves[0][0]))
                current = iter(walk)

                def step(state, new):
                    t = next(current)
                    return new if state is None else [coefficients[t] * state[0] + new[0]]
            else:
                def step(state, new):
                    return new if state is None else function(state, new)
            outs, final = fold(leaves, [line(x) for x in data], inits, walk, step, exclusive)
            for t, states in outs.items():
                for result, state in zip(expected, states):
                    line(result)[t] = state
            if final is None:
                final = [np.zeros(trailing, accumulator(type)) for type, trailing in leaves]
            for i, state in enumerate(final):
                if is_offsets:
                    line(last[i])[state_index] = state
                else:
                    last[i][tuple(p for d, p in enumerate(point) if d != dim)] = state
    everything = expected + (last if finals else [])
    label = (f"{name} rank {rank} dim {dim} {offsets_type} init {init_kind}{mode} finals {finals} "
             f"dynamic {dynamic} steps {steps}")

    def handle(found):
        for i, (array, (_, type)) in enumerate(zip(everything, results)):
            wanted = rounded(array, type) if type != "i32" else array
            if where in PASSES or type == "i32":
                checker.equal(f"{label} result {i}", found[i], wanted)
            else:
                tolerance = 2e-2 if type == "bf16" else 1e-4
                same = np.isclose(found[i], wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
                at = tuple(np.argwhere(~same)[0]) if not np.all(same) else ()
                checker.check(f"{label} result {i} at {at}: found {found[i][at]}, expected {wanted[at]}",
                              np.all(same))

    batch.add(op, inputs, names, kinds, results, handle)


axes = {
    "name": list(OPERATORS), "place": [(1, 0), (2, 0), (2, 1), (3, 1)],
    "offsets_type": ["i32", "i64", "index", "flags", "flags"],
    "init_kind": ["none", "scalar", "shared", "own", "own"],
    "reverse": [False, True], "exclusive": [False, True], "finals": [True, False], "dynamic": [True, False],
    "steps": [STEPS, 1, STEPS, 0, 70, 150],
}
if where in ("emulator", "cuda"):
    # What kernels are passed has 8 bits and more, and no index.
    axes["offsets_type"] = ["i32", "i64", "flags"]
for number in range(count):
    # Every value of every axis in turn, in another order each time round.
    choice = {}
    for axis, options in axes.items():
        if number % len(options) == 0:
            rng.shuffle(options)
        choice[axis] = options[number % len(options)]
    rank, dim = choice.pop("place")
    if choice["init_kind"] == "none":
        choice["exclusive"] = False
    rank, dim = int(rank), int(dim)
    add_case(rank=rank, dim=dim, **choice)

if where in PASSES:
    batch.run(*PASSES[where])
else:
    batch.run_on(where)
checker.finish()
