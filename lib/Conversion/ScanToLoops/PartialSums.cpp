//===- PartialSums.cpp - Sums of each thread's columns --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialSums.h"
#include "IR/ScatteredOutputs.h"
#include "Scratch.h"
#include "ThreadParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::scan;

/// Each block costs memory for its copies, and time to add them up.
static constexpr int64_t kMostBlocks = 16;
/// Fewer columns are short runs of memory in each step, and short against what
/// a copy takes.
static constexpr int64_t kColumnsInBlock = 64;

/// Whether a part of the operand belongs to a part of dimension `dim`: the
/// dimension is an index of it, or takes no part in one.
static bool isDivisible(AffineMap map, unsigned dim) {
  return llvm::all_of(map.getResults(), [&](AffineExpr index) {
    return isa<AffineDimExpr>(index) || !index.isFunctionOfDim(dim);
  });
}

/// Whether the kernel may be divided into blocks of dimension `dim`.
static bool isDivisible(KernelOp kernel, unsigned dim) {
  if (hasScatteredOutputs(kernel) ||
      !llvm::all_of(kernel->getOpOperands(), [&](OpOperand &operand) {
        return isDivisible(kernel.getIndexingMap(operand), dim);
      }))
    return false;
  // In a block columns have other numbers.
  WalkResult result = kernel.walk([&](IndexOp index) {
    return index.getDim() == dim ? WalkResult::interrupt()
                                 : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool mlir::scan::needsPartialSums(MutableArrayRef<KernelEmitter> kernels,
                                  unsigned laneDim,
                                  const ConvertScanToLoopsOptions &options) {
  return mayUseThreads(kernels, options) &&
         getThreadDims(kernels, options).empty() &&
         llvm::any_of(kernels,
                      [](KernelEmitter &each) {
                        return each.getKernel().hasReductions();
                      }) &&
         llvm::all_of(kernels, [&](KernelEmitter &each) {
           return isDivisible(each.getKernel(), laneDim);
         });
}

namespace {

/// A reduction output that leaves the columns out, and a copy of it for each
/// block.
struct Copies {
  Value output, all;

  /// The copy of block number `block`.
  Value get(OpBuilder &builder, Location loc, Value block) const;
};

class PartialSums {
public:
  PartialSums(RewriterBase &rewriter, MutableArrayRef<KernelEmitter> kernels,
              unsigned laneDim, const ConvertScanToLoopsOptions &options)
      : rewriter(rewriter), kernels(kernels), emitter(kernels.front()),
        loc(emitter.getLoc()), laneDim(laneDim),
        parts(rewriter, kernels, options) {}

  SmallVector<KernelOp> emit();

private:
  void chooseBlocks();
  void allocateCopies();
  Value createColumns(Value operand, AffineMap map, Value begin, Value count);
  SmallVector<KernelOp> emitBlock(Value block);
  void addCopies(const Copies &copies);

  RewriterBase &rewriter;
  MutableArrayRef<KernelEmitter> kernels;
  KernelEmitter &emitter; ///< The first one.
  Location loc;
  unsigned laneDim;
  ThreadParts parts;
  /// Columns in a block, of which the last one may have fewer; and blocks.
  Value columns, blocks;
  llvm::SmallMapVector<OpOperand *, Copies, 4> copiesOf;
};

} // namespace

Value Copies::get(OpBuilder &builder, Location loc, Value block) const {
  auto type = cast<MemRefType>(all.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      sizes = memref::getMixedSizes(builder, loc, all),
      strides(type.getRank(), builder.getIndexAttr(1));
  offsets.front() = block;
  sizes.front() = builder.getIndexAttr(1);
  MemRefType copy = memref::SubViewOp::inferRankReducedResultType(
      cast<MemRefType>(output.getType()).getShape(), type, offsets, sizes,
      strides);
  return memref::SubViewOp::create(builder, loc, copy, all, offsets, sizes,
                                   strides);
}

void PartialSums::chooseBlocks() {
  Value all = emitter.getSizes()[laneDim], one = emitter.index(1);
  Value divided = arith::CeilDivUIOp::create(
      rewriter, loc, all, emitter.index(kMostBlocks * kColumnsInBlock));
  divided = arith::MulIOp::create(rewriter, loc, divided,
                                  emitter.index(kColumnsInBlock));
  columns =
      arith::SelectOp::create(rewriter, loc, parts.getIsLarge(), divided, all);
  columns = arith::MaxUIOp::create(rewriter, loc, columns, one);
  blocks = arith::CeilDivUIOp::create(rewriter, loc, all, columns);
}

void PartialSums::allocateCopies() {
  for (KernelEmitter &each : kernels)
    for (OpOperand &operand : each.operandsOf(each.getKernel().getOutputs())) {
      if (each.getKernel().getIndexingMap(operand).isFunctionOfDim(laneDim))
        continue;
      Value output = operand.get();
      SmallVector<OpFoldResult> sizes = {blocks};
      llvm::append_range(sizes, memref::getMixedSizes(rewriter, loc, output));
      Value all = allocateHeap(rewriter, loc, sizes,
                               getElementTypeOrSelf(output.getType()));
      copiesOf[&operand] = {output, all};
    }
}

/// What of an operand belongs to `count` columns from `begin` on.
Value PartialSums::createColumns(Value operand, AffineMap map, Value begin,
                                 Value count) {
  if (!isa<MemRefType>(operand.getType()) || !map.isFunctionOfDim(laneDim))
    return operand;
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(rewriter, loc, operand);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  for (auto [i, index] : llvm::enumerate(map.getResults()))
    if (index.isFunctionOfDim(laneDim)) {
      offsets[i] = begin;
      sizes[i] = count;
    }
  return memref::SubViewOp::create(rewriter, loc, operand, offsets, sizes,
                                   strides);
}

SmallVector<KernelOp> PartialSums::emitBlock(Value block) {
  Value begin = arith::MulIOp::create(rewriter, loc, block, columns);
  Value rest =
      arith::SubIOp::create(rewriter, loc, emitter.getSizes()[laneDim], begin);
  Value count = arith::MinUIOp::create(rewriter, loc, rest, columns);
  // What one kernel hands on to another is one value for both.
  llvm::MapVector<std::pair<Value, AffineMap>, Value> views;
  SmallVector<SmallVector<Value>> operandsOf;
  for (KernelEmitter &each : kernels) {
    SmallVector<Value> &operands = operandsOf.emplace_back();
    KernelOp kernel = each.getKernel();
    for (OpOperand &operand : kernel->getOpOperands()) {
      auto copies = copiesOf.find(&operand);
      if (copies == copiesOf.end()) {
        AffineMap map = kernel.getIndexingMap(operand);
        Value &view = views[{operand.get(), map}];
        if (!view)
          view = createColumns(operand.get(), map, begin, count);
        operands.push_back(view);
        continue;
      }
      Value copy = copies->second.get(rewriter, loc, block);
      Value zero = each.zero(getElementTypeOrSelf(copy.getType()), /*width=*/1);
      linalg::FillOp::create(rewriter, loc, zero, copy);
      operands.push_back(copy);
    }
  }
  SmallVector<KernelOp> ofBlock;
  for (auto [each, operands] : llvm::zip_equal(kernels, operandsOf)) {
    ofBlock.push_back(cast<KernelOp>(rewriter.clone(*each.getKernel())));
    ofBlock.back()->setOperands(operands);
  }
  return ofBlock;
}

/// Adds the copies to the output, one after the other.
void PartialSums::addCopies(const Copies &copies) {
  auto loop = scf::ForOp::create(rewriter, loc, emitter.index(0), blocks,
                                 emitter.index(1));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value copy = copies.get(rewriter, loc, loop.getInductionVar());
  int64_t rank = cast<MemRefType>(copies.output.getType()).getRank();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      rewriter, loc, copy, copies.output,
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        Value sum = emitter.add(elements[1], elements[0]);
        linalg::YieldOp::create(b, loc, sum);
      });
}

SmallVector<KernelOp> PartialSums::emit() {
  chooseBlocks();
  allocateCopies();
  SmallVector<KernelOp> ofBlock;
  parts.emitParallel(blocks, [&](Value block) { ofBlock = emitBlock(block); });
  for (const auto &[operand, copies] : copiesOf) {
    addCopies(copies);
    freeHeap(rewriter, loc, copies.all);
  }
  return ofBlock;
}

SmallVector<KernelOp> mlir::scan::emitPartialSums(
    RewriterBase &rewriter, MutableArrayRef<KernelEmitter> kernels,
    unsigned laneDim, const ConvertScanToLoopsOptions &options) {
  return PartialSums(rewriter, kernels, laneDim, options).emit();
}
