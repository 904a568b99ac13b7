"""cumsum and its siblings against PyTorch's."""

import pytest
import sampling
import torch

import mlir_scan.torch as scan
from mlir_scan import ScanError

SHAPES = [((7,), 0), ((3, 7), 1), ((7, 3), 0), ((2, 7, 3), 1), ((2, 0, 3), 1), ((0, 3), 1), ((), 0)]


def data(shape, dtype=torch.float64, device="cpu"):
    generator = torch.Generator().manual_seed(sum(shape) + 1)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=dtype, generator=generator).to(device)
    return torch.randint(-5, 6, shape, generator=generator).to(dtype).to(device)


def close(found, expected, **options):
    """Compares with what PyTorch computed on the CPU."""
    if isinstance(found, torch.Tensor):
        found = found.cpu()
    else:
        found = tuple(part.cpu() for part in found)
    torch.testing.assert_close(found, expected, **options)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_as_pytorch(name, shape, dim, device):
    dtypes = [torch.float64, torch.int32, torch.bool, torch.float32, torch.int64]
    for dtype in sampling.of_today(dtypes, len(name) + SHAPES.index((shape, dim)), 3):
        if name == "logcumsumexp" and not dtype.is_floating_point:
            continue
        if name in ("cummax", "cummin") and dtype == torch.bool:
            continue
        x = data(shape, dtype)
        found, expected = getattr(scan, name)(x.to(device), dim), getattr(torch, name)(x, dim)
        if name in ("cummax", "cummin"):
            assert found.values.device.type == found.indices.device.type == device.type
            assert torch.equal(found.values.cpu(), expected.values)
            assert torch.equal(found.indices.cpu(), expected.indices)
        else:
            assert found.dtype == expected.dtype and found.device.type == device.type
            close(found, expected)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp"])
@pytest.mark.parametrize("shape, dim", [((7,), 0), ((2, 7, 3), 1), ((2, 0, 3), 1)])
def test_directions(name, shape, dim, device):
    x, theirs = data(shape), getattr(torch, name)

    def ours(x, dim, **options):
        return getattr(scan, name)(x.to(device), dim, **options)

    start = {"cumsum": 0.0, "cumprod": 1.0, "logcumsumexp": -torch.inf}[name]
    forward, backward = theirs(x, dim), theirs(x.flip(dim), dim).flip(dim)
    close(ours(x, dim, reverse=True), backward)
    both = ours(x, dim, bidirectional=True)
    close(both, (forward, backward))
    first = torch.full_like(x.narrow(dim, 0, min(1, x.shape[dim])), start)
    shifted = torch.cat((first, forward.narrow(dim, 0, max(x.shape[dim] - 1, 0))), dim)
    close(ours(x, dim, exclusive=True), shifted)
    back = torch.cat((backward.narrow(dim, min(1, x.shape[dim]), max(x.shape[dim] - 1, 0)), first),
                     dim)
    close(ours(x, dim, exclusive=True, reverse=True), back)


def test_special_values(device):
    inf, nan = torch.inf, torch.nan
    x = torch.tensor([-inf, -inf, 1.0, 2.0, inf, 3.0], dtype=torch.float64)
    close(scan.logcumsumexp(x.to(device), 0), torch.logcumsumexp(x, 0))
    x = torch.tensor([3.0, nan, 5.0, nan, 1.0])
    for name in ("cummax", "cummin"):
        found, expected = getattr(scan, name)(x.to(device), 0), getattr(torch, name)(x, 0)
        close(found.values, expected.values, equal_nan=True)
        assert torch.equal(found.indices.cpu(), expected.indices)
    ties = torch.tensor([2, 1, 2, 2, 3, 3], device=device)
    assert scan.cummax(ties, 0).indices.tolist() == torch.cummax(ties.cpu(), 0).indices.tolist()
    assert scan.cummax(ties, 0, reverse=True).indices.tolist() == [4, 4, 4, 4, 4, 5]


def test_compensated(device):
    x = torch.full((1 << 16,), 0.1, dtype=torch.float32, device=device)
    exact = torch.cumsum(x.double(), 0)
    plain = (scan.cumsum(x, 0).double() - exact).abs().max()
    better = (scan.cumsum(x, 0, compensated=True).double() - exact).abs().max()
    unit = 2.0**-24
    assert better <= exact[-1] * (unit + (x.numel() * unit) ** 2)
    # One after the other the roundings add up; a GPU adds in a tree.
    assert better < plain if device.type == "cpu" else better <= plain


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(name, reverse, device, gradients):
    x = data((2, 5, 2), device=device).requires_grad_()
    function = getattr(scan, name)
    gradients.first(
        lambda x: function(x, 1, reverse=reverse) if name not in ("cummax", "cummin")
        else function(x, 1, reverse=reverse).values, (x,))
    if name in ("cumsum", "cumprod", "logcumsumexp"):
        # The first one is constant, and no difference of infinities is a number.
        gradients.first(lambda x: function(x, 1, exclusive=True)[:, 1:], (x,))
        gradients.first(lambda x: function(x, 1, bidirectional=True), (x,))
        gradients.second(lambda x: function(x, 1), (x,))


def test_gradient_of_a_product_with_zeros(device):
    x = torch.tensor([2.0, 0.0, 3.0, 0.0, 5.0], dtype=torch.float64, device=device,
                     requires_grad=True)
    ours, = torch.autograd.grad(scan.cumprod(x, 0).sum(), x)
    theirs, = torch.autograd.grad(torch.cumprod(x, 0).sum(), x)
    torch.testing.assert_close(ours, theirs)


def test_gradient_of_logcumsumexp_at_minus_infinity(device):
    x = torch.tensor([-torch.inf, 1.0, -torch.inf, 2.0], dtype=torch.float64, device=device,
                     requires_grad=True)
    ours, = torch.autograd.grad(scan.logcumsumexp(x, 0)[1:].sum(), x)
    y = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    tail = torch.logsumexp(y, 0)
    theirs, = torch.autograd.grad(y[0] * 2 + tail, y)
    close(ours, torch.tensor([0, theirs[0], 0, theirs[1]]).double())


def test_refusals(device):
    with pytest.raises(ScanError, match="expected a tensor"):
        scan.cumsum([1, 2], 0)
    with pytest.raises(IndexError, match="dim"):
        scan.cumsum(torch.ones(3, device=device), 1)
    with pytest.raises(ScanError, match="no order"):
        scan.cummax(torch.ones(3, dtype=torch.complex64, device=device), 0)
    with pytest.raises(ScanError, match="logcumsumexp is of real"):
        scan.logcumsumexp(torch.ones(3, dtype=torch.int32, device=device), 0)
    with pytest.raises(ScanError, match="compensated"):
        scan.cumsum(torch.ones(3, dtype=torch.int32, device=device), 0, compensated=True)
    with pytest.raises(ScanError, match="bidirectional"):
        scan.cumsum(torch.ones(3, device=device), 0, reverse=True, bidirectional=True)
