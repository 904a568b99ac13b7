"""torch.compile, torch.export and torch.func see an operator with the right numbers."""

import importlib.util
import io
import os
import subprocess
import sys
import textwrap

import operators
import oracle
import pytest
import torch

import mlir_scan.torch as scan


@pytest.fixture
def affine_data(device):
    """A function of extents: coefficients and inputs."""
    def make(*shape, dtype=torch.float64):
        return tuple(leaf.to(dtype) for leaf in operators.leaves("affine", shape, device=device))
    return make


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()
    yield


def compiled(function, **options):
    return torch.compile(function, fullgraph=True, backend="aot_eager", **options)


def test_compile_associative(affine_data):
    a, b = affine_data(2, 9, 3)

    def model(a, b):
        def combine(x, y):
            return y[0] * x[0], y[0] * x[1] + y[1]
        return scan.associative_scan(combine, (a * 0.5, b), 1)[1].sin()

    expected = oracle.associative_scan(operators.affine, (a * 0.5, b), 1)[1].sin()
    torch.testing.assert_close(compiled(model)(a, b), expected)


def test_compile_with_a_closure_and_a_global_function(device):
    x = torch.rand(3, 9, dtype=torch.float64, device=device)
    factor = 2.0

    def model(x):
        return scan.associative_scan(lambda p, q: (p + q) * factor, x, 1, check_associativity=False)

    torch.testing.assert_close(compiled(model)(x), model(x))
    torch.testing.assert_close(
        compiled(lambda a, b: scan.associative_scan(operators.affine, (a, b), 1))(x, x),
        scan.associative_scan(operators.affine, (x, x), 1))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax"])
def test_compile_cumulative(name, device):
    x = torch.randn(3, 9, dtype=torch.float64, device=device)
    found = compiled(lambda x: getattr(scan, name)(x, 1))(x)
    torch.testing.assert_close(found, getattr(scan, name)(x, 1))


def test_compile_recurrence_with_everything(affine_data, device):
    a, b = affine_data(2, 9, 3)
    h0 = torch.randn(2, 2, 3, dtype=torch.float64, device=device)
    offsets = torch.tensor([0, 4, 9], device=device)

    def model(a, b, h0, offsets):
        h, last = scan.linear_recurrence(a, b, h0, segments=offsets, return_final_state=True)
        return h * 2, last

    h, last = oracle.linear_recurrence(a, b, h0, 1, segments=offsets)
    torch.testing.assert_close(compiled(model)(a, b, h0, offsets), (h * 2, last))


def test_compile_gradients(affine_data):
    a, b = (leaf.requires_grad_() for leaf in affine_data(2, 9, 3))

    def loss(a, b):
        return scan.linear_recurrence(a.sigmoid(), b).square().sum()

    ours = torch.autograd.grad(compiled(loss)(a, b), (a, b))
    theirs = torch.autograd.grad(
        oracle.linear_recurrence(a.sigmoid(), b)[0].square().sum(), (a, b))
    torch.testing.assert_close(ours, theirs)


def test_compile_does_not_compile_again_for_other_lengths(affine_data):
    count = 0

    def backend(module, inputs):
        nonlocal count
        count += 1
        return module.forward

    function = torch.compile(lambda a, b: scan.linear_recurrence(a, b), fullgraph=True,
                             backend=backend, dynamic=True)
    for steps in (5, 6, 17, 100):
        a, b = affine_data(2, steps, 3)
        torch.testing.assert_close(function(a, b), oracle.linear_recurrence(a, b)[0])
    assert count == 1


def test_inductor(affine_data, device):
    a, b = affine_data(2, 9, 4, dtype=torch.float32)
    if device.type == "cuda" and importlib.util.find_spec("triton") is None:
        pytest.skip("inductor needs Triton for GPUs, which is not installed")
    function = torch.compile(lambda a, b: scan.linear_recurrence(a.sigmoid(), b).tanh(),
                             fullgraph=True)
    torch.testing.assert_close(function(a, b),
                               oracle.linear_recurrence(a.sigmoid(), b)[0].tanh())


class Model(torch.nn.Module):
    def forward(self, a, b):
        h, last = scan.linear_recurrence(a, b, return_final_state=True)
        return h + scan.associative_scan(torch.maximum, b, 1), last


def test_export_loads_in_a_fresh_process(tmp_path, affine_data):
    a, b = affine_data(2, 9, 3)
    steps = torch.export.Dim("steps", min=2, max=4096)
    program = torch.export.export(Model(), (a, b), dynamic_shapes=({1: steps}, {1: steps}))
    for length in (9, 31):
        a, b = affine_data(2, length, 3)
        torch.testing.assert_close(program.module()(a, b), Model()(a, b))
    path = tmp_path / "model.pt2"
    torch.export.save(program, path)
    torch.save((a, b, Model()(a, b)), tmp_path / "data.pt")
    script = textwrap.dedent("""
        import sys, torch
        import mlir_scan.torch
        program = torch.export.load(sys.argv[1])
        a, b, expected = torch.load(sys.argv[2])
        torch.testing.assert_close(program.module()(a, b), expected)
        print("same")
    """)
    ran = subprocess.run([sys.executable, "-c", script, path, tmp_path / "data.pt"],
                         capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ran.stdout.strip() == "same", ran.stderr


def test_operator(affine_data):
    """PyTorch's own checks of operators: schema, autograd, fake tensors, AOT."""
    from mlir_scan import program as programs, texts
    text = texts.linear_recurrence("f64", True, (False, False), False, None, False, True)
    a, b = (leaf.requires_grad_() for leaf in affine_data(2, 5, 3))
    torch.library.opcheck(torch.ops.mlir_scan.call.default, ([a, b], text))
    assert programs.load(text).text == text
    # Inductor prints it into comments of what it generates for a GPU.
    assert "\n" not in text
    assert "\n" not in programs.load(text).vjp((0, 1), (0,)).text


def test_func_grad(affine_data):
    a, b = affine_data(2, 7, 3)
    ours = torch.func.grad(lambda a, b: scan.linear_recurrence(a, b).square().sum(),
                           argnums=(0, 1))(a, b)
    theirs = torch.func.grad(lambda a, b: oracle.linear_recurrence(a, b)[0].square().sum(),
                             argnums=(0, 1))(a, b)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("in_dims", [(0, 0), (1, 0), (2, 2), (0, None), (None, 1)])
def test_func_vmap(in_dims, affine_data):
    shape = (4, 4, 4)
    a, b = affine_data(*shape)
    for dim in (0, 1):
        ours = torch.vmap(lambda a, b: scan.linear_recurrence(a, b, dim=dim), in_dims)(
            a if in_dims[0] is not None else a[0], b if in_dims[1] is not None else b[0])
        theirs = torch.vmap(lambda a, b: oracle.linear_recurrence(a, b, dim=dim)[0], in_dims)(
            a if in_dims[0] is not None else a[0], b if in_dims[1] is not None else b[0])
        torch.testing.assert_close(ours, theirs)


def test_func_vmap_of_segments(affine_data, device):
    a, b = affine_data(3, 9, 2)
    offsets = torch.tensor([[0, 4, 9], [0, 1, 9], [0, 9, 9]], device=device)
    ours = torch.vmap(lambda a, b, s: scan.linear_recurrence(a, b, dim=0, segments=s))(
        a, b, offsets)
    theirs = torch.stack([oracle.linear_recurrence(a[i], b[i], None, 0, False, offsets[i])[0]
                          for i in range(3)])
    torch.testing.assert_close(ours, theirs)


def test_func_compositions(affine_data):
    a, b = affine_data(3, 6, 2)

    def loss(a, b):
        return scan.associative_scan(operators.affine, (a, b), 0)[1].square().sum()

    def reference(a, b):
        return oracle.associative_scan(operators.affine, (a, b), 0)[1].square().sum()

    torch.testing.assert_close(torch.vmap(torch.func.grad(loss))(a, b),
                               torch.vmap(torch.func.grad(reference))(a, b))
    torch.testing.assert_close(
        torch.func.grad(lambda a: torch.func.grad(loss)(a, b[0]).sum())(a[0]),
        torch.func.grad(lambda a: torch.func.grad(reference)(a, b[0]).sum())(a[0]))
    torch.testing.assert_close(torch.func.jacrev(loss)(a[0], b[0]),
                               torch.func.jacrev(reference)(a[0], b[0]))


def test_copies_and_pickles_of_results(device):
    x = scan.cumsum(torch.ones(5, device=device), 0)
    buffer = io.BytesIO()
    torch.save(x, buffer)
    buffer.seek(0)
    assert torch.equal(torch.load(buffer), x)
    assert torch.equal(x.clone().resize_(3), torch.tensor([1.0, 2.0, 3.0], device=device))
