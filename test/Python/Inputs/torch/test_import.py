"""import_exported: exported programs as modules, against PyTorch and the interpreter."""

import json

import pytest
import torch
import torch.nn.functional as F
from importing import check, data, export
from torch._higher_order_ops import scan as torch_scan
from torch._higher_order_ops.associative_scan import associative_scan
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import mlir_scan
import mlir_scan.torch as scan

X = data(2, 5, 4)
INDEX = torch.tensor([[0, 3, 1], [2, 2, 0]])


# ---- the example of PyTorch's documentation --------------------------------------


class AssociativeScanModule(torch.nn.Module):
    """Cumulative sum and product; the operator asks for tensors of a GPU."""

    def __init__(self, reverse=False):
        super().__init__()
        self.reverse = reverse

    def forward(self, xs):
        def add(x, y):
            return x + y

        def mul(x, y):
            return x * y

        options = {"dim": 0, "reverse": self.reverse, "combine_mode": "pointwise"}
        return associative_scan(add, xs, **options), associative_scan(mul, xs, **options)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_documented_example(strict, reverse):
    # Fake tensors stand for those of a GPU that need not be there.
    with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()):
        example = torch.empty(5, 3, device="cuda")
    program = torch.export.export(
        AssociativeScanModule(reverse), (example,), strict=strict,
        dynamic_shapes={"xs": {0: torch.export.Dim("seq", min=2)}})
    assert "higher_order.associative_scan" in str(program)
    module = scan.import_exported(program)
    module.verify()
    text = str(module)
    assert text.count("scan.associative") == 2 and "tensor<?x3xf32>" in text
    # A scan turned around is one scan that goes backwards, without a copy.
    assert text.count("reverse") == (2 if reverse else 0) and "linalg" not in text
    for steps in (1, 2, 5, 64):
        xs = data(steps, 3)
        turned = xs.flip(0) if reverse else xs
        expected = [turned.cumsum(0), turned.cumprod(0)]
        expected = [item.flip(0) for item in expected] if reverse else expected
        for target in ("reference", "cpu"):
            found = module.compile("forward", target)(xs)
            torch.testing.assert_close([torch.from_dlpack(item) for item in found], expected)
    ptx, manifest = mlir_scan.ptx(module)
    assert ".entry" in ptx
    assert json.loads(manifest)["functions"][0]["name"] == "forward"


@pytest.mark.parametrize("reverse", [False, True])
def test_combine_function_that_does_not_commute(reverse):
    class Affine(torch.nn.Module):
        def forward(self, a, b):
            def combine(x, y):
                return y[0] * x[0], y[0] * x[1] + y[1]
            return associative_scan(combine, (a, b), 1, reverse, combine_mode="pointwise")

    with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()):
        examples = tuple(torch.empty(2, 5, 3, device="cuda") for _ in range(2))
    program = torch.export.export(Affine(), examples,
                                  dynamic_shapes=({1: torch.export.Dim.AUTO},) * 2)
    module = scan.import_exported(program)
    # PyTorch moves dim to the front; the scan goes along the dimension where it was.
    assert "dim = 1" in str(module) and "linalg" not in str(module)
    a, b = data(2, 9, 3).sigmoid(), data(2, 9, 3, seed=1)
    expected = scan.linear_recurrence(a, b, reverse=reverse)
    for target in ("reference", "cpu"):
        found = torch.from_dlpack(module.compile("forward", target)(a, b)[1])
        torch.testing.assert_close(found, expected)


# ---- loops -----------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_scan_that_is_a_recurrence(dim, reverse):
    weight = data(3, seed=3)

    def model(x, h0, weight):
        def step(h, x):
            h = h * torch.sigmoid(x) * weight + x
            return h, h * 2
        return torch_scan(step, h0, x, dim=dim, reverse=reverse)

    def args(steps):
        shape = (2, steps, 3) if dim else (steps, 2, 3)
        return data(*shape), data(2, 3, seed=1), weight
    module = check(model, args(5), [(dim,), (), ()], [args(2), args(17)])
    assert "scf.for" not in str(module)


STEPS = {
    "interpolation": lambda h, x: h + torch.sigmoid(x) * (x - h),
    "difference": lambda h, x: x - h * 0.5,
    "quotient": lambda h, x: (h - x) / (2 + x.abs()) + h * x,
    "negated": lambda h, x: -(h * x) - 1,
    "plain": lambda h, x: h + x,
}


@pytest.mark.parametrize("name", STEPS)
def test_updates_that_are_affine_after_distribution(name):
    def model(x, h0):
        def step(h, x):
            h = STEPS[name](h, x)
            return h, h.clone()
        return torch_scan(step, h0, x, dim=1)
    assert "scf.for" not in str(check(model, (data(2, 9, 3), data(2, 3, seed=1))))


def test_scan_that_is_a_loop():
    def model(x, h0):
        def step(h, x):
            h = torch.tanh(h + x.sum(-1))
            return h, x * h[:, None]
        return torch_scan(step, h0, x)

    args = [(data(steps, 2, 3), data(2, seed=1)) for steps in (5, 2, 11)]
    module = check(model, args[0], [(0,), ()], args[1:])
    assert "scf.for" in str(module)


def test_scan_of_several_carries_and_sequences():
    def model(x, y, c, d):
        def step(carry, item):
            c, d = carry
            c = c * 0.5 + item[0]
            d = torch.maximum(d, item[1])
            return (c, d), (c + d, item[0] * 2)
        return torch_scan(step, (c, d), (x, y))

    check(model, (data(5, 3), data(5, 3, seed=1), data(3, seed=2), data(3, seed=3)))


# ---- our own operators -------------------------------------------------------------


def test_own_recurrence_keeps_its_dimensions():
    """Trailing dimensions are not merged: a sum over states can be fused."""
    def model(delta, a, u, c):
        decay = torch.exp(delta[..., None] * a)
        h = scan.linear_recurrence(decay, (delta * u)[..., None] * c[:, :, None])
        return (h * c[:, :, None]).sum(-1)

    def args(steps):
        return (data(2, steps, 3).sigmoid(), -data(3, 4).exp(), data(2, steps, 3, seed=1),
                data(2, steps, 4, seed=2))
    module = check(model, args(5), [(1,), (), (1,), (1,)], [args(12)])
    text = str(module)
    assert "tensor<2x?x3x4xf32>" in text and "collapse_shape" not in text
    module.run("scan-normalize,scan-fuse-elementwise")
    assert str(module).count("linalg.generic") == 0 and str(module).count("scan.kernel") == 1


@pytest.mark.parametrize("reverse", [False, True])
def test_own_recurrence_with_state_and_final_state(reverse):
    def model(a, b, h0):
        return scan.linear_recurrence(a.sigmoid(), b, h0, dim=2, reverse=reverse,
                                      return_final_state=True)
    args = (data(2, 3, 5, 4), data(2, 3, 5, 4, seed=1), data(2, 3, 4))
    assert "scan.linear_recurrence" in str(check(model, args))


def test_own_recurrence_of_repeated_coefficients():
    def model(a, b):
        return scan.linear_recurrence(a.sigmoid()[None, :, None].expand(2, 5, 3, 4), b)
    module = check(model, (data(5, 4), data(2, 5, 3, 4)))
    assert "tensor<1x5x1x4xf32>" in str(module)  # They are not repeated in memory.
    check(lambda a, b: scan.linear_recurrence(a, b), (data(1, 5, 4).sigmoid(), data(2, 5, 4)))


def test_own_segments():
    def model(a, b, h0, offsets):
        return scan.linear_recurrence(a, b, h0, dim=0, segments=offsets, return_final_state=True)
    args = (data(9, 3).sigmoid(), data(9, 3, seed=1), data(2, 3), torch.tensor([0, 4, 9]))
    check(model, args)
    check(lambda a, b, s: scan.linear_recurrence(a[None], b[None], segments=s)[0],
          (args[0], args[1], args[3]))


@pytest.mark.parametrize("shape, dim", [((2, 5, 4), 1), ((5, 4), -1), ((2, 3, 5, 4), 2)])
def test_own_operators(shape, dim):
    def model(x):
        def combine(x, y):
            return x[0] * y[0], x[1] * y[0] + y[1]
        return (scan.cumsum(x, dim, exclusive=True), scan.cumsum(x, dim, compensated=True),
                *scan.cumprod(x, dim, bidirectional=True), *scan.cummax(x, dim, reverse=True),
                scan.logcumsumexp(x, dim),
                *scan.associative_scan(combine, (x, x * 2), dim, reverse=True))
    check(model, (data(*shape),))


def test_own_operator_from_a_state():
    """Programs that are not recognised are called, and the calls inlined."""
    def combine(x, y):
        return x[0] * y[0], x[1] * y[0] + y[1]

    def model(a, b, p, h):
        scanned, last = scan.associative_scan(combine, (a, b), 1, init=(p, h),
                                              return_final_state=True)
        return *scanned, *scan.associative_scan_step(combine, last, (a[:, 0], b[:, 0]))
    args = (data(2, 5, 3), data(2, 5, 3, seed=1), data(2, 3), data(2, 3, seed=2))
    assert "func.call" not in str(check(model, args))


# ---- parameters, constants, refusals -----------------------------------------------


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("scale", data(3))
        self.table = data(100, 3)
        self.small = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x):
        return scan.cumsum(self.linear(x) * self.scale + self.table[0] * self.small, 1)


def test_owned_tensors_are_further_arguments():
    torch.manual_seed(0)
    model = Model()
    module = check(model, (X,), [(0, 1)], [(data(3, 7, 4),)])
    names = list(scan.exported_arguments(export(model, (X,))))
    assert names == ["linear.weight", "linear.bias", "scale", "table"]
    assert len(module.signature("forward").inputs) == 5


def test_gradient_of_an_imported_program():
    torch.manual_seed(0)
    model = Model()
    program = export(model, (X,))
    module = scan.import_exported(program)
    module.run("scan-differentiate{function=forward}")
    owned = scan.exported_arguments(program)
    cotangent = data(2, 5, 3, seed=7)
    found = module.compile("forward_vjp", "cpu")(
        X, *(item.detach() for item in owned.values()), cotangent)
    x = X.clone().requires_grad_()
    expected = torch.autograd.grad(model(x), (x, model.linear.weight, model.linear.bias),
                                   cotangent)
    torch.testing.assert_close([torch.from_dlpack(item) for item in found[:3]], list(expected))


def test_locations():
    module = scan.import_exported(export(Model(), (X,)))
    line = Model.forward.__code__.co_firstlineno + 1
    assert f'loc("{__file__}":{line}:1)' in module.to_text(locations=True)


def refuses(function, args, *words, **options):
    with pytest.raises(scan.GraphError) as error:
        scan.import_exported(export(function, args, **options))
    for word in words:
        assert word in str(error.value), str(error.value)
    return str(error.value)


def test_refusals():
    class Fourier(torch.nn.Module):
        def forward(self, x):
            return x + torch.fft.fft(x).real
    message = refuses(Fourier(), (X,), "aten._fft_r2c", "imported")
    line = Fourier.forward.__code__.co_firstlineno + 1
    assert message.startswith(f"{__file__}:{line}: ")
    refuses(lambda x: F.conv2d(x[None], torch.ones(1, 2, 2, 2)), (X,), "convolution",
            "one dimension")
    refuses(lambda x: x[0].nonzero(), (X,), "aten.nonzero")
    refuses(lambda x: (x * 1e3).to(torch.uint8), (X,), "uint8")
    refuses(lambda x: torch.zeros(5, 4).index_put((INDEX[0],), x[0, :3], accumulate=True), (X,),
            "index_put", "scatter")
    refuses(lambda x: x[x > 0], (X,), "aten.index", "a mask as index")
    refuses(lambda x: torch.einsum("...c,c->...", x, x[0, 0]), (X,), "'...'")

    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(3))

        def forward(self, x):
            self.count.add_(1)
            return x * 2
    refuses(Counts(), (X,), "count", "changes")
    with pytest.raises(scan.GraphError, match="expected what torch.export.export returns"):
        scan.import_exported(Model())
