"""What the workloads compute, in float64, with NumPy or with PyTorch.

`xp` is the module numpy or torch; both have what is used here. Scans are done in
log2(n) steps over whole arrays, or as a left fold (`fold=True`): each result is the
combination of all elements up to it, in order, which is all that a scan promises.
"""

EPSILON = {"f32": 2.0**-24, "bf16": 2.0**-8, "complex<f32>": 2.0**-23}


def evaluate(xp, case, inputs, fold=False):
    """The outputs of `case` for `inputs`, all as float64 or complex128."""
    run = _fold if fold else _steps
    if case.operator == "cumsum":
        return run(xp, lambda left, right: [left[0] + right[0]], inputs, case.dim, case.reverse)
    if case.operator == "recurrence":
        a, b = inputs[:2]
        h = _recurrence(xp, run, a, b, case.dim, False)
        if not case.is_derivative:
            return [h]
        # g_t = dh_t + a_{t+1} g_{t+1}; the gradients are g_t h_{t-1} and g_t.
        g = _recurrence(xp, run, _shift(xp, a, case.dim, -1), inputs[2], case.dim, True)
        return [h, g * _shift(xp, h, case.dim, 1), g]
    if case.operator == "softmax":
        def combine(left, right):
            largest = xp.maximum(left[0], right[0])
            return [largest, left[1] * xp.exp(left[0] - largest)
                    + right[1] * xp.exp(right[0] - largest)]
        return run(xp, combine, [inputs[0], xp.ones_like(inputs[0])], case.dim, False)
    if case.operator == "argmax":
        def combine(left, right):
            more = right[0] > left[0]
            return [xp.where(more, right[0], left[0]), xp.where(more, right[1], left[1])]
        where = xp.cumsum(xp.ones_like(inputs[0]), 0) - 1
        return run(xp, combine, [inputs[0], where], case.dim, False)
    if case.operator == "matrices":
        entries = [inputs[0][..., i, j] for i in (0, 1) for j in (0, 1)]

        def combine(left, right):
            a, b, c, d = left
            e, f, g, h = right
            return [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]
        product = run(xp, combine, entries, case.dim, False)
        return [xp.stack(product, -1).reshape(inputs[0].shape)]
    if case.operator.startswith("packed"):
        return [_packed(xp, run, case, inputs)]
    raise ValueError(case.operator)


def _packed(xp, run, case, inputs):
    """Scans that start anew where a sequence does; `inputs` may be the first steps only."""
    x, offsets = inputs[-2:]
    offsets = offsets.long() if hasattr(offsets, "long") else offsets.astype("int64")
    begins = xp.zeros_like(x)
    begins[offsets[offsets < x.shape[0]]] = 1
    a = inputs[0] if case.operator == "packed recurrence" else xp.ones_like(x)
    # What comes before the begin of a sequence counts for nothing in it.
    return _recurrence(xp, run, xp.where(begins > 0, 0 * a, a), x, case.dim, False)


def _join(xp, parts, dim):
    return xp.concatenate(parts, dim) if hasattr(xp, "concatenate") else xp.cat(parts, dim)


def _cut(array, dim, begin, end):
    return array[(slice(None),) * dim + (slice(begin, end),)]


def _shift(xp, array, dim, by):
    """Each element by one place, zero where none comes."""
    size = array.shape[dim]
    zero = xp.zeros_like(_cut(array, dim, 0, 1))
    if by > 0:
        return _join(xp, [zero, _cut(array, dim, 0, size - 1)], dim)
    return _join(xp, [_cut(array, dim, 1, size), zero], dim)


def _recurrence(xp, run, a, b, dim, reverse):
    def combine(left, right):
        return [left[0] * right[0], right[0] * left[1] + right[1]]
    return run(xp, combine, [a, b], dim, reverse)[1]


def _steps(xp, combine, leaves, dim, reverse):
    if reverse:
        leaves = [xp.flip(leaf, (dim,)) for leaf in leaves]
    size, distance = leaves[0].shape[dim], 1
    while distance < size:
        new = combine([_cut(leaf, dim, 0, size - distance) for leaf in leaves],
                      [_cut(leaf, dim, distance, size) for leaf in leaves])
        leaves = [_join(xp, [_cut(leaf, dim, 0, distance), part], dim)
                  for leaf, part in zip(leaves, new)]
        distance *= 2
    return [xp.flip(leaf, (dim,)) for leaf in leaves] if reverse else leaves


def _fold(xp, combine, leaves, dim, reverse):
    if reverse:
        leaves = [xp.flip(leaf, (dim,)) for leaf in leaves]
    state = [_cut(leaf, dim, 0, 1) for leaf in leaves]
    states = [state]
    for step in range(1, leaves[0].shape[dim]):
        state = combine(state, [_cut(leaf, dim, step, step + 1) for leaf in leaves])
        states.append(state)
    joined = [_join(xp, list(parts), dim) for parts in zip(*states)]
    return [xp.flip(leaf, (dim,)) for leaf in joined] if reverse else joined


def tolerance(case):
    """How far a result may be off: `relative` to itself and to the `largest` of all.

    Sums of the small integers that the inputs are and maxima are exact. The decays
    of recurrences and rotations keep rounding errors from adding up without bound; the
    factor covers the steps for which they do. bf16 is rounded when it is stored, and
    the backward kernel reads the rounded states.
    """
    if case.operator in ("cumsum", "argmax", "packed sum"):
        return 0.0, 0.0
    epsilon = EPSILON[case.element]
    if case.operator == "matrices":
        # Products of rotations: one rounding error per step of the chain stays.
        return 0.0, 64 * epsilon * max(1.0, case.size**0.5)
    if case.operator == "softmax":
        # The sum grows with the length, and its errors with the depth of the tree.
        return 64 * epsilon * max(1.0, case.size**0.25), 16 * epsilon
    return 4 * epsilon, 64 * EPSILON["f32"] + (2 * epsilon if case.is_derivative else 0)


def difference(xp, case, found, expected):
    """The largest error as a fraction of what is tolerated, over all outputs that there
    are (1 is the limit); infinite where a result is no number."""
    relative, largest = tolerance(case)
    worst = 0.0
    for result, exact in zip(found, expected):
        if result is None:
            continue
        bound = relative * abs(exact) + largest * float(abs(exact).max())
        error = abs(result - exact)
        if not bool(xp.isfinite(error).all()):
            return float("inf")
        excess = xp.where(error > 0, error / xp.where(bound > 0, bound, bound + 1e-300), error)
        worst = max(worst, float(excess.max()))
    return worst


def largest_step(xp, x, y, chunk=2**26):
    """Of a sum of small integers along its only dimension: by how much a step of the
    result differs from the element that is added there, at most. For arrays that are too
    long for a reference; no rounding error is tolerated, nor made."""
    worst = float(abs(y[:1] - x[:1]).max())
    for begin in range(0, x.shape[0], chunk):
        end = min(begin + chunk, x.shape[0] - 1)
        if end > begin:
            error = abs(y[begin + 1:end + 1] - y[begin:end] - x[begin + 1:end + 1])
            if not bool(xp.isfinite(error).all()):
                return float("inf")
            worst = max(worst, float(error.max()))
    return worst
