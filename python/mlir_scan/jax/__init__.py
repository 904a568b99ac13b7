# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans for JAX: any associative operator, under jit, grad, vmap, with symbolic lengths.

    import mlir_scan.jax as scan

    h = scan.linear_recurrence(a, b)                       # h[t] = a[t] h[t-1] + b[t]
    y = scan.associative_scan(lambda x, y: x * y, elems)   # as jax.lax.associative_scan

The functions are primitives that lower to XLA's custom calls, on the CPU and on CUDA
devices. A function that was saved by `jax.export` loads in any process that has imported
this module: the argument of a call is the text of its program.
"""

from ._scan import TraceError, associative_scan, linear_recurrence

__all__ = ["TraceError", "associative_scan", "linear_recurrence"]
