//===- scan-tune.cpp - Measures schedules of scans ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Scan/InitAll/InitAll.h"
#include "Schedule/TuningCache.h"
#include "Tune/TuneDriver.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"

using namespace mlir;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  scan::TuneOptions options;
  options.program = program;
  options.entry = entry;
  options.extents.assign(extents.begin(), extents.end());
  options.chip = chip;
  options.output = output;
  options.budget = budget;
  options.dryRun = dryRun;
  options.ptxas = ptxas;
  options.maxStateBytes = maxStateBytes;
  options.remarks = remarkFilters;
  if (ptxas && (dryRun || !extents.empty())) {
    llvm::errs() << "scan-tune: error: expected no "
                 << (dryRun ? "--dry-run" : "--extents")
                 << " with --ptxas, which is about all extents\n";
    return EXIT_FAILURE;
  }
  if (options.output.empty())
    options.output =
        llvm::sys::Process::GetEnv(scan::TuningCache::kEnvironmentVariable)
            .value_or("");
  if (options.output.empty() && !dryRun) {
    llvm::errs() << "scan-tune: error: expected a file for what is measured: "
                    "-o, or the environment variable "
                 << scan::TuningCache::kEnvironmentVariable << "\n";
    return EXIT_FAILURE;
  }
  DialectRegistry registry;
  scan::registerAllDialects(registry);
  return failed(scan::runTune(options, registry, llvm::outs(), llvm::errs()))
             ? EXIT_FAILURE
             : EXIT_SUCCESS;
}
