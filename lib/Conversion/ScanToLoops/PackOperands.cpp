//===- PackOperands.cpp - Operands of contractions in loops ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a contraction reads a few neighbouring columns of a matrix, row by
// row. Where a row has a power of two of bytes, which sizes of layers are, all
// of these are in few sets of the caches, and each is on another page. A matrix
// that stays the same in a loop, as weights in steps over time, is brought into
// panels in front of the loop: of 128 bytes from each row, one behind the
// other.
//
//   weights  (k, n)  ->  (n / P, k, P)         also where they are (n, k)
//   outputs  (m, n)  =   (m, n / P, P)         the same memory
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "OperandAccess.h"
#include "Scan/Conversion/ScanToLoops/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANPACKOPERANDS
#include "Scan/Conversion/ScanToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Two vectors of AVX-512, four of 256 bits.
static constexpr int64_t kPanelBits = 1024;

namespace {

class Packing {
public:
  Packing(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), op(op) {}

  /// Returns how many operands are to be packed.
  unsigned match();
  void replace();

private:
  /// The outermost loop that does not change the value; null if there is none.
  LoopLikeOpInterface getLoop(Value value);
  bool isPacked(OpOperand &operand);
  Value split(Value tensor, AffineMap map);
  Value pack(OpOperand &operand);
  /// The map of an operand of loops of which `columns` is two.
  AffineMap splitMap(AffineMap map);
  AffineMap packMap(AffineMap map);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  /// The loop over columns, and how many there are in a panel.
  unsigned columns = 0;
  int64_t panel = 0;
};

} // namespace

LoopLikeOpInterface Packing::getLoop(Value value) {
  LoopLikeOpInterface outermost;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>();
       loop && loop.isDefinedOutsideOfLoop(value);
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    outermost = loop;
  return outermost;
}

bool Packing::isPacked(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return op.isDpsInput(&operand) && map.isFunctionOfDim(columns) &&
         llvm::any_of(reductions,
                      [&](unsigned d) { return map.isFunctionOfDim(d); }) &&
         getLoop(operand.get());
}

unsigned Packing::match() {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getNumReductionLoops() == 0 || op.getNumResults() == 0)
    return 0;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 || !result.isProjectedPermutation())
    return 0;
  columns = cast<AffineDimExpr>(result.getResults().back()).getPosition();
  int64_t extent = op.getStaticLoopRanges()[columns], widest = 8;
  unsigned count = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    widest = std::max(widest, getStorageBits(operand.get().getType()));
    if (!map.isProjectedPermutation())
      return 0;
    // An extent that is not static is not known to be the same.
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (auto [d, loop] : llvm::enumerate(map.getResults()))
      if (cast<AffineDimExpr>(loop).getPosition() == columns &&
          type.getDimSize(d) != extent)
        return 0;
    count += isPacked(operand);
  }
  panel = kPanelBits / widest;
  // One panel of all columns is the matrix as it is.
  bool isWhole = !ShapedType::isDynamic(extent) && extent % panel == 0;
  return isWhole ? count : 0;
}

AffineMap Packing::splitMap(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    results.push_back(rewriter.getAffineDimExpr(loop + (loop > columns)));
    if (loop == columns)
      results.push_back(rewriter.getAffineDimExpr(columns + 1));
  }
  return AffineMap::get(op.getNumLoops() + 1, 0, results,
                        rewriter.getContext());
}

AffineMap Packing::packMap(AffineMap map) {
  SmallVector<AffineExpr> results = {rewriter.getAffineDimExpr(columns)};
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (loop != columns)
      results.push_back(rewriter.getAffineDimExpr(loop + (loop > columns)));
  }
  results.push_back(rewriter.getAffineDimExpr(columns + 1));
  return AffineMap::get(op.getNumLoops() + 1, 0, results,
                        rewriter.getContext());
}

/// The tensor with a dimension of panels and one of columns.
Value Packing::split(Value tensor, AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [d, result] : llvm::enumerate(map.getResults())) {
    int64_t at = shape.size();
    if (cast<AffineDimExpr>(result).getPosition() != columns) {
      groups.push_back({at});
      shape.push_back(type.getDimSize(d));
      continue;
    }
    groups.push_back({at, at + 1});
    llvm::append_values(shape, type.getDimSize(d) / panel, panel);
  }
  return tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type.clone(shape),
                                       tensor, groups);
}

Value Packing::pack(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(getLoop(operand.get()));
  Value columnsSplit = split(operand.get(), map);
  // Of the dimensions of the split tensor: panels, the others, columns.
  SmallVector<int64_t> permutation;
  auto type = cast<RankedTensorType>(columnsSplit.getType());
  AffineMap from = splitMap(map), to = packMap(map);
  for (AffineExpr result : to.getResults())
    permutation.push_back(*from.getResultPosition(result));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, op.getLoc(),
                                                          columnsSplit),
                            packedSizes;
  for (int64_t d : permutation)
    packedSizes.push_back(sizes[d]);
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), packedSizes,
                                        type.getElementType());
  // In the order of the result.
  auto identity = rewriter.getMultiDimIdentityMap(permutation.size());
  AffineMap source = inversePermutation(
      AffineMap::getPermutationMap(permutation, rewriter.getContext()));
  SmallVector<utils::IteratorType> parallel(permutation.size(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), empty.getType(), columnsSplit, empty,
             ArrayRef<AffineMap>{source, identity}, parallel,
             [](OpBuilder &inner, Location loc, ValueRange elements) {
               linalg::YieldOp::create(inner, loc, elements.front());
             })
      .getResult(0);
}

void Packing::replace() {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool packs = isPacked(operand);
    maps.push_back(packs ? packMap(map) : splitMap(map));
    operands.push_back(packs ? pack(operand)
                       : map.isFunctionOfDim(columns)
                           ? split(operand.get(), map)
                           : operand.get());
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.insert(kinds.begin() + columns, utils::IteratorType::parallel);
  ValueRange all(operands);
  ValueRange inits = all.drop_front(op.getNumDpsInputs());
  auto panels = linalg::GenericOp::create(
      rewriter, op.getLoc(), inits.getTypes(),
      all.take_front(op.getNumDpsInputs()), inits, maps, kinds);
  rewriter.inlineRegionBefore(op.getRegion(), panels.getRegion(),
                              panels.getRegion().begin());
  SmallVector<Value> results;
  for (auto [init, panel, old] :
       llvm::zip_equal(inits, panels.getResults(), op.getResults())) {
    auto expanded = init.getDefiningOp<tensor::ExpandShapeOp>();
    results.push_back(tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), old.getType(), panel,
        expanded.getReassociationIndices()));
  }
  rewriter.replaceOp(op, results);
}

namespace {

struct ScanPackOperands final
    : scan::impl::ScanPackOperandsBase<ScanPackOperands> {
  using ScanPackOperandsBase::ScanPackOperandsBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    uint64_t count = 0;
    for (linalg::GenericOp op : ops) {
      Packing packing(rewriter, op);
      unsigned packed = packing.match();
      count += packed;
      if (packed)
        packing.replace();
    }
    numPacked += count;
    addMatchCounts(getOperation(), getArgument(), {{"operands-packed", count}});
  }
};

} // namespace
