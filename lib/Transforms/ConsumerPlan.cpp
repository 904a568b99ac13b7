//===- ConsumerPlan.cpp - A consumer placed in a kernel -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::scan;

/// More copies of the body of a consumer than that are not made.
static constexpr int64_t kMaxPoints = 1024;

/// The value of all elements of `value`, if that is one constant.
static Attribute getSplat(Value value) {
  Attribute attr;
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    if (matchPattern(fill.getInputs().front(), m_Constant(&attr)))
      return attr;
  } else if (matchPattern(value, m_Constant(&attr))) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attr);
        dense && dense.isSplat())
      return dense.getSplatValue<Attribute>();
  }
  return {};
}

/// The operand, or the result of `kernel` that it is a cast, a transposition or
/// a reshape with extents of 1 of. The map of the latter is the one of the
/// result in the order of `shape`.
static ConsumerOperand resolve(KernelOp kernel, const KernelShape &shape,
                               const ElementwiseView::Operand &source) {
  ConsumerOperand operand;
  operand.placed.source = source;
  Value value = source.value;
  AffineMap map = source.map;
  if (value && isa<RankedTensorType>(value.getType()))
    if (Attribute splat = getSplat(value)) {
      operand.placed.source.value = {};
      operand.placed.source.constant = splat;
      operand.placed.source.map =
          AffineMap::get(map.getNumDims(), 0, map.getContext());
      return operand;
    }
  while (value) {
    if (auto cast = value.getDefiningOp<tensor::CastOp>()) {
      value = isa<RankedTensorType>(cast.getSource().getType())
                  ? cast.getSource()
                  : Value();
    } else if (auto transpose = value.getDefiningOp<linalg::TransposeOp>()) {
      // Dimension i of the result is dimension p[i] of the input.
      map = AffineMap::get(
          map.getNumDims(), 0,
          applyPermutation(map.getResults(),
                           invertPermutationVector(transpose.getPermutation())),
          map.getContext());
      value = transpose.getInput();
    } else if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>()) {
      std::string why;
      std::optional<ElementwiseView> view = ElementwiseView::get(expand, why);
      if (!view)
        break;
      map = view->getOperands().front().map.compose(map);
      value = expand.getSrc();
    } else {
      break;
    }
  }
  auto read = dyn_cast_or_null<OpResult>(value);
  if (!read || read.getOwner() != kernel)
    return operand;
  operand.read = read;
  operand.placed.source.value = read;
  operand.placed.source.map = AffineMap::get(
      map.getNumDims(), 0,
      applyPermutation(map.getResults(), shape[read].order), map.getContext());
  return operand;
}

/// The loops lie in the domain as those of the first result that is read; the
/// others are unrolled.
bool ConsumerPlan::placeLoops(KernelOp kernel, const KernelShape &shape,
                              const ElementwiseView &view,
                              llvm::SmallBitVector &reduced, std::string &why) {
  for (const ElementwiseView::Operand &operand : view.getOperands())
    operands.push_back(resolve(kernel, shape, operand));
  const auto *first = llvm::find_if(
      operands, [](const ConsumerOperand &operand) { return operand.read; });
  if (first == operands.end()) {
    why = "it reads no result of the kernel";
    return false;
  }
  AffineMap map = first->placed.source.map;
  if (!map.isProjectedPermutation()) {
    why = "it reads a result along a diagonal, or one element of it";
    return false;
  }
  isFinal = first->read.getResultNumber() >= kernel.getOutputs().size();
  const KernelShape::Operand &read = shape[first->read];
  trailingExtents = llvm::to_vector(read.getTrailingShape());
  loops = scan::placeLoops(map, read.map);
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (loop.expr && view.isReduction(i)) {
      reduced.set(cast<AffineDimExpr>(loop.expr).getPosition());
      why = "it reduces dimensions of the domain";
    }
    if (loop.expr || loop.trailing >= 0)
      continue;
    // Where nothing is reduced, repeating a result in memory saves no bytes.
    if (!view.hasReductions() && view.getLoopExtents()[i] != 1) {
      why = "it reads a result repeatedly";
      return false;
    }
    loop.trailing = trailingExtents.size();
    trailingExtents.push_back(view.getLoopExtents()[i]);
  }
  if (reduced.any())
    return false;
  int64_t points = 1;
  for (int64_t extent : trailingExtents) {
    if (ShapedType::isDynamic(extent) || extent == 0 || extent > kMaxPoints ||
        (points *= extent) > kMaxPoints) {
      why = "loops to unroll are dynamic, empty or too many";
      return false;
    }
  }
  return true;
}

/// Everything it reads: results at the same point, or other inputs.
bool ConsumerPlan::placeOperands(const KernelShape &shape, std::string &why) {
  for (ConsumerOperand &operand : operands) {
    OpResult read = operand.read;
    ElementwiseView::Operand source = operand.placed.source;
    std::optional<PlacedOperand> placed =
        read ? placeOperand(source, loops, shape.domainRank, why,
                            ArrayRef(shape[read].shape))
             : placeOperand(source, loops, shape.domainRank, why);
    if (!placed)
      return false;
    operand.placed = std::move(*placed);
    if (read) {
      auto kernel = cast<KernelOp>(read.getOwner());
      bool readsFinal = read.getResultNumber() >= kernel.getOutputs().size();
      if (readsFinal != isFinal || shape[read].map != operand.placed.map) {
        why = "it reads results at different points";
        return false;
      }
    } else if (source.value) {
      if (isFinal) {
        why = "it reads something else beside a final state";
        return false;
      }
      needed.push_back(source.value);
    }
  }
  return true;
}

/// True if nobody has asked for the result to be written to `value`: that it is
/// the destination only says which extents the result has, or where a reduction
/// starts from.
static bool isFreshTensor(KernelOp kernel, Value value) {
  Operation *def = value.getDefiningOp();
  std::string why;
  return def && (def == kernel || isa<tensor::EmptyOp>(def) ||
                 ElementwiseView::get(def, why));
}

/// All dimensions of its results that are not of the domain are unrolled ones,
/// behind the others.
bool ConsumerPlan::placeResults(KernelOp kernel, const KernelShape &shape,
                                const ElementwiseView &view, std::string &why) {
  auto destinationStyle =
      dyn_cast<DestinationStyleOpInterface>(view.getOperation());
  for (OpResult result : view.getOperation()->getResults()) {
    ElementwiseView::Operand asOperand = {
        result,
        {},
        getElementTypeOrSelf(result.getType()),
        view.getResultMap(result.getResultNumber())};
    std::optional<PlacedOperand> placed =
        placeOperand(asOperand, loops, shape.domainRank, why);
    if (!placed)
      return false;
    if (placed->map.getNumResults() + isFinal != shape.domainRank) {
      why = "a result lacks a dimension of the domain";
      return false;
    }
    ConsumerResult out = {result, {}, std::move(*placed)};
    if (destinationStyle && !result.use_empty()) {
      Value init =
          destinationStyle.getDpsInitOperand(result.getResultNumber())->get();
      if (!isFreshTensor(kernel, init)) {
        out.init = init;
        needed.push_back(init);
      }
    }
    results.push_back(std::move(out));
  }
  return true;
}

std::optional<ConsumerPlan> ConsumerPlan::get(KernelOp kernel,
                                              const KernelShape &shape,
                                              const ElementwiseView &view,
                                              llvm::SmallBitVector &reduced,
                                              std::string &why) {
  ConsumerPlan plan;
  reduced.clear();
  reduced.resize(shape.domainRank);
  if (!plan.placeLoops(kernel, shape, view, reduced, why) ||
      !plan.placeOperands(shape, why) ||
      !plan.placeResults(kernel, shape, view, why))
    return std::nullopt;
  return plan;
}

SmallVector<SmallVector<int64_t>> ConsumerPlan::getPoints() const {
  // The trailing loops, as the consumer has them from outer to inner.
  SmallVector<int64_t> order, extents;
  for (const LoopPlace &loop : loops)
    if (loop.trailing >= 0) {
      order.push_back(loop.trailing);
      extents.push_back(trailingExtents[loop.trailing]);
    }
  SmallVector<int64_t> strides = computeStrides(extents);
  SmallVector<SmallVector<int64_t>> points;
  for (int64_t i = 0, e = ShapedType::getNumElements(extents); i < e; ++i) {
    SmallVector<int64_t> point(trailingExtents.size());
    for (auto [loop, index] : llvm::zip_equal(order, delinearize(i, strides)))
      point[loop] = index;
    points.push_back(std::move(point));
  }
  return points;
}
