//===- Fuse.td - What stays outside of kernels -------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_FUSE_TD
#define SCAN_PIPELINES_PASSES_FUSE_TD

include "mlir/Pass/PassBase.td"

def ScanFuseLinalg : Pass<"scan-fuse-linalg"> {
  let summary = "make one linalg.generic of those that follow each other or read the same";
  let description = [{
    What `--linalg-fuse-elementwise-ops` does, by the same patterns: an elementwise
    `linalg.generic` whose result one other reads becomes part of it. But where an
    element takes a loop, as the search for the segment of a step among offsets does
    (`--scan-fuse-segment-offsets`), and where several elements of what reads it share this
    one, it stays by itself: the loop would run for each of them. So does what has a
    function of `math`, a division or the like and is read by a product of matrices, whose
    sums have each element as a term many times. What only looks up elements of one tensor,
    as a shift does, becomes part of all that read it.

    Then elementwise operations that read an array at the same places, and do not need
    each other, become one of several results, which reads it once.

    Before, where each row is multiplied by a number that takes a loop:

    ```mlir
    func.func @rows(%x: tensor<9x64xf32>, %w: tensor<?xf32>, %n: index) -> tensor<9x64xf32> {
      %zero = arith.constant 0 : index
      %step = arith.constant 1 : index
      %none = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<9xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          outs(%e : tensor<9xf32>) {
      ^bb0(%out: f32):
        %r = scf.for %i = %zero to %n step %step iter_args(%a = %none) -> (f32) {
          %v = tensor.extract %w[%i] : tensor<?xf32>
          %b = arith.addf %a, %v : f32
          scf.yield %b : f32
        }
        linalg.yield %r : f32
      } -> tensor<9xf32>
      %f = tensor.empty() : tensor<9x64xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %s : tensor<9x64xf32>, tensor<9xf32>) outs(%f : tensor<9x64xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %p = arith.mulf %a, %b : f32
        linalg.yield %p : f32
      } -> tensor<9x64xf32>
      %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%y : tensor<9x64xf32>) outs(%f : tensor<9x64xf32>) {
      ^bb0(%a: f32, %out: f32):
        %q = math.exp %a : f32
        linalg.yield %q : f32
      } -> tensor<9x64xf32>
      return %z : tensor<9x64xf32>
    }
    ```

    After `--scan-fuse-linalg`:

    ```mlir
    // ...
    func.func @rows(%arg0: tensor<9x64xf32>, %arg1: tensor<?xf32>, %arg2: index) -> tensor<9x64xf32> {
      // ...
      %1 = linalg.generic {indexing_maps = [...], iterator_types = ["parallel"]} outs(%0 : tensor<9xf32>) {
      ^bb0(%out: f32):
        %... = scf.for %arg3 = %c0 to %arg2 step %c1 iter_args(%arg4 = ...) -> (f32) {
        // ...
      } -> tensor<9xf32>
      // ...
      %3 = linalg.generic {...} ins(%arg0, %1 : tensor<9x64xf32>, tensor<9xf32>) outs(%2 : tensor<9x64xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %4 = arith.mulf %in, %in_0 : f32
        %5 = math.exp %4 : f32
        linalg.yield %5 : f32
      } -> tensor<9x64xf32>
      return %3 : tensor<9x64xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // SCAN_PIPELINES_PASSES_FUSE_TD
