"""The threads of runs on the CPU."""

import os
import subprocess
import sys
import threading

import numpy
import pytest
from conftest import scan_text

import mlir_scan
from mlir_scan import CompileWarning


@pytest.fixture(autouse=True)
def one_thread():
    assert mlir_scan.get_num_threads() == 1
    yield
    mlir_scan.set_num_threads(1)


def make():
    generator = numpy.random.default_rng(5)
    x = generator.integers(-9, 9, (60, 300)).astype(numpy.float32)
    return x, mlir_scan.parse(scan_text("f32", "?x?", 1)).compile("scan")


def check(x, scan):
    y = numpy.asarray(scan(x)[0])
    # Sums of small whole numbers are exact.
    return numpy.array_equal(y, numpy.cumsum(x, axis=1, dtype=numpy.float32))


def test_numbers():
    for count in 1, 2, 7:
        mlir_scan.set_num_threads(count)
        assert mlir_scan.get_num_threads() == count
        assert check(*make())
    mlir_scan.set_num_threads(0)
    assert mlir_scan.get_num_threads() >= 1
    with pytest.raises(TypeError):
        mlir_scan.set_num_threads(-1)
    with pytest.raises(TypeError):
        mlir_scan.set_num_threads("2")


def test_callers_at_the_same_time():
    mlir_scan.set_num_threads(3)
    x, scan = make()
    right = []
    callers = [threading.Thread(target=lambda: right.append(
        all(check(x, scan) for _ in range(20)))) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert right == [True] * 4


def test_fork():
    mlir_scan.set_num_threads(3)
    x, scan = make()
    assert check(x, scan)
    child = os.fork()
    if child == 0:
        os._exit(0 if check(x, scan) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert check(x, scan)


def test_machine_code():
    mlir_scan.set_num_threads(3)
    x, scan = make()
    again = mlir_scan.Executable.from_bytes(scan.to_bytes())
    assert check(x, again)
    mlir_scan.set_num_threads(1)
    assert check(x, again)


def count_parts():
    """How many object files there are of the scan of `make`, which has to work."""
    x, scan = make()
    code = scan.to_bytes()
    assert check(x, mlir_scan.Executable.from_bytes(code))
    return code.count(b"\x7fELF")


def test_compiled_in_parts():
    """A parallel region is compiled by another thread than the function around it."""
    assert count_parts() == 1
    mlir_scan.set_num_threads(3)
    assert (count_parts() > 1) == (len(os.sched_getaffinity(0)) > 1)


def test_compiled_on_one_processor():
    script = ("import mlir_scan, os, test_threads\n"
              "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
              "mlir_scan.set_num_threads(3)\n"
              "print(test_threads.count_parts())")
    done = subprocess.run([sys.executable, "-c", script], check=True, text=True,
                          capture_output=True, cwd=os.path.dirname(__file__))
    assert done.stdout == "1\n"


def test_with_torch():
    torch = pytest.importorskip("torch")
    mlir_scan.set_num_threads(2)
    x, scan = make()
    # Threads of PyTorch's own before and after.
    a = torch.ones(500, 500)
    for _ in range(3):
        assert (a @ a)[0, 0] == 500
        assert check(x, scan)


def test_threads_of_torch():
    """The team is that of PyTorch's library of OpenMP, which may come late; not in children of
    fork, which do not have its threads."""
    pytest.importorskip("torch")
    script = """if True:
        import os, signal, mlir_scan, test_threads
        mlir_scan.set_num_threads(3)
        x, scan = test_threads.make()
        import torch
        torch.set_num_threads(3)
        torch.ones(1 << 20).add_(1)
        tasks = len(os.listdir("/proc/self/task"))
        assert test_threads.check(x, scan)
        assert len(os.listdir("/proc/self/task")) == tasks
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            tasks = len(os.listdir("/proc/self/task"))
            right = test_threads.check(x, scan)
            os._exit(0 if right and len(os.listdir("/proc/self/task")) == tasks + 2 else 1)
        print(os.waitpid(child, 0)[1], test_threads.check(x, scan))"""
    done = subprocess.run([sys.executable, "-c", script], check=True, text=True,
                          capture_output=True, cwd=os.path.dirname(__file__))
    assert done.stdout == "0 True\n"


def test_environment():
    script = "import mlir_scan; print(mlir_scan.get_num_threads())"
    for name, value in ("SCAN_NUM_THREADS", "3"), ("SCAN_NUM_THREADS", "1"):
        done = subprocess.run([sys.executable, "-c", script], check=True, text=True,
                              capture_output=True, env=dict(os.environ, **{name: value}))
        assert done.stdout.strip() == value


@pytest.mark.parametrize("value", ["", "many"])
def test_no_number(monkeypatch, value):
    monkeypatch.setenv("SCAN_THREAD_WORK", value)
    with pytest.warns(CompileWarning, match=f"SCAN_THREAD_WORK to be a number, found '{value}'"):
        scan = mlir_scan.compile(scan_text("f32", "?x?", 1), "scan", cache=False)
    assert check(make()[0], scan)
