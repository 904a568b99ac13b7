//===- RunDriver.h - Runs a function over arrays ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scan-run does, as a library.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_DRIVER_RUNDRIVER_H
#define SCAN_LIB_DRIVER_RUNDRIVER_H

#include "Execution/Targets.h"
#include "RemarkOptions.h"
#include "Scan/Prove/ProveMode.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::scan {

struct RunOptions {
  /// The program; "-" is standard input.
  std::string program;
  /// The function to call; empty: the only public one.
  std::string entry;
  /// One per parameter: a .npy file or a generator (InputSpec.h).
  std::vector<std::string> inputs;
  /// One .npy file per result, or none.
  std::vector<std::string> outputs;
  std::string target = "reference";
  TargetOptions targetOptions;
  /// The target to compare with, if any.
  std::string compare;
  /// With `compare`: fail if an error exceeds this part of the largest
  /// magnitude in the result that is compared with.
  std::optional<double> tolerance;
  /// What is asked of operators before the program runs.
  ProveMode prove = ProveMode::Off;
  /// Functions and divisions may be approximate, as `--scan-fast-math` says.
  bool fastMath = false;
  /// Folder for what z3 is asked; empty: nothing is written.
  std::string emitSMT;
  bool time = false;
  /// Runs that are timed, after one that is not.
  unsigned repeat = 5;
  bool json = false;
  /// Print what the emulator has counted.
  bool stats = false;
  bool help = false;
  /// What passes are to say. Of a program that was compiled in an earlier run
  /// of the session they say nothing.
  RemarkFilters remarks;
};

/// Reads a command line, for a program that has no other options. Prints the
/// text of --help. Where an option or its value is wrong, llvm::cl says so and
/// ends the process; the error, one line, is about options that do not suit
/// each other.
llvm::Expected<RunOptions> parseRunOptions(int argc, char **argv);

/// How two results differ. Equal infinities and two NaNs are no difference;
/// a NaN or an infinity in only one of them is an infinite one. Complex numbers
/// are compared by the magnitude of the difference.
struct ResultError {
  /// max |result - expected|
  double absolute = 0;
  /// `absolute` over the largest finite |expected|.
  double relative = 0;
  /// max |result - expected| in units in the last place of |expected| in the
  /// element type; for integers the same as `absolute`.
  double ulps = 0;
  /// Elements that differ.
  int64_t count = 0;
  /// Elements that are infinite or not a number where the expected ones are
  /// finite.
  int64_t overflows = 0;
};

/// Compares arrays of the same type and shape.
ResultError compareArrays(const HostArray &result, const HostArray &expected);

/// Prints an array as NumPy does, long ones abbreviated.
void printArray(const HostArray &array, llvm::raw_ostream &os);

/// Runs programs, one after the other. What was parsed and compiled for the
/// last few is kept for further runs of the same text; with other inputs, or
/// another order of the emulator's threads, a run is not compiled again.
class RunSession {
public:
  /// `registry` has every dialect that programs may use. Without threads,
  /// programs may be read at any time (see ProgramFile.h).
  explicit RunSession(
      const DialectRegistry &registry,
      MLIRContext::Threading threading = MLIRContext::Threading::ENABLED);
  ~RunSession();

  /// Loads the program, makes the inputs, runs, compares, reports to `out`,
  /// then writes the outputs. On failure one line has been written to `err`,
  /// and no output file.
  LogicalResult run(const RunOptions &options, llvm::raw_ostream &out,
                    llvm::raw_ostream &err);

  struct Program;

private:
  /// A program and its derivative, each before and after passes.
  static constexpr size_t kMostPrograms = 4;
  Program &getProgram(std::unique_ptr<llvm::MemoryBuffer> file);

  const DialectRegistry &registry;
  MLIRContext::Threading threading;
  /// The one that was used last comes first.
  std::vector<std::unique_ptr<Program>> programs;
};

} // namespace mlir::scan

#endif // SCAN_LIB_DRIVER_RUNDRIVER_H
