//===- FoldedExponentials.h - Exponentials with folded scales ---*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes share the states of a scan (KernelKind::SplitStates), a
// coefficient is often exp(delta * a): all parts share `delta`, that of a step,
// and no step changes `a`, that of a part. Then the scale of the exponential
// goes into `a`, in front of the loop, and a step takes three instructions
// instead of nine:
//
//   half = a * (log2(e) / 2)     t = delta * half     p = 2^t     p * p
//
// The square is what makes it right for all arguments: the instruction for 2^t
// flushes results below 2^-126, which `p` is only where the square is zero. Its
// error is 2.1 units in the last place at most, that of the square twice the
// relative one, 4.7 units at most (all numbers, H100). `half` and `t` are
// rounded: that, and what of the square's error is above 4 units, is as if one
// of the factors were off by one unit more. So one of them has to be what a
// function computes, which is known to some units only: the step size, a
// softplus in Mamba, or A, which is -exp(A_log). Products of other numbers keep
// libdevice's exponential.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_FOLDEDEXPONENTIALS_H
#define SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_FOLDEDEXPONENTIALS_H

#include "SharedValues.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::scan {

class FoldedExponentials {
public:
  /// Those that part 0 needs for `roots` of the load or the store region;
  /// `shared` is what all parts need for these.
  FoldedExponentials(KernelOp kernel, Region &region,
                     const SharedValues &shared, ValueRange roots);

  /// Before the steps: folds the scales into the factors of the own parts.
  void start(ImplicitLocOpBuilder &b, const SplitStatesIO &io);
  /// Computes those of own part `part` at a step, which `mapping` gets; it has
  /// what they are computed of.
  void compute(ImplicitLocOpBuilder &b, int64_t part, IRMapping &mapping) const;

  /// The number of the one that is `value`, if there is such a one; the factor
  /// of its operand that all parts share, at the step of `mapping`; and what it
  /// is for own part `part` where that factor is `ofStep`.
  std::optional<unsigned> find(Value value) const;
  Value getOfStep(ImplicitLocOpBuilder &b, unsigned number,
                  IRMapping &mapping) const;
  Value createPower(ImplicitLocOpBuilder &b, unsigned number, int64_t part,
                    Value ofStep) const;

private:
  struct Exponential {
    math::ExpOp op;
    /// The factors of its operand, and the second one of each own part with the
    /// scale.
    Value ofStep, ofPart;
    SmallVector<Value> scaled;
  };
  Region &region;
  SmallVector<Exponential> exponentials;
};

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOGPU_KERNELS_FOLDEDEXPONENTIALS_H
