//===- IndexedScan.h - How scans index operands and results -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_INDEXEDSCAN_H
#define SCAN_LIB_IR_INDEXEDSCAN_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan::impl {

/// One view of all scans, and of shifts, which run along a dimension as they
/// do: a rectangular domain, one dimension of which is scanned, and a map per
/// operand and result from the domain to its dimensions. Map results are domain
/// dimensions, each at most once, or the constant 0 (a broadcast extent of 1,
/// or the dimension of offsets and of what there is one of per segment);
/// dimensions beyond them are static trailing ones.
struct IndexedScan {
  explicit IndexedScan(KernelOp op);
  explicit IndexedScan(AssociativeOp op);
  explicit IndexedScan(LinearRecurrenceOp op);
  explicit IndexedScan(ShiftOp op);

  /// The extent of domain dimension `d`, if some operand says it statically.
  std::optional<int64_t> getStaticExtent(unsigned d) const;
  /// The extent of domain dimension `d`: a constant, or a new `dim` operation
  /// on the first operand that has it.
  OpFoldResult getExtent(OpBuilder &builder, unsigned d) const;
  /// The extent of dimension `i` of `value`, an operand or result, that its map
  /// has a constant for: 1, that of the offsets `segments`, or how many
  /// segments there are.
  static OpFoldResult getExtentOutside(OpBuilder &builder, Value segments,
                                       Value value, unsigned i);
  /// True if `extent` is surely the extent of domain dimension `d`.
  bool isExtent(OpFoldResult extent, unsigned d) const;
  /// True if no two operands can disagree on an extent when the scan runs.
  bool hasSameExtents() const;

  Operation *op;
  /// The number of dimensions of the domain, and the one that is scanned.
  unsigned rank, dim;
  llvm::SmallVector<AffineMap> operandMaps, resultMaps;

private:
  /// Calls `callback` for each shaped operand that has domain dimension `d`,
  /// with the operand's dimension, until it returns true.
  bool anyOperand(unsigned d,
                  llvm::function_ref<bool(Value, unsigned)> callback) const;
};

/// Whether the scan, on tensors, may run where the program would not have run
/// it. Compiled code stops where operands disagree on an extent, so it may if
/// they cannot, and if its regions may.
Speculation::Speculatability getScanSpeculatability(const IndexedScan &scan);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_IR_INDEXEDSCAN_H
