//===- Triples.h - Random counterexamples to associativity ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for states a, b, c with f(f(a, b), c) != f(a, f(b, c)), among random
// and special ones within the invariants of the scan, by the reference
// interpreter. That there is none among them proves nothing; one that is found
// is a fact.
//
// How two results are compared. Integers, and floating-point numbers that are
// only compared, chosen, negated or converted exactly, have to be equal (zeros
// of either sign are, and so are two NaN). Results of floating-point arithmetic
// are equal up to rounding, and that has to be told from an operator that is
// wrong:
//
//   * Everything is evaluated in f64, whatever the leaves' types are, with
//     results L and R. Only where they differ by more than 2^-12 of the larger
//     one it is evaluated once more in f32, with l and r.
//   * To first order the error of an evaluation is the unit roundoff times
//     a number K that depends on the operands alone (Higham, Accuracy and
//     Stability of Numerical Algorithms, 1.6 and 3): about 2^-24 K in f32 and
//     2^-53 K in f64. So |L - l| + |R - r| is about 2^29 times the rounding
//     error of L - R, also where terms cancel. A difference counts only if
//     |L - R| > 16 (|L - l| + |R - r|), and if it is more than 2^-36 of the
//     largest operand: a sum that has lost a small term has lost it in either
//     precision, which |L - l| does not show.
//   * A choice that depends on rounded numbers may go the other way by rounding
//     alone. If the region may have one (RegionArithmetic::choosesByRounded),
//     seven of eight triples that are at most 2^-6 beside the one in question
//     must differ, too.
//   * Where a result is infinite or NaN the triple says nothing, unless
//     `TripleOptions::exact` asks: sums and products overflow in one order and
//     not in the other, which is part of what "up to rounding and overflow"
//     allows.
//   * What is reported has been evaluated in the program's own types, too,
//   where
//     it differs by more than eight units in the last place.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_TRIPLES_H
#define SCAN_LIB_PROVE_TRIPLES_H

#include "Prover.h"

namespace mlir::scan::prove {

struct TripleOptions {
  /// How many triples to draw.
  int64_t count = 10000;
  uint64_t seed = 0;
  /// Draw NaN, and where the region rounds infinities and extreme numbers, too;
  /// demand that results are the same number.
  bool exact = false;
};

struct TripleReport {
  enum Verdict {
    /// No triple that could be evaluated differs.
    Agreed,
    /// The first one that does, made as simple as could be, is below.
    Refuted,
    /// No triple could be evaluated: `reason` says why.
    NotEvaluated
  };
  Verdict verdict = NotEvaluated;
  /// Triples drawn, and those among them that say something: all operations are
  /// defined on them, and results are finite where they have to be.
  int64_t drawn = 0, evaluated = 0;
  /// If refuted, one state each.
  Counterexample counterexample;
  std::string reason;
};

/// Looks for a counterexample. Emits no diagnostic, and does not change `op`.
TripleReport checkRandomTriples(AssociativeOp op,
                                const TripleOptions &options = {});

/// If `proof` says that `op` is unknown: refuted, where a triple says so, or
/// else the number of triples that agree behind its reason.
void tryRandomTriples(AssociativeOp op, const TripleOptions &options,
                      Proof &proof);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_TRIPLES_H
