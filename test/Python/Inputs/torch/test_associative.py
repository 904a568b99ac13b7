"""associative_scan against the left fold: values, trees, layouts, gradients."""

import collections

import operators
import oracle
import pytest
import torch

import mlir_scan.torch as scan
from mlir_scan import ScanError

SHAPES = [((5,), 0), ((7, 3), 0), ((3, 7), 1), ((2, 9, 4), 1), ((2, 3, 11), -1), ((6, 2, 3), 0),
          ((2, 3, 5, 2), 2), ((1, 1), 1)]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", sorted(operators.GALLERY))
def test_values(name, reverse):
    for shape, dim in SHAPES:
        xs, combine = operators.leaves(name, shape), operators.apply(name)
        found = scan.associative_scan(combine, xs, dim, reverse=reverse)
        expected = oracle.associative_scan(combine, xs, dim % len(shape), reverse)
        assert isinstance(found, list)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", FLOATS + [torch.complex64, torch.complex128])
@pytest.mark.parametrize("reverse", [False, True])
def test_float_dtypes(dtype, reverse):
    xs = [leaf.to(dtype) for leaf in operators.leaves("affine", (3, 50, 4))]
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
def test_integers_wrap(dtype):
    generator = torch.Generator().manual_seed(3)
    info = torch.iinfo(dtype)
    x = torch.randint(info.min // 2, info.max // 2, (4, 40), generator=generator, dtype=dtype)
    found = scan.associative_scan(lambda a, b: a * 3 + b - 2 * a, x, 1)
    expected = oracle.associative_scan(lambda a, b: a * 3 + b - 2 * a, x, 1)
    assert torch.equal(found, expected)


def test_booleans():
    x = torch.rand(3, 30, generator=torch.Generator().manual_seed(1)) < 0.5
    for combine in (lambda a, b: a ^ b, lambda a, b: a | b, lambda a, b: a & b,
                    torch.logical_xor):
        assert torch.equal(scan.associative_scan(combine, x, 1, reverse=True),
                           oracle.associative_scan(combine, x, 1, True))


def test_leaves_of_different_dtypes():
    count = torch.ones(20, dtype=torch.int32)
    x = torch.randn(20, dtype=torch.float64, generator=torch.Generator().manual_seed(2))

    def combine(left, right):
        return {"n": left["n"] + right["n"], "x": torch.maximum(left["x"], right["x"])}

    found = scan.associative_scan(combine, {"n": count, "x": x}, 0)
    assert found["n"].dtype == torch.int32 and found["n"].tolist() == list(range(1, 21))
    assert torch.equal(found["x"], torch.cummax(x, 0).values)


Pair = collections.namedtuple("Pair", "a b")


def test_trees():
    a, b = operators.leaves("affine", (3, 8))

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


def test_dictionary_in_another_order():
    a, b = operators.leaves("affine", (3, 8))

    def swapped(x, y):
        return {"b": y["a"] * x["b"] + y["b"], "a": y["a"] * x["a"]}

    found = scan.associative_scan(swapped, {"a": a, "b": b}, 1)
    expected = oracle.associative_scan(operators.affine, (a, b), 1)
    assert list(found) == ["a", "b"]
    torch.testing.assert_close((found["a"], found["b"]), expected, rtol=1e-13, atol=1e-13)


def test_memory_layouts():
    base = torch.randn(6, 5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    views = [base.transpose(0, 2), base[::2], base[:, 1:4], base[:, :, ::3], base.flip(1),
             base[0].expand(4, 5, 8), base[:1, :, :1].expand(3, 5, 2), base.permute(1, 2, 0)]
    for view in views:
        for dim in range(3):
            found = scan.associative_scan(torch.add, view, dim)
            torch.testing.assert_close(found, torch.cumsum(view, dim), rtol=1e-12, atol=1e-12)


def test_conjugate_and_negative_views():
    z = torch.randn(4, 9, dtype=torch.complex128, generator=torch.Generator().manual_seed(5))
    torch.testing.assert_close(scan.associative_scan(torch.mul, z.conj(), 1),
                               torch.cumprod(z.conj().resolve_conj(), 1))
    imaginary = z.conj().imag
    assert imaginary.is_neg()
    torch.testing.assert_close(scan.associative_scan(torch.add, imaginary, 1),
                               torch.cumsum(imaginary, 1))


@pytest.mark.parametrize("shape, dim", [((0,), 0), ((3, 0), 1), ((3, 0), 0), ((0, 4), 1),
                                        ((2, 0, 3), 2), ((2, 0, 3), 1)])
def test_empty(shape, dim):
    x = torch.zeros(shape)
    found = scan.associative_scan(torch.add, x, dim)
    assert found.shape == x.shape and found.dtype == x.dtype


def test_one_step_is_no_view():
    x = torch.ones(3, 1)
    found = scan.associative_scan(torch.add, x, 1)
    found.zero_()
    assert torch.equal(x, torch.ones(3, 1))


def test_used_downstream():
    a, b = operators.leaves("affine", (2, 6, 4))
    w = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(6))
    states = scan.associative_scan(operators.affine, (a, b), 1)[1] @ w
    again = scan.associative_scan(torch.add, states, 1)
    expected = torch.cumsum(oracle.associative_scan(operators.affine, (a, b), 1)[1] @ w, 1)
    torch.testing.assert_close(again, expected)


def test_scans_in_a_loop():
    x = torch.rand(3, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    y, z = x, x
    for _ in range(3):
        y, z = scan.associative_scan(torch.add, y, 1), torch.cumsum(z, 1)
    torch.testing.assert_close(y, z)


def test_loops_and_helpers_in_the_function():
    def step(x, y, power):
        for _ in range(power):
            x = torch.maximum(x, y)
        return x

    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(8))
    assert torch.equal(scan.associative_scan(lambda a, b: step(a, b, 3), x, 1),
                       torch.cummax(x, 1).values)


def test_what_the_function_reads_belongs_to_the_cache():
    x = torch.ones(4)
    results = []
    for factor in (1, 2, True, 1.0, -0.0, 0.0):
        results.append(scan.associative_scan(lambda a, b: (a + b) * factor + 0 * a, x, 0)[1].item())
    assert results == [2, 4, 2, 2, 0, 0]
    holder = {"factor": 1.0}
    for factor in (1.0, 3.0):
        holder["factor"] = factor
        found = scan.associative_scan(lambda a, b: (a + b) * holder["factor"], x, 0)
        assert found[1].item() == 2 * factor


def test_a_number_in_a_tensor_is_read_at_every_call():
    scale = torch.tensor(2.0, dtype=torch.float64)
    x = torch.ones(3, dtype=torch.float64)
    assert scan.associative_scan(lambda a, b: (a + b) * scale, x, 0).tolist() == [1, 4, 10]
    scale.fill_(1.0)
    assert scan.associative_scan(lambda a, b: (a + b) * scale, x, 0).tolist() == [1, 2, 3]


def test_sizes_that_the_function_reads():
    def combine(a, b):
        return a + b + 0.0 * a.shape[0]

    def scaled(a, b):
        return (a + b) * a.shape[-1]

    for width in (2, 3):
        x = torch.ones(width, 2, width)
        found = scan.associative_scan(scaled, x, 1)
        assert found[0, 1, 0].item() == 2 * width
    assert scan.associative_scan(combine, torch.ones(2, 3, 2), 1)[0, 2, 0].item() == 3


def fails(combine, xs, *words, dim=0, kind=scan.TraceError, mode="pointwise"):
    with pytest.raises(kind) as error:
        scan.associative_scan(combine, xs, dim, combine_mode=mode)
    for word in words:
        assert word in str(error.value), str(error.value)
    return str(error.value)


def test_refusals_name_file_and_line():
    x = torch.rand(4, 5)
    message = fails(lambda a, b: a + b.sum(), x, "'sum'", "generic")
    assert "test_associative.py:" in message

    def branches(a, b):
        return a if a.max() > b.max() else b

    fails(branches, x, "max")
    fails(lambda a, b: a if (a > b) else b, x, "torch.where")
    fails(lambda a, b: a + b.item(), x, "item")
    fails(lambda a, b: torch.sort(a + b)[0], x, "sort")


def test_mutation_is_refused():
    x = torch.rand(4, 5)

    def in_place(a, b):
        a.add_(b)
        return a

    def augmented(a, b):
        a += b
        return a

    def items(a, b):
        a[0] = b[0]
        return a

    for combine in (in_place, augmented):
        fails(combine, x, "mutates")
    fails(items, x)
    fails(lambda a, b: torch.add(a, b, out=a), x, "writes")


def test_own_temporaries_may_change():
    def combine(a, b):
        c = a * 1
        c += b
        c.mul_(1)
        return c

    x = torch.rand(6)
    torch.testing.assert_close(scan.associative_scan(combine, x, 0), torch.cumsum(x, 0))


def test_wrong_results_are_refused():
    x = torch.rand(4)
    fails(lambda a, b: (a, b), x, "expected")
    fails(lambda a, b: (a + b).double(), x, "float64", ".to(")
    fails(lambda a, b: a > b, x, "bool")
    fails(lambda a, b: 1.0, x, "number")
    fails(lambda a, b: torch.ones(()), x, "does not depend")
    fails(lambda a, b: None, x, "NoneType")
    fails(lambda x, y: (x[0],), (x, x), "tuple of 1")
    fails(lambda x, y: [x[0], y[1]], (x, x), "list")
    fails(lambda x, y: {"a": x["a"]}, {"a": x, "b": x}, "keys")


def test_wrong_arguments_are_refused():
    x = torch.rand(4)
    fails(torch.add, [], "at least one", kind=ScanError)
    fails(torch.add, torch.ones(()), "rank 1", kind=ScanError)
    fails(torch.add, [x, 3], "leaf 1", kind=ScanError)
    fails(lambda x, y: x, (x, torch.rand(5)), "leaf 1", "(5,)", kind=ScanError)
    fails(torch.add, x, "dim", dim=1, kind=IndexError)
    fails(torch.add, x, "combine_mode", mode="fast", kind=ScanError)
    fails(None, x, "combine_fn", kind=ScanError)
    fails(torch.add, torch.ones(4, dtype=torch.uint8), "uint8", "int64", kind=ScanError)
    fails(torch.add, torch.rand(4).to_sparse(), "to_dense", kind=ScanError)
    fails(torch.add, torch.rand(4, device="meta"), kind=ScanError)


def test_exceptions_of_the_function_come_through():
    class Mine(Exception):
        pass

    def combine(a, b):
        raise Mine("here")

    with pytest.raises(Mine, match="here"):
        scan.associative_scan(combine, torch.rand(4), 0)
    torch.testing.assert_close(scan.associative_scan(torch.add, torch.ones(3), 0),
                               torch.tensor([1.0, 2.0, 3.0]))


def test_captured_tensors():
    x, w = torch.rand(4, 5), torch.rand(5)
    fails(lambda a, b: a * b * w, x, "leaf")
    parameter = torch.ones((), requires_grad=True)
    fails(lambda a, b: (a + b) * parameter, x, "leaf")
    # As the message says: as a leaf it has its gradient.
    w64 = torch.rand(5, dtype=torch.float64, requires_grad=True)
    x64 = torch.rand(4, 5, dtype=torch.float64)

    def combine(left, right):
        return (left[0] + right[0]) * right[1], right[1]

    found = scan.associative_scan(combine, (x64, w64.expand(4, 5)), 0)[0]
    expected = oracle.associative_scan(combine, (x64, w64.expand(4, 5)), 0)[0]
    ours, = torch.autograd.grad(found.sum(), w64)
    theirs, = torch.autograd.grad(expected.sum(), w64)
    torch.testing.assert_close(ours, theirs)


def test_generic_never_refuses():
    m = torch.randn(6, 3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(9))

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


def test_generic_with_leaves_of_different_ranks():
    generator = torch.Generator().manual_seed(10)
    a = torch.rand(2, 6, dtype=torch.float64, generator=generator)
    b = torch.rand(2, 6, 3, dtype=torch.float64, generator=generator)

    def combine(x, y):
        return y[0] * x[0], y[0][..., None] * x[1] + y[1]

    found = scan.associative_scan(combine, (a, b), 1, combine_mode="generic")
    torch.testing.assert_close(found, oracle.associative_scan(combine, (a, b), 1))


def test_generic_compiles_what_it_can():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.rand(5)
        torch.testing.assert_close(
            scan.associative_scan(torch.add, x, 0, combine_mode="generic"), torch.cumsum(x, 0))


DIFFERENTIABLE = sorted(set(operators.GALLERY) - {"welford"})


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradcheck(name, reverse):
    for shape, dim in [((2, 5), 1), ((4, 3), 0), ((1, 4, 2), 1)]:
        xs = [leaf.requires_grad_(name != "segmented_sum" or number == 1)
              for number, leaf in enumerate(operators.leaves(name, shape))]
        combine = operators.apply(name)
        assert torch.autograd.gradcheck(
            lambda *leaves: tuple(
                leaf for leaf in scan.associative_scan(combine, list(leaves), dim, reverse=reverse)
                if leaf.requires_grad), xs)


def test_partial_gradients():
    for wanted in range(2):
        for used in range(2):
            xs = operators.leaves("affine", (2, 7))
            xs[wanted].requires_grad_()
            found = scan.associative_scan(operators.affine, tuple(xs), 1)[used]
            expected = oracle.associative_scan(operators.affine, tuple(xs), 1)[used]
            if not expected.requires_grad:
                continue
            ours, = torch.autograd.grad(found.square().sum(), xs[wanted], allow_unused=True)
            theirs, = torch.autograd.grad(expected.square().sum(), xs[wanted])
            torch.testing.assert_close(ours if ours is not None else torch.zeros_like(theirs),
                                       theirs)


def test_gradient_of_the_gates():
    """All zero in PyTorch 2.13 where only the state is in the loss."""
    a, b = (leaf.requires_grad_() for leaf in operators.leaves("affine", (2, 7)))
    scan.associative_scan(operators.affine, (a, b), 1)[1].sum().backward()
    gradient = a.grad.clone()
    a.grad = None
    oracle.associative_scan(operators.affine, (a, b), 1)[1].sum().backward()
    assert gradient.abs().max() > 0
    torch.testing.assert_close(gradient, a.grad)


def test_second_derivatives():
    xs = [leaf.requires_grad_() for leaf in operators.leaves("affine", (2, 4))]
    assert torch.autograd.gradgradcheck(
        lambda *leaves: scan.associative_scan(operators.affine, leaves, 1), xs)
    x = operators.leaves("logaddexp", (2, 4))[0].requires_grad_()
    assert torch.autograd.gradgradcheck(
        lambda leaf: scan.associative_scan(torch.logaddexp, leaf, 1), [x])
