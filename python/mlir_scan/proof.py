# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is an operator associative? By proof, or by a counterexample.

    import mlir_scan

    def combine(x, y):
        return y[0] * x[0], y[0] * x[1] + y[1]

    verdict = mlir_scan.prove(combine, (torch.rand(4), torch.rand(4)))
    assert verdict.proved, verdict

`associative_scan` of the front ends evaluates a few hundred random triples the first time
that it sees an operator, which takes milliseconds. `check_associativity=False` there, or
SCAN_CHECK_ASSOCIATIVITY=0 in the environment, leaves that out.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import re
import shutil
import struct
import sys
from typing import Any

from ._core import Module
from .errors import AssociativityError, ScanError

__all__ = ["Verdict", "prove"]

# Of most operators that are not associative a tenth of these would do.
_QUICK_TRIPLES = 256


@dataclasses.dataclass(frozen=True, eq=False)
class Verdict:
    """What is known of an operator."""

    status: str
    """"proved", "proved up to rounding" (of real numbers), "refuted" or "unknown"."""
    reason: str = ""
    """Why it is unknown, and how many random triples agree; what a proof excludes."""
    a: Any = None
    """If refuted: three states, each a number (bool, int, float, complex), or an array of
    NumPy for a leaf of small tensors; of several leaves a tuple of these. 16- and 32-bit
    floats are the numbers that they are."""
    b: Any = None
    c: Any = None
    """None where an invariant is refuted: it holds of a and b and not of f(a, b)."""
    left: Any = None
    """f(f(a, b), c), as computed; f(a, b) where an invariant is refuted."""
    right: Any = None
    """f(a, f(b, c)), as computed."""
    _texts: tuple = ()

    @property
    def proved(self) -> bool:
        """Whether the operator is associative, exactly or up to rounding."""
        return self.status in ("proved", "proved up to rounding")

    @property
    def refuted(self) -> bool:
        return self.status == "refuted"

    def __eq__(self, other):
        return isinstance(other, Verdict) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        a, b, c, left, right = self._texts or (self.a, self.b, self.c, self.left, self.right)
        if self.refuted and self.c is not None:
            return (f"refuted: with a = {a}, b = {b}, c = {c}, "
                    f"f(f(a, b), c) = {left} but f(a, f(b, c)) = {right}")
        if self.refuted:
            return f"refuted: {self.reason}: with a = {a}, b = {b}, f(a, b) = {left}"
        return f"{self.status}: {self.reason}" if self.reason else self.status

    def __repr__(self):
        return f"<Verdict {self}>"


def _find_z3() -> str:
    """z3 of the running Python's environment, unless one is in PATH."""
    if shutil.which("z3"):
        return ""
    path = os.path.join(sys.prefix, "Scripts" if os.name == "nt" else "bin", "z3")
    return path if os.access(path, os.X_OK) else ""


def _text_of(fn, example):
    """The program of a scan with the combine function of one of the front ends."""
    if "torch" in sys.modules:
        from .torch import _associative

        if (text := _associative.proof_text(fn, example)) is not None:
            return text
    if "jax" in sys.modules:
        from .jax import _scan

        if (text := _scan.proof_text(fn, example)) is not None:
            return text
    raise ScanError("example: expected a pytree of torch tensors or JAX arrays, like one "
                    f"argument of the function, found {type(example).__name__}")


def _make_verdict(status, reason, *texts_and_types):
    *texts, types = texts_and_types
    states = [_parse_state(text, types.split(", ")) if text else None for text in texts]
    return Verdict(status, reason, *states, tuple(texts) if texts[0] else ())


def _parse_state(text, types):
    """The numbers of a state as text: a number, nested lists, a tuple of these."""
    if len(types) == 1:
        return _parse_leaf(text, types[0])
    # At the commas that are in no list.
    parts, depth = [""], 0
    for char in text[1:-1]:
        depth += (char == "[") - (char == "]")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return tuple(_parse_leaf(part.strip(), type) for part, type in zip(parts, types))


def _parse_leaf(text, type):
    if not text.startswith("["):
        return _parse_number(text, type)
    elements = []
    stack = [elements]
    for token in re.findall(r"[\[\]]|[^\[\],][^\[\],]*", text):
        if token == "[":
            stack[-1].append([])
            stack.append(stack[-1][-1])
        elif token == "]":
            stack.pop()
        elif token.strip():
            stack[-1].append(_parse_number(token.strip(), type))
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        return elements[0]
    # A type of NumPy's that has all of the numbers.
    wide = "complex128" if type.startswith("complex") else {
        "i1": "bool", "f16": "float16", "f32": "float32", "bf16": "float32",
        "f64": "float64"}.get(type, type.replace("i", "int"))
    return numpy.array(elements[0], {"index": "int64"}.get(type, wide))


def _parse_number(text, type):
    if type == "i1":
        return text == "true"
    if type.startswith("complex<"):
        real, imaginary = text.removesuffix("i").split(" + ")
        part = type[len("complex<"):-1]
        return complex(_parse_number(real, part), _parse_number(imaginary, part))
    return _round(float(text), type) if type in ("f16", "bf16", "f32", "f64") else int(text)


def _round(value, type):
    """The number of a type that has been written with as many digits as tell it from others."""
    if type == "f64" or not math.isfinite(value):
        return value
    if type == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    code = {"f16": "<e", "f32": "<f"}[type]
    return struct.unpack(code, struct.pack(code, value))[0]


def _verdicts(text, **options):
    module = text if isinstance(text, Module) else Module.parse(text.partition(" | ")[2] or text)
    return [_make_verdict(*found) for found in module.prove(**options)]


def prove(fn: Any, example: Any = None, *, timeout: int = 5, triples: int = 10000,
          solver: bool = True, z3: str = "") -> Verdict:
    """Proves an operator associative, or finds a counterexample.

    Integers are taken as they are, and floating-point numbers as real ones ("proved up to
    rounding"), unless they are only compared and chosen. What the solver z3 (the package
    z3-solver, or a program in PATH) does not decide is evaluated on random triples, by the
    reference interpreter; so is every counterexample.

    Args:
        fn: a combine function, as `associative_scan` of mlir_scan.torch or mlir_scan.jax
            takes it; or a program, text or a Module, with one scan.associative.
        example: a pytree of tensors or arrays like one argument of `fn`, of which dtypes
            and ranks count.
        timeout: seconds for the solver, at least 1.
        triples: how many random triples to evaluate.
        solver: whether to ask z3 at all.
        z3: the path of z3; looked for if empty.

    Returns:
        A Verdict.

    Raises:
        TraceError, CompileError: (ScanErrors) what is no combine function or program.
        ScanError: an example that does not fit, or a program without one scan.
    """
    if timeout < 1:
        raise ScanError(f"timeout: expected 1 or more seconds, found {timeout}")
    if triples < 0:
        raise ScanError(f"triples: expected 0 or more, found {triples}")
    program = fn if isinstance(fn, (str, Module)) else _text_of(fn, example)
    found = _verdicts(program, solver=solver, z3=z3 or (_find_z3() if solver else ""),
                      timeout=timeout, triples=triples)
    if len(found) != 1:
        raise ScanError("expected a program with one scan.associative, found "
                        f"{len(found)} of them")
    return found[0]


def is_checked() -> bool:
    """Whether the environment wants operators to be checked."""
    return os.environ.get("SCAN_CHECK_ASSOCIATIVITY", "1").lower() not in ("0", "off", "false")


@functools.lru_cache(maxsize=4096)
def _quick(text):
    return _verdicts(text, solver=False, triples=_QUICK_TRIPLES)[0]


def check(text: str, name: str) -> None:
    """Raises AssociativityError if random triples refute the operator of a program's text.

    `name` is what the front end calls the function. Each text is looked at once.
    """
    if not is_checked():
        return
    verdict = _quick(text)
    if verdict.refuted:
        raise AssociativityError(
            f"{name} is not associative: {str(verdict).removeprefix('refuted: ')}; the results "
            "of a scan would depend on how it is computed. mlir_scan.prove looks for a proof; "
            "where such numbers do not occur, check_associativity=False goes on", verdict)
