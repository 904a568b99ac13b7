"""Modules: read, checked, changed, compiled; what is wrong is an exception."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import numpy
import pytest
from conftest import RECURRENCE, scan_text

import mlir_scan
from mlir_scan import _core

TWO = scan_text("f32", name="first") + scan_text("i32", name="second")


def test_versions():
    assert mlir_scan.__version__ == _core.version
    assert _core.mlir_version.startswith("22.")
    assert pathlib.Path(_core.library_path).exists()


def test_module():
    module = mlir_scan.parse(TWO, "two.mlir")
    assert module.functions == ["first", "second"]
    module.verify()
    copy = module.clone()
    copy.run("scan-normalize,canonicalize")
    assert "scan.kernel" in str(copy) and "scan.kernel" not in str(module)
    assert str(mlir_scan.parse(str(module))) == str(module)
    assert '"two.mlir":2:' in module.to_text(locations=True)
    assert module.to_bytecode().startswith(b"ML\xefR")
    assert str(mlir_scan.Module.parse(module.to_bytecode())) == str(module)
    # Passes of upstream, and pipelines with options.
    copy.run("builtin.module(func.func(cse))")
    assert "llvm.func" in run(mlir_scan.parse(scan_text("f32")), "scan-to-cpu")


def run(module, pipeline):
    module.run(pipeline)
    return str(module)


def test_signature():
    signature = mlir_scan.parse(RECURRENCE).signature("recurrence")
    assert [t.shape for t in signature.inputs] == [(None, None), (None, None), (None,)]
    assert [t.dtype for t in signature.outputs] == ["f32", "f32"]
    assert str(signature.inputs[0]) == "tensor<?x?xf32>" and not signature.inputs[0].is_scalar
    assert "(tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> " in repr(signature)


def test_targets():
    module = mlir_scan.parse(scan_text("i32"))
    for target in ("cpu", "reference", "emulator"):
        executable = module.compile("scan", target)
        assert (executable.function, executable.target) == ("scan", target)
        assert numpy.asarray(executable(numpy.arange(5, dtype=numpy.int32))[0]).tolist() == [
            0, 1, 3, 6, 10]


def test_compile():
    with pytest.raises(mlir_scan.ScanError, match="the program has 2: first, second"):
        mlir_scan.compile(TWO)
    assert mlir_scan.compile(TWO, "second").function == "second"
    assert mlir_scan.compile(mlir_scan.parse(TWO), "first").function == "first"


def test_ptx():
    text, manifest = mlir_scan.ptx(scan_text("f32"), "sm_80")
    assert ".target sm_80" in text and json.loads(manifest)["functions"][0]["name"] == "scan"
    with pytest.raises(mlir_scan.CompileError, match="sm_1"):
        mlir_scan.ptx(scan_text("f32"), "sm_1")


ERRORS = {
    "syntax": (lambda: mlir_scan.parse("func.func @f( {", "f.mlir"), "f.mlir:1:14: error: expected"),
    "verifier": (lambda: mlir_scan.parse(scan_text("f32").replace("dim = 0", "dim = 3")),
                 "<text>:3:8: error: 'scan.associative' op C5: expected dim"),
    "spelling": (lambda: mlir_scan.parse(scan_text("f32").replace("dim = 0", "dim = 0 reversed")),
                 "found 'reversed'; did you mean 'reverse'?"),
    "operation": (lambda: mlir_scan.compile(
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %y : tensor<4xf32>\n}", target="emulator"),
        "<text>:2:8: error: 'tosa.abs' op cannot be bufferized: expected scans"),
    "pipeline": (lambda: mlir_scan.parse(TWO).run("no-such-pass"), "no-such-pass"),
    "pass": (lambda: mlir_scan.parse(TWO).run("scan-to-ptx{chip=sm_1}"), "sm_1"),
    "function": (lambda: mlir_scan.compile(TWO, "third"), "found first, second"),
    "target": (lambda: mlir_scan.compile(TWO, "first", "tpu"), "unknown target 'tpu'"),
    "signature": (lambda: mlir_scan.parse(TWO).signature("third"), "found first, second"),
    "chip": (lambda: mlir_scan.ptx(TWO, chip="sm_12"), "sm_12"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors(what, capfd):
    action, message = ERRORS[what]
    with pytest.raises(mlir_scan.CompileError) as error:
        action()
    assert message in str(error.value)
    assert isinstance(error.value, mlir_scan.ScanError)
    first = error.value.diagnostics[0]
    assert first.severity == "error" and first.message and message.split("error: ")[-1] in str(first)
    assert capfd.readouterr() == ("", "")


def test_notes():
    """A diagnostic with notes, and where each of them is."""
    with pytest.raises(mlir_scan.CompileError) as error:
        mlir_scan.parse("func.func @f() { return }\nfunc.func @f() { return }", "twice.mlir")
    diagnostic, = error.value.diagnostics
    note, = diagnostic.notes
    assert (diagnostic.file, diagnostic.line, note.line) == ("twice.mlir", 2, 1)
    assert note.severity == "note" and str(note) in str(error.value)


def test_wrong_types():
    for action in (lambda: mlir_scan.parse(3), lambda: mlir_scan.compile(None, "f"),
                   lambda: mlir_scan.parse(TWO).compile(1)):
        with pytest.raises((TypeError, AttributeError)):
            action()


def test_run_error():
    """What only a run can find: extents that do not agree."""
    add = mlir_scan.compile(RECURRENCE)
    a = numpy.ones((2, 3), numpy.float32)
    with pytest.raises(mlir_scan.RunError) as error:
        add(a, numpy.ones((2, 4), numpy.float32), numpy.ones(2, numpy.float32))
    assert error.value.diagnostics[0].severity == "error"
    # It is as good as before.
    assert numpy.asarray(add(a, a, numpy.zeros(2, numpy.float32))[1]).tolist() == [3, 3]


def test_errors_pickle():
    """Errors come back from worker processes as they are."""
    import pickle

    with pytest.raises(mlir_scan.CompileError) as error:
        mlir_scan.parse("?")
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value) and again.diagnostics == error.value.diagnostics


def test_machine_code():
    """Executables as bytes: the same function, also in another process."""
    executable = mlir_scan.parse(RECURRENCE).compile("recurrence")
    data = executable.to_bytes()
    again = mlir_scan.Executable.from_bytes(data)
    assert again.function == "recurrence" and repr(again.signature) == repr(executable.signature)
    assert again.to_bytes() == data
    a = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    h = numpy.ones(2, numpy.float32)
    for got, want in zip(again(a, a, h), executable(a, a, h)):
        assert (numpy.asarray(got) == numpy.asarray(want)).all()
    with pytest.raises(mlir_scan.RunError, match="input #2"):
        again(a, a, a)
    script = ("import sys, mlir_scan, numpy as np\n"
              "run = mlir_scan.Executable.from_bytes(sys.stdin.buffer.read())\n"
              "a = np.arange(6, dtype=np.float32).reshape(2, 3)\n"
              "print(np.asarray(run(a, a, np.ones(2, np.float32))[1]).tolist())\n")
    output = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True,
                            check=True).stdout.decode()
    assert output.strip() == str(numpy.asarray(executable(a, a, h)[1]).tolist())


def test_wrong_machine_code():
    data = mlir_scan.parse(scan_text("f32")).compile("scan").to_bytes()
    read = mlir_scan.Executable.from_bytes
    with pytest.raises(mlir_scan.CompileError, match="found something else"):
        read(b"")
    with pytest.raises(mlir_scan.CompileError, match="found something else"):
        read(data[1:])
    for cut in (len(data) - 1, len(data) // 2, 40, 30):
        with pytest.raises(mlir_scan.CompileError, match="damaged"):
            read(data[:cut])
    for place in range(25, len(data), max(1, len(data) // 50)):
        with pytest.raises(mlir_scan.CompileError, match="damaged"):
            read(data[:place] + bytes([data[place] ^ 4]) + data[place + 1:])
    with pytest.raises(mlir_scan.CompileError, match="expected an executable for 'cpu'"):
        mlir_scan.parse(scan_text("f32")).compile("scan", "reference").to_bytes()


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mlir_scan.compile(scan_text("f32"))(numpy.ones(3, numpy.float32))


def test_stub():
    """The types of the extension, as tools see them, are beside it."""
    text = (pathlib.Path(_core.__file__).parent / "_core.pyi").read_text()
    for name in ("class Module", "class Executable", "class Array", "class Program", "def call_torch"):
        assert name in text
    assert (pathlib.Path(_core.__file__).parent / "py.typed").exists()
    assert os.path.isabs(_core.library_path)


def test_names():
    """No module of the package has the name of something that the package offers."""
    script = """
import importlib, pkgutil, mlir_scan
from mlir_scan import runtime
names = [name for name in mlir_scan.__all__ if callable(getattr(mlir_scan, name))]
assert sorted(names) == sorted(mlir_scan.__all__)
modules = {module.name for module in pkgutil.iter_modules(mlir_scan.__path__)}
assert "compiler" in modules and not modules & set(names), modules & set(names)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
