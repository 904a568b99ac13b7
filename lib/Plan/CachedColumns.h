//===- CachedColumns.h - Columns that a CPU's cache holds -------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PLAN_CACHEDCOLUMNS_H
#define SCAN_LIB_PLAN_CACHEDCOLUMNS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// How many neighbouring columns loops walk at a time so that what one of
/// `kernels`, of one domain, has read of all their steps is in the cache for
/// the next one; nothing where that is too much, or the extent of the scanned
/// dimension is dynamic.
std::optional<int64_t> getCachedColumns(ArrayRef<KernelOp> kernels);

} // namespace mlir::scan

#endif // SCAN_LIB_PLAN_CACHEDCOLUMNS_H
