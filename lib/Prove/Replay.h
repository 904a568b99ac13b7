//===- Replay.h - Combining given states by the interpreter -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the combine region of a scan.associative on given states, many at a
// time, by the reference interpreter. What is said to be a counterexample has
// been evaluated here.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_PROVE_REPLAY_H
#define SCAN_LIB_PROVE_REPLAY_H

#include "Scan/IR/ScanDialect.h"
#include "Scan/Reference/HostArray.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <utility>

namespace mlir::scan::prove {

/// N states of a scan, one array per leaf: of the leaf's element type and of
/// the shape [N, trailing dimensions of the leaf].
using LeafValues = SmallVector<HostArray>;

/// The combine region f of one scan, ready to be evaluated. Evaluation rounds
/// as `interpret` does: within one application of f values are held in the
/// accumulator types, and what f returns is rounded to the leaves' types.
class Replay {
public:
  explicit Replay(AssociativeOp op);

  /// f(a[i], b[i]) for each i. Fails where the interpreter does for one of
  /// them, or for arrays that do not fit: `reason` receives its message. No
  /// diagnostic is emitted.
  FailureOr<LeafValues> combine(const LeafValues &a, const LeafValues &b,
                                std::string &reason);

  /// f(f(a[i], b[i]), c[i]) and f(a[i], f(b[i], c[i])), likewise.
  FailureOr<std::pair<LeafValues, LeafValues>>
  evaluateTriples(const LeafValues &a, const LeafValues &b, const LeafValues &c,
                  std::string &reason);

private:
  AssociativeOp op;
  OwningOpRef<ModuleOp> module;
};

/// Both ways to combine three states (N = 1), or N times three: f(f(a, b), c)
/// and f(a, f(b, c)). Fails without a diagnostic where the interpreter does.
FailureOr<std::pair<LeafValues, LeafValues>>
evaluateTriple(AssociativeOp op, const LeafValues &a, const LeafValues &b,
               const LeafValues &c);

} // namespace mlir::scan::prove

#endif // SCAN_LIB_PROVE_REPLAY_H
