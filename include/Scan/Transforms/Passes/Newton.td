//===- Newton.td - Recurrences that are parallel in time ---*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_NEWTON_TD
#define SCAN_TRANSFORMS_PASSES_NEWTON_TD

include "mlir/Pass/PassBase.td"

def ScanNewtonRecurrence : Pass<"scan-newton-recurrence"> {
  let summary = "solve recurrences for all steps at once by Newton's method";
  let description = [{
    Rewrites each `scan.recurrence` whose attribute `scan.schedule` is a `#scan.newton`.
    Its steps h_t = f(h_{t-1}, x_t) are solved for all t together: an iteration replaces f by
    its tangent at the rows p that the last one has found,

    ```
    h_t = J_t h_{t-1} + r_t      J_t = df/dh (p_{t-1}, x_t)      r_t = f(p_{t-1}, x_t) - J_t p_{t-1}
    ```

    which is a `scan.linear_recurrence` or, with several states, a `scan.associative` of
    affine maps, and so parallel in time. The first iteration is at the row of the init for
    all p. J comes from the rules of `--scan-differentiate`. At the end f is applied once to
    what was found: this is the result, and the largest difference that it makes is the
    *residual*. Where that is above the tolerance or not a number, the steps are walked
    one after the other. [newton.md](../newton.md) says how far results are off, and when all
    of this pays.

    The loop over iterations is an `scf.while`, which ends as soon as the residual is small
    enough. With `unroll` all iterations are made one after the other, as a GPU wants them,
    which has no loops on the host.

    Errors: steps that read other lanes or more than one row back, that have
    segments (`--scan-expand-recurrence-segments` first) or operations without a derivative;
    states of other types than `f32` and `f64`, of both, or more than four; `order =
    sequential`. In the body of another recurrence the schedule is dropped: the steps of a
    step are walked.

    ```mlir
    func.func @tanh(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
      %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
          attributes {scan.schedule = #scan.newton<iterations = 8, tolerance = 1.0e-6>} {
      ^bb0(%t: index, %before: tensor<5xf32>, %row: tensor<5xf32>):
        %sum = arith.addf %before, %row : tensor<5xf32>
        %next = math.tanh %sum : tensor<5xf32>
        scan.yield %next : tensor<5xf32>
      } -> tensor<9x5xf32>
      return %h : tensor<9x5xf32>
    }
    ```
  }];
  let options = [
    Option<"unroll", "unroll", "bool", /*default=*/"false",
           "Make all iterations, without a loop that ends early">,
    Option<"residuals", "residuals", "bool", /*default=*/"false",
           "Append the residual of each recurrence to the results of its function, as a "
           "tensor without dimensions">,
    Option<"checkExtents", "check-extents", "bool", /*default=*/"true",
           "Stop the program where a recurrence has extents that contradict each other">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scan::ScanDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numSolved", "recurrences-solved",
              "Recurrences that are solved by Newton's method">];
}

#endif // SCAN_TRANSFORMS_PASSES_NEWTON_TD
