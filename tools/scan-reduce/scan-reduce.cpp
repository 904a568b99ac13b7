//===- scan-reduce.cpp - Makes failing scan programs small ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Reduce/ReduceDriver.h"
#include "Scan/InitAll/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  auto fail = [](const Twine &message) {
    llvm::WithColor::error(llvm::errs(), "scan-reduce") << message << "\n";
    return EXIT_FAILURE;
  };
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  if (list) {
    scan::printReductions(registry, llvm::outs());
    return EXIT_SUCCESS;
  }
  int tests = !script.empty() + !fails.empty() + !crashes.empty();
  if (tests == 0)
    return fail("expected a test: --test, --fails or --crashes; see --help");
  if (tests > 1)
    return fail("expected one of --test, --fails and --crashes, found several");
  if (!message.empty() && !script.empty())
    return fail("--message goes with --fails or --crashes, not with --test");
  if (timeLimit == 0)
    return fail("expected --time-limit to be 1 or more, found 0");

  scan::ReduceDriverOptions options;
  options.input = input;
  options.output = output;
  options.test = {script, fails, crashes, message, timeLimit};
  options.only.assign(only.begin(), only.end());
  options.allowUnregistered = allowUnregistered;
  options.quiet = quiet;
  options.verbose = verbose;
  return failed(scan::runReduce(options, registry)) ? EXIT_FAILURE
                                                    : EXIT_SUCCESS;
}
