"""mlir_scan.jax against jax.lax.associative_scan and the definition."""

import functools

import jax
import numpy
import pytest
from jax import numpy as jnp

import mlir_scan.jax as scan
from mlir_scan import ScanError

def affine(x, y):
    return y[0] * x[0], y[0] * x[1] + y[1]


def data(*shape, dtype="float64", seed=0):
    generator = numpy.random.default_rng(seed)
    a = 0.5 + 0.6 * generator.random(shape)
    b = generator.standard_normal(shape)
    return jnp.asarray(a, dtype), jnp.asarray(b, dtype)


def online_softmax(x, y):
    m = jnp.maximum(x["m"], y["m"])
    return {"m": m, "s": x["s"] * jnp.exp(x["m"] - m) + y["s"] * jnp.exp(y["m"] - m)}


def close(found, expected, tolerance=1e-11):
    jax.tree.map(functools.partial(numpy.testing.assert_allclose, rtol=tolerance,
                                   atol=tolerance), found, expected)


# Compiled as a whole, JAX's own scans take a fraction of the time of one step at a time.
@functools.partial(jax.jit, static_argnames=("combine", "reverse", "axis"))
def expected_scan(combine, elems, reverse=False, axis=0):
    return jax.lax.associative_scan(combine, elems, reverse, axis)


SHAPES = [((7,), 0), ((3, 7), 1), ((7, 3), 0), ((2, 7, 3), 1), ((2, 7, 3), -1), ((2, 3, 7, 2), 2),
          ((3, 1), 1), ((3, 0), 1), ((0, 3), 1)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_values(shape, axis, reverse):
    elems, front = data(*shape), axis % len(shape)
    close(scan.associative_scan(affine, elems, reverse, axis),
          expected_scan(affine, elems, reverse, front))
    tree = {"m": elems[1], "s": elems[0]}
    close(scan.associative_scan(online_softmax, tree, reverse, axis),
          expected_scan(online_softmax, tree, reverse, front))


OPERATORS = {
    "add": jnp.add, "mul": jnp.multiply, "max": jnp.maximum, "min": jnp.minimum,
    "logaddexp": jnp.logaddexp, "last": lambda x, y: y,
    "where": lambda x, y: jnp.where(y > 0, jnp.clip(y, 0, 1), x),
    "bounded": lambda x, y: jax.nn.sigmoid(jnp.tanh(x + y)) * 0 + x + y,
}


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_operators(name):
    x = data(3, 9)[1]
    close(scan.associative_scan(OPERATORS[name], x, axis=1),
          expected_scan(OPERATORS[name], x, axis=1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64", "complex128",
                                   "int8", "int16", "int32", "int64", "bool"])
def test_dtypes(dtype):
    x = jnp.asarray(data(3, 9)[1] * 3, dtype)
    combine = jnp.logical_xor if dtype == "bool" else jnp.add
    found = scan.associative_scan(combine, x, axis=1)
    expected = expected_scan(combine, x, axis=1)
    assert found.dtype == x.dtype
    tolerance = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 1e-5, "complex64": 1e-5}
    numpy.testing.assert_allclose(found.astype(expected.dtype), expected,
                                  rtol=tolerance.get(dtype, 1e-12),
                                  atol=tolerance.get(dtype, 1e-12))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape, axis", SHAPES[:7])
def test_recurrence(shape, axis, reverse):
    a, b = data(*shape)
    h0 = jnp.take(b, 0, axis) * 2
    h, last = scan.linear_recurrence(a, b, h0, axis, reverse, return_final_state=True)
    folded = jax.lax.scan(lambda h, x: (x[0] * h + x[1],) * 2, h0,
                          (jnp.moveaxis(a, axis, 0), jnp.moveaxis(b, axis, 0)), reverse=reverse)
    close((last, h), (folded[0], jnp.moveaxis(folded[1], 0, axis)))


def test_jit_and_symbolic_lengths():
    a, b = data(2, 9, 3)
    close(jax.jit(scan.linear_recurrence)(a, b), scan.linear_recurrence(a, b))
    length, = jax.export.symbolic_shape("t")
    exported = jax.export.export(
        jax.jit(scan.linear_recurrence),
        disabled_checks=[jax.export.DisabledSafetyCheck.custom_call("mlir_scan_call")])(
            *[jax.ShapeDtypeStruct((2, length, 3), "float64")] * 2)
    for steps in (1, 5, 40):
        a, b = data(2, steps, 3)
        close(exported.call(a, b), scan.linear_recurrence(a, b))


def loss(combine, function):
    def value(*leaves):
        found = function(combine, leaves if len(leaves) > 1 else leaves[0], axis=1)
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(found))
    return value


@pytest.mark.parametrize("combine, count", [(affine, 2), (jnp.multiply, 1), (jnp.maximum, 1),
                                            (jnp.logaddexp, 1)])
def test_gradients(combine, count):
    leaves = data(2, 6)[:count]
    arguments = tuple(range(count))
    ours = loss(combine, scan.associative_scan)
    theirs = loss(combine, jax.lax.associative_scan)
    expected = jax.jit(jax.grad(theirs, arguments))(*leaves)
    close(jax.grad(ours, arguments)(*leaves), expected)
    close(jax.jit(jax.grad(ours, arguments))(*leaves), expected)
    close(jax.jvp(ours, leaves, leaves),
          jax.jit(functools.partial(jax.jvp, theirs))(leaves, leaves))


def test_second_derivatives():
    a, b = data(2, 4)

    def ours(a, b):
        return jnp.sum(scan.linear_recurrence(a, b) ** 3)

    def theirs(a, b):
        return jnp.sum(jax.lax.associative_scan(affine, (a, b), axis=1)[1] ** 3)

    expected = jax.jit(jax.hessian(theirs))(a, b)
    for transform in (jax.hessian, lambda f: jax.jacfwd(jax.grad(f)),
                      lambda f: jax.jacrev(jax.grad(f))):
        close(transform(ours)(a, b), expected)


def test_complex_gradients():
    generator = numpy.random.default_rng(1)
    a = jnp.asarray(generator.standard_normal((2, 5)) + 1j * generator.standard_normal((2, 5)))

    def value(function, a):
        return jnp.sum(jnp.abs(function(jnp.multiply, a, axis=1)) ** 2)

    close(jax.grad(functools.partial(value, scan.associative_scan))(a),
          jax.jit(jax.grad(functools.partial(value, jax.lax.associative_scan)))(a))
    direction = a * (0.3 + 0.2j)
    close(jax.jvp(functools.partial(scan.associative_scan, jnp.multiply, axis=1), (a,),
                  (direction,)),
          jax.jit(functools.partial(jax.jvp, functools.partial(
              jax.lax.associative_scan, jnp.multiply, axis=1)))((a,), (direction,)))


@pytest.mark.parametrize("in_axes", [(0, 0), (1, 0), (2, 2), (0, None), (None, 1)])
def test_vmap(in_axes):
    a, b = data(4, 4, 4)
    arguments = [item if axis is not None else item[0] for item, axis in zip((a, b), in_axes)]
    for axis in (0, 1):
        ours = functools.partial(scan.linear_recurrence, axis=axis)

        def theirs(a, b):
            return jax.lax.associative_scan(affine, (a, b), axis=axis)[1]

        for transform in (lambda f: f, lambda f: jax.grad(lambda a, b: f(a, b).sum())):
            close(jax.vmap(transform(ours), in_axes)(*arguments),
                  jax.jit(jax.vmap(transform(theirs), in_axes))(*arguments))


def refuses(*words, kind=ScanError, combine=jnp.add, elems=None, **arguments):
    with pytest.raises(kind) as error:
        scan.associative_scan(combine, jnp.ones(4) if elems is None else elems, **arguments)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_refusals():
    refuses("at least one", elems=[])
    refuses("rank 1", elems=jnp.ones(()))
    refuses("leaf 1", elems=[jnp.ones(3), jnp.ones(4)])
    refuses("uint8", elems=jnp.ones(3, "uint8"))
    with pytest.raises(IndexError):
        scan.associative_scan(jnp.add, jnp.ones(3), axis=2)
    refuses("test_jax.py", "cumsum", combine=lambda x, y: jnp.cumsum(x) + y, kind=scan.TraceError)
    refuses("tree", combine=lambda x, y: (x, y), kind=scan.TraceError)
    refuses("float32", combine=lambda x, y: (x + y).astype("float32"), kind=scan.TraceError)
    weights = jnp.arange(2.0)
    refuses("leaf of elems", combine=lambda x, y: x + y * weights, elems=jnp.ones((3, 2)),
            kind=scan.TraceError)
    with pytest.raises(ScanError, match="h0 has the shape"):
        scan.linear_recurrence(*data(2, 5, 3), jnp.zeros((3, 2)))
    with pytest.raises(ScanError, match="extents 4 and 5 of dimension 1 do not fit"):
        scan.linear_recurrence(data(2, 4, 3)[0], data(2, 5, 3)[1])
