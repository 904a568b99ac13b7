//===- Plan.h - What scan-matrix runs ---------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is a JSON file that test/Integration/Inputs/matrix.py writes: a list
// of configurations, each one module with dynamic shapes, the shapes to run it
// for and what its arguments and results are.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TEST_MATRIX_PLAN_H
#define SCAN_TEST_MATRIX_PLAN_H

#include "Execution/Emulator/FiberRuntime.h"
#include "Fuzz/DataGenerator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::scan::matrix {

/// An argument or a result of a configuration's function.
struct Operand {
  std::string elementType;
  /// Extents behind those of the iteration shape.
  llvm::SmallVector<int64_t> trailing;
  /// Without the scan dimension: an init or a final state.
  bool collapsed = false;
  fuzz::Values values = fuzz::Values::Unit;
};

/// A module that is compiled and run.
struct Tested {
  /// What of the configuration it is, behind the configuration's name.
  std::string name;
  std::string module;
  /// In the emulator: in which order threads and blocks run, and how many
  /// blocks side by side.
  emulator::Schedule order = emulator::Schedule::Random;
  unsigned residentBlocks = emulator::EmulatorOptions().residentBlocks;
};

/// One module and everything that it is run with.
struct Configuration {
  std::string name;
  /// The module that the interpreter evaluates.
  std::string module;
  /// What is compiled: the same scan, perhaps with several schedules; another
  /// one only to see that the comparison finds the difference. Each is compared
  /// with what the interpreter computed once.
  llvm::SmallVector<Tested, 1> tested;
  int64_t dim = 0;
  bool reverse = false;
  /// How many rounding errors one combine adds to a result, at most. Zero: the
  /// results have to be equal bit for bit.
  int64_t roundings = 0;
  std::vector<llvm::SmallVector<int64_t>> shapes;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
};

/// Reads the plan in `path`.
llvm::Expected<std::vector<Configuration>> readPlan(llvm::StringRef path);

} // namespace mlir::scan::matrix

#endif // SCAN_TEST_MATRIX_PLAN_H
