//===- Turn.h - A number that threads wait for ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_TURN_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_TURN_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::scan {

/// A counter on the stack of the function, 0 at first, that the threads of a
/// parallel loop share. It never decreases. What a thread has written before
/// `raise` another one can read that has found this number, or a larger one.
class Turn {
public:
  /// Emits the counter, which is 0 wherever control passes `builder`.
  Turn(OpBuilder &builder, Location loc);

  /// Emits code that adds 1, and returns what was there before, an index.
  Value take(OpBuilder &builder) const;
  /// Emits code that makes the counter `number`, an index, if it is less.
  void raise(OpBuilder &builder, Value number) const;
  /// Emits code that returns the counter, an index. A thread that raises it
  /// later writes what comes behind that after all that is read in front of
  /// this.
  Value confirm(OpBuilder &builder) const;
  /// Emits code that returns the counter, an index.
  Value read(OpBuilder &builder) const;
  /// Emits a loop until the counter is `number` or more. Another thread has to
  /// be on its way to raise it.
  void wait(OpBuilder &builder, Value number) const;

private:
  /// Emits what changes the counter, and returns what it was.
  Value update(OpBuilder &builder, arith::AtomicRMWKind kind, Value word) const;
  Value readWord(OpBuilder &builder) const;

  Location loc;
  /// The counter is the first element. Atomic loads are not among the
  /// operations on memrefs.
  Value counter, pointer;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_TURN_H
