//===- BlockRows.cpp - The rows that a block computes together ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockRows.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

void BlockRows::forEach(function_ref<void()> body) {
  for (number = 0; number < size(); ++number)
    body();
  number = 0;
}

void BlockRows::mapAll(Value from, Value to) {
  for (IRMapping &mapping : mappings)
    mapping.map(from, to);
}

SmallVector<Value> BlockRows::lookUpAll(ValueRange values) {
  SmallVector<Value> ofRows;
  forEach([&] {
    for (Value value : values)
      ofRows.push_back(lookUp(value));
  });
  return ofRows;
}

void BlockRows::mapEach(ValueRange values, ValueRange ofRows) {
  forEach([&] {
    size_t first = number * values.size();
    for (auto [from, to] : llvm::zip(values, ofRows.drop_front(first)))
      map(from, to);
  });
}

bool BlockRows::isUniform(Value value) const {
  return llvm::all_of(mappings, [&](const IRMapping &mapping) {
    return mapping.lookupOrDefault(value) ==
           mappings.front().lookupOrDefault(value);
  });
}

bool BlockRows::isUniform(Operation *op) const {
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::all_of(used, [&](Value value) { return isUniform(value); });
}

void BlockRows::forEachUnlessUniform(Operation *op, function_ref<void()> body) {
  if (!isUniform(op))
    return forEach(body);
  body();
  for (Value result : op->getResults())
    mapAll(result, lookUp(result));
}
