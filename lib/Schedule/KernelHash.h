//===- KernelHash.h - A kernel, whatever program it is in -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_SCHEDULE_KERNELHASH_H
#define SCAN_LIB_SCHEDULE_KERNELHASH_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// 32 hexadecimal digits that are the same for kernels that compute the same in
/// the same way: of attributes but the schedule, of element types, of extents
/// as far as they are static, of layouts, and of the regions. Names of values,
/// locations, and whether operands are tensors or memrefs make no difference.
std::string getKernelHash(KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_SCHEDULE_KERNELHASH_H
