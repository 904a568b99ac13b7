//===- ProveAssociativity.cpp - --scan-prove-associativity ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/MatchCounts.h"
#include "Prover.h"
#include "Scan/Prove/Passes.h"
#include "Triples.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANPROVEASSOCIATIVITY
#include "Scan/Prove/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::prove;

static std::string describeExclusions(const Proof &proof) {
  if (proof.exclusions.empty())
    return "";
  return "; this does not speak of " + llvm::join(proof.exclusions, ", ");
}

/// Both results, as an error or a warning.
static void reportCounterexample(AssociativeOp op, const Proof &proof,
                                 InFlightDiagnostic diagnostic) {
  const Counterexample &example = *proof.counterexample;
  auto print = [&](const LeafValues &state) { return printState(op, state); };
  diagnostic << "the combine region is not associative: with a = "
             << print(example.a) << ", b = " << print(example.b)
             << ", c = " << print(example.c)
             << ": (a∘b)∘c = " << print(example.left)
             << " but a∘(b∘c) = " << print(example.right);
  if (proof.isProvedWithoutNaN)
    diagnostic.attachNote()
        << "it is associative where no element is NaN; if none is, say so with "
           "an invariant of the leaves";
  diagnostic.attachNote()
      << "results of a scan with such an operator depend on how it is "
         "scheduled; for the left fold write 'order = sequential'";
}

static void reportViolation(AssociativeOp op, const Proof &proof,
                            InFlightDiagnostic diagnostic) {
  const Counterexample &example = *proof.violation;
  diagnostic << "what is assumed of the leaves does not hold of combined "
                "values: with a = "
             << printState(op, example.a)
             << ", b = " << printState(op, example.b)
             << ": a∘b = " << printState(op, example.left);
}

/// One word per verdict, for the attribute.
static StringRef getVerdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Proved:
    return "proved";
  case Verdict::ProvedUpToRounding:
    return "proved_up_to_rounding";
  case Verdict::Refuted:
    return "refuted";
  case Verdict::Unknown:
    return "unknown";
  }
  llvm_unreachable("all verdicts are covered");
}

static void reportProperties(AssociativeOp op, const Properties &properties) {
  InFlightDiagnostic remark = emitRemark(op.getLoc(), "the combine region is ");
  auto say = [&](std::optional<bool> value, StringRef what) {
    if (!value)
      remark << "perhaps " << what;
    else
      remark << (*value ? "" : "not ") << what;
  };
  say(properties.isCommutative, "commutative");
  remark << ", ";
  say(properties.isIdempotent, "idempotent");
  if (!properties.identity.empty()) {
    remark << "; its identity is ";
    llvm::interleaveComma(properties.identity, remark);
  } else {
    remark << "; no identity was found";
  }
  if (properties.isInitIdentity)
    remark << "; the init is " << (*properties.isInitIdentity ? "" : "not ")
           << "an identity";
  if (properties.keepsNaN)
    remark << (*properties.keepsNaN
                   ? "; NaN is passed on, in each leaf"
                   : "; NaN is dropped, or passed on to other leaves");
}

namespace {
struct ProveAssociativity
    : scan::impl::ScanProveAssociativityBase<ProveAssociativity> {
  using ScanProveAssociativityBase::ScanProveAssociativityBase;

  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  void emitScript(AssociativeOp op, unsigned number, StringRef name,
                  StringRef script);
  TripleOptions getTripleOptions();
  void checkTriples(AssociativeOp op);
  void proveOne(AssociativeOp op, unsigned number,
                associativity::Solver &solver);
  void reportRefuted(AssociativeOp op, const Proof &proof);
  bool hasFailed = false, saidProblem = false;
  /// Operators of each verdict.
  std::array<uint64_t, 4> counts = {};
};
} // namespace

LogicalResult ProveAssociativity::checkOptions() {
  if (refuted != "error" && refuted != "warning")
    return getOperation().emitError(
               "scan-prove-associativity: expected refuted=error or "
               "refuted=warning, found '")
           << refuted << "'";
  if (emitSMT.empty()) {
    // (Nothing is asked of a module without scans.)
    WalkResult found = getOperation().walk(
        [](AssociativeOp) { return WalkResult::interrupt(); });
    if (writeOnly && found.wasInterrupted())
      return getOperation().emitError(
          "scan-prove-associativity: expected the folder to write scripts "
          "into, found none: --scan-emit-smt=DIR, or emit-smt=DIR beside "
          "write-only");
    return success();
  }
  if (std::error_code error = llvm::sys::fs::create_directories(emitSMT))
    return getOperation().emitError("scan-prove-associativity: the folder '")
           << emitSMT << "' cannot be made: " << error.message();
  return success();
}

void ProveAssociativity::emitScript(AssociativeOp op, unsigned number,
                                    StringRef name, StringRef script) {
  if (emitSMT.empty())
    return;
  llvm::SmallString<256> path(emitSMT);
  llvm::sys::path::append(path, "scan-" + Twine(number) + "-" + name + ".smt2");
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  os << script;
  os.close();
  if (!error)
    error = os.error();
  os.clear_error();
  if (error) {
    op.emitError("the file '")
        << path << "' cannot be written: " << error.message();
    hasFailed = true;
  }
}

void ProveAssociativity::reportRefuted(AssociativeOp op, const Proof &proof) {
  bool isError = refuted == "error";
  hasFailed |= isError;
  auto report = proof.violation ? reportViolation : reportCounterexample;
  report(op, proof,
         isError ? emitError(op.getLoc()) : emitWarning(op.getLoc()));
}

TripleOptions ProveAssociativity::getTripleOptions() {
  TripleOptions options;
  options.count = randomTriples;
  options.seed = seed;
  options.exact = exact;
  return options;
}

/// Without the solver. That triples agree is no news, and leaves nothing known.
void ProveAssociativity::checkTriples(AssociativeOp op) {
  Proof proof;
  tryRandomTriples(op, getTripleOptions(), proof);
  ++counts[static_cast<unsigned>(proof.verdict)];
  if (proof.verdict != Verdict::Refuted)
    return;
  op->setAttr(kAssociativityAttrName,
              StringAttr::get(&getContext(), getVerdictName(proof.verdict)));
  reportRefuted(op, proof);
}

void ProveAssociativity::proveOne(AssociativeOp op, unsigned number,
                                  associativity::Solver &solver) {
  auto emit = [&](StringRef name, StringRef script) {
    emitScript(op, number, name, script);
  };
  Prover prover(op, solver, std::max(1u, unsigned(timeout)), emit);
  Proof proof = prover.prove();
  if (writeOnly) {
    prover.findProperties();
    return;
  }
  tryRandomTriples(op, getTripleOptions(), proof);
  op->setAttr(kAssociativityAttrName,
              StringAttr::get(&getContext(), getVerdictName(proof.verdict)));
  ++counts[static_cast<unsigned>(proof.verdict)];
  switch (proof.verdict) {
  case Verdict::Proved:
  case Verdict::ProvedUpToRounding:
    emitRemark(op.getLoc(), "proved associative, ")
        << (proof.verdict == Verdict::Proved ? "exactly" : "up to rounding")
        << describeExclusions(proof);
    break;
  case Verdict::Refuted:
    reportRefuted(op, proof);
    break;
  case Verdict::Unknown: {
    // That there is no solver is said once.
    StringRef problem = solver.getProblem();
    bool isProblem =
        !problem.empty() && StringRef(proof.reason).starts_with(problem);
    if (!isProblem || !saidProblem)
      emitRemark(op.getLoc(),
                 "it is not known whether the combine region is associative: ")
          << proof.reason;
    saidProblem |= isProblem;
    break;
  }
  }
  if (!properties || proof.verdict == Verdict::Refuted)
    return;
  Properties known = prover.findProperties();
  reportProperties(op, known);
  // Of an operator that is perhaps not associative nothing is used.
  if (proof.verdict != Verdict::Unknown)
    setOperatorFacts(op, known.facts);
}

void ProveAssociativity::runOnOperation() {
  if (mode == ProveMode::Off)
    return;
  hasFailed = saidProblem = false;
  counts = {};
  if (failed(checkOptions()))
    return signalPassFailure();
  associativity::SolverOptions options;
  options.path = z3;
  options.isNeverAsked = writeOnly;
  associativity::Solver solver(options);
  unsigned number = 0;
  getOperation().walk([&](AssociativeOp op) {
    if ((writeOnly || !op->hasAttr(kAssociativityAttrName)) &&
        op.getOrder() != Order::Sequential) {
      if (mode == ProveMode::SMT)
        proveOne(op, number, solver);
      else
        checkTriples(op);
    }
    ++number;
  });
  numProved += counts[0] + counts[1];
  numRefuted += counts[2];
  numUnknown += counts[3];
  addMatchCounts(getOperation(), getArgument(),
                 {{"operators-proved", counts[0] + counts[1]},
                  {"operators-refuted", counts[2]},
                  {"operators-unknown", counts[3]}});
  if (hasFailed)
    signalPassFailure();
}

void mlir::scan::addProofs(OpPassManager &manager, ProveMode mode,
                           StringRef emitSMT) {
  ScanProveAssociativityOptions options;
  options.emitSMT = emitSMT.str();
  if (mode != ProveMode::SMT && !emitSMT.empty()) {
    options.writeOnly = true;
    manager.addPass(createScanProveAssociativity(options));
    options.writeOnly = false;
    options.emitSMT.clear();
  }
  if (mode == ProveMode::Off)
    return;
  options.mode = mode;
  options.properties = mode == ProveMode::SMT;
  manager.addPass(createScanProveAssociativity(options));
}

LogicalResult mlir::scan::proveAssociativity(ModuleOp module, ProveMode mode,
                                             StringRef emitSMT) {
  PassManager manager(module.getContext());
  addProofs(manager, mode, emitSMT);
  return manager.run(module);
}

void mlir::scan::registerEmitSMTPipeline() {
  // A folder stands where pipelines have their options.
  registerPassPipeline(
      "scan-emit-smt",
      "--scan-emit-smt=DIR writes what z3 is asked about combine regions into "
      "the folder DIR, one script per question; z3 is not asked",
      [](OpPassManager &manager, StringRef folder,
         llvm::function_ref<LogicalResult(const Twine &)>) {
        ScanProveAssociativityOptions options;
        options.emitSMT = folder.trim().str();
        options.writeOnly = true;
        manager.addPass(createScanProveAssociativity(options));
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}
