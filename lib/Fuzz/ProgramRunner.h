//===- ProgramRunner.h - One program on all targets -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_PROGRAMRUNNER_H
#define SCAN_LIB_FUZZ_PROGRAMRUNNER_H

#include "Compare.h"
#include "Execution/Targets.h"
#include "ProgramGenerator.h"
#include <functional>
#include <map>

namespace mlir::scan::fuzz {

/// A fault to inject, to see that it is found.
enum class Fault {
  None,
  Swap,    ///< targets get the first factor with exchanged operands
  Flip,    ///< one bit of element 37 of the first result
  Crash,   ///< the process dies where a scan is reversed
  Hang,    ///< it does not come to an end there
  CleanUp, ///< it dies there when it destroys its context
  Cast,    ///< targets refuse casts of tensors that add static extents
};

/// Fault::Flip in a result that has as many elements.
void flipBit(HostArray &result);

/// What became of a case.
struct Outcome {
  enum Kind { Pass, Mismatch, Error, Crash, Timeout };
  Kind kind = Pass;
  /// Where it happened: the name of a target.
  std::string target;
  std::string message;
  /// It was the program with dynamic arguments.
  bool hasDynamicArguments = false;
  /// Of the first result that does not match: the largest error and the
  /// largest bound, as parts of the largest expected magnitude.
  double relativeError = 0, relativeBound = 0;
};

StringRef stringifyOutcome(Outcome::Kind kind);

/// The error of a target that refuses casts of tensors which add static
/// extents, if `module` has one.
std::optional<Outcome> refuseCasts(ModuleOp module, StringRef target);

/// Runs one program by the interpreter and compiled for targets, compares.
/// Errors do not reach the context's diagnostic handlers.
class ProgramRunner {
public:
  using Enter = std::function<void(StringRef stage, bool hasDynamicArguments)>;

  /// `enter` is told what is about to happen, so that it is known where the
  /// process died. With `alsoDynamic` the targets run the program with dynamic
  /// arguments, too.
  ProgramRunner(MLIRContext &context, const Program &program, Fault fault,
                uint64_t emulatorSeed, bool alsoDynamic, Enter enter);

  /// Parses the program and compiles it for one more target.
  Outcome compile(StringRef target);

  /// Runs one case on the targets that it was compiled for; those whose name is
  /// not in `targets` are left out.
  Outcome run(const Case &call, ArrayRef<std::string> targets);

  /// Runs the interpreter alone.
  Outcome evaluate(ArrayRef<HostArray> arguments);
  /// Compares results of the case with what the interpreter found last; they
  /// are named after the target.
  Outcome compareResults(const Case &call, StringRef target,
                         MutableArrayRef<HostArray> found);

  /// How many cases have run on each target.
  const std::map<std::string, uint64_t> &getRuns() const { return runs; }
  /// The largest error of all cases in units of its bound.
  double getMaxRatio() const { return maxRatio; }

private:
  /// The program as the targets get it.
  struct Tested {
    OwningOpRef<ModuleOp> module;
    bool hasDynamicArguments;
  };
  struct Compiled {
    std::string target;
    bool hasDynamicArguments;
    std::unique_ptr<Executable> executable;
  };

  Outcome parse();
  Outcome compile(const Tested &variant, StringRef target);
  Outcome run(const Case &call, const Compiled &compiled,
              ArrayRef<HostArray> arguments);

  MLIRContext &context;
  Program program;
  SmallVector<Result> results;
  Fault fault;
  uint64_t emulatorSeed;
  bool alsoDynamic;
  Enter enter;
  OwningOpRef<ModuleOp> module, moduli, growth;
  std::vector<Tested> tested;
  std::vector<Compiled> executables;
  SmallVector<HostArray> expected, bounds, growths;
  std::map<std::string, uint64_t> runs;
  double maxRatio = 0;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_PROGRAMRUNNER_H
