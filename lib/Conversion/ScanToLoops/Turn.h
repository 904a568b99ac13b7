//===- Turn.h - A number that threads wait for ------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_TURN_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_TURN_H

#include "mlir/IR/Builders.h"

namespace mlir::scan {

/// A counter on the stack of the function, 0 at first, that the threads of a
/// parallel loop share. What a thread has written before `set` another one can
/// read after `wait` for that number.
class Turn {
public:
  /// Emits the counter, which is 0 wherever control passes `builder`.
  Turn(OpBuilder &builder, Location loc);

  /// Emits code that adds 1, and returns what was there before, an index.
  Value take(OpBuilder &builder) const;
  /// Emits a loop until the counter is `number`, an index. Another thread has
  /// to be on its way to set it.
  void wait(OpBuilder &builder, Value number) const;
  void set(OpBuilder &builder, Value number) const;

private:
  Location loc;
  /// The counter is the first element. What is atomic has no operation on
  /// memrefs but for sums.
  Value counter, pointer;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_TURN_H
