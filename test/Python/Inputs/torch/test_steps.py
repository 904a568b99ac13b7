"""States carried from chunk to chunk and from step to step have the numbers of one scan."""

import operators
import oracle
import pytest
import sampling
import torch
from torch.utils import _pytree as pytree

import mlir_scan.torch as scan

SHAPES = [((40,), 0), ((3, 40), 1), ((40, 3), 0), ((2, 40, 3), 1), ((2, 3, 40, 2), 2)]
CUTS = (0, 1, 8, 8, 27, 40)


def same(found, expected, device, innermost=False):
    """Bit for bit on the CPU; a GPU brackets otherwise, and so does the CPU along the
    innermost dimension."""
    if device.type == "cpu" and not innermost:
        assert all(map(torch.equal, found, expected))
    else:
        dtype = expected[0].dtype
        bound = 100 * torch.finfo(dtype).eps
        for got, want in zip(found, expected):
            assert (got - want).abs().max() <= bound * want.abs().max()


def chunks(combine, xs, dim, reverse, cuts=CUTS, **options):
    """The scan of each part from the state of the one before, and the last state."""
    pairs = list(zip(cuts[:-1], cuts[1:]))
    state, parts = None, []
    for start, end in reversed(pairs) if reverse else pairs:
        part = [leaf.narrow(dim, start, end - start) for leaf in xs]
        ys, state = scan.associative_scan(combine, part, dim, reverse, init=state,
                                          return_final_state=True, **options)
        parts.append(ys)
    if reverse:
        parts.reverse()
    return [torch.cat(column, dim) for column in zip(*parts)], state


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["add", "logaddexp", "affine", "quaternion", "attention"])
def test_chunks(name, dtype, reverse, device):
    combine = operators.apply(name)
    number = len(name) + 2 * (dtype == torch.float64) + reverse
    for shape, dim in sampling.of_today(SHAPES, number, 2):
        xs = operators.leaves(name, shape, dtype, device=device)
        xs = [leaf * 0.5 for leaf in xs] if name == "quaternion" else xs
        whole, last = scan.associative_scan(combine, xs, dim, reverse, return_final_state=True)
        same(scan.associative_scan(combine, xs, dim, reverse), whole, device)
        end = 0 if reverse else -1
        assert all(torch.equal(state, leaf.select(dim, end)) for state, leaf in zip(last, whole))
        parts, state = chunks(combine, xs, dim, reverse)
        same(parts, whole, device, dim == len(shape) - 1)
        same(state, last, device, dim == len(shape) - 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("name", ["add", "affine"])
def test_steps(name, dtype, device):
    combine = operators.apply(name)
    for shape, dim in SHAPES:
        xs = [leaf.to(dtype) for leaf in operators.leaves(name, shape, device=device)]
        whole = scan.associative_scan(combine, xs, dim)
        start = [leaf.narrow(dim, 0, 20) for leaf in xs]
        _, state = scan.associative_scan(combine, start, dim, return_final_state=True)
        for step in range(20, 40):
            state = scan.associative_scan_step(combine, state,
                                               [leaf.select(dim, step) for leaf in xs])
            same(state, [leaf.select(dim, step) for leaf in whole], device,
                 dim == len(shape) - 1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_types(dtype, device):
    """Each state that is carried is rounded once; one scan rounds its results alone.

    With coefficients below 0.9 in size, the roundings of the states add up to at most ten
    units of the largest state, whatever the number of chunks.
    """
    a, b = (leaf.to(device) for leaf in operators.leaves("affine", (2, 40, 3)))
    xs = [(a * 0.7).to(dtype), b.to(dtype)]
    exact = scan.associative_scan(operators.affine, tuple(x.double() for x in xs), 1)[1]
    bound = 12 * torch.finfo(dtype).eps / 2 * exact.abs().max()
    parts, _ = chunks(operators.apply("affine"), xs, 1, False)
    assert (parts[1].double() - exact).abs().max() <= bound
    state = None
    for step in range(40):
        slices = [leaf[:, step] for leaf in xs]
        state = slices if state is None else scan.associative_scan_step(
            operators.apply("affine"), state, slices)
        assert (state[1].double() - exact[:, step]).abs().max() <= bound
    h, states = torch.zeros(2, 3, dtype=dtype, device=device), []
    for step in range(40):
        h = scan.linear_recurrence_step(h, xs[0][:, step], xs[1][:, step])
        states.append(h)
    assert h.dtype == dtype
    assert (torch.stack(states, 1).double() - exact).abs().max() <= bound


@pytest.mark.filterwarnings("ignore:associative_scan runs through")
@pytest.mark.parametrize("reverse", [False, True])
def test_generic(reverse, device):
    generator = torch.Generator().manual_seed(9)
    m = (torch.randn(40, 3, 3, dtype=torch.float64, generator=generator) * 0.6).to(device)

    def combine(x, y):
        return [y[0] @ x[0]]

    whole, last = scan.associative_scan(combine, [m], 0, reverse, "generic",
                                        return_final_state=True)
    torch.testing.assert_close(whole, oracle.associative_scan(combine, [m], 0, reverse))
    parts, state = chunks(combine, [m], 0, reverse, combine_mode="generic")
    torch.testing.assert_close((parts, state), (whole, last))
    state = scan.associative_scan_step(combine, [m[0]], [m[1]], "generic")
    torch.testing.assert_close(state, [m[1] @ m[0]])
    start = [torch.eye(3, dtype=torch.float64, device=device)]
    empty, last = scan.associative_scan(combine, [m[:0]], 0, reverse, "generic", init=start,
                                        return_final_state=True)
    assert empty[0].shape == (0, 3, 3) and torch.equal(last[0], start[0])
    assert last[0].data_ptr() != start[0].data_ptr()
    _, last = scan.associative_scan(combine, [m[:0]], 0, reverse, "generic",
                                    return_final_state=True)
    assert torch.equal(last[0], torch.zeros_like(start[0]))


def test_trees_of_states(device):
    """They have the tree of the leaves; dictionaries may come in another order."""
    a, b = operators.leaves("affine", (2, 9), device=device)

    def combine(x, y):
        return {"a": y["a"] * x["a"], "b": y["a"] * x["b"] + y["b"]}

    whole = scan.associative_scan(combine, {"a": a, "b": b}, 1)
    _, state = scan.associative_scan(combine, {"a": a[:, :4], "b": b[:, :4]}, 1,
                                     return_final_state=True)
    assert list(state) == ["a", "b"]
    swapped = {"b": state["b"], "a": state["a"]}
    found = scan.associative_scan(combine, {"a": a[:, 4:], "b": b[:, 4:]}, 1, init=swapped)
    same([found["b"]], [whole["b"][:, 4:]], device, innermost=True)
    state = scan.associative_scan_step(combine, swapped, {"a": a[:, 4], "b": b[:, 4]})
    same([state["b"], state["a"]], [whole["b"][:, 4], whole["a"][:, 4]], device,
         innermost=True)
    nested, last = scan.associative_scan(lambda x, y: [(x[0][0] + y[0][0],)], [(a,)], 1,
                                         init=[(b[:, 0],)], return_final_state=True)
    torch.testing.assert_close(nested[0][0], torch.cumsum(a, 1) + b[:, :1])
    assert pytree.tree_structure(last) == pytree.tree_structure(nested)


@pytest.mark.parametrize("shape, dim", [((0,), 0), ((2, 0, 3), 1), ((0, 4, 3), 1), ((2, 4, 0), 1)])
def test_empty(shape, dim, device):
    x = torch.ones(shape, device=device)
    start = torch.full_like(x.sum(dim), 7.0)
    y, last = scan.associative_scan(torch.add, x, dim, init=start, return_final_state=True)
    assert y.shape == x.shape and last.shape == start.shape
    if shape[dim] == 0:
        assert torch.equal(last, start)
        last.zero_()
        assert torch.equal(start, torch.full_like(start, 7.0))
        _, last = scan.associative_scan(torch.add, x, dim, return_final_state=True)
        assert torch.equal(last, torch.zeros_like(start))


def test_scalar_states(device):
    x = torch.arange(5.0, device=device)
    y, state = scan.associative_scan(torch.add, x, 0, return_final_state=True)
    assert state.shape == () and state.item() == 10
    assert scan.associative_scan_step(torch.add, state, x[3]).item() == 13


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(reverse, device, gradients):
    """They reach the leaves and the initial state, from the results and the last state."""
    a, b = (leaf.requires_grad_() for leaf in operators.leaves("affine", (2, 4, 2), device=device))
    i, j = (leaf[:, 0].detach().requires_grad_()
            for leaf in operators.leaves("affine", (2, 1, 2), seed=3, device=device))

    def function(a, b, i, j):
        ys, last = scan.associative_scan(operators.affine, (a, b), 1, reverse, init=(i, j),
                                         return_final_state=True)
        return (*ys, *last)

    gradients.first(function, (a, b, i, j))
    gradients.second(function, (a, b, i, j))
    gradients.first(lambda a, b, i, j: scan.associative_scan_step(
        operators.affine, (i, j), (a[:, 0], b[:, 0])), (a, b, i, j))
    whole = torch.autograd.grad(function(a, b, i, j)[1].square().sum(), (a, b, i, j))
    _, state = scan.associative_scan(operators.affine, (a[:, 2:] if reverse else a[:, :2],
                                                        b[:, 2:] if reverse else b[:, :2]),
                                     1, reverse, init=(i, j), return_final_state=True)
    first = scan.associative_scan(operators.affine, (a[:, 2:] if reverse else a[:, :2],
                                                     b[:, 2:] if reverse else b[:, :2]),
                                  1, reverse, init=(i, j))[1]
    second = scan.associative_scan(operators.affine, (a[:, :2] if reverse else a[:, 2:],
                                                      b[:, :2] if reverse else b[:, 2:]),
                                   1, reverse, init=state)[1]
    parts = torch.autograd.grad(first.square().sum() + second.square().sum(), (a, b, i, j),
                                allow_unused=True)
    for part, reference in zip(parts, whole):
        torch.testing.assert_close(torch.zeros_like(reference) if part is None else part, reference)


def test_under_transformations(device):
    a, b = operators.leaves("affine", (3, 6, 2), device=device)
    i, j = a[:, 0].clone(), b[:, 0].clone()

    def function(a, b, i, j):
        ys, last = scan.associative_scan(operators.affine, (a, b), 0, init=(i, j),
                                         return_final_state=True)
        return ys[1], scan.associative_scan_step(operators.affine, last, (a[0], b[0]))[1]

    expected = [function(*(leaf[n] for leaf in (a, b, i, j))) for n in range(3)]
    expected = tuple(torch.stack(column) for column in zip(*expected))
    torch.testing.assert_close(torch.vmap(function)(a, b, i, j), expected)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a[0], b[0], i[0], j[0]),
                               tuple(column[0] for column in expected))
