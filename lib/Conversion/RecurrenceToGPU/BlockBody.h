//===- BlockBody.h - What the threads of a block do -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies code on memrefs into a kernel whose threads do it together: they
// divide the elements that operations of linalg and copies write; all of them
// compute what is scalar; the first one alone does loops and branches that are
// scalar code and write to memory.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKBODY_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKBODY_H

#include "BlockAccesses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {

/// Whether one thread does all of `op`.
bool isForOneThread(Operation *op);

class BlockBody {
public:
  /// `mapping` has what stands for values from outside, and for buffers, in
  /// the kernel. `threads` is the size of a block.
  BlockBody(IRMapping &mapping, int64_t threads, Value thread)
      : mapping(mapping), threads(threads), thread(thread) {}

  /// Copies the operations of `block` but for its terminator.
  LogicalResult emit(ImplicitLocOpBuilder &b, Block &block);

private:
  LogicalResult emit(ImplicitLocOpBuilder &b, Operation *op);
  LogicalResult emitLoop(ImplicitLocOpBuilder &b, scf::ForOp loop);
  LogicalResult emitBranch(ImplicitLocOpBuilder &b, scf::IfOp branch);
  void emitByFirst(ImplicitLocOpBuilder &b, Operation *op);
  void emitSubview(ImplicitLocOpBuilder &b, Operation *op);
  LogicalResult emitLinalg(ImplicitLocOpBuilder &b, linalg::LinalgOp op);
  void emitCopy(ImplicitLocOpBuilder &b, Value source, Value target);

  Value lookUp(Value value) { return mapping.lookupOrDefault(value); }
  Value load(ImplicitLocOpBuilder &b, Value memref, ValueRange indices);
  void store(ImplicitLocOpBuilder &b, Value value, Value memref,
             ValueRange indices);
  /// The extent of dimension `dim` of a memref, an index.
  Value createExtent(ImplicitLocOpBuilder &b, Value memref, int64_t dim);
  /// Runs `body` for the points of a space of these extents that are this
  /// thread's.
  void divide(ImplicitLocOpBuilder &b, ArrayRef<Value> extents,
              function_ref<void(ImplicitLocOpBuilder &, ArrayRef<Value>)> body);

  IRMapping &mapping;
  int64_t threads;
  Value thread;
  BlockAccesses accesses;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKBODY_H
