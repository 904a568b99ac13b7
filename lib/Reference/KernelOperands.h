//===- KernelOperands.h - Operands of scan.kernel on tensors ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REFERENCE_KERNELOPERANDS_H
#define SCAN_LIB_REFERENCE_KERNELOPERANDS_H

#include "ScanWalk.h"

namespace mlir::scan::reference {

/// One operand of a kernel.
struct KernelOperand {
  Use use;
  AffineMap map;
  /// Elements of the trailing block: values for the operand's region.
  int64_t count = 1;
  /// Of an input: by how much it is shifted, and which input it continues with.
  int64_t shift = 0, boundary = -1;
  /// Of an input: it is a list of segment offsets, in ascending order.
  bool isSegmentOffsets = false;
  /// Of an input: the input that holds its places, and its dimension that they
  /// are along; -1 if it is not gathered.
  int64_t places = -1;
  unsigned gatheredDim = 0;
  /// Of an output: what is stored is added to what is there.
  bool isReduction = false;
  /// Of a scattered output: the dimension of its places, and which of the
  /// values that the store-map yields is the place.
  std::optional<unsigned> placeDim;
  unsigned placeNumber = 0;

  /// Distances in blocks per step of each domain dimension.
  SmallVector<int64_t> getDomainStrides(const Tensor &tensor,
                                        unsigned rank) const;
};

/// An operand with its elements, ready to be read or written.
struct BoundOperand {
  const KernelOperand *operand = nullptr;
  Tensor tensor;
  SmallVector<int64_t> strides;
};

/// Element `i` of those that an operand has at a point; a scalar is all of
/// them.
Scalar readElement(Frame &frame, const BoundOperand &bound,
                   ArrayRef<int64_t> point, int64_t i);

/// Whether a walk starts at step `t`, by the list that `bound` is.
Scalar readStart(const BoundOperand &bound, int64_t t, bool reverse);

/// The place that `bound` says at a point, and the number of the block of
/// `gathered` there; nothing where that is outside.
std::optional<int64_t> findGathered(Frame &frame, const BoundOperand &bound,
                                    const BoundOperand &gathered,
                                    ArrayRef<int64_t> point);

/// Passes the elements that the operands have at a point on to arguments of a
/// region, from `argument` on.
void passElements(Frame &frame, ArrayRef<BoundOperand> operands,
                  ArrayRef<int64_t> point, const Slot *argument);

/// Stores what a region yields to the elements at a point, or adds it to them.
void storeYields(Frame &frame, MutableArrayRef<BoundOperand> operands,
                 ArrayRef<int64_t> point, const Use *yield);

} // namespace mlir::scan::reference

#endif // SCAN_LIB_REFERENCE_KERNELOPERANDS_H
