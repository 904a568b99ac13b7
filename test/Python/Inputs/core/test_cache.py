"""What was compiled is kept in memory and on disk, whatever becomes of the folder."""

import errno
import os
import subprocess
import sys
import time
import warnings

import numpy
import pytest
from conftest import scan_text

import mlir_scan
from mlir_scan import cache, compiler


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """As in a new process."""
    monkeypatch.setattr(compiler, "disk", cache.DiskCache())
    compiler.clear_memory()


def files(folder):
    return sorted(folder.iterdir()) if folder.exists() else []


def works(scan):
    return numpy.asarray(scan(numpy.ones(3, numpy.float32))[0]).tolist() == [1, 2, 3]


def count_compilations(monkeypatch):
    counted = []
    whole = mlir_scan.Module.compile

    def compile_one(self, *arguments):
        counted.append(arguments)
        return whole(self, *arguments)

    monkeypatch.setattr(mlir_scan.Module, "compile", compile_one)
    return counted


def test_memory():
    text = scan_text("f32")
    first = mlir_scan.compile(text, "scan")
    assert mlir_scan.compile(text, "scan") is first
    assert mlir_scan.compile(text, "scan", cache=False) is not first
    assert mlir_scan.compile(text, "scan", "reference") is not first
    assert mlir_scan.compile(scan_text("f64"), "scan") is not first
    # A module counts with its locations, which messages have.
    module = mlir_scan.parse(text)
    assert mlir_scan.compile(module) is mlir_scan.compile(module.clone())
    assert mlir_scan.compile(mlir_scan.parse(text, "other")) is not mlir_scan.compile(module)


def test_memory_is_bounded():
    memory = cache.MemoryCache(3)
    for i in range(5):
        assert memory.put(str(i), i + 1) == i + 1
    assert [memory.get(str(i)) for i in range(5)] == [None, None, 3, 4, 5]
    memory.get("2")
    memory.put("5", 6)
    assert (memory.get("2"), memory.get("3")) == (3, None)
    assert memory.put("5", 7) == 6


def test_disk(cache_folder, monkeypatch):
    counted = count_compilations(monkeypatch)
    text = scan_text("f32")
    assert works(mlir_scan.compile(text, "scan"))
    entry, = files(cache_folder)
    assert len(entry.name) == 64 and len(counted) == 1
    assert cache_folder.stat().st_mode & 0o777 == 0o700
    compiler.clear_memory()
    again = mlir_scan.compile(text, "scan")
    assert works(again) and len(counted) == 1
    with pytest.raises(mlir_scan.RunError, match="<text>:2:1: error: input #0 of 'scan'"):
        again(numpy.ones(3))


def test_disk_ptx(cache_folder, monkeypatch):
    result = mlir_scan.ptx(scan_text("f32"))
    compiler.clear_memory()
    monkeypatch.setattr(mlir_scan.Module, "ptx", lambda *_: pytest.fail("compiled"))
    assert mlir_scan.ptx(scan_text("f32")) == result
    assert len(files(cache_folder)) == 1


@pytest.mark.parametrize("other", [
    {"chip": "sm_80"}, {"opt_level": 2}, {"ptx_isa": 85}, {"libdevice": "/nowhere"}],
    ids=lambda options: next(iter(options)))
def test_options_are_told_apart(cache_folder, other):
    mlir_scan.ptx(scan_text("f32"))
    mlir_scan.ptx(scan_text("f32"), **other)
    assert len(files(cache_folder)) == 2


def test_builds_are_told_apart(cache_folder, monkeypatch):
    mlir_scan.compile(scan_text("f32"), "scan")
    compiler.clear_memory()
    monkeypatch.setattr(compiler, "_library", lambda: "another")
    mlir_scan.compile(scan_text("f32"), "scan")
    compiler.clear_memory()
    monkeypatch.setattr(compiler, "_processor", lambda: "another")
    mlir_scan.compile(scan_text("f32"), "scan")
    assert len(files(cache_folder)) == 3


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:10], lambda data: data[:-1], lambda data: data + b"x",
    lambda data: data[:200] + b"\0" + data[201:], lambda data: b"\0" * len(data)],
    ids=["empty", "start", "cut", "longer", "changed", "zeros"])
def test_damaged(cache_folder, monkeypatch, damage):
    counted = count_compilations(monkeypatch)
    mlir_scan.compile(scan_text("f32"), "scan")
    entry, = files(cache_folder)
    good = entry.read_bytes()
    entry.write_bytes(damage(good))
    compiler.clear_memory()
    assert works(mlir_scan.compile(scan_text("f32"), "scan"))
    assert len(counted) == 2 and entry.read_bytes()[:50] == good[:50]
    compiler.clear_memory()
    assert works(mlir_scan.compile(scan_text("f32"), "scan")) and len(counted) == 2


def test_useless(cache_folder):
    """Whole entries, by their hash, that the library does not take."""
    disk = cache.DiskCache()
    mlir_scan.compile(scan_text("f32"), "scan")
    mlir_scan.ptx(scan_text("f32"))
    for entry in files(cache_folder):
        disk.put(entry.name, b"something else")
    compiler.clear_memory()
    assert works(mlir_scan.compile(scan_text("f32"), "scan"))
    assert ".target" in mlir_scan.ptx(scan_text("f32"))[0]
    assert all(disk.get(entry.name) != b"something else" for entry in files(cache_folder))


def warned(action):
    """The warnings of the cache while `action` works."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    assert all(item.category is cache.CacheWarning for item in caught)
    return [str(item.message) for item in caught]


def compile_two():
    for element in ("f32", "f64"):
        mlir_scan.compile(scan_text(element), "scan")


def test_folder_cannot_be_made(cache_folder):
    cache_folder.write_text("a file")
    message, = warned(compile_two)
    assert str(cache_folder) in message and "MLIR_SCAN_CACHE_DIR" in message
    assert cache_folder.read_text() == "a file"


def test_read_only(cache_folder):
    """A folder that cannot be written to is still read."""
    mlir_scan.compile(scan_text("f32"), "scan")
    script = f"""
import os, sys, warnings
if os.geteuid() == 0:
    # The superuser may write anywhere, as long as he has his capabilities.
    import ctypes
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0
warnings.simplefilter("always")
import mlir_scan
from mlir_scan import compiler
found = compiler.disk.get({files(cache_folder)[0].name!r})
print(found is not None and len(found) > 100)
mlir_scan.compile('''{scan_text("f64")}''', "scan")
mlir_scan.compile('''{scan_text("i64")}''', "scan")
"""
    os.chmod(cache_folder, 0o555)
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True)
    os.chmod(cache_folder, 0o755)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("CacheWarning") == 1 and "Permission denied" in done.stderr
    assert done.stdout == "True\n"
    assert len(files(cache_folder)) == 1


def test_full(cache_folder, monkeypatch):
    """No space is left: nothing stays behind."""
    real = os.fdopen

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            self.file.write(data[:10])
            self.file.flush()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fdopen", lambda *arguments: Full(real(*arguments)))
    message, = warned(compile_two)
    assert "No space left" in message
    assert files(cache_folder) == []


def test_others_can_write(cache_folder):
    """Code that others may have put there is not run."""
    mlir_scan.compile(scan_text("f32"), "scan")
    entry, = files(cache_folder)
    os.chmod(cache_folder, 0o777)
    assert cache.DiskCache().get(entry.name) is None
    message, = warned(compile_two)
    assert "nobody else can write to" in message and files(cache_folder) == [entry]


def test_off(cache_folder, monkeypatch):
    monkeypatch.setenv("MLIR_SCAN_CACHE_DIR", "")
    assert warned(compile_two) == [] and files(cache_folder) == []


def test_folders(tmp_path, monkeypatch):
    disk = cache.DiskCache()
    monkeypatch.delenv("MLIR_SCAN_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert disk.folder() == str(tmp_path / "mlir-scan")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert disk.folder() == str(tmp_path / "home" / ".cache" / "mlir-scan")
    disk.put("key", b"value")
    assert disk.get("key") == b"value" and disk.get("other") is None


def test_bounded(cache_folder, monkeypatch):
    monkeypatch.setenv("MLIR_SCAN_CACHE_BYTES", "10000")
    disk, now = cache.DiskCache(), time.time()
    for i in range(9):
        disk.put(f"key{i}", bytes([i]) * 1000)
        os.utime(cache_folder / f"key{i}", (now - 100 + i, now - 100 + i))
    assert disk.get("key0") == bytes(1000)
    disk.put("large", b"l" * 3000)
    kept = [path.name for path in files(cache_folder)]
    assert "large" in kept and "key0" in kept and "key1" not in kept and "key8" in kept
    assert sum(path.stat().st_size for path in files(cache_folder)) <= 10000
    disk.put("too large", b"l" * 10000)
    assert disk.get("too large") is None
    # What a process left that was killed.
    (cache_folder / ".new-old").write_text("x")
    os.utime(cache_folder / ".new-old", (now - 7200, now - 7200))
    (cache_folder / ".new-young").write_text("x")
    cache.DiskCache().put("last", b"")
    names = [path.name for path in files(cache_folder)]
    assert ".new-old" not in names and ".new-young" in names


def test_seldom_measured(cache_folder, monkeypatch):
    """Not at each of many files, and yet there are never too many bytes."""
    monkeypatch.setenv("MLIR_SCAN_CACHE_BYTES", "100000")
    measured, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: measured.append(path) or scandir(path))
    disk = cache.DiskCache()
    for i in range(300):
        disk.put(f"key{i}", bytes(950))
        if i % 20 == 19:
            with scandir(cache_folder) as entries:
                assert sum(entry.stat().st_size for entry in entries) <= 100000
    assert 10 < len(measured) < 100
    # Another process has filled it.
    for i in range(100):
        (cache_folder / f"other{i}").write_bytes(bytes(1000))
    cache.DiskCache().put("last", bytes(950))
    assert sum(path.stat().st_size for path in files(cache_folder)) <= 100000


def test_wrong_limit(monkeypatch):
    monkeypatch.setenv("MLIR_SCAN_CACHE_BYTES", "many")
    message, = warned(compile_two)
    assert "expected a number, found 'many'" in message


def test_two_processes(cache_folder):
    """Several at once, on the same programs: each gets what it asks for."""
    script = "import mlir_scan, numpy\nfrom mlir_scan import compiler\nfor _ in range(3):\n"
    for element, dtype in (("f32", "float32"), ("i32", "int32"), ("f64", "float64")):
        script += f"""
    compiler.clear_memory()
    run = mlir_scan.compile('''{scan_text(element)}''', "scan")
    assert numpy.asarray(run(numpy.ones(3, "{dtype}"))[0]).tolist() == [1, 2, 3]
"""
    processes = [subprocess.Popen([sys.executable, "-W", "error", "-c", script]) for _ in range(3)]
    assert [process.wait(300) for process in processes] == [0, 0, 0]
    assert len(files(cache_folder)) == 3
