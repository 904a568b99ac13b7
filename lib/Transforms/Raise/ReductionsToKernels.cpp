//===- ReductionsToKernels.cpp - Reductions as scans without outputs ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction is the final state of a scan of which nobody wants the outputs.
// As a kernel it is laid over the threads of a GPU as any scan is.
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "Scan/Transforms/Raise.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANREDUCTIONSTOKERNELS
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Whether `combiner` may be bracketed otherwise.
static bool isAssociative(Operation *combiner, bool reassociateFloats) {
  if (isa<arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp,
          arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp,
          arith::XOrIOp, arith::MaximumFOp, arith::MinimumFOp>(combiner))
    return true;
  if (!isa<arith::AddFOp, arith::MulFOp>(combiner))
    return false;
  auto fast = cast<arith::ArithFastMathInterface>(combiner);
  return reassociateFloats ||
         bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::reassoc);
}

/// The constant that all of `tensor` holds, if that is known.
static Value getSplat(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!fill || !llvm::hasSingleElement(*fill.getBlock()))
    return {};
  Value value = fill.getBlock()->getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == fill.getBlock())
    value = fill.getMatchingOpOperand(argument)->get();
  return !isa<ShapedType>(value.getType()) &&
                 value.getDefiningOp<arith::ConstantOp>()
             ? value
             : Value();
}

namespace {
struct ReductionToKernel : OpRewritePattern<linalg::GenericOp> {
  ReductionToKernel(MLIRContext *context, bool reassociateFloats,
                    int64_t minExtent)
      : OpRewritePattern(context), reassociateFloats(reassociateFloats),
        minExtent(minExtent) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;

private:
  KernelOp buildKernel(PatternRewriter &rewriter, linalg::GenericOp op,
                       ArrayRef<unsigned> order, Operation *combiner,
                       Value reduced, Value init, Value destination) const;

  bool reassociateFloats;
  int64_t minExtent;
};

void buildRegion(PatternRewriter &rewriter, Location loc, Region &region,
                 TypeRange types,
                 function_ref<SmallVector<Value>(Block *)> body) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *block = rewriter.createBlock(&region, region.end(), types,
                                      SmallVector<Location>(types.size(), loc));
  YieldOp::create(rewriter, loc, body(block));
}
} // namespace

/// A kernel over the loops of `op` in the given order, the last of which is the
/// scanned one.
KernelOp ReductionToKernel::buildKernel(PatternRewriter &rewriter,
                                        linalg::GenericOp op,
                                        ArrayRef<unsigned> order,
                                        Operation *combiner, Value reduced,
                                        Value init, Value destination) const {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  unsigned rank = order.size();
  SmallVector<AffineExpr> loops(rank);
  for (auto [position, loop] : llvm::enumerate(order))
    loops[loop] = getAffineDimExpr(position, context);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  SmallVector<Type> elements;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(input->get());
    elements.push_back(getElementTypeOrSelf(input->get().getType()));
    maps.push_back(op.getMatchingIndexingMap(input).replaceDimsAndSymbols(
        loops, {}, rank, 0));
  }
  AffineMap rest = rewriter.getMultiDimIdentityMap(rank).dropResult(rank - 1);
  maps.push_back(isa<ShapedType>(init.getType())
                     ? rest
                     : AffineMap::get(rank, 0, context));
  maps.push_back(rest);
  auto kernel = KernelOp::create(
      rewriter, loc, destination.getType(), inputs, init, ValueRange(),
      destination, rewriter.getI64IntegerAttr(rank - 1), UnitAttr(),
      rewriter.getAffineMapArrayAttr(maps), OrderAttr(), ScheduleAttr());

  Type leaf = reduced.getType();
  auto pass = [](Block *block) {
    return SmallVector<Value>(block->getArguments());
  };
  buildRegion(rewriter, loc, kernel.getLoad(), elements, [&](Block *block) {
    IRMapping mapping;
    for (auto [from, to] :
         llvm::zip_equal(op.getRegionInputArgs(), block->getArguments()))
      mapping.map(from, to);
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegion(), captured);
    for (Value value : captured)
      mapping.map(value, rewriter.clone(*value.getDefiningOp())->getResult(0));
    for (Operation &inside : op.getBlock()->without_terminator())
      if (&inside != combiner)
        rewriter.clone(inside, mapping);
    return SmallVector<Value>{mapping.lookup(reduced)};
  });
  buildRegion(rewriter, loc, kernel.getInitialize(), leaf, pass);
  buildRegion(rewriter, loc, kernel.getCombine(), {leaf, leaf},
              [&](Block *block) {
                IRMapping mapping;
                mapping.map(op.getRegionOutputArgs()[0], block->getArgument(0));
                mapping.map(reduced, block->getArgument(1));
                return SmallVector<Value>{
                    rewriter.clone(*combiner, mapping)->getResult(0)};
              });
  SmallVector<Type> seen = {leaf, leaf};
  llvm::append_range(seen, elements);
  buildRegion(rewriter, loc, kernel.getStore(), seen,
              [](Block *) { return SmallVector<Value>(); });
  buildRegion(rewriter, loc, kernel.getFinalize(), leaf, pass);
  return kernel;
}

LogicalResult
ReductionToKernel::matchAndRewrite(linalg::GenericOp op,
                                   PatternRewriter &rewriter) const {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa_and_nonnull<ScanDialect>(parent->getDialect()))
      return rewriter.notifyMatchFailure(op, "in a region that is computed on "
                                             "scalars");
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() || op.getNumReductionLoops() == 0)
    return rewriter.notifyMatchFailure(op, "not the reduction of one result");
  if (!llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return rewriter.notifyMatchFailure(op, "elements at other indices");
  AffineMap outputMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (outputMap.getNumResults() != op.getNumParallelLoops())
    return rewriter.notifyMatchFailure(op, "the result lacks dimensions");
  SmallVector<Operation *> combiners;
  Value reduced = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  if (!reduced || combiners.size() != 1 ||
      !op.getRegionOutputArgs()[0].hasOneUse() ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          combiners[0]->getResult(0))
    return rewriter.notifyMatchFailure(op, "no combiner of one operation");
  Operation *combiner = combiners[0];
  if (!isAssociative(combiner, reassociateFloats))
    return rewriter.notifyMatchFailure(op, "the order of the terms counts");
  // An element that is reduced as it is has to come from somewhere.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured)
    if (!value.getDefiningOp<arith::ConstantOp>())
      return rewriter.notifyMatchFailure(op, "the region reads other values");
  if (reduced.getParentBlock() != op.getBlock())
    return rewriter.notifyMatchFailure(op, "the same constant again and again");

  // The innermost reduction first; what it leaves of others is less.
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  unsigned last = reductions.back();
  int64_t extent = op.getStaticLoopRanges()[last];
  if (!ShapedType::isDynamic(extent) && extent < minExtent)
    return rewriter.notifyMatchFailure(op, "too short to share out");
  SmallVector<unsigned> order;
  for (AffineExpr expr : outputMap.getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  order.append(reductions.begin(), reductions.end());

  Location loc = op.getLoc();
  Value out = op.getDpsInits()[0];
  auto createEmpty = [&](ArrayRef<OpFoldResult> sizes) -> Value {
    return tensor::EmptyOp::create(rewriter, loc, sizes, reduced.getType());
  };
  if (reductions.size() == 1) {
    Value splat = getSplat(out);
    KernelOp kernel =
        buildKernel(rewriter, op, order, combiner, reduced, splat ? splat : out,
                    createEmpty(tensor::getMixedSizes(rewriter, loc, out)));
    Value result = kernel.getResult(0);
    if (result.getType() != op.getType(0))
      result = tensor::CastOp::create(rewriter, loc, op.getType(0), result);
    rewriter.replaceOp(op, result);
    return success();
  }

  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral)
    return rewriter.notifyMatchFailure(op, "no neutral element to start from");
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : ArrayRef(order).drop_back())
    sizes.push_back(ranges[loop].size);
  Value start = arith::ConstantOp::create(rewriter, loc, *neutral);
  Value partial = buildKernel(rewriter, op, order, combiner, reduced, start,
                              createEmpty(sizes))
                      .getResult(0);
  unsigned rank = sizes.size(), parallel = op.getNumParallelLoops();
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  std::fill(kinds.begin() + parallel, kinds.end(),
            utils::IteratorType::reduction);
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  AffineMap kept =
      AffineMap::get(rank, 0, identity.getResults().take_front(parallel),
                     rewriter.getContext());
  SmallVector<AffineMap> maps = {identity, kept};
  Value argument = op.getRegionOutputArgs()[0];
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), partial, out, maps, kinds,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(reduced, arguments[0]);
        mapping.map(argument, arguments[1]);
        linalg::YieldOp::create(b, loc,
                                b.clone(*combiner, mapping)->getResult(0));
      });
  return success();
}

namespace {
struct ScanReductionsToKernels final
    : scan::impl::ScanReductionsToKernelsBase<ScanReductionsToKernels> {
  using ScanReductionsToKernelsBase::ScanReductionsToKernelsBase;

  void runOnOperation() override {
    if (minExtent < 0) {
      emitError(getOperation()->getLoc())
          << "scan-reductions-to-kernels: expected min-extent of at least 0, "
             "found "
          << minExtent.getValue();
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<ReductionToKernel>(&getContext(), reassociateFloats,
                                    minExtent);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
