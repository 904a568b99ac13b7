//===- PartStates.cpp - Combinations of the states of one part ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartStates.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

State PartStates::createZeros(ImplicitLocOpBuilder &b) const {
  State zeros;
  for (size_t i = 0; i < getNumLeaves(); ++i)
    zeros.push_back(
        createZero(b, KernelOp(kernel).getLeafTypes()[split.getLeaf(0, i)]));
  return zeros;
}

/// What `region` yields for the leaves of part 0, of what `mapping` has.
State PartStates::cloneYielded(ImplicitLocOpBuilder &b, Region &region,
                               IRMapping &mapping) const {
  Operation *yield = region.front().getTerminator();
  State state;
  for (size_t i = 0; i < getNumLeaves(); ++i)
    state.push_back(
        cloneValue(b, yield->getOperand(split.getLeaf(0, i)), mapping));
  return state;
}

State PartStates::createInit(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                             int64_t part) const {
  IRMapping mapping;
  io.mapInits(b, part, mapping);
  return cloneYielded(b, KernelOp(kernel).getInitialize(), mapping);
}

State PartStates::createStep(ImplicitLocOpBuilder &b, IRMapping &ofLoad) const {
  return cloneYielded(b, KernelOp(kernel).getLoad(), ofLoad);
}

State PartStates::begin(ImplicitLocOpBuilder &b, ValueRange step) const {
  SmallVector<unsigned> guarded = getGuardedCoefficients(kernel);
  State state(step);
  for (auto [i, leaf] : llvm::enumerate(state))
    if (llvm::is_contained(guarded, split.getLeaf(0, i)))
      leaf = beginCoefficient(b, leaf);
  return state;
}

State PartStates::combine(ImplicitLocOpBuilder &b, ValueRange earlier,
                          ValueRange later) const {
  Block &block = KernelOp(kernel).getCombine().front();
  IRMapping mapping;
  for (size_t i = 0; i < getNumLeaves(); ++i) {
    unsigned leaf = split.getLeaf(0, i);
    mapping.map(block.getArgument(leaf), earlier[i]);
    mapping.map(block.getArgument(KernelOp(kernel).getNumLeaves() + leaf),
                later[i]);
  }
  State combined;
  for (size_t i = 0; i < getNumLeaves(); ++i) {
    combined.push_back(
        cloneValue(b, block.getTerminator()->getOperand(split.getLeaf(0, i)),
                   mapping, createGuardedProduct));
    fuseProducts(combined.back());
  }
  return combined;
}

bool PartStates::isPlainProduct(unsigned leaf) const {
  Block &block = KernelOp(kernel).getCombine().front();
  unsigned number = split.getLeaf(0, leaf);
  BlockArgument earlier = block.getArgument(number);
  BlockArgument later =
      block.getArgument(KernelOp(kernel).getNumLeaves() + number);
  auto product =
      block.getTerminator()->getOperand(number).getDefiningOp<arith::MulFOp>();
  return product && !isGuardedProduct(*product) && earlier.hasOneUse() &&
         ((product.getLhs() == earlier && product.getRhs() == later) ||
          (product.getLhs() == later && product.getRhs() == earlier));
}

State PartStates::takeCarried(ValueRange state) const {
  SmallVector<bool> isCarried = KernelOp(kernel).getCarriedLeaves();
  State carried;
  for (auto [i, leaf] : llvm::enumerate(state))
    if (isCarried[split.getLeaf(0, i)])
      carried.push_back(leaf);
  return carried;
}

SmallVector<Value> mlir::scan::flatten(ArrayRef<State> ofParts) {
  SmallVector<Value> values;
  for (const State &state : ofParts)
    llvm::append_range(values, state);
  return values;
}

SmallVector<State> mlir::scan::unflatten(ValueRange values, size_t leaves) {
  SmallVector<State> ofParts;
  for (; !values.empty(); values = values.drop_front(leaves))
    ofParts.emplace_back(values.take_front(leaves));
  return ofParts;
}

/// Of the descriptors of tile number `number` for the own parts. Those of one
/// part lie side by side for neighbouring scans, which lanes side by side have.
