"""Threads, processes, interrupts, the end of the interpreter."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
import sampling
from conftest import RECURRENCE, TYPES, scan_text

import mlir_scan

START = f"""
import mlir_scan
scan = mlir_scan.parse('''{scan_text("f32")}''').compile("scan")
"""


def python(script, **options):
    """Runs a script; its output. Nothing may come on standard error."""
    done = subprocess.run([sys.executable, "-W", "error::ResourceWarning", "-c", script], text=True,
                          capture_output=True, timeout=300, **options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def in_threads(count, body):
    """Runs body(i) on as many threads at the same time; what they return."""
    barrier, results, errors = threading.Barrier(count), [None] * count, []

    def run(i):
        try:
            barrier.wait()
            results[i] = body(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def test_threads_compile():
    """Programs of their own; the errors of each thread reach that thread."""
    def body(i):
        element = list(TYPES)[i]
        text = scan_text(element, name=f"f{i}")
        for _ in range(3):
            run = mlir_scan.parse(text).compile(f"f{i}")
            with pytest.raises(mlir_scan.CompileError, match=f"broken{i}.mlir:"):
                mlir_scan.parse("?", f"broken{i}.mlir")
        return run.signature.inputs[0].dtype

    assert in_threads(8, body) == list(TYPES)[:8]


def test_threads_share_a_module():
    """One module and its copies on many threads: one after the other, and right."""
    text = scan_text("f32", name="a") + scan_text("i32", name="b")
    module = mlir_scan.parse(text)

    def body(i):
        copy = module.clone()
        if i % 2:
            copy.run("scan-normalize")
        name = "ab"[i // 2 % 2]
        dtype = {"a": numpy.float32, "b": numpy.int32}[name]
        return numpy.asarray(copy.compile(name)(numpy.ones(4, dtype))[0]).tolist(), str(copy)

    for i, (numbers, printed) in enumerate(in_threads(6, body)):
        assert numbers == [1, 2, 3, 4] and ("scan.kernel" in printed) == bool(i % 2)
    assert "scan.kernel" not in str(module)


@pytest.mark.parametrize("target, count", [("cpu", 200), ("reference", 5), ("emulator", 3)])
def test_threads_run(target, count):
    """One executable on many threads, with errors among its runs."""
    run = mlir_scan.parse(RECURRENCE).compile("recurrence", target)

    def body(i):
        a = numpy.full((2, 5 + i), 2, numpy.float32)
        for _ in range(count):
            y, last = run(a, a, numpy.zeros(2, numpy.float32))
            assert numpy.asarray(last).tolist() == [2.0 ** (6 + i) - 2] * 2
            with pytest.raises(mlir_scan.RunError, match=f"2x{6 + i}"):
                run(a, numpy.ones((2, 6 + i), numpy.float32).view(numpy.int32), a[:, 0])
        return True

    assert all(in_threads(6, body))


def test_gil_is_released():
    """Another thread goes on while a program runs and while one is compiled."""
    run = mlir_scan.parse(scan_text("f64")).compile("scan", "reference")
    x = numpy.ones(400_000)
    done = threading.Event()

    def work():
        run(x)
        done.set()

    thread = threading.Thread(target=work)
    longest, last = 0.0, time.monotonic()
    thread.start()
    start = last
    while not done.is_set():
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        time.sleep(0.001)
    thread.join()
    assert longest < max(0.5 * (last - start), 0.25)


def test_fork():
    """After import and use, children compile and run; so does the parent."""
    run = mlir_scan.parse(scan_text("f32")).compile("scan")
    x = numpy.ones(3, numpy.float32)
    run(x)
    children = []
    for i in range(3):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                signal.alarm(120)
                assert numpy.asarray(run(x)[0]).tolist() == [1, 2, 3]
                new = mlir_scan.compile(scan_text("f32", name=f"child{i}"))
                assert numpy.asarray(new(x)[0]).tolist() == [1, 2, 3]
                status = 0
            finally:
                os._exit(status)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0, 0]
    assert numpy.asarray(run(x)[0]).tolist() == [1, 2, 3]


def test_fork_while_compiling():
    """Other threads compile at the moment of the fork; the child is none the wiser."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            mlir_scan.compile(scan_text("f32"), cache=False)

    thread = threading.Thread(target=work)
    thread.start()
    statuses = []
    for _ in range(3):
        time.sleep(0.03)
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                signal.alarm(120)
                run = mlir_scan.compile(scan_text("i64"))
                assert numpy.asarray(run(numpy.ones(3, numpy.int64))[0]).tolist() == [1, 2, 3]
                status = 0
            finally:
                os._exit(status)
        statuses.append(os.waitpid(pid, 0)[1])
    stop.set()
    thread.join()
    assert statuses == [0, 0, 0]


def test_interrupt():
    """Ctrl-C while a program is compiled: KeyboardInterrupt, and all is well afterwards."""
    interrupted = 0
    module = mlir_scan.parse(RECURRENCE)
    # Whoever starts the tests in the background may have it ignored.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    for delay in (0.002, 0.01, 0.02, 0.04):
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        end = time.monotonic() + 60
        try:
            timer.start()
            while time.monotonic() < end:
                module.compile("recurrence")
        except KeyboardInterrupt:
            interrupted += 1
        timer.join()
    signal.signal(signal.SIGINT, previous)
    assert interrupted == 4
    a = numpy.ones((1, 2), numpy.float32)
    y, last = module.compile("recurrence")(a, a, a[:, 0])
    assert numpy.asarray(last).tolist() == [3]


def test_exit():
    """Everything is alive when the interpreter ends."""
    assert python(START + """
import atexit, numpy, torch
class Keep: pass
keep = Keep()
keep.self, keep.scan = keep, scan
keep.result = scan(numpy.ones(1 << 20, numpy.float32))[0]
keep.tensor = torch.from_dlpack(scan(numpy.ones(1 << 20, numpy.float32))[0])
keep.view = memoryview(keep.result)
atexit.register(lambda: print(scan(numpy.ones(3, numpy.float32))[0].shape))
""") == "(3,)\n"


@pytest.mark.parametrize("work", ["scan(numpy.ones(1 << 16, numpy.float32))",
                                  "mlir_scan.compile(text, cache=False)"], ids=["run", "compile"])
def test_exit_while_working(work):
    """Threads that are still busy when the interpreter ends."""
    assert python(START + f"text = {scan_text('f64')!r}" + f"""
import numpy, threading, time
def work():
    while True:
        {work}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
""") == "end\n"


ORDERS = [("mlir_scan", "torch", "jax"), ("torch", "jax", "mlir_scan"), ("jax", "mlir_scan", "torch"),
          ("torch", "mlir_scan", "jax"), ("jax", "torch", "mlir_scan"), ("mlir_scan", "jax", "torch")]


# In each of the two rows every library is at every place.
@pytest.mark.parametrize("order", itertools.chain.from_iterable(
    sampling.of_today([ORDERS[:3], ORDERS[3:]])), ids=" ".join)
def test_import_order(order):
    """Before and after the others, each is used as soon as it is there."""
    uses = {
        "mlir_scan": START,
        "torch": "import torch\nassert torch.ones(2, 2).sum() == 4\n",
        "jax": "import jax\nassert jax.jit(lambda x: x + 1)(1) == 2\n",
    }
    output = python("".join(uses[name] for name in order) + """
import numpy
x = torch.ones(3)
y = torch.from_dlpack(scan(x)[0])
z = jax.numpy.asarray(jax.dlpack.from_dlpack(scan(jax.numpy.ones(3, "float32"))[0]))
print(y.tolist(), z.tolist(), torch.compile(lambda t: t + 1, backend="eager")(y).tolist())
""")
    assert output == "[1.0, 2.0, 3.0] [1.0, 2.0, 3.0] [2.0, 3.0, 4.0]\n"


def test_import_is_light():
    """The package loads neither its extension nor anything else that is large."""
    assert python("""
import sys, mlir_scan
print([name for name in ("mlir_scan._core", "torch", "jax", "numpy") if name in sys.modules])
assert "compile" in dir(mlir_scan) and mlir_scan.parse and "mlir_scan._core" in sys.modules
try:
    mlir_scan.nothing
except AttributeError as error:
    print(error)
""") == "[]\nmodule 'mlir_scan' has no attribute 'nothing'\n"


def test_local_symbols():
    """What the extension brings is visible to nobody else."""
    assert python(START + """
import ctypes
everything = ctypes.CDLL(None)
for name in ("mlirScanGetVersion", "LLVMContextCreate"):
    assert not hasattr(everything, name), name
print("hidden")
""") == "hidden\n"
