//===- SharedValues.cpp - What lanes that share a scan share --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedValues.h"
#include "../Primitives/WarpScan.h"
#include "IR/KernelParts.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

Value mlir::scan::cloneValue(ImplicitLocOpBuilder &b, Value value,
                             IRMapping &mapping,
                             decltype(&createPlainProduct) createProduct) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneValue(b, operand, mapping, createProduct);
  if (isGuardedProduct(*op))
    mapping.map(value, createProduct(b, *op, mapping.lookup(op->getOperand(0)),
                                     mapping.lookup(op->getOperand(1))));
  else
    b.clone(*op, mapping);
  return mapping.lookup(value);
}

void mlir::scan::fuseProducts(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::MulFOp>(op))
    return;
  auto allow = [](Operation *of) {
    auto flags = cast<arith::ArithFastMathInterface>(of);
    arith::FastMathFlags present = flags.getFastMathFlagsAttr().getValue();
    of->setAttr(
        flags.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(
            of->getContext(), present | arith::FastMathFlags::contract));
  };
  bool isFused = isa<arith::MulFOp>(op);
  for (Value operand : op->getOperands()) {
    fuseProducts(operand);
    auto product = operand.getDefiningOp<arith::MulFOp>();
    if (isFused || !product || !product->hasOneUse())
      continue;
    isFused = true;
    allow(product);
    allow(op);
  }
}

DenseMap<Value, SharedValues::Kind>
SharedValues::getKinds(KernelOp kernel, Region &region,
                       const StateSplit &split) {
  DenseMap<Value, Kind> kinds;
  for (Value argument : region.getArguments())
    kinds[argument] = Part;
  for (auto [arguments, hasParts, map] :
       llvm::zip_equal(getInputArguments(kernel, region), split.hasInputParts,
                       kernel.getInputMaps()))
    if (!hasParts)
      kinds[arguments.front()] =
          map.isFunctionOfDim(kernel.getDim()) ? Varying : Invariant;
  for (Operation &op : region.front()) {
    Kind kind = Invariant;
    for (Value operand : op.getOperands())
      kind = std::max(kind, kinds.lookup(operand));
    for (Value result : op.getResults())
      kinds[result] = kind;
  }
  return kinds;
}

DenseSet<Value> SharedValues::getOfParts(KernelOp kernel, Region &region,
                                         const StateSplit &split) {
  DenseSet<Value> ofParts;
  for (auto [value, kind] : getKinds(kernel, region, split))
    if (kind == Part)
      ofParts.insert(value);
  return ofParts;
}

SharedValues::SharedValues(KernelOp kernel, Region &region,
                           const StateSplit &split, ValueRange roots)
    : region(region) {
  DenseMap<Value, Kind> kinds = getKinds(kernel, region, split);
  DenseSet<Value> seen;
  SmallVector<Value> left(roots);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Kind kind = kinds.lookup(value);
    if (kind == Varying)
      values.insert(value);
    else if (Operation *op = value.getDefiningOp(); op && kind == Part)
      llvm::append_range(left, op->getOperands());
  }
}

namespace {
/// Compares expressions of the inputs in two regions of a kernel.
class SameInRegions {
public:
  SameInRegions(KernelOp kernel, Region &first, Region &second) {
    for (auto [a, b] : llvm::zip_equal(getInputArguments(kernel, first),
                                       getInputArguments(kernel, second)))
      for (auto [x, y] : llvm::zip_equal(a, b))
        known.insert({x, y});
  }

  bool isSame(Value first, Value second) {
    if (known.contains({first, second}))
      return true;
    Operation *a = first.getDefiningOp(), *b = second.getDefiningOp();
    if (!a || !b || a->getName() != b->getName() ||
        a->getAttrDictionary() != b->getAttrDictionary() ||
        a->getNumOperands() != b->getNumOperands() ||
        a->getResultTypes() != b->getResultTypes() ||
        cast<OpResult>(first).getResultNumber() !=
            cast<OpResult>(second).getResultNumber())
      return false;
    for (auto [x, y] : llvm::zip_equal(a->getOperands(), b->getOperands()))
      if (!isSame(x, y))
        return false;
    known.insert({first, second});
    return true;
  }

private:
  DenseSet<std::pair<Value, Value>> known;
};
} // namespace

void SharedValues::reuse(KernelOp kernel, const SharedValues &others) {
  SameInRegions regions(kernel, region, others.region);
  for (Value value : llvm::to_vector(values)) {
    const Value *other = llvm::find_if(others.values, [&](Value candidate) {
      return regions.isSame(value, candidate);
    });
    if (other == others.values.end())
      continue;
    reused.push_back({value, *other});
    values.remove(value);
  }
}

void SharedValues::mapReused(const IRMapping &known, IRMapping &mapping) const {
  for (auto [value, other] : reused)
    mapping.map(value, known.lookup(other));
}

Elements SharedValues::compute(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                               ValueRange owned) const {
  Elements computed;
  for (int64_t group = 0; group < io.getOwnSteps(); ++group) {
    IRMapping mapping;
    io.mapShared(region, owned, group, mapping);
    for (Value value : values)
      computed.push_back(cloneValue(b, value, mapping));
  }
  return computed;
}

void SharedValues::take(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                        ValueRange computed, int64_t step,
                        IRMapping &mapping) const {
  int64_t lanes = io.getLanes().count;
  Value lane = io.getLane(b, step % lanes);
  ValueRange ofStep =
      computed.slice(step / lanes * values.size(), values.size());
  for (auto [value, own] : llvm::zip_equal(values, ofStep))
    mapping.map(value, shuffleFrom(b, own, lane).front());
}
