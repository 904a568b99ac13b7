//===- LoopBatcher.cpp - Independent iterations at once -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBatcher.h"
#include "IR/Extents.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// `sizes` with the batch at `position`.
static SmallVector<OpFoldResult>
insertAt(ArrayRef<OpFoldResult> sizes, int64_t position, OpFoldResult count) {
  SmallVector<OpFoldResult> result(sizes);
  result.insert(result.begin() + position, count);
  return result;
}

static int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

/// The map of one iteration with the batch as first dimension of its domain,
/// and as result number `position` if that is not negative.
static AffineMap addBatch(AffineMap map, int64_t position) {
  AffineMap shifted = map.shiftDims(1);
  SmallVector<AffineExpr> exprs(shifted.getResults());
  if (position >= 0)
    exprs.insert(exprs.begin() + position,
                 getAffineDimExpr(0, map.getContext()));
  return AffineMap::get(map.getNumDims() + 1, 0, exprs, map.getContext());
}

int64_t LoopBatcher::Part::getPosition() const {
  int64_t position = 0;
  for (int64_t d = 0; d < dim; ++d)
    position += !dropped.test(d);
  return position;
}

FailureOr<LoopBatcher::Batched> LoopBatcher::get(Operation *user, Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return Batched{value};
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (isa<BlockArgument>(value) && value != loop.getInductionVar())
    return obstacle.set(user, "an iteration reads what an earlier one has "
                              "made: expected its own place in a tensor only");
  // The induction variable, as a number.
  if (value != loop.getInductionVar())
    return obstacle.set(user, "its operand is not known in all iterations");
  Location loc = loop.getLoc();
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, count, rewriter.getIndexType());
  Value numbers =
      linalg::GenericOp::create(
          rewriter, loc, empty.getType(), ValueRange(), empty,
          rewriter.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
          [&](OpBuilder &builder, Location, ValueRange) {
            Value index = linalg::IndexOp::create(builder, loc, 0);
            linalg::YieldOp::create(
                builder, loc,
                arith::AddIOp::create(builder, loc, index, loop.getLowerBound())
                    .getResult());
          })
          .getResult(0);
  set(value, numbers, 0);
  return known[value];
}

Value LoopBatcher::createGeneric(
    Location loc, ArrayRef<Batched> operands, ArrayRef<AffineMap> maps,
    Batched init, AffineMap initMap, ArrayRef<utils::IteratorType> iterators,
    function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> batchMaps;
  for (auto [operand, map] : llvm::zip(operands, maps)) {
    inputs.push_back(operand.value);
    batchMaps.push_back(addBatch(map, operand.position));
  }
  batchMaps.push_back(addBatch(initMap, init.position));
  SmallVector<utils::IteratorType> kinds(iterators);
  kinds.insert(kinds.begin(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, init.value.getType(), inputs, init.value, batchMaps,
             kinds,
             [&](OpBuilder &builder, Location, ValueRange arguments) {
               linalg::YieldOp::create(builder, loc, body(builder, arguments));
             })
      .getResult(0);
}

Value LoopBatcher::getAt(Batched value, int64_t position, Type type) {
  if (value.position == position)
    return value.value;
  Location loc = loop.getLoc();
  int64_t rank = getRank(type);
  Type element = getElementTypeOrSelf(type);
  // The sizes of one iteration.
  SmallVector<OpFoldResult> sizes;
  if (isa<RankedTensorType>(value.value.getType())) {
    sizes = tensor::getMixedSizes(rewriter, loc, value.value);
    if (value.position >= 0)
      sizes.erase(sizes.begin() + value.position);
  }
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, insertAt(sizes, position, count), element);
  // What an operation only writes to needs no contents.
  if (value.value.getDefiningOp<tensor::EmptyOp>())
    return empty;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  bool isScalar = !isa<RankedTensorType>(value.value.getType());
  SmallVector<Batched> operands;
  SmallVector<AffineMap> maps;
  if (!isScalar) {
    operands.push_back(value);
    maps.push_back(identity);
  }
  return createGeneric(loc, operands, maps, {empty, position}, identity,
                       parallel, [&](OpBuilder &, ValueRange arguments) {
                         return isScalar ? value.value : arguments.front();
                       });
}

//===----------------------------------------------------------------------===//
// Places in tensors
//===----------------------------------------------------------------------===//

OpFoldResult LoopBatcher::getUniform(Operation *op, OpFoldResult value,
                                     bool &isUniform) {
  isUniform = true;
  auto dynamic = dyn_cast<Value>(value);
  if (!dynamic || loop.isDefinedOutsideOfLoop(dynamic))
    return value;
  if (auto it = known.find(dynamic); it != known.end()) {
    isUniform = it->second.position < 0;
    return isUniform ? OpFoldResult(it->second.value) : value;
  }
  isUniform = false;
  return value;
}

std::optional<LoopBatcher::Part> LoopBatcher::getPart(
    Operation *op, const Batched &tensor, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides,
    const llvm::SmallBitVector &dropped) {
  Part part;
  part.dropped = dropped;
  for (auto [d, values] : llvm::enumerate(llvm::zip(offsets, sizes, strides))) {
    auto [offset, size, stride] = values;
    bool isUniform, isSize, isStride;
    OpFoldResult start = getUniform(op, offset, isUniform);
    OpFoldResult extent = getUniform(op, size, isSize);
    OpFoldResult by = getUniform(op, stride, isStride);
    if (!isUniform && isSize && isStride && isConstantIntValue(size, 1) &&
        part.dim == -1 && dropped.test(d)) {
      std::optional<LinearIndex> index = indices.getLinear(cast<Value>(offset));
      if (index && index->ivFactor == 1 && index->terms.empty()) {
        if (op->hasAttr(kGuardedAttrName) &&
            !indices.isInBounds(tensor.value, d, offset, size)) {
          (void)obstacle.set(op, "a branch guards an index that may be outside "
                                 "of the tensor without it");
          return std::nullopt;
        }
        part.dim = d;
        Value first = loop.getLowerBound();
        if (index->constant != 0)
          first = arith::AddIOp::create(
              rewriter, op->getLoc(), first,
              arith::ConstantIndexOp::create(rewriter, op->getLoc(),
                                             index->constant));
        start = getAsOpFoldResult(first);
        extent = count;
        isUniform = true;
      }
    }
    if (!isUniform || !isSize || !isStride) {
      (void)obstacle.set(op, "an index is not that of the iteration in one "
                             "dimension and the same in each iteration in the "
                             "others");
      return std::nullopt;
    }
    part.offsets.push_back(start);
    part.sizes.push_back(extent);
    part.strides.push_back(by);
  }
  bool isOwn = tensor.position < 0 || tensor.isWhole;
  if ((tensor.isWhole && part.dim != tensor.position) ||
      (!isOwn && part.dim >= 0)) {
    (void)obstacle.set(op, "iterations do not each have their own place along "
                           "one dimension of a tensor");
    return std::nullopt;
  }
  if (!isOwn) {
    // All of the batch that the tensor has.
    int64_t p = tensor.position;
    part.offsets.insert(part.offsets.begin() + p, rewriter.getIndexAttr(0));
    part.sizes.insert(part.sizes.begin() + p, count);
    part.strides.insert(part.strides.begin() + p, rewriter.getIndexAttr(1));
    llvm::SmallBitVector wider(dropped.size() + 1);
    for (unsigned d = 0; d < dropped.size(); ++d)
      if (dropped.test(d))
        wider.set(d < p ? d : d + 1);
    part.dropped = wider;
    part.dim = p;
  } else if (part.dim >= 0) {
    part.dropped.reset(part.dim);
  }
  return part;
}

/// Offsets, sizes and strides of what is read or written, and the dimensions
/// that it does not have.
static void getPlace(Operation *op, SmallVector<OpFoldResult> &offsets,
                     SmallVector<OpFoldResult> &sizes,
                     SmallVector<OpFoldResult> &strides,
                     llvm::SmallBitVector &dropped) {
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    offsets = slice.getMixedOffsets();
    sizes = slice.getMixedSizes();
    strides = slice.getMixedStrides();
    dropped = isa<tensor::ExtractSliceOp>(op)
                  ? cast<tensor::ExtractSliceOp>(op).getDroppedDims()
                  : cast<tensor::InsertSliceOp>(op).getDroppedDims();
    return;
  }
  auto read = dyn_cast<tensor::ExtractOp>(op);
  offsets = getAsOpFoldResult(read ? read.getIndices()
                                   : cast<tensor::InsertOp>(op).getIndices());
  sizes.assign(offsets.size(), Builder(op).getIndexAttr(1));
  strides = sizes;
  dropped.resize(offsets.size(), true);
}

LogicalResult LoopBatcher::convertRead(Operation *op) {
  Value source = op->getOperand(0);
  FailureOr<Batched> tensor = get(op, source);
  if (failed(tensor))
    return failure();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  llvm::SmallBitVector dropped;
  getPlace(op, offsets, sizes, strides, dropped);
  std::optional<Part> part =
      getPart(op, *tensor, offsets, sizes, strides, dropped);
  if (!part)
    return failure();
  Location loc = op->getLoc();
  if (part->dim < 0 && isa<tensor::ExtractOp>(op)) {
    SmallVector<Value> at =
        getValueOrCreateConstantIndexOp(rewriter, loc, part->offsets);
    auto read = tensor::ExtractOp::create(rewriter, loc, tensor->value, at);
    read->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    set(op->getResult(0), read, -1);
    return success();
  }
  RankedTensorType type = getTypeOf(part->sizes, part->dropped,
                                    getElementTypeOrSelf(source.getType()));
  Value read = rewriter.createOrFold<tensor::ExtractSliceOp>(
      loc, type, tensor->value, part->offsets, part->sizes, part->strides);
  if (op->hasAttr(kGuardedAttrName) && read != tensor->value)
    read.getDefiningOp()->setAttr(kGuardedAttrName, rewriter.getUnitAttr());
  set(op->getResult(0), read, part->dim < 0 ? -1 : part->getPosition());
  return success();
}

LogicalResult LoopBatcher::convertWrite(Operation *op) {
  FailureOr<Batched> source = get(op, op->getOperand(0));
  FailureOr<Batched> dest = get(op, op->getOperand(1));
  if (failed(source) || failed(dest))
    return failure();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  llvm::SmallBitVector dropped;
  getPlace(op, offsets, sizes, strides, dropped);
  Type type = op->getResult(0).getType();
  // Another copy in each iteration: what it is written to has a batch, too.
  if (dest->position < 0 && !dest->isWhole)
    dest = Batched{getAt(*dest, 0, type), 0};
  std::optional<Part> part =
      getPart(op, *dest, offsets, sizes, strides, dropped);
  if (!part)
    return failure();
  Value written =
      getAt(*source, part->getPosition(), op->getOperand(0).getType());
  // All of it is new.
  bool isAll =
      llvm::all_of(llvm::seq<int64_t>(0, part->offsets.size()), [&](int64_t d) {
        return isConstantIntValue(part->offsets[d], 0) &&
               isConstantIntValue(part->strides[d], 1) &&
               isExtentOf(part->sizes[d], dest->value, d);
      });
  if (isAll && written.getType() == dest->value.getType()) {
    known[op->getResult(0)] = {written, dest->position, dest->isWhole};
    return success();
  }
  Value result = tensor::InsertSliceOp::create(rewriter, op->getLoc(), written,
                                               dest->value, part->offsets,
                                               part->sizes, part->strides);
  if (op->hasAttr(kGuardedAttrName))
    result.getDefiningOp()->setAttr(kGuardedAttrName, rewriter.getUnitAttr());
  known[op->getResult(0)] = {result, dest->position, dest->isWhole};
  return success();
}

LogicalResult LoopBatcher::convertDim(Operation *op) {
  auto dim = cast<tensor::DimOp>(op);
  FailureOr<Batched> source = get(op, dim.getSource());
  std::optional<int64_t> at = dim.getConstantIndex();
  if (failed(source) || !at)
    return obstacle.set(op, "a dimension that is not constant is asked for");
  if (source->position >= 0 && !source->isWhole && *at >= source->position)
    ++*at;
  set(dim, tensor::DimOp::create(rewriter, op->getLoc(), source->value, *at),
      -1);
  return success();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LogicalResult LoopBatcher::convert(Operation *op) {
  SetVector<Value> operands;
  getUsedValuesDefinedAbove(op->getRegions(), operands);
  operands.insert(op->operand_begin(), op->operand_end());
  // Scans fail if extents differ, and so they do for all iterations.
  if (!isPure(op) &&
      !(isMemoryEffectFree(op) &&
        isa<tensor::ExtractOp, AssociativeOp, LinearRecurrenceOp>(op)))
    return obstacle.set(op, "'" + op->getName().getStringRef() +
                                "' has side effects, or is a loop that stays");
  if (isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op))
    return convertRead(op);
  if (isa<tensor::InsertOp, tensor::InsertSliceOp>(op))
    return convertWrite(op);
  if (isa<tensor::DimOp>(op))
    return convertDim(op);
  bool isUniform = true;
  for (Value operand : operands) {
    bool isSame;
    (void)getUniform(op, operand, isSame);
    isUniform &= isSame;
  }
  if (isUniform) {
    IRMapping mapping;
    for (Value operand : operands)
      mapping.map(operand, get(op, operand)->value);
    Operation *copy = rewriter.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
      set(from, to, -1);
    return success();
  }
  // Places are read from the loop's own operations.
  if (llvm::all_of(op->getResultTypes(),
                   [](Type type) { return type.isIndex(); }) &&
      llvm::all_of(op->getResults(), [&](Value result) {
        return indices.getLinear(result).has_value();
      }))
    if (llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<tensor::ExtractOp, tensor::ExtractSliceOp,
                     tensor::InsertOp, tensor::InsertSliceOp>(user);
        }))
      return success();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return convertStructured(structured);
  if (isa<AssociativeOp, LinearRecurrenceOp>(op))
    return convertScan(op);
  if (isa<tensor::CastOp>(op))
    return convertCast(op);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return convertSplat(op, splat.getInput());
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op);
      elements && elements.getType().getRank() == 0)
    return convertSplat(op, elements.getElements().front());
  if (op->getNumRegions() == 0 && op->getNumResults() == 1)
    return convertElementwise(op);
  return obstacle.set(op, "'" + op->getName().getStringRef() +
                              "' is not computed for all iterations at once");
}

LogicalResult LoopBatcher::finish() {
  SmallVector<Value> results;
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [argument, yielded, init] : llvm::zip(
           loop.getRegionIterArgs(), yield->getOperands(), loop.getInits())) {
    FailureOr<Batched> value = get(yield, yielded);
    if (failed(value))
      return failure();
    if (!value->isWhole)
      return obstacle.set(yield, "an iteration needs what an earlier one has "
                                 "made");
    results.push_back(value->value);
  }
  rewriter.replaceOp(loop, results);
  return success();
}

/// The dimension of a carried tensor along which each iteration has its place:
/// that of the first access; -1 if it has none.
static int64_t getOwnDim(RecurrenceLoop &indices, BlockArgument argument) {
  for (Operation *user : argument.getUsers()) {
    if (!isa<tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertOp,
             tensor::InsertSliceOp>(user))
      continue;
    // A slice that is put into another tensor has no place of its own.
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user);
        insert && insert.getDest() != argument)
      continue;
    SmallVector<OpFoldResult> offsets, sizes, strides;
    llvm::SmallBitVector dropped;
    getPlace(user, offsets, sizes, strides, dropped);
    for (auto [d, offset] : llvm::enumerate(offsets)) {
      auto dynamic = dyn_cast<Value>(offset);
      std::optional<LinearIndex> index =
          dynamic ? indices.getLinear(dynamic) : std::nullopt;
      if (index && index->ivFactor == 1)
        return d;
    }
  }
  return -1;
}

LogicalResult LoopBatcher::run() {
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp() ||
      !isConstantIntValue(loop.getStep(), 1))
    return obstacle.set(loop, "expected a loop over index in steps of 1");
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  std::optional<LinearIndex> range = indices.getLinear(loop.getUpperBound());
  std::optional<LinearIndex> lower = indices.getLinear(loop.getLowerBound());
  if (!range || !lower)
    return obstacle.set(loop, "its bounds are not known");
  range->add(*lower, -1);
  if (range->terms.empty()) {
    count = rewriter.getIndexAttr(std::max<int64_t>(range->constant, 0));
  } else if (range->getSingleValue() && indices.isNeverNegative(*range)) {
    count = range->getSingleValue();
  } else {
    Value difference = arith::SubIOp::create(
        rewriter, loc, loop.getUpperBound(), loop.getLowerBound());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    count = arith::MaxSIOp::create(rewriter, loc, difference, zero).getResult();
  }
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInits())) {
    int64_t dim = isa<RankedTensorType>(argument.getType())
                      ? getOwnDim(indices, argument)
                      : -1;
    if (dim >= 0)
      known[argument] = {init, dim, true};
  }
  for (Operation &op : loop.getBody()->without_terminator())
    if (failed(convert(&op)))
      return failure();
  return finish();
}

LogicalResult scan::batchLoop(RewriterBase &rewriter, scf::ForOp loop,
                              Obstacle &obstacle) {
  return LoopBatcher(rewriter, loop, obstacle).run();
}
