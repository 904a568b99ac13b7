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
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// A result of the consumer that becomes an output or final of the kernel.
struct NewOut {
  Value result, init;
  PlacedOperand placed;
};

/// The init of result `result` of `op` that can become an operand of the kernel
/// as it is; null if a new tensor has to be made.
Value getReusableInit(Operation *op, unsigned result) {
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destinationStyle)
    return {};
  Value init = destinationStyle.getDpsInitOperand(result)->get();
  return init.getDefiningOp<tensor::EmptyOp>() ? Value() : init;
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
    return rewriter.notifyMatchFailure(consumer, reason);
  };
  if (consumer->getBlock() != kernel->getBlock() ||
      !kernel.hasPureTensorSemantics())
    return fail("not in the block of the kernel, or buffers");
  std::string why;
  std::optional<ElementwiseView> view = ElementwiseView::get(consumer, why);
  if (!view || isa<tensor::CastOp>(consumer))
    return fail("the consumer cannot be inlined: " + why);

  KernelParts parts(kernel);
  unsigned numOutputs = parts.outputs.size();
  // The loops lie in the domain as those of the first result that is read.
  SmallVector<LoopPlace> loops;
  SmallVector<int64_t> trailingShape;
  bool isFinal = false;
  for (const ElementwiseView::Operand &operand : view->getOperands()) {
    auto read = dyn_cast_or_null<OpResult>(operand.value);
    if (!read || read.getOwner() != kernel)
      continue;
    if (!operand.map.isPermutation())
      return fail("the consumer reads a result repeatedly");
    unsigned i = read.getResultNumber();
    isFinal = i >= numOutputs;
    AffineMap map =
        isFinal ? parts.finalMaps[i - numOutputs] : parts.outputMaps[i];
    trailingShape =
        llvm::to_vector(KernelOp::getTrailingShape(operand.value, map));
    loops = placeLoops(operand.map, map);
    break;
  }
  if (loops.empty() && view->getNumLoops() != 0)
    return fail("the consumer reads no result of the kernel");

  // Everything it reads: own results at the same point, or other inputs.
  SmallVector<AffineMap> &outMaps =
      isFinal ? parts.finalMaps : parts.outputMaps;
  SmallVector<Value> &outs = isFinal ? parts.finals : parts.outputs;
  SmallVector<PlacedOperand> operands;
  SmallVector<Value> needed;
  bool readsKernel = false;
  for (const ElementwiseView::Operand &source : view->getOperands()) {
    std::optional<PlacedOperand> placed =
        placeOperand(source, loops, kernel.getDomainRank(), why);
    if (!placed)
      return fail("the consumer cannot be inlined: " + why);
    auto read = dyn_cast_or_null<OpResult>(source.value);
    if (read && read.getOwner() == kernel) {
      readsKernel = true;
      unsigned i = read.getResultNumber();
      if ((i >= numOutputs) != isFinal ||
          outMaps[isFinal ? i - numOutputs : i] != placed->map)
        return fail("the consumer reads results at different points");
    } else if (source.value) {
      if (isFinal)
        return fail("the consumer of a final state reads something else");
      needed.push_back(source.value);
    }
    operands.push_back(std::move(*placed));
  }
  if (!readsKernel)
    return fail("the consumer reads no result of the kernel");

  SmallVector<NewOut> newOuts;
  for (OpResult result : consumer->getResults()) {
    if (result.use_empty())
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    NewOut out = {
        result, getReusableInit(consumer, result.getResultNumber()), {}};
    ElementwiseView::Operand asOperand = {
        result,
        {},
        type.getElementType(),
        view->getResultMap(result.getResultNumber())};
    std::optional<PlacedOperand> placed =
        placeOperand(asOperand, loops, kernel.getDomainRank(), why);
    if (!placed)
      return fail("the consumer cannot be inlined: " + why);
    // An unrolled loop in front of a loop over the domain was ruled out; all
    // dimensions that are left over are unrolled ones.
    out.placed = std::move(*placed);
    if (out.init)
      needed.push_back(out.init);
    newOuts.push_back(std::move(out));
  }

  // What is needed must be there before the kernel, and so must not depend on
  // it.
  llvm::erase_if(needed, [&](Value value) {
    Operation *def = value.getDefiningOp();
    return !def || def->getBlock() != kernel->getBlock() ||
           def->isBeforeInBlock(kernel);
  });
  if (!needed.empty() && failed(moveValueDefinitions(rewriter, needed, kernel)))
    return fail("the consumer needs something else that depends on the kernel");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Location loc = consumer->getLoc();
  SmallVector<OpFoldResult> domain;
  for (NewOut &out : newOuts) {
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
  for (const PlacedOperand &placed : operands) {
    Value value = placed.source.value;
    firsts.push_back(-1);
    if (!value)
      continue;
    if (value.getDefiningOp() == kernel) {
      unsigned i = cast<OpResult>(value).getResultNumber();
      firsts.back() =
          getElementRange(outs, outMaps, isFinal ? i - numOutputs : i).first;
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
      isFinal ? fused.getFinalize().front() : fused.getStore().front();
  Operation *yield = block.getTerminator();
  SmallVector<Value> yields(yield->getOperands());
  unsigned inputBase = 2 * fused.getNumLeaves();
  rewriter.setInsertionPoint(yield);
  int64_t numPoints = ShapedType::getNumElements(trailingShape);
  SmallVector<SmallVector<Value>> stored;
  for (const NewOut &out : newOuts)
    stored.emplace_back(out.placed.getNumElements());
  SmallVector<int64_t> strides = computeStrides(trailingShape);
  for (int64_t i = 0; i < numPoints; ++i) {
    SmallVector<int64_t> point = delinearize(i, strides);
    SmallVector<Value> elements;
    for (auto [placed, first] : llvm::zip_equal(operands, firsts)) {
      int64_t position = first + placed.getPosition(point);
      if (!placed.source.value)
        elements.push_back(materializeScalar(
            rewriter, loc, placed.source.elementType, placed.source.constant));
      else if (placed.source.value.getDefiningOp() == kernel)
        elements.push_back(yields[position]);
      else
        elements.push_back(block.getArgument(inputBase + position));
    }
    SmallVector<Value> results = view->inlineBody(rewriter, elements);
    for (auto [out, scalars] : llvm::zip_equal(newOuts, stored))
      scalars[out.placed.getPosition(point)] =
          results[cast<OpResult>(out.result).getResultNumber()];
  }
  for (ArrayRef<Value> scalars : stored)
    llvm::append_range(yields, scalars);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });

  // New outputs stand between the old ones and the finals.
  SmallVector<Value> oldResults(kernel.getResults()), newResults;
  unsigned shift = isFinal ? 0 : newOuts.size();
  for (unsigned i = 0; i < oldResults.size(); ++i)
    newResults.push_back(fused.getResult(i < numOutputs ? i : i + shift));
  unsigned firstNew = isFinal ? oldResults.size() : numOutputs;
  for (auto [i, out] : llvm::enumerate(newOuts))
    rewriter.replaceAllUsesWith(out.result, fused.getResult(firstNew + i));
  rewriter.eraseOp(consumer);
  rewriter.replaceOp(kernel, newResults);
  return success();
}
