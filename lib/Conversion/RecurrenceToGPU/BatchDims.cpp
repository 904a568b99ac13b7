//===- BatchDims.cpp - Dimensions that a step treats apart ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of tensors and loops that an operation walks together are one
// class. A class is no batch dimension if some operation reads across it, or at
// a place of its own choice, or computes with its extent.
//
//===----------------------------------------------------------------------===//

#include "BatchDims.h"
#include "IR/Extents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

static int64_t getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

unsigned BatchDims::getNode(Node key) {
  auto [entry, isNew] = nodes.try_emplace(key, parents.size());
  if (isNew)
    parents.push_back(parents.size());
  return entry->second;
}

unsigned BatchDims::find(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void BatchDims::unite(unsigned lhs, unsigned rhs) {
  parents[find(lhs)] = find(rhs);
}

void BatchDims::forbidAll(Value value) {
  for (int64_t dim = 0, rank = getRank(value); dim < rank; ++dim)
    forbid(getNode(value, dim));
}

void BatchDims::uniteAll(Value lhs, Value rhs) {
  for (int64_t dim = 0, rank = getRank(lhs); dim < rank; ++dim)
    unite(getNode(lhs, dim), getNode(rhs, dim));
}

void BatchDims::addSize(OpFoldResult size, Value value, int64_t dim) {
  if (isa<Attribute>(size))
    return;
  auto source = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  if (source && source.getConstantIndex())
    unite(getNode(value, dim),
          getNode(source.getSource(), *source.getConstantIndex()));
  else
    forbid(getNode(value, dim));
}

void BatchDims::addLinalg(linalg::LinalgOp op) {
  auto loop = [&](unsigned number) {
    return getNode({op.getOperation(), number});
  };
  for (auto [number, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if (type != utils::IteratorType::parallel)
      forbid(loop(number));
  op->walk([&](linalg::IndexOp index) { forbid(loop(index.getDim())); });
  for (OpOperand &operand : op->getOpOperands()) {
    if (getRank(operand.get()) == 0)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (auto position = dyn_cast<AffineDimExpr>(expr)) {
        unite(getNode(operand.get(), dim), loop(position.getPosition()));
        continue;
      }
      forbid(getNode(operand.get(), dim));
      for (unsigned number = 0; number < op.getNumLoops(); ++number)
        if (expr.isFunctionOfDim(number))
          forbid(loop(number));
    }
    if (op.isDpsInit(&operand))
      uniteAll(operand.get(), op.getTiedOpResult(&operand));
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    forbidAll(value);
}

/// `part` is a slice of `whole`. Returns whether dimensions were united that
/// were not; with `isLast`, those that a slice has a part of are forbidden.
template <typename OpTy>
bool BatchDims::addSlice(OpTy op, Value whole, Value part, bool isLast) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t number = 0;
  bool hasChanged = false;
  for (int64_t dim = 0, rank = getRank(whole); dim < rank; ++dim) {
    unsigned node = getNode(whole, dim);
    if (dropped.test(dim)) {
      forbid(node);
      continue;
    }
    unsigned own = getNode(part, number++);
    OpFoldResult size = op.getMixedSizes()[dim];
    // All of them also if other code walks the two together.
    auto source = dyn_cast<Value>(size)
                      ? cast<Value>(size).getDefiningOp<tensor::DimOp>()
                      : tensor::DimOp();
    bool isSame = source && source.getConstantIndex() &&
                  find(getNode(source.getSource(),
                               *source.getConstantIndex())) == find(node);
    bool isAll = isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
                 isConstantIntValue(op.getMixedStrides()[dim], 1) &&
                 (isSame || isExtentOf(size, whole, dim));
    if (isAll && find(node) != find(own)) {
      unite(node, own);
      hasChanged = true;
    }
    if (!isLast)
      continue;
    addSize(size, part, number - 1);
    if (!isAll) {
      forbid(node);
      forbid(own);
    }
  }
  return hasChanged;
}

bool BatchDims::addSlices(bool isLast) {
  bool hasChanged = false;
  for (Operation &inner : op.getBody().front()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(inner))
      hasChanged |=
          addSlice(slice, slice.getSource(), slice.getResult(), isLast);
    if (auto slice = dyn_cast<tensor::InsertSliceOp>(inner))
      hasChanged |= addSlice(slice, slice.getDest(), slice.getSource(), isLast);
  }
  return hasChanged;
}

/// Code that computes with an extent, and not just makes a tensor of it.
void BatchDims::addDimUses(Operation *op) {
  auto dim = cast<tensor::DimOp>(op);
  if (!dim.getConstantIndex())
    return forbidAll(dim.getSource());
  for (OpOperand &use : dim->getUses()) {
    Operation *user = use.getOwner();
    unsigned number = use.getOperandNumber();
    bool isSize = isa<tensor::EmptyOp>(user) ||
                  (isa<tensor::SplatOp>(user) && number > 0);
    if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(user)) {
      unsigned first = slice.getOffsetSizeAndStrideStartOperandIndex() +
                       slice.getOffsets().size();
      isSize = number >= first && number < first + slice.getSizes().size();
    }
    if (!isSize || user->getBlock() != &this->op.getBody().front())
      forbid(getNode(dim.getSource(), *dim.getConstantIndex()));
  }
}

void BatchDims::addOperation(Operation *inner) {
  auto addSizes = [&](Value result, ArrayRef<OpFoldResult> sizes) {
    for (auto [dim, size] : llvm::enumerate(sizes))
      addSize(size, result, dim);
  };
  llvm::TypeSwitch<Operation *>(inner)
      .Case([&](linalg::LinalgOp linalgOp) { addLinalg(linalgOp); })
      .Case([&](tensor::EmptyOp empty) {
        addSizes(empty, empty.getMixedSizes());
      })
      .Case([&](tensor::SplatOp splat) {
        SmallVector<OpFoldResult> sizes;
        unsigned number = 0;
        for (int64_t extent : splat.getType().getShape())
          sizes.push_back(
              ShapedType::isDynamic(extent)
                  ? OpFoldResult(splat.getDynamicSizes()[number++])
                  : OpFoldResult(OpBuilder(splat).getIndexAttr(extent)));
        addSizes(splat, sizes);
      })
      .Case([](tensor::ExtractSliceOp) {})
      .Case([&](tensor::InsertSliceOp slice) {
        uniteAll(slice.getDest(), slice.getResult());
      })
      .Case([&](tensor::CastOp cast) {
        if (getRank(cast.getSource()) == getRank(cast.getDest()))
          uniteAll(cast.getSource(), cast.getDest());
      })
      .Case([&](bufferization::AllocTensorOp copy) {
        uniteAll(copy.getCopy(), copy.getResult());
      })
      .Case([&](tensor::DimOp dim) { addDimUses(dim); })
      .Default([&](Operation *other) {
        Attribute constant;
        if (matchPattern(other, m_Constant(&constant)))
          if (!isa<ElementsAttr>(constant) || isa<SplatElementsAttr>(constant))
            return;
        bool isElementwise = OpTrait::hasElementwiseMappableTraits(other) &&
                             other->getNumRegions() == 0;
        SetVector<Value> used(other->operand_begin(), other->operand_end());
        getUsedValuesDefinedAbove(other->getRegions(), used);
        used.insert(other->result_begin(), other->result_end());
        for (Value value : used) {
          if (!isElementwise)
            forbidAll(value);
          else if (getRank(value) != 0)
            uniteAll(value, other->getResult(0));
        }
      });
}

/// Whether each state, and each output, has the class once, and nothing has it
/// twice.
bool BatchDims::isInAll(unsigned root) {
  auto count = [&](Value value) {
    unsigned found = 0;
    for (int64_t dim = 0, rank = getRank(value); dim < rank; ++dim)
      found += find(getNode(value, dim)) == root;
    return found;
  };
  Block &body = op.getBody().front();
  for (Value row : body.getTerminator()->getOperands())
    if (count(row) != 1)
      return false;
  for (Value argument : body.getArguments())
    if (count(argument) > 1)
      return false;
  for (Operation &inner : body)
    for (Value result : inner.getResults())
      if (count(result) > 1)
        return false;
  return true;
}

void BatchDims::choose() {
  Value first = op.getWindowArguments(0).front();
  for (int64_t dim = 0, rank = getRank(first); dim < rank; ++dim) {
    unsigned root = find(getNode(first, dim));
    bool isForbidden = llvm::any_of(
        forbidden, [&](unsigned node) { return find(node) == root; });
    if (!isForbidden && isInAll(root) && !llvm::is_contained(batches, root))
      batches.push_back(root);
  }
}

BatchDims::BatchDims(RecurrenceOp op) : op(op) {
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator())
    addOperation(&inner);
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state)
    for (BlockArgument row : op.getWindowArguments(state))
      uniteAll(row, body.getTerminator()->getOperand(state));
  while (addSlices(/*isLast=*/false))
    ;
  addSlices(/*isLast=*/true);
  choose();
}

std::optional<unsigned> BatchDims::get(Value value, int64_t dim) const {
  auto found = nodes.find({value.getAsOpaquePointer(), dim});
  if (found == nodes.end())
    return std::nullopt;
  const unsigned *batch = llvm::find(batches, find(found->second));
  if (batch == batches.end())
    return std::nullopt;
  return batch - batches.begin();
}

Type BatchDims::getType(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value.getType();
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (get(value, dim))
      extent = 1;
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// The body for one index of each
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> BatchDims::getSizes(Value value,
                                              ArrayRef<OpFoldResult> sizes,
                                              const IRMapping &mapping) const {
  SmallVector<OpFoldResult> result;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    auto dynamic = dyn_cast<Value>(size);
    if (get(value, dim))
      result.push_back(Builder(op->getContext()).getIndexAttr(1));
    else if (dynamic)
      result.push_back(getAsOpFoldResult(mapping.lookup(dynamic)));
    else
      result.push_back(size);
  }
  return result;
}

void BatchDims::cloneOperation(OpBuilder &builder, Operation &inner,
                               IRMapping &mapping) const {
  auto lookUp = [&](ArrayRef<OpFoldResult> numbers) {
    return llvm::map_to_vector(numbers, [&](OpFoldResult number) {
      auto dynamic = dyn_cast<Value>(number);
      return dynamic ? getAsOpFoldResult(mapping.lookup(dynamic)) : number;
    });
  };
  Location loc = inner.getLoc();
  if (auto empty = dyn_cast<tensor::EmptyOp>(inner)) {
    mapping.map(
        empty.getResult(),
        tensor::EmptyOp::create(builder, loc,
                                getSizes(empty, empty.getMixedSizes(), mapping),
                                empty.getType().getElementType())
            .getResult());
    return;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(inner)) {
    mapping.map(
        slice.getResult(),
        tensor::ExtractSliceOp::create(
            builder, loc, cast<RankedTensorType>(getType(slice.getResult())),
            mapping.lookup(slice.getSource()), lookUp(slice.getMixedOffsets()),
            getSizes(slice.getSource(), slice.getMixedSizes(), mapping),
            slice.getMixedStrides())
            .getResult());
    return;
  }
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(inner)) {
    mapping.map(slice.getResult(),
                tensor::InsertSliceOp::create(
                    builder, loc, mapping.lookup(slice.getSource()),
                    mapping.lookup(slice.getDest()),
                    lookUp(slice.getMixedOffsets()),
                    getSizes(slice.getDest(), slice.getMixedSizes(), mapping),
                    slice.getMixedStrides())
                    .getResult());
    return;
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(inner)) {
    auto type = cast<RankedTensorType>(getType(splat.getResult()));
    SmallVector<Value> sizes;
    unsigned number = 0;
    for (auto [dim, extent] : llvm::enumerate(splat.getType().getShape()))
      if (ShapedType::isDynamic(extent)) {
        Value size = splat.getDynamicSizes()[number++];
        if (type.isDynamicDim(dim))
          sizes.push_back(mapping.lookup(size));
      }
    mapping.map(splat.getResult(),
                tensor::SplatOp::create(builder, loc, type,
                                        mapping.lookup(splat.getInput()), sizes)
                    .getResult());
    return;
  }
  Attribute constant;
  if (matchPattern(&inner, m_Constant(&constant)) &&
      isa<SplatElementsAttr>(constant)) {
    auto type = cast<RankedTensorType>(getType(inner.getResult(0)));
    mapping.map(
        inner.getResult(0),
        arith::ConstantOp::create(
            builder, loc, cast<SplatElementsAttr>(constant).resizeSplat(type))
            .getResult());
    return;
  }
  Operation *copy = builder.clone(inner, mapping);
  for (auto [result, original] :
       llvm::zip_equal(copy->getResults(), inner.getResults()))
    result.setType(getType(original));
}

SmallVector<Value> BatchDims::cloneBody(OpBuilder &builder,
                                        IRMapping &mapping) const {
  Block &body = op->getRegion(0).front();
  for (Operation &inner : body.without_terminator())
    cloneOperation(builder, inner, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}
