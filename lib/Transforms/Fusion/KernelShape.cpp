//===- KernelShape.cpp - Where operands lie in an unrolled kernel ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"
#include "IR/Extents.h"
#include "IR/ScatteredOutputs.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;

static ArrayRef<int64_t> getShape(Value value) {
  if (auto type = dyn_cast<ShapedType>(value.getType()))
    return type.getShape();
  return {};
}

KernelShape::KernelShape(KernelOp kernel) : domainRank(kernel.getDomainRank()) {
  for (OpOperand &operand : kernel->getOpOperands()) {
    ArrayRef<int64_t> shape = getShape(operand.get());
    operands.push_back({kernel.getIndexingMap(operand),
                        llvm::to_vector(llvm::seq<int64_t>(shape.size())),
                        llvm::to_vector(shape)});
  }
}

const KernelShape::Operand &KernelShape::operator[](OpResult result) const {
  auto kernel = cast<KernelOp>(result.getOwner());
  return (*this)[*kernel.getTiedOpOperand(result)];
}

std::optional<KernelShape>
KernelShape::getUnrolled(KernelOp kernel, const llvm::SmallBitVector &dims,
                         std::string &why) {
  if (kernel.isBidirectional()) {
    why = "its leaves are scanned in both directions";
    return std::nullopt;
  }
  if (hasScatteredOutputs(kernel)) {
    why = "an output of it is scattered";
    return std::nullopt;
  }
  SmallVector<int64_t> domain = kernel.getStaticDomainShape();
  for (unsigned d : dims.set_bits()) {
    if (d == kernel.getDim()) {
      why = "it needs all steps of the scan at once";
      return std::nullopt;
    }
    if (ShapedType::isDynamic(domain[d]) || domain[d] == 0) {
      why = "it needs all of a dimension whose extent is dynamic or 0, so that "
            "the kernel cannot be unrolled over it";
      return std::nullopt;
    }
  }

  // What is left of the domain, by the old numbers.
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> renumbered(domain.size());
  unsigned rank = 0;
  for (unsigned d = 0; d < domain.size(); ++d)
    if (!dims.test(d))
      renumbered[d] = getAffineDimExpr(rank++, context);

  KernelShape shape(kernel);
  shape.domainRank = rank;
  unsigned numRead = kernel.getInputs().size() + kernel.getInits().size();
  for (OpOperand &operand : kernel->getOpOperands()) {
    Operand &placed = shape.operands[operand.getOperandNumber()];
    bool isRead = operand.getOperandNumber() < numRead;
    SmallVector<AffineExpr> leading;
    SmallVector<int64_t> kept, unrolled;
    bool inOrder = true;
    for (auto [i, expr] : llvm::enumerate(placed.map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && dims.test(dim.getPosition())) {
        unrolled.push_back(i);
        placed.shape[i] = domain[dim.getPosition()];
        continue;
      }
      // The constant index of an extent of 1 may stand behind it, too.
      if (!unrolled.empty() && !dim) {
        unrolled.push_back(i);
        continue;
      }
      inOrder &= unrolled.empty();
      kept.push_back(i);
      leading.push_back(dim ? renumbered[dim.getPosition()] : expr);
    }
    AffineMap oldMap = placed.map;
    placed.map = AffineMap::get(rank, 0, leading, context);
    bool isOutput =
        operand.getOperandNumber() >= numRead &&
        operand.getOperandNumber() < numRead + kernel.getOutputs().size();
    if (isOutput && leading.size() == rank &&
        oldMap.getNumResults() < domain.size()) {
      why = "a reduction output over the dimension to unroll, and no other, "
            "would "
            "be an output, which is not added to what is there";
      return std::nullopt;
    }
    if (unrolled.empty())
      continue;
    if (!isRead) {
      auto type = cast<ShapedType>(operand.get().getType());
      if (llvm::any_of(unrolled,
                       [&](int64_t i) { return type.isDynamicDim(i); })) {
        why = "a result is not known to have the extent to unroll";
        return std::nullopt;
      }
      if (!inOrder && !operand.get().getDefiningOp<tensor::EmptyOp>()) {
        why = "a result that is written to a given tensor has the dimension to "
              "unroll before others";
        return std::nullopt;
      }
    }
    placed.isSliced = isRead && !inOrder;
    SmallVector<int64_t> order(kept), oldShape(placed.shape);
    if (!placed.isSliced)
      llvm::append_range(order, unrolled);
    llvm::append_range(order, llvm::seq<int64_t>(kept.size() + unrolled.size(),
                                                 oldShape.size()));
    placed.shape =
        llvm::map_to_vector(order, [&](int64_t dim) { return oldShape[dim]; });
    placed.order = std::move(order);
    if (countElements(placed.getTrailingShape()) > 1024) {
      why = "an operand would have more than 1024 trailing elements";
      return std::nullopt;
    }
  }

  if (kernel.hasSegmentOffsets()) {
    why = "a list of segment offsets belongs to all elements alike";
    return std::nullopt;
  }
  if (kernel.hasGathered()) {
    why = "the places of a gathered input belong to all its elements alike";
    return std::nullopt;
  }
  // A shifted input and its boundary keep the same elements in the same order.
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
    if (kernel.getShift(i) == 0)
      continue;
    unsigned boundary = kernel.getBoundary(i);
    AffineMap map = kernel.getInputMaps()[i];
    AffineExpr scanned = getAffineDimExpr(kernel.getDim(), context);
    bool isAlike = !isa<ShapedType>(kernel.getInputs()[boundary].getType()) ||
                   kernel.getInputMaps()[boundary] ==
                       map.dropResult(*map.getResultPosition(scanned));
    if (!isAlike || shape.operands[i].isSliced ||
        shape.operands[boundary].isSliced) {
      why = "a shifted input would not have the elements of its boundary";
      return std::nullopt;
    }
  }
  return shape;
}
