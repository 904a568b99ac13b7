//===- UnrollParts.cpp - Components that are points of the domain ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Components of a state along a dimension of the domain that what stands before
// or behind the scan takes apart: unrolled over the dimension, the kernel has
// all of them under one point, where they are taken by number
// (TrailingParts.cpp).
//
//===----------------------------------------------------------------------===//

#include "Analysis/Traffic.h"
#include "KernelFusion.h"
#include "KernelShape.h"
#include "ShiftedRead.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// Components are few.
static constexpr int64_t kMaxComponents = 16;

/// The shape of `kernel` unrolled over `dims`, if it may be: each is static,
/// short and not scanned, and the leaves take no more bytes than allowed.
static std::optional<KernelShape>
getUnrolledShape(KernelOp kernel, const llvm::SmallBitVector &dims,
                 const FusionOptions &options) {
  if (dims.none() || dims.test(kernel.getDim()) || kernel.getScheduleAttr())
    return std::nullopt;
  int64_t bytes = 0;
  for (Type type : kernel.getLeafTypes())
    bytes += getElementBytes(type);
  SmallVector<int64_t> domain = kernel.getStaticDomainShape();
  for (unsigned dim : dims.set_bits()) {
    if (ShapedType::isDynamic(domain[dim]) || domain[dim] < 2 ||
        domain[dim] > kMaxComponents ||
        (bytes *= domain[dim]) > options.maxStateBytes)
      return std::nullopt;
  }
  std::string why;
  std::optional<KernelShape> shape =
      KernelShape::getUnrolled(kernel, dims, why);
  if (!shape)
    return std::nullopt;
  // Slices and transpositions would move more than they save.
  for (const KernelShape::Operand &operand : shape->operands)
    if (operand.isSliced || !llvm::is_sorted(operand.order))
      return std::nullopt;
  return shape;
}

/// Adds the dimension of the domain that `expr` is to `dims`.
static bool addDim(AffineExpr expr, llvm::SmallBitVector &dims) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (dim)
    dims.set(dim.getPosition());
  return static_cast<bool>(dim);
}

LogicalResult scan::unrollForSlices(RewriterBase &rewriter, KernelOp kernel,
                                    Operation *op,
                                    const FusionOptions &options) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(op, reason);
  };
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  auto result = slice ? dyn_cast<OpResult>(slice.getSource()) : OpResult();
  if (!result || result.getOwner() != kernel ||
      !kernel.hasPureTensorSemantics() ||
      op->getBlock() != kernel->getBlock() ||
      result.getResultNumber() >= kernel.getOutputs().size() ||
      kernel.isReduction(result.getResultNumber()))
    return fail("it is no slice of an output in the block of the kernel");
  if (!llvm::all_of(result.getUsers(),
                    llvm::IsaPred<tensor::ExtractSliceOp, tensor::DimOp>))
    return fail("the output is needed as a whole, too");
  AffineMap map = kernel.getOutputMaps()[result.getResultNumber()];
  llvm::SmallBitVector dims(kernel.getDomainRank());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool isWhole = isConstantIntValue(slice.getMixedOffsets()[i], 0) &&
                   isConstantIntValue(slice.getMixedStrides()[i], 1) &&
                   KnownExtent(slice.getMixedSizes()[i]) ==
                       KnownExtent(slice.getSource(), i);
    if (!isWhole && (!getConstantIntValue(slice.getMixedSizes()[i]) ||
                     !getConstantIntValue(slice.getMixedOffsets()[i]) ||
                     !addDim(expr, dims)))
      return fail("it does not take components by constant numbers");
  }
  std::optional<KernelShape> shape = getUnrolledShape(kernel, dims, options);
  if (!shape)
    return fail("the components are not few, or the kernel cannot be unrolled");
  unrollDomain(rewriter, kernel, dims);
  return success();
}

LogicalResult scan::unrollForJoins(RewriterBase &rewriter, KernelOp kernel,
                                   OpOperand &operand,
                                   const FusionOptions &options) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  unsigned number = operand.getOperandNumber();
  auto concat = operand.get().getDefiningOp<tensor::ConcatOp>();
  if (!concat || !kernel.hasPureTensorSemantics() ||
      number >= kernel.getInputs().size() || kernel.getShift(number) != 0 ||
      kernel.isBoundary(number) || kernel.isSegmentOffsets(number) ||
      kernel.isGathered(number) || kernel.isPlaces(number))
    return fail("the operand is no input that is put together");
  AffineMap map = kernel.getIndexingMap(operand);
  unsigned dim = concat.getDim();
  llvm::SmallBitVector dims(kernel.getDomainRank());
  if (dim >= map.getNumResults() || !addDim(map.getResult(dim), dims) ||
      !getUnrolledShape(kernel, dims, options))
    return fail("it is not put together of few components along a dimension "
                "that the kernel can be unrolled over");
  unrollDomain(rewriter, kernel, dims);
  return success();
}
