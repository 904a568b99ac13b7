//===- FenceStreams.cpp - Order after stores that bypass the caches -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Conversion/ScanToLoops/ThreadLoops.h"
#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANFENCESTREAMS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

struct ScanFenceStreams final
    : scan::impl::ScanFenceStreamsBase<ScanFenceStreams> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    llvm::SetVector<Operation *> streaming;
    function.walk([&](vector::StoreOp store) {
      if (!store.getNontemporal())
        return;
      // Each thread has stores of its own.
      Region *region = &function.getBody();
      auto loop = store->getParentOfType<scf::ParallelOp>();
      if (loop && loop->hasAttr(scan::kThreadsAttrName))
        region = &loop.getRegion();
      streaming.insert(region->findAncestorOpInRegion(*store));
    });
    for (Operation *op : streaming) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      LLVM::FenceOp::create(builder, op->getLoc(),
                            LLVM::AtomicOrdering::seq_cst);
    }
  }
};

} // namespace
