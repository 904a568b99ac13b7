//===- OperandView.h - The operands of a kernel in the gpu.func -*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the gpu.func knows of an operand of its scan.kernel, and how single
// elements of it are loaded and stored.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_OPERANDVIEW_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_OPERANDVIEW_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {

/// An operand of the scan.kernel inside the gpu.func.
struct OperandView {
  /// The memref, with the type of the operand, or the scalar.
  Value value;
  AffineMap map;
  /// Whether it is a memref without a layout map, whose strides are products of
  /// extents.
  bool isDense = false;
  /// Static dimensions after those that the map indexes.
  SmallVector<int64_t> trailing;
  /// Product of `trailing`.
  int64_t numElements = 1;
  Type elementType;
  /// Of an input: by how many steps it is shifted, and the number of the input
  /// that it continues with outside of the extent.
  int64_t shift = 0, boundary = -1;
  /// Of an input: whether it holds segment offsets, which contribute the head
  /// flags that SegmentMasks finds in them, and how many there are, an index.
  bool isSegmentOffsets = false;
  Value count;
  /// Of an input: the number of the input that holds its places, -1 if it is
  /// not gathered. Its `count` is its extent along them.
  int64_t places = -1;
  /// Where to say what is wrong with these, a memref; null if they are not
  /// checked.
  Value status;
  /// Of an output: whether it is a reduction, which is added to and never
  /// stored.
  bool isReduction = false;
  /// Of a scattered output, whose `map` has the scan dimension where its places
  /// are: which of the values that the store-map yields is the place.
  std::optional<unsigned> placeNumber;

  /// Of an output: whether each step stores its elements where the step is.
  bool isStored() const { return !isReduction && !placeNumber; }
  /// Of an input: whether it is read where a step starts a walk, say, by
  /// gatherElements.
  bool isGathered() const { return places >= 0; }
  bool isScalar() const { return !isa<MemRefType>(value.getType()); }
  /// The operand's dimension that domain dimension `dim` runs along, if any.
  std::optional<unsigned> findDim(unsigned dim) const {
    return map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  }
};

/// The elements of `operand` at a point of the domain, in row-major order of
/// its trailing dimensions; `point` may lack coordinates that its map does not
/// use. `place`, an index, is the coordinate under the constant 0 of a gathered
/// input.
SmallVector<Value> loadElements(ImplicitLocOpBuilder &b,
                                const OperandView &operand,
                                ArrayRef<Value> point, Value place = Value());
/// Those of a gathered input at `place`, an integer of the input that holds its
/// places; zeros, without an access to memory, where that is outside of its
/// extent. `point` need not have the step.
SmallVector<Value> gatherElements(ImplicitLocOpBuilder &b,
                                  const OperandView &input,
                                  ArrayRef<Value> point, Value place);
/// Appends the elements of the inputs `views` to `all`: those of a gathered one
/// by the elements of the input that holds its places, those of the others are
/// in `elements`.
void appendElements(ImplicitLocOpBuilder &b,
                    ArrayRef<const OperandView *> views,
                    MutableArrayRef<SmallVector<Value>> elements,
                    ArrayRef<Value> point, SmallVectorImpl<Value> &all);
void storeElements(ImplicitLocOpBuilder &b, const OperandView &operand,
                   ArrayRef<Value> point, ValueRange values);

/// The memref indices of one element at a point of the domain.
SmallVector<Value> getElementIndices(ImplicitLocOpBuilder &b,
                                     const OperandView &operand,
                                     ArrayRef<Value> point,
                                     ValueRange trailingIndices,
                                     Value place = Value());

/// Where a shifted input is read for index `index` along the scan dimension.
struct ShiftedIndex {
  /// i1: whether that is inside of the extent.
  Value inBounds;
  /// The index to read; some index inside of the extent where that is not.
  Value index;
};
ShiftedIndex createShiftedIndex(ImplicitLocOpBuilder &b,
                                const OperandView &input, Value index,
                                Value extent);
/// Where an input is read for that index, shifted or not.
Value createReadIndex(ImplicitLocOpBuilder &b, const OperandView &input,
                      Value index, Value extent);
/// `elements`, which were read there, or those of the boundary: as many, or one
/// for all.
SmallVector<Value> selectInBounds(ImplicitLocOpBuilder &b, Value inBounds,
                                  ValueRange elements, ValueRange boundary);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_OPERANDVIEW_H
