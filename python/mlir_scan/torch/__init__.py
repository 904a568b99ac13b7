# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans for PyTorch: any associative operator, differentiable, on CPU and CUDA.

    import mlir_scan.torch as scan

    h = scan.linear_recurrence(a, b)                          # h[t] = a[t] h[t-1] + b[t]
    y = scan.associative_scan(lambda x, y: x * y, xs, dim=1)  # any operator, any pytree
    s = scan.cumsum(x, dim=-1, exclusive=True)

All functions work eagerly, under `torch.compile` and `torch.export`, with
`torch.func`, and are differentiable any number of times. A program that was saved by
`torch.export` loads in any process that has imported this module.

Whole models: `import_exported` makes a module of an exported program, `jit` compiles a
function of tensors with all that is around its scans, and its backward pass; `nn` has
layers made with it.
"""

import importlib

from ._associative import associative_scan, associative_scan_step
from ._cumulative import cummax, cummin, cumprod, cumsum, logcumsumexp
from ._recurrence import linear_recurrence, linear_recurrence_step
from ._trace import TraceError

__all__ = ["GraphError", "TraceError", "associative_scan", "associative_scan_step", "cummax",
           "cummin", "cumprod", "cumsum", "exported_arguments", "import_exported", "jit",
           "linear_recurrence", "linear_recurrence_step", "logcumsumexp", "nn"]

# What needs torch.export, which takes a while to import, is loaded when it is used.
_LAZY = {"GraphError": "_importer.view", "exported_arguments": "_importer.exported",
         "import_exported": "_importer.exported", "jit": "_jit", "nn": "nn"}


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_LAZY[name]}", __name__)
    value = globals()[name] = module if name == "nn" else getattr(module, name)
    return value
