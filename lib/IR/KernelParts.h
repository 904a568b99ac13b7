//===- KernelParts.h - Editing the operands of scan.kernel ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_KERNELPARTS_H
#define SCAN_LIB_IR_KERNELPARTS_H

#include "Scan/IR/ScanDialect.h"
#include "llvm/ADT/BitVector.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace mlir::scan {

/// The operands and maps of a kernel, by group, to be edited and rebuilt.
struct KernelParts {
  explicit KernelParts(KernelOp op);

  /// Creates the edited kernel and moves the regions of `op` into it. The
  /// caller brings arguments and yields in line and replaces `op`.
  KernelOp rebuild(RewriterBase &rewriter, KernelOp op) const;

  /// True if every domain dimension occurs in the map of a shaped operand, as
  /// it must (C4).
  bool coversDomain() const;

  /// Appends an input and returns its number.
  unsigned addInput(Value value, AffineMap map, int64_t shift = 0,
                    int64_t boundary = -1);
  /// Removes an input that is no boundary and holds no places, and renumbers
  /// those that are and do.
  void eraseInput(unsigned input);
  bool isShifted(unsigned input) const;
  bool isSegmentOffsets(unsigned input) const;
  bool isGathered(unsigned input) const;
  /// True of an input that is neither shifted nor gathered, and no list of
  /// segment offsets: others may read it, too.
  bool isPlain(unsigned input) const {
    return !isShifted(input) && !isSegmentOffsets(input) && !isGathered(input);
  }
  /// The number of the plain input that reads `value` under `map`.
  std::optional<unsigned> findInput(Value value, AffineMap map) const;

  llvm::SmallVector<Value> inputs, inits, outputs, finals;
  llvm::SmallVector<AffineMap> inputMaps, initMaps, outputMaps, finalMaps;
  /// One entry per input, as the attributes of the kernel; inputs appended
  /// behind their ends are not shifted, not gathered, and no lists of segment
  /// offsets.
  llvm::SmallVector<int64_t> shifts, boundaries;
  llvm::SmallVector<bool> segmentOffsets;
  llvm::SmallVector<int64_t> gathers;

private:
  void completeEntries();
};

/// Replaces a kernel on tensors by one without the outputs and finals whose
/// results nobody uses.
FailureOr<KernelOp> eraseUnusedResults(RewriterBase &rewriter, KernelOp op);

/// Removes the leaves `dead`, which no other leaf, output or final may need. A
/// kernel whose other leaves are all of one direction scans in that, without
/// `bidirectional`.
void eraseLeaves(RewriterBase &rewriter, KernelOp op,
                 const llvm::BitVector &dead);

/// The numbers of the elements that operand `which` of `operands` contributes
/// to its region: first and count.
std::pair<unsigned, unsigned> getElementRange(llvm::ArrayRef<Value> operands,
                                              llvm::ArrayRef<AffineMap> maps,
                                              unsigned which);

/// Of each input the arguments of `region`, the load or the store region of
/// `op`, that are its elements.
llvm::SmallVector<llvm::ArrayRef<BlockArgument>>
getInputArguments(KernelOp op, Region &region);

} // namespace mlir::scan

#endif // SCAN_LIB_IR_KERNELPARTS_H
