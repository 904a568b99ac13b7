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

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_KERNELFRAME_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_KERNELFRAME_H

#include "../../GPUCommon/FlatArguments.h"
#include "../../GPUCommon/Grid.h"
#include "OperandView.h"
#include "Plan/KernelPlan.h"

namespace mlir::scan {

/// The operands of `kernel`, in order.
SmallVector<FlatOperand> getFlatOperands(KernelOp kernel);

/// The extents that decide which sizes a kernel is passed: those of the domain
/// and behind them how many segment offsets each such input has, or how many
/// places each gathered one; those on the host.
SmallVector<int64_t> getFlatExtents(KernelOp kernel);
SmallVector<OpFoldResult> createFlatExtents(ImplicitLocOpBuilder &b,
                                            KernelOp kernel);

/// Who a thread is in its block.
struct ThreadIds {
  /// Indices in the block, in the warp, and of the warp.
  Value thread, lane, warp;
  /// Threads of the block.
  int64_t threads;
  /// The rows of the block (strategy row), and how many neighbouring threads
  /// share each: a power of two, or all of them that scan.
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

  /// The number of independent scans, an index.
  Value createScanCount(ImplicitLocOpBuilder &b) {
    return multiplyExtents(b, extents, batchDims);
  }
  /// The coordinates of one of them, one index per domain dimension; that of
  /// the scan dimension is null. Neighbouring numbers are neighbours in memory.
  SmallVector<Value> createScanPoint(ImplicitLocOpBuilder &b, Value number) {
    return createPoint(b, number, batchDims);
  }

  /// The domain dimensions but the scanned one, in the order of
  /// createScanPoint.
  ArrayRef<unsigned> getBatchDims() const { return batchDims; }
  /// The domain dimension outside the scan along which neighbours in memory
  /// lie, the last in the order of createScanPoint; none if there is no other
  /// than the scanned one.
  std::optional<unsigned> getInnerDim() const {
    return batchDims.empty() ? std::nullopt : std::optional(batchDims.back());
  }
  /// Its extent, 1 if there is none: an index, and its value where known.
  Value getInnerExtent(ImplicitLocOpBuilder &b);
  int64_t getStaticInnerExtent() const {
    return batchDims.empty() ? 1 : staticExtents[batchDims.back()];
  }
  /// As createScanPoint, for points in which that coordinate is null as well:
  /// `number` counts those only.
  SmallVector<Value> createOuterPoint(ImplicitLocOpBuilder &b, Value number) {
    return createPoint(b, number, getOuterDims());
  }
  /// How many of them there are, an index.
  Value createOuterCount(ImplicitLocOpBuilder &b) {
    return multiplyExtents(b, extents, getOuterDims());
  }

  /// The index along the scan dimension of the step `offset` behind position
  /// `position`; positions count steps in scan order.
  Value createIndex(ImplicitLocOpBuilder &b, Value position,
                    int64_t offset = 0);
  /// `position`, or that of the last step if there are fewer.
  Value clampPosition(ImplicitLocOpBuilder &b, Value position);

  /// Allocates shared memory for `size` values of `type`. Access it through
  /// loadShared and storeShared. In persistent kernels it is dynamic memory, of
  /// which there may be more than a kernel can declare.
  Value addSharedBuffer(int64_t size, Type type);
  /// The next buffer in dynamic shared memory begins at a multiple of so many
  /// bytes.
  void alignSharedBuffer(int64_t bytes) {
    sharedBytes = llvm::alignTo(sharedBytes, bytes);
  }
  /// Bytes of shared memory so far.
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  void createViews(ImplicitLocOpBuilder &b, ArrayRef<KernelArgument> arguments);
  SmallVector<Value> createPoint(ImplicitLocOpBuilder &b, Value number,
                                 ArrayRef<unsigned> dims);
  ArrayRef<unsigned> getOuterDims() const {
    return ArrayRef(batchDims).drop_back(batchDims.empty() ? 0 : 1);
  }

  KernelOp kernel;
  gpu::GPUFuncOp func;
  KernelPlan plan;
  SmallVector<OperandView> inputs, inits, outputs, finals;
  Value workspace;
  int64_t sharedBytes = 0;
  /// Of the domain, then how many segment offsets and places there are.
  SmallVector<Value> extents;
  /// Of the domain.
  SmallVector<int64_t> staticExtents;
  /// Those along which scans are independent, the contiguous one last.
  SmallVector<unsigned> batchDims;
};

/// Reads or writes a value in a buffer of KernelFrame::addSharedBuffer.
Value loadShared(ImplicitLocOpBuilder &b, Type type, Value buffer, Value index);
void storeShared(ImplicitLocOpBuilder &b, Value value, Value buffer,
                 Value index);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_FRAME_KERNELFRAME_H
