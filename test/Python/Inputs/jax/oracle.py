"""The definition of a recurrence, step by step in numpy."""

import numpy


def linear_recurrence(a, b, h0=None, axis=1, reverse=False, offsets=None):
    """States and final states; `a` may be broadcast to `b`."""
    a, b = numpy.broadcast_arrays(numpy.asarray(a), numpy.asarray(b))
    a, b = (numpy.moveaxis(item, axis, 0) for item in (a, b))
    kind = numpy.result_type(a, b)
    bounds = [0, len(b)] if offsets is None else list(offsets)
    starts = numpy.zeros((len(bounds) - 1, *b.shape[1:]), kind)
    if h0 is not None:
        h0 = numpy.asarray(h0)
        starts[...] = h0[None] if offsets is None else numpy.moveaxis(h0, axis, 0)
    h, finals = numpy.zeros(b.shape, kind), starts.copy()
    for number, (begin, end) in enumerate(zip(bounds, bounds[1:])):
        state = starts[number]
        steps = range(end - 1, begin - 1, -1) if reverse else range(begin, end)
        for step in steps:
            state = a[step] * state + b[step]
            h[step] = state
        finals[number] = state
    h = numpy.moveaxis(h, 0, axis)
    return h, finals[0] if offsets is None else numpy.moveaxis(finals, 0, axis)
