//===- BlockStep.cpp - A step as a thread block computes it ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockStep.h"
#include "IR/Branches.h"
#include "Plan/WalkSchedule.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::scan;

/// Makes structured operations of elementwise and named ones, and one of
/// several where nothing else reads what is between them.
static void fuseBody(RecurrenceOp op) {
  MLIRContext *context = op.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *use) { return use->get().hasOneUse(); });
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  (void)applyPatternsGreedily(op.getBody(), std::move(patterns));
}

/// Fills buffers with constants, instead of reading these from memory.
static void expandConstants(RewriterBase &rewriter, RecurrenceOp op) {
  op.getBody().walk([&](arith::ConstantOp constant) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (!splat || !type)
      return;
    rewriter.setInsertionPoint(constant);
    Location loc = constant.getLoc();
    auto number = splat.getSplatValue<Attribute>();
    Value element =
        isa<ComplexType>(type.getElementType())
            ? complex::ConstantOp::create(rewriter, loc, type.getElementType(),
                                          cast<ArrayAttr>(number))
                  .getResult()
            : arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(number))
                  .getResult();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    rewriter.replaceOp(constant,
                       linalg::FillOp::create(rewriter, loc, element, empty));
  });
}

/// Computes both sides of branches that yield tensors, where that does no harm,
/// and chooses.
static void flattenBranches(RewriterBase &rewriter, RecurrenceOp op) {
  op.getBody().walk([&](scf::IfOp branch) {
    auto isSafe = [](Region &region) {
      return region.hasOneBlock() &&
             llvm::all_of(region.front().without_terminator(),
                          [](Operation &inner) { return isPure(&inner); });
    };
    if (llvm::none_of(branch.getResultTypes(),
                      llvm::IsaPred<RankedTensorType>) ||
        !isSafe(branch.getThenRegion()) || !isSafe(branch.getElseRegion()))
      return;
    replaceBySelections(rewriter, branch);
  });
}

/// Chooses between tensors element by element: each buffer keeps one name.
static void expandSelections(RewriterBase &rewriter, RecurrenceOp op) {
  op.getBody().walk([&](arith::SelectOp select) {
    auto type = dyn_cast<RankedTensorType>(select.getType());
    Value condition = select.getCondition();
    if (!type || isa<ShapedType>(condition.getType()))
      return;
    rewriter.setInsertionPoint(select);
    Location loc = select.getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, select.getTrueValue());
    Value space =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    SmallVector<AffineMap> maps(
        3, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        select, TypeRange(type),
        ValueRange{select.getTrueValue(), select.getFalseValue()},
        ValueRange(space), maps, loops,
        [&](OpBuilder &b, Location at, ValueRange elements) {
          Value chosen = arith::SelectOp::create(b, at, condition, elements[0],
                                                 elements[1]);
          linalg::YieldOp::create(b, at, chosen);
        });
  });
}

/// What a thread block cannot compute, if there is something.
static LogicalResult checkBody(RecurrenceOp op) {
  auto check = [&](Operation *inner) {
    if (isa<scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(inner) &&
        llvm::any_of(inner->getResultTypes(),
                     llvm::IsaPred<RankedTensorType>)) {
      inner->emitOpError()
          << "cannot be computed by a thread block for each step of a "
             "scan.recurrence: expected a branch whose sides can both be "
             "computed, or a counted loop, found one that decides where a "
             "tensor is; choose elements by arith.select, or compile the "
             "program for the CPU, by --scan-to-cpu (scan-run --target=cpu)";
      return WalkResult::interrupt();
    }
    StringRef dialect = inner->getName().getDialectNamespace();
    bool isKnown = isa<linalg::LinalgOp, linalg::YieldOp, linalg::IndexOp,
                       YieldOp, bufferization::AllocTensorOp>(inner) ||
                   llvm::is_contained(
                       {"arith", "math", "complex", "tensor", "scf"}, dialect);
    if (isKnown)
      return WalkResult::advance();
    inner->emitOpError()
        << "cannot be computed by a thread block for each step of a "
           "scan.recurrence: expected elementwise operations, those of linalg "
           "and tensor, branches and loops; compute it outside, or compile the "
           "program for the CPU, by --scan-to-cpu (scan-run --target=cpu)";
    return WalkResult::interrupt();
  };
  return failure(op.getBody().walk(check).wasInterrupted());
}

/// Rows of states as they come in are read by the whole step: what would be
/// written into one gets a place of its own. So does what would be written into
/// a tensor of the step that others read, too: the elimination of empty tensors
/// could put that into the row it is shifted to.
static void protectRows(RewriterBase &rewriter, RecurrenceOp op) {
  auto isRow = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &op.getBody().front() &&
           isa<RankedTensorType>(value.getType()) &&
           !llvm::is_contained(op.getInputArguments(), argument);
  };
  auto isShared = [](Value value) {
    Operation *def = value.getDefiningOp();
    return def && !value.hasOneUse() &&
           !isa<tensor::EmptyOp, linalg::FillOp>(def);
  };
  auto protect = [&](OpOperand &operand) {
    if (!isRow(operand.get()) && !isShared(operand.get()))
      return;
    rewriter.setInsertionPoint(operand.getOwner());
    operand.set(bufferization::AllocTensorOp::create(
        rewriter, op.getLoc(), cast<RankedTensorType>(operand.get().getType()),
        ValueRange(), /*copy=*/operand.get()));
  };
  op.getBody().walk([&](Operation *inner) {
    if (auto insert = dyn_cast<tensor::InsertOp>(inner))
      return protect(insert.getDestMutable());
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(inner))
      return protect(insert.getDestMutable());
    if (auto loop = dyn_cast<scf::ForOp>(inner)) {
      for (OpOperand &init : loop.getInitArgsMutable())
        protect(init);
      return;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(inner);
    if (!linalgOp)
      return;
    for (OpOperand &output : linalgOp.getDpsInitsMutable()) {
      if (linalgOp.payloadUsesValueFromOperand(&output)) {
        protect(output);
        continue;
      }
      if (!isRow(output.get()))
        continue;
      rewriter.setInsertionPoint(inner);
      output.set(tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), output.get()),
          getElementTypeOrSelf(output.get().getType())));
    }
  });
}

LogicalResult mlir::scan::prepareForBlock(RewriterBase &rewriter,
                                          RecurrenceOp op) {
  if (auto schedule =
          op->getAttrOfType<ScheduleAttr>(RecurrenceOp::getScheduleName()))
    if (std::string why = checkWalkSchedule(op, schedule); !why.empty())
      return op.emitOpError() << "expected " << why;
  // In the order of what is inside of what.
  SmallVector<RecurrenceOp> nested;
  op.getBody().walk([&](RecurrenceOp inner) { nested.push_back(inner); });
  for (RecurrenceOp inner : nested)
    lowerRecurrenceToLoop(rewriter, inner);
  flattenBranches(rewriter, op);
  expandSelections(rewriter, op);
  fuseBody(op);
  expandConstants(rewriter, op);
  protectRows(rewriter, op);
  return checkBody(op);
}
