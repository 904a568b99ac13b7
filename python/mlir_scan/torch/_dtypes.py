# Part of the mlir-scan project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tensors scans take: PyTorch's dtypes and MLIR's element types."""

import torch

from ..errors import ScanError

ELEMENTS = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.bool: "i1",
}
DTYPES = {element: dtype for dtype, element in ELEMENTS.items()}


def element_of(dtype, what):
    """The element type of a dtype; `what` names the tensor in the error."""
    element = ELEMENTS.get(dtype)
    if element is None:
        names = ", ".join(str(known).removeprefix("torch.") for known in ELEMENTS)
        raise ScanError(f"{what} has the dtype {dtype}, which scans do not have; convert it to "
                        f"one of {names}")
    return element


def require_tensor(value, what):
    """Refuses what is no dense tensor; `what` names the argument in the error."""
    if not isinstance(value, torch.Tensor):
        raise ScanError(f"{what}: expected a tensor, found {type(value).__name__}")
    if value.layout is not torch.strided:
        raise ScanError(f"{what} has the layout {value.layout}; scans take dense tensors: call "
                        ".to_dense()")
    if value.is_quantized:
        raise ScanError(f"{what} is quantized; scans take plain numbers: call .dequantize()")
