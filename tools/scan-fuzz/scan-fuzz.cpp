//===- scan-fuzz.cpp - Looks for programs that are compiled wrongly -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz/Driver.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::scan;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::Expected<fuzz::FuzzOptions> options =
      fuzz::parseFuzzOptions(argc, argv);
  if (!options) {
    llvm::errs() << "scan-fuzz: error: " << llvm::toString(options.takeError())
                 << "\n";
    return 1;
  }
  if (options->help)
    return 0;
  LogicalResult result =
      options->verifier
          ? fuzz::runVerifier(*options, llvm::outs(), llvm::errs())
      : options->mixes ? fuzz::runMixes(*options, llvm::outs(), llvm::errs())
      : options->files ? fuzz::runFiles(*options, llvm::outs(), llvm::errs())
      : options->cells ? fuzz::runCells(*options, llvm::outs(), llvm::errs())
      : options->graphs
          ? fuzz::runGraphs(*options, llvm::outs(), llvm::errs())
          : fuzz::runDifferential(*options, llvm::outs(), llvm::errs());
  return failed(result) ? 1 : 0;
}
