//===- scan-ir-test.cpp - scan-opt with passes for tests ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/InitAll/InitAll.h"
#include "TestPasses.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::scan::registerAllDialects(registry);
  mlir::scan::registerAllPasses();
  mlir::scan::test::registerBuildAssociative();
  mlir::scan::test::registerFuseConsumer();
  mlir::scan::test::registerWriteBytecode();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "mlir-scan optimizer driver with test passes\n", registry));
}
