//===- ThreadScan.cpp - Scanning what one thread holds --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadScan.h"
#include "../../GPUCommon/Emit.h"
#include "Plan/InvariantLeaves.h"
#include "ProductGuard.h"

using namespace mlir;
using namespace mlir::scan;

/// The combination of `count` times `item`, in as many steps as `count` has
/// binary digits, or twice as many.
static State createPower(ImplicitLocOpBuilder &b, KernelOp kernel, State item,
                         size_t count) {
  State power;
  for (; count != 0; count /= 2) {
    if (count % 2 != 0)
      power = power.empty() ? item : combineItem(b, kernel, power, item);
    if (count > 1)
      item = combineItem(b, kernel, item, item);
  }
  return power;
}

State mlir::scan::reduceItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                              ArrayRef<State> items) {
  State begin = beginPart(b, kernel, items.front());
  State total = begin;
  for (const State &item : items.drop_front())
    total = combineItem(b, kernel, total, item);
  SmallVector<bool> invariant = getInvariantLeaves(kernel);
  if (llvm::is_contained(invariant, true))
    for (auto [isInvariant, leaf, power] : llvm::zip_equal(
             invariant, total, createPower(b, kernel, begin, items.size())))
      leaf = isInvariant ? power : leaf;
  return items.size() == 1 ? total : finishPart(b, kernel, begin, total);
}

ScannedItems mlir::scan::scanItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                                   const Prefix &prefix,
                                   ArrayRef<State> items) {
  ScannedItems result;
  Prefix before = prefix;
  for (const State &item : items) {
    State inclusive = combineItemIfPresent(b, kernel, before, item);
    result.exclusive.push_back(before.state);
    result.inclusive.push_back(inclusive);
    before = {inclusive, Value()};
  }
  return result;
}

State mlir::scan::selectItem(ImplicitLocOpBuilder &b, ArrayRef<State> states,
                             Value item) {
  State selected = states.front();
  for (size_t number = 1; number < states.size(); ++number)
    selected =
        selectState(b, compare(b, arith::CmpIPredicate::eq, item, number),
                    states[number], selected);
  return selected;
}
