//===- scan-opt.cpp - Runs passes over scan programs ----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ProgramFile.h"
#include "Scan/InitAll/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  scan::registerAllPasses();
  // An operation that an error is about can have a hundred lines; where it is
  // in the file is said anyway.
  registerMLIRContextCLOptions();
  auto &printOp = static_cast<llvm::cl::opt<bool> &>(
      *llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic"));
  printOp.setInitialValue(false);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "mlir-scan optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));

  // As MlirOptMain, but for files that would crash the reader.
  if (input == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  auto fail = [](const std::string &message) {
    llvm::WithColor::error(llvm::errs(), "scan-opt") << message << "\n";
    return EXIT_FAILURE;
  };
  auto file = scan::readProgramFile(input, registry);
  if (!file)
    return fail(llvm::toString(file.takeError()));
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> result = openOutputFile(output, &error);
  if (!result)
    return fail(error);
  if (failed(MlirOptMain(result->os(), std::move(*file), registry, config)))
    return EXIT_FAILURE;
  result->keep();
  return EXIT_SUCCESS;
}
