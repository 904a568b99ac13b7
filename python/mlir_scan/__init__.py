# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans compiled for the CPU and for GPUs.

`mlir_scan.prove` says whether an operator is associative, `mlir_scan.compile` makes callable functions of programs, `mlir_scan.ptx` makes PTX and a
manifest of them, `mlir_scan.runtime` launches these on a GPU.

The compiler is the extension `mlir_scan._core`, which is loaded when it is first used.
`mlir_scan.runtime` does without it, and needs nothing else to be installed: the CUDA driver
is looked for when a device is opened, and arrays of PyTorch, CuPy, JAX and others are taken
as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import (AssociativityError, CompileError, CompileWarning, Diagnostic,
                     NoDriverError, RunError, ScanError)

if TYPE_CHECKING:
    from ._core import (Array, ArrayType, Call, Device, Executable, Function, Module, Program,
                        Signature, get_num_threads, set_num_threads)
    from .compiler import compile, parse, ptx
    from .kernels import load, preparing, wait_for_kernels
    from .program import check
    from .proof import Verdict, prove

# By the module that has it.
_LAZY = {
    "Array": "_core",
    "ArrayType": "_core",
    "Call": "_core",
    "Device": "_core",
    "Function": "_core",
    "Program": "_core",
    "Executable": "_core",
    "Module": "_core",
    "Signature": "_core",
    "get_num_threads": "_core",
    "set_num_threads": "_core",
    "check": "program",
    "compile": "compiler",
    "parse": "compiler",
    "ptx": "compiler",
    "load": "kernels",
    "preparing": "kernels",
    "wait_for_kernels": "kernels",
    "Verdict": "proof",
    "prove": "proof",
}

__all__ = ["AssociativityError", "CompileError", "CompileWarning", "Diagnostic",
           "NoDriverError", "RunError", "ScanError", *_LAZY]
__version__ = "0.1.0"


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LAZY})
