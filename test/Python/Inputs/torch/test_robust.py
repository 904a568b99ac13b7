"""Threads, processes, interrupts and the cache's folder, under mlir_scan.torch."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import operators
import oracle
import pytest
import torch

import mlir_scan.torch as scan
from mlir_scan import cache, compiler, program
from mlir_scan.torch import _associative, _recurrence


def forget():
    """As in a new process, but for what is on disk."""
    _associative._texts.clear()
    _associative._plans._plans.clear()
    _recurrence._plans._plans.clear()
    program.load.cache_clear()
    compiler.clear_memory()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for the cache on disk; nothing is in memory."""
    path = tmp_path / "cache"
    monkeypatch.setenv("MLIR_SCAN_CACHE_DIR", str(path))
    monkeypatch.setattr(compiler, "disk", cache.DiskCache())
    forget()
    yield path
    forget()


def python(script, environment=None, **options):
    """Runs a script; its output."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], text=True, capture_output=True,
        timeout=300, check=False, env={
            **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})},
        **options)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def in_threads(count, body):
    barrier, errors = threading.Barrier(count), []

    def run(number):
        try:
            barrier.wait()
            body(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads(folder, device):
    """Several trace, compile, run and differentiate the same and different programs at once."""
    a, b = operators.leaves("affine", (2, 30, 3), device=device)
    names = ["affine", "complex_affine", "attention"]
    data = {name: operators.leaves(name, (2, 30), device=device) for name in names}
    expected = {name: oracle.associative_scan(operators.apply(name), data[name], 1)
                for name in names}
    c, d = (leaf.clone().requires_grad_() for leaf in (a, b))
    gradients = torch.autograd.grad(oracle.linear_recurrence(c, d)[0].square().sum(), (c, d))

    def body(number):
        own = [leaf.clone().requires_grad_() for leaf in (a, b)]
        for _ in range(3):
            name = names[number % 3]
            found = scan.associative_scan(operators.apply(name), data[name], 1)
            torch.testing.assert_close(found, expected[name])
            h = scan.linear_recurrence(*own)
            ours = torch.autograd.grad(h.square().sum(), own)
            torch.testing.assert_close(ours, gradients)
            with pytest.raises(scan.TraceError, match="'sum'"):
                scan.associative_scan(lambda x, y: x + y.sum(), a, 1)

    in_threads(6, body)


def test_threads_with_errors_of_their_own(device):
    """The exception of each thread's function reaches that thread."""
    x = torch.ones(4, device=device)

    def body(number):
        def combine(a, b):
            if number % 2:
                raise ValueError(f"of thread {number}")
            return a + number * b - (number - 1) * b

        for _ in range(20):
            if number % 2:
                with pytest.raises(ValueError, match=f"of thread {number}"):
                    scan.associative_scan(combine, x, 0)
            else:
                assert scan.associative_scan(combine, x, 0).tolist() == [1, 2, 3, 4]

    in_threads(6, body)


WORK = """
    import sys, torch
    import mlir_scan.torch as scan
    x = torch.arange(6.0, requires_grad=True)
    for power in (1, 2, 3):
        y = scan.associative_scan(lambda a, b: a * power + b - a * (power - 1), x, 0)
        assert y.tolist() == [0, 1, 3, 6, 10, 15], y
        y.sum().backward()
    assert x.grad.tolist() == [18, 15, 12, 9, 6, 3], x.grad
    print("right")
"""


def test_processes(folder):
    """Several at once on one folder; the next one compiles nothing."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [subprocess.Popen([sys.executable, "-W", "error::UserWarning", "-c",
                                   textwrap.dedent(WORK)], env=environment,
                                  stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=300)[0] for process in processes] == ["right\n"] * 3
    kept = sorted(path.name for path in folder.iterdir())
    assert len(kept) == 6 and not any(name.startswith(".") for name in kept)
    times = [path.stat().st_ino for path in sorted(folder.iterdir())]
    assert python(WORK)[0] == "right\n"
    assert [path.stat().st_ino for path in sorted(folder.iterdir())] == times


@pytest.mark.parametrize("kind", ["read-only", "a file", "gone", "full"])
def test_folders_of_no_use(tmp_path, kind):
    """Scans work without the cache, after one warning at the most."""
    path = tmp_path / "cache"
    prelude = ""
    if kind == "read-only":
        path.mkdir()
        os.chmod(path, 0o555)
        # The superuser may write anywhere, as long as he has his capabilities.
        prelude = """
    import ctypes, os
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0
"""
    elif kind == "a file":
        path.write_text("")
    elif kind == "gone":
        path = tmp_path / "a file" / "cache"
        (tmp_path / "a file").write_text("")
    else:
        # Files cannot grow: as on a disk without space, writing fails.
        prelude = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
"""
    output, errors = python(prelude + WORK, {"MLIR_SCAN_CACHE_DIR": str(path)})
    assert output == "right\n"
    assert errors.count("CacheWarning") == 1, errors
    if kind in ("read-only", "full"):
        os.chmod(path, 0o755)
        assert list(path.iterdir()) == []


def test_interrupts(folder, cpu):
    """Ctrl-C anywhere on the way to the first result: whole entries stay, or none."""
    x = torch.arange(6.0)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupted = 0
    try:
        for delay in (0.001, 0.004, 0.01, 0.02, 0.05, 0.1):
            timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
            end = time.monotonic() + 60
            number = 0
            try:
                timer.start()
                while time.monotonic() < end:
                    number += 1
                    forget()
                    scan.associative_scan(lambda a, b: a + b + number * 0.0, x, 0)
            except KeyboardInterrupt:
                interrupted += 1
            timer.join()
            assert scan.associative_scan(lambda a, b: a + b + number * 0.0, x, 0).tolist() == [
                0, 1, 3, 6, 10, 15]
    finally:
        signal.signal(signal.SIGINT, previous)
    assert interrupted == 6
    disk = cache.DiskCache()
    entries = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    # Damaged ones would be removed.
    assert entries and all(disk.get(name) is not None for name in entries)


def child_of(work):
    """The status of a child that does some work."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            signal.alarm(120)
            work()
            status = 0
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)
    return pid


def test_fork(cpu):
    """After import and after a first call; children trace, compile, run, differentiate."""
    x = torch.arange(6.0, requires_grad=True)
    add = torch.add
    scan.associative_scan(add, x, 0)

    def work(number):
        assert scan.associative_scan(add, x, 0).tolist() == [0, 1, 3, 6, 10, 15]
        y = scan.associative_scan(lambda a, b: a + b + number * 0.0, x, 0)
        assert y.tolist() == [0, 1, 3, 6, 10, 15]

    children = [child_of(lambda number=number: work(number)) for number in range(3)]
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0, 0]
    work(9)


def test_fork_while_others_compile(cpu):
    """No lock is held forever in the child."""
    stop, x = threading.Event(), torch.arange(6.0)

    def work():
        number = 0
        while not stop.is_set():
            number += 1
            scan.associative_scan(lambda a, b: a + b + number * 0.0, x, 0)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()

    def once():
        y = scan.associative_scan(lambda a, b: a + b + 0.5 - 0.5, x, 0)
        assert y.tolist() == [0, 1, 3, 6, 10, 15]

    try:
        statuses = []
        for _ in range(4):
            time.sleep(0.05)
            statuses.append(os.waitpid(child_of(once), 0)[1])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [0] * 4


def test_fork_with_a_lock_held(cpu):
    """A thread parses a program at the moment of the fork."""
    x = torch.arange(6.0)
    with program._lock:
        def once():
            y = scan.associative_scan(lambda a, b: a + b + 0.25 - 0.25, x, 0)
            assert y.tolist() == [0, 1, 3, 6, 10, 15]

        assert os.waitpid(child_of(once), 0)[1] == 0


LOADER = """
import sys, torch
import mlir_scan.torch as scan

class Sums(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, number):
        return scan.cumsum(torch.full((4,), float(number)), 0)

if __name__ == "__main__":
    scan.cumsum(torch.ones(4), 0)
    loader = torch.utils.data.DataLoader(Sums(), batch_size=3, num_workers=2,
                                         multiprocessing_context=sys.argv[1])
    assert torch.cat(list(loader))[5].tolist() == [5, 10, 15, 20]
    print("right")
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader(tmp_path, method, cpu):
    """Processes that PyTorch starts."""
    path = tmp_path / "loader.py"
    path.write_text(LOADER)
    ran = subprocess.run([sys.executable, path, method], text=True, capture_output=True,
                         timeout=300, check=False,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ran.stdout == "right\n", ran.stderr
