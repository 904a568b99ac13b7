//===- MergeLinalg.cpp - Elementwise code beside each other ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two operations that read an array at the same places, and of which neither
// needs the other one, read it once as one operation.
//
//===----------------------------------------------------------------------===//

#include "MergeLinalg.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mlir::scan;

/// Operations of more operands than that are not made: a kernel takes 4 KB of
/// arguments, and many arrays at a time are slower to walk.
static constexpr int64_t kMaxOperands = 24;

static bool isElementwise(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(op->getResults(), [&](OpResult result) {
           return op.getIndexingMapMatchingResult(result).isIdentity();
         });
}

/// Whether both read some array at the same places, all of it.
static bool readSame(linalg::GenericOp first, linalg::GenericOp second) {
  for (OpOperand *one : first.getDpsInputOperands())
    for (OpOperand *other : second.getDpsInputOperands()) {
      AffineMap map = first.getMatchingIndexingMap(one);
      if (one->get() == other->get() && map.isPermutation() &&
          map == second.getMatchingIndexingMap(other))
        return true;
    }
  return false;
}

/// The place where `second`, which is behind `first` in its block, can be
/// computed with it: in front of one of them. Null if there is none.
static Operation *findPlace(linalg::GenericOp first, linalg::GenericOp second) {
  Block *block = first->getBlock();
  auto isBehindSecond = [&](Operation *user) {
    Operation *outer = block->findAncestorOpInBlock(*user);
    return outer && second->isBeforeInBlock(outer);
  };
  if (llvm::all_of(first->getUsers(), isBehindSecond))
    return second;
  auto isBeforeFirst = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != block || op->isBeforeInBlock(first);
  };
  SetVector<Value> needed(second->operand_begin(), second->operand_end());
  second.getBody()->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!second->isAncestor(operand.getParentRegion()->getParentOp()))
        needed.insert(operand);
  });
  return llvm::all_of(needed, isBeforeFirst) ? first : nullptr;
}

static linalg::GenericOp merge(RewriterBase &rewriter, linalg::GenericOp first,
                               linalg::GenericOp second) {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps, outputMaps;
  // Of each argument of the two bodies, which one of the new body it is.
  SmallVector<std::pair<Value, unsigned>> read, written;
  for (linalg::GenericOp op : {first, second}) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      unsigned at = 0;
      while (at < inputs.size() &&
             (inputs[at] != operand->get() || maps[at] != map))
        ++at;
      if (at == inputs.size()) {
        inputs.push_back(operand->get());
        maps.push_back(map);
      }
      read.emplace_back(op.getMatchingBlockArgument(operand), at);
    }
    for (OpOperand &operand : op.getDpsInitsMutable()) {
      written.emplace_back(op.getMatchingBlockArgument(&operand),
                           outputs.size());
      outputs.push_back(operand.get());
      outputMaps.push_back(op.getMatchingIndexingMap(&operand));
    }
  }
  unsigned numInputs = inputs.size();
  llvm::append_range(maps, outputMaps);
  SmallVector<Type> types(first->getResultTypes());
  llvm::append_range(types, second->getResultTypes());
  auto merged = linalg::GenericOp::create(
      rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}), types,
      inputs, outputs, maps, first.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [from, at] : read)
          mapping.map(from, arguments[at]);
        for (auto [from, at] : written)
          mapping.map(from, arguments[numInputs + at]);
        SmallVector<Value> yields;
        for (linalg::GenericOp op : {first, second}) {
          for (Operation &inner : op.getBody()->without_terminator())
            builder.clone(inner, mapping);
          for (Value value : op.getBody()->getTerminator()->getOperands())
            yields.push_back(mapping.lookupOrDefault(value));
        }
        linalg::YieldOp::create(builder, loc, yields);
      });
  ResultRange results = merged->getResults();
  rewriter.replaceOp(first, results.take_front(first.getNumResults()));
  rewriter.replaceOp(second, results.take_back(second.getNumResults()));
  return merged;
}

void scan::mergeElementwise(RewriterBase &rewriter, Block &block) {
  SmallVector<linalg::GenericOp> ops;
  for (auto op : block.getOps<linalg::GenericOp>())
    if (isElementwise(op))
      ops.push_back(op);
  DominanceInfo dominance;
  for (unsigned i = 0; i < ops.size(); ++i)
    for (unsigned j = i + 1; j < ops.size(); ++j) {
      linalg::GenericOp first = ops[i], second = ops[j];
      if (second->isBeforeInBlock(first))
        std::swap(first, second);
      if (first->getNumOperands() + second->getNumOperands() > kMaxOperands ||
          first.getStaticLoopRanges() != second.getStaticLoopRanges() ||
          !readSame(first, second))
        continue;
      Operation *place = findPlace(first, second);
      if (!place)
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(place);
      ops[i] = merge(rewriter, first, second);
      ops.erase(ops.begin() + j--);
      eliminateCommonSubExpressions(rewriter, dominance, ops[i]);
    }
}
