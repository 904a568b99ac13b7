//===- Passes.td - Other linalg code to gpu kernels --------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_LINALGTOGPU_PASSES_TD
#define SCAN_CONVERSION_LINALGTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanScatterToLinalg : Pass<"scan-scatter-to-linalg"> {
  let summary = "turn scatters into linalg operations that a GPU kernel can do";
  let description = [{
    Makes a `linalg.generic` of each `scan.scatter`, and of each `tensor.scatter`
    with a list of coordinates along one dimension: what `--scan-to-gpu` does to
    those that `--scan-scatter-to-select` leaves. Each element of the result walks
    the indices of its line, in order, and takes the source of the last one that
    is its own, or stays what it was. So no two threads write one element. Walked
    as it is written, that is as many comparisons per element of the result as
    there are indices in a line; `--scan-linalg-to-gpu` knows the form, and makes
    of it what takes linear time.

    Where the indices are the places of a stream compaction, which count the flags
    before each flag and are negative where no flag is, no two of them are one place.
    The operation then has the attribute `scan.unique_keys`, and what
    `--scan-linalg-to-gpu` makes of it writes at once instead of looking for the last
    writer. A count of 32 bits comes around after as many steps: an `scf.if` chooses.

    The extents of the operands are not checked when the program runs, where
    `--scan-scatter-to-loops` does; `--scan-require-extents` has launchers look at
    those of arguments. Any other `tensor.scatter` is an error.

    Before:

    ```mlir
    func.func @put(%x: tensor<4x3xf32>, %dest: tensor<4x8xf32>, %index: tensor<4x3xi32>) -> tensor<4x8xf32> {
      %r = scan.scatter %x into %dest at %index dim = 1
          : tensor<4x3xf32> into tensor<4x8xf32> at tensor<4x3xi32>
      return %r : tensor<4x8xf32>
    }
    ```

    After `--scan-scatter-to-linalg`:

    ```mlir
    func.func @put(%x: tensor<4x3xf32>, %dest: tensor<4x8xf32>, %index: tensor<4x3xi32>) -> tensor<4x8xf32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>,
                           affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%index, %x : tensor<4x3xi32>, tensor<4x3xf32>) outs(%dest : tensor<4x8xf32>) {
      ^bb0(%i: i32, %source: f32, %old: f32):
        %place = arith.index_cast %i : i32 to index
        %here = linalg.index 1 : index
        %is = arith.cmpi eq, %here, %place : index
        %new = arith.select %is, %source, %old : f32
        linalg.yield %new : f32
      } -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numScatters", "scatters", "Scatters turned into loops over the result">];
}

def ScanSlicesToElementwise : Pass<"scan-slices-to-elementwise"> {
  let summary = "let elements choose where they are from, in place of slices and shifts";
  let description = [{
    On a GPU a slice that is put into an array is a launch for the slice and one
    for the rest, and a `scan.shift` is one for the boundary and one for what
    stays within the extent. This pass makes one `linalg.generic` of each, whose
    elements choose by their indices what they are, so that
    `--linalg-fuse-elementwise-ops` makes one of it and of the elementwise code
    around it: the sum of four shifts, as in the derivative of a short
    convolution, is one launch then. It is for the end of `--scan-to-gpu`'s
    fusion: a shift that `--scan-fuse-elementwise` has made a shifted input of a
    kernel costs nothing, and one that is its boundary everywhere, or its source,
    is left to `--scan-shift-to-slices`.

    A `tensor.insert_slice` is rewritten where only elementwise code reads its
    result, and what it is inserted into is a `linalg.fill`, or a
    `linalg.generic` that nothing else reads: what else it is, is computed where
    it belongs by then.

    Before:

    ```mlir
    func.func @previous(%h: tensor<4x8xf32>, %h0: f32) -> tensor<4x8xf32> {
      %p = scan.shift %h boundary(%h0 : f32) dim = 1 by = 1 : tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    }
    ```

    After `--scan-slices-to-elementwise`:

    ```mlir
    func.func @previous(%h: tensor<4x8xf32>, %h0: f32) -> tensor<4x8xf32> {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %empty = tensor.empty() : tensor<4x8xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          outs(%empty : tensor<4x8xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %from = arith.subi %j, %c1 : index
        %inside = arith.cmpi ult, %from, %c8 : index
        %at = arith.select %inside, %from, %c0 : index
        %element = tensor.extract %h[%i, %at] : tensor<4x8xf32>
        %chosen = arith.select %inside, %element, %h0 : f32
        linalg.yield %chosen : f32
      } -> tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numLookedUp", "looked-up",
              "Shifts and slices whose elements choose where they are from">];
}

def ScanLinalgToGPU : Pass<"scan-linalg-to-gpu", "::mlir::ModuleOp"> {
  let summary = "turn linalg operations on memrefs into GPU kernels and their launches";
  let description = [{
    What was fused into no scan runs on the GPU, too: every linalg
    operation on memrefs of a function, every `memref.copy`, and every
    `memref.store` outside loops and branches becomes a `gpu.func` in the module's one
    `gpu.module @scan_kernels` and a `gpu.launch_func` in its place.

    One thread computes one point of the dimensions that all outputs have, or
    several; it walks the other dimensions (the reductions) one after the other, in the order
    of the loops that define the operation, so that results are those of these
    loops to the bit. Of a long walk it loads 32 points at a time, and blocks are small,
    so that few elements are shared by all multiprocessors. Neighbouring threads own neighbouring elements of the
    dimension along which most is contiguous. Where there are no reductions, and at
    least 32,768 threads stay or extents are dynamic, a thread has a group of up to 16 bytes of
    them: it loads and stores them by vectors if all operands are aligned to these, and computes
    what they have in common once. Neighbouring dimensions that are
    one in memory become one before. A `linalg.fill` in front of an operation
    that overwrites all that it has filled becomes the value that the threads
    start from. Any other that sets all bits of a whole buffer of the function to
    zero becomes a `gpu.memset`, which takes no kernel. (Upstream's `--gpu-to-llvm`
    wants `--gpu-async-region` before it, and knows elements of 16 and 32 bits.)

    An operation in which each element of the output walks indices and takes what
    comes with the last one that is its own place, as `--scan-scatter-to-linalg`
    makes of a scatter, becomes two kernels that take linear time. In the first,
    one thread for each index stores the number of its step where the index says,
    by an atomic maximum, in an array of 64-bit integers that was cleared before.
    In the second, one thread for each element reads there which step was the
    last to write it, if any. A walk of one step stays what it is.

    Operations that access no memory that another one writes share a launch, where
    the last of them stands, also with other launches between them that do not:
    each has blocks of its own, of its extents, and a block finds by its number which
    one it belongs to. A launch has 32 operands at most.

    The arguments of the `gpu.func` and its attributes are those that
    `--convert-scan-to-gpu` writes, with two differences: there is no
    `scan.schedule` but `scan.strategy = "elementwise"`, with `scan.items`, how
    many neighbouring elements a thread has at most, where that is more than one;
    and the roles are `"input"` (also of what the region reads from outside) and
    `"output"`.

    In a loop, an operation that reads a slice and writes another one of the same buffer
    reads the slice where it is, where bufferization has made a copy of it, and a sum that
    starts from a copied array starts from that array: one launch less each in every step of
    a recurrence (`#scan.step_launches`).

    What stays: operations in device code, in regions of others than loops and
    branches, and on memrefs without strides; and, for the manifest, the copy of
    a whole buffer into a result (`scan.result`) at the end of a function, which
    says that this buffer is the result.

    Before:

    ```mlir
    func.func @rows(%x: memref<?x64xf32>, %y: memref<?xf32>) {
      linalg.reduce { arith.addf } ins(%x : memref<?x64xf32>) outs(%y : memref<?xf32>)
        dimensions = [1]
      return
    }
    ```

    After `--scan-linalg-to-gpu`:

    ```mlir
    #map = affine_map<()[s0] -> (...)>
    module attributes {gpu.container_module} {
      func.func @rows(%arg0: memref<?x64xf32>, %arg1: memref<?xf32>) {
        // ...
        gpu.launch_func  @scan_kernels::@rows_map0 blocks in (...) threads in (...)  args(... : memref<f32>, ... : memref<f32>, ... : index)
        return
      }
      gpu.module @scan_kernels {
        gpu.func @rows_map0(%arg0: memref<f32>, %arg1: memref<f32>, %arg2: index) kernel attributes {..., scan.args = [{kind = "pointer", name = "x0", operand = 0 : i64, role = "input", type = f32}, {kind = "pointer", name = "y0", ...}, ...], scan.block = array<i64: 32, 1, 1>, scan.grid = #map, scan.strategy = "elementwise"} {
          // ...
          gpu.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "operations-lowered", "Operations lowered">,
    Statistic<"numFills", "fills-folded",
              "Fills that became the start of another kernel">,
    Statistic<"numMemsets", "fills-as-memsets",
              "Fills with zero that need no kernel">,
    Statistic<"numCopies", "copies-folded",
              "Copies of slices in loops that are read where they are">,
    Statistic<"numScatters", "scatters",
              "Walks over all keys that became atomic maxima and a look-up">
  ];
}

#endif // SCAN_CONVERSION_LINALGTOGPU_PASSES_TD
