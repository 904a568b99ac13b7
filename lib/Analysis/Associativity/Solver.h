//===- Solver.h - An SMT solver as a process --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs z3 on a script, with limits of time and memory, and reads what it
// prints. Whatever goes wrong (there is no z3, it is killed, it prints
// something else) is an answer that is not known, with a reason.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SOLVER_H
#define SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SOLVER_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::scan::associativity {

struct SolverOptions {
  /// Path of z3; empty: `z3` in PATH, or beside the Python that is running,
  /// where the package z3-solver installs it.
  std::string path;
  /// No z3 is looked for, and every question is left without an answer.
  bool isNeverAsked = false;
};

enum class Answer { Unsatisfiable, Satisfiable, Unknown };

struct SolverResult {
  Answer answer = Answer::Unknown;
  /// Why it is unknown, and whether it took too long.
  std::string reason;
  bool isTimeout = false;
  /// Seconds of processor time that it took.
  double processorSeconds = 0;
  /// The values of the variables in the script's last line, as SMT-LIB writes
  /// them, if there are such values.
  std::vector<std::string> values;
};

class Solver {
public:
  explicit Solver(SolverOptions options);
  /// Why there is no solver; empty if there is one.
  StringRef getProblem() const { return problem; }
  /// Answers `script`, within `seconds` (more than 0) by the clock.
  SolverResult ask(StringRef script, double seconds);

private:
  SolverOptions options;
  std::string path, problem;
};

/// Splits the answer to `(get-value (x y ...))`, "((x 1) (y (- 2.0)))", into
/// the texts of the values. Fails if it is none.
FailureOr<std::vector<std::string>> splitValues(StringRef text);

} // namespace mlir::scan::associativity

#endif // SCAN_LIB_ANALYSIS_ASSOCIATIVITY_SOLVER_H
