//===- ScatteredOutputs.h - Outputs written elsewhere -----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scattered output of a scan.kernel has the constant 0 in its map where
// others have the scan dimension: the store-map yields, behind the elements of
// all outputs, the place along that dimension which a step writes to.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_SCATTEREDOUTPUTS_H
#define SCAN_LIB_IR_SCATTEREDOUTPUTS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// The dimension that places are along, if `map`, that of an output, is that of
/// a scattered one.
std::optional<unsigned> getPlaceDim(AffineMap map);

/// Whether output number `output` is scattered, and whether some output is.
bool isScattered(KernelOp kernel, unsigned output);
bool hasScatteredOutputs(KernelOp kernel);

/// Which of the values that the store-map yields is the place of output number
/// `output`, which is scattered.
unsigned getPlaceNumber(KernelOp kernel, unsigned output);

/// `map` with domain dimension `dim` in place of the constant: what all steps
/// together may write to. The maps of other outputs are what they are.
AffineMap getWrittenMap(AffineMap map, unsigned dim);

namespace impl {
/// C24, and of C5 what that needs.
LogicalResult verifyScatteredOutputs(KernelOp op);
} // namespace impl

} // namespace mlir::scan

#endif // SCAN_LIB_IR_SCATTEREDOUTPUTS_H
