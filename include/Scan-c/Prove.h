//===- Scan-c/Prove.h - Are combine regions associative? ----------*- C -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_C_PROVE_H
#define SCAN_C_PROVE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of an operator.
typedef int32_t MlirScanVerdict;

enum {
  /// It is associative, of numbers as the program has them.
  MlirScanVerdictProved = 0,
  /// It is associative where floating-point numbers are real ones.
  MlirScanVerdictProvedUpToRounding,
  /// It is not: there is a counterexample.
  MlirScanVerdictRefuted,
  /// Neither was found.
  MlirScanVerdictUnknown
};

/// What was found out about one scan. The strings live until the callback
/// returns.
typedef struct MlirScanProof {
  MlirScanVerdict verdict;
  /// Why it is unknown, and how many random triples agree; what a proof does
  /// not speak of; what was refuted if it is not associativity. May be empty.
  MlirStringRef reason;
  /// If refuted: states a, b, c as text (a number, a tuple of one part per
  /// leaf, nested lists for small tensors), f(f(a, b), c) and f(a, f(b, c)).
  /// Empty otherwise. Where what is assumed of leaves (`scan.assume`) does not
  /// hold of combined values, `c` and `right` are empty, and `left` is f(a, b).
  MlirStringRef a, b, c, left, right;
  /// The element types of the leaves: "f32", "complex<f32>, i32".
  MlirStringRef types;
} MlirScanProof;

typedef void (*MlirScanProofCallback)(const MlirScanProof *proof,
                                      void *userData);

/// What is asked. mlirScanProveOptionsGetDefault first, then whatever is to
/// differ. The strings belong to the caller.
typedef struct MlirScanProveOptions {
  /// Whether z3 is asked; otherwise only triples are evaluated.
  bool solver;
  /// The path of z3; empty looks for it.
  MlirStringRef z3;
  /// Seconds for each scan, at least 1.
  uint32_t timeout;
  /// Random and special triples that are evaluated where the solver does not
  /// decide.
  uint32_t randomTriples;
} MlirScanProveOptions;

/// z3 from the usual places, 5 seconds, 10,000 triples.
static inline MlirScanProveOptions mlirScanProveOptionsGetDefault(void) {
  MlirScanProveOptions options;
  options.solver = true;
  options.z3 = mlirStringRefCreate("", 0);
  options.timeout = 5;
  options.randomTriples = 10000;
  return options;
}

/// Asks of each scan.associative of `module`, in order, whether its combine
/// region is associative, and calls `callback` with what was found. The module
/// is left as it is, and a refuted operator is no failure. `options` may be
/// null: all defaults. Fails, with an error, for a module that is not valid.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirScanModuleProve(MlirModule module, const MlirScanProveOptions *options,
                    MlirScanProofCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // SCAN_C_PROVE_H
