//===- IndexTracer.cpp - Sizes in a host function ------------------------ ===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexTracer.h"
#include "HostAttributes.h"
#include "HostExpression.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

LogicalResult IndexTracer::report(Location location, const Twine &message) {
  if (!reported)
    emitError(location) << message;
  reported = true;
  return failure();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

AffineExpr IndexTracer::getConstant(int64_t value) {
  return getAffineConstantExpr(value, function.getContext());
}

AffineExpr IndexTracer::getSymbol(Attribute expression) {
  auto *it = llvm::find(symbols, expression);
  unsigned position = it - symbols.begin();
  if (it == symbols.end())
    symbols.push_back(expression);
  return getAffineSymbolExpr(position, function.getContext());
}

AffineExpr IndexTracer::getSymbol(const std::string &name) {
  return getSymbol(StringAttr::get(function.getContext(), name));
}

/// min and max have no affine expression: a call becomes a symbol of its own.
AffineExpr IndexTracer::getExtremum(StringRef name,
                                    ArrayRef<AffineExpr> operands) {
  if (llvm::all_equal(operands))
    return operands.front();
  SmallVector<Attribute> trees =
      llvm::map_to_vector(operands, [&](AffineExpr operand) {
        return getHostExpression(operand, symbols);
      });
  return getSymbol(getHostExpression(name, trees, function.getContext()));
}

FailureOr<SmallVector<AffineExpr>> IndexTracer::traceAll(ValueRange values) {
  SmallVector<AffineExpr> expressions;
  for (Value value : values) {
    FailureOr<AffineExpr> expression = traceIndex(value);
    if (failed(expression))
      return failure();
    expressions.push_back(*expression);
  }
  return expressions;
}

FailureOr<AffineExpr> IndexTracer::traceFold(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getConstant(*constant);
  return traceIndex(cast<Value>(value));
}

FailureOr<AffineExpr> IndexTracer::traceMap(AffineMap map, unsigned result,
                                            ValueRange operands) {
  FailureOr<SmallVector<AffineExpr>> values = traceAll(operands);
  if (failed(values))
    return failure();
  ArrayRef<AffineExpr> all(*values);
  return map.getResult(result).replaceDimsAndSymbols(
      all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
}

FailureOr<AffineExpr> IndexTracer::traceArithmetic(Operation *op) {
  if (op->getNumOperands() != 2)
    return failure();
  FailureOr<SmallVector<AffineExpr>> operands = traceAll(op->getOperands());
  if (failed(operands))
    return failure();
  AffineExpr lhs = (*operands)[0], rhs = (*operands)[1];
  // Extents are never negative, so that signed and unsigned agree.
  return TypeSwitch<Operation *, FailureOr<AffineExpr>>(op)
      .Case<arith::AddIOp>([&](auto) { return lhs + rhs; })
      .Case<arith::SubIOp>([&](auto) { return lhs - rhs; })
      .Case<arith::MulIOp>([&](auto) { return lhs * rhs; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return lhs.ceilDiv(rhs); })
      .Case<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return lhs.floorDiv(rhs); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return lhs % rhs; })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return getExtremum("min", *operands); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return getExtremum("max", *operands); })
      .Default([](auto) { return failure(); });
}

FailureOr<AffineExpr> IndexTracer::traceIndex(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getConstant(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &function.front())
      return getSymbol(getArgumentName(argument.getArgNumber()));
    return traceStep(argument);
  }

  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  FailureOr<AffineExpr> traced =
      TypeSwitch<Operation *, FailureOr<AffineExpr>>(op)
          .Case(
              [&](arith::IndexCastOp cast) { return traceIndex(cast.getIn()); })
          .Case([&](arith::IndexCastUIOp cast) {
            return traceIndex(cast.getIn());
          })
          .Case([&](affine::AffineApplyOp apply) {
            return traceMap(apply.getMap(), 0, apply.getMapOperands());
          })
          .Case<affine::AffineMinOp, affine::AffineMaxOp>(
              [&](auto extremum) -> FailureOr<AffineExpr> {
                SmallVector<AffineExpr> operands;
                for (unsigned i = 0; i < extremum.getMap().getNumResults();
                     ++i) {
                  FailureOr<AffineExpr> operand =
                      traceMap(extremum.getMap(), i, extremum.getOperands());
                  if (failed(operand))
                    return failure();
                  operands.push_back(*operand);
                }
                bool isMin = isa<affine::AffineMinOp>(op);
                return getExtremum(isMin ? "min" : "max", operands);
              })
          .Case([&](memref::DimOp dim) -> FailureOr<AffineExpr> {
            std::optional<int64_t> index = dim.getConstantIndex();
            if (!index)
              return failure();
            return traceExtent(dim.getSource(), *index);
          })
          .Case([&](tensor::DimOp dim) -> FailureOr<AffineExpr> {
            std::optional<int64_t> index = dim.getConstantIndex();
            auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
            if (!index || !type || *index < 0 || *index >= type.getRank())
              return failure();
            return traceTensorExtent(dim.getSource(), *index);
          })
          .Case([&](memref::ExtractStridedMetadataOp metadata)
                    -> FailureOr<AffineExpr> {
            Value source = metadata.getSource();
            unsigned rank = cast<MemRefType>(source.getType()).getRank();
            // Results: base, offset, sizes..., strides...
            if (number == 1)
              return traceOffset(source);
            if (number < 2 + rank)
              return traceExtent(source, number - 2);
            return traceStride(source, number - 2 - rank);
          })
          .Default([&](Operation *other) { return traceArithmetic(other); });
  if (failed(traced))
    return report(op->getLoc(),
                  "'" + op->getName().getStringRef() +
                      "' op is not understood as the size of a buffer or of a "
                      "launch: expected integer arithmetic on extents, strides "
                      "and integer arguments");
  return traced;
}

FailureOr<Attribute> IndexTracer::trace(Value value) {
  FailureOr<AffineExpr> expression = traceIndex(value);
  if (failed(expression))
    return failure();
  return getHostExpression(*expression, symbols);
}

FailureOr<Attribute> IndexTracer::trace(OpFoldResult value) {
  FailureOr<AffineExpr> expression = traceFold(value);
  if (failed(expression))
    return failure();
  return getHostExpression(*expression, symbols);
}

/// Extents are never negative, so that signed and unsigned agree.
static StringRef getComparisonName(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "<";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "<=";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return ">";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return ">=";
  }
  llvm_unreachable("all predicates are handled");
}

FailureOr<Attribute> IndexTracer::traceCondition(Value value, bool isNegated) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return report(value.getLoc(),
                  "a launch depends on what is not understood as a condition: "
                  "expected a comparison of integers");
  FailureOr<Attribute> lhs = trace(compare.getLhs());
  FailureOr<Attribute> rhs = failed(lhs) ? lhs : trace(compare.getRhs());
  if (failed(rhs))
    return failure();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (isNegated)
    predicate = arith::invertPredicate(predicate);
  return getHostExpression(getComparisonName(predicate), {*lhs, *rhs},
                           function.getContext());
}

//===----------------------------------------------------------------------===//
// Extents, strides and offsets of buffers
//===----------------------------------------------------------------------===//

FailureOr<AffineExpr> IndexTracer::traceExtent(Value memref,
                                               unsigned dimension) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dimension))
    return getConstant(type.getDimSize(dimension));
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    unsigned number = argument.getArgNumber();
    auto result =
        function.getArgAttrOfType<DictionaryAttr>(number, resultAttrName);
    if (!result)
      return getSymbol(getExtentName(number, dimension));
    Attribute extent = cast<ArrayAttr>(result.get("shape"))[dimension];
    if (auto constant = dyn_cast<IntegerAttr>(extent))
      return getConstant(constant.getInt());
    return getSymbol(extent);
  }
  return TypeSwitch<Operation *, FailureOr<AffineExpr>>(memref.getDefiningOp())
      .Case([&](memref::CastOp cast) -> FailureOr<AffineExpr> {
        if (!isa<MemRefType>(cast.getSource().getType()))
          return failure();
        return traceExtent(cast.getSource(), dimension);
      })
      .Case([&](memref::AllocOp alloc) {
        return traceIndex(
            alloc.getDynamicSizes()[type.getDynamicDimIndex(dimension)]);
      })
      .Case([&](memref::ReinterpretCastOp cast) {
        return traceFold(cast.getMixedSizes()[dimension]);
      })
      .Case([&](memref::ExpandShapeOp expand) {
        return traceFold(expand.getMixedOutputShape()[dimension]);
      })
      .Case([&](memref::CollapseShapeOp collapse) -> FailureOr<AffineExpr> {
        AffineExpr product = getConstant(1);
        // Named: a loop over an element of a temporary outlives the temporary.
        SmallVector<ReassociationIndices> groups =
            collapse.getReassociationIndices();
        for (int64_t part : groups[dimension]) {
          FailureOr<AffineExpr> extent = traceExtent(collapse.getSrc(), part);
          if (failed(extent))
            return failure();
          product = product * *extent;
        }
        return product;
      })
      .Case([&](memref::SubViewOp view) -> FailureOr<AffineExpr> {
        // Dimensions that the result type drops have static extents.
        llvm::SmallBitVector dropped = view.getDroppedDims();
        unsigned kept = 0;
        for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
          if (!dropped.test(i) && kept++ == dimension)
            return traceFold(size);
        return failure();
      })
      .Default([](Operation *) { return failure(); });
}

FailureOr<AffineExpr> IndexTracer::traceStride(Value memref,
                                               unsigned dimension) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  if (!ShapedType::isDynamic(strides[dimension]))
    return getConstant(strides[dimension]);
  if (type.getLayout().isIdentity()) {
    AffineExpr product = getConstant(1);
    for (unsigned i = dimension + 1; i < type.getRank(); ++i) {
      FailureOr<AffineExpr> extent = traceExtent(memref, i);
      if (failed(extent))
        return failure();
      product = product * *extent;
    }
    return product;
  }
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    return getSymbol(getStrideName(argument.getArgNumber(), dimension));
  }
  if (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return traceFold(cast.getMixedStrides()[dimension]);
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    if (isa<MemRefType>(cast.getSource().getType()))
      return traceStride(cast.getSource(), dimension);
  return failure();
}

FailureOr<AffineExpr> IndexTracer::traceOffset(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return failure();
  if (!ShapedType::isDynamic(offset))
    return getConstant(offset);
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    return getSymbol(getOffsetName(argument.getArgNumber()));
  }
  if (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>())
    return traceFold(cast.getMixedOffsets().front());
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    if (isa<MemRefType>(cast.getSource().getType()))
      return traceOffset(cast.getSource());
  return failure();
}

//===----------------------------------------------------------------------===//
// Views of buffers
//===----------------------------------------------------------------------===//

Value mlir::scan::getRootBuffer(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      memref = metadata.getSource();
    else if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else
      break;
  }
  return memref;
}

FailureOr<AffineExpr> IndexTracer::traceCount(Value memref) {
  AffineExpr product = getConstant(1);
  for (unsigned i = 0; i < cast<MemRefType>(memref.getType()).getRank(); ++i) {
    FailureOr<AffineExpr> extent = traceExtent(memref, i);
    if (failed(extent))
      return failure();
    product = product * *extent;
  }
  return product;
}

FailureOr<llvm::DenseMap<AffineExpr, AffineExpr>>
IndexTracer::traceCasts(Value memref) {
  llvm::DenseMap<AffineExpr, AffineExpr> known;
  for (Value root = getRootBuffer(memref); memref != root;) {
    Operation *op = memref.getDefiningOp();
    memref = op->getOperand(0);
    auto cast = dyn_cast<memref::CastOp>(op);
    auto type = cast ? dyn_cast<MemRefType>(cast.getType()) : MemRefType();
    if (!type || !isa<MemRefType>(memref.getType()))
      continue;
    for (auto [i, extent] : llvm::enumerate(type.getShape())) {
      if (ShapedType::isDynamic(extent))
        continue;
      FailureOr<AffineExpr> source = traceExtent(memref, i);
      if (failed(source))
        return failure();
      if (!isa<AffineConstantExpr>(*source))
        known[*source] = getConstant(extent);
    }
  }
  return known;
}

AffineExpr IndexTracer::getExpression(Attribute tree) {
  if (auto number = dyn_cast<IntegerAttr>(tree))
    return getConstant(number.getInt());
  auto call = dyn_cast<ArrayAttr>(tree);
  auto name =
      call && call.size() == 3 ? dyn_cast<StringAttr>(call[0]) : StringAttr();
  if (!name)
    return getSymbol(tree);
  AffineExpr lhs = getExpression(call[1]), rhs = getExpression(call[2]);
  auto kind = llvm::StringSwitch<std::optional<AffineExprKind>>(name)
                  .Case("+", AffineExprKind::Add)
                  .Case("*", AffineExprKind::Mul)
                  .Case("floordiv", AffineExprKind::FloorDiv)
                  .Case("ceildiv", AffineExprKind::CeilDiv)
                  .Case("mod", AffineExprKind::Mod)
                  .Default(std::nullopt);
  if (kind)
    return getAffineBinaryOpExpr(*kind, lhs, rhs);
  return name == "-" ? lhs - rhs : getSymbol(tree);
}

AffineExpr IndexTracer::applyRequirements(AffineExpr expression) {
  auto required = function->getAttrOfType<ArrayAttr>(requirementsAttrName);
  if (!required)
    return expression;
  for (Attribute requirement : required) {
    auto comparison = dyn_cast<ArrayAttr>(requirement);
    if (!comparison || comparison.size() != 3 ||
        comparison[0] != StringAttr::get(function.getContext(), "=="))
      continue;
    AffineExpr left = getExpression(comparison[1]),
               right = getExpression(comparison[2]);
    if (!isa<AffineSymbolExpr>(left))
      std::swap(left, right);
    auto symbol = dyn_cast<AffineSymbolExpr>(left);
    if (!symbol || left == right)
      continue;
    if (!right.isFunctionOfSymbol(symbol.getPosition())) {
      expression = expression.replace(left, right);
      continue;
    }
    // An extent that is a multiple of `factor`: of the quotient both follow.
    auto product = dyn_cast<AffineBinaryOpExpr>(right);
    if (!product || product.getKind() != AffineExprKind::Mul)
      continue;
    AffineExpr quotient = product.getLHS(), factor = product.getRHS();
    if (!isa<AffineConstantExpr>(factor) || quotient != left.floorDiv(factor))
      continue;
    AffineExpr part = getSymbol(getHostExpression(quotient, symbols));
    expression = expression.replace({{quotient, part}, {left, part * factor}});
  }
  return expression;
}

FailureOr<bool> IndexTracer::isWholeBuffer(Value memref) {
  Value root = getRootBuffer(memref);
  auto rootType = dyn_cast<MemRefType>(root.getType());
  if (!rootType || !rootType.getLayout().isIdentity())
    return false;
  FailureOr<AffineExpr> offset = traceOffset(memref);
  FailureOr<AffineExpr> count = traceCount(memref);
  FailureOr<AffineExpr> rootCount = traceCount(root);
  FailureOr<llvm::DenseMap<AffineExpr, AffineExpr>> casts = traceCasts(memref);
  if (failed(offset) || failed(count) || failed(rootCount) || failed(casts))
    return report(memref.getLoc(), "this view cannot be followed");
  // What a cast says of an extent holds for the buffer. The cast may be gone,
  // but then it is a requirement.
  auto simplify = [&](AffineExpr expression) {
    return applyRequirements(expression.replace(*casts));
  };
  if (*offset != getConstant(0) || simplify(*count) != simplify(*rootCount))
    return false;
  if (cast<MemRefType>(memref.getType()).getLayout().isIdentity())
    return true;
  AffineExpr dense = getConstant(1);
  for (unsigned i = cast<MemRefType>(memref.getType()).getRank(); i-- > 0;) {
    FailureOr<AffineExpr> stride = traceStride(memref, i);
    FailureOr<AffineExpr> extent = traceExtent(memref, i);
    if (failed(stride) || failed(extent))
      return report(memref.getLoc(), "this view cannot be followed");
    if (simplify(*stride) != dense)
      return false;
    dense = simplify(*extent) * dense;
  }
  return true;
}

FailureOr<SmallVector<Attribute>> IndexTracer::traceShape(Value memref) {
  SmallVector<Attribute> shape;
  for (unsigned i = 0; i < cast<MemRefType>(memref.getType()).getRank(); ++i) {
    FailureOr<AffineExpr> extent = traceExtent(memref, i);
    if (failed(extent))
      return report(memref.getLoc(),
                    "extent " + Twine(i) +
                        " of this buffer does not follow from the function's "
                        "arguments");
    shape.push_back(getHostExpression(*extent, symbols));
  }
  return shape;
}
