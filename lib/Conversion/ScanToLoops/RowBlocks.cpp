//===- RowBlocks.cpp - Rows in blocks that follow each other --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBlocks.h"
#include "IR/Divisions.h"
#include "IR/ExpensiveOps.h"
#include "Scratch.h"
#include "VectorRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::scan;

/// What a block reads is to take that many bytes or less, a quarter of the
/// smallest second-level caches there are, of 512 KB: two more are read before
/// it is walked.
static constexpr int64_t kBlockBytes = int64_t{1} << 17;
/// The same of what blocks read or save where tiles are saved. These take
/// longer, and so does what others may have to wait for.
static constexpr int64_t kSavedBlockBytes = int64_t{1} << 16;
/// A kernel that is worth several threads has at least that many blocks.
static constexpr int64_t kLeastBlocks = 8;
/// From so many rows on, each thread gets enough of them.
static constexpr int64_t kManyRows = 64;

/// Whether the regions of `kernel` may be evaluated on any thread.
static bool isSafe(KernelOp kernel) {
  return llvm::none_of(kernel->getRegions(), [](Region &region) {
    return !region.empty() && hasUnsafeOperation(region);
  });
}

/// A power of two of steps: all blocks but the last one of a row are made of
/// whole tiles.
static int64_t chooseSteps(MutableArrayRef<KernelEmitter> kernels,
                           ArrayRef<int64_t> lanes,
                           const ConvertScanToLoopsOptions &options) {
  int64_t read = 0, saved = 0, least = 1;
  bool saves = false;
  for (auto [each, width] : llvm::zip_equal(kernels, lanes)) {
    least = std::max(least, width * chooseRowVectors(each, width));
    KernelOp kernel = each.getKernel();
    for (Value input : kernel.getInputs())
      read += getStorageBits(input.getType()) / 8;
    for (Type leaf : kernel.getLeafTypes())
      saved += getStorageBits(leaf) / 8;
    saves |= getSavedPart(kernel) == SavedPart::Tiles;
  }
  int64_t steps = (saves ? kSavedBlockBytes : kBlockBytes) /
                  std::max<int64_t>({read, saved, 1});
  steps =
      std::min<int64_t>(steps, options.threadWork / kLeastBlocks /
                                   std::max<int64_t>(getPointWork(kernels), 1));
  return std::max<int64_t>(llvm::bit_floor<uint64_t>(steps), least);
}

/// The dimensions but that of time in which rows may differ.
static SmallVector<unsigned> getRowDims(KernelEmitter &emitter) {
  SmallVector<unsigned> dims;
  for (auto [d, size] : llvm::enumerate(emitter.getStaticSizes()))
    if (d != emitter.getKernel().getDim() && size != 1)
      dims.push_back(d);
  return dims;
}

/// Whether an element of an output of `map` belongs to one row.
static bool isOfOneRow(AffineMap map, ArrayRef<unsigned> dims) {
  return llvm::all_of(dims, [&](unsigned d) { return map.isFunctionOfDim(d); });
}

static bool sharesSums(MutableArrayRef<KernelEmitter> kernels,
                       ArrayRef<unsigned> dims) {
  return llvm::any_of(kernels, [&](KernelEmitter &each) {
    return llvm::any_of(each.getKernel().getOutputMaps(),
                        [&](AffineMap map) { return !isOfOneRow(map, dims); });
  });
}

bool mlir::scan::mayCutRows(MutableArrayRef<KernelEmitter> kernels,
                            ArrayRef<int64_t> lanes,
                            const ConvertScanToLoopsOptions &options) {
  if (!mayUseThreads(kernels, options))
    return false;
  KernelEmitter &emitter = kernels.front();
  ArrayRef<int64_t> shape = emitter.getStaticSizes();
  unsigned time = emitter.getKernel().getDim();
  SmallVector<unsigned> dims = getRowDims(emitter);
  for (auto [each, width] : llvm::zip_equal(kernels, lanes)) {
    // One thread brackets whole rows otherwise, and need not compute twice.
    if (width == 1 || !isSafe(each.getKernel()) ||
        each.getKernel().getOrder() == Order::Deterministic)
      return false;
    // Two rows would add to the sum of a step at a time.
    for (AffineMap map : each.getKernel().getOutputMaps())
      if (!isOfOneRow(map, dims) && map.isFunctionOfDim(time))
        return false;
  }
  // One block is no faster than the row as a whole.
  if (!ShapedType::isDynamic(shape[time]) &&
      shape[time] <= chooseSteps(kernels, lanes, options))
    return false;
  std::optional<int64_t> rows = 1;
  for (unsigned d : dims)
    rows = rows && !ShapedType::isDynamic(shape[d])
               ? llvm::checkedMul(*rows, shape[d])
               : std::nullopt;
  return !rows || *rows < kManyRows || sharesSums(kernels, dims);
}

RowBlocks::RowBlocks(OpBuilder &builder, MutableArrayRef<KernelEmitter> kernels,
                     ArrayRef<int64_t> lanes, const ThreadParts &parts,
                     const ConvertScanToLoopsOptions &options)
    : dims(getRowDims(kernels.front())),
      staticSteps(chooseSteps(kernels, lanes, options)) {
  KernelEmitter &emitter = kernels.front();
  Location loc = emitter.getLoc();
  Value length = emitter.getSizes()[emitter.getKernel().getDim()];
  steps = emitter.index(staticSteps);
  count = arith::CeilDivUIOp::create(builder, loc, length, steps);
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                       length, steps);
  isCut = arith::AndIOp::create(builder, loc, parts.getIsLarge(), isLong);
  // Threads would have to add to the same sums.
  if (sharesSums(kernels, dims))
    return;
  Value rows = emitter.index(1);
  for (unsigned d : dims)
    rows = arith::MulIOp::create(builder, loc, rows, emitter.getSizes()[d]);
  Value areFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       rows, emitter.index(kManyRows));
  isCut = arith::AndIOp::create(builder, loc, isCut, areFew);
}
