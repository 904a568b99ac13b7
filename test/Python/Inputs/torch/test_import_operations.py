"""import_exported: operations around scans, against PyTorch and the interpreter."""

import pytest
import torch
import torch.nn.functional as F
from importing import check, data, flat

import mlir_scan.torch as scan

X = data(2, 5, 4)
Y = data(2, 5, 4, seed=1)
M = data(4, 3, seed=2)
INDEX = torch.tensor([[0, 3, 1], [2, 2, 0]])

CASES = {
    "cumsum": lambda x: x.cumsum(1),
    "cumsum_of_integers": lambda x: (x * 4).int().cumsum(-1),
    "cumprod": lambda x: torch.cumprod(x, 0),
    "cummax": lambda x: tuple(torch.cummax(x, 1)),
    "cummin": lambda x: tuple(torch.cummin(x, -1)),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 1),
    "cumsum_transposed": lambda x: x.transpose(0, 1).flip(0).cumsum(0).sin(),
    "pointwise": lambda x: torch.where(x > 0, x.exp(), F.gelu(x)) + F.silu(x) ** 2 - 1,
    "scalar_types": lambda x: (x > 0).sum(-1) * 3 + x.long()[..., 0],
    "masked_fill": lambda x: x.masked_fill(x < 0, -1.0).clamp(max=1.0),
    "in_place": lambda x: x.clone().mul_(2).add_(x),
    "broadcast": lambda x: x[:, :, None] * x[:, None].sigmoid() + x[:1, 0].sum(),
    "sums": lambda x: (x.sum(), x.sum(1), x.sum((0, 2), keepdim=True), x.mean(), x.mean(-1)),
    "extrema": lambda x: (x.amax(1), x.amin((0, 1)), x.max(), x.min(), x.amax(-1, True)),
    "extrema_with_places": lambda x: (*x.max(1), *x.min(-1, True), x.argmax(), x.argmin(0)),
    "products": lambda x: (x.prod(), x.prod(1), (x > 0).any(1), (x > -9).all()),
    "moments": lambda x: (x.var(1), x.var(-1, unbiased=False), x.std((0, 1)), x.var()),
    "softmax": lambda x: (x.softmax(-1), x.log_softmax(1), torch.logsumexp(x, -1)),
    "layer_norm": lambda x: (F.layer_norm(x, (4,), x[0, 0], x[0, 1]), F.layer_norm(x, (4,))),
    "rms_norm": lambda x: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6),
    "views": lambda x: (x.permute(2, 0, 1), x.transpose(1, 2).reshape(8, -1), x.flatten(1)),
    "reshapes": lambda x: (x.view(2, 5, 2, 2).sum(2), x[..., None].squeeze(-1), x.unsqueeze(0)),
    "expand": lambda x: x[:, :1].expand(-1, 7, -1).contiguous(),
    "slices": lambda x: (x[:, 1:], x[:, :-2] * 2, x[:, 1:4:2], x[..., -1], x[1, -2:]),
    "shifted_difference": lambda x: x[:, 1:] - x[:, :-1],
    "select_and_split": lambda x: (*x.chunk(2, -1), *x.split((1, 3), -1), *x.unbind(0)),
    "cat_and_stack": lambda x: (torch.cat([x, x[:, :2]], 1), torch.stack([x, x * 2], -1)),
    "pad": lambda x: (F.pad(x, (1, 2)), F.pad(x, (0, 0, 3, 0), value=2.0), F.pad(x, (-1, 1))),
    "assigned_slices": lambda x: _assign(x),
    "repeat": lambda x: (x.repeat(1, 2, 1), x.repeat(2, 1, 1, 1)),
    "flip": lambda x: (x.flip(1), x.flip(0, 1) + x, x.flip(1) * x.flip(1)),
    "filled": lambda x: (torch.zeros_like(x), torch.full((2, 3), 2.5), x.new_ones(4) * 2),
    "arange": lambda x: (torch.arange(5), torch.arange(1, 9, 2), torch.arange(3.0) * x[0, 0, 0]),
    "triangles": lambda x: (x.tril(), x.triu(1)),
    "einsum": lambda x: (torch.einsum("btc,bsc->bts", x, x), torch.einsum("btc,c->tb", x, x[0, 0])),
    "complex": lambda x: _rotated(x),
    "complex_pairs": lambda x: torch.view_as_real(torch.polar(x.abs(), x)),
    "activations": lambda x: (F.relu6(x), F.mish(x), F.selu(x), F.hardswish(x), F.softplus(x, 2)),
    "scaled_sums": lambda x: (torch.add(x, x, alpha=2), torch.sub(x, 1, alpha=3),
                              torch.rsub(x, 2, alpha=2), torch.addcmul(x, x, x, value=2)),
    "integers": lambda x: (x.int() // 3, x.int() % 3, x // 0.7, (x > 0) & (x < 1), ~(x > 0)),
    "norms": lambda x: (x.norm(dim=-1), F.normalize(x, dim=1), F.rms_norm(x, (4,))),
    # What an RMS norm is where tensors are on a GPU.
    "fused_norms": lambda x: (*torch.ops.aten._fused_rms_norm(x, [4], None, None),
                              *torch.ops.aten._fused_rms_norm(x, [5, 4], x[0], 1e-3),
                              *torch.ops.aten._fused_rms_norm(x.double(), [4], None, None)),
    "batch_norm": lambda x: F.batch_norm(x.mT, x[0, 0], x[0, 1].abs() + 1, x[0, 2], x[0, 3]),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
    "losses": lambda x: (F.mse_loss(x, x * 2), F.smooth_l1_loss(x, x * 2)),
    "roll": lambda x: (x.roll(1, 1), x.roll((1, -2), (0, 1)), x.roll(3)),
    "indexed": lambda x: (x[:, INDEX[0]], x[:, [0, -2]], x[INDEX[0, :2] % 2, INDEX[1, :2]]),
    "assigned_places": lambda x: _assign_places(x),
    "repeated_sum": lambda x: x.expand(3, 2, 5, 4).sum((0, 2)),
    "narrow_types": lambda x: (x.bfloat16().sum(1), x.half().softmax(-1), x.bfloat16().cumsum(1)),
    "wide_types": lambda x: (x.double().cumsum(1), x.double().exp().mean()),
}


def _assign(x):
    y = x.clone()
    y[:, 0] = 1.0
    y[:, 1:3] = x[:, :2] * 2
    return y


def _assign_places(x):
    y = x.clone()
    y[:, INDEX[0]] = x[:, :3] * 2
    y[torch.tensor([-1])] = 0.5
    return y


def _rotated(x):
    z = torch.complex(x, x * 2)
    return (z * z.conj()).real, z.cumsum(1).imag


@pytest.mark.parametrize("name", CASES)
def test_operation(name):
    narrow = name == "narrow_types"
    check(CASES[name], (X,), rtol=2e-2 if narrow else None, atol=2e-2 if narrow else None)


DYNAMIC = ["cumsum", "cumsum_transposed", "cummax", "pointwise", "broadcast", "sums", "extrema",
           "moments", "softmax", "layer_norm", "shifted_difference", "cat_and_stack", "pad",
           "flip", "einsum", "slices", "select_and_split", "repeat", "views", "triangles",
           "extrema_with_places", "assigned_slices", "roll", "assigned_places", "indexed"]


@pytest.mark.parametrize("name", DYNAMIC)
def test_operation_on_dynamic_sizes(name):
    dims = (1,) if name in ("views", "select_and_split", "repeat") else (0, 1)
    others = [(data(2 if dims == (1,) else 3, steps, 4),) for steps in (7, 11)]
    module = check(CASES[name], (X,), [dims], others)
    assert "?" in str(module)


DIFFERENTIABLE = ["cumprod", "cummax", "pointwise", "broadcast", "extrema", "moments", "softmax",
                  "layer_norm", "reshapes", "slices", "select_and_split", "cat_and_stack", "pad",
                  "assigned_slices", "repeat", "triangles", "einsum", "complex", "roll", "norms",
                  "fused_norms", "attention", "repeated_sum", "activations"]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradient_of_operation(name):
    """The programs' derivatives, by scan-differentiate, against PyTorch's."""
    x = X.double().requires_grad_()

    def gradient(function):
        outputs = [item for item in flat(function(x)) if item.requires_grad]
        cotangents = [data(*item.shape, seed=9, dtype=item.dtype) for item in outputs]
        return torch.autograd.grad(outputs, x, cotangents)
    torch.testing.assert_close(gradient(scan.jit(CASES[name])), gradient(CASES[name]))


def test_dynamic_sizes_as_numbers():
    def model(x):
        batch, time, channels = x.shape
        return (x.reshape(batch * time, channels).mean(0) * time, x.reshape(batch, -1),
                torch.arange(time) * 2, x.sum(1) / time, torch.zeros(time + batch, 2),
                x.reshape(batch * time, channels).cumsum(0).reshape(batch, time, channels))
    check(model, (X,), [(0, 1)], [(data(3, 7, 4),)])


def test_products_of_matrices():
    check(lambda x, m: (x @ m, x[0] @ m, x[0, 0] @ m, x @ x.transpose(1, 2)), (X, M),
          [(1,), ()], [(data(2, 8, 4), M)])
    check(lambda a, b, c: (torch.addmm(c, a, b, alpha=2), torch.bmm(a[None], b[None]),
                           a @ b[:, 0], torch.dot(a[0], b[:, 0])),
          (data(5, 4), M, data(3)))
    check(lambda x, w, b: F.linear(x, w, b), (X, data(6, 4), data(6)))


@pytest.mark.parametrize("groups", [1, 4])
def test_causal_convolution(groups):
    def model(x, weight, bias):
        x = F.pad(x.transpose(1, 2), (3, 0))
        return F.conv1d(x, weight, bias, groups=groups).transpose(1, 2)
    weight = data(4, 4 // groups, 4, seed=5)
    check(model, (X, weight, data(4)), [(0, 1), (), ()], [(data(3, 9, 4), weight, data(4))])
    check(lambda x, w: F.conv1d(x.transpose(1, 2), w, stride=2, padding=1, dilation=1,
                                groups=groups), (X, weight))


def test_reads_and_writes_at_places():
    check(lambda x, i: (x[0].gather(1, i), x[:, 0].index_select(1, i[0]), F.embedding(i, x[0])),
          (data(2, 5, 5), INDEX))
    check(lambda x, i: (x.scatter(1, i, 2.0), x.scatter(1, i, x * 2)), (data(2, 4), INDEX))
    check(lambda x, i: torch.zeros(2, 4).scatter(1, i[:, :1], 1.0) * x, (data(2, 4), INDEX))
