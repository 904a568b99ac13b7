//===- GatheredInputs.h - Inputs read elsewhere -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gathered input of a scan.kernel has the constant 0 in its map where others
// have the scan dimension: another input says the place along that dimension
// which a step reads.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_GATHEREDINPUTS_H
#define SCAN_LIB_IR_GATHEREDINPUTS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan::impl {

/// C25, before anything asks whether an input is gathered.
LogicalResult verifyGathersCount(KernelOp op);
/// C26 and C27.
LogicalResult verifyGathers(KernelOp op);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_GATHEREDINPUTS_H
