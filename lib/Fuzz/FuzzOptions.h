//===- FuzzOptions.h - The command line of scan-fuzz ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_FUZZOPTIONS_H
#define SCAN_LIB_FUZZ_FUZZOPTIONS_H

#include "ProgramRunner.h"
#include "llvm/Support/Error.h"

namespace mlir::scan::fuzz {

struct FuzzOptions {
  uint64_t seed = 1;
  /// Cases to run; programs are finished. With `verifier`: mutated programs.
  uint64_t count = 20000;
  /// Time after which no more programs are started; none: no limit.
  std::optional<double> minutes;
  std::vector<std::string> targets = {"cpu", "emulator"};
  /// Number of the first program, so that a long run can be continued.
  uint64_t firstProgram = 0;
  /// Run this program alone, or this case of it.
  std::optional<uint64_t> onlyProgram, onlyCase;
  unsigned jobs = 1;
  uint64_t casesPerProgram = 60;
  /// How many of 100 programs run in the emulator, if something else runs too.
  unsigned emulatorShare = 25;
  /// Bounds the iteration shape of most cases.
  int64_t maxElements = 2500;
  /// Seconds without an answer that count as a hang.
  unsigned timeout = 60;
  /// Different failures after which the run stops.
  unsigned maxFailures = 5;
  /// Seconds that one failure may be shrunk for; 0: not at all.
  unsigned shrinkSeconds = 60;
  /// Where tests for failures go as files; empty: standard output only.
  std::string outputDir;
  Fault fault = Fault::None;
  /// A pass pipeline for graphs; empty: those that there are.
  std::string passes;
  bool verifier = false, graphs = false, cells = false, mixes = false,
       files = false, print = false, json = false, help = false;
};

/// Reads a command line, for a program that has no other options. Prints the
/// text of --help. Where an option or its value is wrong, llvm::cl says so and
/// ends the process; the error, one line, is about options that do not suit
/// each other.
llvm::Expected<FuzzOptions> parseFuzzOptions(int argc, char **argv);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_FUZZOPTIONS_H
