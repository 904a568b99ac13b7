"""Kernels that are compiled when they are first needed, against a driver that takes notes.

Sums along one dimension have three kernels here: for FEW elements, for MANY, and for MOST.
"""

import json
import os
import subprocess
import sys
import threading
import warnings

import exchange
import pytest
from conftest import scan_text
from exchange import Array

import mlir_scan
from mlir_scan import CompileError, CompileWarning, ScanError, compiler, kernels

FLOAT = 2
TEXT = scan_text("f32")
FEW, MANY, MOST = 100, 100_000, 3_000_000


@pytest.fixture(autouse=True)
def device(capfd):
    compiler.clear_memory()
    Array.device, Array.stream = mlir_scan.Device(), 0
    yield Array.device
    mlir_scan.wait_for_kernels()


@pytest.fixture
def launches(capfd):
    """The numbers of the kernels that were launched since the last time."""
    def read():
        return [int(line.split()[1].removeprefix("scan_scan"))
                for line in capfd.readouterr().err.splitlines() if line.startswith("launch")]

    read()
    return read


class Compiler:
    """Stands in for the compiler: notes what is compiled, and holds that back or fails."""

    def __init__(self, monkeypatch):
        self.fronts, self.compiled, self.fails = 0, [], None
        self.may_go = threading.Event()
        self.may_go.set()
        original = kernels._core.Kernels
        outer = self

        class Kernels:
            """As the original."""

            def __init__(self, made):
                self.made, self.manifest = made, made.manifest

            @staticmethod
            def from_bytes(data):
                return Kernels(original.from_bytes(data))

            def to_bytes(self):
                return self.made.to_bytes()

            def compile(self, name):
                assert outer.may_go.wait(60)
                outer.compiled.append(int(name.removeprefix("scan_scan")))
                if outer.fails:
                    raise outer.fails
                return self.made.compile(name)

        class Module:
            @staticmethod
            def kernels(*options):
                self.fronts += 1
                return Kernels(mlir_scan.parse(TEXT).kernels(*options))

        monkeypatch.setattr(kernels._core, "Kernels", Kernels)
        monkeypatch.setattr(compiler, "as_module", lambda text: Module)


@pytest.fixture
def counted(monkeypatch):
    return Compiler(monkeypatch)


def call(function, count):
    y, = function(Array(0x10000, (count,), FLOAT, 32))
    assert y.shape == (count,)


def load(device, **options):
    return mlir_scan.load(TEXT, device, max_variants=3, **options)["scan"]


def test_first_call_waits(device, launches, counted):
    """Nothing is there yet; and only what is needed is compiled."""
    function = load(device)
    assert counted.compiled == []
    call(function, FEW)
    call(function, FEW + 1)
    assert counted.compiled == [0] and launches() == [0, 0]
    call(function, FEW)
    mlir_scan.wait_for_kernels()
    assert counted.compiled == [0] and counted.fronts == 1 and launches() == [0]


def test_another_stands_in(device, launches, counted):
    function = load(device)
    call(function, FEW)
    counted.may_go.clear()
    # The launch does not wait for the compiler; nor does the next one start it again.
    for _ in range(3):
        call(function, MANY)
    assert launches() == [0] * 4 and counted.compiled == [0]
    counted.may_go.set()
    mlir_scan.wait_for_kernels()
    call(function, MANY)
    call(function, FEW)
    assert launches() == [1, 0] and counted.compiled == [0, 1]


def test_very_different_extents(device, launches, counted):
    """Where it would take too long, none stands in: each of 128 threads has so many."""
    function = load(device)
    call(function, FEW)
    call(function, 128 << 16)
    assert launches() == [0, 0]
    mlir_scan.wait_for_kernels()
    compiled = counted.compiled
    again = load(device)
    call(again, FEW)
    call(again, (128 << 16) + 1)
    assert launches() == [0, 2] and compiled == [0, 2]


def test_preparing(device, launches, counted):
    """Calls in the block, and Function.prepare, wait for the best kernel."""
    function = load(device)
    with mlir_scan.preparing():
        call(function, FEW)
        call(function, MANY)
    assert launches() == [0, 1]
    assert function.prepare(Array(0, (MOST,), FLOAT, 32)).is_best
    call(function, MOST)
    assert launches() == [2] and counted.compiled == [0, 1, 2]


def test_cache_on_disk(device, launches, counted, cache_folder):
    """A second process compiles nothing, not even the part in front of the kernels."""
    call(load(device), FEW)
    assert len(os.listdir(cache_folder)) == 2
    compiler.clear_memory()
    again = load(device)
    call(again, FEW)
    assert (counted.fronts, counted.compiled) == (1, [0])
    call(again, MANY)
    mlir_scan.wait_for_kernels()
    assert (counted.fronts, counted.compiled) == (1, [0, 1])
    # Other options are other kernels; what is damaged is compiled again.
    call(load(device, opt_level=1), FEW)
    assert counted.compiled == [0, 1, 0]
    for name in os.listdir(cache_folder):
        (cache_folder / name).write_bytes(b"nothing")
    compiler.clear_memory()
    call(load(device), FEW)
    assert counted.compiled == [0, 1, 0, 0]
    compiler.clear_memory()
    call(load(device, cache=False), FEW)
    assert counted.compiled == [0, 1, 0, 0, 0]


def test_threads_compile_once(device, launches, counted):
    function = load(device)
    counted.may_go.clear()
    errors = []

    def work():
        try:
            call(function, FEW)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    counted.may_go.set()
    for thread in threads:
        thread.join()
    assert not errors and counted.compiled == [0] and launches() == [0] * 4


def test_errors(device, launches, counted):
    """A call that needs the kernel raises; where another stands in, that goes on."""
    function = load(device)
    counted.fails = CompileError("no registers left")
    for _ in range(2):
        with pytest.raises(CompileError, match="no registers left"):
            call(function, FEW)
    assert launches() == [] and counted.compiled == [0, 0]
    counted.fails = None
    call(function, FEW)

    counted.fails = CompileError("no registers left")
    call(function, MANY)
    mlir_scan.wait_for_kernels()
    with pytest.warns(CompileWarning, match="'scan_scan1' cannot be had.*no registers left"):
        call(function, MANY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            call(function, MANY)
    assert launches() == [0] * 6 and counted.compiled == [0, 0, 0, 1]
    with mlir_scan.preparing(), pytest.raises(CompileError, match="no registers left"):
        call(function, MANY + 1)
    counted.fails = None
    with mlir_scan.preparing():
        call(function, MANY + 1)
    call(function, MANY)
    assert launches() == [1, 1]


def test_capture(device, launches, counted, monkeypatch):
    """Nothing is compiled or loaded by a call that is captured."""
    function = load(device)
    monkeypatch.setenv("SCAN_FAKE_CUDA_CAPTURING", "1")
    monkeypatch.setattr(Array, "device", Pool)
    with pytest.raises(ScanError, match="kernel scan_scan0 not there while a stream is captured; "
                                        "call it .* before.*preparing.*nothing can be compiled"):
        call(function, FEW)
    assert counted.compiled == []
    monkeypatch.delenv("SCAN_FAKE_CUDA_CAPTURING")
    with mlir_scan.preparing():
        call(function, FEW)
    assert launches() == [0]
    monkeypatch.setenv("SCAN_FAKE_CUDA_CAPTURING", "1")
    call(function, FEW)
    with pytest.warns(CompileWarning, match="scan_scan1 not there.*the graph keeps slower ones"):
        call(function, MANY)
    assert launches() == [0, 0] and counted.compiled == [0]


def test_load_during_capture(device, launches, counted, monkeypatch):
    """A kernel that was being compiled when another thread began to capture is loaded: the
    driver refuses that unless it is asked in another mode."""
    function = load(device)
    call(function, FEW)
    counted.may_go.clear()
    call(function, MANY)
    monkeypatch.setenv("SCAN_FAKE_CUDA_CAPTURING", "1")
    counted.may_go.set()
    mlir_scan.wait_for_kernels()
    monkeypatch.delenv("SCAN_FAKE_CUDA_CAPTURING")
    call(function, MANY)
    assert launches() == [0, 0, 1]


def test_nothing_is_left(device, launches):
    """Calls that stood in leave no memory behind."""
    exchange.ALLOCATED.clear()
    function = load(device)
    call(function, MANY)
    call(function, FEW)
    call(function, FEW)
    # The results, and once the memory that the kernel for many works with.
    mlir_scan.wait_for_kernels()
    assert launches() == [1, 1, 1]
    workspaces = [size for size in exchange.ALLOCATED if size not in (4 * FEW, 4 * MANY)]
    assert len(workspaces) == 2
    call(function, FEW)
    assert launches() == [0] and exchange.ALLOCATED[-1] == 4 * FEW


def test_dispatch():
    """Without it there is one kernel for all extents."""
    _, several = mlir_scan.ptx(TEXT)
    _, one = mlir_scan.ptx(TEXT, dispatch=False)
    assert len(json.loads(several)["functions"][0]["kernels"]) > 1
    kernel, = json.loads(one)["functions"][0]["kernels"]
    assert "when" not in kernel and "variant" not in kernel


def test_the_parts_are_the_whole():
    module = mlir_scan.parse(TEXT)
    ptx, manifest = module.ptx(max_variants=3)
    parts = module.kernels(max_variants=3)
    description = json.loads(manifest)
    del description["ptx_sha256"]
    assert json.loads(parts.manifest) == description
    assert parts.names == [f"scan_scan{number}" for number in range(3)]
    for name in parts.names:
        _, body = parts.compile(name).split(".address_size 64\n")
        assert body in ptx
    with pytest.raises(ScanError, match="no kernel 'scan_scan3'"):
        parts.compile("scan_scan3")
    # What is compiled on demand may be more.
    assert len(module.kernels().names) > len(json.loads(module.ptx()[1])["functions"][0]["kernels"])
    with pytest.raises(CompileError, match="unknown chip 'sm_1'"):
        module.kernels(chip="sm_1")


SCRIPT = f"""
import exchange, mlir_scan, sys, threading
exchange.Array.device = mlir_scan.Device()
function = mlir_scan.load('''{TEXT}''', exchange.Array.device,
                          max_variants=3)["scan"]
def call():
    for count in ({FEW}, {MANY}):
        function(exchange.Array(0x10000, (count,), 2, 32))
thread = threading.Thread(target=call, daemon=True)
call() if sys.argv[1] == "main" else (thread.start(), thread.join())
print("end")
"""


@pytest.mark.parametrize("caller", ["main", "daemon"])
def test_the_end_of_the_process(cache_folder, caller):
    """It waits for what is being compiled, which is in the cache then; also where a thread
    has called that is a daemon, as those are in which PyTorch runs backward passes."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-W", "error", "-c", SCRIPT, caller], text=True,
                          capture_output=True, timeout=300, env=environment, check=False)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr
    assert "Traceback" not in done.stderr
    assert len(os.listdir(cache_folder)) == 3


class Pool:
    """Memory that is there already."""

    kept = []

    @classmethod
    def allocate(cls, count):
        import ctypes
        cls.kept.append(ctypes.create_string_buffer(count + 16))
        return (ctypes.addressof(cls.kept[-1]) + 15) // 16 * 16

    @staticmethod
    def free(address):
        pass
