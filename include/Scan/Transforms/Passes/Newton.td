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

    One iteration, without a loop.

    Before:

    ```mlir
    func.func @square(%x: tensor<9xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
      %h = scan.recurrence ins(%x : tensor<9xf32>) init(%init : tensor<1xf32>) dim = 0
          attributes {scan.schedule = #scan.newton<iterations = 1, tolerance = 0.5>} {
      ^bb0(%t: index, %before: f32, %row: f32):
        %product = arith.mulf %before, %before : f32
        %next = arith.addf %product, %row : f32
        scan.yield %next : f32
      } -> tensor<9xf32>
      return %h : tensor<9xf32>
    }
    ```

    After `--scan-newton-recurrence=unroll --canonicalize --cse`:

    ```mlir
    func.func @square(%x: tensor<9xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
      %tolerance = arith.constant 5.000000e-01 : f32
      %zero = arith.constant 0.000000e+00 : f32
      %h0 = tensor.extract_slice %init[0] [1] [1] : tensor<1xf32> to tensor<f32>
      %0 = tensor.empty() : tensor<9xf32>
      %1:2 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins(%h0, %x : tensor<f32>, tensor<9xf32>)
          outs(%0, %0 : tensor<9xf32>, tensor<9xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32, %out_2: f32):
        %9 = arith.mulf %in, %in : f32
        %10 = arith.addf %9, %in_1 : f32
        %11 = arith.addf %in, %in : f32
        %12 = arith.mulf %11, %in : f32
        %13 = arith.subf %10, %12 : f32
        linalg.yield %11, %13 : f32, f32
      } -> (tensor<9xf32>, tensor<9xf32>)
      %h1 = scan.linear_recurrence ins(%1#0, %1#1 : tensor<9xf32>, tensor<9xf32>)
          init(%h0 : tensor<f32>) dim = 0 -> tensor<9xf32>
      %2 = scan.shift %h1 boundary(%h0 : tensor<f32>) dim = 0 by = 1 : tensor<9xf32>
      %3 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins(%2, %x : tensor<9xf32>, tensor<9xf32>)
          outs(%0 : tensor<9xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %9 = arith.mulf %in, %in : f32
        %10 = arith.addf %9, %in_1 : f32
        linalg.yield %10 : f32
      } -> tensor<9xf32>
      %4 = tensor.empty() : tensor<f32>
      %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<f32>) -> tensor<f32>
      %6 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
          iterator_types = ["reduction"]}
          ins(%h1, %3 : tensor<9xf32>, tensor<9xf32>)
          outs(%5 : tensor<f32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %9 = arith.subf %in, %in_1 : f32
        %10 = math.absf %9 : f32
        %11 = arith.maximumf %out, %10 : f32
        linalg.yield %11 : f32
      } -> tensor<f32>
      %extracted = tensor.extract %6[] : tensor<f32>
      %7 = arith.cmpf ugt, %extracted, %tolerance : f32
      %8 = scf.if %7 -> (tensor<9xf32>) {
        %9 = scan.recurrence ins(%x : tensor<9xf32>) init(%init : tensor<1xf32>) dim = 0 {
        ^bb0(%arg2: index, %arg3: f32, %arg4: f32):
          %10 = arith.mulf %arg3, %arg3 : f32
          %11 = arith.addf %10, %arg4 : f32
          scan.yield %11 : f32
        } -> tensor<9xf32>
        scf.yield %9 : tensor<9xf32>
      } else {
        scf.yield %3 : tensor<9xf32>
      }
      return %8 : tensor<9xf32>
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
