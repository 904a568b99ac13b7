"""What only tensors on a GPU have: streams, graphs, several devices, an allocator.

The other tests run there as well: MLIR_SCAN_TEST_DEVICE=cuda.
"""

import os
import subprocess
import sys
import threading

import operators
import oracle
import pytest
import torch

import mlir_scan.torch as scan
from mlir_scan import ScanError


def slow_copy(target, source):
    """Has the current stream wait for a tenth of a second before it copies."""
    torch.cuda._sleep(200_000_000)
    target.copy_(source)


@pytest.mark.parametrize("name", ["affine", "add"])
def test_streams(cuda, name):
    """A call runs on the stream that is current, after what was launched there before."""
    combine = operators.apply(name)
    sources = operators.leaves(name, (3, 5000), device=cuda)
    expected = scan.associative_scan(combine, sources, 1)
    xs = [torch.zeros_like(source) for source in sources]
    stream = torch.cuda.Stream(cuda)
    # The first round loads kernels and allocates, which waits.
    for _ in range(2):
        torch.cuda.synchronize(cuda)
        with torch.cuda.stream(stream):
            for x, source in zip(xs, sources):
                slow_copy(x, source)
            found = scan.associative_scan(combine, xs, 1)
            # Used at once, by the same stream.
            again = [leaf * 2 for leaf in found]
    assert not stream.query(), "the test shows nothing: the stream was done already"
    stream.synchronize()
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(again, [leaf * 2 for leaf in found], rtol=0, atol=0)


def test_streams_at_once(cuda):
    """The same shapes on several streams: nothing that they work with is shared."""
    streams = [torch.cuda.Stream(cuda) for _ in range(4)]
    inputs = [torch.randn(2, 300_000, device=cuda, dtype=torch.float64) for _ in streams]
    torch.cuda.synchronize(cuda)
    results = [[] for _ in streams]
    for _ in range(10):
        for stream, x, kept in zip(streams, inputs, results):
            with torch.cuda.stream(stream):
                kept.append(scan.associative_scan(torch.add, x, 1))
    torch.cuda.synchronize(cuda)
    for x, kept in zip(inputs, results):
        for y in kept:
            torch.testing.assert_close(y, torch.cumsum(x, 1), rtol=1e-9, atol=1e-9)


def test_threads_at_once(cuda):
    x = torch.randn(2, 100_000, device=cuda, dtype=torch.float64)
    expected, errors = torch.cumsum(x, 1), []
    torch.cuda.synchronize(cuda)

    def work(own_stream):
        try:
            with torch.cuda.stream(torch.cuda.Stream(cuda) if own_stream else None):
                for _ in range(20):
                    y = scan.associative_scan(torch.add, x, 1)
                    torch.testing.assert_close(y, expected, rtol=1e-9, atol=1e-9)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def test_memory_is_pytorchs(cuda):
    """Results and temporaries come from PyTorch's allocator, and go back there."""
    x = torch.ones(4, 1 << 18, device=cuda)
    for _ in range(2):
        scan.cumsum(x, 1)
    torch.cuda.synchronize(cuda)
    before = torch.cuda.memory_allocated(cuda)
    reserved = torch.cuda.memory_reserved(cuda)
    y = scan.cumsum(x, 1)
    assert torch.cuda.memory_allocated(cuda) - before == y.numel() * y.element_size()
    assert y.is_contiguous() and not y._is_view()
    del y
    assert torch.cuda.memory_allocated(cuda) == before
    for _ in range(50):
        scan.cumsum(x, 1)
    assert torch.cuda.memory_reserved(cuda) == reserved


@pytest.mark.parametrize("shape", [(3, 1_000_003), (2, 70_001, 3), (1, 40, 5000)])
def test_large(cuda, shape):
    a, b = (leaf.to(cuda) for leaf in operators.leaves("affine", shape))
    a = a * 0.8
    for reverse in (False, True):
        h = scan.linear_recurrence(a, b, reverse=reverse)
        on_cpu = scan.linear_recurrence(a.cpu(), b.cpu(), reverse=reverse)
        torch.testing.assert_close(h.cpu(), on_cpu, rtol=1e-10, atol=1e-10)


def capture(function):
    """Captures a call into a graph, after one outside of it, as PyTorch asks for."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = function()
    return graph, results


@pytest.mark.parametrize("shape, dim", [((3, 50_000), 1), ((2, 400, 6), 1), ((2, 1, 64), 1)])
def test_graphs(cuda, shape, dim):
    """A captured call computes anew with each replay, between others of the same shapes."""
    a, b = operators.leaves("affine", shape, device=cuda)
    a *= 0.8
    graph, h = capture(lambda: scan.linear_recurrence(a, b, dim=dim))
    other, y = capture(lambda: scan.linear_recurrence(a, b * 2, dim=dim))
    for seed in range(3):
        for mine, new in zip((a, b), operators.leaves("affine", shape, seed=seed, device=cuda)):
            mine.copy_(new * 0.8)
        graph.replay()
        other.replay()
        eager = scan.linear_recurrence(a, b, dim=dim)
        graph.replay()
        torch.testing.assert_close(h, eager, rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(y, 2 * eager, rtol=1e-10, atol=1e-10)
        expected = scan.linear_recurrence(a.cpu(), b.cpu(), dim=dim)
        torch.testing.assert_close(h.cpu(), expected, rtol=1e-10, atol=1e-10)
    # Calls of many other shapes do not take from a graph what it works with.
    for extent in range(1, 100):
        scan.linear_recurrence(torch.ones(1, extent, device=cuda),
                               torch.ones(1, extent, device=cuda))
    h.zero_()
    graph.replay()
    torch.testing.assert_close(h.cpu(), expected, rtol=1e-10, atol=1e-10)


def test_graph_of_a_training_step(cuda):
    a, b = (leaf.requires_grad_() for leaf in operators.leaves("affine", (2, 700, 3), device=cuda))

    def step():
        states = scan.associative_scan(operators.affine, (a.sigmoid(), b), 1)[1]
        return torch.autograd.grad(states.square().sum(), (a, b))

    graph, gradients = capture(step)
    with torch.no_grad():
        b.mul_(-2)
    graph.replay()
    torch.testing.assert_close(gradients, step(), rtol=1e-9, atol=1e-9)


def test_tensors_on_the_cpu_among_others(cuda):
    a, b = operators.leaves("affine", (2, 9, 3), device=cuda)
    for call in (lambda: scan.linear_recurrence(a, b.cpu()),
                 lambda: scan.linear_recurrence(a.cpu(), b),
                 lambda: scan.linear_recurrence(a, b, b[:, 0].cpu()),
                 lambda: scan.linear_recurrence(a, b, segments=torch.tensor([0, 9])),
                 lambda: scan.associative_scan(operators.affine, (a.cpu(), b), 1)):
        with pytest.raises(ScanError, match="move them to one device"):
            call()


def test_several_gpus(cuda):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    first, second = torch.device("cuda:0"), torch.device("cuda:1")
    a, b = operators.leaves("affine", (2, 900, 3), device=second)
    with torch.cuda.device(first):
        h = scan.linear_recurrence(a.requires_grad_(), b)
        h.sum().backward()
        assert torch.cuda.current_device() == 0
        assert torch.empty(1, device="cuda").device == first
        assert h.device == a.grad.device == second
        expected = oracle.linear_recurrence(a.detach().cpu(), b.cpu())[0]
        torch.testing.assert_close(h.detach().cpu(), expected)
        with pytest.raises(ScanError, match="tensor 0 is on cuda:1, tensor 1 on cuda:0"):
            scan.linear_recurrence(a, b.to(first))


def test_children_of_a_process_with_a_gpu(cuda):
    """CUDA does not work there, which is said."""
    x = torch.ones(5, device=cuda)
    scan.cumsum(x, 0)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            try:
                scan.cumsum(x, 0)
            except (ScanError, RuntimeError) as error:
                os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        message = pipe.read()
    os.waitpid(child, 0)
    assert "fork" in message and "spawn" in message, message
    assert scan.cumsum(x, 0).tolist() == [1, 2, 3, 4, 5]


def test_overhead(cuda):
    """Of a call on a tiny tensor: an upper bound that a busy machine keeps, too."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overhead.py")
    ran = subprocess.run([sys.executable, script, "100"], capture_output=True, text=True,
                         check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count(" us\n") == 6
