//===- Scalarize.cpp - Combine regions without tensors --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the small tensors of a combine region into their elements by running
// the region symbolically: a tensor is a vector of scalar values, operations
// that move elements permute such vectors, and linalg operations are unrolled
// over their iteration space. Index arithmetic folds on the way, so that an
// index that is computed from constants counts as constant.
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "CombineRewrite.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

/// Unrolling stops here: code of this size is a mistake, not an operator.
constexpr int64_t kMaxUnrolledPoints = 1 << 16;

/// Nor is a tensor of more elements one that is split into scalars.
constexpr int64_t kMaxElements = 1 << 20;

/// The elements of a value: one for a scalar, all in row-major order for a
/// tensor.
using Elements = SmallVector<Value>;

bool isShaped(Type type) { return isa<ShapedType>(type); }

class Scalarizer {
public:
  Scalarizer(OpBuilder &builder, NormalizeObstacle &obstacle)
      : builder(builder), obstacle(obstacle) {}

  /// Splits the block argument or result `value`, whose elements are `scalars`.
  void define(Value value, Elements scalars) {
    elements[value] = std::move(scalars);
  }
  ArrayRef<Value> get(Value value) { return elements[value]; }

  LogicalResult visitBody(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  /// Sets the obstacle unless `type` is a scalar or a static ranked tensor of
  /// at most kMaxElements.
  LogicalResult checkType(Operation *op, Type type);

private:
  LogicalResult fail(Operation *op, const Twine &reason) {
    obstacle = {op, reason.str()};
    return failure();
  }
  LogicalResult visit(Operation *op);
  LogicalResult visitScalar(Operation *op);
  LogicalResult visitElementwise(Operation *op);
  LogicalResult visitConstant(arith::ConstantOp op);
  LogicalResult visitExtract(tensor::ExtractOp op);
  LogicalResult visitInsert(tensor::InsertOp op);
  LogicalResult visitExtractSlice(tensor::ExtractSliceOp op);
  LogicalResult visitInsertSlice(tensor::InsertSliceOp op);
  LogicalResult visitGenerate(tensor::GenerateOp op);
  LogicalResult visitLinalg(linalg::LinalgOp op);
  LogicalResult spend(Operation *op, int64_t points);

  std::optional<int64_t> getIndex(OpFoldResult index) {
    if (auto value = dyn_cast<Value>(index))
      return getConstantIntValue(get(value).front());
    return getConstantIntValue(index);
  }
  /// The row-major position of the element of `type` at `indices`.
  FailureOr<int64_t> getPosition(Operation *op, Type type, ValueRange indices);
  /// The row-major positions in `source` of the elements of a slice of it.
  FailureOr<SmallVector<int64_t>>
  getSlicePositions(OffsetSizeAndStrideOpInterface op, Type source);
  void cloneFolded(Operation *op, IRMapping &mapping,
                   SmallVectorImpl<Value> &results, TypeRange resultTypes);

  OpBuilder &builder;
  NormalizeObstacle &obstacle;
  DenseMap<Value, Elements> elements;
  /// The iteration points of the linalg operations around, innermost last.
  SmallVector<SmallVector<int64_t>> points;
  int64_t spent = 0;
};

LogicalResult Scalarizer::checkType(Operation *op, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (isShaped(type) && !(tensorType && tensorType.hasStaticShape())) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return fail(op, "has a value of type " + text +
                        ", and only scalars and ranked tensors of static shape "
                        "can be split into scalars");
  }
  if (isShaped(type) && countElements(tensorType.getShape()) > kMaxElements) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return fail(op, "has a value of type " + text +
                        ", and tensors of at most " + Twine(kMaxElements) +
                        " elements are split into scalars");
  }
  return success();
}

LogicalResult Scalarizer::spend(Operation *op, int64_t points) {
  if (points <= kMaxUnrolledPoints - spent) {
    spent += points;
    return success();
  }
  return fail(op, "makes the combine region larger than " +
                      Twine(kMaxUnrolledPoints) +
                      " scalar steps when unrolled");
}

LogicalResult Scalarizer::visit(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      // The same elements in the same row-major order.
      .Case<CloneOp, tensor::CastOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::ReshapeOp, tensor::FromElementsOp>(
          [&](Operation *op) {
            if (isa<tensor::FromElementsOp>(op)) {
              Elements all;
              for (Value operand : op->getOperands())
                all.push_back(get(operand).front());
              define(op->getResult(0), std::move(all));
            } else {
              define(op->getResult(0), Elements(get(op->getOperand(0))));
            }
            return success();
          })
      .Case([&](tensor::SplatOp op) {
        define(op, Elements(op.getType().getNumElements(),
                            get(op.getInput()).front()));
        return success();
      })
      .Case([&](tensor::EmptyOp op) {
        // Any value will do; zero is the same in every run.
        define(op, Elements(op.getType().getNumElements(),
                            createScalarConstant(builder, op.getLoc(),
                                                 op.getType().getElementType(),
                                                 0)));
        return success();
      })
      .Case([&](tensor::DimOp op) -> LogicalResult {
        std::optional<int64_t> dim = getIndex(op.getDimension());
        auto type = cast<RankedTensorType>(op.getSource().getType());
        if (!dim || *dim < 0 || *dim >= type.getRank())
          return fail(op, "asks for a dimension that is not a constant within "
                          "the rank of its operand");
        define(op, {arith::ConstantIndexOp::create(builder, op.getLoc(),
                                                   type.getDimSize(*dim))});
        return success();
      })
      .Case([&](linalg::IndexOp op) -> LogicalResult {
        if (points.empty() || op.getDim() >= points.back().size())
          return fail(op, "has no iteration space around it");
        define(op, {arith::ConstantIndexOp::create(
                       builder, op.getLoc(), points.back()[op.getDim()])});
        return success();
      })
      .Case([&](tensor::ExtractOp op) { return visitExtract(op); })
      .Case([&](tensor::InsertOp op) { return visitInsert(op); })
      .Case([&](tensor::ExtractSliceOp op) { return visitExtractSlice(op); })
      .Case([&](tensor::InsertSliceOp op) { return visitInsertSlice(op); })
      .Case([&](tensor::GenerateOp op) { return visitGenerate(op); })
      .Case([&](linalg::LinalgOp op) { return visitLinalg(op); })
      .Default([&](Operation *op) -> LogicalResult {
        auto constant = dyn_cast<arith::ConstantOp>(op);
        if (constant && isShaped(constant.getType()))
          return visitConstant(constant);
        if (llvm::none_of(op->getOperandTypes(), isShaped) &&
            llvm::none_of(op->getResultTypes(), isShaped))
          return visitScalar(op);
        if (OpTrait::hasElementwiseMappableTraits(op) &&
            op->getNumRegions() == 0)
          return visitElementwise(op);
        return fail(op, "has no rewrite to scalar operations");
      });
}

/// Clones `op` with the element `types` as result types, folded if possible.
void Scalarizer::cloneFolded(Operation *op, IRMapping &mapping,
                             SmallVectorImpl<Value> &results, TypeRange types) {
  Operation *copy = builder.clone(*op, mapping);
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), types))
    result.setType(type);
  if (succeeded(builder.tryFold(copy, results)) && !results.empty()) {
    copy->erase();
    return;
  }
  results.assign(copy->result_begin(), copy->result_end());
}

LogicalResult Scalarizer::visitScalar(Operation *op) {
  WalkResult walk = op->walk([&](Operation *nested) {
    if (llvm::none_of(nested->getOperandTypes(), isShaped) &&
        llvm::none_of(nested->getResultTypes(), isShaped))
      return WalkResult::advance();
    return WalkResult(fail(nested, "is inside of '" +
                                       op->getName().getStringRef() +
                                       "', where tensors cannot be split into "
                                       "scalars"));
  });
  if (walk.wasInterrupted())
    return failure();
  IRMapping mapping;
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used)
    mapping.map(value, get(value).front());
  SmallVector<Value> results;
  cloneFolded(op, mapping, results, op->getResultTypes());
  for (auto [result, scalar] : llvm::zip_equal(op->getResults(), results))
    define(result, {scalar});
  return success();
}

LogicalResult Scalarizer::visitElementwise(Operation *op) {
  int64_t size = 1;
  for (Type type : op->getResultTypes())
    size = cast<ShapedType>(type).getNumElements();
  if (failed(spend(op, size)))
    return failure();
  SmallVector<Elements> all(op->getNumResults());
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  for (int64_t i = 0; i < size; ++i) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, isShaped(operand.getType()) ? get(operand)[i]
                                                       : get(operand).front());
    SmallVector<Value> results;
    cloneFolded(op, mapping, results, types);
    for (auto [scalars, scalar] : llvm::zip_equal(all, results))
      scalars.push_back(scalar);
  }
  for (auto [result, scalars] : llvm::zip_equal(op->getResults(), all))
    define(result, std::move(scalars));
  return success();
}

LogicalResult Scalarizer::visitConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return fail(op, "is not a dense constant");
  Type type = dense.getElementType();
  auto create = [&](Attribute attr) -> Value {
    if (isa<ComplexType>(type))
      return complex::ConstantOp::create(builder, op.getLoc(), type,
                                         cast<ArrayAttr>(attr));
    return arith::ConstantOp::create(builder, op.getLoc(),
                                     cast<TypedAttr>(attr));
  };
  Elements all;
  if (dense.isSplat())
    all.assign(dense.getNumElements(),
               create(dense.getSplatValue<Attribute>()));
  else
    for (Attribute attr : dense.getValues<Attribute>())
      all.push_back(create(attr));
  define(op, std::move(all));
  return success();
}

FailureOr<int64_t> Scalarizer::getPosition(Operation *op, Type type,
                                           ValueRange indices) {
  auto tensorType = cast<RankedTensorType>(type);
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip_equal(indices, tensorType.getShape())) {
    std::optional<int64_t> constant = getIndex(index);
    if (!constant)
      return fail(op, "has an index that is not constant");
    if (*constant < 0 || *constant >= extent)
      return fail(op, "has index " + Twine(*constant) +
                          " in a dimension of extent " + Twine(extent));
    position = position * extent + *constant;
  }
  return position;
}

LogicalResult Scalarizer::visitExtract(tensor::ExtractOp op) {
  FailureOr<int64_t> position =
      getPosition(op, op.getTensor().getType(), op.getIndices());
  if (failed(position))
    return failure();
  define(op, {get(op.getTensor())[*position]});
  return success();
}

LogicalResult Scalarizer::visitInsert(tensor::InsertOp op) {
  FailureOr<int64_t> position = getPosition(op, op.getType(), op.getIndices());
  if (failed(position))
    return failure();
  Elements all(get(op.getDest()));
  all[*position] = get(op.getScalar()).front();
  define(op, std::move(all));
  return success();
}

FailureOr<SmallVector<int64_t>>
Scalarizer::getSlicePositions(OffsetSizeAndStrideOpInterface op, Type source) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(source).getShape();
  SmallVector<int64_t> positions = {0};
  for (auto [offset, size, stride, extent] :
       llvm::zip_equal(op.getMixedOffsets(), op.getMixedSizes(),
                       op.getMixedStrides(), shape)) {
    std::optional<int64_t> begin = getIndex(offset), count = getIndex(size),
                           step = getIndex(stride);
    if (!begin || !count || !step)
      return fail(op, "has an offset, size or stride that is not constant");
    SmallVector<int64_t> next;
    for (int64_t position : positions)
      for (int64_t i = 0; i < *count; ++i) {
        int64_t index = *begin + i * *step;
        if (index < 0 || index >= extent)
          return fail(op, "reaches index " + Twine(index) +
                              " in a dimension of extent " + Twine(extent));
        next.push_back(position * extent + index);
      }
    positions = std::move(next);
  }
  return positions;
}

LogicalResult Scalarizer::visitExtractSlice(tensor::ExtractSliceOp op) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op.getOperation());
  FailureOr<SmallVector<int64_t>> positions =
      getSlicePositions(slice, op.getSourceType());
  if (failed(positions))
    return failure();
  ArrayRef<Value> source = get(op.getSource());
  define(op, llvm::map_to_vector(*positions, [&](int64_t position) {
           return source[position];
         }));
  return success();
}

LogicalResult Scalarizer::visitInsertSlice(tensor::InsertSliceOp op) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op.getOperation());
  FailureOr<SmallVector<int64_t>> positions =
      getSlicePositions(slice, op.getType());
  if (failed(positions))
    return failure();
  Elements all(get(op.getDest()));
  for (auto [position, scalar] :
       llvm::zip_equal(*positions, get(op.getSource())))
    all[position] = scalar;
  define(op, std::move(all));
  return success();
}

LogicalResult Scalarizer::visitGenerate(tensor::GenerateOp op) {
  Block &body = op.getBody().front();
  auto type = cast<RankedTensorType>(op.getType());
  if (failed(spend(op, type.getNumElements())))
    return failure();
  Elements all;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    for (auto [argument, index] :
         llvm::zip_equal(body.getArguments(), delinearize(i, strides)))
      define(argument,
             {arith::ConstantIndexOp::create(builder, op.getLoc(), index)});
    if (failed(visitBody(body)))
      return failure();
    all.push_back(get(body.getTerminator()->getOperand(0)).front());
  }
  define(op, std::move(all));
  return success();
}

/// Runs the body once per iteration point, in the order of a loop nest.
LogicalResult Scalarizer::visitLinalg(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || ShapedType::isDynamicShape(ranges))
    return fail(op, "is not a structured operation on tensors of static shape");
  int64_t size = countElements(ranges);
  if (failed(spend(op, size)))
    return failure();
  SmallVector<Elements> outputs;
  for (OpOperand &init : op.getDpsInitsMutable())
    outputs.push_back(Elements(get(init.get())));

  auto positionAt = [&](OpOperand &operand, ArrayRef<int64_t> point) {
    int64_t position = 0;
    SmallVector<int64_t> index =
        op.getMatchingIndexingMap(&operand).compose(point);
    for (auto [i, extent] : llvm::zip_equal(index, op.getShape(&operand)))
      position = position * extent + i;
    return position;
  };
  Block *body = op.getBlock();
  SmallVector<int64_t> strides = computeStrides(ranges);
  for (int64_t i = 0; i < size; ++i) {
    points.push_back(delinearize(i, strides));
    ArrayRef<int64_t> point = points.back();
    unsigned numInputs = op.getNumDpsInputs();
    for (BlockArgument argument : body->getArguments()) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      int64_t position = positionAt(operand, point);
      define(argument,
             {argument.getArgNumber() < numInputs
                  ? get(operand.get())[position]
                  : outputs[argument.getArgNumber() - numInputs][position]});
    }
    if (failed(visitBody(*body)))
      return failure();
    for (auto [output, init, value] :
         llvm::zip_equal(outputs, op.getDpsInitsMutable(),
                         body->getTerminator()->getOperands()))
      output[positionAt(init, point)] = get(value).front();
    points.pop_back();
  }
  for (auto [result, output] : llvm::zip_equal(op->getResults(), outputs))
    define(result, std::move(output));
  return success();
}

} // namespace

LogicalResult scan::scalarizeCombine(Region &from, Region &to,
                                     NormalizeObstacle &obstacle) {
  Block &source = from.front();
  OpBuilder builder(source.getTerminator()->getContext());
  Block *target = builder.createBlock(&to);
  Scalarizer scalarizer(builder, obstacle);
  for (BlockArgument argument : source.getArguments()) {
    if (failed(
            scalarizer.checkType(source.getTerminator(), argument.getType())))
      return failure();
    auto tensorType = dyn_cast<RankedTensorType>(argument.getType());
    Elements scalars;
    for (int64_t i = 0, e = tensorType ? tensorType.getNumElements() : 1; i < e;
         ++i)
      scalars.push_back(target->addArgument(
          getElementTypeOrSelf(argument.getType()), argument.getLoc()));
    scalarizer.define(argument, std::move(scalars));
  }
  if (failed(scalarizer.visitBody(source)))
    return failure();
  SmallVector<Value> yields;
  Operation *yield = source.getTerminator();
  for (Value value : yield->getOperands())
    llvm::append_range(yields, scalarizer.get(value));
  YieldOp::create(builder, yield->getLoc(), yields);
  return success();
}
