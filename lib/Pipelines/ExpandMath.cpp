//===- ExpandMath.cpp - Functions as arithmetic on vectors ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of libm per element is what gated recurrences would spend most of
// their time on. Here is what they need as straight-line arithmetic, which
// works on vectors; scalars take the same way, so that a result does not depend
// on whether its element was in a vector or left over.
//
//===----------------------------------------------------------------------===//

#include "Scan/Pipelines/Passes.h"
#include "VectorMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDMATH
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

struct ScanExpandMath final : scan::impl::ScanExpandMathBase<ScanExpandMath> {
  using ScanExpandMathBase::ScanExpandMathBase;

  /// The same as arithmetic in front of `op`; null if there is none.
  Value expand(Operation *op) {
    if (op->getNumOperands() != 1 ||
        !VectorMath::supports(op->getOperand(0).getType()))
      return Value();
    OpBuilder builder(op);
    Value x = op->getOperand(0);
    VectorMath emitter(builder, x, fusedMultiplyAdd);
    return TypeSwitch<Operation *, Value>(op)
        .Case([&](math::ExpOp) { return emitter.exp(x); })
        .Case([&](math::Exp2Op) { return emitter.exp2(x); })
        .Case([&](math::SinOp) { return emitter.sin(x); })
        .Case([&](math::CosOp) { return emitter.cos(x); })
        .Case([&](math::ExpM1Op) { return emitter.expm1(x); })
        .Case([&](math::LogOp) { return emitter.log(x); })
        .Case([&](math::Log1pOp) { return emitter.log1p(x); })
        .Case([&](math::TanhOp) { return emitter.tanh(x); })
        .Default(Value());
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (Value value = expand(op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
    });
  }
};

} // namespace
