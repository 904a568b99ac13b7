# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans for JAX: any associative operator, under jit, grad, vmap, with symbolic lengths.

    import mlir_scan.jax as scan

    h = scan.linear_recurrence(a, b)                       # h[t] = a[t] h[t-1] + b[t]
    y = scan.associative_scan(lambda x, y: x * y, elems)   # as jax.lax.associative_scan

The functions run on the CPU, as primitives that lower to XLA's custom calls. A program
exported by `jax.export` holds addresses of this process and loads in no other.
"""

from ._scan import TraceError, associative_scan, linear_recurrence

__all__ = ["TraceError", "associative_scan", "linear_recurrence"]
