//===- TileIndices.h - scan.index in a tile ---------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_TILEINDICES_H
#define SCAN_LIB_IR_TILEINDICES_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan::impl {

/// Fails, with an error at `kernel`, if a tile of it at `offsets` cannot say
/// where in the whole domain it is.
LogicalResult verifyTileIndices(KernelOp kernel,
                                ArrayRef<OpFoldResult> offsets);

/// Makes the indices that the regions of `tile` read those of the whole domain,
/// in which it lies at `offsets`. What is only known at run time becomes an
/// operand.
void offsetTileIndices(OpBuilder &builder, KernelOp tile,
                       ArrayRef<OpFoldResult> offsets);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_TILEINDICES_H
