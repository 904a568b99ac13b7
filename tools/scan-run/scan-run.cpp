//===- scan-run.cpp - Runs scan programs over arrays ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/RunDriver.h"
#include "Scan/InitAll/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::Expected<scan::RunOptions> options = scan::parseRunOptions(argc, argv);
  if (!options) {
    llvm::errs() << "scan-run: error: " << llvm::toString(options.takeError())
                 << "\n";
    return 1;
  }
  if (options->help)
    return 0;
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  LogicalResult result =
      scan::RunSession(registry).run(*options, llvm::outs(), llvm::errs());
  return failed(result) ? 1 : 0;
}
