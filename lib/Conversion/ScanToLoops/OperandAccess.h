//===- OperandAccess.h - Elements of operands at a point --------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_OPERANDACCESS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_OPERANDACCESS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Where code is emitted for: a point of the domain, or `width` neighbouring
/// points along `laneDim` that start there.
struct Point {
  SmallVector<Value> indices; ///< One per domain dimension.
  unsigned laneDim = 0;       ///< Meaningful if width > 1.
  int64_t width = 1;          ///< 1: scalars; otherwise vectors of this length.
  /// Which lanes exist, where operands are contiguous; null if all do.
  Value mask;
};

/// How many bits a scalar of the type, or of a shaped type's elements, takes in
/// memory.
int64_t getStorageBits(Type type);

/// Shorter vectors are always stored into the caches.
inline constexpr int64_t kMinStreamedBytes = 16;

/// Emits loads and stores of the operands of one kernel. All emitted values are
/// scalars or, at points that are wider than 1, vectors.
class OperandAccess {
public:
  OperandAccess(OpBuilder &builder, KernelOp kernel);

  Location getLoc() const { return loc; }
  KernelOp getKernel() const { return kernel; }
  Value index(int64_t value);
  /// The extents of the domain as index values.
  ArrayRef<Value> getSizes() const { return sizes; }

  Value splat(Value scalar, int64_t width);
  Value add(Value a, Value b);
  Value zero(Type type, int64_t width);
  Value zeroLike(Value value);
  MutableArrayRef<OpOperand> operandsOf(OperandRange group);
  /// The outputs, not those that are reductions, which hold neighbouring points
  /// along `laneDim` side by side.
  SmallVector<OpOperand *> getContiguousOutputs(unsigned laneDim);
  /// The address, an index, of the operand's first element at `point`.
  Value getAddress(OpOperand &operand, const Point &point);

  /// Emits prefetches of the lines that the inputs which are contiguous along
  /// `laneDim` have at `point`, which may be outside of the domain: into all
  /// caches, or all but the first-level one.
  void prefetchInputs(const Point &point, bool isNear = true);

  /// Whether all operands have vectors along `laneDim` whose lanes
  /// `Point::mask` can leave out: contiguous ones, or the same number in all
  /// lanes.
  bool canBeMasked(unsigned laneDim);

protected:
  /// How an operand moves with the lanes of a vector; Interleaved: lanes are
  /// blocks of several elements, side by side.
  enum class LaneAccess { Invariant, Contiguous, Flags, Interleaved, Elements };
  LaneAccess getLaneAccess(OpOperand &operand, unsigned laneDim);

  void load(OpOperand &operand, const Point &point,
            SmallVectorImpl<Value> &elements);
  /// Loads an input that is shifted, or the boundary that it continues with.
  void loadShifted(OpOperand &operand, const Point &point,
                   SmallVectorImpl<Value> &elements);
  /// Loads a shifted input at a point all of whose lanes are inside of it.
  void loadInBounds(OpOperand &operand, const Point &point,
                    SmallVectorImpl<Value> &elements);
  /// Loads a gathered input at `place`, an element of the input that holds its
  /// places: zeros, without an access to memory, where that is outside.
  void loadGathered(OpOperand &operand, const Point &point, Value place,
                    SmallVectorImpl<Value> &elements);
  /// Plain stores, additions to what is there, or stores past the caches, of
  /// contiguous vectors at aligned addresses.
  enum class StoreKind { Plain, Add, Streaming };
  void store(OpOperand &operand, const Point &point, ValueRange elements,
             StoreKind kind = StoreKind::Plain);
  /// Stores the elements of a scattered output at `place`, of a point that is 1
  /// wide.
  void storeAtPlace(OpOperand &operand, const Point &point, Value place,
                    ValueRange elements);

  OpBuilder &builder;
  KernelOp kernel;
  Location loc;
  SmallVector<Value> sizes;

private:
  /// The map of an operand to be read; of a gathered input it has the scan
  /// dimension where places are along.
  AffineMap getReadMap(OpOperand &operand);
  SmallVector<Value> loadAtPlace(OpOperand &operand, const Point &point,
                                 Value place);
  SmallVector<Value> loadAtPlaces(OpOperand &operand, const Point &point,
                                  Value places);
  SmallVector<Value> indicesOf(AffineMap map, ArrayRef<Value> point,
                               ArrayRef<int64_t> trailing, int64_t element);
  /// The address, an index, of an element.
  Value getAddress(Value source, ValueRange indices);
  /// The address of an element, for vectors that memrefs have no load for.
  Value getPointer(Value source, ValueRange indices);
  /// For each of the vectors that hold the blocks of a point's lanes its
  /// address.
  SmallVector<Value> getBlockPointers(OpOperand &operand, const Point &point);
  SmallVector<Value> loadBlocks(OpOperand &operand, const Point &point);
  void storeBlocks(OpOperand &operand, const Point &point, ValueRange elements);
  SmallVector<Point> getLanes(const Point &point);
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_OPERANDACCESS_H
