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
import os
import shutil
import sys
from typing import Any

from ._core import Module
from .errors import AssociativityError, ScanError

__all__ = ["Verdict", "prove"]

# Of most operators that are not associative a tenth of these would do.
_QUICK_TRIPLES = 256


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What is known of an operator."""

    status: str
    """"proved", "proved up to rounding" (of real numbers), "refuted" or "unknown"."""
    reason: str = ""
    """Why it is unknown, and how many random triples agree; what a proof excludes."""
    a: str = ""
    """If refuted: three states as text, a number or a tuple of one part per leaf."""
    b: str = ""
    c: str = ""
    left: str = ""
    """f(f(a, b), c), as computed."""
    right: str = ""
    """f(a, f(b, c)), as computed."""

    @property
    def proved(self) -> bool:
        """Whether the operator is associative, exactly or up to rounding."""
        return self.status in ("proved", "proved up to rounding")

    @property
    def refuted(self) -> bool:
        return self.status == "refuted"

    def __str__(self):
        if self.refuted and self.c:
            return (f"refuted: with a = {self.a}, b = {self.b}, c = {self.c}, "
                    f"f(f(a, b), c) = {self.left} but f(a, f(b, c)) = {self.right}")
        if self.refuted:
            return (f"refuted: {self.reason}: with a = {self.a}, b = {self.b}, "
                    f"f(a, b) = {self.left}")
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


def _verdicts(text, **options):
    module = text if isinstance(text, Module) else Module.parse(text.partition(" | ")[2] or text)
    return [Verdict(*found) for found in module.prove(**options)]


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
