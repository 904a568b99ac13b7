//===- MemoryAccesses.cpp - Which elements are read -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccesses.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::scan;
using Interval = MemoryAccess::Interval;

/// What a view is taken of; null if `value` is none.
static Value getViewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (isa<tensor::CastOp, tensor::BitcastOp, tensor::ExtractSliceOp,
          tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp,
          CloneOp, bufferization::ToTensorOp, bufferization::ToBufferOp,
          memref::CastOp, memref::SubViewOp, memref::CollapseShapeOp,
          memref::ExpandShapeOp, memref::ReinterpretCastOp, memref::ReshapeOp,
          memref::MemorySpaceCastOp, memref::TransposeOp>(op))
    return op->getOperand(0);
  return {};
}

Value scan::getViewRoot(Value value) {
  while (Value source = getViewSource(value))
    value = source;
  return value;
}

bool scan::isSlice(Value value) {
  for (; Value source = getViewSource(value); value = source)
    if (isa<OffsetSizeAndStrideOpInterface>(value.getDefiningOp()))
      return true;
  return false;
}

bool scan::isSplatConstant(Value value) {
  DenseElementsAttr attr;
  return matchPattern(value, m_Constant(&attr)) && attr.isSplat();
}

namespace {

/// A view as a part of its root.
struct Placement {
  /// All or part of the root, as far as that is known.
  std::optional<SmallVector<Interval>> box;
  /// For each dimension of the view the dimension of the root that it runs
  /// over; empty if reshapes have mixed them.
  std::optional<SmallVector<unsigned>> dims;
  Value root;
};

/// Narrows the placement of what a slice is taken of to the slice.
void addSlice(Placement &placement, OffsetSizeAndStrideOpInterface slice,
              const llvm::SmallBitVector &dropped, ExtentTable &extents) {
  bool isContiguous =
      llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) {
        return isConstantIntValue(stride, 1);
      });
  if (!placement.box || !placement.dims || !isContiguous) {
    placement.box.reset();
    placement.dims.reset();
    return;
  }
  SmallVector<unsigned> dims;
  for (auto [i, offset, size] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes())) {
    unsigned dim = (*placement.dims)[i];
    Interval &interval = (*placement.box)[dim];
    interval.begin += extents.getIndex(offset);
    interval.end = interval.begin + extents.getIndex(size);
    if (!dropped.test(i))
      dims.push_back(dim);
  }
  placement.dims = dims;
}

Placement getPlacement(Value view, ExtentTable &extents) {
  Value source = getViewSource(view);
  if (!source) {
    Placement placement = {SmallVector<Interval>(), SmallVector<unsigned>(),
                           view};
    for (auto [d, extent] : llvm::enumerate(extents.getExtents(view))) {
      placement.box->push_back({0, extent});
      placement.dims->push_back(d);
    }
    return placement;
  }
  Placement placement = getPlacement(source, extents);
  Operation *op = view.getDefiningOp();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    addSlice(placement, slice, slice.getDroppedDims(), extents);
  else if (auto slice = dyn_cast<memref::SubViewOp>(op))
    addSlice(placement, slice, slice.getDroppedDims(), extents);
  else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               tensor::ReshapeOp, memref::CollapseShapeOp,
               memref::ExpandShapeOp, memref::ReshapeOp, memref::TransposeOp>(
               op))
    placement.dims.reset();
  else if (isa<memref::ReinterpretCastOp>(op))
    placement = {std::nullopt, std::nullopt, placement.root};
  return placement;
}

SymbolicPolynomial countBox(ArrayRef<Interval> box) {
  SymbolicPolynomial product = 1;
  for (const Interval &interval : box) {
    SymbolicPolynomial length = interval.end - interval.begin;
    std::optional<llvm::DynamicAPInt> constant = length.getConstant();
    product =
        constant && *constant < 0 ? SymbolicPolynomial() : product * length;
  }
  return product;
}

/// -1, 0 or 1, if the difference of the two is a constant or known for large
/// extents.
std::optional<int> compare(const SymbolicPolynomial &a,
                           const SymbolicPolynomial &b) {
  if (a == b)
    return 0;
  if (a.isAtMostForLargeExtents(b))
    return -1;
  if (b.isAtMostForLargeExtents(a))
    return 1;
  return std::nullopt;
}

/// Widens `a` to the union of both, if that is a box.
bool uniteBoxes(SmallVector<Interval> &a, ArrayRef<Interval> b) {
  if (a.size() != b.size())
    return false;
  // In all dimensions but one the boxes agree, or one lies in the other.
  std::optional<unsigned> differing;
  bool aInB = true, bInA = true;
  for (unsigned i = 0; i < a.size(); ++i) {
    if (a[i] == b[i])
      continue;
    std::optional<int> begins = compare(a[i].begin, b[i].begin);
    std::optional<int> ends = compare(a[i].end, b[i].end);
    if (!begins || !ends)
      return false;
    aInB &= *begins >= 0 && *ends <= 0;
    bInA &= *begins <= 0 && *ends >= 0;
    differing = differing ? a.size() : i;
  }
  if (bInA)
    return true;
  if (aInB) {
    a.assign(b.begin(), b.end());
    return true;
  }
  if (!differing || *differing == a.size())
    return false;
  Interval &left = a[*differing];
  const Interval &right = b[*differing];
  bool leftFirst = *compare(left.begin, right.begin) <= 0;
  std::optional<int> gap = leftFirst ? compare(left.end, right.begin)
                                     : compare(right.end, left.begin);
  if (!gap || *gap < 0)
    return false;
  if (!leftFirst)
    left.begin = right.begin;
  if (*compare(left.end, right.end) < 0)
    left.end = right.end;
  return true;
}

} // namespace

MemoryAccess scan::accessAll(Value view, ExtentTable &extents) {
  if (!cast<ShapedType>(view.getType()).hasRank())
    return accessSome(view, extents.getNumElements(view));
  Placement placement = getPlacement(view, extents);
  return {placement.root, placement.box,
          placement.box ? countBox(*placement.box)
                        : extents.getNumElements(view),
          view, AffineMap()};
}

MemoryAccess scan::accessSome(Value view, SymbolicPolynomial numElements) {
  return {getViewRoot(view), std::nullopt, std::move(numElements), view,
          AffineMap()};
}

MemoryAccess scan::accessMapped(Value view, AffineMap map, ExtentTable &extents,
                                int64_t shift, unsigned shiftedDim) {
  MemoryAccess all = accessAll(view, extents);
  unsigned leading = std::min<unsigned>(
      map.getNumResults(), cast<ShapedType>(view.getType()).getRank());
  // What is read along each dimension of the view.
  SmallVector<Interval> intervals;
  llvm::SmallBitVector seen(map.getNumDims());
  bool isWhole = true, isBox = true;
  for (auto [i, extent] : llvm::enumerate(extents.getExtents(view))) {
    intervals.push_back({0, extent});
    if (i >= leading)
      continue;
    AffineExpr expr = map.getResult(i);
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      isBox &= !seen.test(dim.getPosition());
      seen.set(dim.getPosition());
      if (shift != 0 && dim.getPosition() == shiftedDim) {
        isWhole = false;
        if (shift > 0)
          intervals.back().end += SymbolicPolynomial(-shift);
        else
          intervals.back().begin += SymbolicPolynomial(-shift);
      }
    } else if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (extent == SymbolicPolynomial(1))
        continue;
      isWhole = false;
      intervals.back() = {constant.getValue(), constant.getValue() + 1};
    }
    // Anything else may reach the whole extent.
  }
  if (isWhole && isBox)
    return all;
  MemoryAccess part = {all.root, std::nullopt, 1, view, map};
  if (!isBox) {
    // A diagonal: as many elements as the loops that occur have iterations.
    llvm::SmallBitVector counted(map.getNumDims());
    for (auto [i, interval] : llvm::enumerate(intervals)) {
      AffineDimExpr dim(nullptr);
      if (i < leading)
        dim = dyn_cast<AffineDimExpr>(map.getResult(i));
      if (dim && counted.test(dim.getPosition()))
        continue;
      if (dim)
        counted.set(dim.getPosition());
      part.numElements = part.numElements * (interval.end - interval.begin);
    }
    return part;
  }
  part.numElements = countBox(intervals);
  Placement placement = getPlacement(view, extents);
  if (!placement.box || !placement.dims)
    return part;
  for (auto [interval, dim] : llvm::zip_equal(intervals, *placement.dims)) {
    Interval &inRoot = (*placement.box)[dim];
    inRoot.end = inRoot.begin + interval.end;
    inRoot.begin += interval.begin;
  }
  part.box = placement.box;
  return part;
}

SymbolicPolynomial scan::countDistinct(ArrayRef<MemoryAccess> accesses,
                                       ExtentTable &extents) {
  SmallVector<SmallVector<Interval>> boxes;
  SymbolicPolynomial sum;
  SmallVector<const MemoryAccess *> seen;
  for (const MemoryAccess &access : accesses) {
    if (access.box) {
      boxes.push_back(*access.box);
      continue;
    }
    if (llvm::any_of(seen, [&](const MemoryAccess *other) {
          return other->view == access.view && other->map == access.map &&
                 other->numElements == access.numElements;
        }))
      continue;
    seen.push_back(&access);
    sum += access.numElements;
  }
  // A union may touch a box that its parts did not.
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < boxes.size(); ++i)
      for (unsigned j = boxes.size() - 1; j > i; --j)
        if (uniteBoxes(boxes[i], boxes[j])) {
          boxes.erase(boxes.begin() + j);
          changed = true;
        }
  }
  for (ArrayRef<Interval> box : boxes)
    sum += countBox(box);
  SymbolicPolynomial all = extents.getNumElements(accesses.front().root);
  return all.isAtMost(sum) ? all : sum;
}
