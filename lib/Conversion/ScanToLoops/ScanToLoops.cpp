//===- ScanToLoops.cpp - Kernels on memrefs to loops ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "IR/SplitBidirectional.h"
#include "KernelEmitter.h"
#include "LoopPlan.h"
#include "PartialSums.h"
#include "SplitComplex.h"

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
static constexpr unsigned kMaxRows = 64;

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
  if (options.rows == 0 || options.rows > kMaxRows)
    return emitError() << "expected the rows that are walked at a time to be "
                          "from 1 to "
                       << kMaxRows << ", found " << options.rows;
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

/// Lowers a kernel whose operands have been checked, and erases it.
static void lowerCheckedKernel(RewriterBase &rewriter, KernelEmitter emitter,
                               const ConvertScanToLoopsOptions &options) {
  KernelOp kernel = emitter.getKernel();
  std::optional<unsigned> laneDim = chooseLaneDim(kernel);
  if (laneDim && needsPartialSums(emitter, *laneDim, options)) {
    KernelOp part = emitPartialSums(rewriter, emitter, *laneDim, options);
    rewriter.setInsertionPoint(part);
    lowerCheckedKernel(rewriter, KernelEmitter(rewriter, part), options);
    return rewriter.eraseOp(kernel);
  }
  SmallVector<KernelEmitter, 0> emitters;
  emitters.push_back(std::move(emitter));
  SmallVector<KernelOp> directions = {kernel};
  bool areOthers = kernel.isBidirectional();
  if (areOthers) {
    KernelDirections split = splitBidirectional(rewriter, kernel);
    directions = {split.same, split.opposite};
    llvm::erase(directions, KernelOp());
  }
  for (KernelOp &direction : directions) {
    KernelOp split = splitComplex(rewriter, direction);
    areOthers |= split != direction;
    direction = split;
  }
  if (areOthers) {
    rewriter.setInsertionPointAfter(directions.back());
    emitters.clear();
    for (KernelOp direction : directions)
      emitters.emplace_back(rewriter, direction);
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

LogicalResult
mlir::scan::lowerKernelToLoops(RewriterBase &rewriter, KernelOp kernel,
                               const ConvertScanToLoopsOptions &options) {
  if (!kernel.hasPureBufferSemantics())
    return kernel.emitOpError("expected memref operands, found tensors; run "
                              "--one-shot-bufferize first");
  if (kernel.hasSegmentOffsets())
    return kernel.emitOpError(
        "expected no lists of segment offsets to become loops, "
        "found 'segment_offsets'; read flags, as "
        "--scan-fuse-segment-offsets=max-scans=0 leaves them");
  if (failed(checkSplittable(kernel)))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(kernel);
  KernelEmitter emitter(rewriter, kernel);
  emitter.emitExtentChecks();
  lowerCheckedKernel(rewriter, std::move(emitter), options);
  return success();
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
    for (KernelOp kernel : kernels)
      if (failed(lowerKernelToLoops(rewriter, kernel, options)))
        return signalPassFailure();
    numLowered += kernels.size();
    addMatchCounts(getOperation(), getArgument(),
                   {{"kernels-lowered", kernels.size()}});
  }
};

} // namespace
