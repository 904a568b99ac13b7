//===- BlockBody.h - What the threads of a block do -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies code on memrefs into a kernel whose threads do it together: they
// divide the elements that operations of linalg and copies write, and have the
// same ones in all rows of the batch tile; all of them compute what is scalar;
// the first one alone does loops and branches that are scalar code and write to
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKBODY_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKBODY_H

#include "BlockAccesses.h"
#include "BlockMemory.h"
#include "BlockRows.h"
#include "Plan/BlockPlan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::scan {

/// Whether one thread does all of `op`.
bool isForOneThread(Operation *op);

class BlockBody {
public:
  /// `rows` has what stands for values from outside, and for buffers, in
  /// the kernel, `func`. `constants` are the buffers that the kernel does not
  /// write. What is decided on the way goes into `plan` and `memory`.
  BlockBody(BlockRows &rows, BlockPlan &plan, BlockMemory &memory,
            gpu::GPUFuncOp func, Value thread, DenseSet<Value> constants)
      : rows(rows), plan(plan), memory(memory), func(func),
        threads(plan.threads), thread(thread), constants(std::move(constants)) {
  }

  /// Copies the operations of `block` but for its terminator.
  LogicalResult emit(ImplicitLocOpBuilder &b, Block &block);

  int64_t getThreads() const { return threads; }
  Value getThread() const { return thread; }
  BlockRows &getRows() { return rows; }
  Value lookUp(Value value) const { return rows.lookUp(value); }
  Value load(ImplicitLocOpBuilder &b, Value memref, ValueRange indices);
  void store(ImplicitLocOpBuilder &b, Value value, Value memref,
             ValueRange indices);
  /// The extent of dimension `dim` of a memref, an index.
  Value createExtent(ImplicitLocOpBuilder &b, Value memref, int64_t dim);
  /// Runs `body` for the points of a space of these extents, in a row, that are
  /// this thread's.
  void divide(ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
              function_ref<void(ImplicitLocOpBuilder &, ArrayRef<Value>)> body);
  void noteAccesses(ImplicitLocOpBuilder &b, ArrayRef<BlockAccess> all) {
    accesses.add(b, all);
  }

  /// Whether `memref` and its elements are the same in all steps of the loop
  /// over time that is being copied.
  bool isInvariant(Value memref) const;
  /// Takes registers for `count` values, or for as many as there are some for,
  /// over all of the loop. A value takes `each` of 32 bits.
  int64_t takeRegisters(int64_t count, int64_t each);
  int64_t getWeightRegisters() const { return plan.weightRegisters; }
  void giveBackRegisters(int64_t count) { plan.weightRegisters -= count; }
  /// Whether there is shared memory for a buffer of that type.
  bool hasShared(MemRefType type) const { return memory.hasRoom(type); }
  /// Shared memory for weights, as a buffer of that type; null if there is no
  /// room.
  Value takeShared(MemRefType type);
  /// Notes that each step reads weights from global memory, of so many bytes;
  /// 0 if that is not known.
  void noteStreamed(int64_t bytes);
  /// Moves `b` in front of the loop over time.
  void moveInFront(ImplicitLocOpBuilder &b) const;

private:
  /// A copy of a row of an input to shared memory, an element for each thread.
  struct Prefetched {
    Operation *copy;
    /// What computes the row's place in the step.
    SmallVector<Operation *> address;
  };

  LogicalResult emit(ImplicitLocOpBuilder &b, Operation *op);
  LogicalResult emitStage(ImplicitLocOpBuilder &b, linalg::LinalgOp op);
  LogicalResult emitLoop(ImplicitLocOpBuilder &b, scf::ForOp loop);
  LogicalResult emitBranch(ImplicitLocOpBuilder &b, scf::IfOp branch);
  LogicalResult emitByFirst(ImplicitLocOpBuilder &b, Operation *op);
  bool isStoredOnlyIfPresent(Value memref) const;
  void emitSubview(ImplicitLocOpBuilder &b, Operation *op, IRMapping &values);
  void emitCopy(ImplicitLocOpBuilder &b, memref::CopyOp copy);
  SmallVector<Prefetched> findPrefetched(scf::ForOp loop);
  SmallVector<Value> loadAhead(ImplicitLocOpBuilder &b, scf::ForOp loop,
                               const Prefetched &copy, Value step);

  BlockRows &rows;
  BlockPlan &plan;
  BlockMemory &memory;
  gpu::GPUFuncOp func;
  int64_t threads;
  Value thread;
  DenseSet<Value> constants;
  BlockAccesses accesses;
  /// The loop over time that is being copied, and the place in front of it.
  scf::ForOp timeLoop;
  OpBuilder::InsertPoint inFront;
  /// The elements of this thread, one of each row, of each copy that was loaded
  /// ahead.
  DenseMap<Operation *, SmallVector<Value>> loadedAhead;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKBODY_H
