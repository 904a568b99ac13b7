//===- OperatorTable.h - Operators on few states as tables ------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A combine region on at most 256 states (i8, several i1, integers of which an
// invariant leaves few) is evaluated on all pairs of them. What is then looked
// up in the table for all states is proved, whatever the region computes:
// loops, divisions and tables in bits, which solvers take long for.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_OPERATORTABLE_H
#define SCAN_LIB_PROVE_OPERATORTABLE_H

#include "Replay.h"
#include <array>
#include <optional>

namespace mlir::scan::prove {

/// The values that elements of a leaf take, both ends included: signed, but
/// for i1 0 and 1.
struct LeafRange {
  int64_t lower;
  int64_t upper;
};

/// All values of the leaves of `op`; nothing if one is of no integer type.
std::optional<SmallVector<LeafRange>> getFullRanges(AssociativeOp op);

class OperatorTable {
public:
  static constexpr unsigned kMaxStates = 256;

  /// Evaluates the combine region of `op` on all pairs of the states whose
  /// elements are within `ranges`, one per leaf. Fails, with the reason, if
  /// these are more than kMaxStates states, if values accumulate in another
  /// type than that of their leaf, if the interpreter cannot evaluate one of
  /// the pairs (a division by zero), or if one combines to no such state.
  static FailureOr<OperatorTable>
  create(AssociativeOp op, ArrayRef<LeafRange> ranges, std::string &reason);

  unsigned getNumStates() const { return numStates; }
  unsigned combine(unsigned a, unsigned b) const {
    return table[a * numStates + b];
  }

  /// Three states a, b, c with f(f(a, b), c) != f(a, f(b, c)); nothing if there
  /// are none. Values close to zero come first.
  std::optional<std::array<unsigned, 3>> findCounterexample() const;

  /// Two states a, b with f(a, b) != f(b, a); nothing if there are none.
  std::optional<std::array<unsigned, 2>> findNonCommuting() const;

  /// The state e with f(e, x) = x = f(x, e) for all x.
  std::optional<unsigned> findIdentity() const;

  /// Whether f(x, x) = x for all x.
  bool isIdempotent() const;

  /// The state of this number, as one state for `Replay`.
  LeafValues getState(unsigned number) const;

private:
  unsigned numStates = 0;
  /// f(a, b) at a * numStates + b.
  SmallVector<uint8_t, 0> table;
  /// All states, as an array per leaf.
  LeafValues states;
};

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_OPERATORTABLE_H
