//===- BlockChain.h - What blocks of a row hand on --------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The total of each block, and the state before it, have places of their own,
// so that any thread may write them, at any time and more than once: whoever
// does so writes the same bits. So no thread has to be at work for another one
// to go on. The sums of a block over time have places, too, and are added up
// when all blocks are done. What is there are words of 64 bits, read and
// written by atomic operations.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKCHAIN_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKCHAIN_H

#include "KernelEmitter.h"
#include "Turn.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::scan {

/// How many blocks hand something on to each other before threads meet: what
/// they hand on is on the stack.
inline constexpr int64_t kRoundBlocks = 512;

/// What the blocks of one kernel hand on, of which there are kRoundBlocks at
/// most. Blocks are numbered from 0.
class BlockChain {
public:
  /// Emits the memory, on the stack of the function, for `count` blocks, where
  /// the state behind the last block of the round before becomes that before
  /// the first one. `held` are the sums over time.
  BlockChain(OpBuilder &builder, KernelEmitter &emitter, ArrayRef<bool> held,
             Value count);

  /// How many blocks there are, from the first one on, before which the state
  /// is known, but for that of the first itself.
  const Turn &getKnown() const { return known; }

  /// The state before block `number`: all leaves, zeros for those that are not
  /// carried; anything for the first block of the first round.
  SmallVector<Value> loadState(OpBuilder &builder, Value number) const;
  /// Hands on the state before block `number`.
  void storeState(OpBuilder &builder, Value number, ValueRange state) const;

  /// What is known of all steps of a block together. `Unusable` is a total that
  /// cannot be combined with the state before the block.
  enum class Status { Unknown, Usable, Unusable };
  /// The status of block `number`, a word; that behind the last block, too.
  Value loadStatus(OpBuilder &builder, Value number) const;
  /// i1: whether a word is `status`.
  Value emitIs(OpBuilder &builder, Value word, Status status) const;
  /// The total of block `number`, which is usable.
  SmallVector<Value> loadTotal(OpBuilder &builder, Value number) const;
  /// Publishes the total of block `number`. `isUsable` is an i1.
  void storeTotal(OpBuilder &builder, Value number, ValueRange leaves,
                  Value isUsable) const;

  SmallVector<Value> loadSums(OpBuilder &builder, Value number) const;
  void storeSums(OpBuilder &builder, Value number, ValueRange sums) const;

private:
  /// The address of word `word` of block `number`.
  Value getPlace(OpBuilder &builder, Value number, int64_t word) const;
  Value loadWord(OpBuilder &builder, Value address,
                 LLVM::AtomicOrdering ordering) const;
  void storeWord(OpBuilder &builder, Value word, Value address,
                 LLVM::AtomicOrdering ordering) const;
  /// The values of `types` in the words from `word` on.
  SmallVector<Value> load(OpBuilder &builder, Value number, int64_t word,
                          TypeRange types) const;
  void store(OpBuilder &builder, Value number, int64_t word,
             ValueRange values) const;

  KernelEmitter &emitter;
  Location loc;
  Turn known;
  SmallVector<Type> stateTypes; ///< Of carried leaves.
  SmallVector<Type> sumTypes;
  /// The words of a block: the status, the total, the state before it, and its
  /// sums over time.
  int64_t totalWord, stateWord, sumWord, numWords;
  Value pointer; ///< To the words of block 0, then those of block 1.
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_BLOCKCHAIN_H
