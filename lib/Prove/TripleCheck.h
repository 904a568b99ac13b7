//===- TripleCheck.h - Which triples refute an operator ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_TRIPLECHECK_H
#define SCAN_LIB_PROVE_TRIPLECHECK_H

#include "Numbers.h"
#include "RegionArithmetic.h"
#include <optional>
#include <random>

namespace mlir::scan::prove {

/// What one triple says of an operator.
enum class Outcome {
  /// Nothing: some operation is not defined on it, or a result not finite.
  None,
  Agrees,
  Refutes
};

/// Evaluates triples of one scan and compares their results; the rules are in
/// Triples.h.
class TripleCheck {
public:
  TripleCheck(AssociativeOp op, const RegionArithmetic &arithmetic, bool exact);

  SmallVector<Outcome> check(const Triples &triples);
  /// Both results in the program's own types, of one triple.
  FailureOr<std::pair<LeafValues, LeafValues>> replay(const Triples &triple);
  /// Why the interpreter could not evaluate the first triple for which it could
  /// not; empty if it could each.
  const std::string &getReason() const { return reason; }

private:
  /// The region in one precision.
  struct Evaluator {
    OwningOpRef<ModuleOp> module;
    SmallVector<Type> elementTypes;
    std::optional<Replay> replay;
  };
  /// Both results of each triple on which all operations are defined.
  struct Results {
    LeafValues left, right;
    SmallVector<bool> isDefined;
  };

  Evaluator createEvaluator(FloatType precision);
  Results evaluate(Evaluator &evaluator, const Triples &triples);
  void evaluateRange(Evaluator &evaluator, const Triples &triples,
                     int64_t first, int64_t count, Results &results);
  SmallVector<Outcome> compareExactly(const Triples &triples);
  SmallVector<Outcome> compareRounded(const Triples &triples);
  SmallVector<Outcome> compareRoundedOnce(const Triples &triples);
  Triples perturb(const Triples &triples, ArrayRef<int64_t> indices);
  bool differsNatively(const Results &results, int64_t state);

  AssociativeOp op;
  RegionArithmetic arithmetic;
  SmallVector<LeafInvariant> invariants;
  bool exact;
  Evaluator native, wide, narrow;
  std::string reason;
  /// How often the interpreter may still be called for triples some of which it
  /// fails on.
  int64_t failuresLeft = 2000;
  std::mt19937_64 generator;
};

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_TRIPLECHECK_H
