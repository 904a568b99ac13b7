//===- ShiftedRead.cpp - Pads, slices and joins that move time ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShiftedRead.h"
#include "IR/ElementwiseView.h"
#include "IR/Extents.h"
#include "Target/HostAttributes.h"
#include "Target/HostExpression.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

/// No shift is that long, and no sum of a few of them overflows.
static constexpr int64_t kFar = int64_t(1) << 40;

/// The constant, if it is one and not `kFar` or more.
static std::optional<int64_t> getNear(OpFoldResult value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && *constant < kFar && *constant > -kFar ? constant
                                                           : std::nullopt;
}

/// The extents that `pad` adds to a dimension, if they are constants.
static std::optional<std::pair<int64_t, int64_t>> getPadding(tensor::PadOp pad,
                                                             int64_t dim) {
  std::optional<int64_t> low = getNear(pad.getMixedLowPad()[dim]),
                         high = getNear(pad.getMixedHighPad()[dim]);
  if (!low || !high)
    return std::nullopt;
  return std::pair(*low, *high);
}

static bool keepsRank(tensor::ExtractSliceOp slice) {
  return slice.getType().getRank() == slice.getSourceType().getRank();
}

//===----------------------------------------------------------------------===//
// KnownExtent
//===----------------------------------------------------------------------===//

bool KnownExtent::followValue() {
  auto dynamic = dyn_cast_if_present<Value>(value);
  Operation *def = dynamic ? dynamic.getDefiningOp() : nullptr;
  if (auto dimOp = dyn_cast_if_present<tensor::DimOp>(def)) {
    auto type = dyn_cast<RankedTensorType>(dimOp.getSource().getType());
    std::optional<int64_t> index = dimOp.getConstantIndex();
    if (!type || !index || *index < 0 || *index >= type.getRank())
      return false;
    value = {};
    shaped = dimOp.getSource();
    dim = *index;
    return true;
  }
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(def)) {
    for (unsigned constant : {1, 0}) {
      std::optional<int64_t> number = getNear(def->getOperand(constant));
      if (!number || (isa<arith::SubIOp>(def) && constant == 0))
        continue;
      plus += isa<arith::SubIOp>(def) ? -*number : *number;
      value = def->getOperand(1 - constant);
      return true;
    }
    return false;
  }
  auto apply = dyn_cast_if_present<affine::AffineApplyOp>(def);
  if (!apply || apply.getMapOperands().size() != 1)
    return false;
  AffineExpr expr = apply.getAffineMap().getResult(0);
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  auto constant =
      sum ? dyn_cast<AffineConstantExpr>(sum.getRHS()) : AffineConstantExpr();
  if (!sum || sum.getKind() != AffineExprKind::Add || !constant ||
      !isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS()) ||
      constant.getValue() >= kFar || constant.getValue() <= -kFar)
    return false;
  plus += constant.getValue();
  value = apply.getMapOperands().front();
  return true;
}

bool KnownExtent::followShaped() {
  auto type = cast<RankedTensorType>(shaped.getType());
  if (!type.isDynamicDim(dim)) {
    value = Builder(type.getContext()).getIndexAttr(type.getDimSize(dim));
    shaped = {};
    return true;
  }
  if (auto cast = shaped.getDefiningOp<tensor::CastOp>()) {
    if (!isa<RankedTensorType>(cast.getSource().getType()))
      return false;
    shaped = cast.getSource();
    return true;
  }
  if (auto pad = shaped.getDefiningOp<tensor::PadOp>()) {
    auto padding = getPadding(pad, dim);
    if (!padding)
      return false;
    shaped = pad.getSource();
    plus += padding->first + padding->second;
    return true;
  }
  if (auto slice = shaped.getDefiningOp<tensor::ExtractSliceOp>();
      slice && keepsRank(slice)) {
    value = slice.getMixedSizes()[dim];
    shaped = {};
    return true;
  }
  if (auto expand = shaped.getDefiningOp<tensor::ExpandShapeOp>()) {
    value = expand.getMixedOutputShape()[dim];
    shaped = {};
    return true;
  }
  // Destinations, and operands of elementwise code, have the extents of its
  // results.
  Operation *def = shaped.getDefiningOp();
  if (auto written = dyn_cast_or_null<DestinationStyleOpInterface>(def)) {
    shaped = written.getTiedOpOperand(cast<OpResult>(shaped))->get();
    return true;
  }
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(def)) {
    value = empty.getMixedSizes()[dim];
    shaped = {};
    return true;
  }
  if (!def || !OpTrait::hasElementwiseMappableTraits(def))
    return false;
  for (Value operand : def->getOperands())
    if (isa<RankedTensorType>(operand.getType())) {
      shaped = operand;
      return true;
    }
  return false;
}

/// Whether two extents of arguments of a function have to agree: it is not
/// called otherwise.
static bool areRequiredEqual(Value lhs, int64_t lhsDim, Value rhs,
                             int64_t rhsDim) {
  auto left = dyn_cast<BlockArgument>(lhs),
       right = dyn_cast<BlockArgument>(rhs);
  if (!left || !right || left.getOwner() != right.getOwner())
    return false;
  Operation *function = left.getOwner()->getParentOp();
  auto required = function->getAttrOfType<ArrayAttr>(requirementsAttrName);
  if (!required || !isa<FunctionOpInterface>(function))
    return false;
  auto getName = [&](BlockArgument argument, int64_t dim) -> Attribute {
    return StringAttr::get(function->getContext(),
                           getExtentName(argument.getArgNumber(), dim));
  };
  // All that is equal to the left one, directly or by others.
  Attribute wanted = getName(right, rhsDim);
  SetVector<Attribute> equal;
  equal.insert(getName(left, lhsDim));
  for (size_t i = 0; i < equal.size() && !equal.contains(wanted); ++i)
    for (Attribute comparison : required) {
      auto tree = dyn_cast<ArrayAttr>(comparison);
      if (!tree || tree.size() != 3 ||
          tree[0] != StringAttr::get(function->getContext(), "=="))
        continue;
      if (tree[1] == equal[i])
        equal.insert(tree[2]);
      else if (tree[2] == equal[i])
        equal.insert(tree[1]);
    }
  return equal.contains(wanted);
}

void KnownExtent::follow() {
  while (std::abs(plus) < kFar && (shaped ? followShaped() : followValue()))
    ;
  if (!shaped)
    if (std::optional<int64_t> constant = getNear(value)) {
      value = {};
      plus += *constant;
    }
}

bool KnownExtent::operator==(const KnownExtent &other) const {
  if (plus != other.plus)
    return false;
  if (shaped && other.shaped)
    return haveSameExtent(shaped, dim, other.shaped, other.dim) ||
           areRequiredEqual(shaped, dim, other.shaped, other.dim);
  if (shaped || other.shaped) {
    const KnownExtent &known = shaped ? *this : other;
    OpFoldResult extent = shaped ? other.value : value;
    return extent && isExtentOf(extent, known.shaped, known.dim);
  }
  if (!value || !other.value)
    return !value && !other.value;
  return isSameExtent(value, other.value);
}

//===----------------------------------------------------------------------===//
// ShiftedRead
//===----------------------------------------------------------------------===//

namespace {

/// Parts of one tensor, one after the other along a dimension. What is not
/// `body` is the same scalar everywhere, or one row.
struct Joined {
  static std::optional<Joined> get(Value value, int64_t dim);

  Value body;
  int64_t before = 0, behind = 0;
  OpFoldResult scalar;
  Value row;

private:
  bool addEdge(Value part, int64_t dim);
};

} // namespace

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    if (!isa<RankedTensorType>(cast.getSource().getType()))
      break;
    value = cast.getSource();
  }
  return value;
}

/// The one value of all elements of `value`; nothing if there are several.
static OpFoldResult getSplatScalar(Value value) {
  Attribute attr;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  else if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    value = splat.getInput();
  else if (!matchPattern(value, m_Constant(&attr)))
    return {};
  if (matchPattern(value, m_Constant(&attr))) {
    auto dense = dyn_cast<DenseElementsAttr>(attr);
    if (dense && !dense.isSplat())
      return {};
    return dense ? dense.getSplatValue<Attribute>() : attr;
  }
  return value;
}

bool Joined::addEdge(Value part, int64_t dim) {
  int64_t extent = cast<RankedTensorType>(part.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(extent) || extent >= kFar)
    return false;
  (body ? behind : before) += extent;
  OpFoldResult splat = getSplatScalar(skipCasts(part));
  if (splat && !row && (!scalar || scalar == splat)) {
    scalar = splat;
    return true;
  }
  if (splat || scalar || row || extent != 1)
    return false;
  row = part;
  return true;
}

std::optional<Joined> Joined::get(Value value, int64_t dim) {
  Joined joined;
  if (auto pad = value.getDefiningOp<tensor::PadOp>()) {
    for (int64_t d = 0, rank = pad.getSourceType().getRank(); d < rank; ++d) {
      auto padding = getPadding(pad, d);
      if (!padding || (d != dim && *padding != std::pair<int64_t, int64_t>()))
        return std::nullopt;
      if (d == dim)
        std::tie(joined.before, joined.behind) = *padding;
    }
    Value padded = pad.getConstantPaddingValue();
    if (!padded)
      return std::nullopt;
    Attribute attr;
    joined.scalar = matchPattern(padded, m_Constant(&attr))
                        ? OpFoldResult(attr)
                        : OpFoldResult(padded);
    joined.body = skipCasts(pad.getSource());
    return joined;
  }
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  if (!concat || static_cast<int64_t>(concat.getDim()) != dim)
    return std::nullopt;
  // The body is the one part whose extent is not known to be short.
  auto isEdge = [&](Value part) {
    return cast<RankedTensorType>(part.getType()).getDimSize(dim) == 1 ||
           getSplatScalar(skipCasts(part));
  };
  for (Value part : concat.getInputs()) {
    if (!isEdge(part)) {
      if (joined.body)
        return std::nullopt;
      joined.body = skipCasts(part);
    } else if (!joined.addEdge(part, dim)) {
      return std::nullopt;
    }
  }
  if (!joined.body)
    return std::nullopt;
  return joined;
}

/// Whether the slice is one along `dim` only, by steps of 1.
static bool isAlong(tensor::ExtractSliceOp slice, int64_t dim) {
  if (!keepsRank(slice) || !slice.hasUnitStride())
    return false;
  for (int64_t d = 0, rank = slice.getType().getRank(); d < rank; ++d)
    if (d != dim && (!isConstantIntValue(slice.getMixedOffsets()[d], 0) ||
                     !(KnownExtent(slice.getMixedSizes()[d]) ==
                       KnownExtent(slice.getSource(), d))))
      return false;
  return true;
}

std::optional<ShiftedRead> ShiftedRead::getSlice(Value tensor, int64_t dim,
                                                 int64_t offset,
                                                 const KnownExtent &size) {
  std::optional<Joined> joined = Joined::get(skipCasts(tensor), dim);
  // Of a row only one element is read, at one of the ends.
  if (!joined || !joined->scalar || !(size == KnownExtent(joined->body, dim)))
    return std::nullopt;
  return ShiftedRead{joined->body, joined->before - offset, joined->scalar,
                     Value()};
}

std::optional<ShiftedRead> ShiftedRead::get(Value value, int64_t dim) {
  value = skipCasts(value);
  if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!keepsRank(slice))
      return std::nullopt;
    std::optional<int64_t> offset = getNear(slice.getMixedOffsets()[dim]);
    if (!offset || !isAlong(slice, dim))
      return std::nullopt;
    return getSlice(slice.getSource(), dim, *offset,
                    KnownExtent(slice.getMixedSizes()[dim]));
  }
  std::optional<Joined> joined = Joined::get(value, dim);
  if (!joined || (joined->before != 0) == (joined->behind != 0))
    return std::nullopt;
  auto slice = joined->body.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !keepsRank(slice) || !isAlong(slice, dim))
    return std::nullopt;
  // The slice is all but so many elements at the other end.
  int64_t count = joined->before + joined->behind;
  if (!isConstantIntValue(slice.getMixedOffsets()[dim], joined->behind) ||
      !(KnownExtent(slice.getMixedSizes()[dim]) + count ==
        KnownExtent(slice.getSource(), dim)))
    return std::nullopt;
  return ShiftedRead{slice.getSource(), joined->before - joined->behind,
                     joined->scalar, joined->row};
}

Value ShiftedRead::create(OpBuilder &builder, Location loc, int64_t dim,
                          RankedTensorType type) const {
  Value boundary;
  if (row) {
    // Without the dimension, which has extent 1.
    auto rowType = cast<RankedTensorType>(row.getType());
    SmallVector<ReassociationIndices> groups;
    // It goes with the one behind it, or if it is the last one, before it.
    for (int64_t d = 0, rank = rowType.getRank(); d < rank; ++d) {
      if (d > 0 && d == rank - 1 && d == dim)
        groups.back().push_back(d);
      else if (d > 0 && d - 1 == dim)
        groups.back().push_back(d);
      else
        groups.push_back({d});
    }
    if (rowType.getRank() == 1)
      boundary = tensor::ExtractOp::create(
          builder, loc, row,
          ValueRange(arith::ConstantIndexOp::create(builder, loc, 0)));
    else
      boundary =
          builder.createOrFold<tensor::CollapseShapeOp>(loc, row, groups);
    auto sourceType = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(sourceType.getShape());
    shape.erase(shape.begin() + dim);
    RankedTensorType wanted = sourceType.clone(shape);
    if (isa<RankedTensorType>(boundary.getType()) &&
        boundary.getType() != wanted)
      boundary = tensor::CastOp::create(builder, loc, wanted, boundary);
  } else if (auto constant = dyn_cast<Attribute>(scalar)) {
    boundary = materializeScalar(builder, loc, type.getElementType(), constant);
  } else {
    boundary = cast<Value>(scalar);
  }
  Value shifted = ShiftOp::create(builder, loc, source.getType(), source,
                                  boundary, dim, by);
  if (shifted.getType() != type)
    shifted = tensor::CastOp::create(builder, loc, type, shifted);
  return shifted;
}
