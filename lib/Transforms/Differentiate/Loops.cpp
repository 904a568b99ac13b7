//===- Loops.cpp - Loops over tensors from code over scalars --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "../Utils/ScalarCast.h"
#include "GraphAdjoint.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// Loops in the making: a block over the elements of all operands and results.
class LoopBuilder {
public:
  LoopBuilder(GraphAdjoint &graph, Location loc, unsigned numLoops,
              ArrayRef<LoopOperand> operands, ArrayRef<LoopResult> results)
      : graph(graph), builder(graph.builder), loc(loc), numLoops(numLoops),
        operands(operands), results(results), values(results.size()) {
    for (const LoopOperand &operand : operands)
      block.addArgument(getElementTypeOrSelf(operand.value.getType()), loc);
  }

  LogicalResult build(LoopBody body);
  /// The values that need no loop: passed on or constant.
  void takeSimpleResults();
  /// The loops for the other ones.
  void createGeneric();
  ArrayRef<Value> getValues() const { return values; }

private:
  bool isReduction(const LoopResult &result) const {
    return result.map.getNumResults() < numLoops;
  }
  void eraseDeadCode();
  /// Which operands have to stay: those that are read, and one for every loop
  /// whose extent nothing else would say.
  SmallVector<bool> getNeededOperands();

  GraphAdjoint &graph;
  OpBuilder &builder;
  Location loc;
  unsigned numLoops;
  ArrayRef<LoopOperand> operands;
  ArrayRef<LoopResult> results;
  Block block;
  /// What the body yields per result; null if there is nothing left to do.
  SmallVector<Value> yields;
  SmallVector<Value> values;
};

LogicalResult LoopBuilder::build(LoopBody body) {
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(&block);
  FailureOr<SmallVector<Value>> computed = body(inner, block.getArguments());
  if (failed(computed))
    return failure();
  yields = std::move(*computed);
  for (auto [value, result] : llvm::zip_equal(yields, results))
    if (value)
      value = castScalar(inner, loc, value, result.type);
  return success();
}

void LoopBuilder::takeSimpleResults() {
  for (auto [i, result] : llvm::enumerate(results)) {
    Value yield = yields[i];
    if (!yield || isReduction(result))
      continue;
    auto argument = dyn_cast<BlockArgument>(yield);
    if (argument && argument.getOwner() == &block) {
      const LoopOperand &operand = operands[argument.getArgNumber()];
      if (operand.map != result.map)
        continue;
      values[i] = operand.value;
      yields[i] = {};
      continue;
    }
    Operation *constant = yield.getDefiningOp();
    if (constant && constant->hasTrait<OpTrait::ConstantLike>()) {
      Value scalar = builder.clone(*constant)->getResult(0);
      Value empty =
          tensor::EmptyOp::create(builder, loc, result.sizes, result.type);
      values[i] =
          linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
      yields[i] = {};
    }
  }
}

void LoopBuilder::eraseDeadCode() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

SmallVector<bool> LoopBuilder::getNeededOperands() {
  llvm::SmallBitVector covered(numLoops);
  auto cover = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        covered.set(dim.getPosition());
  };
  SmallVector<bool> needed;
  for (auto [result, value] : llvm::zip(results, values))
    if (!value)
      cover(result.map);
  for (auto [operand, argument] : llvm::zip(operands, block.getArguments())) {
    needed.push_back(!argument.use_empty());
    if (needed.back())
      cover(operand.map);
  }
  for (auto [i, operand] : llvm::enumerate(operands)) {
    llvm::SmallBitVector before = covered;
    cover(operand.map);
    needed[i] = needed[i] || covered != before;
  }
  return needed;
}

void LoopBuilder::createGeneric() {
  if (llvm::none_of(yields, [](Value value) { return bool(value); }))
    return;
  unsigned numInputs = block.getNumArguments();
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(&block);
  SmallVector<Value> outs, terms;
  SmallVector<AffineMap> outMaps;
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  for (auto [yield, result] : llvm::zip_equal(yields, results)) {
    if (!yield)
      continue;
    Value out = block.addArgument(result.type, loc);
    outMaps.push_back(result.map);
    if (!isReduction(result)) {
      outs.push_back(
          tensor::EmptyOp::create(builder, loc, result.sizes, result.type));
      terms.push_back(yield);
      continue;
    }
    outs.push_back(graph.createFill(loc, result.type, result.sizes, 0.0));
    terms.push_back(ScalarMath{inner, loc}.addTerm(out, yield));
    for (unsigned i = 0; i < numLoops; ++i)
      if (!result.map.isFunctionOfDim(i))
        iterators[i] = utils::IteratorType::reduction;
  }
  linalg::YieldOp::create(inner, loc, terms);
  eraseDeadCode();

  SmallVector<bool> needed = getNeededOperands();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [operand, isNeeded] : llvm::zip_equal(operands, needed)) {
    if (!isNeeded)
      continue;
    inputs.push_back(operand.value);
    maps.push_back(operand.map);
  }
  for (unsigned i = numInputs; i-- > 0;)
    if (!needed[i])
      block.eraseArgument(i);
  llvm::append_range(maps, outMaps);

  auto generic = linalg::GenericOp::create(
      builder, loc, ValueRange(outs).getTypes(), inputs, outs, maps, iterators);
  OpBuilder::InsertionGuard guard(builder);
  Block *bodyBlock = builder.createBlock(
      &generic.getRegion(), generic.getRegion().end(), block.getArgumentTypes(),
      SmallVector<Location>(block.getNumArguments(), loc));
  for (auto [from, to] :
       llvm::zip_equal(block.getArguments(), bodyBlock->getArguments()))
    from.replaceAllUsesWith(to);
  bodyBlock->getOperations().splice(bodyBlock->end(), block.getOperations());
  unsigned next = 0;
  for (auto [value, yield] : llvm::zip_equal(values, yields))
    if (yield)
      value = generic.getResult(next++);
}

} // namespace

FailureOr<SmallVector<Value>>
differentiate::createLoops(GraphAdjoint &graph, Location loc, unsigned numLoops,
                           ArrayRef<LoopOperand> operands,
                           ArrayRef<LoopResult> results, LoopBody body) {
  LoopBuilder loops(graph, loc, numLoops, operands, results);
  if (failed(loops.build(body)))
    return failure();
  loops.takeSimpleResults();
  loops.createGeneric();
  return llvm::to_vector(loops.getValues());
}
