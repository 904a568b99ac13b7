//===- KernelParts.cpp - Editing the operands of scan.kernel --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelParts.h"
#include "OperatorFacts.h"
#include "ScatteredOutputs.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::scan;

KernelParts::KernelParts(KernelOp op)
    : inputs(op.getInputs()), inits(op.getInits()), outputs(op.getOutputs()),
      finals(op.getFinals()), inputMaps(op.getInputMaps()),
      initMaps(op.getInitMaps()), outputMaps(op.getOutputMaps()),
      finalMaps(op.getFinalMaps()) {
  for (unsigned i = 0; i < inputs.size(); ++i) {
    shifts.push_back(op.getShift(i));
    boundaries.push_back(op.getBoundary(i));
    segmentOffsets.push_back(op.isSegmentOffsets(i));
    gathers.push_back(op.getPlacesInput(i));
  }
}

/// Gives the inputs behind the ends of the entries their own.
void KernelParts::completeEntries() {
  shifts.resize(inputs.size(), 0);
  boundaries.resize(inputs.size(), -1);
  segmentOffsets.resize(inputs.size(), false);
  gathers.resize(inputs.size(), -1);
}

unsigned KernelParts::addInput(Value value, AffineMap map, int64_t shift,
                               int64_t boundary) {
  completeEntries();
  inputs.push_back(value);
  inputMaps.push_back(map);
  shifts.push_back(shift);
  boundaries.push_back(boundary);
  segmentOffsets.push_back(false);
  gathers.push_back(-1);
  return inputs.size() - 1;
}

void KernelParts::eraseInput(unsigned input) {
  completeEntries();
  inputs.erase(inputs.begin() + input);
  inputMaps.erase(inputMaps.begin() + input);
  shifts.erase(shifts.begin() + input);
  boundaries.erase(boundaries.begin() + input);
  segmentOffsets.erase(segmentOffsets.begin() + input);
  gathers.erase(gathers.begin() + input);
  for (SmallVector<int64_t> *numbers : {&boundaries, &gathers})
    for (int64_t &number : *numbers)
      number -= number > static_cast<int64_t>(input);
}

bool KernelParts::isShifted(unsigned input) const {
  return input < shifts.size() && shifts[input] != 0;
}

bool KernelParts::isSegmentOffsets(unsigned input) const {
  return input < segmentOffsets.size() && segmentOffsets[input];
}

bool KernelParts::isGathered(unsigned input) const {
  return input < gathers.size() && gathers[input] >= 0;
}

std::optional<unsigned> KernelParts::findInput(Value value,
                                               AffineMap map) const {
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (inputs[i] == value && inputMaps[i] == map && isPlain(i))
      return i;
  return std::nullopt;
}

KernelOp KernelParts::rebuild(RewriterBase &rewriter, KernelOp op) const {
  SmallVector<AffineMap> maps(inputMaps);
  llvm::append_range(maps, initMaps);
  llvm::append_range(maps, outputMaps);
  llvm::append_range(maps, finalMaps);
  SmallVector<Type> results;
  for (ArrayRef<Value> group : {ArrayRef(outputs), ArrayRef(finals)})
    for (Value out : group)
      if (isa<TensorType>(out.getType()))
        results.push_back(out.getType());
  auto kernel =
      KernelOp::create(rewriter, op.getLoc(), results, inputs, inits, outputs,
                       finals, op.getDimAttr(), op.getReverseAttr(),
                       rewriter.getAffineMapArrayAttr(maps), op.getOrderAttr(),
                       op.getScheduleAttr());
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<int64_t> allShifts(shifts), allBoundaries(boundaries);
  allShifts.resize(inputs.size(), 0);
  allBoundaries.resize(inputs.size(), -1);
  kernel.setInputShifts(allShifts, allBoundaries);
  SmallVector<bool> allOffsets(segmentOffsets);
  allOffsets.resize(inputs.size(), false);
  kernel.setInputSegmentOffsets(allOffsets);
  SmallVector<int64_t> allGathers(gathers);
  allGathers.resize(inputs.size(), -1);
  kernel.setInputGathers(allGathers);
  kernel.setBidirectionalAttr(op.getBidirectionalAttr());
  for (auto [from, to] : llvm::zip(op->getRegions(), kernel->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.end());
  return kernel;
}

bool KernelParts::coversDomain() const {
  const AffineMap &any =
      outputMaps.empty() ? finalMaps.front() : outputMaps.front();
  llvm::SmallBitVector covered(any.getNumDims());
  auto cover = [&](ArrayRef<Value> operands, ArrayRef<AffineMap> maps) {
    for (auto [operand, map] : llvm::zip_equal(operands, maps))
      if (isa<ShapedType>(operand.getType()))
        for (AffineExpr expr : map.getResults())
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            covered.set(dim.getPosition());
  };
  cover(inputs, inputMaps);
  cover(inits, initMaps);
  cover(outputs, outputMaps);
  cover(finals, finalMaps);
  return covered.all();
}

/// Erases what nothing needs, so that the arguments that it used are unused.
static void eraseDeadCode(RewriterBase &rewriter, Block &block) {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
}

FailureOr<KernelOp> scan::eraseUnusedResults(RewriterBase &rewriter,
                                             KernelOp op) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "buffers are always written");
  unsigned numOutputs = op.getOutputs().size();
  if (llvm::none_of(op.getResults(),
                    [](Value result) { return result.use_empty(); }))
    return rewriter.notifyMatchFailure(op, "every result is used");
  if (op.use_empty())
    return rewriter.notifyMatchFailure(op, "the whole kernel is dead");

  KernelParts parts(op);
  llvm::BitVector deadStores(op.getStore().front().back().getNumOperands());
  llvm::BitVector deadFinals(op.getFinalize().front().back().getNumOperands());
  SmallVector<unsigned> kept;
  for (int i = op->getNumResults() - 1; i >= 0; --i) {
    if (!op->getResult(i).use_empty()) {
      kept.push_back(i);
      continue;
    }
    bool isOutput = i < static_cast<int>(numOutputs);
    unsigned index = isOutput ? i : i - numOutputs;
    auto &operands = isOutput ? parts.outputs : parts.finals;
    auto &maps = isOutput ? parts.outputMaps : parts.finalMaps;
    auto [first, count] = getElementRange(operands, maps, index);
    (isOutput ? deadStores : deadFinals).set(first, first + count);
    if (isOutput && isScattered(op, index))
      deadStores.set(getPlaceNumber(op, index));
    operands.erase(operands.begin() + index);
    maps.erase(maps.begin() + index);
  }
  std::reverse(kept.begin(), kept.end());
  // Without outputs some domain dimension may occur nowhere else.
  if (!parts.coversDomain())
    return rewriter.notifyMatchFailure(
        op, "an unused output is the only one to say an extent");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  KernelOp kernel = parts.rebuild(rewriter, op);
  rewriter.modifyOpInPlace(kernel, [&] {
    kernel.getStore().front().back().eraseOperands(deadStores);
    kernel.getFinalize().front().back().eraseOperands(deadFinals);
  });
  // One replacement per result, for listeners that follow the kernel; null
  // for a result that nobody uses.
  SmallVector<Value> replacements(op->getNumResults());
  for (auto [i, result] : llvm::zip_equal(kept, kernel.getResults()))
    replacements[i] = result;
  rewriter.replaceOp(op, replacements);
  return kernel;
}

void scan::eraseLeaves(RewriterBase &rewriter, KernelOp op,
                       const llvm::BitVector &dead) {
  unsigned leaves = op.getNumLeaves();
  llvm::BitVector deadTwice(2 * leaves);
  unsigned same = 0, opposite = 0;
  for (unsigned i = 0; i < leaves; ++i) {
    if (!dead.test(i)) {
      ++(op.isOpposite(i) ? opposite : same);
      continue;
    }
    deadTwice.set(i);
    deadTwice.set(leaves + i);
  }
  OperatorFacts facts = dropLeafFacts(getOperatorFacts(op), dead);
  llvm::BitVector inStore(deadTwice);
  inStore.resize(op.getStore().getNumArguments());
  rewriter.modifyOpInPlace(op, [&] {
    op.getLoad().front().back().eraseOperands(dead);
    if (op.hasInit())
      op.getInitialize().front().back().eraseOperands(dead);
    Block &combine = op.getCombine().front(), &store = op.getStore().front(),
          &finalize = op.getFinalize().front();
    combine.back().eraseOperands(dead);
    for (Block *block : {&combine, &store, &finalize})
      eraseDeadCode(rewriter, *block);
    combine.eraseArguments(deadTwice);
    store.eraseArguments(inStore);
    finalize.eraseArguments(dead);
    if (same == 0)
      op.setReverse(!op.getReverse());
    op.setBidirectionalAttr(same == 0 || opposite == 0
                                ? IntegerAttr()
                                : rewriter.getI64IntegerAttr(opposite));
    setOperatorFacts(op, facts);
  });
}

std::pair<unsigned, unsigned> scan::getElementRange(ArrayRef<Value> operands,
                                                    ArrayRef<AffineMap> maps,
                                                    unsigned which) {
  unsigned first = 0;
  for (unsigned i = 0; i < which; ++i)
    first += KernelOp::getNumElements(operands[i], maps[i]);
  return {first, KernelOp::getNumElements(operands[which], maps[which])};
}

SmallVector<ArrayRef<BlockArgument>> scan::getInputArguments(KernelOp op,
                                                             Region &region) {
  // Leaves come before the elements of inputs.
  SmallVector<ArrayRef<BlockArgument>> arguments(op.getInputs().size());
  ArrayRef<BlockArgument> rest = region.getArguments();
  for (size_t i = arguments.size(); i-- > 0;) {
    int64_t count =
        KernelOp::getNumElements(op.getInputs()[i], op.getInputMaps()[i]);
    arguments[i] = rest.take_back(count);
    rest = rest.drop_back(count);
  }
  return arguments;
}
