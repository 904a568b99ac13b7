//===- SharedStates.cpp - States in shared memory -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedStates.h"

using namespace mlir;
using namespace mlir::scan;

SharedStates::SharedStates(KernelFrame &frame, KernelOp kernel, int64_t count)
    : types(kernel.getLeafTypes()) {
  if (count == 0)
    return;
  for (Type type : types)
    buffers.push_back(frame.addSharedBuffer(count, type));
}

State SharedStates::load(ImplicitLocOpBuilder &b, Value slot) const {
  State state;
  for (auto [buffer, type] : llvm::zip_equal(buffers, types))
    state.push_back(loadShared(b, type, buffer, slot));
  return state;
}

void SharedStates::store(ImplicitLocOpBuilder &b, ValueRange state,
                         Value slot) const {
  storeKept(b, /*kept=*/{}, state, slot);
}

void SharedStates::storeKept(ImplicitLocOpBuilder &b, ArrayRef<bool> kept,
                             ValueRange state, Value slot) const {
  for (auto [number, leaf] : llvm::enumerate(state))
    if (kept.empty() || kept[number])
      storeShared(b, leaf, buffers[number], slot);
}
