//===- InvariantCode.h - What is the same at every step ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code in `load` and `store` that needs nothing but inputs that do not vary
// along the scan dimension gives the same at every step of a scan. Where that
// is expensive, a loop over steps inside of which others run, out of which
// LLVM cannot move it, takes it from memory instead.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_INVARIANTCODE_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_INVARIANTCODE_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::scan {

class InvariantCode {
public:
  /// Finds it in `block`, a region of a kernel that scans along `dim`;
  /// `isInvariant` says which of its arguments are the same at every step.
  InvariantCode(Block &block, ArrayRef<bool> isInvariant, unsigned dim);

  /// The results that expensive code computes and the steps need.
  ArrayRef<Value> getValues() const { return values; }
  /// The operations that compute these, in order.
  ArrayRef<Operation *> getOperations() const { return operations; }
  /// True for an operation that no step needs once the values are known.
  bool isDone(Operation *op) const { return done.contains(op); }

private:
  SmallVector<Value> values;
  SmallVector<Operation *> operations;
  llvm::SmallPtrSet<Operation *, 16> done;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_INVARIANTCODE_H
