//===- BlockAccesses.cpp - Where the threads of a block meet --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAccesses.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::scan;

Value mlir::scan::getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

static bool conflict(const BlockAccess &earlier, const BlockAccess &later) {
  if (!earlier.isWrite && !later.isWrite)
    return false;
  if (getBuffer(earlier.memref) != getBuffer(later.memref))
    return false;
  using By = BlockAccess::By;
  if (earlier.by == By::First && later.by == By::First)
    return false;
  return !(earlier.by == By::Owner && later.by == By::Owner &&
           earlier.memref == later.memref);
}

void BlockAccesses::meet(ImplicitLocOpBuilder &b) {
  if (!pending.empty())
    gpu::BarrierOp::create(b);
  pending.clear();
}

void BlockAccesses::add(ImplicitLocOpBuilder &b,
                        ArrayRef<BlockAccess> accesses) {
  bool needsBarrier = llvm::any_of(accesses, [&](const BlockAccess &later) {
    return llvm::any_of(pending, [&](const BlockAccess &earlier) {
      return conflict(earlier, later);
    });
  });
  if (needsBarrier)
    meet(b);
  pending.append(accesses.begin(), accesses.end());
}
