//===- BuildAssociative.cpp - Builds a scan that breaks a constraint ------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "TestPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

/// Builds a scan of the first argument whose combine region yields what it is
/// passed.
struct BuildAssociative
    : public PassWrapper<BuildAssociative, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BuildAssociative)

  StringRef getArgument() const final { return "test-build-associative"; }
  StringRef getDescription() const final {
    return "Builds a scan whose combine region yields its last argument";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<scan::ScanDialect>();
  }

  void runOnOperation() final {
    func::FuncOp function = getOperation();
    Value input = function.getArgument(0);
    auto b = OpBuilder::atBlockBegin(&function.getBody().front());
    auto op = scan::AssociativeOp::create(
        b, function.getLoc(), input, /*inits=*/ValueRange(), /*dim=*/0,
        /*reverse=*/false, /*exclusive=*/false, /*finalStates=*/false,
        cast<ShapedType>(input.getType()).getElementType(),
        [](OpBuilder &, Location, ValueRange arguments) {
          return SmallVector<Value>{arguments.back()};
        });
    // A builder says what is wrong, and cannot fail.
    if (op.hasSharedYields())
      signalPassFailure();
  }
};

} // namespace

void mlir::scan::test::registerBuildAssociative() {
  PassRegistration<BuildAssociative>();
}
