//===- ProductGuard.cpp - Products of coefficients that overflow ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductGuard.h"
#include "../../GPUCommon/Emit.h"
#include "Analysis/FloatRange.h"

using namespace mlir;
using namespace mlir::scan;

/// On a product of the combine region: the number of the operand that is the
/// later coefficient where the other one is a state, else kOfCoefficients. It
/// is there while a kernel is lowered, and survives that the kernel is cloned.
static constexpr llvm::StringLiteral kMark = "scan.guarded_product";
static constexpr int64_t kOfCoefficients = 2;

//===----------------------------------------------------------------------===//
// Finding products
//===----------------------------------------------------------------------===//

namespace {
/// The combine region of one kernel: leaf i has the arguments i, what came
/// before, and i + n, what comes now.
class CombineStep {
public:
  explicit CombineStep(KernelOp kernel)
      : block(kernel.getCombine().front()), leaves(kernel.getNumLeaves()) {}

  BlockArgument getEarlier(unsigned leaf) { return block.getArgument(leaf); }
  BlockArgument getLater(unsigned leaf) {
    return block.getArgument(leaves + leaf);
  }
  /// The number of the leaf of which `value` is what came before.
  std::optional<unsigned> asEarlier(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &block ||
        argument.getArgNumber() >= leaves)
      return std::nullopt;
    return argument.getArgNumber();
  }
  Value getYielded(unsigned leaf);
  bool isOnlyYielded(Value value, unsigned leaf);
  bool isRestart(Operation *op, unsigned leaf);
  bool isStateStep(arith::MulFOp product, unsigned coefficient);

private:
  Block &block;
  unsigned leaves;
};
} // namespace

/// Whether `op` selects the later operand where a flag is set.
bool CombineStep::isRestart(Operation *op, unsigned leaf) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || select.getTrueValue() != getLater(leaf))
    return false;
  auto flag = dyn_cast<BlockArgument>(select.getCondition());
  return flag && flag.getOwner() == &block && flag.getArgNumber() >= leaves;
}

/// What becomes of `leaf`, restarts left aside.
Value CombineStep::getYielded(unsigned leaf) {
  Value value = block.getTerminator()->getOperand(leaf);
  Operation *op = value.getDefiningOp();
  if (op && isRestart(op, leaf))
    value = cast<arith::SelectOp>(op).getFalseValue();
  return value;
}

/// Whether `value` is nothing but what becomes of `leaf`.
bool CombineStep::isOnlyYielded(Value value, unsigned leaf) {
  return getYielded(leaf) == value && value.hasOneUse();
}

/// Whether `product` is of what comes now of `coefficient` and of the state of
/// another leaf, to which what comes now of that is added.
bool CombineStep::isStateStep(arith::MulFOp product, unsigned coefficient) {
  Value other = product.getLhs() == getLater(coefficient) ? product.getRhs()
                                                          : product.getLhs();
  std::optional<unsigned> leaf = asEarlier(other);
  if (!leaf || *leaf == coefficient || !product->hasOneUse())
    return false;
  auto sum = dyn_cast<arith::AddFOp>(*product->user_begin());
  if (!sum || !isOnlyYielded(sum, *leaf))
    return false;
  Value added =
      sum.getLhs() == product.getResult() ? sum.getRhs() : sum.getLhs();
  return added == getLater(*leaf);
}

/// The products that `coefficient` takes part in, the one with itself first;
/// none if that is not all that it does.
static SmallVector<arith::MulFOp> getProducts(CombineStep &step,
                                              unsigned coefficient) {
  Value earlier = step.getEarlier(coefficient);
  Value later = step.getLater(coefficient);
  auto own = step.getYielded(coefficient).getDefiningOp<arith::MulFOp>();
  if (!own || !earlier.hasOneUse() || *earlier.user_begin() != own ||
      !step.isOnlyYielded(own, coefficient) ||
      (own.getLhs() != later && own.getRhs() != later))
    return {};
  SmallVector<arith::MulFOp> products{own};
  for (Operation *user : later.getUsers()) {
    if (user == own || step.isRestart(user, coefficient))
      continue;
    auto product = dyn_cast<arith::MulFOp>(user);
    if (!product || !step.isStateStep(product, coefficient))
      return {};
    products.push_back(product);
  }
  return products;
}

void mlir::scan::markProducts(KernelOp kernel) {
  CombineStep step(kernel);
  FloatRanges ranges;
  Operation *loaded = kernel.getLoad().front().getTerminator();
  Builder b(kernel.getContext());
  for (auto [leaf, isCarried] : llvm::enumerate(kernel.getCarriedLeaves())) {
    // No product of coefficients of magnitude one or less overflows.
    if (isCarried || ranges.get(loaded->getOperand(leaf)).isWithin(-1, 1))
      continue;
    for (auto [number, product] : llvm::enumerate(getProducts(step, leaf))) {
      int64_t operand = product.getLhs() == step.getLater(leaf) ? 0 : 1;
      product->setAttr(
          kMark, b.getI64IntegerAttr(number == 0 ? kOfCoefficients : operand));
    }
  }
}

void mlir::scan::contractSteps(KernelOp kernel) {
  if (kernel.getOrder() == Order::Sequential)
    return;
  CombineStep step(kernel);
  auto allow = [](auto op) {
    op.setFastmath(op.getFastmath() | arith::FastMathFlags::contract);
  };
  for (unsigned leaf = 0, e = kernel.getNumLeaves(); leaf < e; ++leaf)
    for (auto [number, product] : llvm::enumerate(getProducts(step, leaf)))
      if (number != 0) {
        allow(product);
        allow(cast<arith::AddFOp>(*product->user_begin()));
      }
}

SmallVector<unsigned> mlir::scan::getGuardedCoefficients(KernelOp kernel) {
  SmallVector<unsigned> coefficients;
  CombineStep step(kernel);
  for (Operation &op : kernel.getCombine().front()) {
    auto mark = op.getAttrOfType<IntegerAttr>(kMark);
    if (!mark || mark.getInt() != kOfCoefficients)
      continue;
    for (Value operand : op.getOperands())
      if (std::optional<unsigned> leaf = step.asEarlier(operand))
        coefficients.push_back(*leaf);
  }
  return coefficients;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

bool mlir::scan::isGuardedProduct(Operation &op) { return op.hasAttr(kMark); }

Value mlir::scan::createPlainProduct(ImplicitLocOpBuilder &b, Operation &op,
                                     Value lhs, Value rhs) {
  return arith::MulFOp::create(b, lhs, rhs,
                               cast<arith::MulFOp>(op).getFastmath());
}

static Value compareFloats(ImplicitLocOpBuilder &b,
                           arith::CmpFPredicate predicate, Value lhs,
                           Value rhs) {
  return arith::CmpFOp::create(b, predicate, lhs, rhs);
}

Value mlir::scan::createGuardedProduct(ImplicitLocOpBuilder &b, Operation &op,
                                       Value lhs, Value rhs) {
  int64_t kind = op.getAttrOfType<IntegerAttr>(kMark).getInt();
  Value zero = createZero(b, lhs.getType());
  if (kind == kOfCoefficients) {
    Value product = createPlainProduct(b, op, lhs, rhs);
    Value isNone =
        compareFloats(b, arith::CmpFPredicate::UNO, product, product);
    Value areNumbers = compareFloats(b, arith::CmpFPredicate::ORD, lhs, rhs);
    return arith::SelectOp::create(
        b, arith::AndIOp::create(b, isNone, areNumbers), zero, product);
  }
  // The coefficient is replaced, not the product: what is not a number may also
  // come from the state, and stays.
  Value &coefficient = kind == 0 ? lhs : rhs;
  Value state = kind == 0 ? rhs : lhs;
  Value isZero = compareFloats(b, arith::CmpFPredicate::OEQ, state, zero);
  Value isNumber =
      compareFloats(b, arith::CmpFPredicate::ORD, coefficient, coefficient);
  coefficient = arith::SelectOp::create(
      b, arith::AndIOp::create(b, isZero, isNumber), zero, coefficient);
  return createPlainProduct(b, op, lhs, rhs);
}

Value mlir::scan::beginCoefficient(ImplicitLocOpBuilder &b, Value first) {
  // Zero, or not a number.
  Value nothing =
      arith::MulFOp::create(b, first, createZero(b, first.getType()));
  return arith::AddFOp::create(b, first, nothing);
}

State mlir::scan::beginPart(ImplicitLocOpBuilder &b, KernelOp kernel,
                            ValueRange first) {
  State state(first);
  for (unsigned leaf : getGuardedCoefficients(kernel))
    state[leaf] = beginCoefficient(b, state[leaf]);
  return state;
}

State mlir::scan::finishPart(ImplicitLocOpBuilder &b, KernelOp kernel,
                             ValueRange begin, ValueRange total) {
  State state(total);
  for (unsigned leaf : getGuardedCoefficients(kernel)) {
    // A product that was infinite has met a zero, unless something that is not
    // a number was there to begin with, or came later: then what it was to be
    // multiplied by is lost anyhow.
    Value nothing = arith::MulFOp::create(b, begin[leaf],
                                          createZero(b, begin[leaf].getType()));
    Value isNone =
        compareFloats(b, arith::CmpFPredicate::UNO, state[leaf], state[leaf]);
    state[leaf] = arith::SelectOp::create(b, isNone, nothing, state[leaf]);
  }
  return state;
}
