//===- MathToLibm.cpp - Calls of libm where LLVM falls short --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANMATHTOLIBM
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;

namespace {

struct ScanMathToLibm final : scan::impl::ScanMathToLibmBase<ScanMathToLibm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::AcoshOp, math::AsinhOp, math::AtanhOp,
                        math::CbrtOp, math::ErfOp, math::ErfcOp, math::ExpM1Op,
                        math::Log1pOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
