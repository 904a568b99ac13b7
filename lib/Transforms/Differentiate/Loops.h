//===- Loops.h - Loops over tensors from code over scalars ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_DIFFERENTIATE_LOOPS_H
#define SCAN_LIB_TRANSFORMS_DIFFERENTIATE_LOOPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace mlir::scan::differentiate {

class GraphAdjoint;

/// A value that loops read: a tensor at the indices `map` from the loops, or a
/// scalar under a map without results.
struct LoopOperand {
  Value value;
  AffineMap map;
};

/// A tensor that loops write, of elements of `type`, at the indices `map` from
/// the loops. What the loops that `map` lacks contribute is summed up.
struct LoopResult {
  Type type;
  SmallVector<OpFoldResult> sizes;
  AffineMap map;
};

/// The body of loops: given the elements of the operands, one value per result,
/// of the result's type or one that is extended or truncated to it; null for
/// a result that is not to be computed.
using LoopBody =
    function_ref<FailureOr<SmallVector<Value>>(OpBuilder &, ValueRange)>;

/// Loops over tensors; one value per result, null for those that `body` does
/// not compute. Operands that the body does not read are dropped. Where the
/// body passes an element on or yields a constant no loop is made.
FailureOr<SmallVector<Value>> createLoops(GraphAdjoint &graph, Location loc,
                                          unsigned numLoops,
                                          ArrayRef<LoopOperand> operands,
                                          ArrayRef<LoopResult> results,
                                          LoopBody body);

} // namespace mlir::scan::differentiate

#endif // SCAN_LIB_TRANSFORMS_DIFFERENTIATE_LOOPS_H
