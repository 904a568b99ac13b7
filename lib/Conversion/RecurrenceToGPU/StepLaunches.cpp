//===- StepLaunches.cpp - Recurrences to launches for each step -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each step, on the host: an operation of linalg for each stage
//
// Each stage becomes a launch, or shares one with others that do not need it
// (--scan-linalg-to-gpu). Rows are read in the histories, where the launches of
// earlier steps have written them. The host reads no memory of the GPU: scalars
// of a step, such as an element of a row that all lanes read, are computed
// where they are used, by each thread.
//
//===----------------------------------------------------------------------===//

#include "StepLaunches.h"
#include "IR/Branches.h"
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

/// What `op` is that would need a host that decides by elements, or a loop in a
/// launch.
static std::string describeControl(Operation *op) {
  if (isa<scf::ForOp>(op))
    return "a loop of more than " + std::to_string(kMostShortIterations) +
           " iterations, or of as many as only a run tells";
  if (isa<scf::IfOp>(op))
    return "a branch whose sides cannot both be computed";
  return ("'" + op->getName().getStringRef() + "'").str();
}

/// The first of these in a step; null if there is none.
static Operation *findControl(RecurrenceOp op) {
  Operation *found = nullptr;
  auto check = [&](Operation *inner) {
    if (isa<linalg::LinalgOp>(inner))
      return WalkResult::skip();
    if (inner->getNumRegions() == 0 ||
        isa<tensor::TensorDialect>(inner->getDialect()))
      return WalkResult::advance();
    found = inner;
    return WalkResult::interrupt();
  };
  for (Operation &inner : op.getBody().front())
    if (inner.walk<WalkOrder::PreOrder>(check).wasInterrupted())
      break;
  return found;
}

/// What a step may have instead of `control`.
static std::string describeExpected(Operation *control) {
  return "expected operations of linalg and tensor and scalar code, short "
         "loops, and branches both sides of which can be computed, found " +
         describeControl(control);
}

static LogicalResult checkStep(RecurrenceOp op) {
  Operation *control = findControl(op);
  if (!control)
    return success();
  return control->emitOpError()
         << "cannot be computed by launches for each step of a "
            "scan.recurrence: "
         << describeExpected(control)
         << "; give the recurrence a #scan.schedule<strategy = sequential>, "
            "for "
            "thread blocks that compute whole rows, or compile the program for "
            "the CPU, by --scan-to-cpu (scan-run --target=cpu)";
}

std::string scan::findLaunchObstacle(RecurrenceOp op) {
  Operation *parent = op->getParentOp();
  if (!isa<FunctionOpInterface>(parent))
    return ("expected a recurrence in a function, found one in '" +
            parent->getName().getStringRef() +
            "': launches that are repeated are not part of loops or branches")
        .str();
  // A copy, which is unrolled to see what is left.
  OwningOpRef<RecurrenceOp> copy(cast<RecurrenceOp>(op->clone()));
  IRRewriter rewriter(op.getContext());
  flattenControl(rewriter, *copy);
  Operation *control = findControl(*copy);
  return control ? "expected a step that launches can compute: " +
                       describeExpected(control)
                 : "";
}

/// A tensor of that shape all of whose elements are `scalar`.
static Value createFilled(OpBuilder &builder, Location loc, Value scalar,
                          ArrayRef<OpFoldResult> sizes) {
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, scalar.getType());
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), ValueRange(), empty,
             builder.getMultiDimIdentityMap(sizes.size()), loops,
             [&](OpBuilder &b, Location at, ValueRange) {
               linalg::YieldOp::create(b, at, scalar);
             })
      .getResult(0);
}

/// Makes slices and operations of linalg of what reads single elements of
/// histories, which others may write later in the step, and of what writes
/// single elements.
static void expandElements(RewriterBase &rewriter, scf::ForOp loop) {
  RewritePatternSet patterns(loop.getContext());
  linalg::populateConvertToDestinationStylePatterns(patterns);
  (void)applyPatternsGreedily(loop.getRegion(), std::move(patterns));
  loop.getRegion().walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      if (!llvm::is_contained(loop.getRegionIterArgs(), extract.getTensor()))
        return;
      SmallVector<OpFoldResult> offsets =
          getAsOpFoldResult(extract.getIndices());
      SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
      Value element = tensor::ExtractSliceOp::create(
          rewriter, op->getLoc(), RankedTensorType::get({}, extract.getType()),
          extract.getTensor(), offsets, ones, ones);
      rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, element, ValueRange());
      return;
    }
    if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
      SmallVector<OpFoldResult> sizes = getMixedValues(
          splat.getType().getShape(), splat.getDynamicSizes(), rewriter);
      rewriter.replaceOp(
          op, createFilled(rewriter, op->getLoc(), splat.getInput(), sizes));
      return;
    }
    auto insert = dyn_cast<tensor::InsertOp>(op);
    if (!insert)
      return;
    Value element =
        createFilled(rewriter, op->getLoc(), insert.getScalar(), {});
    SmallVector<OpFoldResult> offsets = getAsOpFoldResult(insert.getIndices());
    SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, element, insert.getDest(), offsets, ones, ones);
  });
}

/// Whether each thread can compute what `value` is, instead of being passed it.
static bool isSunk(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<ShapedType>(value.getType()) || op->getNumRegions() != 0 ||
      op->hasTrait<OpTrait::ConstantLike>())
    return false;
  return isa<tensor::ExtractOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect, complex::ComplexDialect>(
             op->getDialect());
}

/// Computes `value` at the insertion point.
static Value sink(RewriterBase &rewriter, Value value, IRMapping &sunk) {
  if (!isSunk(value))
    return value;
  if (Value known = sunk.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    if (Value inside = sink(rewriter, operand, sunk); inside != operand)
      sunk.map(operand, inside);
  rewriter.clone(*op, sunk);
  return sunk.lookup(value);
}

/// `op` without inputs that are scalars, which its body uses itself.
static linalg::GenericOp inlineScalars(RewriterBase &rewriter,
                                       linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (isa<ShapedType>(input->get().getType())) {
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      continue;
    }
    dropped.set(input->getOperandNumber());
    rewriter.replaceAllUsesWith(op.getMatchingBlockArgument(input),
                                input->get());
  }
  if (dropped.none())
    return op;
  for (OpOperand &output : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&output));
  op.getBody()->eraseArguments(dropped);
  auto fewer = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  fewer.getRegion().takeBody(op.getRegion());
  rewriter.replaceOp(op, fewer);
  return fewer;
}

/// Makes one operation of two where nothing else reads what is between them: a
/// launch less.
static void fuseStages(scf::ForOp loop) {
  RewritePatternSet patterns(loop.getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *use) { return use->get().hasOneUse(); });
  (void)applyPatternsGreedily(loop.getRegion(), std::move(patterns));
}

/// Has threads compute the scalars of a step.
static void sinkScalars(RewriterBase &rewriter, scf::ForOp loop) {
  SmallVector<linalg::LinalgOp> ops;
  loop.getBody()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        continue;
      generic = *made;
      rewriter.setInsertionPoint(generic);
    }
    generic = inlineScalars(rewriter, generic);
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(generic.getRegion(), captured);
    IRMapping sunk;
    rewriter.setInsertionPointToStart(generic.getBody());
    for (Value value : captured) {
      // What the host knows of extents goes with a launch.
      if (value.getType().isIndex() &&
          !loop->isAncestor(value.getParentRegion()->getParentOp()))
        continue;
      Value inside = sink(rewriter, value, sunk);
      if (inside != value)
        replaceAllUsesInRegionWith(value, inside, generic.getRegion());
    }
  }
}

LogicalResult mlir::scan::lowerToStepLaunches(RewriterBase &rewriter,
                                              RecurrenceOp op) {
  if (failed(checkStep(op)))
    return failure();
  scf::ForOp loop = lowerRecurrenceToLoop(rewriter, op, LoopUse::Launches);
  if (!loop)
    return success();
  expandElements(rewriter, loop);
  fuseStages(loop);
  sinkScalars(rewriter, loop);
  // What is left of scalars on the host would be shared with kernels.
  for (Operation &inner :
       llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
  return success();
}
