//===- Dispatch.cpp - Choosing a variant when the program runs ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "IR/StepsRange.h"
#include "Target/HostAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan;

LogicalResult mlir::scan::checkDispatchable(KernelOp kernel) {
  return success(kernel.hasPureBufferSemantics() &&
                 !kernel->getParentOfType<gpu::LaunchOp>() &&
                 !kernel->getParentOfType<gpu::GPUModuleOp>());
}

/// The product of the dynamic ones of `extents`, and of the static ones.
static std::pair<Value, int64_t> multiply(OpBuilder &b, Location location,
                                          ArrayRef<OpFoldResult> extents) {
  Value product;
  int64_t known = 1;
  for (OpFoldResult extent : extents) {
    if (std::optional<int64_t> constant = getConstantIntValue(extent)) {
      known *= *constant;
      continue;
    }
    auto value = cast<Value>(extent);
    product =
        product ? arith::MulIOp::create(b, location, product, value) : value;
  }
  return {product, known};
}

static Value createCondition(OpBuilder &b, KernelOp kernel,
                             ArrayRef<OpFoldResult> extents,
                             const ExtentCondition &condition) {
  SmallVector<OpFoldResult> factors;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if ((dim == kernel.getDim()) == condition.isOnSteps)
      factors.push_back(extent);
  Location loc = kernel.getLoc();
  auto [number, known] = multiply(b, loc, factors);
  // Types may leave open what is a constant here.
  if (!number || known == 0)
    return arith::ConstantOp::create(b, loc,
                                     b.getBoolAttr(known < condition.limit));
  // The same as known * number < limit.
  Value limit = arith::ConstantIndexOp::create(
      b, loc, llvm::divideCeil(condition.limit, known));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number,
                               limit);
}

/// Puts copies of `kernel` at the insertion point, which is reached with
/// extents in `range`. `variant` is the number of the scan and of the copy that
/// was made last.
static void cloneVariants(RewriterBase &rewriter, KernelOp kernel,
                          ArrayRef<OpFoldResult> extents, StepsRange range,
                          const VariantTree &tree,
                          std::array<int64_t, 2> &variant) {
  if (tree.isLeaf()) {
    auto copy = cast<KernelOp>(rewriter.clone(*kernel));
    copy.setScheduleAttr(tree.schedule);
    ++variant[1];
    // One tile holds a row of so many steps and of no more.
    if (kernel.isBidirectional() && hasStepsRange(kernel))
      setStepsRange(copy, range);
    // Others bracket in other ways, which a launcher must not mix.
    else if (kernel.getOrder() != Order::Deterministic)
      copy->setAttr(variantAttrName, rewriter.getDenseI64ArrayAttr(variant));
    return;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  Value condition = createCondition(rewriter, kernel, extents, tree.condition);
  auto choice = scf::IfOp::create(rewriter, kernel.getLoc(), condition,
                                  /*withElseRegion=*/true);
  StepsRange below = range, above = range;
  if (tree.condition.isOnSteps) {
    below.most = std::min(range.most, tree.condition.limit - 1);
    above.least = std::max(range.least, tree.condition.limit);
  }
  rewriter.setInsertionPoint(choice.thenYield());
  cloneVariants(rewriter, kernel, extents, below, *tree.below, variant);
  rewriter.setInsertionPoint(choice.elseYield());
  cloneVariants(rewriter, kernel, extents, above, *tree.above, variant);
}

void mlir::scan::createDispatch(RewriterBase &rewriter, KernelOp kernel,
                                const VariantTree &tree, int64_t number) {
  if (tree.isLeaf()) {
    rewriter.modifyOpInPlace(kernel,
                             [&] { kernel.setScheduleAttr(tree.schedule); });
    return;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  std::array<int64_t, 2> variant = {number, 0};
  cloneVariants(rewriter, kernel,
                kernel.getDomainSizes(rewriter, kernel.getLoc()),
                getStepsRange(kernel), tree, variant);
  rewriter.eraseOp(kernel);
}
