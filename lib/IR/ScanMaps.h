//===- ScanMaps.h - How scans index their operands --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_SCANMAPS_H
#define SCAN_LIB_IR_SCANMAPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// How a scan or a shift, whichever of the operations it is, indexes what it
/// reads and writes: a rectangular domain, one dimension of which is scanned,
/// and a map from it to the dimensions of each operand and result. Map results
/// are domain dimensions, each at most once, or the constant 0 (a broadcast
/// extent of 1, or a dimension of segments, which is no part of the domain);
/// dimensions beyond them are static trailing ones. Scalars have
/// a map without results.
struct ScanMaps {
  unsigned rank, dim;
  llvm::SmallVector<AffineMap> operandMaps, resultMaps;
};

/// The maps of `op`; nothing if it is neither.
std::optional<ScanMaps> getScanMaps(Operation *op);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_SCANMAPS_H
