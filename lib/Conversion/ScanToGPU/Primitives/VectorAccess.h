//===- VectorAccess.h - Neighbouring elements in shared memory --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of up to 16 bytes to neighbouring elements in shared memory; those
// in global memory are in GPUCommon/GlobalAccess.h.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_VECTORACCESS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_VECTORACCESS_H

#include "../../GPUCommon/GlobalAccess.h"
#include "../Frame/KernelFrame.h"

namespace mlir::scan {

/// Allocates shared memory for `size` elements of `type`, to be accessed by
/// the functions below only.
Value addPartsBuffer(KernelFrame &frame, int64_t size, Type type);

/// Reads or writes `count` consecutive elements of type `type` from number
/// `slot` on, which is a multiple of `count`.
Value loadSharedParts(ImplicitLocOpBuilder &b, Type type, Value buffer,
                      Value slot, int64_t count);
void storeSharedParts(ImplicitLocOpBuilder &b, Value parts, Type type,
                      Value buffer, Value slot, int64_t count);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_PRIMITIVES_VECTORACCESS_H
