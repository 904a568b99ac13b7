# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports graphs of `torch.export`: `exported` walks the nodes, `graph` writes MLIR, and
the modules with `OPERATORS` know the operations."""
