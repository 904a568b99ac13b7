"""cumsum and its siblings against PyTorch's."""

import pytest
import torch

import mlir_scan.torch as scan
from mlir_scan import ScanError

SHAPES = [((7,), 0), ((3, 7), 1), ((7, 3), 0), ((2, 7, 3), 1), ((2, 0, 3), 1), ((0, 3), 1), ((), 0)]


def data(shape, dtype=torch.float64):
    generator = torch.Generator().manual_seed(sum(shape) + 1)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=dtype, generator=generator)
    return torch.randint(-5, 6, shape, generator=generator).to(dtype)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_as_pytorch(name, shape, dim):
    for dtype in (torch.float64, torch.float32, torch.int32, torch.int64, torch.bool):
        if name == "logcumsumexp" and not dtype.is_floating_point:
            continue
        if name in ("cummax", "cummin") and dtype == torch.bool:
            continue
        x = data(shape, dtype)
        found, expected = getattr(scan, name)(x, dim), getattr(torch, name)(x, dim)
        if name in ("cummax", "cummin"):
            assert torch.equal(found.values, expected.values)
            assert torch.equal(found.indices, expected.indices)
        else:
            assert found.dtype == expected.dtype
            torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp"])
@pytest.mark.parametrize("shape, dim", [((7,), 0), ((2, 7, 3), 1), ((2, 0, 3), 1)])
def test_directions(name, shape, dim):
    x = data(shape)
    ours, theirs = getattr(scan, name), getattr(torch, name)
    start = {"cumsum": 0.0, "cumprod": 1.0, "logcumsumexp": -torch.inf}[name]
    forward, backward = theirs(x, dim), theirs(x.flip(dim), dim).flip(dim)
    torch.testing.assert_close(ours(x, dim, reverse=True), backward)
    both = ours(x, dim, bidirectional=True)
    torch.testing.assert_close(both, (forward, backward))
    first = torch.full_like(x.narrow(dim, 0, min(1, x.shape[dim])), start)
    shifted = torch.cat((first, forward.narrow(dim, 0, max(x.shape[dim] - 1, 0))), dim)
    torch.testing.assert_close(ours(x, dim, exclusive=True), shifted)
    back = torch.cat((backward.narrow(dim, min(1, x.shape[dim]), max(x.shape[dim] - 1, 0)), first),
                     dim)
    torch.testing.assert_close(ours(x, dim, exclusive=True, reverse=True), back)


def test_special_values():
    inf, nan = torch.inf, torch.nan
    x = torch.tensor([-inf, -inf, 1.0, 2.0, inf, 3.0], dtype=torch.float64)
    torch.testing.assert_close(scan.logcumsumexp(x, 0), torch.logcumsumexp(x, 0))
    x = torch.tensor([3.0, nan, 5.0, nan, 1.0])
    for name in ("cummax", "cummin"):
        found, expected = getattr(scan, name)(x, 0), getattr(torch, name)(x, 0)
        torch.testing.assert_close(found.values, expected.values, equal_nan=True)
        assert torch.equal(found.indices, expected.indices)
    ties = torch.tensor([2, 1, 2, 2, 3, 3])
    assert scan.cummax(ties, 0).indices.tolist() == torch.cummax(ties, 0).indices.tolist()
    assert scan.cummax(ties, 0, reverse=True).indices.tolist() == [4, 4, 4, 4, 4, 5]


def test_compensated():
    x = torch.full((1 << 16,), 0.1, dtype=torch.float32)
    exact = torch.cumsum(x.double(), 0)
    plain = (scan.cumsum(x, 0).double() - exact).abs().max()
    better = (scan.cumsum(x, 0, compensated=True).double() - exact).abs().max()
    unit = 2.0**-24
    assert better <= exact[-1] * (unit + (x.numel() * unit) ** 2) < plain


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(name, reverse):
    x = data((2, 5, 2)).requires_grad_()
    function = getattr(scan, name)
    assert torch.autograd.gradcheck(
        lambda x: function(x, 1, reverse=reverse) if name not in ("cummax", "cummin")
        else function(x, 1, reverse=reverse).values, (x,))
    if name in ("cumsum", "cumprod", "logcumsumexp"):
        # The first one is constant, and no difference of infinities is a number.
        assert torch.autograd.gradcheck(lambda x: function(x, 1, exclusive=True)[:, 1:], (x,))
        assert torch.autograd.gradcheck(lambda x: function(x, 1, bidirectional=True), (x,))
        assert torch.autograd.gradgradcheck(lambda x: function(x, 1), (x,))


def test_gradient_of_a_product_with_zeros():
    x = torch.tensor([2.0, 0.0, 3.0, 0.0, 5.0], dtype=torch.float64, requires_grad=True)
    ours, = torch.autograd.grad(scan.cumprod(x, 0).sum(), x)
    theirs, = torch.autograd.grad(torch.cumprod(x, 0).sum(), x)
    torch.testing.assert_close(ours, theirs)


def test_gradient_of_logcumsumexp_at_minus_infinity():
    x = torch.tensor([-torch.inf, 1.0, -torch.inf, 2.0], dtype=torch.float64, requires_grad=True)
    ours, = torch.autograd.grad(scan.logcumsumexp(x, 0)[1:].sum(), x)
    y = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    tail = torch.logsumexp(y, 0)
    theirs, = torch.autograd.grad(y[0] * 2 + tail, y)
    torch.testing.assert_close(ours, torch.tensor([0, theirs[0], 0, theirs[1]]).double())


def test_refusals():
    with pytest.raises(ScanError, match="expected a tensor"):
        scan.cumsum([1, 2], 0)
    with pytest.raises(IndexError, match="dim"):
        scan.cumsum(torch.ones(3), 1)
    with pytest.raises(ScanError, match="no order"):
        scan.cummax(torch.ones(3, dtype=torch.complex64), 0)
    with pytest.raises(ScanError, match="logcumsumexp is of real"):
        scan.logcumsumexp(torch.ones(3, dtype=torch.int32), 0)
    with pytest.raises(ScanError, match="compensated"):
        scan.cumsum(torch.ones(3, dtype=torch.int32), 0, compensated=True)
    with pytest.raises(ScanError, match="bidirectional"):
        scan.cumsum(torch.ones(3), 0, reverse=True, bidirectional=True)
