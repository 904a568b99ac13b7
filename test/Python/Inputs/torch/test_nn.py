"""The layers: forms that are equal, formulas written anew, a few steps of training."""

import math

import pytest
import torch
import torch.nn.functional as F

import mlir_scan.torch as scan
from mlir_scan import ScanError
from mlir_scan.torch import nn as scan_nn


@pytest.fixture(autouse=True)
def on_device(default_device):
    """Layers and data are made on the device that the tests run on."""


def data(*shape, seed=0):
    generator = torch.Generator("cpu").manual_seed(seed)
    tensor = torch.randn(*shape, dtype=torch.float64, generator=generator, device="cpu")
    return tensor.to(torch.get_default_device())


# ---- the formulas, step by step, from the papers ------------------------------------


def rg_lru(layer, x):
    h, outputs = torch.zeros(x.shape[0], layer.width, dtype=x.dtype), []
    for t in range(x.shape[1]):
        r, i = (1 / (1 + torch.exp(-(x[:, t] @ gate.weight.T + gate.bias)))
                for gate in (layer.recurrence_gate, layer.input_gate))
        a = torch.exp(-8 * torch.log(1 + torch.exp(layer.decay)) * r)
        h = a * h + torch.sqrt(1 - a**2) * i * x[:, t]
        outputs.append(h)
    return torch.stack(outputs, 1)


def min_gru(layer, x):
    h, outputs = torch.zeros(x.shape[0], layer.hidden, dtype=x.dtype), []
    for t in range(x.shape[1]):
        z = 1 / (1 + torch.exp(-(x[:, t] @ layer.gate.weight.T + layer.gate.bias)))
        h = (1 - z) * h + z * (x[:, t] @ layer.candidate.weight.T + layer.candidate.bias)
        outputs.append(h)
    return torch.stack(outputs, 1)


def mamba(layer, x):
    batch, steps, _ = x.shape
    both = x @ layer.in_proj.weight.T
    u, z = both[..., :layer.inner], both[..., layer.inner:]
    taps = layer.conv1d.weight[:, 0]
    convolved = []
    for t in range(steps):
        total = layer.conv1d.bias
        for tap in range(layer.taps):
            at = t - layer.taps + 1 + tap
            if at >= 0:
                total = total + taps[:, tap] * u[:, at]
        convolved.append(total.expand(batch, -1))
    u = torch.stack(convolved, 1)
    u = u / (1 + torch.exp(-u))
    chosen = u @ layer.x_proj.weight.T
    h, outputs = torch.zeros(batch, layer.inner, layer.states, dtype=x.dtype), []
    for t in range(steps):
        low, b, c = torch.tensor_split(
            chosen[:, t], (layer.rank, layer.rank + layer.states), -1)
        delta = torch.log(1 + torch.exp(low @ layer.dt_proj.weight.T + layer.dt_proj.bias))
        for_states = delta[:, :, None]
        h = torch.exp(-for_states * torch.exp(layer.A_log)) * h \
            + for_states * b[:, None, :] * u[:, t, :, None]
        y = torch.einsum("bcn,bn->bc", h, c) + layer.D * u[:, t]
        outputs.append(y * z[:, t] / (1 + torch.exp(-z[:, t])))
    return torch.stack(outputs, 1) @ layer.out_proj.weight.T


def s5(layer, u):
    eigenvalues = -torch.exp(layer.log_decay) + 1j * layer.frequency
    a = torch.exp(eigenvalues * torch.exp(layer.log_step))
    b = ((a - 1) / eigenvalues)[:, None] * layer.b
    x, outputs = torch.zeros(u.shape[0], layer.states, dtype=layer.b.dtype), []
    for t in range(u.shape[1]):
        x = a * x + u[:, t].to(x.dtype) @ b.T
        outputs.append(2 * (x @ layer.c.T).real + layer.d * u[:, t])
    return torch.stack(outputs, 1)


LAYERS = {
    "RGLRU": (lambda **options: scan_nn.RGLRU(6, **options), rg_lru),
    "MinGRU": (lambda **options: scan_nn.MinGRU(6, 5, **options), min_gru),
    "Mamba": (lambda **options: scan_nn.Mamba(6, states=4, inner=8, rank=2, **options), mamba),
    "S5": (lambda **options: scan_nn.S5(6, states=4, **options), s5),
}


def make(name, dtype=torch.float64):
    torch.manual_seed(0)
    return LAYERS[name][0](dtype=dtype)


@pytest.mark.parametrize("name", LAYERS)
def test_forms_are_equal(name):
    layer = make(name)
    for batch, steps in ((2, 9), (3, 17), (1, 1)):
        x = data(batch, steps, 6)
        torch.testing.assert_close(layer(x), layer.forward_sequential(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LAYERS)
def test_states_go_on(name):
    """Prefill in two parts, then single steps: the numbers of the whole."""
    layer = make(name)
    x = data(2, 12, 6)
    whole, last = layer(x)
    first, state = layer(x[:, :5])
    second, state = layer(x[:, 5:10], state)
    parts = [first, second]
    for step in (10, 11):
        y, state = layer.step(state, x[:, step])
        parts.append(y[:, None])
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(state, last, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LAYERS)
def test_formula_and_gradients(name):
    layer, formula = make(name), LAYERS[name][1]
    x = data(2, 9, 6).requires_grad_()
    inputs = (x, *layer.parameters())
    found, expected = layer(x)[0], formula(layer, x)
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-11)
    cotangent = data(*found.shape, seed=1)
    ours = torch.autograd.grad(found, inputs, cotangent)
    theirs = torch.autograd.grad(expected, inputs, cotangent)
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", LAYERS)
def test_gradient_of_the_initial_state(name):
    layer = make(name)
    x = data(2, 7, 6)

    def gradients(run):
        state = layer.initial_state(2)
        leaves = [item.detach().requires_grad_() for item in
                  (state if isinstance(state, tuple) else (state,))]
        state = tuple(leaves) if isinstance(state, tuple) else leaves[0]
        return torch.autograd.grad(run(x, state)[0].square().sum(), leaves)
    torch.testing.assert_close(gradients(layer), gradients(layer.forward_sequential),
                               rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", LAYERS)
def test_training(name):
    """The running mean of the inputs is learned: the loss falls, as the formula's does."""
    losses = []
    for run in (lambda layer, x: layer(x)[0], LAYERS[name][1]):
        layer = make(name)
        torch.manual_seed(1)
        read = torch.nn.Linear(layer(data(1, 2, 6))[0].shape[-1], 6, dtype=torch.float64)
        optimizer = torch.optim.Adam([*layer.parameters(), *read.parameters()], lr=3e-2)
        curve = []
        for _ in range(12):
            x = data(8, 15, 6)
            wanted = x.cumsum(1) / torch.arange(1, 16, dtype=x.dtype)[:, None]
            loss = F.mse_loss(read(run(layer, x)), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            curve.append(loss.item())
        losses.append(curve)
    ours, theirs = losses
    assert ours[-1] < 0.8 * ours[0], ours
    assert all(math.isclose(x, y, rel_tol=1e-6) for x, y in zip(ours, theirs)), losses


@pytest.mark.parametrize("name", LAYERS)
def test_one_program_for_all_lengths(name):
    layer = make(name, torch.float32)
    program = {"RGLRU": scan_nn._rg_lru, "MinGRU": scan_nn._min_gru,
               "Mamba": scan_nn._selective_scan, "S5": scan_nn._s5_states}[name]
    layer(data(2, 5, 6).float())
    count = len(program.programs())
    for steps in (7, 33, 100):
        y = layer(data(2, steps, 6).float())[0]
        assert y.dtype == torch.float32 and y.shape[1] == steps
    assert len(program.programs()) == count


@pytest.mark.parametrize("name", LAYERS)
def test_under_torch_compile(name):
    torch._dynamo.reset()
    layer, x = make(name), data(2, 5, 6)
    compiled = torch.compile(lambda x: layer(x)[0], fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), layer(x)[0])


def test_sizes_of_the_classes():
    import inspect
    for name in scan_nn.__all__:
        assert len(inspect.getsource(getattr(scan_nn, name)).splitlines()) <= 60, name


def test_refusals():
    layer = make("RGLRU")
    with pytest.raises(ScanError, match=r"expected x \[batch, time, 6\], found \(2, 5, 3\)"):
        layer(data(2, 5, 3))
    with pytest.raises(ScanError):
        layer(data(2, 5, 6), data(3, 6))
    assert scan.nn is scan_nn
