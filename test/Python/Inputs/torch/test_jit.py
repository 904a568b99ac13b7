"""jit: whole functions as programs, against the functions themselves."""

import threading

import pytest
import torch
import torch.nn.functional as F

import mlir_scan
import mlir_scan.torch as scan
from mlir_scan import ScanError


# Before, torch's scan stacked results in front, and traced functions had no lines.
OF_2_12 = pytest.mark.skipif(tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12),
                             reason="needs torch 2.12 or later")


@pytest.fixture(autouse=True)
def on_device(default_device):
    """Data are made on the device that the tests run on."""


def data(*shape, seed=0, dtype=torch.float64, grad=False):
    generator = torch.Generator("cpu").manual_seed(seed)
    tensor = torch.randn(*shape, dtype=torch.float64, generator=generator, device="cpu")
    return tensor.to(torch.get_default_device(), dtype).requires_grad_(grad)


def loop(a, b):
    """h[t] = a[t] h[t-1] + b[t] along dimension 1, by PyTorch's operations alone."""
    states, h = [], torch.zeros_like(b[:, 0])
    for step in range(b.shape[1]):
        h = a[:, step] * h + b[:, step]
        states.append(h)
    return torch.stack(states, 1)


def gated(x, gate):
    a = torch.sigmoid(gate)
    return scan.linear_recurrence(a, (1 - a) * x).tanh()


def plain_gated(x, gate):
    a = torch.sigmoid(gate)
    return loop(a, (1 - a) * x).tanh()


def test_values_and_gradients():
    function = scan.jit(gated)
    for steps in (5, 7, 1, 31):
        x, gate = data(2, steps, 3, grad=True), data(2, steps, 3, seed=1, grad=True)
        found, expected = function(x, gate), plain_gated(x, gate)
        torch.testing.assert_close(found, expected, rtol=1e-13, atol=1e-13)
        cotangent = data(2, steps, 3, seed=2)
        torch.testing.assert_close(torch.autograd.grad(found, (x, gate), cotangent),
                                   torch.autograd.grad(expected, (x, gate), cotangent),
                                   rtol=1e-12, atol=1e-12)


def test_gradcheck(gradients):
    function = scan.jit(gated)
    inputs = data(2, 4, 3, grad=True), data(2, 4, 3, seed=1, grad=True)
    gradients.first(function, inputs)
    gradients.second(function, inputs)


def selective(delta, a, b, c, u, skip):
    """The selective scan of Mamba, with a bias and a gate around it."""
    delta = F.softplus(delta)
    h = scan.linear_recurrence(torch.exp(delta[..., None] * a),
                               (delta * u)[..., None] * b[:, :, None])
    return (h * c[:, :, None]).sum(-1) + skip * u


def plain_selective(delta, a, b, c, u, skip):
    delta = F.softplus(delta)
    h = loop(torch.exp(delta[..., None] * a), (delta * u)[..., None] * b[:, :, None])
    return (h * c[:, :, None]).sum(-1) + skip * u


def test_fused_model():
    function = scan.jit(selective, dynamic={name: (0, 1) for name in ("delta", "b", "c", "u")})
    for batch, steps in ((2, 5), (3, 17)):
        args = [data(batch, steps, 3), -data(3, 4).exp(), data(batch, steps, 4, seed=1),
                data(batch, steps, 4, seed=2), data(batch, steps, 3, seed=3), data(3)]
        args = [item.detach().requires_grad_() for item in args]
        found, expected = function(*args), plain_selective(*args)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
        cotangent = data(batch, steps, 3, seed=4)
        torch.testing.assert_close(torch.autograd.grad(found, args, cotangent),
                                   torch.autograd.grad(expected, args, cotangent),
                                   rtol=1e-11, atol=1e-11)
    # One program for both sizes, and one kernel: the states are in no tensor.
    text, = function.programs()
    assert "tensor<?x?x3x4xf64>" in text
    module = mlir_scan.parse(text)
    module.run("scan-normalize,scan-fuse-elementwise,canonicalize")
    fused = str(module)
    assert fused.count("scan.kernel") == 1 and "x3x4xf64>" not in fused
    # The interpreter's numbers are those of the machine code.
    reference = mlir_scan.parse(text).compile("forward", "reference")
    torch.testing.assert_close(
        torch.from_dlpack(reference(*(item.detach().cpu() for item in args))[0]),
        found.detach().cpu(), rtol=1e-12, atol=1e-12)


def block(x, taps, bias, delta, a, b, c, z, gain, scan_states):
    """What stands around the scan of a block of Mamba: a short causal convolution, the step
    size, the gate, and an RMS norm of what it leaves."""
    padded = F.pad(x.transpose(1, 2), (taps.shape[1] - 1, 0))
    u = F.silu(F.conv1d(padded, taps[:, None], bias, groups=x.shape[2])).transpose(1, 2)
    delta = F.softplus(delta)
    h = scan_states(torch.exp(delta[..., None] * a), (delta * u)[..., None] * b[:, :, None])
    gated = (h * c[:, :, None]).sum(-1) * F.silu(z)
    return F.rms_norm(gated, (x.shape[2],), gain, 1e-5)


def test_block():
    function = scan.jit(lambda *inputs: block(*inputs, scan.linear_recurrence))
    for steps in (6, 9, 2):
        shapes = [(2, steps, 5), (5, 4), (5,), (2, steps, 5), (5, 3), (2, steps, 3), (2, steps, 3), (2, steps, 5), (5,)]
        inputs = [data(*shape, seed=seed, grad=True) for seed, shape in enumerate(shapes)]
        found, expected = function(*inputs), block(*inputs, loop)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
        cotangent = data(2, steps, 5, seed=9)
        torch.testing.assert_close(torch.autograd.grad(found, inputs, cotangent),
                                   torch.autograd.grad(expected, inputs, cotangent),
                                   rtol=1e-10, atol=1e-10)


def test_sizes_that_change_become_dynamic():
    function = scan.jit(gated)
    for steps in (5, 5, 9, 6, 100, 2, 33):
        x = data(2, steps, 3)
        torch.testing.assert_close(function(x, x), plain_gated(x, x))
    assert len(function.programs()) == 2  # For 5, and for all from 2 on.
    x = data(1, 5, 3)
    torch.testing.assert_close(function(x, x), plain_gated(x, x))
    assert len(function.programs()) == 3


def test_sizes_that_a_function_reads():
    @scan.jit
    def halves(x):
        batch, steps, channels = x.shape
        assert steps % 2 == 0
        return x.reshape(batch, steps // 2, 2, channels).sum(2) * steps
    for steps in (4, 6, 10):
        x = data(2, steps, 3)
        expected = (x[:, ::2] + x[:, 1::2]) * steps
        torch.testing.assert_close(halves(x), expected)
    with pytest.raises(AssertionError):
        halves(data(2, 5, 3))


def test_trees_names_and_numbers():
    @scan.jit
    def function(x, options, *, scale=1.0, reverse=False):
        y = scan.cumsum(x["a"] * scale, 1, reverse=reverse)
        return {"y": y, "z": [y + item for item in options]}

    x = {"a": data(2, 5), "b": data(2)}
    options = (data(5), data(2, 5, seed=3))
    for scale in (1.0, 2.0):
        for reverse in (False, True):
            found = function(x, options, scale=scale, reverse=reverse)
            y = scan.cumsum(x["a"] * scale, 1, reverse=reverse)
            torch.testing.assert_close(found, {"y": y, "z": [y + item for item in options]})
    assert len(function.programs()) == 4


def test_what_closures_hold_is_part_of_the_key():
    factor = 2.0
    function = scan.jit(lambda x: scan.cumsum(x * factor, 0))
    x = data(5)
    torch.testing.assert_close(function(x), (x * 2).cumsum(0))
    factor = 3.0
    torch.testing.assert_close(function(x), (x * 3).cumsum(0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex128])
def test_types(dtype):
    function = scan.jit(lambda a, b: scan.linear_recurrence(a * 0.5, b) * 2)
    if dtype.is_complex:
        a = torch.complex(data(2, 5, 3), data(2, 5, 3))
        b = torch.complex(data(2, 5, 3, seed=1), data(2, 5, 3, seed=2))
    else:
        a, b = data(2, 5, 3, dtype=dtype), data(2, 5, 3, seed=1, dtype=dtype)
    a, b = a.requires_grad_(), b.requires_grad_()
    found, expected = function(a, b), loop(a * 0.5, b) * 2
    options = {"rtol": 5e-2, "atol": 5e-2} if dtype == torch.bfloat16 else {}
    torch.testing.assert_close(found, expected, **options)
    torch.testing.assert_close(torch.autograd.grad(found.abs().sum(), (a, b)),
                               torch.autograd.grad(expected.abs().sum(), (a, b)), **options)


def test_results_are_new_tensors():
    x = data(2, 3)
    first, second, again = scan.jit(lambda x: (x, x * 2, x))(x)
    assert len({item.data_ptr() for item in (x, first, second, again)}) == 4
    torch.testing.assert_close((first, second, again), (x, x * 2, x))


@pytest.mark.parametrize("shape", [(0, 5), (2, 0), (1, 1)])
def test_extents_of_0_and_1(shape):
    x = data(*shape)
    torch.testing.assert_close(scan.jit(lambda x: scan.cumsum(x, 1).exp())(x), x.cumsum(1).exp())
    scalar = scan.jit(lambda x, y: x * 2 if y is None else x + y)
    torch.testing.assert_close(scalar(x.sum(), None), x.sum() * 2)


def test_strides_and_the_same_tensor_twice():
    function = scan.jit(gated)
    x = data(3, 5, 2).transpose(0, 2)
    torch.testing.assert_close(function(x, x), plain_gated(x, x))
    torch.testing.assert_close(function(x[:1].expand(2, 5, 3), x), plain_gated(
        x[:1].expand(2, 5, 3), x))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(data(3))
        self.linear = torch.nn.Linear(3, 3, dtype=torch.float64)
        self.register_buffer("shift", data(3, seed=1))

    def forward(self, x):
        return scan.cumsum(self.linear(x) * self.weight + self.shift, 1)


def test_modules():
    torch.manual_seed(0)
    layer = Layer()
    function = scan.jit(layer)
    x = data(2, 5, 3)
    parameters = tuple(layer.parameters())
    for _ in range(2):
        found, expected = function(x), layer(x)
        torch.testing.assert_close(found, expected)
        ours = torch.autograd.grad(found.square().sum(), parameters)
        theirs = torch.autograd.grad(expected.square().sum(), parameters)
        torch.testing.assert_close(ours, theirs)
        with torch.no_grad():  # Parameters are arguments: what they become is seen.
            layer.weight.mul_(2)
    assert len(function.programs()) == 1


@OF_2_12
def test_loops_become_recurrences():
    from torch._higher_order_ops import scan as torch_scan

    @scan.jit
    def function(x, z, h0):
        def step(h, item):
            x, z = item
            h = h + z * (x - h)
            return h, h.clone()
        return torch_scan(step, h0, (x, z.sigmoid()), dim=1)[1]

    x, z, h0 = data(2, 5, 3, grad=True), data(2, 5, 3, seed=1, grad=True), data(2, 3, grad=True)
    found = function(x, z, h0)
    gate = z.sigmoid()
    start = torch.cat([((1 - gate) * h0[:, None])[:, :1], torch.zeros_like(x[:, 1:])], 1)
    expected = loop(1 - gate, gate * x + start)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(torch.autograd.grad(found.square().sum(), (x, z, h0)),
                               torch.autograd.grad(expected.square().sum(), (x, z, h0)))


def test_transforms():
    function = scan.jit(gated)
    x, gate = data(4, 2, 5, 3), data(4, 2, 5, 3, seed=1)
    torch.testing.assert_close(torch.vmap(function)(x, gate), torch.vmap(plain_gated)(x, gate))

    def loss(function):
        return lambda x: function(x, gate[0]).square().sum()
    torch.testing.assert_close(torch.func.grad(loss(function))(x[0]),
                               torch.func.grad(loss(plain_gated))(x[0]))


def test_compile_and_export_see_the_function():
    torch._dynamo.reset()
    function = scan.jit(gated)
    x, gate = data(2, 5, 3), data(2, 5, 3, seed=1)
    compiled = torch.compile(lambda x, gate: function(x, gate) + 1, fullgraph=True,
                             backend="aot_eager")
    torch.testing.assert_close(compiled(x, gate), plain_gated(x, gate) + 1)
    assert not function.programs()


def test_threads():
    function = scan.jit(gated)
    x = data(2, 5, 3)
    expected, errors = plain_gated(x, x), []

    def work():
        try:
            for _ in range(20):
                torch.testing.assert_close(function(x, x), expected)
        except Exception as error:
            errors.append(error)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(function.programs()) == 1


def refuses(function, args, *words, kind=scan.GraphError):
    with pytest.raises(kind) as error:
        function(*args)
    for word in words:
        assert word in str(error.value), str(error.value)


@OF_2_12
def test_refusals():
    x = data(2, 5, 3)
    parameter = torch.nn.Parameter(data(3))

    def fourier(x):
        return torch.fft.fft(x).abs()
    line = fourier.__code__.co_firstlineno + 1
    refuses(scan.jit(fourier), (x,), f"{__file__}:{line}: ", "aten._fft_r2c")
    refuses(scan.jit(lambda x: x * parameter), (x,), "test_jit.py:", "none of the arguments")
    table = data(100, 3)
    refuses(scan.jit(lambda x: x * table[0]), (x,), "captures a tensor")
    refuses(scan.jit(lambda x: x.detach() * x), (x.clone().requires_grad_(),), "detach")
    stopped = scan.jit(lambda x: x.detach() * x)
    with torch.no_grad():
        torch.testing.assert_close(stopped(x), x * x)
    refuses(scan.jit(lambda x: (x, x.shape[0])), (x,), "no tensor")
    refuses(scan.jit(lambda x: x if x.sum() > 0 else -x), (x,), "depends on the value")
    refuses(scan.jit(lambda x: x + torch.rand(3)), (x,), "aten.rand", "cannot be imported")
    refuses(scan.jit(lambda x: x.add_(1)), (x,), "changes", "return the new value")
    refuses(scan.jit(lambda x: x), (1.0,), "at least one tensor", kind=ScanError)
    refuses(scan.jit(lambda x, y: x), (x, bytearray()), "cannot be compared", kind=ScanError)
    refuses(scan.jit(gated, dynamic={"y": 1}), (x, x), "'y'", kind=ScanError)
    refuses(scan.jit(gated), (x.to(torch.uint8), x), "uint8", kind=ScanError)
    with pytest.raises(ScanError, match="expected a function"):
        scan.jit(1)
    with pytest.raises(ZeroDivisionError):  # What the function itself raises.
        scan.jit(lambda x: x / (1 // 0))(x)
