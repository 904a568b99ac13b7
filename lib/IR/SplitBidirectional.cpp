//===- SplitBidirectional.cpp - Kernels that scan in both directions ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitBidirectional.h"
#include "CombineRegion.h"
#include "KernelParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

using Direction = KernelOp::Direction;

/// Removes those `operands` whose direction is not wanted, and what `yield` has
/// for them.
static void keepDirections(SmallVector<Value> &operands,
                           SmallVector<AffineMap> &maps,
                           ArrayRef<Direction> directions,
                           function_ref<bool(Direction)> isWanted,
                           Operation &yield) {
  llvm::BitVector dead(yield.getNumOperands());
  SmallVector<Value> keptOperands;
  SmallVector<AffineMap> keptMaps;
  for (auto [i, direction] : llvm::enumerate(directions)) {
    if (isWanted(direction)) {
      keptOperands.push_back(operands[i]);
      keptMaps.push_back(maps[i]);
      continue;
    }
    auto [first, count] = getElementRange(operands, maps, i);
    dead.set(first, first + count);
  }
  yield.eraseOperands(dead);
  operands = std::move(keptOperands);
  maps = std::move(keptMaps);
}

/// Erases the leaves of the other direction than `isOpposite` says.
static void keepLeaves(RewriterBase &rewriter, KernelOp kernel,
                       bool isOpposite) {
  llvm::BitVector dead(kernel.getNumLeaves());
  for (unsigned i = 0; i < dead.size(); ++i)
    if (kernel.isOpposite(i) != isOpposite)
      dead.set(i);
  eraseLeaves(rewriter, kernel, dead);
}

/// Appends an input, with arguments for its elements; returns that of `store`
/// for the first one.
static BlockArgument addInput(KernelParts &parts, KernelOp kernel, Value value,
                              AffineMap map) {
  parts.addInput(value, map);
  Block &store = kernel.getStore().front();
  unsigned first = store.getNumArguments();
  for (Block *block : {&kernel.getLoad().front(), &store})
    for (int64_t i = 0, e = KernelOp::getNumElements(value, map); i < e; ++i)
      block->addArgument(getElementTypeOrSelf(value.getType()),
                         kernel.getLoc());
  return store.getArgument(first);
}

/// Extents that only an output or a final of the other direction says are read
/// from there.
static void addExtents(KernelParts &parts, KernelOp copy, KernelOp kernel) {
  SmallVector<Value> values(kernel.getOutputs());
  SmallVector<AffineMap> maps = kernel.getOutputMaps();
  llvm::append_range(values, kernel.getFinals());
  llvm::append_range(maps, kernel.getFinalMaps());
  for (auto [value, map] : llvm::zip_equal(values, maps))
    if (!parts.coversDomain())
      addInput(parts, copy, value, map);
}

/// True if no argument of `block` from `first` on, `count` of them, is used.
static bool areUnused(Block &block, unsigned first, unsigned count) {
  return llvm::all_of(
      block.getArguments().slice(first, count),
      [](BlockArgument argument) { return argument.use_empty(); });
}

/// The kernel without inputs and inits that no region looks at.
static KernelOp dropUnusedOperands(RewriterBase &rewriter, KernelOp kernel) {
  if (!kernel)
    return kernel;
  KernelParts parts(kernel);
  unsigned inStore = 2 * kernel.getNumLeaves();
  Block &load = kernel.getLoad().front(), &store = kernel.getStore().front(),
        &initialize = kernel.getInitialize().front();
  for (unsigned i = parts.inputs.size(); i-- > 0;) {
    auto [first, count] = getElementRange(parts.inputs, parts.inputMaps, i);
    bool isBoundary =
        llvm::is_contained(parts.boundaries, static_cast<int64_t>(i));
    if (isBoundary || !areUnused(load, first, count) ||
        !areUnused(store, inStore + first, count))
      continue;
    KernelParts fewer(parts);
    fewer.eraseInput(i);
    if (!fewer.coversDomain())
      continue;
    parts = std::move(fewer);
    load.eraseArguments(first, count);
    store.eraseArguments(inStore + first, count);
  }
  for (unsigned i = parts.inits.size(); i-- > 0;) {
    auto [first, count] = getElementRange(parts.inits, parts.initMaps, i);
    // A kernel with an initial state has an operand for it.
    if (parts.inits.size() == 1 || !areUnused(initialize, first, count))
      continue;
    parts.inits.erase(parts.inits.begin() + i);
    parts.initMaps.erase(parts.initMaps.begin() + i);
    initialize.eraseArguments(first, count);
  }
  KernelOp result = parts.rebuild(rewriter, kernel);
  rewriter.eraseOp(kernel);
  return result;
}

/// The values of leaves of the kernel's own direction, arguments of `store`,
/// that outputs of both directions need.
static SmallVector<unsigned> getSharedStates(KernelOp kernel) {
  unsigned leaves = kernel.getNumLeaves(), yield = 0;
  llvm::SmallBitVector shared(kernel.getStore().getNumArguments());
  for (auto [output, map, direction] :
       llvm::zip_equal(kernel.getOutputs(), kernel.getOutputMaps(),
                       kernel.getOutputDirections()))
    for (unsigned e = yield + KernelOp::getNumElements(output, map); yield < e;
         ++yield)
      if (direction == Direction::Both)
        shared |=
            scan::impl::getNeededArguments(kernel.getStore().front(), yield);
  SmallVector<unsigned> result;
  for (unsigned argument : shared.set_bits())
    if (argument < 2 * leaves && !kernel.isOpposite(argument % leaves))
      result.push_back(argument);
  return result;
}

/// The kernel of the leaves of one direction, with the outputs and finals for
/// which `isWanted` holds and what `connect` adds to a copy of `kernel`; null
/// if it has nothing to store.
static KernelOp
createDirection(RewriterBase &rewriter, KernelOp kernel, bool isOpposite,
                function_ref<bool(Direction)> isWanted,
                function_ref<void(KernelParts &, KernelOp, Block &)> connect) {
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  KernelParts parts(copy);
  Block &store = copy.getStore().front();
  SmallVector<Direction> outputs = copy.getOutputDirections(),
                         finals = copy.getFinalDirections();
  keepDirections(parts.outputs, parts.outputMaps, outputs, isWanted,
                 store.back());
  keepDirections(parts.finals, parts.finalMaps, finals, isWanted,
                 copy.getFinalize().front().back());
  connect(parts, copy, store);
  KernelOp result;
  if (!parts.outputs.empty() || !parts.finals.empty()) {
    addExtents(parts, copy, kernel);
    result = parts.rebuild(rewriter, copy);
    keepLeaves(rewriter, result, isOpposite);
  }
  rewriter.eraseOp(copy);
  return result;
}

KernelDirections scan::splitBidirectional(RewriterBase &rewriter,
                                          KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  SmallVector<unsigned> shared = getSharedStates(kernel);
  AffineMap identity = rewriter.getMultiDimIdentityMap(kernel.getDomainRank());
  SmallVector<Value> buffers;
  if (!shared.empty()) {
    SmallVector<OpFoldResult> domain =
        kernel.getDomainSizes(rewriter, kernel.getLoc());
    for (unsigned argument : shared)
      buffers.push_back(tensor::EmptyOp::create(
          rewriter, kernel.getLoc(), domain,
          kernel.getStore().getArgument(argument).getType()));
  }
  KernelDirections split;
  // The states that the other direction needs, too, are further outputs.
  KernelOp own = createDirection(
      rewriter, kernel, /*isOpposite=*/false,
      [](Direction direction) { return direction == Direction::Same; },
      [&](KernelParts &parts, KernelOp, Block &store) {
        for (auto [argument, buffer] : llvm::zip_equal(shared, buffers)) {
          parts.outputs.push_back(buffer);
          parts.outputMaps.push_back(identity);
          store.back().insertOperands(store.back().getNumOperands(),
                                      store.getArgument(argument));
        }
      });
  split.same = dropUnusedOperands(rewriter, own);
  SmallVector<Value> states;
  SmallVector<Direction> directions = kernel.getOutputDirections();
  unsigned numSame = llvm::count(directions, Direction::Same);
  if (!shared.empty())
    states = split.same->getResults().slice(numSame, shared.size());
  KernelOp other = createDirection(
      rewriter, kernel, /*isOpposite=*/true,
      [](Direction direction) { return direction != Direction::Same; },
      [&](KernelParts &parts, KernelOp copy, Block &store) {
        for (auto [argument, value] : llvm::zip_equal(shared, states))
          rewriter.replaceAllUsesWith(store.getArgument(argument),
                                      addInput(parts, copy, value, identity));
      });
  split.opposite = dropUnusedOperands(rewriter, other);

  SmallVector<Value> results;
  unsigned same = 0, opposite = 0;
  llvm::append_range(directions, kernel.getFinalDirections());
  for (auto [i, result] : llvm::enumerate(kernel->getResults())) {
    if (i == kernel.getOutputs().size())
      same += shared.size();
    results.push_back(directions[i] == Direction::Same
                          ? split.same->getResult(same++)
                          : split.opposite->getResult(opposite++));
  }
  rewriter.replaceOp(kernel, results);
  return split;
}

bool scan::mixesDirections(KernelOp kernel) {
  return llvm::is_contained(kernel.getOutputDirections(), Direction::Both);
}

LogicalResult scan::checkSplittable(KernelOp kernel) {
  if (kernel.hasPureTensorSemantics() || !mixesDirections(kernel))
    return success();
  return kernel.emitOpError(
      "expected outputs of one direction each on memrefs, found one that "
      "depends on leaves of both, which takes memory for states where it is "
      "not computed in one tile of a GPU's block; run scan-bidirectional=split "
      "before bufferization");
}

KernelOp scan::cloneDirection(RewriterBase &rewriter, KernelOp kernel,
                              bool isOpposite) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  auto copy = cast<KernelOp>(rewriter.clone(*kernel));
  KernelParts parts(copy);
  auto isWanted = [&](Direction direction) {
    return direction == (isOpposite ? Direction::Opposite : Direction::Same);
  };
  SmallVector<Direction> outputs = copy.getOutputDirections(),
                         finals = copy.getFinalDirections();
  keepDirections(parts.outputs, parts.outputMaps, outputs, isWanted,
                 copy.getStore().front().back());
  keepDirections(parts.finals, parts.finalMaps, finals, isWanted,
                 copy.getFinalize().front().back());
  KernelOp result = parts.rebuild(rewriter, copy);
  rewriter.eraseOp(copy);
  keepLeaves(rewriter, result, isOpposite);
  return result;
}
