//===- Split.td - Parts that fuse one by one ---------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_SPLIT_TD
#define SCAN_TRANSFORMS_PASSES_SPLIT_TD

include "mlir/Pass/PassBase.td"

def ScanUnrollConvolutions : Pass<"scan-unroll-convolutions"> {
  let summary = "make sums of shifts of short convolutions that no kernel reads";
  let description = [{
    A convolution over at most 8 neighbouring elements of a padded tensor, which has the
    extents of the result without what is padded, becomes one elementwise operation for
    each of them, of a `scan.shift` of the tensor. `--scan-fuse-elementwise` does
    so where kernels alone read the result; this pass is for what matrix products read,
    too. To be run before `--scan-slices-to-elementwise`, which makes reads of the
    shifts.

    Before:

    ```mlir
    func.func @causal(%x: tensor<4x64x16xf32>, %w: tensor<2x16xf32>, %zeros: tensor<4x64x16xf32>) -> tensor<4x64x16xf32> {
      %zero = arith.constant 0.0 : f32
      %padded = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
      ^bb0(%i: index, %j: index, %k: index):
        tensor.yield %zero : f32
      } : tensor<4x64x16xf32> to tensor<4x65x16xf32>
      %y = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
          ins(%padded, %w : tensor<4x65x16xf32>, tensor<2x16xf32>) outs(%zeros : tensor<4x64x16xf32>) -> tensor<4x64x16xf32>
      return %y : tensor<4x64x16xf32>
    }
    ```

    After `--scan-unroll-convolutions --canonicalize`:

    ```mlir
    func.func @causal(%x: tensor<4x64x16xf32>, %w: tensor<2x16xf32>, %zeros: tensor<4x64x16xf32>) -> tensor<4x64x16xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4x64x16xf32>
      %before = scan.shift %x boundary(%zero : f32) dim = 1 by = 1 : tensor<4x64x16xf32>
      %w0 = tensor.extract_slice %w[0, 0] [1, 16] [1, 1] : tensor<2x16xf32> to tensor<16xf32>
      %first = linalg.generic {
          indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>,
                           affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%before, %w0, %zeros : tensor<4x64x16xf32>, tensor<16xf32>, tensor<4x64x16xf32>) outs(%e : tensor<4x64x16xf32>) {
      ^bb0(%xe: f32, %we: f32, %acc: f32, %out: f32):
        %p = arith.mulf %xe, %we : f32
        %s = arith.addf %acc, %p : f32
        linalg.yield %s : f32
      } -> tensor<4x64x16xf32>
      %w1 = tensor.extract_slice %w[1, 0] [1, 16] [1, 1] : tensor<2x16xf32> to tensor<16xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>,
                           affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %w1, %first : tensor<4x64x16xf32>, tensor<16xf32>, tensor<4x64x16xf32>) outs(%e : tensor<4x64x16xf32>) {
      ^bb0(%xe: f32, %we: f32, %acc: f32, %out: f32):
        %p = arith.mulf %xe, %we : f32
        %s = arith.addf %acc, %p : f32
        linalg.yield %s : f32
      } -> tensor<4x64x16xf32>
      return %y : tensor<4x64x16xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scan::ScanDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numUnrolled", "unrolled", "Convolutions unrolled">];
}

def ScanSplitResults : Pass<"scan-split-results"> {
  let summary = "give each result of elementwise code an operation of its own";
  let description = [{
    An elementwise `linalg.generic` of several results, next to a kernel, becomes one
    for each result that is used. Each reads only what its result needs, and may become
    part of what reads that result alone, or of the kernel that alone computes what it
    reads. To be run before `--scan-fuse-elementwise`; `--scan-fuse-linalg` merges what
    stays beside each other. Code with loops, which would be repeated, is left as it
    is.

    Before:

    ```mlir
    func.func @both(%x: tensor<4x?xf32>, %w: tensor<?xf32>, %e: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
      %a, %b = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                           affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %w : tensor<4x?xf32>, tensor<?xf32>) outs(%e, %e : tensor<4x?xf32>, tensor<4x?xf32>) {
      ^bb0(%xe: f32, %we: f32, %out0: f32, %out1: f32):
        %p = arith.mulf %xe, %we : f32
        %n = arith.negf %xe : f32
        linalg.yield %p, %n : f32, f32
      } -> (tensor<4x?xf32>, tensor<4x?xf32>)
      %h = scan.kernel dim = 1 ins(%a : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%ae: f32):
            scan.yield %ae : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %ae: f32):
            scan.yield %inclusive : f32
          } -> tensor<4x?xf32>
      return %h, %b : tensor<4x?xf32>, tensor<4x?xf32>
    }
    ```

    After `--scan-split-results --canonicalize`:

    ```mlir
    func.func @both(%x: tensor<4x?xf32>, %w: tensor<?xf32>, %e: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
      %a = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %w : tensor<4x?xf32>, tensor<?xf32>) outs(%e : tensor<4x?xf32>) {
      ^bb0(%xe: f32, %we: f32, %out: f32):
        %p = arith.mulf %xe, %we : f32
        linalg.yield %p : f32
      } -> tensor<4x?xf32>
      %b = linalg.generic {
          indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) {
      ^bb0(%xe: f32, %out: f32):
        %n = arith.negf %xe : f32
        linalg.yield %n : f32
      } -> tensor<4x?xf32>
      %h = scan.kernel dim = 1 ins(%a : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%ae: f32):
            scan.yield %ae : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %ae: f32):
            scan.yield %inclusive : f32
          } -> tensor<4x?xf32>
      return %h, %b : tensor<4x?xf32>, tensor<4x?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [Statistic<"numSplit", "split", "Operations split">];
}

#endif // SCAN_TRANSFORMS_PASSES_SPLIT_TD
