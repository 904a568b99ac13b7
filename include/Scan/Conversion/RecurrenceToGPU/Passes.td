//===- Passes.td - Recurrences to GPU kernels --------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_RECURRENCETOGPU_PASSES_TD
#define SCAN_CONVERSION_RECURRENCETOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanRecurrenceToBlocks : Pass<"scan-recurrence-to-blocks"> {
  let summary = "divide recurrences among thread blocks, on tensors";
  let description = [{
    Each `scan.recurrence` becomes an `scf.forall` whose iterations are thread blocks
    (`#gpu.block`), with a loop over the steps in it. Blocks divide the *batch dimensions*:
    those along which no step reads across, in all states, outputs, and the inputs and
    captures that have them. Of each a block has one index, and the body is that for
    extents of 1. What is left of a row is computed by the threads of one block.

    The loop carries the previous rows of each state in buffers of their own, which
    become shared memory, and the parts of the results that belong to the block. Rows are
    put there behind everything that a step reads.

    Recurrences whose steps are pointwise have become kernels before
    (`--scan-normalize-recurrence`), with a thread for each lane.

    ```mlir
    func.func @running_maximum(%x: tensor<2x9x4xf32>, %init: tensor<2x1x4xf32>) -> tensor<2x9x4xf32> {
      %h = scan.recurrence ins(%x : tensor<2x9x4xf32>) init(%init : tensor<2x1x4xf32>) dim = 1 {
      ^bb0(%t: index, %before: tensor<2x4xf32>, %row: tensor<2x4xf32>):
        %low = arith.constant dense<0.0> : tensor<2xf32>
        %max = linalg.reduce ins(%before : tensor<2x4xf32>) outs(%low : tensor<2xf32>) dimensions = [1]
          (%e: f32, %acc: f32) {
            %m = arith.maximumf %acc, %e : f32
            linalg.yield %m : f32
          }
        %next = linalg.generic {
            indexing_maps = [affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b)>, affine_map<(b, i) -> (b, i)>],
            iterator_types = ["parallel", "parallel"]}
            ins(%row, %max : tensor<2x4xf32>, tensor<2xf32>) outs(%row : tensor<2x4xf32>) {
        ^bb0(%e: f32, %m: f32, %out: f32):
          %s = arith.addf %e, %m : f32
          linalg.yield %s : f32
        } -> tensor<2x4xf32>
        scan.yield %next : tensor<2x4xf32>
      } -> tensor<2x9x4xf32>
      return %h : tensor<2x9x4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "recurrences-lowered", "Recurrences lowered">
  ];
}

def ConvertBlocksToGPU : Pass<"convert-blocks-to-gpu", "::mlir::ModuleOp"> {
  let summary = "lower loops over thread blocks to GPU kernels";
  let description = [{
    Each `scf.forall` of `--scan-recurrence-to-blocks`, after bufferization, becomes one
    kernel and its launch. The threads of a block divide the elements that each operation
    of `linalg` and each copy writes, and meet at a barrier only where one needs what
    another thread has written; reductions are loops of one thread, in the order of
    the definition, so that results are the interpreter's to the bit. Loops and branches
    with scalar code only that writes to memory run on one thread.

    Buffers of static extents are shared memory while they fit, others are temporaries
    of the host, one for each block. A matrix that every step reads and none
    writes is kept in registers where one thread computes one element and its
    part of the matrix is small, so that it is read once.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "kernels-lowered", "Kernels made">
  ];
}

#endif // SCAN_CONVERSION_RECURRENCETOGPU_PASSES_TD
