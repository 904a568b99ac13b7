//===- KernelFusion.cpp - Where elementwise loops lie in a kernel ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "Analysis/Traffic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::scan;

/// Into more slices than that no operand is taken apart.
static constexpr int64_t kMaxSlices = 64;

int64_t PlacedOperand::getPosition(ArrayRef<int64_t> point) const {
  int64_t position = 0;
  for (auto [loop, extent] : llvm::zip_equal(trailingLoops, trailingShape))
    position = position * extent + (loop < 0 ? 0 : point[loop]);
  return position;
}

bool scan::isConsumerOfOther(Operation *op, KernelOp kernel) {
  KernelOp other;
  SetVector<Value> read;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()) ||
        operand.getDefiningOp<tensor::EmptyOp>())
      continue;
    Value whole = operand;
    while (auto slice = whole.getDefiningOp<tensor::ExtractSliceOp>())
      whole = slice.getSource();
    auto source = whole.getDefiningOp<KernelOp>();
    if (!source || source == kernel || (other && source != other) ||
        source->getBlock() != op->getBlock() ||
        !llvm::all_of(operand.getUsers(),
                      [&](Operation *user) { return user == op; }))
      return false;
    other = source;
    read.insert(operand);
  }
  return read.size() > 1 && op->getNumResults() == 1;
}

SmallVector<LoopPlace> scan::placeLoops(AffineMap resultMap,
                                        AffineMap kernelMap) {
  SmallVector<LoopPlace> loops(resultMap.getNumDims());
  unsigned leading = kernelMap.getNumResults();
  for (auto [i, expr] : llvm::enumerate(resultMap.getResults())) {
    LoopPlace &place = loops[cast<AffineDimExpr>(expr).getPosition()];
    if (i < leading)
      place.expr = kernelMap.getResult(i);
    else
      place.trailing = i - leading;
  }
  return loops;
}

std::optional<PlacedOperand>
scan::placeOperand(const ElementwiseView::Operand &source,
                   ArrayRef<LoopPlace> loops, unsigned domainRank,
                   std::string &why, std::optional<ArrayRef<int64_t>> shape,
                   bool maySlice) {
  PlacedOperand placed;
  SmallVector<int64_t> unrolledDims;
  bool isSliced = false;
  placed.source = source;
  MLIRContext *context = source.elementType.getContext();
  SmallVector<AffineExpr> leading;
  if (source.value &&
      !ScanDialect::isSupportedElementType(source.elementType)) {
    why = "a kernel cannot have operands of its element type";
    return std::nullopt;
  }
  if (!shape && source.value)
    if (auto type = dyn_cast<RankedTensorType>(source.value.getType()))
      shape = type.getShape();
  for (auto [i, expr] : llvm::enumerate(source.map.getResults())) {
    int64_t extent = (*shape)[i];
    LoopPlace place;
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      place = loops[dim.getPosition()];
    } else if (auto constant = dyn_cast<AffineConstantExpr>(expr);
               constant && constant.getValue() == 0) {
      place.expr = getAffineConstantExpr(0, context);
    } else {
      why = "an operand is indexed by more than one loop";
      return std::nullopt;
    }
    bool isZero = place.expr && isa<AffineConstantExpr>(place.expr);
    if (isZero && extent != 1) {
      why = "an operand is not known to have extent 1 where it is repeated";
      return std::nullopt;
    }
    if (place.expr && !isZero && llvm::is_contained(leading, place.expr)) {
      why = "an operand is read along a diagonal";
      return std::nullopt;
    }
    if (place.expr && placed.trailingShape.empty()) {
      leading.push_back(place.expr);
      continue;
    }
    // From here on the kernel has the dimension unrolled.
    if (place.expr && !isZero) {
      if (!maySlice) {
        why = "an operand has a dimension of the domain behind an unrolled one";
        return std::nullopt;
      }
      isSliced = true;
      leading.push_back(place.expr);
      continue;
    }
    if (ShapedType::isDynamic(extent)) {
      why = "an operand has a dynamic extent where the kernel is unrolled";
      return std::nullopt;
    }
    unrolledDims.push_back(i);
    placed.trailingShape.push_back(extent);
    placed.trailingLoops.push_back(isZero ? -1 : place.trailing);
  }
  if (isSliced) {
    if (placed.getNumElements() > kMaxSlices) {
      why = "an operand would have to be sliced into too many parts, since it "
            "has a dimension of the domain behind unrolled ones";
      return std::nullopt;
    }
    placed.slicedDims = std::move(unrolledDims);
  }
  placed.map = AffineMap::get(domainRank, 0, leading, context);
  return placed;
}

Attribute scan::getZeroElement(Type type) {
  Builder builder(type.getContext());
  auto complexType = dyn_cast<ComplexType>(type);
  if (!complexType)
    return builder.getZeroAttr(type);
  Attribute part = builder.getZeroAttr(complexType.getElementType());
  return builder.getArrayAttr({part, part});
}

unsigned scan::countDims(AffineMap map) {
  return llvm::count_if(map.getResults(), llvm::IsaPred<AffineDimExpr>);
}

int64_t scan::getTraffic(Type elementType, AffineMap map, int64_t numElements,
                         unsigned numDims) {
  if (countDims(map) < numDims)
    return 0;
  return getElementBytes(elementType) * numElements;
}

Value scan::createLoopIndex(OpBuilder &builder, Location loc,
                            const LoopPlace &place, ArrayRef<int64_t> point) {
  if (!place.expr)
    return arith::ConstantIndexOp::create(builder, loc, point[place.trailing]);
  if (auto dim = dyn_cast<AffineDimExpr>(place.expr))
    return IndexOp::create(builder, loc, builder.getIndexType(),
                           dim.getPosition());
  return arith::ConstantIndexOp::create(builder, loc, 0);
}
