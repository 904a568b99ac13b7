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

    With the schedule `#scan.step_launches`, and where there is no schedule and a model says
    that it takes less time, a recurrence becomes a loop of the host instead, whose body is
    operations of `linalg` on rows of the histories: `--scan-linalg-to-gpu` makes launches
    of the whole grid of these. That is for rows and weights that are too large for a
    thread block, and for few of these: all multiprocessors take part in each step, for
    two microseconds and a half per launch. Of a state whose history nobody reads one row more
    than a step reads is kept.

    Recurrences whose steps are pointwise have become kernels before
    (`--scan-normalize-recurrence`), with a thread for each lane.

    Before:

    ```mlir
    func.func @moved(%x: tensor<2x9x4xf32>, %init: tensor<2x1x4xf32>) -> tensor<2x9x4xf32> {
      %h = scan.recurrence ins(%x : tensor<2x9x4xf32>) init(%init : tensor<2x1x4xf32>) dim = 1 {
      ^bb0(%t: index, %before: tensor<2x4xf32>, %row: tensor<2x4xf32>):
        %part = tensor.extract_slice %before[0, 1] [2, 3] [1, 1] : tensor<2x4xf32> to tensor<2x3xf32>
        %next = tensor.insert_slice %part into %row[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x4xf32>
        scan.yield %next : tensor<2x4xf32>
      } -> tensor<2x9x4xf32>
      return %h : tensor<2x9x4xf32>
    }
    ```

    After `--scan-recurrence-to-blocks --canonicalize --cse`:

    ```mlir
    func.func @moved(%arg0: tensor<2x9x4xf32>, %arg1: tensor<2x1x4xf32>) -> tensor<2x9x4xf32> {
      %c1 = arith.constant 1 : index
      %c9 = arith.constant 9 : index
      %c0 = arith.constant 0 : index
      %0 = tensor.empty() : tensor<2x9x4xf32>
      %1 = scf.forall (%arg2) in (2) shared_outs(%arg3 = %0) -> (tensor<2x9x4xf32>) {
        %extracted_slice = tensor.extract_slice %arg1[%arg2, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<2x1x4xf32> to tensor<1x1x4xf32>
        %extracted_slice_0 = tensor.extract_slice %arg0[%arg2, 0, 0] [1, 9, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<1x9x4xf32>
        %extracted_slice_1 = tensor.extract_slice %arg3[%arg2, 0, 0] [1, 9, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<1x9x4xf32>
        %extracted_slice_2 = tensor.extract_slice %extracted_slice[0, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<1x1x4xf32> to tensor<1x4xf32>
        %2 = bufferization.alloc_tensor() copy(%extracted_slice_2) : tensor<1x4xf32>
        %3:2 = scf.for %arg4 = %c0 to %c9 step %c1 iter_args(%arg5 = %extracted_slice_1, %arg6 = %2) -> (tensor<1x9x4xf32>, tensor<1x4xf32>) {
          %extracted_slice_3 = tensor.extract_slice %extracted_slice_0[0, %arg4, 0] [1, 1, 4] [1, 1, 1] : tensor<1x9x4xf32> to tensor<1x4xf32>
          %4 = bufferization.alloc_tensor() copy(%extracted_slice_3) : tensor<1x4xf32>
          %extracted_slice_4 = tensor.extract_slice %arg6[0, 1] [1, 3] [1, 1] : tensor<1x4xf32> to tensor<1x3xf32>
          %inserted_slice = tensor.insert_slice %extracted_slice_4 into %4[0, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<1x4xf32>
          %5 = bufferization.materialize_in_destination %inserted_slice in %arg6 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
          %inserted_slice_5 = tensor.insert_slice %5 into %arg5[0, %arg4, 0] [1, 1, 4] [1, 1, 1] : tensor<1x4xf32> into tensor<1x9x4xf32>
          scf.yield %inserted_slice_5, %5 : tensor<1x9x4xf32>, tensor<1x4xf32>
        }
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %3#0 into %arg3[%arg2, 0, 0] [1, 9, 4] [1, 1, 1] : tensor<1x9x4xf32> into tensor<2x9x4xf32>
        }
      } {mapping = [#gpu.block<linear_dim_0>]}
      return %1 : tensor<2x9x4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"sharedMemory", "shared-memory", "int64_t", "49152",
           "Bytes of shared memory that a thread block may have">,
    Option<"processors", "processors", "int64_t", "0",
           "Multiprocessors of the GPU; 0: not known, steps become launches "
           "only where a schedule says so">
  ];
  let statistics = [
    Statistic<"numLowered", "recurrences-lowered", "Recurrences lowered">,
    Statistic<"numLaunches", "lowered-to-launches",
              "Of these, lowered to launches for each step">
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
    of the host, one for each block. *Weights*, what every step reads and none writes,
    are read once if they fit into registers and shared memory: registers keep the part
    of a thread where it computes one element of a row, as many as it has; shared memory
    keeps the others, transposed so that threads have no bank conflicts. Weights for which
    there is no room are read in each step, some elements at a time; `scan.plan` says how
    many, and how many bytes.

    A block computes several indices of the batch dimensions in lockstep, its *batch tile*,
    where `rows` of a schedule of the `scan.recurrence` says so, or where none is written and
    there are more indices than the multiprocessors have blocks at a time. Each weight that
    a thread loads is used for all of them. Tiles lie along the dimensions that the largest
    weights do not have; the last one may have fewer rows.

    Before:

    ```mlir
    func.func @double(%x: memref<3x8xf32>, %y: memref<3x8xf32>) {
      scf.forall (%row) in (3) {
        %from = memref.subview %x[%row, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<8xf32, strided<[1], offset: ?>>
        %to = memref.subview %y[%row, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<8xf32, strided<[1], offset: ?>>
        memref.copy %from, %to : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
      } {mapping = [#gpu.block<linear_dim_0>]}
      return
    }
    ```

    After `--convert-blocks-to-gpu --canonicalize --cse`:

    ```mlir
    module attributes {gpu.container_module} {
      func.func @double(%arg0: memref<3x8xf32>, %arg1: memref<3x8xf32>) {
        %c32 = arith.constant 32 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg0 : memref<3x8xf32> -> memref<f32>, index, index, index, index, index
        %base_buffer_0, %offset_1, %sizes_2:2, %strides_3:2 = memref.extract_strided_metadata %arg1 : memref<3x8xf32> -> memref<f32>, index, index, index, index, index
        gpu.launch_func  @scan_kernels::@double_recurrence0 blocks in (%c3, %c1, %c1) threads in (%c32, %c1, %c1)  args(%base_buffer : memref<f32>, %base_buffer_0 : memref<f32>)
        return
      }
      gpu.module @scan_kernels {
        gpu.func @double_recurrence0(%arg0: memref<f32>, %arg1: memref<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, scan.args = [{kind = "pointer", name = "x0", operand = 0 : i64, role = "input", type = f32}, {kind = "pointer", name = "y0", operand = 1 : i64, role = "output", type = f32} ], scan.block = array<i64: 32, 1, 1>, scan.grid = affine_map<() -> (3, 1, 1)>, scan.plan = {kernel = "block", one_thread = 0 : i64, prefetched_rows = 0 : i64, prefetched_steps = 2 : i64, rows = 1 : i64, shared_bytes = 0 : i64, streamed_bytes = 0 : i64, streamed_weights = 0 : i64, temporaries = 0 : i64, threads = 32 : i64, weight_bytes = 0 : i64, weight_registers = 0 : i64}, scan.strategy = "recurrence"} {
          %c8 = arith.constant 8 : index
          %c3 = arith.constant 3 : index
          %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [3, 8], strides: [8, 1] : memref<f32> to memref<3x8xf32, strided<[8, 1]>>
          %reinterpret_cast_0 = memref.reinterpret_cast %arg1 to offset: [0], sizes: [3, 8], strides: [8, 1] : memref<f32> to memref<3x8xf32, strided<[8, 1]>>
          %block_id_x = gpu.block_id  x
          %block_id_y = gpu.block_id  y
          %grid_dim_x = gpu.grid_dim  x
          %0 = arith.muli %block_id_y, %grid_dim_x : index
          %1 = arith.addi %0, %block_id_x : index
          %2 = arith.cmpi ult, %1, %c3 : index
          scf.if %2 {
            %thread_id_x = gpu.thread_id  x
            %subview = memref.subview %reinterpret_cast[%1, 0] [1, 8] [1, 1] : memref<3x8xf32, strided<[8, 1]>> to memref<8xf32, strided<[1], offset: ?>>
            %subview_1 = memref.subview %reinterpret_cast_0[%1, 0] [1, 8] [1, 1] : memref<3x8xf32, strided<[8, 1]>> to memref<8xf32, strided<[1], offset: ?>>
            %3 = arith.cmpi ult, %thread_id_x, %c8 : index
            scf.if %3 {
              %4 = memref.load %subview[%thread_id_x] : memref<8xf32, strided<[1], offset: ?>>
              memref.store %4, %subview_1[%thread_id_x] : memref<8xf32, strided<[1], offset: ?>>
            }
          }
          gpu.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"sharedMemory", "shared-memory", "int64_t", "49152",
           "Bytes of shared memory that a thread block may have; more than "
           "49152 only if the GPU has them">,
    Option<"processors", "processors", "int64_t", "0",
           "Multiprocessors that blocks are divided among, for the choice of the "
           "batch tile; 0: not known, a block computes one index of the batch "
           "dimensions">
  ];
  let statistics = [
    Statistic<"numLowered", "kernels-lowered", "Kernels made">
  ];
}

#endif // SCAN_CONVERSION_RECURRENCETOGPU_PASSES_TD
