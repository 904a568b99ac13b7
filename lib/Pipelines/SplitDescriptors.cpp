//===- SplitDescriptors.cpp - Only what is used of a descriptor -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parallel region becomes a function, and what it uses an argument in memory:
// of the descriptor of a memref each field, stored and loaded one by one, by
// code that is long and hides where its pointers come from.
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANSPLITDESCRIPTORS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// The operation in front of which the field can be read: the outermost
/// parallel region that `part` is in, but what it reads is not; or `part`.
static Operation *findPlace(LLVM::ExtractValueOp part) {
  Region *region = part.getContainer().getParentRegion();
  Operation *place = part;
  for (auto parallel = part->getParentOfType<omp::ParallelOp>();
       parallel && !parallel.getRegion().isAncestor(region);
       parallel = parallel->getParentOfType<omp::ParallelOp>())
    place = parallel;
  return place;
}

namespace {

struct ScanSplitDescriptors final
    : scan::impl::ScanSplitDescriptorsBase<ScanSplitDescriptors> {
  void runOnOperation() override {
    SmallVector<LLVM::ExtractValueOp> parts;
    SmallVector<LLVM::InsertValueOp> wholes;
    getOperation()->walk([&](Operation *op) {
      if (auto part = dyn_cast<LLVM::ExtractValueOp>(op))
        parts.push_back(part);
      else if (auto whole = dyn_cast<LLVM::InsertValueOp>(op))
        wholes.push_back(whole);
    });
    for (LLVM::ExtractValueOp part : parts) {
      OpBuilder builder(findPlace(part));
      Value field = builder.createOrFold<LLVM::ExtractValueOp>(
          part.getLoc(), part.getContainer(), part.getPosition());
      part.replaceAllUsesWith(field);
      part.erase();
    }
    // Who uses an aggregate comes behind it.
    for (LLVM::InsertValueOp whole : llvm::reverse(wholes))
      if (whole->use_empty())
        whole.erase();
  }
};

} // namespace
