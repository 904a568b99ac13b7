# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on a GPU whose kernels are compiled when they are first needed.

    program = mlir_scan.load(text, mlir_scan.Device())
    y, = program["cumsum"](x)

A scan with dynamic extents has several kernels, among which the extents of a call choose
(docs/manifest.md). `load` compiles a program as far as that choice. A call that needs a
kernel which is not there waits for it, unless another kernel for the same scan is there
that does for these extents: that one is launched, and a thread compiles the better one,
which later calls take. PTX is kept in memory and on disk (mlir_scan.cache).

    with mlir_scan.preparing():        # calls wait, and take the best kernels
        y, = program["cumsum"](x)

    mlir_scan.wait_for_kernels()       # until nothing is being compiled any more
"""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from concurrent.futures import Future
from typing import TYPE_CHECKING

from . import _core, compiler
from .cache import cached, make_key
from .errors import CompileError, CompileWarning, ScanError

if TYPE_CHECKING:
    from ._core import Device, Module, Program

__all__ = ["Loader", "Source", "load", "preparing", "wait_for_kernels"]

# Whether calls of this thread wait for the best kernels.
_mode = threading.local()
# The threads that compile.
_threads, _threads_lock = set(), threading.Lock()


def _renew_lock():
    global _threads_lock
    # A thread that the child of a fork does not have may hold the old one.
    _threads_lock = threading.Lock()
    _threads.clear()


os.register_at_fork(after_in_child=_renew_lock)


@contextlib.contextmanager
def preparing():
    """Calls of this thread in the block wait for the best kernels for their extents.

    So does a first call with other extents anyway where no kernel is there that could stand
    in. Calls that are to be captured into a CUDA graph are made once in such a block
    before: a graph keeps the kernels that it was captured with.
    """
    before = getattr(_mode, "waits", False)
    _mode.waits = True
    try:
        yield
    finally:
        _mode.waits = before


def wait_for_kernels() -> None:
    """Waits until all kernels are there that other ones stand in for at this time."""
    while True:
        with _threads_lock:
            thread = next(iter(_threads), None)
        if thread is None:
            return
        thread.join()


class Source:
    """The kernels of a program for one kind of GPU, in PTX."""

    def __init__(self, program: str | Module, chip: str = "sm_90", opt_level: int = 3,
                 ptx_isa: int = 0, libdevice: str = "", strided_arguments: str = "none",
                 max_variants: int = 0, max_state_bytes: int = 256, cache: bool = True):
        """The options are those of mlir_scan.ptx. Raises CompileError."""
        self._cache = cache
        # Calls choose among the kernels of a scan by their extents.
        dispatch = True
        options = (chip, opt_level, ptx_isa, libdevice, strided_arguments, max_variants,
                   max_state_bytes, dispatch)
        self._key = compiler.ptx_key("kernels", program, *options) if cache else ""
        # What is compiled up to its kernels: all that is compiled later comes from this.
        self._kernels = self._find("", lambda: compiler.as_module(program).kernels(*options),
                                   _core.Kernels.from_bytes, _core.Kernels.to_bytes)
        self.manifest = self._kernels.manifest

    def _find(self, name, make, read, write):
        if not self._cache:
            return make()

        def load(data):
            try:
                return read(data)
            except (CompileError, ValueError):
                return None

        return cached(compiler.memory, compiler.disk, make_key(self._key, name), load, make, write)

    def ptx(self, name: str) -> str:
        """PTX with the kernel of that name. For any number of threads. Raises CompileError."""
        return self._find(name, lambda: self._kernels.compile(name), bytes.decode, str.encode)


class Loader:
    """Brings a program's kernels to the GPU. `Program` calls all but the first method."""

    def __init__(self, source: Source):
        self._source, self._lock = source, threading.Lock()
        # By name: what ends when a kernel is there, or could not be compiled.
        self._loading: dict[str, Future] = {}
        # What went wrong beside calls; None once that was said.
        self._errors: dict[str, BaseException | None] = {}

    def _begin(self, name):
        """The future of a kernel, and whether it is for the caller to bring that."""
        with self._lock:
            future = self._loading.get(name)
            if future is not None:
                return future, False
            future = self._loading[name] = Future()
            return future, True

    def _bring(self, program, name, future):
        try:
            program.add(self._source.ptx(name))
        except BaseException as error:
            # The next one who needs it tries anew.
            with self._lock:
                del self._loading[name]
            future.set_exception(error)
            raise
        with self._lock:
            self._errors.pop(name, None)
        future.set_result(None)

    def require(self, program: Program, names: list[str]) -> None:
        """Returns when the kernels are there. Raises what stops that."""
        for name in names:
            future, is_mine = self._begin(name)
            if is_mine:
                self._bring(program, name, future)
            else:
                future.result()

    def start(self, program: Program, names: list[str]) -> bool:
        """Sees to it that the kernels will be there; whether the caller should wait."""
        if getattr(_mode, "waits", False):
            return True
        for name in names:
            with self._lock:
                has_failed, error = name in self._errors, self._errors.get(name)
                if has_failed:
                    self._errors[name] = None
            if has_failed:
                # It is said once, and not tried again as long as there is another kernel.
                if error is not None:
                    warnings.warn(f"kernel '{name}' cannot be had; a slower one stands in for "
                                  f"it: {error}", CompileWarning, stacklevel=3)
                continue
            future, is_mine = self._begin(name)
            if is_mine:
                self._bring_beside(program, name, future)
        return False

    def _bring_beside(self, program, name, future):
        def work():
            try:
                self._bring(program, name, future)
            except Exception as error:
                with self._lock:
                    self._errors[name] = error
                # The next call says so.
                program.notify()
            finally:
                with _threads_lock:
                    _threads.discard(thread)

        # No daemon: the end of the process waits for the compiler. One that is started from a
        # backward pass would inherit it, as PyTorch's threads are daemons to Python.
        thread = threading.Thread(target=work, name=f"mlir_scan: {name}", daemon=False)
        try:
            with _threads_lock:
                thread.start()
                _threads.add(thread)
        except RuntimeError as error:
            # Python ends, and starts no threads any more.
            with self._lock:
                del self._loading[name]
            future.set_exception(error)

    def refuse(self, function: str, names: list[str], is_replaced: bool) -> None:
        """What is said where kernels are missing while a stream is captured into a graph."""
        text = (f"'{function}': kernel{'s' * (len(names) > 1)} {', '.join(names)} not there while "
                "a stream is captured; call it with these extents before, in a block "
                "`with mlir_scan.preparing():`")
        if not is_replaced:
            raise ScanError(f"{text}, as nothing can be compiled in a capture")
        warnings.warn(f"{text}; the graph keeps slower ones", CompileWarning, stacklevel=3)


def load(program: str | Module, device: Device, opt_level: int = 3, libdevice: str = "",
         cache: bool = True, strided_arguments: str = "none", max_variants: int = 0,
         max_state_bytes: int = 256) -> Program:
    """The public functions of a program, text or a module, on a GPU.

    Each kernel is compiled when a call first needs it; see the module. Options are those of
    `mlir_scan.ptx`. Raises CompileError.
    """
    source = Source(program, compiler.choose_chip(device.compute_capability), opt_level, 0,
                    libdevice, strided_arguments, max_variants, max_state_bytes, cache)
    return _core.Program(device, source.manifest, Loader(source))
