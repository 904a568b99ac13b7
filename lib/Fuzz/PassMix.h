//===- PassMix.h - Programs through random lists of passes ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mix is a program, control flow and calls that are put around parts of it,
// and a list of passes of this project and of MLIR, in an order drawn at random
// from those that make sense. The interpreter runs the program as it was
// generated; what the passes leave is interpreted, or finished by the pipeline
// of a target and run there.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_PASSMIX_H
#define SCAN_LIB_FUZZ_PASSMIX_H

#include "FuzzOptions.h"
#include "Graph.h"
#include "GraphRun.h"
#include "Isolation.h"
#include "ProgramGenerator.h"
#include <map>

namespace mlir::scan::fuzz {

/// A run of operations that is moved into a region or function of its own.
/// Which ones follows from the number.
struct MixWrap {
  enum Kind {
    Call,   ///< a private function, called
    Branch, ///< a side of an `scf.if` on an argument
    Loop,   ///< an `scf.for` of one or two equal steps
  };
  Kind kind = Call;
  uint64_t seed = 0;
};

/// Where what the passes leave is run.
enum class MixTarget { Reference, CPU, Emulator };
StringRef stringifyMixTarget(MixTarget target);

struct Mix {
  /// A graph, or a program with rounding, segments, shifts and options.
  bool isGraph = true;
  Graph graph;
  SmallVector<GraphCase> graphCases;
  Program program;
  SmallVector<Case> cases;

  std::vector<MixWrap> wraps;
  /// Each a pipeline on modules.
  std::vector<std::string> passes;
  MixTarget target = MixTarget::Reference;
  uint64_t emulatorSeed = 0;
};

/// How many mixes have the same program.
constexpr uint64_t kMixesPerProgram = 4;

/// Mix number `index` of a seed.
Mix makeMix(const FuzzOptions &options, uint64_t index);

/// Draws the passes for what is run on `target`.
std::vector<std::string> drawPasses(Random &random, MixTarget target,
                                    bool hasCalls);

/// Why a pass may refuse a valid program with this message, or leave one of
/// which the verifier says so; empty: it may not.
StringRef getRefusalReason(StringRef pass, StringRef message);

/// The name of a pass, without options and nesting.
StringRef getPassName(StringRef pass);

/// Puts the wraps into the function @f, which gets two more parameters if one
/// of them is a branch: true and false. A wrap that fits nowhere is left out.
void applyWraps(ModuleOp module, ArrayRef<MixWrap> wraps);
bool needsConditions(ArrayRef<MixWrap> wraps);

/// How often a pass was run, and how often it refused the program.
struct PassCounts {
  uint64_t runs = 0, refusals = 0;
};

/// Runs mixes, and keeps what the interpreter found for the program of the last
/// one.
class MixRunner {
public:
  MixRunner(MLIRContext &context, ChildStatus &status, Fault fault);
  ~MixRunner();

  /// The target of the outcome is the pass or the target that failed.
  Outcome run(const Mix &mix);

  std::map<std::string, PassCounts> takeCounts() {
    return std::exchange(counts, {});
  }

private:
  class Expected;
  bool isLeftOut(ModuleOp module);
  Outcome runPass(OwningOpRef<ModuleOp> &module, StringRef pass);
  Outcome runTarget(const Mix &mix, ModuleOp module);

  MLIRContext &context;
  ChildStatus &status;
  Fault fault;
  std::unique_ptr<Expected> expected;
  std::map<std::string, PassCounts> counts;
};

/// The program with its wraps.
OwningOpRef<ModuleOp> makeMixModule(const Mix &mix, MLIRContext &context);
/// The arguments of each call.
std::vector<SmallVector<HostArray>> makeMixArguments(const Mix &mix,
                                                     MLIRContext &context);

/// Applies simplification number `step` to the program and its only call.
StepResult simplifyMix(Mix &mix, size_t step);

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_PASSMIX_H
