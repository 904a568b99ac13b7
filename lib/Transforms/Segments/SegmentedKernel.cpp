//===- SegmentedKernel.cpp - Kernels that start anew ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With f the combine step, the pairs (flag, state) combine to
//
//   (p, x) (q, y) = (p | q, q ? y : f(x, y)),
//
// which is associative if f is. An element at a start is f(init, x) from the
// outset. No state is multiplied by zero to be rid of it: what is not a number
// in one segment stays there.
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "IR/KernelParts.h"
#include "IR/OffsetsCheck.h"
#include "IR/OperatorFacts.h"
#include "Segments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

/// What `block` yields for `arguments`, by a copy of its operations.
static SmallVector<Value> inlineBlock(OpBuilder &b, Block &block,
                                      ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator())
    b.clone(inner, mapping);
  return llvm::map_to_vector(block.back().getOperands(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

namespace {
class RestartEmitter {
public:
  RestartEmitter(RewriterBase &rewriter, KernelOp kernel,
                 const Restarts &restarts, bool startsAtFirst, bool hasLast)
      : rewriter(rewriter), kernel(kernel), loc(kernel.getLoc()),
        restarts(restarts), leaves(kernel.getNumLeaves()),
        flagType(rewriter.getI1Type()), startsAtFirst(startsAtFirst),
        hasLast(hasLast) {}

  void emit();

private:
  /// What a start and the elements of its init are to `load` and `store`.
  struct Start {
    Value isStart;
    SmallVector<Value> states;
  };
  Start addArguments(Block &block);
  void emitLoad();
  void emitCombine();
  void emitStore();
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(rewriter, loc, condition, x, y);
  }
  Value createFalse() {
    return createScalarConstant(rewriter, loc, flagType, 0);
  }

  RewriterBase &rewriter;
  KernelOp kernel;
  Location loc;
  const Restarts &restarts;
  unsigned leaves;
  Type flagType;
  /// A walk starts at its first step, too, whatever the flags say.
  bool startsAtFirst;
  /// The number of the last step, where the walk starts, is the last argument.
  bool hasLast;
};
} // namespace

RestartEmitter::Start RestartEmitter::addArguments(Block &block) {
  Start start;
  start.isStart = block.addArgument(flagType, loc);
  SmallVector<Value> elements;
  for (auto [init, map] : llvm::zip(restarts.inits, restarts.initMaps))
    for (int64_t i = 0, e = KernelOp::getNumElements(init, map); i < e; ++i)
      elements.push_back(
          block.addArgument(getElementTypeOrSelf(init.getType()), loc));
  Value last =
      hasLast ? block.addArgument(rewriter.getI64Type(), loc) : Value();
  rewriter.setInsertionPointToStart(&block);
  if (startsAtFirst) {
    Value step = IndexOp::create(rewriter, loc, rewriter.getIndexType(),
                                 rewriter.getI64IntegerAttr(kernel.getDim()));
    Value first =
        last ? arith::IndexCastOp::create(rewriter, loc,
                                          rewriter.getIndexType(), last)
                   .getResult()
             : arith::ConstantIndexOp::create(rewriter, loc, 0).getResult();
    Value isFirst = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, step, first);
    start.isStart = arith::OrIOp::create(rewriter, loc, start.isStart, isFirst);
  }
  if (!elements.empty())
    start.states =
        inlineBlock(rewriter, kernel.getInitialize().front(), elements);
  return start;
}

void RestartEmitter::emitLoad() {
  Block &load = kernel.getLoad().front();
  Start start = addArguments(load);
  Operation *yield = load.getTerminator();
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> elements(yield->getOperands());
  if (!start.states.empty()) {
    SmallVector<Value> pair(start.states);
    llvm::append_range(pair, elements);
    SmallVector<Value> started =
        inlineBlock(rewriter, kernel.getCombine().front(), pair);
    for (auto [element, other] : llvm::zip(elements, started))
      element = select(start.isStart, other, element);
  }
  elements.push_back(start.isStart);
  yield->setOperands(elements);
}

void RestartEmitter::emitCombine() {
  Block &combine = kernel.getCombine().front();
  Value before = combine.insertArgument(leaves, flagType, loc);
  Value now = combine.addArgument(flagType, loc);
  Operation *yield = combine.getTerminator();
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> states;
  for (auto [i, state] : llvm::enumerate(yield->getOperands()))
    states.push_back(select(now, combine.getArgument(leaves + 1 + i), state));
  states.push_back(arith::OrIOp::create(rewriter, loc, before, now));
  yield->setOperands(states);
}

void RestartEmitter::emitStore() {
  Block &store = kernel.getStore().front();
  store.insertArgument(leaves, flagType, loc);
  store.insertArgument(2 * leaves + 1, flagType, loc);
  Start start = addArguments(store);
  for (auto [i, state] : llvm::enumerate(start.states)) {
    Value before = store.getArgument(leaves + 1 + i);
    if (before.use_empty())
      continue;
    Value chosen = select(start.isStart, state, before);
    before.replaceAllUsesExcept(chosen, chosen.getDefiningOp());
  }
}

void RestartEmitter::emit() {
  OpBuilder::InsertionGuard guard(rewriter);
  // The maps read the combine step and the inits as they were.
  emitLoad();
  emitStore();
  emitCombine();
  kernel.getFinalize().front().addArgument(flagType, loc);
  Block &initialize = kernel.getInitialize().front();
  if (!kernel.hasInit()) {
    initialize.erase();
    kernel.addEmptyMaps(rewriter);
    return;
  }
  Operation *yield = initialize.getTerminator();
  rewriter.setInsertionPoint(yield);
  yield->insertOperands(leaves, createFalse());
}

KernelOp scan::addRestarts(RewriterBase &rewriter, KernelOp kernel,
                           const Restarts &restarts) {
  KernelParts parts(kernel);
  parts.addInput(restarts.flags, restarts.map);
  for (auto [init, map] : llvm::zip(restarts.inits, restarts.initMaps))
    parts.addInput(init, map);
  // Offsets of scans begin with 0, and say so of walks in their direction.
  // Those that only a scan.head_flags reads need not.
  auto heads = restarts.flags.getDefiningOp<HeadFlagsOp>();
  bool saysFirst = heads && heads->hasAttr(coversStepsAttrName) &&
                   heads.getReverse() == kernel.getReverse();
  bool startsAtFirst = restarts.perStep && !saysFirst;
  bool hasLast = startsAtFirst && kernel.getReverse();
  if (hasLast) {
    Location loc = kernel.getLoc();
    Value extent = getValueOrCreateConstantIndexOp(
        rewriter, loc, kernel.getDomainSizes(rewriter, loc)[kernel.getDim()]);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value last = arith::SubIOp::create(rewriter, loc, extent, one);
    last =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), last);
    parts.addInput(
        last, AffineMap::get(kernel.getDomainRank(), 0, rewriter.getContext()));
  }
  // What the first step starts from is among the inputs.
  Block &store = kernel.getStore().front();
  unsigned leaves = kernel.getNumLeaves();
  bool readsExclusive =
      llvm::any_of(store.getArguments().slice(leaves, leaves),
                   [](Value value) { return !value.use_empty(); });
  if (restarts.perStep && !readsExclusive) {
    parts.inits.clear();
    parts.initMaps.clear();
  }
  KernelOp restarting = parts.rebuild(rewriter, kernel);
  // The operator on flags and states is another one.
  restarting->removeDiscardableAttr(kOperatorFactsAttrName);
  RestartEmitter(rewriter, restarting, restarts, startsAtFirst, hasLast).emit();
  rewriter.eraseOp(kernel);
  return restarting;
}
