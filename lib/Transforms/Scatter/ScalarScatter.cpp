//===- ScalarScatter.cpp - The ways to write a scatter --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarScatter.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

std::string scan::describeShorter(int64_t dim) {
  return ("the indices are not known to cover dimension " + Twine(dim) +
          " of the destination: expected its extent")
      .str();
}

/// What a structured operation without inputs that matter writes everywhere.
static UniformValue getUniformBody(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !op.isAllParallelLoops() ||
      op.getNumDpsInits() != 1 || op->getNumRegions() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return {};
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded)) {
    if (argument.getOwner() != op.getBlock())
      return getUniformValue(yielded);
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    return op.isDpsInput(&operand) ? getUniformValue(operand.get())
                                   : UniformValue();
  }
  Operation *def = yielded.getDefiningOp();
  if (def->getBlock() != op.getBlock() || matchPattern(yielded, m_Constant()))
    return getUniformValue(yielded);
  return {};
}

UniformValue scan::getUniformValue(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (!isa<ShapedType>(value.getType()))
      return {{}, constant};
    auto splat = dyn_cast<SplatElementsAttr>(constant);
    return {{}, splat ? splat.getSplatValue<Attribute>() : Attribute()};
  }
  if (!isa<ShapedType>(value.getType()))
    return {value, {}};
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return getUniformValue(splat.getInput());
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    bool isOne = elements.getElements().size() == 1;
    return isOne ? getUniformValue(elements.getElements()[0]) : UniformValue();
  }
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp>(op))
    return getUniformValue(op->getOperand(0));
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return getUniformBody(structured);
  return {};
}

//===----------------------------------------------------------------------===//
// scan.scatter
//===----------------------------------------------------------------------===//

static ScatterMatch matchScatter(ScatterOp op) {
  MLIRContext *context = op.getContext();
  int64_t rank = op.getDest().getType().getRank(), dim = op.getScatterDim();
  RankedTensorType index = op.getIndex().getType();
  if (index.getDimSize(dim) != 1)
    return ScatterMatch::missed(kSeveralWrites);
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != dim && !haveSameExtent(op.getIndex(), d, op.getDest(), d))
      return ScatterMatch::missed(describeShorter(d));
    exprs.push_back(d == dim ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(d, context));
  }
  UniformValue source = getUniformValue(op.getSource());
  if (!source)
    return ScatterMatch::missed(kSourceNotScalar);
  UniformValue fill = getUniformValue(op.getDest());
  if (!fill)
    return ScatterMatch::missed(kDestNotConstant);
  return {ScalarScatter{source, fill, op.getDest(), dim, op.getIndex(),
                        AffineMap::get(rank, 0, exprs, context)},
          {}};
}

//===----------------------------------------------------------------------===//
// tensor.scatter
//===----------------------------------------------------------------------===//

/// The dimension whose index each element of `tensor` is; -1 if there is none.
static int64_t getIotaDim(Value tensor) {
  Value yielded;
  Block *body = nullptr;
  if (auto generate = tensor.getDefiningOp<tensor::GenerateOp>()) {
    body = &generate.getBody().front();
    yielded = body->getTerminator()->getOperand(0);
  } else if (auto op = tensor.getDefiningOp<linalg::GenericOp>()) {
    OpOperand &init = *op.getDpsInitsMutable().begin();
    if (op.getNumResults() != 1 || !op.isAllParallelLoops() ||
        !op.getMatchingIndexingMap(&init).isIdentity())
      return -1;
    body = op.getBody();
    yielded = body->getTerminator()->getOperand(0);
  } else {
    return -1;
  }
  while (auto cast = yielded.getDefiningOp<arith::IndexCastOp>())
    yielded = cast.getIn();
  if (auto index = yielded.getDefiningOp<linalg::IndexOp>())
    return index.getDim();
  auto argument = dyn_cast<BlockArgument>(yielded);
  return argument && argument.getOwner() == body &&
                 isa<tensor::GenerateOp>(body->getParentOp())
             ? argument.getArgNumber()
             : -1;
}

/// One coordinate along each dimension, a tensor.concat of tensors of one
/// coordinate each: of all but one dimension, iotas.
static ScatterMatch matchCoordinates(tensor::ScatterOp op,
                                     ScalarScatter found) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> dims = op.getScatterDims();
  int64_t rank = op.getDestType().getRank();
  RankedTensorType type = op.getIndicesType();
  int64_t lead = type.getRank() - 1;
  auto concat = op.getIndices().getDefiningOp<tensor::ConcatOp>();
  if (!concat || static_cast<int64_t>(concat.getDim()) != lead ||
      concat.getInputs().size() != dims.size())
    return ScatterMatch::missed(
        "the coordinates are not a tensor.concat of one "
        "tensor for each dimension");
  // Which dimension of the destination each leading dimension runs over.
  SmallVector<int64_t> destDims(lead, -1);
  found.dim = -1;
  for (auto [input, dim] : llvm::zip(concat.getInputs(), dims)) {
    if (cast<RankedTensorType>(input.getType()).getDimSize(lead) != 1)
      return ScatterMatch::missed(
          "a part of the coordinates belongs to several dimensions");
    int64_t loop = getIotaDim(input);
    if (loop >= 0 && loop < lead && destDims[loop] == -1) {
      destDims[loop] = dim;
    } else if (found.dim == -1) {
      found.dim = dim;
      found.index = input;
    } else {
      return ScatterMatch::missed("indices along more than one dimension");
    }
  }
  if (found.dim == -1)
    return ScatterMatch::missed("no index that depends on data");
  SmallVector<AffineExpr> exprs;
  for (auto [loop, dim] : llvm::enumerate(destDims)) {
    if (dim == -1 && type.getDimSize(loop) != 1)
      return ScatterMatch::missed(kSeveralWrites);
    if (dim != -1 && !haveSameExtent(found.index, loop, found.dest, dim))
      return ScatterMatch::missed(describeShorter(dim));
    exprs.push_back(dim == -1 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  }
  exprs.push_back(getAffineConstantExpr(0, context));
  found.indexMap = AffineMap::get(rank, 0, exprs, context);
  return {found, {}};
}

static ScatterMatch matchTensorScatter(tensor::ScatterOp op) {
  ScalarScatter found;
  found.dest = op.getDest();
  found.source = getUniformValue(op.getSource());
  if (!found.source)
    return ScatterMatch::missed(kSourceNotScalar);
  found.fill = getUniformValue(op.getDest());
  if (!found.fill)
    return ScatterMatch::missed(kDestNotConstant);
  ArrayRef<int64_t> dims = op.getScatterDims();
  int64_t rank = op.getDestType().getRank();
  if (dims.size() != 1) {
    if (static_cast<int64_t>(dims.size()) == rank)
      return matchCoordinates(op, found);
    return ScatterMatch::missed("indices along more than one dimension");
  }
  // One index: a whole slice is written.
  RankedTensorType type = op.getIndicesType();
  for (int64_t extent : type.getShape())
    if (extent != 1)
      return ScatterMatch::missed(kSeveralWrites);
  found.dim = dims.front();
  found.index = op.getIndices();
  SmallVector<AffineExpr> zeros(type.getRank(),
                                getAffineConstantExpr(0, op.getContext()));
  found.indexMap = AffineMap::get(rank, 0, zeros, op.getContext());
  return {found, {}};
}

ScatterMatch scan::matchScalarScatter(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScatterMatch>(op)
      .Case([](ScatterOp op) { return matchScatter(op); })
      .Case([](tensor::ScatterOp op) { return matchTensorScatter(op); })
      .Case<scf::ForOp, scf::ForallOp>(
          [](Operation *op) { return matchScatterLoop(op); })
      .Default([](Operation *) { return ScatterMatch(); });
}
