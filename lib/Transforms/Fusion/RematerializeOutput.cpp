//===- RematerializeOutput.cpp - Compute an output where it is read -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output that needs no state of the scan is elementwise code of the kernel's
// inputs. A second kernel that reads it can compute it from these inputs, if
// that moves no more bytes than to write and read it.
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

LogicalResult scan::rematerializeOutput(RewriterBase &rewriter, KernelOp kernel,
                                        OpOperand &operand) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  auto read = dyn_cast<OpResult>(operand.get());
  auto first = operand.get().getDefiningOp<KernelOp>();
  unsigned number = operand.getOperandNumber();
  if (!first || !kernel.hasPureTensorSemantics() ||
      first->getBlock() != kernel->getBlock() ||
      number >= kernel.getInputs().size() || kernel.getShift(number) != 0 ||
      kernel.isBoundary(number) || kernel.isGathered(number) ||
      kernel.isPlaces(number))
    return fail("no plain input that a kernel computes");
  unsigned output = read.getResultNumber();
  AffineMap map = kernel.getIndexingMap(operand);
  if (output >= first.getOutputs().size() || first.isReduction(output) ||
      first.getOutputMaps()[output] != map)
    return fail("it is no output, or is read at other elements");

  KernelParts from(first), parts(kernel);
  unsigned old = getElementRange(parts.inputs, parts.inputMaps, number).first;
  auto isUnused = [&](Region &region, unsigned base) {
    return llvm::all_of(
        region.getArguments().slice(
            base + old, KernelOp::getNumElements(operand.get(), map)),
        [](Value element) { return element.use_empty(); });
  };
  if (isUnused(kernel.getLoad(), 0) &&
      isUnused(kernel.getStore(), 2 * kernel.getNumLeaves()))
    return fail("nobody looks at the input");
  Block &source = first.getStore().front();
  std::pair<unsigned, unsigned> range =
      getElementRange(from.outputs, from.outputMaps, output);
  const unsigned begin = range.first, count = range.second;
  SmallVector<Value> yields(
      source.getTerminator()->getOperands().slice(begin, count));
  llvm::SetVector<BlockArgument> arguments;
  SmallVector<Operation *> code = getCodeOf(source, yields, arguments);
  unsigned base = 2 * first.getNumLeaves();
  // The inputs that are needed, and what the kernel reads more for them.
  llvm::SetVector<unsigned> inputs;
  int64_t bytes = 0;
  unsigned numDims = countDims(map);
  for (BlockArgument argument : arguments) {
    if (argument.getArgNumber() < base)
      return fail("it needs a state of the scan");
    unsigned position = argument.getArgNumber() - base, input = 0;
    while (position >=
           getElementRange(from.inputs, from.inputMaps, input).first +
               getElementRange(from.inputs, from.inputMaps, input).second)
      ++input;
    if (from.isShifted(input))
      return fail("it needs a shifted input");
    if (from.isSegmentOffsets(input))
      return fail("it needs a list of segment offsets");
    if (from.isGathered(input))
      return fail("it needs a gathered input");
    if (inputs.insert(input) &&
        !parts.findInput(from.inputs[input], from.inputMaps[input]))
      bytes += getTraffic(
          getElementTypeOrSelf(from.inputs[input].getType()),
          from.inputMaps[input],
          KernelOp::getNumElements(from.inputs[input], from.inputMaps[input]),
          numDims);
  }
  int64_t own =
      getTraffic(getElementTypeOrSelf(read.getType()), map, count, numDims);
  if (bytes > (read.hasOneUse() ? 2 * own : own))
    return fail("it would read more than is written and read now");

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  unsigned numInputs = parts.inputs.size();
  llvm::SmallDenseMap<unsigned, unsigned> placed;
  for (unsigned input : inputs) {
    Value value = from.inputs[input];
    AffineMap inputMap = from.inputMaps[input];
    std::optional<unsigned> known = parts.findInput(value, inputMap);
    placed[input] = known ? *known : parts.addInput(value, inputMap);
  }
  KernelOp fused = parts.rebuild(rewriter, kernel);
  auto inlineInto = [&](Block &block, unsigned blockBase) {
    for (unsigned i = numInputs; i < parts.inputs.size(); ++i)
      for (int64_t j = 0, e = KernelOp::getNumElements(parts.inputs[i],
                                                       parts.inputMaps[i]);
           j < e; ++j)
        block.addArgument(getElementTypeOrSelf(parts.inputs[i].getType()),
                          kernel.getLoc());
    auto elements = block.getArguments().slice(blockBase + old, count);
    if (llvm::all_of(elements, [](Value v) { return v.use_empty(); }))
      return;
    IRMapping mapping;
    for (unsigned input : inputs) {
      auto [there, size] = getElementRange(from.inputs, from.inputMaps, input);
      unsigned here =
          getElementRange(parts.inputs, parts.inputMaps, placed[input]).first;
      for (unsigned i = 0; i < size; ++i)
        mapping.map(source.getArgument(base + there + i),
                    block.getArgument(blockBase + here + i));
    }
    rewriter.setInsertionPointToStart(&block);
    for (Operation *op : code)
      rewriter.clone(*op, mapping);
    for (auto [element, yield] : llvm::zip_equal(elements, yields))
      rewriter.replaceAllUsesWith(element, mapping.lookup(yield));
  };
  // The input that nobody looks at any more goes away by itself.
  inlineInto(fused.getLoad().front(), 0);
  inlineInto(fused.getStore().front(), 2 * fused.getNumLeaves());
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}
