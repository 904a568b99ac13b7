//===- BatchRows.h - Loops that treat indices apart -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *batch dimension* of a loop on memrefs is one of every buffer that the loop
// writes, along which nothing reads across: what is written at index i depends
// on what other buffers have at i, and on buffers that nothing in the loop
// writes. Each operation of the loop then has a parallel loop of its own that
// is the index, and may compute a range of indices only.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_BATCHROWS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_BATCHROWS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan {

class BatchRows {
public:
  /// Looks at all of `loop`.
  explicit BatchRows(scf::ForOp loop);

  /// Finds the outermost batch dimension; false if there is none.
  bool find();

  /// Why there is none, as a part of a sentence.
  std::string describeObstacle() const;

  /// The operations on memrefs, in the order of the loop: structured ones and
  /// copies.
  ArrayRef<Operation *> getOperations() const { return operations; }
  /// Buffers of one iteration, whose extents are known in front of the loop.
  ArrayRef<memref::AllocOp> getAllocs() const { return allocs; }
  /// Checks, which ask for numbers only.
  ArrayRef<cf::AssertOp> getChecks() const { return checks; }
  /// What these ask for, in order.
  ArrayRef<Operation *> getCheckedCode() const {
    return checkedCode.getArrayRef();
  }

  /// The batch dimension of an operand; none of one that has none, as weights.
  std::optional<unsigned> getDim(Value memref) const;
  /// Whether it is the innermost one of all that is written.
  bool isInnermost() const;
  /// The extent of `op` along it, known in front of the loop.
  OpFoldResult getExtent(Operation *op) const;
  /// An extent of a memref of the loop; null if it is not known in front of the
  /// loop, or is that of a memref that is no buffer of the program.
  OpFoldResult getSize(Value memref, unsigned dim) const;
  /// `size` as it is known in front of the loop; null if it is not.
  OpFoldResult getKnown(OpFoldResult size) const;

private:
  bool addOperation(Operation *op);
  Operation *findUncheckable();
  bool tryDim(Value output, unsigned dim);
  bool spread(Operation *op);
  bool assign(Value memref, unsigned dim);
  bool hasBatchDim(Value memref) const;

  mutable scf::ForOp loop;
  /// What was not understood of the loop.
  Operation *unknown = nullptr;
  SmallVector<Operation *> operations;
  SmallVector<memref::AllocOp> allocs;
  SmallVector<cf::AssertOp> checks;
  llvm::SetVector<Operation *> checkedCode;
  /// What single elements are loaded from.
  SmallVector<Value> loaded;
  /// The batch dimension of each buffer that has it.
  DenseMap<Value, unsigned> dims;
  bool hasChanged = false;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_BATCHROWS_H
