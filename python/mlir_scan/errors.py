# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong: what was expected, what was found, where, the way out."""

from __future__ import annotations

from typing import Any, NamedTuple


class Diagnostic(NamedTuple):
    """What the compiler says about a place in a program."""

    severity: str
    """"error", "warning", "remark" or "note"."""
    file: str
    """Empty where the place is not known; then line and column are 0."""
    line: int
    """Counted from 1, as is the column."""
    column: int
    message: str
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        lines = [f"{place}{self.severity}: {self.message}"]
        return "\n".join(lines + [str(note) for note in self.notes])


class ScanError(Exception):
    """The base of all errors of this package."""


class AssociativityError(ScanError):
    """A combine function is not associative: `verdict` has the counterexample."""

    verdict: Any

    def __init__(self, message: str, verdict: Any = None):
        super().__init__(message, verdict)
        self.message, self.verdict = message, verdict

    def __str__(self):
        return self.message


class NoDriverError(ScanError):
    """This machine has no CUDA driver, or one that does not start."""


class DiagnosedError(ScanError):
    """An error that the compiler has described."""

    diagnostics: tuple[Diagnostic, ...]
    """What it said, in order: errors, and what came with them."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message, diagnostics)
        self.message, self.diagnostics = message, tuple(diagnostics)

    def __str__(self):
        errors = [str(item) for item in self.diagnostics if item.severity == "error"]
        return "\n".join(errors) or self.message


class CompileError(DiagnosedError):
    """A program cannot be parsed, is not valid, or cannot be compiled."""


class RunError(DiagnosedError):
    """A compiled function refuses its arguments, or its run failed."""


class CompileWarning(UserWarning):
    """A warning of the compiler."""
