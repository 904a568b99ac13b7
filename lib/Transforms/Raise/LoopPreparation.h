//===- LoopPreparation.h - Loops in one form --------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Front ends write loops in many ways. These functions bring a copy of a nest
// of loops into the one that is matched: scf.for over index, on tensors, with
// nothing carried but states and what is written.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMS_RAISE_LOOPPREPARATION_H
#define SCAN_LIB_TRANSFORMS_RAISE_LOOPPREPARATION_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {

/// What keeps a nest of loops from being raised: the first that was found.
struct Obstacle {
  Operation *op = nullptr;
  /// Of the operation; for when it is gone.
  std::optional<Location> place;
  std::string reason;

  /// Remembers the first; fails.
  LogicalResult set(Operation *where, const Twine &why) {
    if (reason.empty()) {
      op = where;
      reason = why.str();
    }
    return failure();
  }
};

/// In `scope`, an operation with one region: affine loops, scf.forall,
/// scf.parallel and scf.while that counts become scf.for; counters and values
/// that are carried unchanged are carried no more; tensors of one element and
/// no dimension become scalars; functions of one block in
/// `root` are inlined: others may be changed by another thread.
LogicalResult prepareLoops(RewriterBase &rewriter, Operation *scope,
                           Operation *root, Obstacle &obstacle);

/// The part of it that loops on tensors need which memory was promoted to.
void simplifyLoops(Operation *scope);

/// Adds patterns for scalars where tensors without dimensions are carried and
/// computed with (ScalarTensors.cpp).
void populateScalarTensorPatterns(RewritePatternSet &patterns);
/// Adds patterns for loops that count by themselves (LoopCounters.cpp).
void populateLoopCounterPatterns(RewritePatternSet &patterns);

/// In `scope`, loads and stores of memrefs from outside of it become reads and
/// updates of tensors, which loops carry. Distinct memrefs are taken not to
/// overlap.
LogicalResult promoteMemory(RewriterBase &rewriter, Operation *scope,
                            Obstacle &obstacle);

/// On reads and writes of tensors that a branch made sure to be in bounds: they
/// may be out of bounds where nobody needs them.
constexpr StringLiteral kGuardedAttrName = "scan.guarded";

/// In `scope`, scf.if of which both sides can be computed become selections.
LogicalResult selectBranches(RewriterBase &rewriter, Operation *scope,
                             Obstacle &obstacle);

/// Fails if in `scope` an operation is left that was guarded by a branch, and
/// might be out of bounds.
LogicalResult checkGuarded(Operation *scope, Obstacle &obstacle);

/// A loop whose iterations are independent, over operations on tensors and
/// scalars without loops in them, becomes operations on tensors with one
/// dimension more.
LogicalResult batchLoop(RewriterBase &rewriter, scf::ForOp loop,
                        Obstacle &obstacle);

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMS_RAISE_LOOPPREPARATION_H
