//===- ScatterToSelect.cpp - Scatters into constants become selects -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/ElementwiseView.h"
#include "IR/MatchCounts.h"
#include "ScalarScatter.h"
#include "Scan/Transforms/Scatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSCATTERTOSELECT
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

/// The sizes of `tensor`, from where they are said, so that nothing is left
/// that asks a tensor for its size which is not made any more.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                   Value tensor) {
  while (Operation *def = tensor.getDefiningOp()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(def))
      return empty.getMixedSizes();
    if (auto splat = dyn_cast<tensor::SplatOp>(def))
      return getMixedValues(splat.getType().getShape(), splat.getDynamicSizes(),
                            builder);
    if (auto style = dyn_cast<DestinationStyleOpInterface>(def))
      tensor = style.getTiedOpOperand(cast<OpResult>(tensor))->get();
    else if (auto cast = dyn_cast<tensor::CastOp>(def))
      tensor = cast.getSource();
    else
      break;
  }
  return tensor::getMixedSizes(builder, loc, tensor);
}

/// select(iota == index, source, fill), as long as the destination.
Value createSelect(OpBuilder &builder, Location loc,
                   const ScalarScatter &scatter) {
  auto type = cast<RankedTensorType>(scatter.dest.getType());
  int64_t rank = type.getRank();
  MLIRContext *context = builder.getContext();
  Type elementType = type.getElementType();

  SmallVector<Value> inputs = {scatter.index};
  SmallVector<AffineMap> maps = {scatter.indexMap};
  for (const UniformValue &uniform : {scatter.source, scatter.fill})
    if (uniform.value) {
      inputs.push_back(uniform.value);
      maps.push_back(AffineMap::get(rank, 0, context));
    }
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
  Value empty = tensor::EmptyOp::create(
      builder, loc, getSizes(builder, loc, scatter.dest), elementType);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        Value index = arguments[0];
        if (!index.getType().isIndex())
          index = arith::IndexCastOp::create(inner, loc, inner.getIndexType(),
                                             index);
        unsigned next = 1;
        auto materialize = [&](const UniformValue &uniform) {
          return uniform.value ? arguments[next++]
                               : materializeScalar(inner, loc, elementType,
                                                   uniform.constant);
        };
        Value source = materialize(scatter.source);
        Value fill = materialize(scatter.fill);
        Value iota = linalg::IndexOp::create(inner, loc, scatter.dim);
        Value isHere = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::eq, iota, index);
        Value element =
            arith::SelectOp::create(inner, loc, isHere, source, fill);
        linalg::YieldOp::create(inner, loc, element);
      });
  Value result = generic.getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, loc, type, result);
  return result;
}

struct ScanScatterToSelectPass
    : scan::impl::ScanScatterToSelectBase<ScanScatterToSelectPass> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, ScalarScatter>> scatters;
    uint64_t missed = 0;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      ScatterMatch match = matchScalarScatter(op);
      if (match.scatter) {
        scatters.emplace_back(op, *match.scatter);
        return WalkResult::skip();
      }
      if (match.reason.empty())
        return WalkResult::advance();
      ++missed;
      remark::missed(op->getLoc(), getOptions(op))
          << "a scatter stays" << remark::reason("{0}", match.reason);
      return WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, scatter] : scatters) {
      remark::passed(op->getLoc(), getOptions(op))
          << "a scatter becomes elementwise code";
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, createSelect(rewriter, op->getLoc(), scatter));
      eraseDead(rewriter, scatter.dest);
    }
    numScatters += scatters.size();
    numMissed += missed;
    addMatchCounts(getOperation(), getArgument(),
                   {{"scatters", scatters.size()}, {"missed", missed}});
  }

private:
  static remark::RemarkOpts getOptions(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name("ScatterToSelect")
        .category("scan-scatter-to-select")
        .function(function ? function.getName() : StringRef());
  }

  /// Erases what made a destination that is not written to any more.
  static void eraseDead(IRRewriter &rewriter, Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || !isOpTriviallyDead(def))
      return;
    SmallVector<Value> operands(def->getOperands());
    rewriter.eraseOp(def);
    for (Value operand : operands)
      eraseDead(rewriter, operand);
  }
};

} // namespace
