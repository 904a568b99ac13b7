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
    Its steps are divided into chunks, which are walked side by side from states s_j that
    are solved for. With F_j the walk of a chunk from the state in front of it to the one
    behind it, s_{j+1} = F_j(s_j); an iteration replaces F_j by its tangent at the states p
    that the last one has found,

    ```
    s_{j+1} = D_j s_j + r_j      D_j = dF_j/ds (p_j)      r_j = F_j(p_j) - D_j p_j
    ```

    which is a `scan.linear_recurrence` over the chunks or, with several states, a
    `scan.associative` of affine maps, and so parallel in time. The walk of a chunk multiplies
    the Jacobian matrices of its steps, which come from the rules of `--scan-differentiate`.
    The first walk is from the init for all chunks. The largest difference of a state from
    what is behind the chunk in front of it is the *residual*. Iterations end where it is no
    more above the tolerance, and a last walk writes the rows. Steps that are left over behind
    the last chunk are walked from the state there. Where the residual
    stays above the tolerance, or is not a number, the steps are walked one after the other.
    [newton.md](../newton.md) says how far results are off, and when all of this pays.

    The loop over iterations is an `scf.while`. With `unroll` each iteration is an `scf.if`
    behind the one before, as a GPU wants them, which has no loops on the host.

    Errors: steps that read other lanes or more than one row back, that have
    segments (`--scan-expand-recurrence-segments` first) or operations without a derivative;
    states of other types than `f32` and `f64`, of both, or more than four; `order =
    sequential`. In the body of another recurrence the schedule is dropped: the steps of a
    step are walked, and so are steps that are fewer than two chunks.

    One iteration, of two chunks, without a loop.

    Before:

    ```mlir
    func.func @square(%x: tensor<8xf32>, %init: tensor<1xf32>) -> tensor<8xf32> {
      %h = scan.recurrence ins(%x : tensor<8xf32>) init(%init : tensor<1xf32>) dim = 0
          attributes {scan.schedule = #scan.newton<iterations = 1, tolerance = 0.5, chunk = 4>} {
      ^bb0(%t: index, %before: f32, %row: f32):
        %product = arith.mulf %before, %before : f32
        %next = arith.addf %product, %row : f32
        scan.yield %next : f32
      } -> tensor<8xf32>
      return %h : tensor<8xf32>
    }
    ```

    After `--scan-newton-recurrence=unroll --canonicalize --cse`:

    ```mlir
    func.func @square(%arg0: tensor<8xf32>, %arg1: tensor<1xf32>) -> tensor<8xf32> {
      %cst = arith.constant 5.000000e-01 : f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %cst_1 = arith.constant 1.000000e+00 : f32
      %0 = tensor.empty() : tensor<2x1xf32>
      %1 = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%arg1 : tensor<1xf32>)
          outs(%0 : tensor<2x1xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<2x1xf32>
      %2 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x1xf32>) -> tensor<2x1xf32>
      %expanded = tensor.expand_shape %arg0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
      %3:4 = scan.recurrence ins(%expanded : tensor<2x4xf32>)
          init(%1, %2 : tensor<2x1xf32>, tensor<2x1xf32>) dim = 1 attributes {order = #scan.order<sequential>} {
      ^bb0(%arg2: index, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>, %arg5: tensor<2xf32>):
        %13 = tensor.empty() : tensor<2xf32>
        %14:2 = linalg.generic {
            indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
            iterator_types = ["parallel"]}
            ins(%arg3, %arg4, %arg5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
            outs(%13, %13 : tensor<2xf32>, tensor<2xf32>) {
        ^bb0(%in: f32, %in_10: f32, %in_11: f32, %out: f32, %out_12: f32):
          %15 = arith.mulf %in, %in : f32
          %16 = arith.addf %15, %in_11 : f32
          %17 = arith.addf %in, %in : f32
          %18 = arith.mulf %17, %in_10 : f32
          linalg.yield %16, %18 : f32, f32
        } -> (tensor<2xf32>, tensor<2xf32>)
        scan.yield %14#0, %14#1 : tensor<2xf32>, tensor<2xf32>
      } -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>
      %extracted_slice = tensor.extract_slice %1[1, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1x1xf32>
      %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
      %extracted_slice_2 = tensor.extract_slice %3#2[0, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1x1xf32>
      %collapsed_3 = tensor.collapse_shape %extracted_slice_2 [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
      %4 = tensor.empty() : tensor<f32>
      %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<f32>) -> tensor<f32>
      %6 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
          iterator_types = ["reduction"]}
          ins(%collapsed, %collapsed_3 : tensor<1xf32>, tensor<1xf32>)
          outs(%5 : tensor<f32>) {
      ^bb0(%in: f32, %in_10: f32, %out: f32):
        %13 = arith.subf %in, %in_10 : f32
        %14 = math.absf %13 : f32
        %15 = arith.maximumf %out, %14 : f32
        linalg.yield %15 : f32
      } -> tensor<f32>
      %extracted = tensor.extract %6[] : tensor<f32>
      %7 = arith.cmpf ugt, %extracted, %cst : f32
      %8:2 = scf.if %7 -> (tensor<2x1xf32>, tensor<2x1xf32>) {
        %13 = linalg.generic {
            indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
            iterator_types = ["parallel", "parallel"]}
            ins(%3#3, %1, %3#2 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
            outs(%0 : tensor<2x1xf32>) {
        ^bb0(%in: f32, %in_10: f32, %in_11: f32, %out: f32):
          %15 = arith.negf %in_10 : f32
          %16 = arith.mulf %in, %15 : f32
          %17 = arith.addf %16, %in_11 : f32
          linalg.yield %17 : f32
        } -> tensor<2x1xf32>
        %result = scan.linear_recurrence ins(%3#3, %13 : tensor<2x1xf32>, tensor<2x1xf32>)
            init(%arg1 : tensor<1xf32>) dim = 0 exclusive -> tensor<2x1xf32>
        %14:4 = scan.recurrence ins(%expanded : tensor<2x4xf32>)
            init(%result, %2 : tensor<2x1xf32>, tensor<2x1xf32>) dim = 1 attributes {order = #scan.order<sequential>} {
        ^bb0(%arg2: index, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>, %arg5: tensor<2xf32>):
          %15 = tensor.empty() : tensor<2xf32>
          %16:2 = linalg.generic {
              indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
              iterator_types = ["parallel"]}
              ins(%arg3, %arg4, %arg5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
              outs(%15, %15 : tensor<2xf32>, tensor<2xf32>) {
          ^bb0(%in: f32, %in_10: f32, %in_11: f32, %out: f32, %out_12: f32):
            %17 = arith.mulf %in, %in : f32
            %18 = arith.addf %17, %in_11 : f32
            %19 = arith.addf %in, %in : f32
            %20 = arith.mulf %19, %in_10 : f32
            linalg.yield %18, %20 : f32, f32
          } -> (tensor<2xf32>, tensor<2xf32>)
          scan.yield %16#0, %16#1 : tensor<2xf32>, tensor<2xf32>
        } -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>
        scf.yield %result, %14#2 : tensor<2x1xf32>, tensor<2x1xf32>
      } else {
        scf.yield %1, %3#2 : tensor<2x1xf32>, tensor<2x1xf32>
      }
      %extracted_slice_4 = tensor.extract_slice %8#0[1, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1x1xf32>
      %collapsed_5 = tensor.collapse_shape %extracted_slice_4 [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
      %extracted_slice_6 = tensor.extract_slice %8#1[0, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1x1xf32>
      %collapsed_7 = tensor.collapse_shape %extracted_slice_6 [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
      %9 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
          iterator_types = ["reduction"]}
          ins(%collapsed_5, %collapsed_7 : tensor<1xf32>, tensor<1xf32>)
          outs(%5 : tensor<f32>) {
      ^bb0(%in: f32, %in_10: f32, %out: f32):
        %13 = arith.subf %in, %in_10 : f32
        %14 = math.absf %13 : f32
        %15 = arith.maximumf %out, %14 : f32
        linalg.yield %15 : f32
      } -> tensor<f32>
      %10:2 = scan.recurrence ins(%expanded : tensor<2x4xf32>)
          init(%8#0 : tensor<2x1xf32>) dim = 1 attributes {order = #scan.order<sequential>} {
      ^bb0(%arg2: index, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>):
        %13 = tensor.empty() : tensor<2xf32>
        %14 = linalg.generic {
            indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
            iterator_types = ["parallel"]}
            ins(%arg3, %arg4 : tensor<2xf32>, tensor<2xf32>)
            outs(%13 : tensor<2xf32>) {
        ^bb0(%in: f32, %in_10: f32, %out: f32):
          %15 = arith.mulf %in, %in : f32
          %16 = arith.addf %15, %in_10 : f32
          linalg.yield %16 : f32
        } -> tensor<2xf32>
        scan.yield %14 : tensor<2xf32>
      } -> tensor<2x4xf32>, tensor<2x1xf32>
      %collapsed_8 = tensor.collapse_shape %10#0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
      %extracted_9 = tensor.extract %9[] : tensor<f32>
      %11 = arith.cmpf ugt, %extracted_9, %cst : f32
      %12 = scf.if %11 -> (tensor<8xf32>) {
        %13 = scan.recurrence ins(%arg0 : tensor<8xf32>) init(%arg1 : tensor<1xf32>) dim = 0 {
        ^bb0(%arg2: index, %arg3: f32, %arg4: f32):
          %14 = arith.mulf %arg3, %arg3 : f32
          %15 = arith.addf %14, %arg4 : f32
          scan.yield %15 : f32
        } -> tensor<8xf32>
        scf.yield %13 : tensor<8xf32>
      } else {
        scf.yield %collapsed_8 : tensor<8xf32>
      }
      return %12 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"unroll", "unroll", "bool", /*default=*/"false",
           "Iterations one behind the other instead of a loop">,
    Option<"residuals", "residuals", "bool", /*default=*/"false",
           "Append the residual of each recurrence to the results of its function, as a "
           "tensor without dimensions">,
    Option<"checkExtents", "check-extents", "bool", /*default=*/"true",
           "Stop the program where a recurrence has extents that contradict each other">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scan::ScanDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numSolved", "recurrences-solved",
              "Recurrences that are solved by Newton's method">];
}

#endif // SCAN_TRANSFORMS_PASSES_NEWTON_TD
