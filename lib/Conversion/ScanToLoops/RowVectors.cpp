//===- RowVectors.cpp - Which vectors a row is walked in ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowVectors.h"
#include "IR/Commutativity.h"
#include "IR/Divisions.h"
#include "IR/ExpensiveOps.h"
#include "ThreadParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::scan;

/// With fewer lanes there are more combines than steps.
static constexpr int64_t kMinLanes = 4;
/// Instruction selection of LLVM 22 does not end for a broadcast of the last of
/// 64 bytes behind an operation, with AVX512-VBMI.
static constexpr int64_t kMaxLanes = 32;
/// The longest shift of an input, which many rows will not be longer than.
static constexpr int64_t kMaxShift = int64_t{1} << 20;
/// The most operations that all the combines of a vector may have, for the sake
/// of the time to compile.
static constexpr int64_t kMaxCombineOps = 1024;
/// The most operations that one step may have for tiles. (They have more
/// vectors where a combine takes long, as 8 of 16 lanes take 21 combines, and
/// twice 4 take 26.)
static constexpr int64_t kMaxTileOps = 64;

bool mlir::scan::takesLongCombines(KernelOp kernel) {
  return llvm::any_of(kernel.getCombine().front(),
                      [](Operation &op) { return isExpensive(&op); });
}

static int64_t getTileVectors(KernelOp kernel) {
  return takesLongCombines(kernel) ? kLongTileVectors : kTileVectors;
}

int64_t mlir::scan::getMinRowSteps(KernelOp kernel, int64_t lanes) {
  // Each vector of less than a tile takes rounds over its lanes, which move all
  // leaves.
  return lanes * (kernel.getNumLeaves() > 1 ? getTileVectors(kernel) : 2);
}

int64_t mlir::scan::chooseRowLanes(KernelEmitter &emitter,
                                   const ConvertScanToLoopsOptions &options) {
  KernelOp kernel = emitter.getKernel();
  int64_t lanes = std::min(emitter.getLanes(options.vectorBits), kMaxLanes);
  // Lanes without an earlier one combine values that no scan would.
  if (kernel.getOrder() == Order::Sequential || lanes < kMinLanes ||
      !emitter.isVectorizable(kernel.getDim()) ||
      hasUnsafeOperation(kernel.getCombine()))
    return 1;
  int64_t steps = emitter.getStaticSizes()[kernel.getDim()];
  if (!ShapedType::isDynamic(steps) && steps < getMinRowSteps(kernel, lanes))
    return 1;
  // Where a shifted input is outside of the row, there are no vectors.
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    if (int64_t shift = kernel.getShift(i);
        shift > kMaxShift || shift < -kMaxShift)
      return 1;
  int64_t combineOps = llvm::range_size(kernel.getCombine().front());
  if (combineOps * (llvm::Log2_64(lanes) + 2) > kMaxCombineOps)
    return 1;
  return lanes;
}

/// Whether integers may be stored that were made narrower. X86 instruction
/// selection of LLVM 22 stores the wide one where a constant mask leaves a
/// single lane of such a vector.
static bool hasNarrowing(Region &region) {
  return llvm::any_of(region.front(), [](Operation &op) {
    return isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp,
               arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op);
  });
}

bool mlir::scan::canMaskRow(KernelEmitter &emitter) {
  KernelOp kernel = emitter.getKernel();
  for (Region *region :
       {&kernel.getLoad(), &kernel.getCombine(), &kernel.getStore()})
    if (hasNarrowing(*region))
      return false;
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    if (kernel.getShift(i) != 0)
      return false;
  return emitter.canBeMasked(kernel.getDim()) &&
         !hasUnsafeOperation(kernel.getLoad()) &&
         !hasUnsafeOperation(kernel.getStore());
}

int64_t mlir::scan::chooseRowVectors(KernelEmitter &emitter, int64_t lanes) {
  KernelOp kernel = emitter.getKernel();
  int64_t ops = 0;
  for (Region *region :
       {&kernel.getLoad(), &kernel.getCombine(), &kernel.getStore()})
    ops += llvm::range_size(region->front());
  int64_t steps = emitter.getStaticSizes()[kernel.getDim()];
  auto isShort = [&](int64_t vectors) {
    return lanes < vectors ||
           (!ShapedType::isDynamic(steps) && steps < vectors * lanes);
  };
  if (ops > kMaxTileOps || isShort(kTileVectors))
    return 1;
  int64_t vectors = getTileVectors(kernel);
  return isShort(vectors) ? kTileVectors : vectors;
}

SavedPart mlir::scan::getSavedPart(KernelOp kernel) {
  // What is saved of a tile takes about 5 operations for each leaf.
  constexpr int64_t savingWork = 5;
  // Loops combine the vectors of such a tile in the memory that tiles are saved
  // in (VectorRow::isRolled).
  if (takesLongCombines(kernel))
    return SavedPart::Tiles;
  int64_t work = 0;
  for (Region *region : {&kernel.getLoad(), &kernel.getCombine()})
    for (Operation &op : region->front().without_terminator())
      work += isExpensive(&op) ? kExpensiveWork : 1;
  if (work >= savingWork * kernel.getNumLeaves())
    return SavedPart::Tiles;
  return isCommutative(kernel) ? SavedPart::Nothing : SavedPart::Lanes;
}
