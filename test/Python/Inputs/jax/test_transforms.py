"""associative_scan of mlir_scan.jax within functions that JAX transforms."""

import functools
import os
import subprocess
import sys
import threading

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


def close(found, expected, tolerance=1e-11):
    jax.tree.map(functools.partial(numpy.testing.assert_allclose, rtol=tolerance,
                                   atol=tolerance), found, expected)


# ---- trees -------------------------------------------------------------------

def test_nested_trees():
    a, b = data(3, 7)
    tree = {"z": (a, [b, None]), "a": {"m": a * b}}

    def combine(x, y):
        # The keys come in another order.
        return {"a": {"m": jnp.maximum(x["a"]["m"], y["a"]["m"])},
                "z": (x["z"][0] * y["z"][0], [x["z"][1][0] + y["z"][1][0], None])}

    found = scan.associative_scan(combine, tree, axis=1)
    assert jax.tree.structure(found) == jax.tree.structure(tree)
    close(found, jax.lax.associative_scan(combine, tree, axis=1))


def test_leaves_of_several_types():
    a, b = data(3, 7, dtype="float32")
    tree = (a, (b * 3).astype("int32"), b > 0, b.astype("complex64"))

    def combine(x, y):
        return (jnp.where(y[2], x[0] + y[0], y[0]), x[1] + y[1], x[2] | y[2], x[3] * y[3])

    found = scan.associative_scan(combine, tree, axis=1, check_associativity=False)
    assert [leaf.dtype for leaf in found] == [leaf.dtype for leaf in tree]
    # Exact, whatever the order: not the first leaf, which is segmented by the third one.
    expected = jax.lax.associative_scan(combine, tree, axis=1)
    numpy.testing.assert_array_equal(found[1], expected[1])
    numpy.testing.assert_array_equal(found[2], expected[2])
    close(found[3], expected[3], 1e-4)


@pytest.mark.parametrize("shape, axis", [((0,), 0), ((3, 0), 0), ((3, 0), 1), ((0, 3, 2), 1),
                                         ((1,), 0), ((2, 1, 3), 1), ((1, 1), 0)])
def test_small_extents(shape, axis):
    elems = data(*shape)
    found = scan.associative_scan(affine, elems, axis=axis)
    assert all(leaf.shape == shape for leaf in found)
    if shape[axis] == 1:
        close(found, elems)
    gradients = jax.grad(lambda *leaves: sum(
        leaf.sum() for leaf in scan.associative_scan(affine, leaves, axis=axis)), (0, 1))(*elems)
    assert all(leaf.shape == shape for leaf in gradients)


def test_inputs_are_not_written_to():
    a, b = data(2, 9)
    copies = numpy.array(a), numpy.array(b)
    jax.block_until_ready(scan.associative_scan(affine, (a, b), axis=1))
    numpy.testing.assert_array_equal(a, copies[0])
    numpy.testing.assert_array_equal(b, copies[1])
    # The same array twice, and numpy's, in any layout.
    close(scan.associative_scan(affine, (a, a), axis=1),
          jax.lax.associative_scan(affine, (a, a), axis=1))
    turned = numpy.asfortranarray(copies[0])
    close(scan.associative_scan(jnp.add, turned, axis=1), numpy.cumsum(turned, 1))
    close(scan.associative_scan(jnp.add, jnp.asarray(copies[0]).T, axis=0),
          numpy.cumsum(copies[0].T, 0))


def test_donated_inputs():
    a, b = data(2, 9)
    expected = scan.associative_scan(affine, (a, b), axis=1)
    run = jax.jit(lambda a, b: scan.associative_scan(affine, (a, b), axis=1),
                  donate_argnums=(0, 1))
    close(run(a.copy(), b.copy()), expected)


def test_last_of_two():
    """A scan that is its input."""
    x = data(3, 7)[1]
    close(jax.jit(lambda x: scan.associative_scan(lambda x, y: y, x, axis=1))(x), x)
    pair = scan.associative_scan(lambda x, y: (y[0], x[1] + y[1]), (x, x), axis=1)
    close(pair, (x, jnp.cumsum(x, 1)))


# ---- captured values ---------------------------------------------------------

def test_captured_numbers():
    x = data(3, 7)[1]
    factor = 0.5

    def combine(x, y):
        return x + y + numpy.float64(factor) * 2 - jnp.float64(1.0)

    close(scan.associative_scan(combine, x, axis=1), jnp.cumsum(x, 1))
    factor = 1.0
    close(scan.associative_scan(combine, x, axis=1)[:, 1], x[:, 0] + x[:, 1] + 1)


def test_captured_arrays_are_refused():
    x = data(3, 7)[1]
    weights = jnp.arange(7.0)
    with pytest.raises(scan.TraceError, match="leaf of elems"):
        scan.associative_scan(lambda x, y: x + y * weights[:1].repeat(2), x[:, :2], axis=0)

    def traced(scale):
        return scan.associative_scan(lambda x, y: x + y * scale, x, axis=1).sum()

    for transformed, scale in ((jax.jit(traced), jnp.ones(())), (jax.grad(traced), 1.0),
                               (jax.vmap(traced), jnp.ones(3))):
        with pytest.raises(scan.TraceError, match="traces.*leaf of elems"):
            transformed(scale)


# ---- transformations ---------------------------------------------------------

def loss(function, a, b):
    states = function(affine, (jnp.tanh(a), b), axis=1)[1]
    again = function(jnp.add, states, reverse=True, axis=0)
    return jnp.mean((again @ jnp.ones((again.shape[-1], 2))) ** 2)


def both(transform, *arguments, tolerance=1e-10):
    """The same with JAX's own operator, which is compiled as a whole."""
    ours = transform(functools.partial(loss, scan.associative_scan))

    def theirs(*arguments):
        return transform(functools.partial(loss, jax.lax.associative_scan))(*arguments)

    close(ours(*arguments), jax.jit(theirs)(*arguments), tolerance)


def test_scans_in_a_model():
    a, b = data(3, 6)
    both(jax.jit, a, b)
    both(lambda f: jax.jit(jax.value_and_grad(f, (0, 1))), a, b)
    both(lambda f: jax.grad(jax.checkpoint(f), (0, 1)), a, b)
    both(lambda f: jax.jit(jax.grad(jax.checkpoint(
        f, policy=jax.checkpoint_policies.nothing_saveable))), a, b)
    both(lambda f: jax.jit(jax.grad(lambda a, b: f(jax.lax.stop_gradient(a), b), (0, 1))), a, b)
    both(lambda f: jax.linearize(f, a, b)[1], a, b)
    both(jax.jacfwd, a, b)
    both(lambda f: jax.jit(jax.hessian(f)), a[:, :3], b[:, :3])


def test_scans_in_loops_and_branches():
    a, b = data(2, 3, 6)

    def stacked(f):
        return lambda a, b: jax.lax.scan(lambda sum, x: (sum + f(*x), f(*x) * sum), 0.0, (a, b))

    both(stacked, a, b)
    both(lambda f: jax.jit(jax.grad(lambda a, b: stacked(f)(a, b)[0], (0, 1))), a, b)
    both(lambda f: jax.jit(lambda a, b: jax.lax.cond(a[0, 0] > 0, f, lambda a, b: 0.0, a, b)),
         a[0], b[0])
    both(lambda f: jax.jit(lambda a, b: jax.lax.fori_loop(0, 3, lambda i, x: x + f(a * x, b),
                                                          0.1)), a[0], b[0])


def test_vmap_compositions():
    a, b = data(4, 3, 6)
    both(jax.vmap, a, b)
    both(lambda f: jax.jit(jax.vmap(f, (2, 0))), jnp.moveaxis(a, 0, 2), b)
    both(lambda f: jax.vmap(jax.grad(f, (0, 1))), a, b)
    both(lambda f: jax.grad(lambda a, b: jax.vmap(f)(a, b).sum(), (0, 1)), a, b)
    both(lambda f: jax.vmap(jax.vmap(f, (None, 0)), (0, None)), a, b)
    both(lambda f: jax.vmap(jax.jacfwd(f)), a, b)
    both(lambda f: jax.vmap(lambda a, b: jax.jvp(f, (a, b), (b, a))), a, b)
    both(lambda f: jax.jit(jax.vmap(jax.hessian(f))), a[:, :2, :2], b[:, :2, :2])


def test_mapped_axis_of_extent_0():
    a, b = data(0, 3, 6)
    found = jax.vmap(lambda a, b: scan.linear_recurrence(a, b))(a, b)
    assert found.shape == (0, 3, 6)


def test_results_that_nobody_uses_are_not_computed():
    a, b = data(2, 9)

    def states(a, b):
        products, states, _ = scan.associative_scan(
            lambda x, y: (*affine(x[:2], y[:2]), x[2] + y[2]), (a, b, b), axis=1)
        return states

    lowered = jax.jit(states).lower(a, b)
    call, = [line for line in lowered.as_text().splitlines() if "custom_call @mlir_scan" in line]
    assert call.endswith("-> tensor<2x9xf64>"), call
    close(jax.jit(states)(a, b), scan.linear_recurrence(a, b))
    close(jax.jit(jax.grad(lambda a, b: states(a, b).sum(), (0, 1)))(a, b),
          jax.grad(lambda a, b: scan.linear_recurrence(a, b).sum(), (0, 1))(a, b))
    swapped = jax.jit(lambda a, b: scan.associative_scan(affine, (a, b), axis=1)[::-1])
    close(swapped(a, b)[1], jnp.cumprod(a, 1))


def test_symbolic_shapes():
    rows, steps = jax.export.symbolic_shape("n, t")
    kind = jax.ShapeDtypeStruct((rows, steps, 3), "float64")
    check = jax.export.DisabledSafetyCheck.custom_call("mlir_scan_call")
    run = jax.jit(jax.grad(lambda a, b: scan.associative_scan(
        affine, (a, b), reverse=True, axis=1)[1].sum(), (0, 1)))
    exported = jax.export.export(run, disabled_checks=[check])(kind, kind)
    for shape in ((1, 1, 3), (2, 5, 3), (4, 33, 3)):
        a, b = data(*shape)
        close(exported.call(a, b), run(a, b))


LOAD = """
import sys, jax.export, numpy
jax.config.update("jax_enable_x64", True)
import mlir_scan.jax
exported = jax.export.deserialize(open(sys.argv[1], "rb").read())
a = numpy.full((2, 5), 0.5)
print(float(exported.call(a, a)[1, 4]))
"""


def test_exported_functions_load_in_other_processes(tmp_path):
    check = jax.export.DisabledSafetyCheck.custom_call("mlir_scan_call")
    kind = jax.ShapeDtypeStruct((2, jax.export.symbolic_shape("t")[0]), "float64")
    run = jax.jit(lambda a, b: scan.associative_scan(affine, (a, b), axis=1)[1])
    exported = jax.export.export(run, disabled_checks=[check])(kind, kind)
    (tmp_path / "saved").write_bytes(exported.serialize())
    (tmp_path / "load.py").write_text(LOAD)
    done = subprocess.run([sys.executable, tmp_path / "load.py", tmp_path / "saved"], check=True,
                          capture_output=True, text=True, env=dict(os.environ))
    assert float(done.stdout) == pytest.approx(0.96875)


def test_threads():
    inputs = [data(3, 5 + number) for number in range(6)]
    run = jax.jit(jax.value_and_grad(functools.partial(loss, scan.associative_scan)))
    expected = [jax.jit(jax.value_and_grad(functools.partial(
        loss, jax.lax.associative_scan)))(*pair) for pair in inputs]
    errors = []

    def work(number):
        try:
            for _ in range(5):
                close(run(*inputs[number]), expected[number], 1e-10)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


# ---- errors ------------------------------------------------------------------

def refuses(*words, combine=jnp.add, elems=None, kind=scan.TraceError, **arguments):
    """Eagerly, and while other transformations trace."""
    elems = jnp.ones((2, 4)) if elems is None else elems

    def run(elems):
        return scan.associative_scan(combine, elems, **arguments)

    for transform in (lambda f: f, jax.jit, jax.vmap, lambda f: lambda x: jax.jvp(f, (x,), (x,))):
        with pytest.raises(kind) as error:
            transform(run)(elems)
        for word in words:
            assert word in str(error.value), str(error.value)


def test_refusals():
    refuses("returns float32", combine=lambda x, y: (x + y).astype("float32"))
    refuses("tree", combine=lambda x, y: [x, y])
    refuses("tree", combine=lambda x, y: {"a": x["a"]}, elems={"a": jnp.ones((2, 4)),
                                                               "b": jnp.ones((2, 4))})
    refuses("test_transforms.py", "reduce_sum", combine=lambda x, y: x + y.sum())
    refuses("test_transforms.py", "reduce_max",
            combine=lambda x, y: jnp.maximum(x, jnp.max(y, keepdims=True)))
    refuses("returns", combine=lambda x, y: (x + y)[..., :1] if x.shape[-1] > 1 else x[..., 0])
    refuses("test_transforms.py", "sort", combine=lambda x, y: jnp.sort(x + y))
    refuses("function", combine=3, kind=ScanError)


def test_python_control_flow_on_values():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        scan.associative_scan(lambda x, y: x if x.sum() > 0 else y, jnp.ones(3))


def test_exceptions_of_the_function():
    class Mine(Exception):
        pass

    def combine(x, y):
        raise Mine("mine")

    for transform in (lambda f: f, jax.jit):
        with pytest.raises(Mine):
            transform(lambda x: scan.associative_scan(combine, x))(jnp.ones(3))
