//===- RegionTerms.cpp - What a combine region computes -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::associativity;

/// Regions that need more terms than this are refused: a solver would not come
/// to an end with them, and writing them takes a second.
static constexpr unsigned kMaxTerms = 200000;
static constexpr unsigned kMaxEvaluated = 50000;
/// How deeply regions may nest: evaluating one takes some of the stack.
static constexpr unsigned kMaxNesting = 200;

//===----------------------------------------------------------------------===//
// Which theory
//===----------------------------------------------------------------------===//

bool scan::associativity::hasFloats(AssociativeOp op) {
  return llvm::any_of(op.getLeafTypes(), [](Type type) {
    return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
  });
}

/// Whether `op` computes with floats or complex numbers in a way that rounds,
/// or that has no terms in the theory of IEEE floats.
static bool needsReals(Operation *op) {
  auto isFloat = [](Type type) {
    return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
  };
  if (llvm::none_of(op->getOperandTypes(), isFloat) &&
      llvm::none_of(op->getResultTypes(), isFloat))
    return false;
  if (isa<arith::CmpFOp, arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::NegFOp, arith::ConstantOp,
          arith::ExtFOp, math::AbsFOp, math::CopySignOp, math::IsNaNOp,
          math::IsInfOp, math::IsFiniteOp, math::IsNormalOp, complex::CreateOp,
          complex::ReOp, complex::ImOp, complex::ConstantOp, complex::NegOp,
          complex::ConjOp, CloneOp, scf::IfOp, scf::ForOp>(op))
    return false;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  // Operations on tensors move elements; what computes is in their bodies.
  return !isa<tensor::TensorDialect, linalg::LinalgDialect>(op->getDialect());
}

FloatTheory scan::associativity::chooseFloatTheory(AssociativeOp op) {
  WalkResult result = op.getCombine().walk([](Operation *inner) {
    return needsReals(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() ? FloatTheory::Real : FloatTheory::IEEE;
}

std::optional<Sort> RegionTerms::getSort(Type element) const {
  if (auto complex = dyn_cast<ComplexType>(element))
    return getSort(complex.getElementType());
  if (element.isInteger(1))
    return Sort::boolean();
  auto real = dyn_cast<FloatType>(element);
  if (real && theory == FloatTheory::Real)
    return Sort::real();
  if (!real && !isa<IntegerType, IndexType>(element))
    return std::nullopt;
  if (encoding == Encoding::Integers)
    return Sort::integer();
  if (real)
    return Sort::ieee(real.getFloatSemantics());
  return Sort::bits(element.isIndex() ? 64 : element.getIntOrFloatBitWidth());
}

//===----------------------------------------------------------------------===//
// Refusals and conditions
//===----------------------------------------------------------------------===//

LogicalResult RegionTerms::refuse(Operation *op, const Twine &reason) {
  if (!refused) {
    refused = op;
    refusal = ("'" + op->getName().getStringRef() + "' " + reason).str();
  }
  return failure();
}

LogicalResult RegionTerms::refuseUnknown(Operation *op) {
  return refuse(op, "has no translation for the solver");
}

Term RegionTerms::require(Term condition, const Twine &exclusion) {
  if (!pool.isTrue(condition))
    exclusions.insert(pool.intern(exclusion));
  return condition;
}

void RegionTerms::assume(Term condition, const Twine &exclusion) {
  condition = pool.orOf(pool.notOf(path), condition);
  assumptions = pool.andOf(assumptions, require(condition, exclusion));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Symbol &RegionTerms::bind(Value value, Symbol symbol) {
  return values[value] = std::move(symbol);
}

std::optional<int64_t> RegionTerms::getConstant(Value value) const {
  const Rational *number = pool.getValue(lookup(value)[0].value);
  if (!number)
    return std::nullopt;
  llvm::DynamicAPInt limit(int64_t(1) << 32);
  // Negative ones are large as unsigned numbers.
  if (number->den != 1 || number->num >= limit)
    return std::nullopt;
  return int64_t(number->num);
}

std::optional<int64_t> RegionTerms::getPosition(ValueRange indices,
                                                ArrayRef<int64_t> shape) const {
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip_equal(indices, shape)) {
    std::optional<int64_t> at = getConstant(index);
    if (!at || *at >= extent)
      return std::nullopt;
    position = position * extent + *at;
  }
  return position;
}

FailureOr<Symbol> RegionTerms::getConstantParts(TypedAttr attr) {
  Term always = pool.boolean(true);
  Symbol symbol;
  Type element = getElementTypeOrSelf(attr.getType());
  std::optional<Sort> sort = getSort(element);
  if (!sort)
    return failure();
  bool isNumber = true;
  auto addBits = [&](const APInt &value) {
    Term number = sort->kind == Sort::Bool ? pool.boolean(value.isOne())
                                           : pool.bits(value);
    if (sort->kind == Sort::Int)
      number = pool.integer(*pool.getValue(number));
    symbol.push_back({number, always});
  };
  auto addFloat = [&](const APFloat &value) {
    if (theory != FloatTheory::Real)
      symbol.push_back({ieee(value), always});
    else if (value.isInfinity())
      symbol.push_back({pool.infinity(value.isNegative()), always});
    else if (value.isNaN())
      isNumber = false;
    else
      symbol.push_back({pool.real(getRational(value)), always});
  };
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    addBits(integer.getValue());
  } else if (auto real = dyn_cast<FloatAttr>(attr)) {
    addFloat(real.getValue());
  } else if (auto number = dyn_cast<complex::NumberAttr>(attr)) {
    addFloat(number.getReal());
    addFloat(number.getImag());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(attr);
             dense && dense.getNumElements() < kMaxTerms) {
    if (isa<IntegerType, IndexType>(element))
      llvm::for_each(dense.getValues<APInt>(), addBits);
    else if (isa<FloatType>(element))
      llvm::for_each(dense.getValues<APFloat>(), addFloat);
    else
      for (const std::complex<APFloat> &value :
           dense.getValues<std::complex<APFloat>>()) {
        addFloat(value.real());
        addFloat(value.imag());
      }
  } else {
    return failure();
  }
  if (!isNumber)
    return failure();
  return symbol;
}

LogicalResult RegionTerms::evaluateConstant(Operation *op, Attribute attr) {
  FailureOr<Symbol> symbol = failure();
  if (auto typed = dyn_cast<TypedAttr>(attr)) {
    symbol = getConstantParts(typed);
  } else if (auto parts = dyn_cast<ArrayAttr>(attr)) {
    // complex.constant.
    symbol = Symbol();
    for (Attribute part : parts) {
      auto number = dyn_cast<TypedAttr>(part);
      FailureOr<Symbol> half =
          number ? getConstantParts(number) : FailureOr<Symbol>();
      if (failed(half))
        return refuseUnknown(op);
      llvm::append_range(*symbol, *half);
    }
  }
  if (failed(symbol))
    return refuse(op, "is not a constant that the solver knows, or NaN, where "
                      "floats are treated as real numbers");
  bind(op->getResult(0), std::move(*symbol));
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult RegionTerms::evaluateScalar(Operation *op, ArrayRef<Part> in,
                                          Symbol &out) {
  if (isa<arith::SelectOp>(op)) {
    size_t count = (in.size() - 1) / 2;
    Term condition = in[0].value;
    for (size_t i = 0; i < count; ++i) {
      Part x = in[1 + i], y = in[1 + count + i];
      Term defined = pool.andOf(
          in[0].defined, pool.ifThenElse(condition, x.defined, y.defined));
      out.push_back({choose(condition, x.value, y.value), defined});
    }
    return success();
  }
  if (isa<complex::ComplexDialect>(op->getDialect()))
    return evaluateComplex(op, in, out);
  bool hasFloatResult =
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  bool hasFloatOperand =
      isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  if (isa<arith::BitcastOp>(op) && (hasFloatResult || hasFloatOperand))
    return refuse(op, "between bits and a float has no translation for the "
                      "solver");
  if (hasFloatResult != hasFloatOperand &&
      !isa<arith::CmpFOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp,
           math::IsNormalOp>(op))
    return evaluateConversion(op, in, out);
  if (hasFloatOperand)
    return evaluateFloat(op, in, out);
  return encoding == Encoding::Bits ? evaluateInteger(op, in, out)
                                    : evaluateWrapped(op, in, out);
}

LogicalResult RegionTerms::evaluateElementwise(Operation *op) {
  int64_t count = 1;
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (!tensor.hasStaticShape() || tensor.getNumElements() > kMaxTerms)
        return refuse(op,
                      "on tensors of unknown extents has no translation for "
                      "the solver");
      count = tensor.getNumElements();
    }
  SmallVector<Symbol> results(op->getNumResults());
  Symbol in, out;
  for (int64_t i = 0; i < count; ++i) {
    in.clear();
    out.clear();
    for (Value operand : op->getOperands()) {
      const Symbol &symbol = lookup(operand);
      unsigned parts = getNumParts(getElementTypeOrSelf(operand.getType()));
      // A scalar beside tensors is the same for all elements.
      int64_t at = isa<RankedTensorType>(operand.getType()) ? i * parts : 0;
      in.append(symbol.begin() + at, symbol.begin() + at + parts);
    }
    if (failed(evaluateScalar(op, in, out)))
      return failure();
    unsigned next = 0;
    for (auto [result, symbol] : llvm::zip_equal(op->getResults(), results))
      for (unsigned part = 0,
                    e = getNumParts(getElementTypeOrSelf(result.getType()));
           part < e; ++part)
        symbol.push_back(out[next++]);
  }
  for (auto [result, symbol] : llvm::zip_equal(op->getResults(), results))
    bind(result, std::move(symbol));
  return success();
}

LogicalResult RegionTerms::evaluate(Operation *op) {
  if (pool.size() > kMaxTerms || ++numEvaluated > kMaxEvaluated)
    return refuse(op, "is where the region becomes too large for the solver");
  // Names of others may be anything, and are not written to scripts.
  if (!op->isRegistered())
    return refuseUnknown(op);
  pool.setOrigin(op->getName().getStringRef());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(op, constant.getValue());
  if (auto constant = dyn_cast<complex::ConstantOp>(op))
    return evaluateConstant(op, constant.getValue());
  if (isa<CloneOp>(op)) {
    bind(op->getResult(0), Symbol(lookup(op->getOperand(0))));
    return success();
  }
  if (isa<scf::SCFDialect>(op->getDialect()))
    return evaluateControl(op);
  if (isa<tensor::TensorDialect>(op->getDialect()))
    return evaluateTensor(op);
  if (isa<linalg::LinalgDialect>(op->getDialect()))
    return evaluateLinalg(op);
  if (isa<arith::ArithDialect, math::MathDialect, complex::ComplexDialect>(
          op->getDialect()) &&
      op->getNumOperands() && op->getNumResults() && op->getNumRegions() == 0 &&
      llvm::none_of(op->getResultTypes(),
                    [](Type type) { return isa<VectorType>(type); }))
    return evaluateElementwise(op);
  return refuseUnknown(op);
}

LogicalResult RegionTerms::evaluateBlock(Block &block,
                                         SmallVectorImpl<Symbol> &yields) {
  if (nesting >= kMaxNesting)
    return refuse(block.getParentOp(), "is nested too deeply for the solver");
  ++nesting;
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value value : op.getOperands())
        yields.push_back(lookup(value));
      break;
    }
    if (failed(evaluate(&op)))
      return failure();
  }
  --nesting;
  return success();
}

FailureOr<State> RegionTerms::combine(const State &a, const State &b) {
  Block &block = scan.getCombine().front();
  values.clear();
  nesting = numEvaluated = 0;
  path = pool.boolean(true);
  unsigned count = scan.getNumLeaves();
  for (unsigned leaf = 0; leaf < count; ++leaf) {
    bind(block.getArgument(leaf), a[leaf]);
    bind(block.getArgument(count + leaf), b[leaf]);
  }
  SmallVector<Symbol> yields;
  if (failed(evaluateBlock(block, yields)))
    return failure();
  for (const Symbol &symbol : yields)
    for (Part part : symbol)
      if (pool.get(part.value).isInfinite)
        return refuse(block.getTerminator(),
                      "returns an infinity, and floats that are computed with "
                      "are treated as real numbers");
  pool.setOrigin("");
  return yields;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult RegionTerms::evaluateIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  Part condition = lookup(branch.getCondition())[0];
  // Branching on poison is undefined behaviour.
  assume(condition.defined, "scf.if on an undefined condition");
  Term outside = path;
  SmallVector<Symbol> taken, other;
  path = pool.andOf(outside, condition.value);
  if (failed(evaluateBlock(branch.getThenRegion().front(), taken)))
    return failure();
  path = pool.andOf(outside, pool.notOf(condition.value));
  if (!branch.getElseRegion().empty() &&
      failed(evaluateBlock(branch.getElseRegion().front(), other)))
    return failure();
  path = outside;
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    Symbol symbol;
    for (auto [x, y] : llvm::zip_equal(taken[i], other[i]))
      symbol.push_back(
          {choose(condition.value, x.value, y.value),
           pool.ifThenElse(condition.value, x.defined, y.defined)});
    bind(result, std::move(symbol));
  }
  return success();
}

LogicalResult RegionTerms::evaluateFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  std::optional<int64_t> lower = getConstant(loop.getLowerBound()),
                         upper = getConstant(loop.getUpperBound()),
                         step = getConstant(loop.getStep());
  if (!lower || !upper || !step || *step == 0)
    return refuse(op,
                  "has bounds that are not constant, and no translation for "
                  "the solver");
  SmallVector<Symbol> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(lookup(init));
  unsigned width =
      loop.getInductionVar().getType().isIndex()
          ? 64
          : loop.getInductionVar().getType().getIntOrFloatBitWidth();
  for (int64_t i = *lower; i < *upper; i += *step) {
    Term number =
        encoding == Encoding::Bits ? bits(width, i) : indexConstant(i);
    bind(loop.getInductionVar(), {{number, pool.boolean(true)}});
    for (auto [argument, symbol] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      bind(argument, symbol);
    carried.clear();
    if (failed(evaluateBlock(*loop.getBody(), carried)))
      return failure();
    if (numEvaluated++ > kMaxEvaluated)
      return refuse(op, "has too many iterations for the solver");
  }
  for (auto [result, symbol] : llvm::zip_equal(loop.getResults(), carried))
    bind(result, symbol);
  return success();
}

LogicalResult RegionTerms::evaluateControl(Operation *op) {
  if (isa<scf::IfOp>(op))
    return evaluateIf(op);
  if (isa<scf::ForOp>(op))
    return evaluateFor(op);
  return refuseUnknown(op);
}
