//===- Share.td - Functions that several values need -------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_SHARE_TD
#define SCAN_PIPELINES_PASSES_SHARE_TD

include "mlir/Pass/PassBase.td"

def ScanShareExponentials : Pass<"scan-share-exponentials"> {
  let summary = "compute one of the exponentials of a maximum's operands";
  let description = [{
    Of `exp(a - m)` and `exp(b - m)`, where `m` is the maximum of `a` and `b`, as in
    the combine of a softmax, one is `exp(0)`. One `math.exp` and two selections are
    left where there were two `math.exp`. The same holds for `exp(m - a)` and
    `exp(m - b)` of a minimum. Results are the same to the bit, also for infinities
    and NaN, as `exp(0)` is 1.

    Before:

    ```mlir
    func.func @weights(%a: f32, %b: f32) -> (f32, f32) {
      %m = arith.maximumf %a, %b : f32
      %x = arith.subf %a, %m : f32
      %y = arith.subf %b, %m : f32
      %p = math.exp %x : f32
      %q = math.exp %y : f32
      return %p, %q : f32, f32
    }
    ```

    After `--scan-share-exponentials`:

    ```mlir
    func.func @weights(%arg0: f32, %arg1: f32) -> (f32, f32) {
      // ...
      %2 = arith.cmpf olt, %1, ... : f32
      %3 = arith.subf %arg1, %0 : f32
      %4 = arith.cmpf olt, %3, ... : f32
      %5 = arith.select %2, %1, %3 : f32
      %6 = math.exp %5 : f32
      %7 = arith.addf %1, ... : f32
      %8 = arith.select %2, %6, %7 : f32
      %9 = arith.addf %3, ... : f32
      %10 = arith.select %4, %6, %9 : f32
      // ...
      return %8, %10 : f32, f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def ScanShareSigmoids : Pass<"scan-share-sigmoids"> {
  let summary = "compute sigmoid(x) and sigmoid(-x) from one exponential and one reciprocal";
  let description = [{
    With `s = 1 / (1 + exp(-x))`, the sigmoid of `x`, that of `-x` is `exp(-x) * s` where `s` is a half or
    more, and `1 - s`, which has lost nothing then, where it is less. Gated recurrences have both, as
    `1 - z` is computed without cancellation. Where something else than a constant is divided by
    `1 + exp(-x)`, which may be infinite, it is multiplied by the sigmoid. Otherwise
    `1 / (1 + exp(-x))` stays, and constants are multiplied by it: a number that is not less than 1 has a
    reciprocal without special cases but for results below 2^-126, and `--scan-gpu-to-nvvm` takes the
    instruction `rcp.approx`, which is within one unit in the last place, where a division is a call at
    worst. Where those of both signs are needed, they may be zero below 2^-126 (`arcp`). Regions of one kernel
    have all sigmoids in the form that one of them needs, so that what both compute is found to be
    the same.

    Rewritten is f32 where the exponential has no other use than the denominators of divisions, and
    products with what was divided, as derivatives have them: `exp(-x)` times the sigmoid of `x`
    is that of `-x`, without the infinity of the first where the second is zero.
    Quotients by `1 + exp(-|x|)` as it stands, as in the derivative of a softplus, become
    products with its reciprocal, whatever else needs the exponential.
    Results differ by a few units in the last place, none where `x` is infinite or NaN. Where
    the exponential or the division may be approximate (`afn`, `arcp`), only a pair gains.

    Before:

    ```mlir
    func.func @gates(%x: f32) -> (f32, f32) {
      %one = arith.constant 1.0 : f32
      %minus = arith.negf %x : f32
      %e0 = math.exp %minus : f32
      %d0 = arith.addf %e0, %one : f32
      %z = arith.divf %one, %d0 : f32
      %e1 = math.exp %x : f32
      %d1 = arith.addf %e1, %one : f32
      %rest = arith.divf %one, %d1 : f32
      return %z, %rest : f32, f32
    }
    ```

    After `--scan-share-sigmoids`:

    ```mlir
    func.func @gates(%arg0: f32) -> (f32, f32) {
      // ...
      %1 = arith.negf %arg0 : f32
      %2 = math.exp %1 : f32
      // ...
      %3 = arith.addf %2, ... : f32
      %4 = arith.divf ..., %3 fastmath<arcp> : f32
      %5 = arith.subf ..., %4 : f32
      %6 = arith.mulf %2, %4 : f32
      // ...
      %7 = arith.cmpf oge, %4, ... : f32
      %8 = arith.select %7, %6, %5 : f32
      return %4, %8 : f32, f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def ScanSimplifyGates : Pass<"scan-simplify-gates"> {
  let summary = "write what gates compute beside sigmoids in fewer instructions";
  let description = [{
    In f32, where libdevice has a function for each that is right for all arguments by
    itself:

    *   `expm1(x)` is a polynomial where `x` is at most the logarithm of 2, and `exp(x) - 1`
        beyond it. Where `x` is `2 y` and `exp(y)` is needed too, and so is the square root of
        `-expm1(x)`, as in `a = exp(y)`, `sqrt(1 - a^2) = sqrt(-expm1(2 y))`, it is `exp(y)` squared
        less 1, so that there is one exponential. An `x` that is known not to be positive takes a
        coefficient less. Results are within 4 units in the last place,
        but for squares of more than 1, whose root is not a number.
    *   `1 + tanh(x)`, as in GELU, and `1 - tanh(x)`, as in its derivative, are twice the sigmoids
        of `2 x` and `-2 x`, which [`--scan-share-sigmoids`](#--scan-share-sigmoids) shares. They are
        within 4 units in the last place, also where they are close to zero; a sum with a
        tanh is not.
    *   `x / sqrt(y)` and `x / (c sqrt(y))`, with a power of two as the constant `c`, as in the
        derivative of a square root, are products with `math.rsqrt`.
    *   The root of what is known to be at most 1 is that of 2^24 times as much, with an exact
        factor: that is zero or not below 2^-126, where the instruction for a root is enough.
        Derivatives divide by the root, and need 1 less what it is of, which they have of the multiple.

    Before:

    ```mlir
    func.func @coefficients(%y: f32) -> (f32, f32) {
      %two = arith.constant 2.0 : f32
      %a = math.exp %y : f32
      %twice = arith.mulf %y, %two : f32
      %m = math.expm1 %twice : f32
      %minus = arith.negf %m : f32
      %b = math.sqrt %minus : f32
      return %a, %b : f32, f32
    }
    ```

    After `--scan-simplify-gates`:

    ```mlir
    func.func @coefficients(%arg0: f32) -> (f32, f32) {
      // ...
      %0 = math.exp %arg0 : f32
      // ...
      %2 = math.exp %arg0 : f32
      // ...
      %3 = math.fma %2, %2, ... : f32
      // ...
      %12 = arith.cmpf olt, %11, ... : f32
      %13 = arith.select %12, %10, %3 : f32
      %14 = arith.negf %13 : f32
      // ...
      %15 = arith.mulf %14, ... : f32
      %16 = math.sqrt %15 : f32
      // ...
      %17 = arith.mulf %16, ... : f32
      return %0, %17 : f32, f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

#endif // SCAN_PIPELINES_PASSES_SHARE_TD
