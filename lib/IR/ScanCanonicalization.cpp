//===- ScanCanonicalization.cpp - Simplifies the graph-level ops ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastOperands.h"
#include "CombineRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

//===----------------------------------------------------------------------===//
// Both ops
//===----------------------------------------------------------------------===//

namespace {

/// Where `op` keeps what the patterns for both ops need.
struct ScanView {
  explicit ScanView(AssociativeOp op)
      : scanned(op.getInputs()), inits(op.getInits()), dim(op.getDim()),
        outputs(op.getScanResults()), finals(op.getFinalResults()),
        segments(op.getSegments()) {}
  explicit ScanView(LinearRecurrenceOp op)
      : scanned({op.getB()}), dim(op.getDim()), outputs({op.getResult()}),
        segments(op.getSegments()) {
    if (op.getInit())
      inits.push_back(op.getInit());
    if (op.getLast())
      finals.push_back(op.getLast());
  }

  int64_t getExtent() const {
    return cast<RankedTensorType>(scanned.front().getType()).getDimSize(dim);
  }
  bool areFinalsUsed() const {
    return llvm::any_of(finals, [](Value v) { return !v.use_empty(); });
  }

  /// The tensors that the outputs have the types of.
  SmallVector<Value> scanned, inits;
  int64_t dim;
  SmallVector<Value> outputs, finals;
  /// Null if there are none.
  Value segments;
};

/// A scan over no elements returns empty tensors and its inits.
template <typename OpTy> struct FoldExtentZero : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ScanView scan(op);
    if (scan.getExtent() != 0)
      return rewriter.notifyMatchFailure(op, "the extent is not 0");
    bool tensorInits =
        scan.inits.size() == scan.finals.size() &&
        llvm::all_of(llvm::zip(scan.inits, scan.finals), [&](auto pair) {
          return std::get<0>(pair).getType() == std::get<1>(pair).getType();
        });
    if (scan.areFinalsUsed() && !tensorInits)
      return rewriter.notifyMatchFailure(op, "the final state has no tensor");
    SmallVector<Value> replacements;
    for (Value leaf : scan.scanned) {
      auto type = cast<RankedTensorType>(leaf.getType());
      replacements.push_back(tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), leaf),
          type.getElementType()));
      if (replacements.back().getType() != type)
        replacements.back() = tensor::CastOp::create(rewriter, op.getLoc(),
                                                     type, replacements.back());
    }
    for (auto [i, final] : llvm::enumerate(scan.finals)) {
      if (tensorInits) {
        replacements.push_back(scan.inits[i]);
        continue;
      }
      // Unused, as checked above: any value of the type will do.
      auto type = cast<RankedTensorType>(final.getType());
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(rewriter, op.getLoc(), scan.scanned[i]);
      reifyFinalShape(rewriter, op.getLoc(), scan.dim, scan.segments, sizes);
      Value unused = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                             type.getElementType());
      if (unused.getType() != type)
        unused = tensor::CastOp::create(rewriter, op.getLoc(), type, unused);
      replacements.push_back(unused);
    }
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

/// `tensor` without dimension `dim`, whose extent is 1. A slice would leave
/// open which dimension that is: where an extent of the result turns out to be
/// 1, too, upstream's folding of such slices drops the first of them.
Value dropDim(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
              Type type) {
  auto castTo = [&](Value value, Type to) -> Value {
    return value.getType() == to
               ? value
               : tensor::CastOp::create(builder, loc, to, value);
  };
  auto from = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] = 1;
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (d != dim)
      groups.push_back({d});
  // It goes with a neighbour.
  if (!groups.empty() && dim == 0)
    groups.front() = {0, 1};
  else if (!groups.empty())
    groups[dim - 1].push_back(dim);
  return castTo(tensor::CollapseShapeOp::create(
                    builder, loc, castTo(tensor, from.clone(shape)), groups),
                type);
}

/// A scan over one element without an init returns its input.
template <typename OpTy> struct FoldExtentOne : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ScanView scan(op);
    if (scan.getExtent() != 1)
      return rewriter.notifyMatchFailure(op, "the extent is not 1");
    if (!scan.inits.empty())
      return rewriter.notifyMatchFailure(op, "there is an init to combine");
    if (areOffsets(scan.segments) && !scan.finals.empty())
      return rewriter.notifyMatchFailure(op, "one final state per segment");
    SmallVector<Value> replacements(scan.scanned);
    for (auto [leaf, final] : llvm::zip(scan.scanned, scan.finals))
      replacements.push_back(
          dropDim(rewriter, op.getLoc(), leaf, scan.dim, final.getType()));
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

/// Final states that nobody uses are not returned.
template <typename OpTy> struct DropUnusedFinals : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    ScanView scan(op);
    if (scan.finals.empty() || scan.areFinalsUsed())
      return rewriter.notifyMatchFailure(op, "no unused final states");
    OperationState state(op.getLoc(), op->getName());
    state.addOperands(op->getOperands());
    state.addTypes(ValueRange(scan.outputs).getTypes());
    state.attributes = op->getAttrDictionary();
    state.attributes.erase(std::is_same_v<OpTy, AssociativeOp> ? "final_states"
                                                               : "final_state");
    for (unsigned i = 0, e = op->getNumRegions(); i < e; ++i)
      state.addRegion();
    Operation *scanOnly = rewriter.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), scanOnly->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    rewriter.replaceAllUsesWith(scan.outputs, scanOnly->getResults());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Reads through casts that hide static extents, and casts the results back.
template <typename OpTy> struct FoldCasts : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> operands(op->getOperands());
    if (!readThroughCasts(IndexedScan(op), operands))
      return rewriter.notifyMatchFailure(op, "no operand hides an extent");
    SmallVector<Type> types;
    if (failed(OpTy::inferReturnTypes(op.getContext(), op.getLoc(), operands,
                                      op->getDiscardableAttrDictionary(),
                                      op->getPropertiesStorage(),
                                      op->getRegions(), types)))
      return failure();
    OperationState state(op.getLoc(), op->getName(), operands, types,
                         op->getAttrDictionary().getValue());
    for (unsigned i = 0, e = op->getNumRegions(); i < e; ++i)
      state.addRegion();
    Operation *sharper = rewriter.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), sharper->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    SmallVector<Value> results;
    for (auto [result, type] :
         llvm::zip(sharper->getResults(), op->getResultTypes()))
      results.push_back(
          result.getType() == type
              ? Value(result)
              : tensor::CastOp::create(rewriter, op.getLoc(), type, result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// scan.associative
//===----------------------------------------------------------------------===//

/// A leaf whose results nobody uses, and which no needed leaf is combined from,
/// is not scanned.
struct DropDeadLeaves : OpRewritePattern<AssociativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    unsigned leaves = op.getNumLeaves();
    Block &combine = op.getCombine().front();
    llvm::SmallBitVector live(leaves);
    SmallVector<unsigned> worklist;
    for (unsigned i = 0; i < leaves; ++i)
      if (!op.getResult(i).use_empty() ||
          (op.getFinalStates() && !op.getResult(leaves + i).use_empty())) {
        live.set(i);
        worklist.push_back(i);
      }
    while (!worklist.empty()) {
      // Named: what set_bits returns refers to it.
      llvm::SmallBitVector needed =
          getNeededArguments(combine, worklist.pop_back_val());
      for (unsigned arg : needed.set_bits())
        if (!live.test(arg % leaves)) {
          live.set(arg % leaves);
          worklist.push_back(arg % leaves);
        }
    }
    if (live.none() || live.all())
      return rewriter.notifyMatchFailure(op, "all leaves are alike in use");

    keepLeaves(rewriter, op, live);
    return success();
  }
};

/// An inclusive scan need not combine its first elements with the identity.
/// The final state of an empty scan is the init, hence the bail-out there.
struct DropIdentityInit : OpRewritePattern<AssociativeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssociativeOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInits().empty() || op.getExclusive() || op.getFinalStates())
      return rewriter.notifyMatchFailure(op, "the init is needed");
    unsigned leaves = op.getNumLeaves();
    Block &combine = op.getCombine().front();
    for (unsigned i = 0; i < leaves; ++i) {
      Operation *def = combine.back().getOperand(i).getDefiningOp();
      BlockArgument acc = combine.getArgument(i);
      BlockArgument fresh = combine.getArgument(leaves + i);
      if (!def || def->getNumOperands() != 2 ||
          !((def->getOperand(0) == acc && def->getOperand(1) == fresh) ||
            (def->hasTrait<OpTrait::IsCommutative>() &&
             def->getOperand(1) == acc && def->getOperand(0) == fresh)))
        return rewriter.notifyMatchFailure(op, "not one binary operation");
      // Upstream takes every type for a scalar.
      if (!def->getResult(0).getType().isIntOrFloat())
        return rewriter.notifyMatchFailure(op, "a leaf of small tensors");
      std::optional<TypedAttr> identity = arith::getNeutralElement(def);
      // Upstream answers 0.0 for sums, but 0.0 + -0.0 is 0.0.
      if (isa<arith::AddFOp>(def))
        identity = rewriter.getFloatAttr(
            def->getResult(0).getType(),
            APFloat::getZero(cast<FloatType>(def->getResult(0).getType())
                                 .getFloatSemantics(),
                             /*Negative=*/true));
      Attribute init;
      if (!identity || !matchPattern(op.getInits()[i], m_Constant(&init)))
        return rewriter.notifyMatchFailure(op, "no constant or no identity");
      if (auto splat = dyn_cast<SplatElementsAttr>(init))
        init = splat.getSplatValue<Attribute>();
      if (init != Attribute(*identity))
        return rewriter.notifyMatchFailure(op, "not the identity");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getInitsMutable().clear(); });
    return success();
  }
};

//===----------------------------------------------------------------------===//
// scan.linear_recurrence
//===----------------------------------------------------------------------===//

/// For integers a_0 * 0 + b_0 is b_0. (For floating-point numbers it is not:
/// a_0 may be infinite or NaN.)
struct DropZeroState : OpRewritePattern<LinearRecurrenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LinearRecurrenceOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInit() || !matchPattern(op.getInit(), m_Zero()))
      return rewriter.notifyMatchFailure(op, "the init is not integer zero");
    if (op.getExclusive())
      return rewriter.notifyMatchFailure(op, "the first result is the init");
    rewriter.modifyOpInPlace(op, [&] { op.getInitMutable().clear(); });
    return success();
  }
};

} // namespace

void AssociativeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<FoldExtentZero<AssociativeOp>, FoldExtentOne<AssociativeOp>,
               DropUnusedFinals<AssociativeOp>, FoldCasts<AssociativeOp>,
               DropDeadLeaves, DropIdentityInit>(context);
  addFactPatterns(patterns);
}

void LinearRecurrenceOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldExtentZero<LinearRecurrenceOp>,
               FoldExtentOne<LinearRecurrenceOp>,
               DropUnusedFinals<LinearRecurrenceOp>,
               FoldCasts<LinearRecurrenceOp>, DropZeroState>(context);
}

void ShiftOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FoldCasts<ShiftOp>>(context);
}
