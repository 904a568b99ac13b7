//===- ScatterLoops.cpp - Scatters that are written as loops --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "ScalarScatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// One loop of a nest that carries a tensor.
struct Loop {
  Value induction;
  OpFoldResult lower, upper, step;
};

/// A nest of loops that write one element of the tensor that they carry in each
/// iteration.
struct WritingNest {
  Operation *root = nullptr;
  SmallVector<Loop> loops;
  Value dest;
  /// What is written, a scalar or a tensor of one element, and where.
  Value source;
  SmallVector<OpFoldResult> place;
};

} // namespace

/// Whether `block` has nothing but operations without effects besides `kept`
/// and its terminator.
static bool isOtherwisePure(Block &block, Operation *kept) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    return &op == kept || isMemoryEffectFree(&op);
  });
}

/// A nest of scf.for that ends in tensor.insert into the carried tensor.
static std::optional<WritingNest> getForNest(scf::ForOp loop) {
  WritingNest nest;
  nest.root = loop;
  nest.dest = loop.getInitArgs().empty() ? Value() : loop.getInitArgs()[0];
  while (true) {
    if (loop.getInitArgs().size() != 1 || loop.getUnsignedCmp())
      return std::nullopt;
    BlockArgument carried = loop.getRegionIterArg(0);
    nest.loops.push_back({loop.getInductionVar(), loop.getLowerBound(),
                          loop.getUpperBound(), loop.getStep()});
    Operation *def = loop.getYieldedValues()[0].getDefiningOp();
    if (!def || def->getBlock() != loop.getBody() || !carried.hasOneUse() ||
        *carried.user_begin() != def || !isOtherwisePure(*loop.getBody(), def))
      return std::nullopt;
    if (auto inner = dyn_cast<scf::ForOp>(def)) {
      if (inner.getInitArgs().size() != 1 || inner.getInitArgs()[0] != carried)
        return std::nullopt;
      loop = inner;
      continue;
    }
    auto insert = dyn_cast<tensor::InsertOp>(def);
    if (!insert || insert.getDest() != carried)
      return std::nullopt;
    nest.source = insert.getScalar();
    nest.place = getAsOpFoldResult(insert.getIndices());
    return nest;
  }
}

/// An scf.forall that inserts one element into the shared tensor.
static std::optional<WritingNest> getForallNest(scf::ForallOp loop) {
  WritingNest nest;
  nest.root = loop;
  if (loop.getOutputs().size() != 1)
    return std::nullopt;
  nest.dest = loop.getOutputs()[0];
  BlockArgument shared = loop.getRegionIterArgs()[0];
  if (!shared.hasOneUse() || !isOtherwisePure(*loop.getBody(), nullptr))
    return std::nullopt;
  auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(*shared.user_begin());
  if (!insert || insert.getDest() != shared)
    return std::nullopt;
  for (OpFoldResult size : insert.getMixedSizes())
    if (!isConstantIntValue(size, 1))
      return std::nullopt;
  nest.source = insert.getSource();
  nest.place = insert.getMixedOffsets();
  for (auto [induction, lower, upper, step] :
       llvm::zip(loop.getInductionVars(), loop.getMixedLowerBound(),
                 loop.getMixedUpperBound(), loop.getMixedStep()))
    nest.loops.push_back({induction, lower, upper, step});
  return nest;
}

/// The element of a tensor that `value` is a copy of, perhaps of another width.
static tensor::ExtractOp getElement(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(def))
      return extract;
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(def))
      break;
    value = def->getOperand(0);
  }
  return {};
}

/// The dimension along which the place depends on data; -1 if there is none, or
/// more than one.
static int64_t getDataDim(const WritingNest &nest) {
  int64_t dim = -1;
  for (auto [d, place] : llvm::enumerate(nest.place)) {
    auto value = dyn_cast<Value>(place);
    if (!value || !getElement(value))
      continue;
    if (dim != -1)
      return -1;
    dim = d;
  }
  return dim;
}

/// The loop whose induction variable `value` is; -1 if there is none.
static int64_t getLoop(const WritingNest &nest, OpFoldResult place) {
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (place == OpFoldResult(loop.induction))
      return i;
  return -1;
}

static bool isOutside(const WritingNest &nest, Value value) {
  return nest.root->getParentRegion()->isAncestor(value.getParentRegion()) &&
         !llvm::any_of(nest.root->getRegions(), [&](Region &region) {
           return region.isAncestor(value.getParentRegion());
         });
}

ScatterMatch scan::matchScatterLoop(Operation *op) {
  std::optional<WritingNest> nest;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    nest = getForNest(loop);
  else
    nest = getForallNest(cast<scf::ForallOp>(op));
  if (!nest)
    return {};
  ScalarScatter found;
  found.dim = getDataDim(*nest);
  if (found.dim == -1)
    return {};
  tensor::ExtractOp element = getElement(cast<Value>(nest->place[found.dim]));
  found.dest = nest->dest;
  found.index = element.getTensor();
  if (!isOutside(*nest, found.index))
    return ScatterMatch::missed("the index tensor is made in the loop");

  // Each loop runs over one dimension of the destination.
  MLIRContext *context = op->getContext();
  SmallVector<int64_t> destDims(nest->loops.size(), -1);
  for (auto [d, place] : llvm::enumerate(nest->place)) {
    if (static_cast<int64_t>(d) == found.dim)
      continue;
    int64_t loop = getLoop(*nest, place);
    if (loop == -1 || destDims[loop] != -1)
      return ScatterMatch::missed(describeShorter(d));
    destDims[loop] = d;
    const Loop &bounds = nest->loops[loop];
    if (!isConstantIntValue(bounds.lower, 0) ||
        !isConstantIntValue(bounds.step, 1) ||
        !isExtentOf(bounds.upper, found.dest, d))
      return ScatterMatch::missed(describeShorter(d));
  }
  if (llvm::is_contained(destDims, -1))
    return ScatterMatch::missed(kSeveralWrites);

  SmallVector<AffineExpr> exprs;
  for (Value index : element.getIndices()) {
    int64_t loop = getLoop(*nest, index);
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (loop == -1 && !constant)
      return ScatterMatch::missed(
          "the element of the index tensor is not at an induction variable or "
          "a constant in each dimension");
    exprs.push_back(loop == -1 ? getAffineConstantExpr(*constant, context)
                               : getAffineDimExpr(destDims[loop], context));
  }
  found.indexMap = AffineMap::get(nest->place.size(), 0, exprs, context);

  found.source = getUniformValue(nest->source);
  if (!found.source ||
      (found.source.value && !isOutside(*nest, found.source.value)))
    return ScatterMatch::missed(kSourceNotScalar);
  found.fill = getUniformValue(found.dest);
  if (!found.fill)
    return ScatterMatch::missed(kDestNotConstant);
  return {found, {}};
}
