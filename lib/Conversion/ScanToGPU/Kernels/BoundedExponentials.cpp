//===- BoundedExponentials.cpp - Exponentials of small numbers ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundedExponentials.h"
#include "../../GPUCommon/Emit.h"
#include "../Primitives/WarpScan.h"
#include "IR/KernelParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

using Elements = SmallVector<Value>;

/// The largest magnitude of an operand for which the short form is right.
static constexpr float kMostBounded = 56;

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

BoundedExponentials::BoundedExponentials(KernelOp kernel,
                                         const SharedValues &shared,
                                         ValueRange roots)
    : kernel(kernel), shared(shared) {
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
    // One that may be approximate is shorter still.
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
      exponentials.push_back({exponential, ofStep, ofPart, Value()});
  }
}

/// The larger magnitude of `largest`, which may be null, and `value`; a NaN if
/// one is.
static Value keepLargest(ImplicitLocOpBuilder &b, Value largest, Value value) {
  Value magnitude = math::AbsFOp::create(b, value);
  return largest ? arith::MaximumFOp::create(b, largest, magnitude) : magnitude;
}

/// The largest of `value` in lanes whose numbers differ in bits from `stride`
/// on.
static Value findLargestOfLanes(ImplicitLocOpBuilder &b, Value value,
                                int64_t stride) {
  for (int64_t mask = stride; mask < kWarpSize; mask *= 2)
    value =
        arith::MaximumFOp::create(b, value, shuffleXor(b, value, mask).front());
  return value;
}

void BoundedExponentials::start(ImplicitLocOpBuilder &b,
                                const SplitStatesIO &io) {
  for (Exponential &exponential : exponentials) {
    Value largest;
    for (int64_t part = 0; part < io.getOwnParts(); ++part) {
      IRMapping mapping;
      io.mapInvariant(kernel.getLoad(), part, mapping);
      largest =
          keepLargest(b, largest, cloneValue(b, exponential.ofPart, mapping));
    }
    exponential.largestOfParts =
        findLargestOfLanes(b, largest, io.getLanes().stride);
  }
}

Value BoundedExponentials::createAreInBounds(ImplicitLocOpBuilder &b,
                                             const SplitStatesIO &io,
                                             ValueRange computed) const {
  Value largest;
  for (const Exponential &exponential : exponentials) {
    Value ofSteps;
    for (int64_t group = 0; group < io.getOwnSteps(); ++group) {
      IRMapping mapping;
      shared.mapOwn(computed, group, mapping);
      ofSteps = keepLargest(b, ofSteps, mapping.lookup(exponential.ofStep));
    }
    // Rounded like the operands, it is no smaller than any of them.
    largest = keepLargest(
        b, largest,
        arith::MulFOp::create(b, ofSteps, exponential.largestOfParts));
  }
  Value areOwn = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLE, largest,
      arith::ConstantOp::create(b, b.getF32FloatAttr(kMostBounded)));
  return voteAll(b, areOwn);
}

/// exp(x) for |x| up to kMostBounded.
static Value createBounded(ImplicitLocOpBuilder &b, Value x) {
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  Value exponent = arith::MulFOp::create(b, x, constant(llvm::numbers::log2ef));
  Value power = math::Exp2Op::create(b, exponent, arith::FastMathFlags::afn);
  Value rest =
      math::FmaOp::create(b, exponent, constant(-llvm::numbers::ln2f), x);
  return math::FmaOp::create(b, power, rest, power);
}

void BoundedExponentials::compute(ImplicitLocOpBuilder &b,
                                  IRMapping &mapping) const {
  for (const Exponential &exponential : exponentials) {
    math::ExpOp op = exponential.op;
    Value operand = cloneValue(b, op.getOperand(), mapping);
    mapping.map(op.getResult(), createBounded(b, operand));
  }
}
