//===- CheckAllocations.cpp - Run-time checks of the sizes of arrays ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANCHECKALLOCATIONS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// Larger than any memory, and far from overflow with the alignment added.
static constexpr double maxBytes = 4611686018427387904.0;

static LogicalResult checkSize(memref::AllocOp alloc) {
  OpBuilder builder(alloc);
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  double bytes = DataLayout::closest(alloc)
                     .getTypeSize(type.getElementType())
                     .getFixedValue();
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes *= extent;
  if (alloc.getDynamicSizes().empty()) {
    if (bytes <= maxBytes)
      return success();
    return emitError(loc) << "expected an array of a size that can be "
                             "addressed, found "
                          << type;
  }
  // A product of floats is close enough and cannot wrap around.
  Value size =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(bytes));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isValid;
  auto require = [&](Value condition) {
    isValid = isValid ? arith::AndIOp::create(builder, loc, isValid, condition)
                            .getResult()
                      : condition;
  };
  for (Value extent : alloc.getDynamicSizes()) {
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                  extent, zero));
    Value word =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), extent);
    Value factor =
        arith::SIToFPOp::create(builder, loc, builder.getF64Type(), word);
    size = arith::MulFOp::create(builder, loc, size, factor);
  }
  Value limit = arith::ConstantOp::create(builder, loc,
                                          builder.getF64FloatAttr(maxBytes));
  require(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, size,
                                limit));
  cf::AssertOp::create(builder, loc, isValid,
                       "expected an array of extents that are not negative and "
                       "of a size that can be addressed");
  return success();
}

namespace {

struct ScanCheckAllocations final
    : scan::impl::ScanCheckAllocationsBase<ScanCheckAllocations> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](memref::AllocOp alloc) { return WalkResult(checkSize(alloc)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
