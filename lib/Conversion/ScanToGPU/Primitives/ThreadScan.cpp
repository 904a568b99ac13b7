//===- ThreadScan.cpp - Scanning what one thread holds --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadScan.h"
#include "../../GPUCommon/Emit.h"
#include "ProductGuard.h"

using namespace mlir;
using namespace mlir::scan;

State mlir::scan::reduceItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                              ArrayRef<State> items) {
  State begin = beginPart(b, kernel, items.front());
  State total = begin;
  for (const State &item : items.drop_front())
    total = combineItem(b, kernel, total, item);
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
