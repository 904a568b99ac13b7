//===- BlockRows.h - The rows that a block computes together ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block computes a few indices of the batch dimensions in lockstep, its
// *batch tile*: each operation is done for all of its rows before the next one,
// so that barriers, and what does not depend on the row, are there once.
//
// The last tile may have fewer rows. What is missing is the last row again,
// computed from the same inputs, in buffers of its own, whose results nobody
// stores: memory and indices are as valid as those of the others.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKROWS_H
#define SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKROWS_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"

namespace mlir::scan {

class BlockRows {
public:
  explicit BlockRows(unsigned count) : mappings(count), present(count) {}

  unsigned size() const { return mappings.size(); }
  /// The row that everything below is about, the first one unless `forEach` is
  /// on its way.
  unsigned getNumber() const { return number; }
  void forEach(function_ref<void()> body);

  /// What stands in the kernel for values of the program.
  const IRMapping &getMapping() const { return mappings[number]; }
  IRMapping &getMapping() { return mappings[number]; }
  Value lookUp(Value value) const {
    return mappings[number].lookupOrDefault(value);
  }
  void map(Value from, Value to) { mappings[number].map(from, to); }
  /// The same for all rows.
  void mapAll(Value from, Value to);
  /// What stands for `values` in each row, those of a row together, and the
  /// opposite.
  SmallVector<Value> lookUpAll(ValueRange values);
  void mapEach(ValueRange values, ValueRange ofRows);

  /// i1: whether the row is one of the program's; null if it always is.
  Value getPresent() const { return present[number]; }
  void setPresent(Value isPresent) { present[number] = isPresent; }

  /// Whether `value` is the same for all rows.
  bool isUniform(Value value) const;
  /// Whether all that `op` uses is.
  bool isUniform(Operation *op) const;
  /// Runs `body`, which maps the results of `op`, once if these are the same
  /// for all rows, else for each.
  void forEachUnlessUniform(Operation *op, function_ref<void()> body);

private:
  SmallVector<IRMapping> mappings;
  SmallVector<Value> present;
  unsigned number = 0;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_RECURRENCETOGPU_BLOCKROWS_H
