# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs to functions that run, and to PTX.

    import mlir_scan

    program = mlir_scan.parse('''
      func.func @cumsum(%x: tensor<?xf32>) -> tensor<?xf32> {
        %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          scan.yield %s : f32
        } -> tensor<?xf32>
        return %y : tensor<?xf32>
      }''')
    cumsum = mlir_scan.compile(program)
    y, = cumsum(numpy.ones(10, numpy.float32))

What was compiled is kept, in memory and on disk (mlir_scan.cache).
"""

from __future__ import annotations

import functools
import json
import os

from . import _core
from ._core import Executable, Module
from .cache import DiskCache, MemoryCache, cached, make_key
from .errors import CompileError, ScanError

__all__ = ["clear_memory", "compile", "parse", "ptx"]

memory, disk = MemoryCache(256), DiskCache()


@functools.cache
def _library() -> str:
    """The version of the library, and which build of it this is."""
    try:
        status = os.stat(_core.library_path)
        build = f"{status.st_size} {status.st_mtime_ns}"
    except OSError:
        build = ""
    return f"{_core.version} {_core.mlir_version} {build}"


@functools.cache
def _processor() -> str:
    return _core.processor()


def clear_memory() -> None:
    """Forgets what was compiled, but for what is on disk."""
    memory.clear()


def parse(text: str, name: str = "<text>") -> Module:
    """Parses and verifies a program, MLIR text.

    `name` stands for the file in diagnostics. Raises CompileError.
    """
    return Module.parse(text, name)


def as_module(program: str | Module) -> Module:
    return program if isinstance(program, Module) else parse(program)


def _as_text(program: str | Module) -> str:
    return program if isinstance(program, str) else program.to_text(locations=True)


def compile(program: str | Module, function: str | None = None, target: str = "cpu",
            cache: bool = True, strided_arguments: str = "none") -> Executable:
    """Makes a function of a program, text or a module, ready to run.

    `function` may be left out where there is only one. `target` is "cpu", "reference",
    "emulator" or "cuda", see Module.compile, also for `strided_arguments`. With `cache`, a function for "cpu" that was
    compiled before is the same object, or comes from disk. Raises CompileError.
    """
    if function is None:
        program = as_module(program)
        names = program.functions
        if len(names) != 1:
            raise ScanError("expected the name of a function, as the program has "
                            f"{len(names)}: {', '.join(names)}")
        function = names[0]

    def make():
        return as_module(program).compile(function, target, strided_arguments)

    if target != "cpu" or not cache:
        return make()

    def load(data):
        try:
            return Executable.from_bytes(data)
        except CompileError:
            return None

    # One thread needs other code than several.
    threads = str(_core.get_num_threads() != 1) + os.environ.get("SCAN_THREAD_WORK", "")
    key = make_key("cpu", _library(), _processor(), _as_text(program), function, strided_arguments,
                   threads)
    return cached(memory, disk, key, load, make, Executable.to_bytes)


def _tuning() -> bytes:
    """The tuning cache that the environment names: schedules depend on it."""
    try:
        with open(os.environ.get("SCAN_TUNING", ""), "rb") as file:
            return file.read()
    except OSError:
        return b""


def ptx_key(kind: str, program: str | Module, chip: str, opt_level: int, ptx_isa: int,
            libdevice: str, strided_arguments: str, max_variants: int,
            max_state_bytes: int, dispatch: bool) -> str:
    """The key of what is compiled to PTX with these options."""
    # Where libdevice is looked for.
    toolkit = "\n".join(os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH"))
    return make_key(kind, _library(), _as_text(program), chip, str(opt_level), str(ptx_isa),
                    libdevice, toolkit, strided_arguments, str(max_variants),
                    str(max_state_bytes), str(dispatch), _tuning())


# The chips that there are kernels for; newer ones run those of their generation.
_CHIPS = (75, 80, 86, 89, 90, 100, 120)


def choose_chip(capability: int) -> str:
    """The chip to compile for, of a GPU with that compute capability: 90 for 9.0."""
    known = [chip for chip in _CHIPS if chip <= capability]
    if not known:
        raise ScanError(f"the GPU has compute capability {capability // 10}.{capability % 10}; "
                        "kernels need 7.5 or more")
    return f"sm_{known[-1]}"


def ptx(program: str | Module, chip: str = "sm_90", opt_level: int = 3, ptx_isa: int = 0,
        libdevice: str = "", cache: bool = True,
        strided_arguments: str = "none", max_variants: int = 0,
        max_state_bytes: int = 256, dispatch: bool = True) -> tuple[str, str]:
    """Compiles the public functions of a program, text or a module, to PTX.

    Returns PTX and manifest, as `mlir_scan.Program` and `mlir_scan.runtime.Program` take
    them. Needs no GPU. See Module.ptx for the options; with `cache`, what was compiled
    before comes from memory or from disk. Raises CompileError.
    """
    options = (chip, opt_level, ptx_isa, libdevice, strided_arguments, max_variants,
               max_state_bytes, dispatch)

    def make():
        return as_module(program).ptx(*options)

    if not cache:
        return make()

    def load(data):
        try:
            text, manifest = json.loads(data)
        except ValueError:
            return None
        return text, manifest

    key = ptx_key("ptx", program, *options)
    return cached(memory, disk, key, load, make, lambda value: json.dumps(value).encode())
