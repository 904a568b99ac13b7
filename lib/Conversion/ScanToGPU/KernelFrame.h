//===- KernelFrame.h - The gpu.func around a scan ---------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame that every strategy fills in: the gpu.func with its flat arguments
// (the list is in the description of --convert-scan-to-gpu), the operands
// rebuilt from them, the extents of the domain, and shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELFRAME_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELFRAME_H

#include "../GPUCommon/FlatArguments.h"
#include "Plan/KernelPlan.h"
#include "Primitives/Combine.h"

namespace mlir::scan {

/// The operands of `kernel`, in order.
SmallVector<FlatOperand> getFlatOperands(KernelOp kernel);

/// The extents that decide which sizes a kernel is passed: those of the domain
/// and behind them how many offsets each list of starts has; those on the host.
SmallVector<int64_t> getFlatExtents(KernelOp kernel);
SmallVector<OpFoldResult> createFlatExtents(ImplicitLocOpBuilder &b,
                                            KernelOp kernel);

/// An operand of the scan.kernel inside the gpu.func.
struct OperandView {
  /// The memref, with the type of the operand, or the scalar.
  Value value;
  AffineMap map;
  /// Static dimensions after those that the map indexes.
  SmallVector<int64_t> trailing;
  /// Product of `trailing`.
  int64_t numElements = 1;
  Type elementType;
  /// Of an input: by how many steps it is shifted, and the number of the input
  /// that it continues with outside of the extent.
  int64_t shift = 0, boundary = -1;
  /// Of an input: whether it is a list of starts, which contributes what
  /// RowStarts finds in it, and how many offsets it has, an index.
  bool isSegmentOffsets = false;
  Value count;
  /// Of an output: whether it is a sum, which is added to and never stored.
  bool isReduction = false;

  bool isScalar() const { return !isa<MemRefType>(value.getType()); }
  /// The operand's dimension that domain dimension `dim` runs along, if any.
  std::optional<unsigned> findDim(unsigned dim) const {
    return map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
  }
};

/// Who a thread is in its block.
struct ThreadIds {
  /// Indices in the block, in the warp, and of the warp.
  Value thread, lane, warp;
  /// Threads of the block.
  int64_t threads;
  /// The rows of the block (strategy row), and how many neighbouring threads
  /// share each: a power of two.
  int64_t rows = 1, rowThreads;
  /// The thread's row in the block, its index among those that share the row,
  /// and in those of the same warp.
  Value row, rowThread, rowLane;
};

class KernelFrame {
public:
  /// Makes the gpu.func `name` at the end of `module`, with an empty body, and
  /// leaves `b` inside.
  KernelFrame(ImplicitLocOpBuilder &b, KernelOp kernel, StringRef name,
              gpu::GPUModuleOp module, ArrayRef<KernelArgument> arguments,
              KernelPlan plan);

  KernelOp getKernel() { return kernel; }
  gpu::GPUFuncOp getFunc() { return func; }
  const KernelPlan &getPlan() const { return plan; }
  ScheduleAttr getSchedule() const { return plan.schedule; }

  ArrayRef<OperandView> getInputs() const { return inputs; }
  ArrayRef<OperandView> getInits() const { return inits; }
  ArrayRef<OperandView> getOutputs() const { return outputs; }
  ArrayRef<OperandView> getFinals() const { return finals; }

  /// Extent of the scan dimension, an index, and its value where known.
  Value getExtent() { return extents[kernel.getDim()]; }
  int64_t getStaticExtent() { return staticExtents[kernel.getDim()]; }

  /// The memory that the blocks share besides the operands, a memref of one
  /// i64; null if the schedule needs none.
  Value getWorkspace() const { return workspace; }
  /// The tiles along the scan dimension of a schedule over the grid, an index.
  Value createTileCount(ImplicitLocOpBuilder &b);

  ThreadIds createThreadIds(ImplicitLocOpBuilder &b);

  /// The number of points outside the scan dimension, an index.
  Value createPointCount(ImplicitLocOpBuilder &b);
  /// The coordinates of one of them, one index per domain dimension; that of
  /// the scan dimension is null. Neighbouring numbers are neighbours in memory.
  SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, Value number);

  /// The domain dimension outside the scan along which neighbours in memory
  /// lie, the last in the order of createPoint; none if there is no other than
  /// the scanned one.
  std::optional<unsigned> getInnerDim() const {
    return pointDims.empty() ? std::nullopt : std::optional(pointDims.back());
  }
  /// Its extent, 1 if there is none: an index, and its value where known.
  Value getInnerExtent(ImplicitLocOpBuilder &b);
  int64_t getStaticInnerExtent() const {
    return pointDims.empty() ? 1 : staticExtents[pointDims.back()];
  }
  /// As createPoint, for points in which that coordinate is null as well:
  /// `number` counts those only.
  SmallVector<Value> createOuterPoint(ImplicitLocOpBuilder &b, Value number);
  /// How many of them there are, an index.
  Value createOuterCount(ImplicitLocOpBuilder &b);

  /// Allocates shared memory for `size` values of `type`. Access it through
  /// loadShared and storeShared. In persistent kernels it is dynamic memory, of
  /// which there may be more than a kernel can declare.
  Value addSharedBuffer(int64_t size, Type type);
  /// Bytes of shared memory so far.
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  void createViews(ImplicitLocOpBuilder &b, ArrayRef<KernelArgument> arguments);
  SmallVector<Value> delinearize(ImplicitLocOpBuilder &b, Value number,
                                 ArrayRef<unsigned> dims);
  Value multiplyExtents(ImplicitLocOpBuilder &b, ArrayRef<unsigned> dims);

  KernelOp kernel;
  gpu::GPUFuncOp func;
  KernelPlan plan;
  SmallVector<OperandView> inputs, inits, outputs, finals;
  Value workspace;
  int64_t sharedBytes = 0;
  /// Of the domain, then of lists of starts.
  SmallVector<Value> extents;
  /// Of the domain.
  SmallVector<int64_t> staticExtents;
  /// The domain dimensions but the scanned one, the contiguous one last.
  SmallVector<unsigned> pointDims;
};

/// The parts that `kernel` is divided into, one for each block unless blocks
/// take them by turns: an expression in the dynamic extents of the domain, as
/// symbols in order, and on the host.
AffineExpr getPartCount(KernelOp kernel, ScheduleAttr schedule);
Value createPartCount(ImplicitLocOpBuilder &b, KernelOp kernel,
                      ScheduleAttr schedule, ArrayRef<OpFoldResult> extents);

/// Reads or writes a value in a buffer of KernelFrame::addSharedBuffer.
Value loadShared(ImplicitLocOpBuilder &b, Type type, Value buffer, Value index);
void storeShared(ImplicitLocOpBuilder &b, Value value, Value buffer,
                 Value index);

/// The elements of `operand` at a point of the domain, in row-major order of
/// its trailing dimensions; `point` may lack coordinates that its map does not
/// use.
SmallVector<Value> loadElements(ImplicitLocOpBuilder &b,
                                const OperandView &operand,
                                ArrayRef<Value> point);
void storeElements(ImplicitLocOpBuilder &b, const OperandView &operand,
                   ArrayRef<Value> point, ValueRange values);

/// Where a shifted input is read for index `index` along the scan dimension.
struct ShiftedIndex {
  /// i1: whether that is inside of the extent.
  Value isInside;
  /// The index to read; some index inside of the extent where that is not.
  Value index;
};
ShiftedIndex createShiftedIndex(ImplicitLocOpBuilder &b,
                                const OperandView &input, Value index,
                                Value extent);
/// `elements`, which were read there, or those of the boundary: as many, or one
/// for all.
SmallVector<Value> selectInside(ImplicitLocOpBuilder &b, Value isInside,
                                ValueRange elements, ValueRange boundary);

/// The memref indices of one element at a point of the domain.
SmallVector<Value> getElementIndices(ImplicitLocOpBuilder &b,
                                     const OperandView &operand,
                                     ArrayRef<Value> point,
                                     ValueRange trailingIndices);

/// The state before the first step at a point outside the scan dimension: the
/// init, or zero where there is none.
State createInitialState(ImplicitLocOpBuilder &b, KernelFrame &frame,
                         ArrayRef<Value> point);
/// Writes the final elements of that point.
void storeFinals(ImplicitLocOpBuilder &b, KernelFrame &frame,
                 ArrayRef<Value> point, ValueRange state);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELFRAME_H
