//===- InlineConsumer.cpp - A planned consumer goes into a kernel ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// A new tensor of `type` with the extents of the kernel's domain.
static Value createOut(RewriterBase &rewriter, Location loc,
                       RankedTensorType type, AffineMap map,
                       ArrayRef<OpFoldResult> domain) {
  SmallVector<Value> sizes;
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(getValueOrCreateConstantIndexOp(
          rewriter, loc,
          domain[cast<AffineDimExpr>(map.getResult(i)).getPosition()]));
  return tensor::EmptyOp::create(rewriter, loc, type, sizes);
}

LogicalResult scan::provideNeeded(RewriterBase &rewriter, KernelOp kernel,
                                  ConsumerPlan &plan) {
  llvm::erase_if(plan.needed, [&](Value value) {
    Operation *def = value.getDefiningOp();
    return !def || def->getBlock() != kernel->getBlock() ||
           def->isBeforeInBlock(kernel);
  });
  return plan.needed.empty()
             ? success()
             : moveValueDefinitions(rewriter, plan.needed, kernel);
}

/// What a sum is added to, in the type that it is added up in.
static Value widen(RewriterBase &rewriter, Location loc, Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  Type wide = getSumType(type.getElementType());
  if (wide == type.getElementType())
    return init;
  RankedTensorType wideType = type.clone(wide);
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return arith::ExtFOp::create(rewriter, loc, wideType, init);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, fill.getOutputs()[0]),
      wide);
  Value value =
      arith::ExtFOp::create(rewriter, loc, wide, fill.getInputs().front());
  return linalg::FillOp::create(rewriter, loc, value, empty).getResult(0);
}

/// Adds the term of `sum`, a copy of the addition of result `number`, to those
/// of the points before; `before` is null at the first one. Removes the copy.
static Value addTerm(RewriterBase &rewriter, const ElementwiseView &view,
                     unsigned number, Value sum, Value before) {
  auto [add, operand] = getAddition(view, number);
  Operation *copy = sum.getDefiningOp();
  Location loc = copy->getLoc();
  Value term = copy->getOperand(operand);
  rewriter.eraseOp(copy);
  if (Type wide = getSumType(term.getType()); wide != term.getType())
    term = arith::ExtFOp::create(rewriter, loc, wide, term);
  if (!before)
    return term;
  if (isa<ComplexType>(term.getType()))
    return complex::AddOp::create(rewriter, loc, before, term);
  if (isa<FloatType>(term.getType()))
    return arith::AddFOp::create(rewriter, loc, before, term);
  return arith::AddIOp::create(rewriter, loc, before, term);
}

/// Lets fused multiply-adds be made of `sum`, which is `before` and a term, in
/// any order: a sum over what a scan has computed, which may be bracketed in
/// any way, keeps no roundings. The term may be a product, the real
/// or the imaginary part of one, or twice that, as where only one of each two
/// states that are complex conjugates is computed.
static void contractTerm(RewriterBase &rewriter, Value sum, Value before) {
  auto add = sum.getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != before && add.getRhs() != before))
    return;
  constexpr auto contract = arith::FastMathFlags::contract;
  add.setFastmath(add.getFastmath() | contract | arith::FastMathFlags::reassoc);
  Value term = add.getLhs() == before ? add.getRhs() : add.getLhs();
  if (auto twice = term.getDefiningOp<arith::AddFOp>();
      twice && twice.getLhs() == twice.getRhs() && twice->hasOneUse()) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(twice);
    term = twice.getLhs();
    Value two = arith::ConstantOp::create(
        rewriter, twice.getLoc(), rewriter.getFloatAttr(term.getType(), 2.0));
    Value product =
        arith::MulFOp::create(rewriter, twice.getLoc(), term, two, contract);
    rewriter.replaceOp(twice, product);
  }
  auto allow = [&](auto product) {
    if (product && product->hasOneUse())
      product.setFastmath(product.getFastmath() | contract);
  };
  allow(term.getDefiningOp<arith::MulFOp>());
  Operation *part = term.getDefiningOp();
  if (isa_and_present<complex::ReOp, complex::ImOp>(part) && part->hasOneUse())
    allow(part->getOperand(0).getDefiningOp<complex::MulOp>());
}

/// Copies the body of the consumer to the end of `block`, once per point.
/// `getElement` returns what an operand other than an accumulator reads. Sums
/// are rounded less often where `contracts`.
/// Returns the elements of all results.
static SmallVector<SmallVector<Value>>
inlineBodies(RewriterBase &rewriter, const ElementwiseView &view,
             const ConsumerPlan &plan, bool contracts,
             function_ref<Value(unsigned, ArrayRef<int64_t>)> getElement) {
  SmallVector<SmallVector<Value>> stored;
  for (const ConsumerResult &result : plan.results)
    stored.emplace_back(result.placed.getNumElements());
  for (ArrayRef<int64_t> point : plan.getPoints()) {
    SmallVector<Value> elements(plan.operands.size());
    if (!plan.isReduction)
      for (auto [number, result] : llvm::enumerate(plan.results))
        if (std::optional<unsigned> operand = view.getAccumulator(number))
          elements[*operand] = stored[number][result.placed.getPosition(point)];
    for (auto [i, element] : llvm::enumerate(elements))
      if (!element)
        element = getElement(i, point);
    auto getIndex = [&](unsigned loop) {
      return createLoopIndex(rewriter, view.getOperation()->getLoc(),
                             plan.loops[loop], point);
    };
    SmallVector<Value> values = view.inlineBody(rewriter, elements, getIndex);
    for (auto [number, result] : llvm::enumerate(plan.results)) {
      Value &value = stored[number][result.placed.getPosition(point)];
      Value before = value;
      if (plan.isReduction)
        value = addTerm(rewriter, view, number, values[number], before);
      else
        value = values[number];
      if (!plan.isReduction && view.getAccumulator(number))
        before = elements[*view.getAccumulator(number)];
      if (contracts && before)
        contractTerm(rewriter, value, before);
    }
  }
  return stored;
}

KernelOp scan::inlineConsumer(RewriterBase &rewriter, KernelOp kernel,
                              const ElementwiseView &view, ConsumerPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Operation *consumer = view.getOperation();
  Location loc = consumer->getLoc();
  KernelParts parts(kernel);
  unsigned numOutputs = parts.outputs.size();
  SmallVector<AffineMap> &outMaps =
      plan.isFinal ? parts.finalMaps : parts.outputMaps;
  SmallVector<Value> &outs = plan.isFinal ? parts.finals : parts.outputs;
  unsigned firstOut = plan.isFinal ? numOutputs : 0;
  SmallVector<OpFoldResult> domain = kernel.getDomainSizes(rewriter, loc);
  unsigned numOld = outs.size();
  for (ConsumerResult &out : plan.results) {
    if (out.result.use_empty())
      continue;
    if (!out.init)
      out.init =
          createOut(rewriter, loc, cast<RankedTensorType>(out.result.getType()),
                    out.placed.map, domain);
    if (plan.isReduction)
      out.init = widen(rewriter, loc, out.init);
    outs.push_back(out.init);
    outMaps.push_back(out.placed.map);
  }

  // Where the elements of each operand are: among the yields for results, among
  // the input elements for the others.
  SmallVector<SmallVector<int64_t>> positions;
  SmallVector<Type> added;
  for (const ConsumerOperand &operand : plan.operands) {
    const PlacedOperand &placed = operand.placed;
    positions.emplace_back();
    if (operand.read) {
      auto [first, count] = getElementRange(
          outs, outMaps, operand.read.getResultNumber() - firstOut);
      llvm::append_range(positions.back(),
                         llvm::seq<int64_t>(first, first + count));
    } else if (placed.source.value) {
      positions.back() = addElements(
          rewriter, loc, placed, parts.inputs, parts.inputMaps,
          [&](unsigned i) { return parts.isPlain(i); }, added);
    }
  }

  KernelOp fused = parts.rebuild(rewriter, kernel);
  SmallVector<Location> locs(added.size(), loc);
  fused.getLoad().front().addArguments(added, locs);
  fused.getStore().front().addArguments(added, locs);
  Block &block =
      plan.isFinal ? fused.getFinalize().front() : fused.getStore().front();
  Operation *yield = block.getTerminator();
  SmallVector<Value> yields(yield->getOperands());
  unsigned inputBase = 2 * fused.getNumLeaves();
  rewriter.setInsertionPoint(yield);
  auto getElement = [&](unsigned i, ArrayRef<int64_t> point) -> Value {
    const ConsumerOperand &operand = plan.operands[i];
    if (operand.read)
      return yields[positions[i][operand.placed.getPosition(point)]];
    if (operand.placed.source.value)
      return block.getArgument(inputBase +
                               positions[i][operand.placed.getPosition(point)]);
    return materializeScalar(rewriter, loc, operand.placed.source.elementType,
                             operand.placed.source.constant);
  };
  SmallVector<SmallVector<Value>> stored = inlineBodies(
      rewriter, view, plan,
      /*contracts=*/fused.getOrder().value_or(Order::Any) == Order::Any,
      getElement);
  for (const ConsumerResult &out : plan.results)
    if (!out.result.use_empty())
      llvm::append_range(yields, stored[out.result.getResultNumber()]);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });

  // New outputs stand between the old ones and the finals.
  SmallVector<Value> oldResults(kernel.getResults()), newResults;
  unsigned shift = plan.isFinal ? 0 : outs.size() - numOld;
  for (unsigned i = 0; i < oldResults.size(); ++i)
    newResults.push_back(fused.getResult(i < numOutputs ? i : i + shift));
  unsigned next = plan.isFinal ? oldResults.size() : numOutputs;
  rewriter.setInsertionPointAfter(fused);
  for (const ConsumerResult &out : plan.results) {
    if (out.result.use_empty())
      continue;
    Value value = fused.getResult(next++);
    if (getElementTypeOrSelf(value.getType()) !=
        getElementTypeOrSelf(out.result.getType()))
      value =
          arith::TruncFOp::create(rewriter, loc, out.result.getType(), value);
    rewriter.replaceAllUsesWith(out.result, value);
  }
  rewriter.eraseOp(consumer);
  rewriter.replaceOp(kernel, newResults);
  return fused;
}
