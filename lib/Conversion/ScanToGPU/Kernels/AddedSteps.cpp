//===- AddedSteps.cpp - What the steps of a tile add up to ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddedSteps.h"
#include "../../GPUCommon/Emit.h"

using namespace mlir;
using namespace mlir::scan;

AddedSteps::AddedSteps(KernelOp kernel, const StateSplit &split,
                       const SplitStatesIO &io,
                       const FoldedExponentials &exponentials)
    : io(io), exponentials(exponentials), states(kernel, split) {
  Operation *load = kernel.getLoad().front().getTerminator();
  for (unsigned leaf = 0; leaf < states.getNumLeaves(); ++leaf) {
    std::optional<unsigned> power;
    if (states.isPlainProduct(leaf))
      power = exponentials.find(load->getOperand(split.getLeaf(0, leaf)));
    powers.push_back(power);
    if (power && !llvm::is_contained(sums, *power))
      sums.push_back(*power);
  }
}

/// The leaves of the next part among those that are `carried`; zeros for those
/// that are not.
State AddedSteps::takePart(ImplicitLocOpBuilder &b, ValueRange &carried) const {
  State state = states.createZeros(b);
  for (auto [leaf, power] : llvm::zip_equal(state, powers))
    if (!power) {
      leaf = carried.front();
      carried = carried.drop_front();
    }
  return state;
}

SmallVector<Value> AddedSteps::packPart(const State &state) const {
  SmallVector<Value> packed;
  for (auto [leaf, power] : llvm::zip_equal(state, powers))
    if (!power)
      packed.push_back(leaf);
  return packed;
}

SmallVector<Value> AddedSteps::start(ImplicitLocOpBuilder &b) const {
  SmallVector<Value> carried(sums.size(), createZero(b, b.getF32Type()));
  for (int64_t part = 0; part < io.getOwnParts(); ++part)
    llvm::append_range(carried, packPart(states.createZeros(b)));
  return carried;
}

SmallVector<Value> AddedSteps::add(ImplicitLocOpBuilder &b,
                                   MutableArrayRef<IRMapping> loads,
                                   ValueRange carried, Value isFirst,
                                   Value inBounds) const {
  SmallVector<Value> next;
  for (auto [sum, number] :
       llvm::zip_equal(carried.take_front(sums.size()), sums)) {
    Value added = arith::AddFOp::create(
        b, sum, exponentials.getOfStep(b, number, loads.front()));
    next.push_back(inBounds ? arith::SelectOp::create(b, inBounds, added, sum)
                            : added);
  }
  carried = carried.drop_front(sums.size());
  for (IRMapping &ofLoad : loads) {
    State before = takePart(b, carried);
    State own = states.createStep(b, ofLoad);
    State after = states.combine(b, before, own);
    if (isFirst)
      after = selectState(b, isFirst, states.begin(b, own), after);
    if (inBounds)
      after = selectState(b, inBounds, after, before);
    llvm::append_range(next, packPart(after));
  }
  return next;
}

SmallVector<State> AddedSteps::finish(ImplicitLocOpBuilder &b,
                                      ValueRange carried) const {
  // A sum that overflows is as good as the largest number, but for a factor of
  // zero, of which the exponential is 1.
  llvm::APFloat largest =
      llvm::APFloat::getLargest(llvm::APFloat::IEEEsingle());
  Value most = createConstant(b, b.getFloatAttr(b.getF32Type(), largest));
  Value least = createConstant(b, b.getFloatAttr(b.getF32Type(), -largest));
  SmallVector<Value> finite;
  for (Value sum : carried.take_front(sums.size()))
    finite.push_back(arith::MaximumFOp::create(
        b, arith::MinimumFOp::create(b, sum, most), least));
  carried = carried.drop_front(sums.size());
  SmallVector<State> ofParts;
  for (int64_t part = 0; part < io.getOwnParts(); ++part) {
    State state = takePart(b, carried);
    for (auto [leaf, power] : llvm::zip_equal(state, powers))
      if (power)
        leaf = exponentials.createPower(
            b, *power, part, finite[llvm::find(sums, *power) - sums.begin()]);
    ofParts.push_back(state);
  }
  return ofParts;
}
