//===- LoopNests.cpp - Derivatives of loops over tensors ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured operations (linalg) and elementwise operations on tensors are
// loops around scalar code. What a point of the loops contributes to its
// operands is loops over the same points; an operand that several points read
// gets the sum over these.
//
//===----------------------------------------------------------------------===//

#include "GraphAdjoint.h"
#include "Loops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::differentiate;

namespace {

/// A loop nest, with the values of its body that stand for elements.
class LoopNest {
public:
  LoopNest(GraphAdjoint &graph, Operation *op) : graph(graph), op(op) {}

  LogicalResult init(Refuse refuse);
  LogicalResult visit(Refuse refuse);

private:
  /// An active tensor or scalar that the loops read in one way.
  struct Target {
    LoopOperand operand;
    SmallVector<Value> keys;
    bool readsEachElementOnce(unsigned numLoops) const {
      return operand.map.isPermutation() &&
             operand.map.getNumResults() == numLoops;
    }
  };

  LogicalResult initLinalg(linalg::LinalgOp linalgOp, Refuse refuse);
  void initElementwise();
  LogicalResult initTargets(Refuse refuse);
  SmallVector<OpFoldResult> getLoopSizes();

  /// The cotangents of the elements of `targets` at one point.
  FailureOr<SmallVector<Value>> emitBody(OpBuilder &b, ValueRange args,
                                         ArrayRef<Target> targets,
                                         Refuse refuse);
  LogicalResult visitOnePass(Refuse refuse);
  LogicalResult visitReduction(Refuse refuse);
  void give(const Target &target, Value value) {
    graph.give(target.operand.value, value,
               masked.contains(target.operand.value));
  }
  /// Gives `value`, which has one dimension per loop that the target's map
  /// uses, in ascending order or in that of the map.
  void giveReduced(const Target &target, Value value, bool isAscending);
  /// The reduction's destinations get the cotangents of the results.
  void giveDestinations();

  GraphAdjoint &graph;
  Operation *op;
  Block *body = nullptr;
  Block ownBody;
  unsigned numLoops = 0;
  SmallVector<LoopOperand> operands;
  SmallVector<Value> keys;
  SmallVector<AffineMap> resultMaps;
  /// What only says extents.
  SmallVector<LoopOperand> witnesses;
  /// For a reduction: the destinations and their arguments of the body.
  SmallVector<Value> destinations;
  SmallVector<Value> accumulators;
  SmallVector<Target> targets;
  /// The results that have a cotangent.
  SmallVector<unsigned> seeded;
  /// The operands that are given a masked one.
  DenseSet<Value> masked;
};

} // namespace

LogicalResult LoopNest::initLinalg(linalg::LinalgOp linalgOp, Refuse refuse) {
  body = linalgOp.getBlock();
  numLoops = linalgOp.getNumLoops();
  bool isReduction = !linalgOp.isAllParallelLoops();
  for (OpOperand &operand : op->getOpOperands()) {
    LoopOperand read = {operand.get(),
                        linalgOp.getMatchingIndexingMap(&operand)};
    BlockArgument key = linalgOp.getMatchingBlockArgument(&operand);
    bool isOut = linalgOp.isDpsInit(&operand);
    if (isOut)
      resultMaps.push_back(read.map);
    if (isOut && isReduction) {
      destinations.push_back(read.value);
      accumulators.push_back(key);
    }
    if (key.use_empty() || (isOut && isReduction)) {
      if (isa<RankedTensorType>(read.value.getType()))
        witnesses.push_back(read);
      continue;
    }
    operands.push_back(read);
    keys.push_back(key);
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    if (!graph.isActive(value))
      continue;
    if (isa<ShapedType>(value.getType())) {
      return refuse(op,
                    "reads a whole tensor in its body, at places that are not "
                    "differentiated; an operand with an indexing map can be");
    }
    operands.push_back({value, AffineMap::get(numLoops, 0, op->getContext())});
    keys.push_back(value);
  }
  return success();
}

/// One copy of the operation on elements is the body.
void LoopNest::initElementwise() {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  body = &ownBody;
  numLoops = type.getRank();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(numLoops, op->getContext());
  AffineMap nowhere = AffineMap::get(numLoops, 0, op->getContext());
  resultMaps.assign(op->getNumResults(), identity);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    Value key = body->addArgument(getElementTypeOrSelf(operand.getType()),
                                  op->getLoc());
    mapping.map(operand, key);
    bool isTensor = isa<RankedTensorType>(operand.getType());
    operands.push_back({operand, isTensor ? identity : nowhere});
    keys.push_back(key);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(body);
  Operation *copy = builder.clone(*op, mapping);
  for (Value result : copy->getResults())
    result.setType(getElementTypeOrSelf(result.getType()));
  linalg::YieldOp::create(builder, op->getLoc(), copy->getResults());
}

LogicalResult LoopNest::initTargets(Refuse refuse) {
  for (auto [operand, key] : llvm::zip_equal(operands, keys)) {
    if (!graph.isActive(operand.value) || !isDifferentiable(key.getType()))
      continue;
    DenseSet<AffineExpr> seen;
    if (!llvm::all_of(operand.map.getResults(), [&](AffineExpr expr) {
          return isa<AffineDimExpr>(expr)
                     ? seen.insert(expr).second
                     : expr == getAffineConstantExpr(0, op->getContext());
        })) {
      return refuse(op,
                    "reads an operand at indices that are not loop indices, "
                    "each once; a slice before the operation "
                    "(tensor.extract_slice) can be differentiated");
    }
    auto type = dyn_cast<RankedTensorType>(operand.value.getType());
    for (auto [i, expr] : llvm::enumerate(operand.map.getResults()))
      if (isa<AffineConstantExpr>(expr) && type.getDimSize(i) != 1) {
        return refuse(op, "reads an operand at index 0 of a dimension whose "
                          "extent is not 1; a slice before the operation "
                          "(tensor.extract_slice) can be differentiated");
      }
    const LoopOperand &read = operand;
    auto *same = llvm::find_if(targets, [&](const Target &target) {
      return target.operand.value == read.value &&
             target.operand.map == read.map;
    });
    if (same != targets.end())
      same->keys.push_back(key);
    else
      targets.push_back({operand, {key}});
  }
  return success();
}

LogicalResult LoopNest::init(Refuse refuse) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!linalgOp.hasPureTensorSemantics())
      return refuse(op,
                    "works on buffers, and only operations on tensors can be "
                    "differentiated");
    if (failed(initLinalg(linalgOp, refuse)))
      return failure();
  } else {
    initElementwise();
  }
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (graph.getCotangent(result))
      seeded.push_back(i);
  for (AffineMap map : resultMaps)
    if (!map.isProjectedPermutation())
      return refuse(op, "writes its result at indices that are not loop "
                        "indices");
  return initTargets(refuse);
}

SmallVector<OpFoldResult> LoopNest::getLoopSizes() {
  SmallVector<OpFoldResult> sizes(numLoops);
  auto take = [&](const LoopOperand &operand) {
    if (!isa<RankedTensorType>(operand.value.getType()))
      return;
    bool isNews = llvm::any_of(operand.map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim && !sizes[dim.getPosition()];
    });
    if (!isNews)
      return;
    for (auto [expr, size] : llvm::zip_equal(operand.map.getResults(),
                                             graph.getSizes(operand.value)))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!sizes[dim.getPosition()])
          sizes[dim.getPosition()] = size;
  };
  llvm::for_each(operands, take);
  llvm::for_each(witnesses, take);
  return sizes;
}

FailureOr<SmallVector<Value>> LoopNest::emitBody(OpBuilder &b, ValueRange args,
                                                 ArrayRef<Target> wanted,
                                                 Refuse refuse) {
  IRMapping primal;
  for (auto [key, argument] : llvm::zip(keys, args))
    primal.map(key, argument);
  for (Operation &inner : body->without_terminator())
    b.clone(inner, primal);
  ScalarAdjoint adjoint(b, primal);
  for (const Target &target : targets)
    for (Value key : target.keys)
      adjoint.activate(key);
  for (Value accumulator : accumulators)
    adjoint.activate(accumulator);
  adjoint.activateUsers(*body);

  SmallVector<Value> seeds(resultMaps.size());
  for (auto [i, number] : llvm::enumerate(seeded))
    seeds[number] = args[operands.size() + i];
  // The copy on elements is nothing that the user has written.
  auto refuseInner = [&](Operation *inner, const Twine &reason) {
    return refuse(body == &ownBody ? op : inner, reason);
  };
  if (failed(adjoint.visit(*body, seeds, graph.isMasked(), refuseInner)))
    return failure();
  SmallVector<Value> values;
  for (const Target &target : wanted) {
    Value sum;
    for (Value key : target.keys)
      if (Value cotangent = adjoint.getCotangent(key)) {
        sum = sum ? ScalarMath{b, op->getLoc()}.add(sum, cotangent) : cotangent;
        if (adjoint.isMasked(key))
          masked.insert(target.operand.value);
      }
    values.push_back(sum);
  }
  // A sum is a step that hands the cotangent of its result on to what has been
  // summed up so far, and does not look at that.
  SmallVector<Value> reached(values);
  DenseSet<Value> seen(reached.begin(), reached.end());
  while (!reached.empty()) {
    Value value = reached.pop_back_val();
    if (llvm::is_contained(accumulators, value)) {
      return refuse(op,
                    "is a reduction whose derivative depends on the order of "
                    "its steps; only sums can be differentiated, and a scan "
                    "(scan.associative, its final state) for any other "
                    "associative operator");
    }
    if (value)
      if (Operation *definition = value.getDefiningOp())
        if (definition->getBlock() == b.getInsertionBlock())
          for (Value operand : definition->getOperands())
            if (seen.insert(operand).second)
              reached.push_back(operand);
  }
  for (unsigned i : seeded)
    if (!accumulators.empty() &&
        adjoint.getCotangent(accumulators[i]) != seeds[i]) {
      return refuse(op,
                    "is a reduction other than a sum; only sums can be "
                    "differentiated, and a scan (scan.associative, its final "
                    "state) for any other associative operator");
    }
  return values;
}

void LoopNest::giveReduced(const Target &target, Value value,
                           bool isAscending) {
  Location loc = op->getLoc();
  if (!isa<RankedTensorType>(target.operand.value.getType())) {
    value = graph.castElements(loc, value, target.operand.value.getType());
    give(target, graph.createTotal(loc, value));
    return;
  }
  auto type = cast<RankedTensorType>(target.operand.value.getType());
  value = graph.castElements(loc, value, type.getElementType());
  // From ascending loops to the operand's order of dimensions.
  SmallVector<int64_t> order, unitDims;
  SmallVector<unsigned> ascending;
  for (AffineExpr expr : target.operand.map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      ascending.push_back(dim.getPosition());
  SmallVector<unsigned> asRead = ascending;
  llvm::sort(ascending);
  for (unsigned loop : asRead)
    order.push_back(llvm::find(ascending, loop) - ascending.begin());
  for (auto [i, expr] : llvm::enumerate(target.operand.map.getResults()))
    if (isa<AffineConstantExpr>(expr))
      unitDims.push_back(i);
  if (isAscending && !llvm::is_sorted(order)) {
    SmallVector<OpFoldResult> from = graph.getSizes(value), to;
    for (int64_t i : order)
      to.push_back(from[i]);
    Value empty =
        tensor::EmptyOp::create(graph.builder, loc, to, type.getElementType());
    value = linalg::TransposeOp::create(graph.builder, loc, value, empty, order)
                ->getResult(0);
  }
  give(target, graph.createUnitDims(loc, value, unitDims, type));
}

/// One pass over the points for all operands. Contributions that have to be
/// summed up are written as they are: a scan that computes the cotangents can
/// then write them, where a sum would have to read again what they depend on.
LogicalResult LoopNest::visitOnePass(Refuse refuse) {
  Location loc = op->getLoc();
  SmallVector<LoopOperand> reads(operands);
  for (unsigned i : seeded)
    reads.push_back({graph.getCotangent(op->getResult(i)), resultMaps[i]});
  llvm::append_range(reads, witnesses);
  SmallVector<LoopResult> writes;
  SmallVector<OpFoldResult> loopSizes = getLoopSizes();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(numLoops, op->getContext());
  for (const Target &target : targets) {
    Type type = getElementTypeOrSelf(target.operand.value.getType());
    if (target.readsEachElementOnce(numLoops))
      writes.push_back(
          {type, graph.getSizes(target.operand.value), target.operand.map});
    else
      writes.push_back({getSumType(type), loopSizes, identity});
  }
  FailureOr<SmallVector<Value>> values = createLoops(
      graph, loc, numLoops, reads, writes, [&](OpBuilder &b, ValueRange args) {
        return emitBody(b, args, targets, refuse);
      });
  if (failed(values))
    return failure();
  for (auto [target, value] : llvm::zip_equal(targets, *values)) {
    if (!value)
      continue;
    if (target.readsEachElementOnce(numLoops)) {
      give(target, value);
      continue;
    }
    SmallVector<int64_t> dropped;
    for (unsigned i = 0; i < numLoops; ++i)
      if (!target.operand.map.isFunctionOfDim(i))
        dropped.push_back(i);
    giveReduced(target, graph.createSum(loc, value, dropped),
                /*isAscending=*/true);
  }
  return success();
}

/// Each operand by itself, summed up where it is computed: the points of
/// a contraction are too many to write something for each.
LogicalResult LoopNest::visitReduction(Refuse refuse) {
  Location loc = op->getLoc();
  SmallVector<LoopOperand> reads(operands);
  for (unsigned i : seeded)
    reads.push_back({graph.getCotangent(op->getResult(i)), resultMaps[i]});
  llvm::append_range(reads, witnesses);
  SmallVector<OpFoldResult> loopSizes = getLoopSizes();
  for (const Target &target : targets) {
    Type type = getElementTypeOrSelf(target.operand.value.getType());
    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> sizes;
    for (AffineExpr expr : target.operand.map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        exprs.push_back(loop);
        sizes.push_back(loopSizes[loop.getPosition()]);
      }
    bool isReduction = exprs.size() < numLoops;
    AffineMap map = AffineMap::get(numLoops, 0, exprs, op->getContext());
    FailureOr<SmallVector<Value>> values =
        createLoops(graph, loc, numLoops, reads,
                    {{isReduction ? getSumType(type) : type, sizes, map}},
                    [&](OpBuilder &b, ValueRange args) {
                      return emitBody(b, args, target, refuse);
                    });
    if (failed(values))
      return failure();
    if (values->front())
      giveReduced(target, values->front(), /*isAscending=*/false);
  }
  return success();
}

void LoopNest::giveDestinations() {
  for (unsigned i : seeded)
    graph.give(destinations[i], graph.getCotangent(op->getResult(i)));
}

LogicalResult LoopNest::visit(Refuse refuse) {
  if (destinations.empty())
    return visitOnePass(refuse);
  giveDestinations();
  // A contraction stays one: a multiplication per step.
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      linalgOp && linalg::isaContractionOpInterface(linalgOp))
    graph.dropMask();
  return visitReduction(refuse);
}

bool differentiate::isLoopNest(Operation *op) {
  return isa<linalg::LinalgOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(op) &&
          op->getNumRegions() == 0 && op->getNumResults() > 0 &&
          isa<RankedTensorType>(op->getResult(0).getType()));
}

LogicalResult differentiate::visitLoops(GraphAdjoint &graph, Operation *op,
                                        Refuse refuse) {
  LoopNest nest(graph, op);
  if (failed(nest.init(refuse)))
    return failure();
  return nest.visit(refuse);
}
