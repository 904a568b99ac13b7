# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: MLIR text that says what its results look like.

The text is one line (compilers of the frameworks print it into comments of the code that
they generate), and begins with words such as

    results: f32[0.0,0.1,0.2] f32[0.0,3.0,0.2] batch |

which say for each result its element type and, for each of its dimensions, which
argument's dimension has the same extent (argument.dimension, or less one as in 2.0-1;
a plain number is an extent, and "?" one that only a run tells). `batch` says that the
first dimension of all arguments and results is one of independent computations;
`batch-except:0,3` that it is so of all arguments but these. So the text is all that an
operator of a framework needs: shapes, the derivative, and code, also in a process that
loads it from a file.
"""

import functools
import os
import re
import threading

from . import _core, compiler, kernels
from .errors import ScanError

_RESULT = re.compile(r"([a-z0-9<>]+)\[([0-9.,?-]*)\]")
_DIMENSION = re.compile(r"([0-9]+)\.([0-9]+)(-[0-9]+)?")
_HEADER = "results: "
_EXCEPT = "batch-except:"


def make_text(results, batch, body, shared=()):
    """A program's text: `results` has (element, dims) for each, `body` is the MLIR text, and
    `shared` are the arguments without the dimension that `batch` is about."""
    words = [f"{element}[{','.join(dims)}]" for element, dims in results]
    if batch:
        words.append("batch" if not shared else f"{_EXCEPT}{','.join(map(str, shared))}")
    return f"{_HEADER}{' '.join(words)} | {' '.join(body.split())}"


# Held while a program is parsed.
_lock = threading.Lock()
# Whether this is the child of a process that had opened a GPU.
_is_forked = False


def _after_fork():
    global _lock, _is_forked
    # A thread that the child does not have may hold the old one.
    _lock = threading.Lock()
    _is_forked = _is_forked or _device.cache_info().currsize > 0


os.register_at_fork(after_in_child=_after_fork)


class Program:
    """A program's text, what it returns, its derivatives and its code."""

    def __init__(self, text):
        first, separator, self._body = text.partition(" | ")
        if not first.startswith(_HEADER) or not separator:
            raise ScanError(f"a program begins with '{_HEADER}... | '; found '{text[:60]}'")
        self.text = text
        last = first.split()[-1]
        self.batch = last == "batch"
        # The arguments without a dimension of independent computations; None if there is
        # no such dimension.
        self.shared = () if self.batch else None
        if last.startswith(_EXCEPT):
            self.shared = tuple(map(int, last[len(_EXCEPT):].split(",")))
        # For each result its element type and dims: (argument, dimension, what to add) or
        # an extent.
        self.results = [
            (element, tuple(_dimension(part) for part in dims.split(",") if part))
            for element, dims in _RESULT.findall(first)]
        self.elements = [element for element, _ in self.results]
        self._module = None
        # The machine code for this processor, once it was asked for; and that for arguments
        # that are not dense, by their strides.
        self.compiled, self._strided = None, {}
        self._kernels, self._derivatives = {}, {}

    @property
    def module(self):
        """The parsed program."""
        with _lock:
            if self._module is None:
                self._module = _core.Module.parse(self._body, "<program>")
            return self._module

    @property
    def entry(self):
        """The name of its function."""
        return self.module.functions[0]

    @property
    def executable(self):
        """Its machine code for this processor, compiled when first asked for."""
        executable = self.compiled
        if executable is None:
            executable = self.compiled = compiler.compile(self._body, self.entry)
        return executable

    def strided_executable(self, strides):
        """The same for arguments with strides, "outer" or "any" (Module.compile)."""
        executable = self._strided.get(strides)
        if executable is None:
            executable = compiler.compile(self._body, self.entry, strided_arguments=strides)
            executable = self._strided.setdefault(strides, executable)
        return executable

    def ptx(self, capability, strides="none"):
        """PTX and manifest for GPUs of that compute capability: 90 for 9.0."""
        return compiler.ptx(self._body, compiler.choose_chip(capability),
                            strided_arguments=strides)

    def kernels(self, ordinal, strides="none"):
        """Its kernels on the GPU of that number, a function of arrays there, which are dense
        or have strides, "outer" or "any" (Module.compile)."""
        function = self._kernels.get((ordinal, strides))
        if function is None or _is_forked:
            if _is_forked:
                raise ScanError("this process was forked from one that had opened a GPU, which "
                                "CUDA does not allow; start processes with multiprocessing's "
                                "method 'spawn'")
            loaded = kernels.load(self._body, _device(ordinal), strided_arguments=strides)
            _loaded.append(loaded)
            function = loaded[loaded.functions[0]]
            function = self._kernels.setdefault((ordinal, strides), function)
        return function

    def shapes(self, inputs):
        """The shapes of the results for arguments of these shapes, which may be symbolic."""
        if any(None in dims for _, dims in self.results):
            raise ScanError("the shapes of this program's results are not known before it runs")
        return [tuple(part if isinstance(part, int) else inputs[part[0]][part[1]] + part[2]
                      for part in dims) for _, dims in self.results]

    def select(self, results):
        """The program that returns only these of the results, a tuple of numbers."""
        key = ("select", results)
        program = self._derivatives.get(key)
        if program is None:
            program = self._derivatives[key] = load(self._return_only(results))
        return program

    def _return_only(self, results):
        lines = str(self.module).splitlines()
        begin = next(number for number, line in enumerate(lines)
                     if line.startswith(f"  func.func @{self.entry}("))
        end = next(number for number in range(begin, len(lines))
                   if lines[number].startswith("    return "))
        values, types = (part.split(", ") for part in
                         lines[end].removeprefix("    return ").split(" : "))
        head, _, tail = lines[begin].rpartition(" -> ")
        attributes = re.search(r" (attributes \{.*\} )?\{$", tail).group()
        kept = ", ".join(types[number] for number in results)
        lines[begin] = f"{head} -> ({kept}){attributes}"
        lines[end] = f"    return {', '.join(values[number] for number in results)} : {kept}"
        words = self.text.partition(" | ")[0].removeprefix(_HEADER).split()
        words = [words[number] for number in results] + words[len(self.results):]
        return f"{_HEADER}{' '.join(words)} | {' '.join(' '.join(lines).split())}"

    def vjp(self, arguments, results):
        """The program of the vector-Jacobian product.

        Takes the arguments and a cotangent for each of `results`; returns the gradient
        for each of `arguments`, both lists of numbers.
        """
        key = (arguments, results)
        derivative = self._derivatives.get(key)
        if derivative is None:
            derivative = self._derivatives[key] = load(self._differentiate(arguments, results))
        return derivative

    def _differentiate(self, arguments, results):
        module = self.module.clone()
        signature = module.signature(self.entry)
        module.run(
            f"scan-differentiate{{function={self.entry} name=vjp_of_{self.entry} "
            f"arguments={','.join(map(str, arguments))} results={','.join(map(str, results))}}},"
            f"symbol-privatize{{exclude=vjp_of_{self.entry}}},symbol-dce")
        dims = [(signature.inputs[number].dtype,
                 [f"{number}.{dim}" for dim in range(len(signature.inputs[number].shape))])
                for number in arguments]
        # What all share gets one gradient, a sum.
        batch = self.shared is not None and not set(self.shared) & set(arguments)
        return make_text(dims, batch, str(module), self.shared)


# What is on devices: as long as the process runs, as the programs that `load` remembers.
_loaded = []


def check():
    """Raises a ScanError with what kernels have found wrong so far and was not raised yet:
    offsets of packed sequences that do not start with 0, decrease or do not end with the extent
    of the scan dimension. The next call of the same program raises it otherwise. Waits for
    nothing: synchronize first (torch.cuda.synchronize()) to know of all calls."""
    for program in list(_loaded):
        program.check()


@functools.cache
def _device(ordinal):
    return _core.Device(ordinal)


def _dimension(text):
    if text == "?":
        return None
    match = _DIMENSION.fullmatch(text)
    if match is None:
        return int(text)
    return int(match[1]), int(match[2]), int(match[3] or 0)


@functools.lru_cache(maxsize=4096)
def load(text):
    """The Program of that text; the same one for the same text."""
    return Program(text)
