# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir-scan from Python: `mlir_scan.runtime` launches compiled scans on a GPU.

Nothing else has to be installed: the CUDA driver is looked for when a device is
opened, and arrays of PyTorch, CuPy, JAX and others are taken as they are.
"""

from .errors import NoDriverError, ScanError

__all__ = ["NoDriverError", "ScanError"]
__version__ = "0.1.0"
