//===- TensorTerms.cpp - Small tensors as terms ---------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is the list of its elements. Structured operations are evaluated
// point by point, in the order of their loops.
//
//===----------------------------------------------------------------------===//

#include "RegionTerms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan::associativity;

/// The most elements of a tensor, and points of a loop nest.
static constexpr int64_t kMaxElements = 4096;

/// The position of `point` in row-major order.
static int64_t linearize(ArrayRef<int64_t> point, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [at, extent] : llvm::zip_equal(point, shape))
    position = position * extent + at;
  return position;
}

/// The next point of a box, last dimension fastest; false after the last one.
static bool advance(MutableArrayRef<int64_t> point, ArrayRef<int64_t> extents) {
  for (size_t d = point.size(); d-- > 0;) {
    if (++point[d] < extents[d])
      return true;
    point[d] = 0;
  }
  return false;
}

/// Adds element `position` of `from`, which has `parts` parts.
static void appendElement(Symbol &to, const Symbol &from, int64_t position,
                          unsigned parts) {
  to.append(from.begin() + position * parts,
            from.begin() + (position + 1) * parts);
}

LogicalResult RegionTerms::evaluateSlice(Operation *op) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  if (llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) ||
      llvm::any_of(slice.getStaticSizes(), ShapedType::isDynamic) ||
      llvm::any_of(slice.getStaticStrides(), ShapedType::isDynamic))
    return refuse(op,
                  "has offsets, sizes or strides that are not constant, and "
                  "no translation for the solver");
  bool isExtract = isa<tensor::ExtractSliceOp>(op);
  if (!isExtract && !isa<tensor::InsertSliceOp>(op))
    return refuseUnknown(op);
  Value whole = op->getOperand(isExtract ? 0 : 1);
  auto type = cast<RankedTensorType>(whole.getType());
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  unsigned parts = getNumParts(type.getElementType());
  Symbol result;
  if (!isExtract)
    result = lookup(whole);
  SmallVector<int64_t> point(sizes.size(), 0), at(sizes.size());
  int64_t count = 0;
  if (llvm::is_contained(sizes, 0)) {
    bind(op->getResult(0), std::move(result));
    return success();
  }
  do {
    for (auto [d, index] : llvm::enumerate(point))
      at[d] = slice.getStaticOffsets()[d] + index * slice.getStaticStrides()[d];
    int64_t position = linearize(at, type.getShape());
    if (isExtract)
      appendElement(result, lookup(whole), position, parts);
    else
      for (unsigned part = 0; part < parts; ++part)
        result[position * parts + part] =
            lookup(op->getOperand(0))[count * parts + part];
    ++count;
  } while (advance(point, sizes));
  bind(op->getResult(0), std::move(result));
  return success();
}

LogicalResult RegionTerms::evaluateTensor(Operation *op) {
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor &&
        (!tensor.hasStaticShape() || tensor.getNumElements() > kMaxElements))
      return refuse(op,
                    "on a tensor that is large or of unknown extents has no "
                    "translation for the solver");
  Type resultType = op->getResult(0).getType();
  std::optional<Sort> sort = getSort(getElementTypeOrSelf(resultType));
  if (!sort)
    return refuseUnknown(op);
  unsigned parts = getNumParts(getElementTypeOrSelf(resultType));
  auto tensorType = dyn_cast<RankedTensorType>(resultType);
  Symbol result;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    std::optional<int64_t> position = getPosition(
        extract.getIndices(), extract.getTensor().getType().getShape());
    if (!position)
      return refuse(op,
                    "has an index that is not a constant within bounds, and "
                    "no translation for the solver");
    appendElement(result, lookup(extract.getTensor()), *position, parts);
  } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
    std::optional<int64_t> position =
        getPosition(insert.getIndices(), tensorType.getShape());
    if (!position)
      return refuse(op,
                    "has an index that is not a constant within bounds, and "
                    "no translation for the solver");
    result = lookup(insert.getDest());
    for (unsigned part = 0; part < parts; ++part)
      result[*position * parts + part] = lookup(insert.getScalar())[part];
  } else if (isa<tensor::FromElementsOp>(op)) {
    for (Value element : op->getOperands())
      llvm::append_range(result, lookup(element));
  } else if (isa<tensor::SplatOp>(op)) {
    for (int64_t i = 0, e = tensorType.getNumElements(); i < e; ++i)
      appendElement(result, lookup(op->getOperand(0)), 0, parts);
  } else if (isa<tensor::EmptyOp>(op)) {
    // What nobody wrote has no value.
    Term value =
        pool.variable(*sort, pool.intern("unwritten_" + Twine(pool.size())));
    result.assign(tensorType.getNumElements() * parts,
                  {value, pool.boolean(false)});
  } else if (isa<tensor::CastOp, tensor::CollapseShapeOp,
                 tensor::ExpandShapeOp>(op)) {
    result = lookup(op->getOperand(0));
  } else if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    SmallVector<int64_t> point(tensorType.getRank(), 0);
    Block &body = generate.getBody().front();
    for (int64_t i = 0, e = tensorType.getNumElements(); i < e; ++i) {
      for (auto [argument, index] : llvm::zip_equal(body.getArguments(), point))
        bind(argument, {{indexConstant(index), pool.boolean(true)}});
      SmallVector<Symbol> yields;
      if (failed(evaluateBlock(body, yields)))
        return failure();
      llvm::append_range(result, yields[0]);
      advance(point, tensorType.getShape());
    }
  } else if (isa<OffsetSizeAndStrideOpInterface>(op)) {
    return evaluateSlice(op);
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto source = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (!index || !source || *index < 0 || *index >= source.getRank() ||
        source.isDynamicDim(*index))
      return refuseUnknown(op);
    result = {{indexConstant(source.getDimSize(*index)), pool.boolean(true)}};
  } else {
    return refuseUnknown(op);
  }
  bind(op->getResult(0), std::move(result));
  return success();
}

LogicalResult RegionTerms::evaluateLinalg(Operation *op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    bind(index.getResult(), {{indexConstant(loopIndices.back()[index.getDim()]),
                              pool.boolean(true)}});
    return success();
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics())
    return refuseUnknown(op);
  SmallVector<int64_t> extents = structured.getStaticLoopRanges();
  int64_t points = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent) || extent > kMaxElements ||
        (points *= extent) > kMaxElements)
      return refuse(op, "over many or an unknown number of points has no "
                        "translation for the solver");
  }
  SmallVector<AffineMap> maps = structured.getIndexingMapsArray();
  SmallVector<Symbol> outputs;
  for (Value init : structured.getDpsInits())
    outputs.push_back(lookup(init));
  Block &body = *structured.getBlock();
  unsigned numInputs = structured.getNumDpsInputs();
  SmallVector<int64_t> point(extents.size(), 0);
  loopIndices.emplace_back();
  for (int64_t n = 0; n < points; ++n, advance(point, extents)) {
    loopIndices.back() = point;
    SmallVector<int64_t> positions;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      int64_t position =
          type ? linearize(maps[i].compose(point), type.getShape()) : 0;
      positions.push_back(position);
      Symbol element;
      appendElement(
          element, i < numInputs ? lookup(operand) : outputs[i - numInputs],
          position, getNumParts(getElementTypeOrSelf(operand.getType())));
      bind(body.getArgument(i), std::move(element));
    }
    SmallVector<Symbol> yields;
    if (failed(evaluateBlock(body, yields)))
      return failure();
    for (auto [i, yield] : llvm::enumerate(yields))
      for (auto [part, value] : llvm::enumerate(yield))
        outputs[i][positions[numInputs + i] * yield.size() + part] = value;
  }
  loopIndices.pop_back();
  for (auto [result, symbol] : llvm::zip_equal(op->getResults(), outputs))
    bind(result, std::move(symbol));
  return success();
}
