//===- SplitStatesTotals.cpp - What warps of a block add up to ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitStatesTotals.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

SplitStatesTotals::SplitStatesTotals(KernelFrame &frame,
                                     const StateSplit &split,
                                     const SplitStatesIO &io)
    : io(io), states(frame.getKernel(), split) {
  SmallVector<Type> leaves = frame.getKernel().getLeafTypes();
  for (unsigned leaf = 0; leaf < states.getNumLeaves(); ++leaf) {
    types.push_back(leaves[split.getLeaf(/*part=*/0, leaf)]);
    buffers.push_back(frame.addSharedBuffer(
        frame.getSchedule().getThreads() * io.getOwnParts(), types.back()));
  }
}

/// Lanes are next to each other.
Value SplitStatesTotals::getSlot(ImplicitLocOpBuilder &b, Value warp,
                                 int64_t part) const {
  Value row = addConstant(b, mulConstant(b, warp, io.getOwnParts()), part);
  return b.createOrFold<arith::AddIOp>(mulConstant(b, row, kWarpSize),
                                       io.getWarpLane());
}

SmallVector<State> SplitStatesTotals::exchange(ImplicitLocOpBuilder &b,
                                               ArrayRef<State> totals) const {
  for (auto [part, total] : llvm::enumerate(totals))
    for (auto [buffer, leaf] : llvm::zip_equal(buffers, total))
      storeShared(b, leaf, buffer, getSlot(b, io.getWarp(), part));
  gpu::BarrierOp::create(b);
  SmallVector<Value> inits;
  for (int64_t part = 0; part < io.getOwnParts(); ++part)
    llvm::append_range(inits, states.createInit(b, io, part));
  size_t numLeaves = states.getNumLeaves();
  SmallVector<Value> before = createFor(
      b, indexConstant(b, 0), io.getWarp(), indexConstant(b, 1), inits,
      [&](ImplicitLocOpBuilder &inner, Value warp, ValueRange carried) {
        SmallVector<Value> combined;
        for (int64_t part = 0; part < io.getOwnParts(); ++part) {
          State total;
          for (auto [buffer, type] : llvm::zip_equal(buffers, types))
            total.push_back(
                loadShared(inner, type, buffer, getSlot(inner, warp, part)));
          llvm::append_range(
              combined,
              states.combine(inner, carried.slice(part * numLeaves, numLeaves),
                             total));
        }
        return combined;
      });
  return unflatten(before, numLeaves);
}
