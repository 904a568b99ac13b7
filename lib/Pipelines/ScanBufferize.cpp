//===- ScanBufferize.cpp - One-shot bufferization for scans ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Scan/Pipelines/Passes.h"
#include "Target/LoweringAdvice.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANBUFFERIZE
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

struct ScanBufferize final : scan::impl::ScanBufferizeBase<ScanBufferize> {
  using ScanBufferizeBase::ScanBufferizeBase;

  /// Upstream's folding of extents looks them up by an index that it does not
  /// compare with the rank.
  LogicalResult checkDims() {
    WalkResult result = getOperation()->walk([](tensor::DimOp dim) {
      auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
      std::optional<int64_t> index = dim.getConstantIndex();
      if (!type || !index || (*index >= 0 && *index < type.getRank()))
        return WalkResult::advance();
      dim.emitOpError("expected the index of a dimension in [0, ")
          << type.getRank() << "), found " << *index;
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        markArguments(function);
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.allowReturnAllocsFromLoops = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::InferLayoutMap);
    if (failed(checkDims()) || failed(checkOperations(options)))
      return signalPassFailure();
    separateFills();

    if (failed(separateResults(options)))
      return signalPassFailure();
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(), options,
                                                        state)))
      return signalPassFailure();
    castExpansions();
  }

private:
  /// Upstream says of what it cannot bufferize neither what it is nor what to
  /// do, and takes operations of linalg that become no loops.
  LogicalResult
  checkOperations(const bufferization::OneShotBufferizationOptions &options) {
    auto check = [&](Operation *op) {
      if (!bufferization::hasTensorSemantics(op))
        return WalkResult::advance();
      // What is in the body is refused with the recurrence.
      if (isa<scan::RecurrenceOp>(op))
        return WalkResult::skip();
      StringRef dialect = op->getName().getDialectNamespace();
      bool isStructured = isa<linalg::LinalgOp, linalg::YieldOp>(op);
      if (options.dynCastBufferizableOp(op) && dialect != "sparse_tensor" &&
          (dialect != "linalg" || isStructured))
        return WalkResult::advance();
      StringRef advice = scan::getLoweringAdvice(op);
      // The op may be unverifiable in the middle of a lowering: emitOpError
      // would then print all of it.
      emitError(op->getLoc())
          << "'" << op->getName()
          << "' op cannot be bufferized: expected scans, structured "
             "operations of linalg, elementwise ones, and those of tensor, scf "
             "and func that change shapes and control, all on ranked tensors; "
          << (advice.empty() ? "lower it to these first" : advice)
          << ", or compute it outside and pass it in";
      return WalkResult::interrupt();
    };
    return failure(
        getOperation()->walk<WalkOrder::PreOrder>(check).wasInterrupted());
  }

  /// Reduction outputs are added to what they start from. Two that start from
  /// one fill each get their own: a copy of it would cost as much, and be read
  /// besides. Kernels in branches of which one is taken share it.
  void separateFills() {
    getOperation()->walk([](scan::KernelOp kernel) {
      OpBuilder builder(kernel);
      for (auto [i, output] : llvm::enumerate(kernel.getOutputsMutable())) {
        OpOperand &start = output;
        bool isShared =
            llvm::any_of(start.get().getUses(), [&](OpOperand &use) {
              return &use != &start &&
                     !insideMutuallyExclusiveRegions(use.getOwner(), kernel);
            });
        if (!kernel.isReduction(i) || !isShared)
          continue;
        auto fill = start.get().getDefiningOp<linalg::LinalgOp>();
        if (!fill || fill->getNumResults() != 1 ||
            llvm::any_of(fill.getDpsInputs(), [](Value input) {
              return isa<ShapedType>(input.getType());
            }))
          continue;
        auto empty =
            fill.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
        if (!empty)
          continue;
        IRMapping mapping;
        builder.clone(*empty, mapping);
        start.set(builder.clone(*fill, mapping)->getResult(0));
      }
    });
  }

  /// Who calls a function, or reads the results of a loop, takes these for
  /// arrays of their own, and may write to one of them: upstream's analysis
  /// ends there. Results that would be in one array become copies, but for the
  /// first.
  LogicalResult
  separateResults(const bufferization::OneShotBufferizationOptions &options) {
    auto hasSeveral = [](TypeRange types) {
      return llvm::count_if(types, [](Type type) {
               return isa<RankedTensorType>(type);
             }) > 1;
    };
    SmallVector<Operation *> returns;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && hasSeveral(function.getResultTypes()) &&
          !SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        llvm::append_range(returns, function.getOps<func::ReturnOp>());
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      if (!isa<scf::ForOp, scf::WhileOp>(*loop) ||
          !hasSeveral(loop->getResultTypes()))
        return;
      for (Region *region : loop.getLoopRegions())
        returns.push_back(region->front().getTerminator());
    });
    if (returns.empty())
      return success();
    bufferization::OneShotAnalysisState state(getOperation(), options);
    if (failed(analyzeModuleOp(getOperation(), state)))
      return failure();
    for (Operation *op : returns) {
      OpBuilder builder(op);
      SmallVector<Value> separate;
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type)
          continue;
        bool isShared = llvm::any_of(separate, [&](Value other) {
          return state.areAliasingBufferizedValues(value, other);
        });
        if (isShared)
          operand.set(bufferization::AllocTensorOp::create(
              builder, op->getLoc(), type, ValueRange(), /*copy=*/value));
        else
          separate.push_back(value);
      }
    }
    return success();
  }

  /// Upstream's expansion of views computes the one dynamic extent of a group
  /// from the others, and crashes where there are several. Their extents are
  /// operands: such an expansion becomes a cast.
  void castExpansions() {
    SmallVector<memref::ExpandShapeOp> expansions;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      ArrayRef<int64_t> shape = op.getResultType().getShape();
      for (ReassociationIndices group : op.getReassociationIndices())
        if (llvm::count_if(group, [&](int64_t dim) {
              return ShapedType::isDynamic(shape[dim]);
            }) > 1) {
          expansions.push_back(op);
          return;
        }
    });
    for (memref::ExpandShapeOp op : expansions)
      castExpansion(op);
  }

  void castExpansion(memref::ExpandShapeOp op) {
    IRRewriter rewriter(op);
    Location loc = op.getLoc();
    MemRefType type = op.getResultType();
    auto [knownStrides, knownOffset] = type.getStridesAndOffset();
    auto metadata =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
    auto choose = [&](int64_t known, OpFoldResult computed) -> OpFoldResult {
      if (ShapedType::isDynamic(known))
        return computed;
      return rewriter.getIndexAttr(known);
    };
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(sizes.size());
    AffineExpr a = rewriter.getAffineSymbolExpr(0);
    AffineExpr b = rewriter.getAffineSymbolExpr(1);
    for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
      OpFoldResult stride = metadata.getConstifiedMixedStrides()[i];
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] = choose(knownStrides[dim], stride);
        stride = affine::makeComposedFoldedAffineApply(
            rewriter, loc, a * b, {strides[dim], sizes[dim]});
      }
    }
    OpFoldResult offset =
        choose(knownOffset, metadata.getConstifiedMixedOffset());
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, type, op.getSrc(), offset, sizes, strides);
  }

  /// The layout of an argument of which the program does not say it. That of
  /// private functions is the same: a caller passes on what it was given.
  MemRefLayoutAttrInterface getLayout(RankedTensorType type) {
    int64_t rank = type.getRank();
    if (stridedArguments == scan::StridedArguments::None)
      return AffineMapAttr::get(
          AffineMap::getMultiDimIdentityMap(rank, &getContext()));
    SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
    if (stridedArguments == scan::StridedArguments::Outer && rank > 0)
      strides.back() = 1;
    return StridedLayoutAttr::get(&getContext(), ShapedType::kDynamic, strides);
  }

  /// Says what may be done with the buffers of arguments, and how these lie in
  /// memory, unless the program says otherwise.
  void markArguments(func::FuncOp function) {
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    StringRef layout =
        bufferization::BufferizationDialect::kBufferLayoutAttrName;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      unsigned i = argument.getArgNumber();
      if (!function.getArgAttr(i, layout))
        function.setArgAttr(i, layout, getLayout(type));
      if (!writableArguments && function.isPublic() &&
          !function.getArgAttr(i, writable))
        function.setArgAttr(i, writable, BoolAttr::get(&getContext(), false));
    }
  }
};

} // namespace
