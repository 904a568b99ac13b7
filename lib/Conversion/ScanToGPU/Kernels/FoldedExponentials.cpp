//===- FoldedExponentials.cpp - Exponentials with folded scales -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldedExponentials.h"
#include "IR/Exponentials.h"
#include "IR/KernelParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

namespace {
/// Tells what no step changes in a region.
class StepInvariants {
public:
  StepInvariants(KernelOp kernel, Region &region) {
    for (auto [number, arguments, map] : llvm::enumerate(
             getInputArguments(kernel, region), kernel.getInputMaps()))
      if (!map.isFunctionOfDim(kernel.getDim()) && !kernel.isGathered(number))
        known.insert(arguments.begin(), arguments.end());
  }

  bool contains(Value value) {
    if (known.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || !llvm::all_of(op->getOperands(),
                             [&](Value operand) { return contains(operand); }))
      return false;
    known.insert(value);
    return true;
  }

private:
  DenseSet<Value> known;
};
} // namespace

static bool isApproximate(math::ExpOp op) {
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
}

FoldedExponentials::FoldedExponentials(KernelOp kernel, Region &region,
                                       const SharedValues &shared,
                                       ValueRange roots)
    : region(region) {
  StepInvariants invariants(kernel, region);
  DenseSet<Value> seen;
  SmallVector<Value> left(roots);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || shared.contains(value) ||
        invariants.contains(value))
      continue;
    llvm::append_range(left, op->getOperands());
    auto exponential = dyn_cast<math::ExpOp>(op);
    if (!exponential || !exponential.getType().isF32())
      continue;
    auto product = exponential.getOperand().getDefiningOp<arith::MulFOp>();
    if (!product)
      continue;
    Value ofStep = product.getLhs(), ofPart = product.getRhs();
    if (!shared.contains(ofStep))
      std::swap(ofStep, ofPart);
    if (shared.contains(ofStep) && invariants.contains(ofPart) &&
        (isApproximate(exponential) || dependsOnFunction(ofStep) ||
         dependsOnFunction(ofPart)))
      exponentials.push_back({exponential, ofStep, ofPart, {}});
  }
}

void FoldedExponentials::start(ImplicitLocOpBuilder &b,
                               const SplitStatesIO &io) {
  for (Exponential &exponential : exponentials) {
    float scale = llvm::numbers::log2ef;
    if (!isApproximate(exponential.op))
      scale /= 2;
    Value factor = arith::ConstantOp::create(b, b.getF32FloatAttr(scale));
    exponential.scaled.clear();
    for (int64_t part = 0; part < io.getOwnParts(); ++part) {
      IRMapping mapping;
      io.mapInvariant(region, part, mapping);
      exponential.scaled.push_back(arith::MulFOp::create(
          b, cloneValue(b, exponential.ofPart, mapping), factor));
    }
  }
}

void FoldedExponentials::compute(ImplicitLocOpBuilder &b, int64_t part,
                                 IRMapping &mapping) const {
  for (auto [number, exponential] : llvm::enumerate(exponentials))
    mapping.map(exponential.op->getResult(0),
                createPower(b, number, part, getOfStep(b, number, mapping)));
}

std::optional<unsigned> FoldedExponentials::find(Value value) const {
  for (auto [number, exponential] : llvm::enumerate(exponentials))
    if (exponential.op == value.getDefiningOp())
      return number;
  return std::nullopt;
}

Value FoldedExponentials::getOfStep(ImplicitLocOpBuilder &b, unsigned number,
                                    IRMapping &mapping) const {
  return cloneValue(b, exponentials[number].ofStep, mapping);
}

Value FoldedExponentials::createPower(ImplicitLocOpBuilder &b, unsigned number,
                                      int64_t part, Value ofStep) const {
  const Exponential &exponential = exponentials[number];
  Value exponent = arith::MulFOp::create(b, ofStep, exponential.scaled[part]);
  Value power = math::Exp2Op::create(b, exponent, arith::FastMathFlags::afn);
  if (!isApproximate(exponential.op))
    power = arith::MulFOp::create(b, power, power);
  return power;
}
