//===- ScanToLoops.cpp - Kernels on memrefs to loops ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "IR/SplitBidirectional.h"
#include "IdentityInits.h"
#include "KernelEmitter.h"
#include "KernelGroups.h"
#include "LoopPlan.h"
#include "PartialSums.h"
#include "Scratch.h"
#include "SplitComplex.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTSCANTOLOOPS
#include "Scan/Conversion/ScanToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// More than any processor has; what is larger only takes time to compile.
static constexpr unsigned kMaxVectorBits = 4096;
static constexpr unsigned kMaxRowsAtATime = 64;

LogicalResult mlir::scan::checkLoopOptions(
    const ConvertScanToLoopsOptions &options,
    llvm::function_ref<InFlightDiagnostic()> emitError) {
  unsigned bits = options.vectorBits;
  if (bits != 0 &&
      (!llvm::isPowerOf2_32(bits) || bits < 8 || bits > kMaxVectorBits))
    return emitError() << "expected the bits of vectors to be 0, or a power of "
                          "two from 8 to "
                       << kMaxVectorBits << ", found " << bits;
  if (options.stateBytes == 0)
    return emitError() << "expected the bytes of the state of a block to be 1 "
                          "or more, found 0";
  if (options.rows == 0 || options.rows > kMaxRowsAtATime)
    return emitError() << "expected the rows that are walked at a time to be "
                          "from 1 to "
                       << kMaxRowsAtATime << ", found " << options.rows;
  return success();
}

/// i1: whether there are points to compute, where a loop over an outer
/// dimension would count in vain if there are none, up to the largest index
/// perhaps; null where there is no such loop.
static Value emitHasPoints(OpBuilder &builder, KernelEmitter &emitter,
                           bool hasFinals) {
  KernelOp kernel = emitter.getKernel();
  Location loc = kernel.getLoc();
  Value hasPoints;
  bool isOutermost = true;
  for (auto [d, size] : llvm::enumerate(emitter.getStaticSizes())) {
    bool isScanned = d == kernel.getDim();
    if (!isScanned && std::exchange(isOutermost, false))
      continue;
    // The final state of no steps is the initial one.
    if ((isScanned && hasFinals) || (size != 0 && !ShapedType::isDynamic(size)))
      continue;
    Value isSome =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              emitter.getSizes()[d], emitter.index(0));
    hasPoints =
        hasPoints
            ? arith::AndIOp::create(builder, loc, hasPoints, isSome).getResult()
            : isSome;
  }
  // Only the scan dimension is left: its loop ends by itself.
  return isOutermost ? Value() : hasPoints;
}

static LogicalResult checkKernel(KernelOp kernel) {
  if (!kernel.hasPureBufferSemantics())
    return kernel.emitOpError("expected memref operands, found tensors; run "
                              "--one-shot-bufferize first");
  if (kernel.hasSegmentOffsets())
    return kernel.emitOpError(
        "expected no lists of segment offsets to become loops, "
        "found 'segment_offsets'; read flags, as "
        "--scan-fuse-segment-offsets=max-scans=0 leaves them");
  return checkSplittable(kernel);
}

/// The kernels of one direction and of real numbers that are the same as
/// `kernel`, which may be one of them. `areRows` is whether their states are
/// walked along rows.
static SmallVector<KernelOp> split(RewriterBase &rewriter, KernelOp kernel,
                                   bool areRows) {
  SmallVector<KernelOp> directions = {kernel};
  if (kernel.isBidirectional()) {
    KernelDirections both = splitBidirectional(rewriter, kernel);
    directions = {both.same, both.opposite};
    llvm::erase(directions, KernelOp());
  }
  for (KernelOp &direction : directions) {
    direction = splitComplex(rewriter, direction);
    if (areRows)
      direction = beginRowsAtIdentity(rewriter, direction);
  }
  return directions;
}

/// Lowers kernels of one group, which are next to each other and whose extents
/// have been checked, and erases them.
static void lowerGroup(RewriterBase &rewriter, ArrayRef<KernelOp> group,
                       MutableArrayRef<KernelEmitter> emitters,
                       const ConvertScanToLoopsOptions &options) {
  std::optional<unsigned> laneDim = chooseLaneDim(group.front());
  if (laneDim && needsPartialSums(emitters, *laneDim, options)) {
    SmallVector<KernelOp> parts =
        emitPartialSums(rewriter, emitters, *laneDim, options);
    rewriter.setInsertionPoint(parts.front());
    SmallVector<KernelEmitter, 0> ofParts;
    for (KernelOp part : parts)
      ofParts.emplace_back(rewriter, part);
    lowerGroup(rewriter, parts, ofParts, options);
    for (KernelOp kernel : group)
      rewriter.eraseOp(kernel);
    return;
  }
  SmallVector<KernelOp> directions;
  for (KernelOp kernel : group)
    llvm::append_range(directions,
                       split(rewriter, kernel, /*areRows=*/!laneDim));
  SmallVector<KernelEmitter, 0> ofDirections;
  if (ArrayRef(directions) != group) {
    rewriter.setInsertionPointAfter(directions.back());
    for (KernelOp direction : directions)
      ofDirections.emplace_back(rewriter, direction);
    emitters = ofDirections;
  }
  bool hasFinals = llvm::any_of(directions, [](KernelOp direction) {
    return !direction.getFinals().empty();
  });
  if (Value hasPoints = emitHasPoints(rewriter, emitters.front(), hasFinals))
    rewriter.setInsertionPointToStart(
        scf::IfOp::create(rewriter, emitters.front().getLoc(), hasPoints)
            .thenBlock());
  if (!laneDim)
    emitRowLoops(rewriter, emitters, options);
  else
    emitColumnLoops(rewriter, emitters, *laneDim, options);
  for (KernelOp direction : directions)
    rewriter.eraseOp(direction);
}

static LogicalResult
lowerCheckedGroup(RewriterBase &rewriter, ArrayRef<KernelOp> group,
                  const ConvertScanToLoopsOptions &options) {
  if (!llvm::all_of(group, [](KernelOp kernel) {
        return succeeded(checkKernel(kernel));
      }))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  for (KernelOp kernel : group.drop_back())
    rewriter.moveOpBefore(kernel, group.back());
  // Threads compute several blocks at a time.
  SmallVector<Value> shared;
  if (group.size() > 1 && !options.threads)
    shared = shareHandedArrays(rewriter, group);
  KernelOp last = group.back();
  rewriter.setInsertionPointAfter(last);
  for (Value memory : shared)
    freeHeap(rewriter, last.getLoc(), memory);
  SmallVector<KernelOp> kernels = llvm::to_vector(group);
  if (!chooseLaneDim(last))
    for (KernelOp &kernel : kernels)
      kernel = beginRowsAtIdentity(rewriter, kernel);
  rewriter.setInsertionPoint(kernels.front());
  SmallVector<KernelEmitter, 0> emitters;
  for (KernelOp kernel : kernels)
    emitters.emplace_back(rewriter, kernel).emitExtentChecks();
  lowerGroup(rewriter, kernels, emitters, options);
  return success();
}

LogicalResult
mlir::scan::lowerKernelToLoops(RewriterBase &rewriter, KernelOp kernel,
                               const ConvertScanToLoopsOptions &options) {
  return lowerCheckedGroup(rewriter, kernel, options);
}

namespace {

struct ConvertScanToLoops final
    : scan::impl::ConvertScanToLoopsBase<ConvertScanToLoops> {
  using ConvertScanToLoopsBase::ConvertScanToLoopsBase;

  void runOnOperation() override {
    ConvertScanToLoopsOptions options{vectorBits,     stateBytes, rows,
                                      streamingBytes, threads,    threadWork};
    if (failed(checkLoopOptions(options, [&] {
          return emitError(getOperation()->getLoc()) << getArgument() << ": ";
        })))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    IRRewriter rewriter(&getContext());
    for (const KernelGroup &group :
         groupKernels(kernels, getAnalysis<AliasAnalysis>()))
      if (failed(lowerCheckedGroup(rewriter, group, options)))
        return signalPassFailure();
    numLowered += kernels.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-lowered", kernels.size()}});
  }
};

} // namespace
