//===- CheckStatus.cpp - Wrong segment offsets stop the program -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/OffsetsCheck.h"
#include "Scan/Execution/Emulator/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANCHECKSTATUS
#include "Scan/Execution/Emulator/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// Stops the program where `status` is not zero any more.
static void createCheck(ImplicitLocOpBuilder &b, Value status) {
  auto about =
      status.getDefiningOp()->getAttrOfType<DictionaryAttr>(statusAttrName);
  auto dim = about ? about.getAs<IntegerAttr>("dim") : IntegerAttr();
  Value first = arith::ConstantIndexOp::create(b, 0);
  Value word = memref::LoadOp::create(b, status, first);
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, word, zero);
  cf::AssertOp::create(b, isZero, describeOffsetsError(dim ? dim.getInt() : 0));
}

/// Has `status` live from the start of the function to its end.
static void moveToEntry(memref::AllocOp status, Block &entry) {
  for (Operation *user : llvm::make_early_inc_range(status->getUsers()))
    if (isa<linalg::FillOp, memref::DeallocOp>(user))
      user->erase();
  status->moveBefore(&entry, entry.begin());
  auto b = ImplicitLocOpBuilder::atBlockBegin(status.getLoc(), &entry);
  b.setInsertionPointAfter(status);
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  for (int64_t i = 0; i < kStatusWords; ++i)
    memref::StoreOp::create(b, zero, status,
                            ValueRange(arith::ConstantIndexOp::create(b, i)));
}

namespace {
struct ScanCheckStatus final
    : scan::impl::ScanCheckStatusBase<ScanCheckStatus> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<memref::AllocOp> statuses;
      SmallVector<func::ReturnOp> returns;
      function.walk([&](Operation *op) {
        if (auto alloc = dyn_cast<memref::AllocOp>(op);
            alloc && isStatus(alloc))
          statuses.push_back(alloc);
        else if (auto end = dyn_cast<func::ReturnOp>(op))
          returns.push_back(end);
      });
      for (memref::AllocOp status : statuses) {
        moveToEntry(status, function.front());
        for (func::ReturnOp end : returns) {
          ImplicitLocOpBuilder b(status.getLoc(), end);
          createCheck(b, status);
        }
      }
    }
  }
};
} // namespace
