//===- ProveMode.h - How much is asked of operators -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The option --prove of tools and pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PROVE_PROVEMODE_H
#define SCAN_PROVE_PROVEMODE_H

#include "mlir/Pass/PassOptions.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace mlir::scan {

/// What is done about combine regions that may not be associative.
enum class ProveMode {
  /// Nothing: they are taken to be.
  Off,
  /// They are evaluated on random triples; one that differs is an error.
  Random,
  /// They are proved or refuted by an SMT solver, and those that it does not
  /// decide are evaluated on random triples.
  SMT
};

/// The values of options, by name.
inline llvm::cl::ValuesClass getProveModeValues() {
  return llvm::cl::values(
      clEnumValN(ProveMode::Off, "off", "take them to be associative"),
      clEnumValN(ProveMode::Random, "random",
                 "evaluate them on random triples; one that differs is an "
                 "error"),
      clEnumValN(ProveMode::SMT, "smt",
                 "prove them by z3, as --scan-prove-associativity does, and "
                 "evaluate what it does not decide on random triples"));
}

/// What the option is about, for --help.
constexpr llvm::StringLiteral kProveModeDescription =
    "Whether to look for counterexamples to the associativity of combine "
    "regions (default: off)";

/// The option --scan-emit-smt=DIR of tools.
constexpr llvm::StringLiteral kEmitSMTDescription =
    "Write what z3 is asked about combine regions into this folder, one script "
    "per question, whether z3 is asked (--prove=smt) or not";

/// The option of pipelines.
struct ProveModeOption : mlir::detail::PassOptions::Option<ProveMode> {
  explicit ProveModeOption(mlir::detail::PassOptions &parent)
      : Option(parent, "prove",
               llvm::cl::desc("Whether to look for counterexamples to the "
                              "associativity of combine regions: off, random "
                              "(triples) or smt (z3)"),
               llvm::cl::init(ProveMode::Off), getProveModeValues()) {}
  using Option::operator=;
};

/// Adds `--scan-prove-associativity` in this mode, unless it is off, to a
/// pipeline on modules. What z3 is asked is written into the folder `emitSMT`,
/// unless that is empty, in all modes. In the mode SMT it also asks for
/// identities and so on, which later passes use.
void addProofs(OpPassManager &manager, ProveMode mode,
               llvm::StringRef emitSMT = "");

/// Runs it on `module`. Fails, with an error at the operation, if an operator
/// is refuted.
LogicalResult proveAssociativity(ModuleOp module, ProveMode mode,
                                 llvm::StringRef emitSMT = "");

/// Registers `--scan-emit-smt=DIR` among the passes of a tool.
void registerEmitSMTPipeline();

} // namespace mlir::scan

#endif // SCAN_PROVE_PROVEMODE_H
