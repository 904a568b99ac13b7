"""associative_scan against the left fold: values, dtypes, trees, layouts, caches.

With test_refusals.py, test_differentiation.py and test_steps.py it has the behaviours
that PyTorch's own tests check of its operator. There are 43:

 1-5    dims: each, negative, one out of range, T = 0 and T = 1;
 6-7    both directions; operators that do not commute;
 8-13   trees: a tensor, lists and tuples, named tuples, nested ones, dictionaries, and
        dictionaries whose keys come back in another order;
 14-17  layouts: transposed, sliced and flipped, expanded, conjugate and negative views;
 18-19  leaves of different dtypes; leaves of different ranks with one scanned dimension;
 20-23  a matmul downstream, a scan downstream, one along another dimension, one in a loop;
 24-27  in the function: loops, helpers, closures, operations that are not pointwise;
 28-30  wrong results: dtype, shape or rank, tree;
 31-33  mutation of an argument, of a captured tensor, of a temporary (allowed);
 34-36  aliases: of an input, of one result in two places, of T = 1 and the input;
 37-39  captured tensors: numbers are read at each call, others refused, right as leaves;
 40-41  partial gradients; the gradient of gates that only reach the loss through the state;
 42     S5: complex affine functions, with their gradients;
 43     sparse, meta and mixed-device inputs.
"""

import collections
import warnings

import operators
import oracle
import pytest
import sampling
import torch

import mlir_scan.torch as scan
from mlir_scan.torch import _associative

SHAPES = [((5,), 0), ((7, 3), 0), ((3, 7), 1), ((2, 9, 4), 1), ((2, 3, 11), -1), ((6, 2, 3), 0),
          ((2, 3, 5, 2), 2), ((1, 1), 1)]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("number, name", enumerate(sorted(operators.GALLERY)))
def test_values(number, name, reverse, device):
    for shape, dim in sampling.of_today(SHAPES, number + 4 * reverse, 3):
        xs, combine = operators.leaves(name, shape, device=device), operators.apply(name)
        found = scan.associative_scan(combine, xs, dim, reverse=reverse)
        expected = oracle.associative_scan(combine, xs, dim % len(shape), reverse)
        assert isinstance(found, list) and found[0].device == xs[0].device
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["affine", "quaternion", "attention"])
@pytest.mark.parametrize("reverse", [False, True])
def test_long(name, reverse, device):
    """Many steps, where the work is split."""
    for shape, dim in [((3, 3000), 1), ((1, 2100, 5), 1)]:
        xs = [leaf * 0.5 if name == "quaternion" else leaf * 0.8
              for leaf in operators.leaves(name, shape, device=device)]
        combine = operators.apply(name)
        found = scan.associative_scan(combine, xs, dim, reverse=reverse)
        expected = oracle.associative_scan(combine, [leaf.cpu() for leaf in xs], dim, reverse)
        torch.testing.assert_close([leaf.cpu() for leaf in found], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", FLOATS + [torch.complex64, torch.complex128])
@pytest.mark.parametrize("reverse", [False, True])
def test_float_dtypes(dtype, reverse, device):
    xs = [leaf.to(dtype) for leaf in operators.leaves("affine", (3, 50, 4), device=device)]
    found = scan.associative_scan(operators.affine, tuple(xs), 1, reverse=reverse)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    expected = oracle.associative_scan(operators.affine, tuple(x.to(wide) for x in xs), 1, reverse)
    part = torch.finfo(dtype).eps
    for got, want in zip(found, expected):
        assert got.dtype == dtype
        # Accumulated in 32 bits at least, rounded once: a bound by the size of the terms.
        scale = want.abs().max()
        assert (got.to(wide) - want).abs().max() <= max(part, 50 * 2.0**-24) * 4 * scale


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_wrap(dtype, device):
    generator = torch.Generator().manual_seed(3)
    info = torch.iinfo(dtype)
    x = torch.randint(info.min // 2, info.max // 2, (4, 40), generator=generator, dtype=dtype)
    found = scan.associative_scan(lambda a, b: a * 3 + b - 2 * a, x.to(device), 1)
    expected = oracle.associative_scan(lambda a, b: a * 3 + b - 2 * a, x, 1)
    assert torch.equal(found.cpu(), expected)


def test_booleans(device):
    x = (torch.rand(3, 30, generator=torch.Generator().manual_seed(1)) < 0.5).to(device)
    for combine in (lambda a, b: a ^ b, lambda a, b: a | b, lambda a, b: a & b,
                    torch.logical_xor):
        assert torch.equal(scan.associative_scan(combine, x, 1, reverse=True),
                           oracle.associative_scan(combine, x, 1, True))


def test_leaves_of_different_dtypes(device):
    count = torch.ones(20, dtype=torch.int32, device=device)
    x = torch.randn(20, dtype=torch.float64,
                    generator=torch.Generator().manual_seed(2)).to(device)

    def combine(left, right):
        return {"n": left["n"] + right["n"], "x": torch.maximum(left["x"], right["x"])}

    found = scan.associative_scan(combine, {"n": count, "x": x}, 0)
    assert found["n"].dtype == torch.int32 and found["n"].tolist() == list(range(1, 21))
    assert torch.equal(found["x"], torch.cummax(x, 0).values)


Pair = collections.namedtuple("Pair", "a b")


def test_trees(device):
    a, b = operators.leaves("affine", (3, 8), device=device)

    def by_pair(x, y):
        return Pair(y.a * x.a, y.a * x.b + y.b)

    found = scan.associative_scan(by_pair, Pair(a, b), 1)
    assert isinstance(found, Pair)
    expected = oracle.associative_scan(operators.affine, (a, b), 1)
    torch.testing.assert_close(tuple(found), expected, rtol=1e-13, atol=1e-13)

    def nested(x, y):
        return {"o": [y["o"][0] * x["o"][0], (y["o"][0] * x["o"][1][0] + y["o"][1][0],)]}

    found = scan.associative_scan(nested, {"o": [a, (b,)]}, 1)
    torch.testing.assert_close((found["o"][0], found["o"][1][0]), expected, rtol=1e-13,
                               atol=1e-13)


def test_dictionary_in_another_order(device):
    a, b = operators.leaves("affine", (3, 8), device=device)

    def swapped(x, y):
        return {"b": y["a"] * x["b"] + y["b"], "a": y["a"] * x["a"]}

    found = scan.associative_scan(swapped, {"a": a, "b": b}, 1)
    expected = oracle.associative_scan(operators.affine, (a, b), 1)
    assert list(found) == ["a", "b"]
    torch.testing.assert_close((found["a"], found["b"]), expected, rtol=1e-13, atol=1e-13)


def test_memory_layouts(device):
    base = torch.randn(6, 5, 8, dtype=torch.float64,
                       generator=torch.Generator().manual_seed(4)).to(device)
    views = [base.transpose(0, 2), base[::2], base[:, 1:4], base[:, :, ::3], base.flip(1),
             base[0].expand(4, 5, 8), base[:1, :, :1].expand(3, 5, 2), base.permute(1, 2, 0),
             base.flatten()[1:].unflatten(0, (239, 1)).expand(239, 2)]
    for view in views:
        for dim in range(view.dim()):
            found = scan.associative_scan(torch.add, view, dim)
            torch.testing.assert_close(found, torch.cumsum(view, dim), rtol=1e-12, atol=1e-12)


def test_views_are_read_in_place(device):
    """Operands that do not commute, both directions, and the derivative of a sum, whose
    cotangent is one number with strides of 0."""
    a, b = (leaf.transpose(0, 1) for leaf in operators.leaves("affine", (8, 6, 10)))
    views = [lambda x: x[::2], lambda x: x[:, 1:7:2], lambda x: x[:, :, ::3],
             lambda x: x[:, :, :4], lambda x: x.transpose(1, 2), lambda x: x.permute(2, 0, 1),
             lambda x: x[:1].expand(4, -1, -1), lambda x: x[:, :, :1].expand(-1, -1, 5)]
    for view in views:
        for reverse in (False, True):
            leaves = [view(leaf).to(device).detach().requires_grad_() for leaf in (a, b)]
            copies = [leaf.detach().contiguous().requires_grad_() for leaf in leaves]
            found = scan.associative_scan(operators.affine, tuple(leaves), 1, reverse=reverse)
            expected = oracle.associative_scan(operators.affine, tuple(copies), 1,
                                               reverse=reverse)
            torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
            assert all(result.is_contiguous() for result in found)
            torch.testing.assert_close(torch.autograd.grad(found[1].sum(), leaves),
                                       torch.autograd.grad(expected[1].sum(), copies))


def test_any_address(device):
    """Dense tensors that begin anywhere in their memory."""
    for dtype in (torch.float16, torch.float32, torch.int8):
        base = torch.arange(20, device=device).to(dtype) % 3
        for start in range(5):
            part = base[start:start + 15]
            assert torch.equal(scan.associative_scan(torch.add, part, 0),
                               torch.cumsum(part, 0, dtype=dtype))
            assert torch.equal(scan.associative_scan(torch.add, part.view(3, 5), 0),
                               torch.cumsum(part.view(3, 5), 0, dtype=dtype))


def test_conjugate_and_negative_views(device):
    z = torch.randn(4, 9, dtype=torch.complex128,
                    generator=torch.Generator().manual_seed(5)).to(device)
    torch.testing.assert_close(scan.associative_scan(torch.mul, z.conj(), 1),
                               torch.cumprod(z.conj().resolve_conj(), 1))
    imaginary = z.conj().imag
    assert imaginary.is_neg()
    torch.testing.assert_close(scan.associative_scan(torch.add, imaginary, 1),
                               torch.cumsum(imaginary, 1))


@pytest.mark.parametrize("shape, dim", [((0,), 0), ((3, 0), 1), ((3, 0), 0), ((0, 4), 1),
                                        ((2, 0, 3), 2), ((2, 0, 3), 1)])
def test_empty(shape, dim, device):
    x = torch.zeros(shape, device=device, requires_grad=True)
    found = scan.associative_scan(torch.add, x, dim)
    assert found.shape == x.shape and found.dtype == x.dtype and found.device == x.device
    gradient, = torch.autograd.grad(found.sum(), x)
    assert gradient.shape == x.shape


@pytest.mark.parametrize("mode", ["pointwise", "generic"])
def test_results_are_no_views(mode, device):
    """Nor does one step, or an operator that returns its argument."""
    def doubled(x, y):
        return x[1], x[1]

    def product(x, y):
        return y @ x

    x = torch.ones(3, 1, device=device)
    found = scan.associative_scan(torch.add, x, 1, combine_mode=mode)
    found.zero_()
    assert torch.equal(x, torch.ones(3, 1, device=device))
    both = scan.associative_scan(doubled, (x, x + 1), 1, combine_mode=mode)
    both[0].zero_()
    assert both[1].tolist() == [[2]] * 3
    first = scan.associative_scan(lambda x, y: x, torch.ones(2, 4, device=device), 1,
                                  combine_mode=mode)
    first[0, 0] = 5
    assert first[0].tolist() == [5, 1, 1, 1]
    if mode == "generic":
        m = torch.eye(2, device=device)[None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scan.associative_scan(product, m, 0, combine_mode=mode).zero_()
        assert torch.equal(m[0], torch.eye(2, device=device))


def test_used_downstream(device):
    a, b = operators.leaves("affine", (2, 6, 4), device=device)
    w = torch.randn(4, 3, dtype=torch.float64,
                    generator=torch.Generator().manual_seed(6)).to(device)
    states = scan.associative_scan(operators.affine, (a, b), 1)[1] @ w
    expected = oracle.associative_scan(operators.affine, (a, b), 1)[1] @ w
    for dim in (1, 2):
        again = scan.associative_scan(torch.add, states, dim)
        torch.testing.assert_close(again, torch.cumsum(expected, dim))


def test_scans_in_a_loop(device):
    x = torch.rand(3, 10, dtype=torch.float64,
                   generator=torch.Generator().manual_seed(7)).to(device)
    y, z = x, x
    for _ in range(3):
        y, z = scan.associative_scan(torch.add, y, 1), torch.cumsum(z, 1)
    torch.testing.assert_close(y, z)


def test_loops_and_helpers_in_the_function(device):
    def step(x, y, power):
        for _ in range(power):
            x = torch.maximum(x, y)
        return x

    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(8)).to(device)
    assert torch.equal(scan.associative_scan(lambda a, b: step(a, b, 3), x, 1),
                       torch.cummax(x, 1).values)


def test_what_the_function_reads_belongs_to_the_cache(device):
    x = torch.ones(4, device=device)
    results = []
    for factor in (1, 2, True, 1.0, -0.0, 0.0):
        results.append(scan.associative_scan(lambda a, b: (a + b) * factor + 0 * a, x, 0,
                                             check_associativity=False)[1].item())
    assert results == [2, 4, 2, 2, 0, 0]
    holder = {"factor": 1.0}
    for factor in (1.0, 3.0):
        holder["factor"] = factor
        found = scan.associative_scan(lambda a, b: (a + b) * holder["factor"], x, 0,
                                      check_associativity=False)
        assert found[1].item() == 2 * factor


def test_a_number_in_a_tensor_is_read_at_every_call(device):
    """Wherever the number is."""
    for place in {torch.device("cpu"), device}:
        scale = torch.tensor(2.0, dtype=torch.float64, device=place)
        x = torch.ones(3, dtype=torch.float64, device=device)

        def scaled():
            return scan.associative_scan(lambda a, b: (a + b) * scale, x, 0,
                                         check_associativity=False).tolist()

        assert scaled() == [1, 4, 10]
        scale.fill_(1.0)
        assert scaled() == [1, 2, 3]


def test_the_function_asks_for_the_device(device):
    def combine(a, b):
        assert a.device == x.device and a.is_cuda == x.is_cuda
        return a + b + torch.zeros((), device=a.device) + torch.zeros_like(a)

    x = torch.ones(3, device=device)
    assert scan.associative_scan(combine, x, 0).tolist() == [1, 2, 3]


def test_the_function_depends_on_the_device():
    """What was traced for one device is not taken for another."""
    def combine(a, b):
        return a + b if a.device.type == "cpu" else a.sum()

    def text(name):
        return _associative._cached_text(combine, None, (torch.float32,), (), torch.device(name),
                                         (False, False, False, False))

    assert scan.associative_scan(combine, torch.ones(3), 0).tolist() == [1, 2, 3]
    assert text("cpu")
    with pytest.raises(scan.TraceError, match="'sum'"):
        text("cuda:0")


def test_default_device(device):
    """Another default device is no matter of the function's."""
    with torch.device("meta"):
        x = torch.ones(3, device=device)
        found = scan.associative_scan(lambda a, b: a + b + 0, x, 0)
        assert scan.linear_recurrence(x, x, dim=0).device == x.device
        assert scan.cummax(x, 0).indices.device == x.device
    assert found.tolist() == [1, 2, 3]


def test_sizes_that_the_function_reads(device):
    def combine(a, b):
        return a + b + 0.0 * a.shape[0]

    def scaled(a, b):
        return (a + b) * a.shape[-1]

    for width in (2, 3):
        x = torch.ones(width, 2, width, device=device)
        found = scan.associative_scan(scaled, x, 1, check_associativity=False)
        assert found[0, 1, 0].item() == 2 * width
    ones = torch.ones(2, 3, 2, device=device)
    assert scan.associative_scan(combine, ones, 1)[0, 2, 0].item() == 3


def test_generic_never_refuses(device):
    m = torch.randn(6, 3, 3, dtype=torch.float64,
                    generator=torch.Generator().manual_seed(9)).to(device)

    def product(a, b):
        return b @ a

    with pytest.warns(UserWarning, match="PyTorch's operations"):
        found = scan.associative_scan(product, m, 0, combine_mode="generic")
    torch.testing.assert_close(found, oracle.associative_scan(product, m, 0))
    for steps in (0, 1, 2, 3, 4, 5, 7, 8, 9):
        for reverse in (False, True):
            found = scan.associative_scan(product, m.repeat(2, 1, 1)[:steps], 0, reverse=reverse,
                                          combine_mode="generic")
            expected = oracle.associative_scan(product, m.repeat(2, 1, 1)[:steps], 0, reverse)
            torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:associative_scan runs through")
def test_generic_with_leaves_of_different_ranks(device):
    generator = torch.Generator().manual_seed(10)
    a = torch.rand(2, 6, dtype=torch.float64, generator=generator).to(device)
    b = torch.rand(2, 6, 3, dtype=torch.float64, generator=generator).to(device)

    def combine(x, y):
        return y[0] * x[0], y[0][..., None] * x[1] + y[1]

    found = scan.associative_scan(combine, (a, b), 1, combine_mode="generic")
    torch.testing.assert_close(found, oracle.associative_scan(combine, (a, b), 1))


@pytest.mark.filterwarnings("error")
def test_generic_compiles_what_it_can(device):
    x = torch.rand(5, device=device)
    torch.testing.assert_close(
        scan.associative_scan(torch.add, x, 0, combine_mode="generic"), torch.cumsum(x, 0))
