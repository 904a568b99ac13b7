//===- BoundedExponentials.h - Exponentials of small numbers ----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes share the states of a scan (KernelKind::SplitStates), a
// coefficient is often exp(delta * a): `delta` is that of a step, which all
// parts share, and `a` that of a part, which no step changes. That there is
// neither overflow nor a result below 2^-126 is seen from the largest of each,
// one comparison for all parts and steps of a chunk. Without either, half of
// the instructions do:
//
//   t = x * log2(e)        2^t (instruction)        2^t + 2^t * (x - t ln(2))
//
// the last two factors by a fused multiply-add each: what t is rounded by is
// made up for. ln(2), too, is rounded, so that the result is wrong by
// 2^-28.9 of |t|: within 4 units in the last place for |x| up to kMostBounded.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_BOUNDEDEXPONENTIALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_BOUNDEDEXPONENTIALS_H

#include "SharedValues.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::scan {

class BoundedExponentials {
public:
  /// Those that part 0 needs in the load region for its leaves, `roots`.
  BoundedExponentials(KernelOp kernel, const SharedValues &shared,
                      ValueRange roots);

  /// Computes them for steps of a chunk: each has mappings of its parts, in
  /// which is what the parts share and what no step changes, and which get the
  /// results.
  void compute(ImplicitLocOpBuilder &b,
               ArrayRef<MutableArrayRef<IRMapping>> steps) const;

private:
  struct Exponential {
    math::ExpOp op;
    /// The factors of its operand.
    Value ofStep, ofPart;
  };
  Value createIsBounded(ImplicitLocOpBuilder &b, const Exponential &exponential,
                        ArrayRef<MutableArrayRef<IRMapping>> steps) const;

  SmallVector<Exponential> exponentials;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_BOUNDEDEXPONENTIALS_H
