//===- Legalize.cpp - Passes that are run where they have something to do -===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of kernels are long, and a pass that has nothing to do for them looks
// at each of their operations several times. One walk says which to run.
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANLEGALIZE
#define GEN_PASS_DEF_SCANLINALGTOLOOPS
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

/// Whether `op` has numbers that processors do not compute with.
static bool isOnNarrowNumbers(Operation *op) {
  auto isNarrow = [](Type type) {
    auto number = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return number && !number.isF32() && !number.isF64();
  };
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow));
}

/// Whether `op` asks for the layout of a view, or is one whose layout has to be
/// computed.
static bool isOnLayouts(Operation *op) {
  if (auto pointer = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op))
    return pointer.getSource().getDefiningOp<ViewLikeOpInterface>();
  return isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::ExtractStridedMetadataOp>(op);
}

namespace {

struct ScanLegalize final : scan::impl::ScanLegalizeBase<ScanLegalize> {
  void runOnOperation() override {
    bool hasNarrow = false, hasComplex = false, hasLayouts = false,
         hasAffine = false;
    getOperation()->walk([&](Operation *op) {
      Dialect *dialect = op->getDialect();
      hasNarrow |= isOnNarrowNumbers(op);
      hasComplex |= isa_and_nonnull<complex::ComplexDialect>(dialect);
      hasLayouts |= isOnLayouts(op);
      hasAffine |= isa_and_nonnull<affine::AffineDialect>(dialect);
    });
    OpPassManager manager(getOperation()->getName());
    if (hasNarrow) {
      manager.addPass(math::createMathExtendToSupportedTypes());
      arith::ArithEmulateUnsupportedFloatsOptions emulate;
      emulate.sourceTypeStrs = {"bf16"};
      emulate.targetTypeStr = "f32";
      manager.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
    }
    if (hasComplex)
      manager.addPass(createConvertComplexToStandardPass());
    manager.addPass(scan::createScanExpandArith());
    if (hasLayouts)
      manager.addPass(memref::createExpandStridedMetadataPass());
    // Layouts are computed by affine maps.
    if (hasLayouts || hasAffine)
      manager.addPass(createLowerAffinePass());
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

struct ScanLinalgToLoops final
    : scan::impl::ScanLinalgToLoopsBase<ScanLinalgToLoops> {
  void runOnOperation() override {
    WalkResult found = getOperation()->walk(
        [](linalg::LinalgOp) { return WalkResult::interrupt(); });
    if (!found.wasInterrupted())
      return;
    OpPassManager manager(getOperation()->getName());
    manager.addPass(createConvertLinalgToLoopsPass());
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

} // namespace
