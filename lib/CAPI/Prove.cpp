//===- Prove.cpp - Are combine regions associative? -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan-c/Prove.h"
#include "Prove/Prover.h"
#include "Prove/Triples.h"
#include "Support.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::capi;
using namespace mlir::scan::prove;

static MlirScanVerdict toC(Verdict verdict) {
  switch (verdict) {
  case Verdict::Proved:
    return MlirScanVerdictProved;
  case Verdict::ProvedUpToRounding:
    return MlirScanVerdictProvedUpToRounding;
  case Verdict::Refuted:
    return MlirScanVerdictRefuted;
  case Verdict::Unknown:
    return MlirScanVerdictUnknown;
  }
  llvm_unreachable("all verdicts are covered");
}

static void report(AssociativeOp op, const Proof &proof,
                   MlirScanProofCallback callback, void *userData) {
  std::string reason = proof.reason;
  if (!proof.exclusions.empty())
    reason = "does not speak of " + llvm::join(proof.exclusions, ", ");
  if (proof.violation)
    reason = "what is assumed of the leaves does not hold of combined values";
  else if (proof.isProvedWithoutNaN)
    reason = "associative where no element is NaN";
  std::array<std::string, 5> texts;
  if (const auto &example =
          proof.violation ? proof.violation : proof.counterexample)
    for (auto [text, state] : llvm::zip_equal(
             texts, std::array{&example->a, &example->b, &example->c,
                               &example->left, &example->right}))
      if (!state->empty())
        text = printState(op, *state);
  MlirScanProof result;
  result.verdict = toC(proof.verdict);
  result.reason = wrap(StringRef(reason));
  result.a = wrap(StringRef(texts[0]));
  result.b = wrap(StringRef(texts[1]));
  result.c = wrap(StringRef(texts[2]));
  result.left = wrap(StringRef(texts[3]));
  result.right = wrap(StringRef(texts[4]));
  std::string types;
  llvm::raw_string_ostream os(types);
  llvm::interleaveComma(op.getLeafTypes(), os,
                        [&](Type leaf) { os << getElementTypeOrSelf(leaf); });
  result.types = wrap(StringRef(types));
  callback(&result, userData);
}

MlirLogicalResult mlirScanModuleProve(MlirModule module,
                                      const MlirScanProveOptions *options,
                                      MlirScanProofCallback callback,
                                      void *userData) {
  StringRef function = "mlirScanModuleProve";
  MlirScanProveOptions asked =
      options ? *options : mlirScanProveOptionsGetDefault();
  if (failed(checkHandle(module, function, "module")))
    return mlirLogicalResultFailure();
  MLIRContext *context = unwrap(module).getContext();
  if (!callback) {
    (void)reportNull(function, "callback");
    return mlirLogicalResultFailure();
  }
  if (failed(checkString(context, asked.z3, function, "options.z3")) ||
      failed(verify(unwrap(module))))
    return mlirLogicalResultFailure();
  provideDialects(context);
  associativity::SolverOptions solverOptions;
  solverOptions.path = unwrap(asked.z3).str();
  associativity::Solver solver(solverOptions);
  TripleOptions triples;
  triples.count = asked.randomTriples;
  unwrap(module).walk([&](AssociativeOp op) {
    Proof proof;
    if (asked.solver)
      proof = Prover(op, solver, std::max(1u, asked.timeout),
                     [](StringRef, StringRef) {})
                  .prove();
    tryRandomTriples(op, triples, proof);
    report(op, proof, callback, userData);
  });
  return mlirLogicalResultSuccess();
}
