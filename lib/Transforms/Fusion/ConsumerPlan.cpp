//===- ConsumerPlan.cpp - A consumer placed in a kernel -------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConsumerPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
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

std::pair<Operation *, unsigned> scan::getAddition(const ElementwiseView &view,
                                                   unsigned result) {
  auto op = dyn_cast<linalg::LinalgOp>(view.getOperation());
  if (!op || !view.getAccumulator(result))
    return {};
  BlockArgument sum = op.getRegionOutputArgs()[result];
  Operation *add =
      op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, complex::AddOp>(add) ||
      add->getBlock() != op.getBlock() || !add->hasOneUse() ||
      !sum.hasOneUse() || *sum.user_begin() != add)
    return {};
  return {add, add->getOperand(0) == sum ? 1 : 0};
}

Type scan::getSumType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  auto complexType = dyn_cast<ComplexType>(type);
  Type part = complexType ? complexType.getElementType() : type;
  bool isKnown =
      part.isF32() || part.isF64() || type.isInteger(32) || type.isInteger(64);
  return isKnown ? type : Type();
}

Attribute scan::getSplat(Value value) {
  Attribute attr;
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    if (matchPattern(fill.getInputs().front(), m_Constant(&attr)))
      return attr;
  } else if (auto splat = value.getDefiningOp<tensor::SplatOp>()) {
    if (matchPattern(splat.getInput(), m_Constant(&attr)))
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

std::optional<std::pair<AffineMap, const KernelShape::Operand *>>
ConsumerPlan::findAnchor(KernelOp kernel, const KernelShape &shape,
                         ConsumerKinds kinds, std::string &why) {
  for (const ConsumerOperand &operand : operands)
    if (operand.read &&
        operand.read.getResultNumber() < kernel.getOutputs().size() &&
        kernel.isReduction(operand.read.getResultNumber())) {
      why = "it reads a reduction output, which is complete behind the kernel "
            "only";
      return std::nullopt;
    }
  const auto *first = llvm::find_if(
      operands, [](const ConsumerOperand &operand) { return operand.read; });
  if (first != operands.end()) {
    AffineMap map = first->placed.source.map;
    if (!map.isProjectedPermutation()) {
      why = "it reads a result along a diagonal, or one element of it";
      return std::nullopt;
    }
    isFinal = first->read.getResultNumber() >= kernel.getOutputs().size();
    return std::pair(map, &shape[first->read]);
  }
  why = "it reads no result of the kernel";
  if (!kinds.siblings)
    return std::nullopt;
  why += ", and no input that has all dimensions of its domain";
  for (const ConsumerOperand &operand : operands) {
    AffineMap map = operand.placed.source.map;
    if (!operand.placed.source.value || !map.isProjectedPermutation())
      continue;
    for (OpOperand &input : kernel.getInputsMutable())
      if (input.get() == operand.placed.source.value &&
          kernel.getIndexingMap(input).isPermutation())
        return std::pair(map, &shape[input]);
  }
  return std::nullopt;
}

/// The loops lie in the domain as those of what the consumer reads of the
/// kernel; the others are unrolled.
bool ConsumerPlan::placeLoops(KernelOp kernel, const KernelShape &shape,
                              const ElementwiseView &view,
                              llvm::SmallBitVector &reduced, std::string &why,
                              ConsumerKinds kinds) {
  for (const ElementwiseView::Operand &operand : view.getOperands())
    operands.push_back(resolve(kernel, shape, operand));
  auto anchor = findAnchor(kernel, shape, kinds, why);
  if (!anchor)
    return false;
  this->anchor = anchor->second->map;
  trailingExtents = llvm::to_vector(anchor->second->getTrailingShape());
  loops = scan::placeLoops(anchor->first, anchor->second->map);
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (loop.expr && view.isReduction(i)) {
      if (kinds.reductions && !isFinal) {
        isReduction = true;
        continue;
      }
      if (auto dim = dyn_cast<AffineDimExpr>(loop.expr))
        reduced.set(dim.getPosition());
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
             : placeOperand(source, loops, shape.domainRank, why,
                            /*shape=*/std::nullopt, /*maySlice=*/true);
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
    if (!isReduction &&
        placed->map.getNumResults() + isFinal != shape.domainRank) {
      why = "a result lacks a dimension of the domain";
      return false;
    }
    ConsumerResult out = {result, {}, std::move(*placed)};
    if (destinationStyle && (isReduction || !result.use_empty())) {
      Value init =
          destinationStyle.getDpsInitOperand(result.getResultNumber())->get();
      if (isReduction || !isFreshTensor(kernel, init)) {
        out.init = init;
        needed.push_back(init);
      }
    }
    results.push_back(std::move(out));
  }
  return true;
}

bool ConsumerPlan::makeReductionOutputs(KernelOp kernel,
                                        const ElementwiseView &view,
                                        std::string &why) {
  Order order = kernel.getOrder().value_or(Order::Any);
  for (OpResult result : view.getOperation()->getResults()) {
    unsigned number = result.getResultNumber();
    Operation *add = getAddition(view, number).first;
    if (!add) {
      why = "it is no sum";
      return false;
    }
    Type type = add->getResult(0).getType();
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(add)) {
      if (!bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                              arith::FastMathFlags::reassoc)) {
        why = "its additions are not said to be in any order "
              "(fastmath<reassoc>)";
        return false;
      }
      if (order != Order::Any) {
        why = "the kernel computes in a certain order, and so must its sums";
        return false;
      }
    }
    if (!getSumType(type)) {
      why = "numbers of its type are not summed up";
      return false;
    }
    // Nothing is read of what the sum is added to.
    ConsumerOperand &accumulator = operands[*view.getAccumulator(number)];
    accumulator.read = {};
    ElementwiseView::Operand &source = accumulator.placed.source;
    Builder builder(type.getContext());
    source.value = {};
    if (auto complexType = dyn_cast<ComplexType>(type)) {
      Attribute zero = builder.getZeroAttr(complexType.getElementType());
      source.constant = builder.getArrayAttr({zero, zero});
    } else {
      source.constant = builder.getZeroAttr(type);
    }
    source.map = AffineMap::get(source.map.getNumDims(), 0, type.getContext());
  }
  return true;
}

std::optional<ConsumerPlan>
ConsumerPlan::get(KernelOp kernel, const KernelShape &shape,
                  const ElementwiseView &view, llvm::SmallBitVector &reduced,
                  std::string &why, ConsumerKinds kinds) {
  ConsumerPlan plan;
  reduced.clear();
  reduced.resize(shape.domainRank);
  if (!plan.placeLoops(kernel, shape, view, reduced, why, kinds) ||
      (plan.isReduction && !plan.makeReductionOutputs(kernel, view, why)) ||
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
