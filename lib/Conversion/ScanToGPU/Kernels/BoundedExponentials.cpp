//===- BoundedExponentials.cpp - Exponentials of small numbers ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundedExponentials.h"
#include "../../GPUCommon/Emit.h"
#include "IR/KernelParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

/// The largest magnitude of what the short form is right for.
static constexpr float kMostBounded = 48;

namespace {
/// Tells what no step changes in a load region.
class StepInvariants {
public:
  explicit StepInvariants(KernelOp kernel) {
    for (auto [arguments, map] :
         llvm::zip_equal(getInputArguments(kernel, kernel.getLoad()),
                         kernel.getInputMaps()))
      if (!map.isFunctionOfDim(kernel.getDim()))
        known.insert(arguments.begin(), arguments.end());
  }

  bool contains(Value value) {
    if (known.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || !llvm::all_of(op->getOperands(), [&](Value operand) {
          return contains(operand);
        }))
      return false;
    known.insert(value);
    return true;
  }

private:
  DenseSet<Value> known;
};
} // namespace

BoundedExponentials::BoundedExponentials(KernelOp kernel,
                                         const SharedValues &shared,
                                         ValueRange roots) {
  StepInvariants invariants(kernel);
  DenseSet<Value> seen;
  Elements left(roots);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || shared.contains(value) ||
        invariants.contains(value))
      continue;
    llvm::append_range(left, op->getOperands());
    auto exponential = dyn_cast<math::ExpOp>(op);
    if (!exponential || !exponential.getType().isF32() ||
        bitEnumContainsAll(exponential.getFastmath(),
                           arith::FastMathFlags::afn))
      continue;
    auto product = exponential.getOperand().getDefiningOp<arith::MulFOp>();
    if (!product)
      continue;
    Value ofStep = product.getLhs(), ofPart = product.getRhs();
    if (!shared.contains(ofStep))
      std::swap(ofStep, ofPart);
    if (shared.contains(ofStep) && invariants.contains(ofPart))
      exponentials.push_back({exponential, ofStep, ofPart});
  }
}

/// i1: whether no operand is larger. Products are rounded, too: that of the
/// largest factors is no smaller than any. Not if there is a NaN.
Value BoundedExponentials::createIsBounded(
    ImplicitLocOpBuilder &b, const Exponential &exponential,
    ArrayRef<MutableArrayRef<IRMapping>> steps) const {
  Value ofSteps, ofParts;
  auto keepLargest = [&](Value &largest, Value factor, IRMapping &mapping) {
    Value magnitude =
        math::AbsFOp::create(b, cloneValue(b, factor, mapping));
    largest = largest ? arith::MaximumFOp::create(b, largest, magnitude)
                      : magnitude;
  };
  for (MutableArrayRef<IRMapping> parts : steps)
    keepLargest(ofSteps, exponential.ofStep, parts.front());
  for (IRMapping &part : steps.front())
    keepLargest(ofParts, exponential.ofPart, part);
  Value largest = arith::MulFOp::create(b, ofSteps, ofParts);
  return arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLE, largest,
      arith::ConstantOp::create(b, b.getF32FloatAttr(kMostBounded)));
}

/// exp(x) for |x| up to kMostBounded.
static Value createBoundedExponential(ImplicitLocOpBuilder &b, Value x) {
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  Value exponent =
      arith::MulFOp::create(b, x, constant(llvm::numbers::log2ef));
  Value power =
      math::Exp2Op::create(b, exponent, arith::FastMathFlags::afn);
  Value rest =
      math::FmaOp::create(b, exponent, constant(-llvm::numbers::ln2f), x);
  return math::FmaOp::create(b, power, rest, power);
}

void BoundedExponentials::compute(
    ImplicitLocOpBuilder &b,
    ArrayRef<MutableArrayRef<IRMapping>> steps) const {
  for (const Exponential &exponential : exponentials) {
    math::ExpOp op = exponential.op;
    // Operands are computed where they are used: not all of them at once.
    auto computeAll = [&](ImplicitLocOpBuilder &inner, bool areBounded) {
      Elements results;
      for (MutableArrayRef<IRMapping> parts : steps)
        for (const IRMapping &part : parts) {
          IRMapping mapping = part;
          Value operand = cloneValue(inner, op.getOperand(), mapping);
          results.push_back(
              areBounded ? createBoundedExponential(inner, operand)
                         : math::ExpOp::create(inner, operand,
                                               op.getFastmath()));
        }
      return results;
    };
    Elements results = createIfElse(
        b, createIsBounded(b, exponential, steps),
        [&](ImplicitLocOpBuilder &inner) { return computeAll(inner, true); },
        [&](ImplicitLocOpBuilder &inner) { return computeAll(inner, false); });
    ArrayRef<Value> left = results;
    for (MutableArrayRef<IRMapping> parts : steps)
      for (IRMapping &part : parts) {
        part.map(op.getResult(), left.front());
        left = left.drop_front();
      }
  }
}
