//===- BoundedExponentials.h - Exponentials of small numbers ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes share the states of a scan (KernelKind::SplitStates), a
// coefficient is often exp(delta * a): all parts share `delta`, that of a step,
// and no step changes `a`, that of a part. The largest magnitudes of both bound
// the operands at all steps of a chunk. Where they are so small that no result
// overflows or is below 2^-126, the exponential takes half of the instructions:
//
//   t = x * log2(e)       p = 2^t, an instruction       p + p * (x - t * ln(2))
//
// The last term, by fused multiply-adds, makes up for what t was rounded by. As
// ln(2) is rounded, too, the error grows with |x|: over all f32 up to
// kMostBounded it was 3.4 units in the last place at most on an H100.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_BOUNDEDEXPONENTIALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_BOUNDEDEXPONENTIALS_H

#include "SharedValues.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::scan {

class BoundedExponentials {
public:
  /// Those that part 0 needs for `roots` of the load region; `shared` is what
  /// all parts need for these.
  BoundedExponentials(KernelOp kernel, const SharedValues &shared,
                      ValueRange roots);

  bool empty() const { return exponentials.empty(); }

  /// Before the steps: finds the largest factor of the parts of each scan.
  void start(ImplicitLocOpBuilder &b, const SplitStatesIO &io);
  /// i1, the same in all lanes of a warp: whether the operands at all steps of
  /// a chunk are in bounds, of which the lanes have `computed` what they share.
  Value createAreInBounds(ImplicitLocOpBuilder &b, const SplitStatesIO &io,
                          ValueRange computed) const;
  /// Computes those of a part at such a step, which `mapping` gets; it has what
  /// they are computed of.
  void compute(ImplicitLocOpBuilder &b, IRMapping &mapping) const;

private:
  struct Exponential {
    math::ExpOp op;
    /// The factors of its operand, and the largest magnitude of the second one
    /// among the parts of this lane's scan.
    Value ofStep, ofPart, largestOfParts;
  };
  KernelOp kernel;
  const SharedValues &shared;
  SmallVector<Exponential> exponentials;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_BOUNDEDEXPONENTIALS_H
