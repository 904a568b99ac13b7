# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, in one line: what was expected, what was found, the way out."""


class ScanError(Exception):
    """The message is one line."""


class NoDriverError(ScanError):
    """This machine has no CUDA driver, or one that does not start."""
