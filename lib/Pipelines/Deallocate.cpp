//===- Deallocate.cpp - What functions allocate is freed ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's passes follow each buffer through each branch and loop, of which
// kernels have many. Where no buffer goes through one, and functions return
// what they have allocated, it is plain where each buffer is freed.
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANDEALLOCATE
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

static bool hasBuffers(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<BaseMemRefType>);
}

/// Whether buffers stay in the block that makes them, as far as `op` says.
static bool isLocal(Operation *op) {
  if (isa<memref::DeallocOp>(op) ||
      (isa<memref::AllocOp>(op) && !op->getBlock()->mightHaveTerminator()) ||
      isa_and_nonnull<bufferization::BufferizationDialect>(op->getDialect()))
    return false;
  if (hasBuffers(op->getResultTypes()) &&
      !isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp,
           ViewLikeOpInterface>(op))
    return false;
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || (region.hasOneBlock() &&
                              !hasBuffers(region.front().getArgumentTypes()));
  });
}

/// Whether each buffer that `function` allocates is to be freed at the end of
/// its block, but for those that are returned.
static bool isPlain(func::FuncOp function) {
  if (function.isDeclaration())
    return true;
  if (!function.getBody().hasOneBlock())
    return false;
  WalkResult result = function.getBody().walk([](Operation *op) -> WalkResult {
    return isLocal(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return false;
  Block &block = function.getBody().front();
  return llvm::all_of(block.getTerminator()->getOperands(), [&](Value value) {
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    return !isa<BaseMemRefType>(value.getType()) ||
           (alloc && alloc->getBlock() == &block);
  });
}

/// Frees at the end of each block what is allocated in it and not returned.
static void deallocate(func::FuncOp function) {
  SmallVector<memref::AllocOp> allocations;
  function.walk([&](memref::AllocOp alloc) { allocations.push_back(alloc); });
  for (memref::AllocOp alloc : allocations) {
    Operation *end = alloc->getBlock()->getTerminator();
    if (llvm::is_contained(end->getOperands(), alloc.getResult()))
      continue;
    OpBuilder builder(end);
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  }
}

namespace {

struct ScanDeallocate final : scan::impl::ScanDeallocateBase<ScanDeallocate> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    getOperation()->walk(
        [&](func::FuncOp function) { functions.push_back(function); });
    if (llvm::all_of(functions, isPlain)) {
      llvm::for_each(functions, deallocate);
      return;
    }
    // As upstream's pipeline does it, without the canonicalization of whole
    // functions in between.
    OpPassManager manager(getOperation()->getName());
    manager.addPass(
        bufferization::createOwnershipBasedBufferDeallocationPass());
    manager.addPass(scan::createScanSimplifyDeallocations());
    manager.addPass(bufferization::createLowerDeallocationsPass());
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

} // namespace
