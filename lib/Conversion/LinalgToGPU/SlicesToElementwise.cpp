//===- SlicesToElementwise.cpp - Elements that look up where they are from ===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice that is put into an array is a launch for each part of the array, and
// so is a shift. Where elementwise code reads the whole array, each of its
// elements can choose by its indices instead: then all of it is one launch.
//
//===----------------------------------------------------------------------===//

#include "IR/Extents.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSLICESTOELEMENTWISE
#include "Scan/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Whether `use` is in code that computes each element from those at its place.
static bool isElementwise(const OpOperand &use) {
  Operation *op = use.getOwner();
  if (OpTrait::hasElementwiseMappableTraits(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumLoops() == linalgOp.getNumParallelLoops() &&
         linalgOp.getMatchingIndexingMap(const_cast<OpOperand *>(&use))
             .isPermutation();
}

namespace {

/// Writes loops over the elements of one array.
class LookUp {
public:
  LookUp(RewriterBase &rewriter, Operation *op)
      : rewriter(rewriter), loc(op->getLoc()),
        type(cast<RankedTensorType>(op->getResult(0).getType())) {}

  Value write(ShiftOp op);
  Value write(tensor::InsertSliceOp op);

private:
  using Body = function_ref<Value(OpBuilder &, ValueRange)>;
  /// A tensor of the extents of `like`, of which `body` computes each element
  /// from those of `inputs`.
  Value createLoops(Value like, ValueRange inputs, ArrayRef<AffineMap> maps,
                    Body body);
  AffineMap getIdentity() {
    return rewriter.getMultiDimIdentityMap(type.getRank());
  }
  Value subtract(OpBuilder &b, Value lhs, Value rhs) {
    return b.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }
  /// As numbers without sign, negative ones are too large.
  Value isBelow(OpBuilder &b, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lhs, rhs);
  }

  RewriterBase &rewriter;
  Location loc;
  RankedTensorType type;
};

} // namespace

Value LookUp::createLoops(Value like, ValueRange inputs,
                          ArrayRef<AffineMap> inputMaps, Body body) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(createExtent(rewriter, loc, like, d));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(getIdentity());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &b, Location, ValueRange elements) {
        linalg::YieldOp::create(b, loc, body(b, elements));
      });
  Value result = generic.getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  return result;
}

Value LookUp::write(ShiftOp op) {
  Value source = op.getSource(), boundary = op.getBoundary();
  int64_t dim = op.getDim();
  Value by = arith::ConstantIndexOp::create(rewriter, loc, op.getDistance());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value extent = getValueOrCreateConstantIndexOp(
      rewriter, loc, createExtent(rewriter, loc, source, dim));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (isa<RankedTensorType>(boundary.getType())) {
    inputs.push_back(boundary);
    maps.push_back(getIdentity().dropResult(dim));
  }
  return createLoops(
      source, inputs, maps, [&](OpBuilder &b, ValueRange elements) {
        SmallVector<Value> at;
        for (int64_t d = 0; d < type.getRank(); ++d)
          at.push_back(linalg::IndexOp::create(b, loc, d));
        at[dim] = subtract(b, at[dim], by);
        Value isInside = isBelow(b, at[dim], extent);
        // There is an element at 0: else there would be no loop.
        at[dim] = arith::SelectOp::create(b, loc, isInside, at[dim], zero);
        Value element = tensor::ExtractOp::create(b, loc, source, at);
        return arith::SelectOp::create(b, loc, isInside, element,
                                       inputs.empty() ? boundary : elements[0])
            .getResult();
      });
}

Value LookUp::write(tensor::InsertSliceOp op) {
  Value source = op.getSource();
  SmallVector<Value> offsets, sizes;
  for (auto [offset, size] :
       llvm::zip_equal(op.getMixedOffsets(), op.getMixedSizes())) {
    offsets.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, offset));
    sizes.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  return createLoops(
      op.getDest(), op.getDest(), getIdentity(),
      [&](OpBuilder &b, ValueRange elements) {
        SmallVector<Value> at;
        Value isInside;
        for (int64_t d = 0; d < type.getRank(); ++d) {
          Value here = linalg::IndexOp::create(b, loc, d);
          if (!isExtentOf(op.getMixedSizes()[d], op.getDest(), d)) {
            here = subtract(b, here, offsets[d]);
            Value isInThis = isBelow(b, here, sizes[d]);
            isInside = isInside ? b.createOrFold<arith::AndIOp>(loc, isInside,
                                                                isInThis)
                                : isInThis;
          }
          if (!dropped.test(d))
            at.push_back(here);
        }
        if (!isInside)
          return tensor::ExtractOp::create(b, loc, source, at).getResult();
        // Of a slice without elements, nothing may be read.
        auto choice = scf::IfOp::create(
            b, loc, isInside,
            [&](OpBuilder &inner, Location) {
              Value element = tensor::ExtractOp::create(inner, loc, source, at);
              scf::YieldOp::create(inner, loc, element);
            },
            [&](OpBuilder &inner, Location) {
              scf::YieldOp::create(inner, loc, elements[0]);
            });
        return choice.getResult(0);
      });
}

/// Whether only elementwise code reads what `op` puts a slice into, and that is
/// computed where it is read.
static bool isReadByElement(tensor::InsertSliceOp op) {
  auto fill = op.getDest().getDefiningOp<linalg::FillOp>();
  auto computed = op.getDest().getDefiningOp<linalg::GenericOp>();
  if (!fill && !(computed && computed->hasOneUse()))
    return false;
  return op.hasUnitStride() && llvm::all_of(op->getUses(), isElementwise);
}

/// Whether `op` is its source or its boundary everywhere: then there is nothing
/// to choose.
static bool isAllOfOne(ShiftOp op) {
  int64_t by = op.getDistance();
  int64_t extent = op.getSource().getType().getDimSize(op.getDim());
  // The distance of the most negative number has no sign left.
  uint64_t distance = by < 0 ? 0 - uint64_t(by) : by;
  return by == 0 ||
         (!ShapedType::isDynamic(extent) && distance >= uint64_t(extent));
}

namespace {

struct ScanSlicesToElementwise
    : scan::impl::ScanSlicesToElementwiseBase<ScanSlicesToElementwise> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ShiftOp, tensor::InsertSliceOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      auto slice = dyn_cast<tensor::InsertSliceOp>(op);
      auto shift = dyn_cast<ShiftOp>(op);
      if (slice ? !isReadByElement(slice) : isAllOfOne(shift))
        continue;
      LookUp lookUp(rewriter, op);
      rewriter.replaceOp(op, slice ? lookUp.write(slice) : lookUp.write(shift));
      ++numLookedUp;
    }
  }
};

} // namespace
