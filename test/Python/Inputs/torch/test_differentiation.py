"""Gradients of associative_scan: gradcheck of the gallery, partial and second derivatives."""

import itertools

import operators
import oracle
import pytest
import sampling
import torch

import mlir_scan.torch as scan

# The whole gallery: operators of leaves that are flags or numbers have constant ones.
DIFFERENTIABLE = sorted(name for name in operators.GALLERY
                        if any(operators.differentiable(name)))


def differentiable_leaves(name, shape, device):
    return [leaf.requires_grad_(needs) for leaf, needs in zip(
        operators.leaves(name, shape, device=device), operators.differentiable(name))]


def scan_of_leaves(name, dim, reverse):
    """A function of the leaves; its results that have a gradient."""
    combine = operators.apply(name)

    def function(*leaves):
        results = scan.associative_scan(combine, list(leaves), dim, reverse=reverse)
        return tuple(result for result in results if result.requires_grad)
    return function


SHAPES = [((2, 5), 1), ((4, 3), 0), ((1, 4, 2), 1), ((3, 1), 1)]


@pytest.mark.parametrize("number, name, reverse", [
    (i + 2 * j, name, reverse) for (i, name), (j, reverse) in itertools.product(
        enumerate(DIFFERENTIABLE), enumerate([False, True]))])
def test_gradcheck(number, name, reverse, device, gradients):
    for shape, dim in sampling.of_today(SHAPES, number):
        xs = differentiable_leaves(name, shape, device)
        gradients.first(scan_of_leaves(name, dim, reverse), xs)


def one_direction(*names):
    """Of each operator, the other one on the next day."""
    return pytest.mark.parametrize("name, reverse", [
        (name, reverse) for number, name in enumerate(names)
        for reverse in sampling.of_today([False, True], number)])


@one_direction("add", "mul", "logaddexp", "affine", "matmul2", "complex_mul", "complex_affine",
               "rotation", "segmented_sum")
def test_second_derivatives(name, reverse, device, gradients):
    xs = differentiable_leaves(name, (2, 4), device)
    gradients.second(scan_of_leaves(name, 1, reverse), xs)


@one_direction("affine", "matmul2", "attention", "complex_affine")
def test_long(name, reverse, device):
    """As PyTorch differentiates the left fold, over more steps than a tile has."""
    combine = operators.apply(name)
    for shape, dim in [((2, 300), 1), ((1, 150, 3), 1)]:
        xs = [(leaf * 0.6).requires_grad_()
              for leaf in operators.leaves(name, shape, device=device)]
        found = scan.associative_scan(combine, xs, dim, reverse)
        expected = oracle.associative_scan(combine, xs, dim, reverse)
        generator = torch.Generator().manual_seed(5)
        cotangents = [torch.randn(leaf.shape, dtype=leaf.dtype, generator=generator).to(device)
                      for leaf in expected]
        ours = torch.autograd.grad(found, xs, cotangents)
        theirs = torch.autograd.grad(expected, xs, cotangents)
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def test_partial_gradients(device):
    for wanted in range(2):
        for used in range(2):
            xs = operators.leaves("affine", (2, 7), device=device)
            xs[wanted].requires_grad_()
            found = scan.associative_scan(operators.affine, tuple(xs), 1)[used]
            expected = oracle.associative_scan(operators.affine, tuple(xs), 1)[used]
            if not expected.requires_grad:
                continue
            ours, = torch.autograd.grad(found.square().sum(), xs[wanted], allow_unused=True)
            theirs, = torch.autograd.grad(expected.square().sum(), xs[wanted])
            torch.testing.assert_close(ours if ours is not None else torch.zeros_like(theirs),
                                       theirs)


def test_gradient_of_the_gates(device):
    """All zero in PyTorch 2.13 where only the state is in the loss."""
    a, b = differentiable_leaves("affine", (2, 7), device)
    scan.associative_scan(operators.affine, (a, b), 1)[1].sum().backward()
    gradient = a.grad.clone()
    a.grad = None
    oracle.associative_scan(operators.affine, (a, b), 1)[1].sum().backward()
    assert gradient.abs().max() > 0
    torch.testing.assert_close(gradient, a.grad)
    # And of one step of the loss alone.
    a.grad = None
    scan.associative_scan(operators.affine, (a, b), 1)[1][:, -1].sum().backward()
    assert (a.grad[:, 1:] != 0).all()


def test_gradient_of_expanded_leaves(device, gradients):
    """It is summed over what was repeated."""
    a, b = differentiable_leaves("affine", (1, 5, 1), device)
    gradients.first(lambda a, b: scan.associative_scan(
        operators.affine, (a.expand(2, 5, 3), b.expand(2, 5, 3)), 1), (a, b))


def test_gradient_of_views(device, gradients):
    x = operators.leaves("mul", (6, 4), device=device)[0].requires_grad_()
    gradients.first(lambda x: scan.associative_scan(torch.mul, x.T, 1), (x,))
    gradients.first(lambda x: scan.associative_scan(torch.mul, x.flip(0)[::2], 0), (x,))
    z = operators.leaves("complex_mul", (4, 3), device=device)[0].requires_grad_()
    gradients.first(lambda z: scan.associative_scan(torch.mul, z.conj(), 0), (z,))


def test_results_used_many_times_and_twice_backward(device):
    """The graph is kept where it is asked for, and gradients add up."""
    a, b = differentiable_leaves("affine", (2, 6), device)
    y = scan.associative_scan(operators.affine, (a, b), 1)[1]
    loss = (y * y).sum() + y.exp().sum()
    first = torch.autograd.grad(loss, (a, b), retain_graph=True)
    second = torch.autograd.grad(loss, (a, b))
    torch.testing.assert_close(first, second)
    z = oracle.associative_scan(operators.affine, (a, b), 1)[1]
    torch.testing.assert_close(first, torch.autograd.grad((z * z).sum() + z.exp().sum(), (a, b)))


def test_inputs_changed_before_the_backward_pass(device):
    """PyTorch's error, not a wrong gradient."""
    a, b = differentiable_leaves("affine", (2, 6), device)
    c = a * 1
    y = scan.associative_scan(operators.affine, (c, b), 1)[1]
    c.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_no_gradients_where_none_are_wanted(device):
    a, b = differentiable_leaves("affine", (2, 6), device)
    with torch.no_grad():
        assert not scan.associative_scan(operators.affine, (a, b), 1)[1].requires_grad
    with torch.inference_mode():
        assert scan.associative_scan(operators.affine, (a, b), 1)[1].is_inference()
    count = scan.associative_scan(torch.add, torch.ones(3, dtype=torch.int64, device=device), 0)
    assert not count.requires_grad


@pytest.mark.filterwarnings("ignore:associative_scan runs through")
def test_generic_gradcheck(device, gradients):
    generator = torch.Generator().manual_seed(9)
    m = torch.randn(5, 2, 2, dtype=torch.float64, generator=generator).to(device)
    for reverse in (False, True):
        gradients.first(lambda m, r=reverse: scan.associative_scan(
            lambda x, y: y @ x, m, 0, r, "generic"), (m.clone().requires_grad_(),))


def test_s5(device, gradients):
    """A layer of S5: complex states, real inputs and outputs, all parameters trained."""
    generator = torch.Generator().manual_seed(11)

    def numbers(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=generator).to(device)

    rates, angles = numbers(4).requires_grad_(), numbers(4).requires_grad_()
    b, c = numbers(4, 3, 2).requires_grad_(), numbers(3, 4, 2).requires_grad_()
    u = numbers(2, 6, 3)

    def layer(rates, angles, b, c, run=scan.associative_scan):
        transition = torch.polar(torch.sigmoid(rates), angles)
        inputs = u.to(torch.complex128) @ torch.view_as_complex(b).T
        gates = transition.expand_as(inputs)
        states = run(operators.complex_affine, (gates, inputs), 1)[1]
        return (states @ torch.view_as_complex(c).T).real

    torch.testing.assert_close(layer(rates, angles, b, c),
                               layer(rates, angles, b, c, oracle.associative_scan))
    gradients.first(layer, (rates, angles, b, c))
