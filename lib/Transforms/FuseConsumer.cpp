//===- FuseConsumer.cpp - Elementwise code into store and finalize --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "Scan/Analysis/Traffic.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

SmallVector<Operation *> scan::getConsumers(KernelOp kernel) {
  SetVector<Operation *> users(kernel->user_begin(), kernel->user_end());
  for (size_t i = 0; i < users.size(); ++i)
    if (isa<tensor::CastOp, tensor::ExpandShapeOp>(users[i]))
      users.insert(users[i]->user_begin(), users[i]->user_end());
  return users.takeVector();
}

/// Makes what the consumer needs besides the kernel available before it.
static LogicalResult provide(RewriterBase &rewriter, KernelOp kernel,
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

/// The bytes that the leaves of the kernel take.
static int64_t getStateBytes(KernelOp kernel) {
  int64_t bytes = 0;
  for (Type type : kernel.getLeafTypes())
    bytes += getElementBytes(type);
  return bytes;
}

/// Whether the kernel may be unrolled over the dimensions `dims` to inline
/// `consumer`: if not, says why. It always moves fewer bytes then, since what
/// is reduced need not be read again, and often not be written.
static LogicalResult checkUnrolling(KernelOp kernel, Operation *consumer,
                                    const llvm::SmallBitVector &dims,
                                    const KernelShape &shape,
                                    const FusionOptions &options,
                                    std::string &why) {
  SmallVector<int64_t> domain = kernel.getStaticDomainShape();
  int64_t bytes = getStateBytes(kernel);
  bool isLarge = bytes > options.maxStateBytes;
  for (unsigned d : dims.set_bits()) {
    isLarge |= domain[d] > options.maxStateBytes ||
               bytes * domain[d] > options.maxStateBytes;
    bytes = isLarge ? bytes : bytes * domain[d];
  }
  if (isLarge) {
    why = "the leaves of an unrolled point would take more bytes than allowed";
    return failure();
  }
  if (kernel.getScheduleAttr()) {
    why = "the kernel would have to be unrolled, but has a schedule already";
    return failure();
  }
  for (OpResult result : kernel->getResults())
    if (shape.isReordered(result) &&
        llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user != consumer; })) {
      why =
          "a result with other users has the dimension to unroll before others";
      return failure();
    }
  return success();
}

/// Copies the body of the consumer to the end of `block`, once per point.
/// `getElement` returns what an operand other than an accumulator reads.
/// Returns the elements of all results.
static SmallVector<SmallVector<Value>>
inlineConsumer(OpBuilder &builder, const ElementwiseView &view,
               const ConsumerPlan &plan,
               function_ref<Value(unsigned, ArrayRef<int64_t>)> getElement) {
  SmallVector<SmallVector<Value>> stored;
  for (const ConsumerResult &result : plan.results)
    stored.emplace_back(result.placed.getNumElements());
  for (ArrayRef<int64_t> point : plan.getPoints()) {
    SmallVector<Value> elements(plan.operands.size());
    for (auto [number, result] : llvm::enumerate(plan.results))
      if (std::optional<unsigned> operand = view.getAccumulator(number))
        elements[*operand] = stored[number][result.placed.getPosition(point)];
    for (auto [i, element] : llvm::enumerate(elements))
      if (!element)
        element = getElement(i, point);
    auto getIndex = [&](unsigned loop) {
      return createLoopIndex(builder, view.getOperation()->getLoc(),
                             plan.loops[loop], point);
    };
    SmallVector<Value> values = view.inlineBody(builder, elements, getIndex);
    for (auto [number, result] : llvm::enumerate(plan.results))
      stored[number][result.placed.getPosition(point)] = values[number];
  }
  return stored;
}

/// True if the consumer reads final states of both directions of `kernel`: no
/// final may depend on both (C19).
static bool readsBothFinals(KernelOp kernel, const ConsumerPlan &plan) {
  if (kernel.getNumOpposite() == 0 || !plan.isFinal)
    return false;
  SmallVector<KernelOp::Direction> directions = kernel.getFinalDirections();
  std::optional<KernelOp::Direction> known;
  for (const ConsumerOperand &operand : plan.operands) {
    if (!operand.read)
      continue;
    KernelOp::Direction direction =
        directions[operand.read.getResultNumber() - kernel.getOutputs().size()];
    if (known && *known != direction)
      return true;
    known = direction;
  }
  return false;
}

LogicalResult scan::fuseConsumer(RewriterBase &rewriter, KernelOp kernel,
                                 Operation *consumer,
                                 const FusionOptions &options, bool mayUnroll) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(consumer,
                                       "not inlined into the scan: " + reason);
  };
  if (consumer->getBlock() != kernel->getBlock() ||
      !kernel.hasPureTensorSemantics())
    return fail("it is not in the block of the kernel, or reads a buffer");
  std::string why = "a cast or a reshape computes nothing";
  std::optional<ElementwiseView> view;
  if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          consumer))
    view = ElementwiseView::get(consumer, why, /*allowReductions=*/true);
  if (!view)
    return fail(why);
  llvm::SmallBitVector reduced;
  std::optional<ConsumerPlan> plan =
      ConsumerPlan::get(kernel, KernelShape(kernel), *view, reduced, why);
  if (!plan && reduced.any() && mayUnroll) {
    std::optional<KernelShape> shape =
        KernelShape::getUnrolled(kernel, reduced, why);
    if (!shape ||
        failed(checkUnrolling(kernel, consumer, reduced, *shape, options, why)))
      return fail(why);
    llvm::SmallBitVector left;
    plan = ConsumerPlan::get(kernel, *shape, *view, left, why);
    if (!plan)
      return fail(why);
    // From here on nothing fails.
    if (failed(provide(rewriter, kernel, *plan)))
      return fail("it needs something else that depends on the kernel");
    kernel = unrollDomain(rewriter, kernel, reduced);
    view = ElementwiseView::get(consumer, why, /*allowReductions=*/true);
    plan = ConsumerPlan::get(kernel, KernelShape(kernel), *view, left, why);
    assert(plan && "not the shape that was planned with");
  }
  if (!plan)
    return fail(why);
  if (readsBothFinals(kernel, *plan))
    return fail("it reads final states of both directions");
  // What is needed must be there before the kernel, and so must not depend on
  // it.
  if (failed(provide(rewriter, kernel, *plan)))
    return fail("it needs something else that depends on the kernel");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Location loc = consumer->getLoc();
  KernelParts parts(kernel);
  unsigned numOutputs = parts.outputs.size();
  SmallVector<AffineMap> &outMaps =
      plan->isFinal ? parts.finalMaps : parts.outputMaps;
  SmallVector<Value> &outs = plan->isFinal ? parts.finals : parts.outputs;
  unsigned firstOut = plan->isFinal ? numOutputs : 0;
  SmallVector<OpFoldResult> domain = kernel.getDomainSizes(rewriter, loc);
  unsigned numOld = outs.size();
  for (ConsumerResult &out : plan->results) {
    if (out.result.use_empty())
      continue;
    if (!out.init)
      out.init =
          createOut(rewriter, loc, cast<RankedTensorType>(out.result.getType()),
                    out.placed.map, domain);
    outs.push_back(out.init);
    outMaps.push_back(out.placed.map);
  }

  // Where the elements of each operand start: among the yields for results,
  // among the input elements for the others.
  int64_t numElements = kernel.getLoad().getNumArguments();
  SmallVector<int64_t> firsts;
  SmallVector<const PlacedOperand *> added;
  for (const ConsumerOperand &operand : plan->operands) {
    const PlacedOperand &placed = operand.placed;
    Value value = placed.source.value;
    firsts.push_back(-1);
    if (!value)
      continue;
    if (operand.read) {
      firsts.back() = getElementRange(outs, outMaps,
                                      operand.read.getResultNumber() - firstOut)
                          .first;
      continue;
    }
    for (unsigned i = 0; i < parts.inputs.size(); ++i)
      if (parts.inputs[i] == value && parts.inputMaps[i] == placed.map &&
          !parts.isShifted(i))
        firsts.back() = getElementRange(parts.inputs, parts.inputMaps, i).first;
    if (firsts.back() >= 0)
      continue;
    firsts.back() = numElements;
    numElements += placed.getNumElements();
    parts.inputs.push_back(value);
    parts.inputMaps.push_back(placed.map);
    added.push_back(&placed);
  }

  KernelOp fused = parts.rebuild(rewriter, kernel);
  for (const PlacedOperand *placed : added) {
    addElementArguments(fused.getLoad().front(), *placed, loc);
    addElementArguments(fused.getStore().front(), *placed, loc);
  }
  Block &block =
      plan->isFinal ? fused.getFinalize().front() : fused.getStore().front();
  Operation *yield = block.getTerminator();
  SmallVector<Value> yields(yield->getOperands());
  unsigned inputBase = 2 * fused.getNumLeaves();
  rewriter.setInsertionPoint(yield);
  auto getElement = [&](unsigned i, ArrayRef<int64_t> point) -> Value {
    const ConsumerOperand &operand = plan->operands[i];
    int64_t position = firsts[i] + operand.placed.getPosition(point);
    if (operand.read)
      return yields[position];
    if (operand.placed.source.value)
      return block.getArgument(inputBase + position);
    return materializeScalar(rewriter, loc, operand.placed.source.elementType,
                             operand.placed.source.constant);
  };
  SmallVector<SmallVector<Value>> stored =
      inlineConsumer(rewriter, *view, *plan, getElement);
  for (const ConsumerResult &out : plan->results)
    if (!out.result.use_empty())
      llvm::append_range(yields, stored[out.result.getResultNumber()]);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });

  // New outputs stand between the old ones and the finals.
  SmallVector<Value> oldResults(kernel.getResults()), newResults;
  unsigned shift = plan->isFinal ? 0 : outs.size() - numOld;
  for (unsigned i = 0; i < oldResults.size(); ++i)
    newResults.push_back(fused.getResult(i < numOutputs ? i : i + shift));
  unsigned next = plan->isFinal ? oldResults.size() : numOutputs;
  for (const ConsumerResult &out : plan->results)
    if (!out.result.use_empty())
      rewriter.replaceAllUsesWith(out.result, fused.getResult(next++));
  rewriter.eraseOp(consumer);
  rewriter.replaceOp(kernel, newResults);
  return success();
}
