//===- ScanMaps.cpp - How scans index their operands ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanMaps.h"
#include "IndexedScan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

std::optional<ScanMaps> scan::getScanMaps(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ScanMaps>>(op)
      .Case<KernelOp, AssociativeOp, LinearRecurrenceOp, ShiftOp>(
          [](auto scan) {
            impl::IndexedScan indexed(scan);
            return ScanMaps{indexed.rank, indexed.dim,
                            std::move(indexed.operandMaps),
                            std::move(indexed.resultMaps)};
          })
      .Default([](Operation *) { return std::nullopt; });
}
