"""linear_recurrence of mlir_scan.jax against its definition."""

import functools

import jax
import numpy
import oracle
import pytest
from jax import numpy as jnp
from jax.test_util import check_grads

import mlir_scan.jax as scan
from mlir_scan import ScanError

OFFSETS = [0, 4, 4, 5, 11]


def data(*shape, dtype="float64", seed=0):
    generator = numpy.random.default_rng(seed)
    a = 0.5 + 0.6 * generator.random(shape)
    b = generator.standard_normal(shape)
    return jnp.asarray(a, dtype), jnp.asarray(b, dtype)


def close(found, expected, tolerance=1e-12):
    jax.tree.map(functools.partial(numpy.testing.assert_allclose, rtol=tolerance,
                                   atol=tolerance), found, expected)


SHAPES = [((9,), 0), ((3, 9), 1), ((9, 3), 0), ((2, 9, 4), 1), ((2, 9, 4), -1), ((9, 2, 3), 0),
          ((2, 3, 7, 2), 2), ((2, 1, 3), 1)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_values(shape, axis, reverse):
    a, b = data(*shape)
    h0 = jnp.take(b, 0, axis) * 2
    for initial in (None, h0):
        found = scan.linear_recurrence(a, b, initial, axis, reverse, return_final_state=True)
        close(found, oracle.linear_recurrence(a, b, initial, axis % len(shape), reverse))
        alone = scan.linear_recurrence(a, b, initial, axis, reverse)
        numpy.testing.assert_array_equal(alone, found[0])


@pytest.mark.parametrize("shape", [(1, 9, 4), (2, 9, 1), (1, 9, 1), (9, 4), (9, 1), (2, 1, 4),
                                   (1, 1, 1), ()])
def test_broadcast_coefficients(shape):
    a, b = data(*shape)[0], data(2, 9, 4)[1]
    close(scan.linear_recurrence(a, b), oracle.linear_recurrence(a, b)[0])

    def ours(a):
        return jnp.sum(scan.linear_recurrence(a, b) ** 2)

    def theirs(a):
        return jnp.sum(scan.linear_recurrence(jnp.broadcast_to(a, b.shape), b) ** 2)

    close(jax.grad(ours)(a), jax.grad(theirs)(a), 1e-11)
    batch = jnp.stack([a, a / 2, a / 3])
    close(jax.vmap(ours)(batch), jnp.stack([theirs(item) for item in batch]), 1e-11)
    close(jax.vmap(lambda b: scan.linear_recurrence(a, b))(jnp.stack([b, 2 * b])),
          jnp.stack([scan.linear_recurrence(a, b), scan.linear_recurrence(a, 2 * b)]))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("shape, axis", [((11, 3), 0), ((2, 11, 3), 1), ((2, 11), 1)])
def test_segments(shape, axis, kind, reverse):
    a, b = data(*shape)
    offsets = jnp.asarray(OFFSETS, kind)
    states = list(shape)
    states[axis] = 4
    h0 = data(*states, seed=3)[1]
    for initial in (None, h0):
        run = jax.jit(functools.partial(scan.linear_recurrence, axis=axis, reverse=reverse,
                                        return_final_state=True))
        close(run(a, b, initial, segments=offsets),
              oracle.linear_recurrence(a, b, initial, axis, reverse, OFFSETS))


def test_offsets_from_numpy_and_lists():
    a, b = data(2, 11, 3)
    expected = oracle.linear_recurrence(a, b, offsets=OFFSETS)[0]
    close(scan.linear_recurrence(a, b, segments=OFFSETS), expected)
    close(scan.linear_recurrence(a, b, segments=numpy.array(OFFSETS, "int32")), expected)


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(reverse):
    a, b = data(2, 5, 3)
    h0 = data(2, 3, seed=1)[1]
    run = functools.partial(scan.linear_recurrence, reverse=reverse, return_final_state=True)
    check_grads(run, (a, b, h0), order=2)
    check_grads(lambda a: scan.linear_recurrence(a, a, axis=0), (a[0, :, 0],), order=1)


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_segments(reverse):
    a, b = data(7, 2)
    offsets = jnp.asarray([0, 3, 3, 7], "int32")
    h0 = data(3, 2, seed=1)[1]
    run = functools.partial(scan.linear_recurrence, axis=0, segments=offsets, reverse=reverse,
                            return_final_state=True)
    check_grads(run, (a, b, h0), order=1)
    check_grads(lambda a, b: run(a, b), (a, b), order=2)
    close(jax.jit(jax.grad(lambda *items: run(*items)[0].sum(), (0, 1, 2)))(a, b, h0),
          jax.grad(lambda *items: run(*items)[0].sum(), (0, 1, 2))(a, b, h0))


def test_nothing_reaches_the_next_segment():
    a, b = data(6, 2)
    b = b.at[1, 0].set(jnp.nan)
    h = scan.linear_recurrence(a, b, axis=0, segments=[0, 3, 6])
    assert numpy.isnan(h[1:3, 0]).all() and numpy.isfinite(h[3:]).all()


def test_vmap_of_segments():
    """With one list of offsets for all, batches merge; with several, each has its call."""
    a, b = data(3, 2, 11, 4)
    h0 = data(3, 2, 4, 4, seed=2)[1]
    several = jnp.asarray([OFFSETS, [0, 1, 2, 3, 11], [0, 0, 0, 0, 11]], "int32")
    run = functools.partial(scan.linear_recurrence, return_final_state=True)

    def one(a, b, h0, offsets):
        return run(a, b, h0, segments=offsets)

    shared = jax.vmap(one, (0, 0, 0, None))
    close(shared(a, b, h0, several[0]),
          jax.tree.map(lambda *items: jnp.stack(items),
                       *[one(a[i], b[i], h0[i], several[0]) for i in range(3)]))
    calls = str(jax.make_jaxpr(shared)(a, b, h0, several[0]))
    assert calls.count("mlir_scan_call") == 1 and "scan[" not in calls.replace("mlir_scan", "")
    own = jax.vmap(one)
    expected = jax.tree.map(lambda *items: jnp.stack(items),
                            *[one(a[i], b[i], h0[i], several[i]) for i in range(3)])
    close(own(a, b, h0, several), expected)
    close(jax.jit(own)(a, b, h0, several), expected)

    def loss(function, *items):
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in function(*items))

    ours = jax.grad(functools.partial(loss, own), (0, 1, 2))(a, b, h0, several)
    for i in range(3):
        close(tuple(item[i] for item in ours),
              jax.grad(functools.partial(loss, one), (0, 1, 2))(a[i], b[i], h0[i], several[i]),
              1e-11)
    inner = jax.vmap(jax.grad(functools.partial(loss, one), (0, 1, 2)), (0, 0, 0, None))
    close(inner(a, b, h0, several[0]),
          jax.tree.map(lambda *items: jnp.stack(items), *[
              jax.grad(functools.partial(loss, one), (0, 1, 2))(a[i], b[i], h0[i], several[0])
              for i in range(3)]), 1e-11)


def test_symbolic_lengths_of_segments():
    steps, count = jax.export.symbolic_shape("t, s")
    kinds = [jax.ShapeDtypeStruct((2, steps, 3), "float64")] * 2 + [
        jax.ShapeDtypeStruct((2, count, 3), "float64"),
        jax.ShapeDtypeStruct((count + 1,), "int32")]
    run = jax.jit(lambda a, b, h0, offsets: scan.linear_recurrence(
        a, b, h0, segments=offsets, return_final_state=True))
    check = jax.export.DisabledSafetyCheck.custom_call("mlir_scan_call")
    exported = jax.export.export(run, disabled_checks=[check])(*kinds)
    for offsets in ([0, 5], [0, 2, 2, 9]):
        a, b = data(2, offsets[-1], 3)
        h0 = data(2, len(offsets) - 1, 3, seed=1)[1]
        close(exported.call(a, b, h0, jnp.asarray(offsets, "int32")),
              oracle.linear_recurrence(a, b, h0, offsets=offsets))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_types_accumulate_in_f32(dtype):
    a, b = data(2, 300, 4, dtype=dtype)
    a = jnp.minimum(a, jnp.asarray(0.95, dtype))
    h = scan.linear_recurrence(a, b)
    assert h.dtype == dtype
    expected = oracle.linear_recurrence(a.astype("float64"), b.astype("float64"))[0]
    # One rounding of the result; the states themselves are at 2^-24 each step.
    bound = float(jnp.finfo(dtype).eps) * abs(expected) + 300 * 2.0**-24 * abs(expected).max()
    assert (abs(numpy.asarray(h, "float64") - expected) <= bound).all()


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "int8", "int32", "int64"])
def test_other_types(dtype):
    generator = numpy.random.default_rng(1)
    if dtype.startswith("complex"):
        a = jnp.exp(6j * generator.random((3, 40))).astype(dtype)
        b = jnp.asarray(generator.standard_normal((3, 40))).astype(dtype)
        close(scan.linear_recurrence(a, b), oracle.linear_recurrence(a, b)[0], 1e-4)
        check_grads(scan.linear_recurrence, (a[:, :5].astype("complex128"),
                                             b[:, :5].astype("complex128")), order=1)
    else:
        a = jnp.asarray(generator.integers(-3, 4, (3, 40)), dtype)
        b = jnp.asarray(generator.integers(-9, 9, (3, 40)), dtype)
        with numpy.errstate(over="ignore"):
            expected = oracle.linear_recurrence(a, b)[0]
        numpy.testing.assert_array_equal(scan.linear_recurrence(a, b), expected)


def test_promotion():
    a, b = data(2, 5, 3, dtype="float32")
    h = scan.linear_recurrence(a.astype("bfloat16"), b)
    assert h.dtype == jnp.float32
    close(h, oracle.linear_recurrence(a.astype("bfloat16").astype("float32"), b)[0], 1e-5)


@pytest.mark.parametrize("shape, axis", [((0,), 0), ((2, 0, 3), 1), ((0, 4, 3), 1),
                                         ((2, 4, 0), 1)])
def test_empty(shape, axis):
    a, b = data(*shape)
    h0 = jnp.full([extent for number, extent in enumerate(shape) if number != axis], 7.0)
    h, last = scan.linear_recurrence(a, b, h0, axis, return_final_state=True)
    assert h.shape == b.shape and last.shape == h0.shape
    if shape[axis] == 0:
        numpy.testing.assert_array_equal(last, h0)
    gradients = jax.grad(lambda *items: scan.linear_recurrence(*items, axis).sum(),
                         (0, 1, 2))(a, b, h0)
    assert [item.shape for item in gradients] == [a.shape, b.shape, h0.shape]


def refuses(*words, kind=ScanError, **arguments):
    """Eagerly, and while `jit` traces."""
    def run():
        return scan.linear_recurrence(**arguments)

    for function in (run, jax.jit(run)):
        with pytest.raises(kind) as error:
            function()
        for word in words:
            assert word in str(error.value), str(error.value)


def test_refusals(on_cpu):
    a, b = data(2, 5, 3)
    refuses("a has the shape", "dimension 2", a=a[..., :2], b=b)
    refuses("broadcast", a=a[None], b=b)
    refuses("h0 has the shape", "(2, 3)", a=a, b=b, h0=jnp.zeros((3, 2)))
    refuses("dim", a=a, b=b, axis=3, kind=IndexError)
    refuses("rank 1", a=1.0, b=2.0)
    refuses("offsets", a=a, b=b, segments=jnp.asarray([0.0, 5.0]))
    refuses("offsets", a=a, b=b, segments=jnp.asarray([[0, 5]]))
    refuses("at least one offset", a=a, b=b, segments=jnp.zeros(0, "int32"))
    refuses("with 2 segments", a=a, b=b, segments=jnp.asarray([0, 2, 5]), h0=jnp.zeros((2, 3)))
    refuses("booleans", a=a > 0, b=b > 0)
    # The compiler does not differentiate the gradient of the states that segments begin with.
    last = functools.partial(scan.linear_recurrence, segments=jnp.asarray([0, 2, 5]))
    with pytest.raises(ScanError, match="not differentiated"):
        jax.hessian(lambda a, h0: last(a, b, h0).sum(), (0, 1))(a, jnp.ones((2, 2, 3)))
    refuses("uint8", a=a.astype("uint8"), b=b.astype("uint8"))
    if not on_cpu:
        return
    # Values are known when the function runs.
    for wrong in ([0, 7, 5], [0, 4], [1, 5]):
        with pytest.raises(jax.errors.JaxRuntimeError, match="segment"):
            jax.block_until_ready(jax.jit(scan.linear_recurrence)(
                a, b, segments=jnp.asarray(wrong, "int32")))
