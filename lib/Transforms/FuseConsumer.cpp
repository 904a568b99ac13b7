//===- FuseConsumer.cpp - Elementwise code into store and finalize --------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// A result of the consumer that becomes an output or final of the kernel.
struct NewOut {
  OpResult result;
  /// What the kernel writes it to; null if a new tensor has to be made.
  Value init;
  PlacedOperand placed;
};

/// A consumer placed in the domain of the kernel whose results it reads.
struct ConsumerPlan {
  static std::optional<ConsumerPlan>
  get(KernelOp kernel, const ElementwiseView &view, std::string &why);

  /// True if it reads final states, false if it reads outputs.
  bool isFinal = false;
  SmallVector<LoopPlace> loops;
  SmallVector<int64_t> trailingShape;
  SmallVector<PlacedOperand> operands;
  SmallVector<NewOut> outs;
  /// What it reads or writes to besides the results of the kernel.
  SmallVector<Value> needed;

private:
  bool placeByFirstRead(KernelOp kernel, const ElementwiseView &view,
                        std::string &why);
  bool placeOperands(KernelOp kernel, const ElementwiseView &view,
                     std::string &why);
  bool placeResults(KernelOp kernel, const ElementwiseView &view,
                    std::string &why);
};

/// The result of `kernel` that `operand` is, if it is one.
OpResult getResultOf(KernelOp kernel, const ElementwiseView::Operand &operand) {
  auto result = dyn_cast_or_null<OpResult>(operand.value);
  return result && result.getOwner() == kernel ? result : OpResult();
}

AffineMap getMapOf(KernelOp kernel, OpResult result) {
  return kernel.getIndexingMap(*kernel.getTiedOpOperand(result));
}

/// The loops lie in the domain as those of the first result that is read.
bool ConsumerPlan::placeByFirstRead(KernelOp kernel,
                                    const ElementwiseView &view,
                                    std::string &why) {
  for (const ElementwiseView::Operand &operand : view.getOperands()) {
    OpResult read = getResultOf(kernel, operand);
    if (!read)
      continue;
    if (!operand.map.isPermutation()) {
      why = "it reads a result repeatedly";
      return false;
    }
    isFinal = read.getResultNumber() >= kernel.getOutputs().size();
    AffineMap map = getMapOf(kernel, read);
    trailingShape = llvm::to_vector(KernelOp::getTrailingShape(read, map));
    loops = placeLoops(operand.map, map);
    return true;
  }
  why = "it reads no result of the kernel";
  return false;
}

/// Everything it reads: own results at the same point, or other inputs.
bool ConsumerPlan::placeOperands(KernelOp kernel, const ElementwiseView &view,
                                 std::string &why) {
  for (const ElementwiseView::Operand &source : view.getOperands()) {
    std::optional<PlacedOperand> placed =
        placeOperand(source, loops, kernel.getDomainRank(), why);
    if (!placed)
      return false;
    if (OpResult read = getResultOf(kernel, source)) {
      bool readsFinal = read.getResultNumber() >= kernel.getOutputs().size();
      if (readsFinal != isFinal || getMapOf(kernel, read) != placed->map) {
        why = "it reads results at different points";
        return false;
      }
    } else if (source.value) {
      if (isFinal) {
        why = "it reads something else beside a final state";
        return false;
      }
      needed.push_back(source.value);
    }
    operands.push_back(std::move(*placed));
  }
  return true;
}

/// Its results that are used. All dimensions of theirs that are not of the
/// domain are unrolled ones, behind the others.
bool ConsumerPlan::placeResults(KernelOp kernel, const ElementwiseView &view,
                                std::string &why) {
  auto destinationStyle =
      dyn_cast<DestinationStyleOpInterface>(view.getOperation());
  for (OpResult result : view.getOperation()->getResults()) {
    if (result.use_empty())
      continue;
    ElementwiseView::Operand asOperand = {
        result,
        {},
        getElementTypeOrSelf(result.getType()),
        view.getResultMap(result.getResultNumber())};
    std::optional<PlacedOperand> placed =
        placeOperand(asOperand, loops, kernel.getDomainRank(), why);
    if (!placed)
      return false;
    NewOut out = {result, {}, std::move(*placed)};
    if (destinationStyle) {
      Value init =
          destinationStyle.getDpsInitOperand(result.getResultNumber())->get();
      if (!init.getDefiningOp<tensor::EmptyOp>()) {
        out.init = init;
        needed.push_back(init);
      }
    }
    outs.push_back(std::move(out));
  }
  return true;
}

std::optional<ConsumerPlan> ConsumerPlan::get(KernelOp kernel,
                                              const ElementwiseView &view,
                                              std::string &why) {
  ConsumerPlan plan;
  if (!plan.placeByFirstRead(kernel, view, why) ||
      !plan.placeOperands(kernel, view, why) ||
      !plan.placeResults(kernel, view, why))
    return std::nullopt;
  return plan;
}

/// A new tensor of `type` with the extents of the kernel's domain.
Value createOut(RewriterBase &rewriter, Location loc, RankedTensorType type,
                AffineMap map, ArrayRef<OpFoldResult> domain) {
  SmallVector<Value> sizes;
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(getValueOrCreateConstantIndexOp(
          rewriter, loc,
          domain[cast<AffineDimExpr>(map.getResult(i)).getPosition()]));
  return tensor::EmptyOp::create(rewriter, loc, type, sizes);
}

} // namespace

LogicalResult scan::fuseConsumer(RewriterBase &rewriter, KernelOp kernel,
                                 Operation *consumer) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(consumer,
                                       "not inlined into the scan: " + reason);
  };
  if (consumer->getBlock() != kernel->getBlock() ||
      !kernel.hasPureTensorSemantics())
    return fail("it is not in the block of the kernel, or reads a buffer");
  std::string why = "a cast computes nothing";
  std::optional<ElementwiseView> view;
  if (!isa<tensor::CastOp>(consumer))
    view = ElementwiseView::get(consumer, why);
  if (!view)
    return fail(why);
  std::optional<ConsumerPlan> plan = ConsumerPlan::get(kernel, *view, why);
  if (!plan)
    return fail(why);

  // What is needed must be there before the kernel, and so must not depend on
  // it.
  llvm::erase_if(plan->needed, [&](Value value) {
    Operation *def = value.getDefiningOp();
    return !def || def->getBlock() != kernel->getBlock() ||
           def->isBeforeInBlock(kernel);
  });
  if (!plan->needed.empty() &&
      failed(moveValueDefinitions(rewriter, plan->needed, kernel)))
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
  SmallVector<OpFoldResult> domain;
  for (NewOut &out : plan->outs) {
    if (!out.init) {
      if (domain.empty())
        domain = kernel.getDomainSizes(rewriter, loc);
      out.init =
          createOut(rewriter, loc, cast<RankedTensorType>(out.result.getType()),
                    out.placed.map, domain);
    }
    outs.push_back(out.init);
    outMaps.push_back(out.placed.map);
  }

  // Where the elements of each operand start: among the yields for results,
  // among the input elements for the others.
  int64_t numElements = kernel.getLoad().getNumArguments();
  SmallVector<int64_t> firsts;
  SmallVector<const PlacedOperand *> added;
  for (const PlacedOperand &placed : plan->operands) {
    Value value = placed.source.value;
    firsts.push_back(-1);
    if (!value)
      continue;
    if (OpResult read = getResultOf(kernel, placed.source)) {
      firsts.back() =
          getElementRange(outs, outMaps, read.getResultNumber() - firstOut)
              .first;
      continue;
    }
    for (unsigned i = 0; i < parts.inputs.size(); ++i)
      if (parts.inputs[i] == value && parts.inputMaps[i] == placed.map)
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
  int64_t numPoints = ShapedType::getNumElements(plan->trailingShape);
  SmallVector<SmallVector<Value>> stored;
  for (const NewOut &out : plan->outs)
    stored.emplace_back(out.placed.getNumElements());
  SmallVector<int64_t> strides = computeStrides(plan->trailingShape);
  for (int64_t i = 0; i < numPoints; ++i) {
    SmallVector<int64_t> point = delinearize(i, strides);
    SmallVector<Value> elements;
    for (auto [placed, first] : llvm::zip_equal(plan->operands, firsts)) {
      int64_t position = first + placed.getPosition(point);
      if (!placed.source.value)
        elements.push_back(materializeScalar(
            rewriter, loc, placed.source.elementType, placed.source.constant));
      else if (getResultOf(kernel, placed.source))
        elements.push_back(yields[position]);
      else
        elements.push_back(block.getArgument(inputBase + position));
    }
    SmallVector<Value> results = view->inlineBody(rewriter, elements);
    for (auto [out, scalars] : llvm::zip_equal(plan->outs, stored))
      scalars[out.placed.getPosition(point)] =
          results[out.result.getResultNumber()];
  }
  for (ArrayRef<Value> scalars : stored)
    llvm::append_range(yields, scalars);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });

  // New outputs stand between the old ones and the finals.
  SmallVector<Value> oldResults(kernel.getResults()), newResults;
  unsigned shift = plan->isFinal ? 0 : plan->outs.size();
  for (unsigned i = 0; i < oldResults.size(); ++i)
    newResults.push_back(fused.getResult(i < numOutputs ? i : i + shift));
  unsigned firstNew = plan->isFinal ? oldResults.size() : numOutputs;
  for (auto [i, out] : llvm::enumerate(plan->outs))
    rewriter.replaceAllUsesWith(out.result, fused.getResult(firstNew + i));
  rewriter.eraseOp(consumer);
  rewriter.replaceOp(kernel, newResults);
  return success();
}
