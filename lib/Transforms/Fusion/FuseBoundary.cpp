//===- FuseBoundary.cpp - What a shifted input continues with -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A boundary has the element type of its input, so what computes it cannot be
// inlined as what computes another input can. A step knows where it is, though,
// and can choose between the two itself.
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;

/// True where an input that is shifted by `shift` continues with its boundary.
static Value createIsOutside(OpBuilder &builder, Location loc, unsigned dim,
                             int64_t shift, int64_t extent) {
  Value index = IndexOp::create(builder, loc, builder.getIndexType(), dim);
  Value limit = arith::ConstantIndexOp::create(
      builder, loc, shift > 0 ? shift : extent + shift);
  return arith::CmpIOp::create(builder, loc,
                               shift > 0 ? arith::CmpIPredicate::slt
                                         : arith::CmpIPredicate::sge,
                               index, limit);
}

/// In `block`, a region of `kernel` whose arguments for the inputs begin at
/// number `base`, lets elements of the shifted input `input` be those from
/// argument number `boundary` on where it continues with its boundary, or the
/// first of them all if `isOne`.
static void chooseElements(RewriterBase &rewriter, KernelOp kernel,
                           Block &block, unsigned base, unsigned input,
                           unsigned boundary, bool isOne) {
  Location loc = kernel.getLoc();
  SmallVector<Value> inputs(kernel.getInputs());
  auto [first, count] = getElementRange(inputs, kernel.getInputMaps(), input);
  auto elements = block.getArguments().slice(base + first, count);
  if (llvm::all_of(elements, [](Value v) { return v.use_empty(); }))
    return;
  rewriter.setInsertionPointToStart(&block);
  Value isOutside =
      createIsOutside(rewriter, loc, kernel.getDim(), kernel.getShift(input),
                      kernel.getStaticDomainShape()[kernel.getDim()]);
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto chosen = arith::SelectOp::create(
        rewriter, loc, isOutside, block.getArgument(boundary + (isOne ? 0 : i)),
        element);
    rewriter.replaceAllUsesExcept(element, chosen, chosen);
  }
}

void scan::chooseBoundary(RewriterBase &rewriter, KernelOp kernel,
                          unsigned input) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Value> inputs(kernel.getInputs());
  SmallVector<AffineMap> maps = kernel.getInputMaps();
  auto [first, count] =
      getElementRange(inputs, maps, kernel.getBoundary(input));
  unsigned base = 2 * kernel.getNumLeaves();
  chooseElements(rewriter, kernel, kernel.getStore().front(), base, input,
                 base + first, /*isOne=*/count == 1);
}

LogicalResult scan::fuseBoundary(RewriterBase &rewriter, KernelOp kernel,
                                 OpOperand &operand) {
  auto fail = [&](const Twine &reason) {
    return rewriter.notifyMatchFailure(kernel, reason);
  };
  unsigned number = operand.getOperandNumber();
  Operation *producer = operand.get().getDefiningOp();
  if (!producer || !kernel.hasPureTensorSemantics() ||
      number >= kernel.getInputs().size() || !kernel.isBoundary(number) ||
      !isa<RankedTensorType>(operand.get().getType()))
    return fail("no boundary that an operation computes");
  std::string why;
  if (!producer->hasOneUse() || !ElementwiseView::get(producer, why) ||
      isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(producer))
    return fail("the boundary is not elementwise code of this kernel only");
  int64_t extent = kernel.getStaticDomainShape()[kernel.getDim()];
  SmallVector<unsigned> shifted;
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
    if (kernel.getBoundary(i) != static_cast<int64_t>(number))
      continue;
    if (kernel.getShift(i) < 0 && ShapedType::isDynamic(extent))
      return fail("the boundary is at the end of a dynamic extent");
    shifted.push_back(i);
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  Location loc = kernel.getLoc();
  Type type = getElementTypeOrSelf(operand.get().getType());
  Attribute zero = rewriter.getZeroAttr(type);
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Attribute part = rewriter.getZeroAttr(complexType.getElementType());
    zero = rewriter.getArrayAttr({part, part});
  }
  // Nobody looks at this one.
  Value placeholder = materializeScalar(rewriter, loc, type, zero);
  KernelParts parts(kernel);
  unsigned added =
      parts.addInput(placeholder, AffineMap::get(kernel.getDomainRank(), 0,
                                                 rewriter.getContext()));
  for (unsigned input : shifted)
    parts.boundaries[input] = added;
  KernelOp fused = parts.rebuild(rewriter, kernel);
  auto chooseIn = [&](Block &block, unsigned base) {
    block.addArgument(type, loc);
    unsigned boundary =
        base + getElementRange(parts.inputs, parts.inputMaps, number).first;
    for (unsigned input : shifted)
      chooseElements(rewriter, fused, block, base, input, boundary,
                     /*isOne=*/false);
  };
  chooseIn(fused.getLoad().front(), 0);
  chooseIn(fused.getStore().front(), 2 * fused.getNumLeaves());
  rewriter.replaceOp(kernel, fused.getResults());
  return success();
}
