//===- Passes.td - Scans to loops --------------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD
#define SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertScanToLoops : Pass<"convert-scan-to-loops"> {
  let summary = "lower scan.kernel on memrefs to scf loops";
  let description = [{
    Each `scan.kernel` on memrefs becomes a nest of `scf.for` loops.

    Where a dimension other than the scan dimension is the innermost one of most
    operands, a step of the scan dimension handles a block of it: the carried
    state of the block is a small buffer on the stack that stays in the
    first-level cache, and memory is streamed through in its own order. The
    inner loop works on vectors where element types and regions allow it, with a
    scalar loop for what is left over, from the last vector on in reverse. Results
    are bitwise equal to the left fold.

    Otherwise each row is walked with its state in registers, a tile of four vectors
    of neighbouring steps at a time, eight where a combine takes long, or one where
    regions or rows do not allow more: steps are combined with the ones before them
    in the tile, and the state before the tile is combined in front. Results are those of this
    bracketing, which depends on `vector-bits` and, without `order =
    deterministic`, on the alignment of outputs: steps before the first aligned
    store are walked one after the other. With `order = sequential`, or where
    vectors do not pay (of fewer than 4 lanes, or for several rows shorter than 2 of
    them, which is found out at run time where it is not known) or cannot be used (complex numbers, operations that do not work on
    vectors, integer divisions in `combine`), rows are walked one step after the
    other, several rows at a time, and results are bitwise equal to the left fold. Where
    the regions have functions such as exp, or divisions, vectors then have an element of
    each of several rows, which are loaded and stored one by one.

    Outputs of `streaming-bytes` and more, where vectors of them are aligned, are
    stored past the caches; `--scan-fence-streams` has to follow where other threads
    read them.

    Products of a recurrence's coefficients may overflow where its states do not.
    Steps of which a product is infinite or not a number are walked one after the
    other, as the left fold, which multiplies no coefficients, walks them.

    Extents that have to agree and are not static are checked first, with
    `cf.assert`.

    With `threads`, loops over independent scans become an `scf.parallel` over at
    most 256 parts of about the same size, or one where the work of the whole kernel
    is less than `thread-work`: extents alone decide, so that results do not depend on
    how many threads there are. A dimension that a reduction output leaves out is
    walked inside of a part. Where there are fewer than 64 rows, or rows add to the
    same sums, long rows that are walked in tiles are cut into blocks, of 128 KB of
    inputs, leaves or less. The iterations of an `scf.parallel` take one block after
    the other: what the steps of a block have together is computed first, combined
    with the state behind the block before, as soon as that is known, and handed on;
    then the block is scanned from that state on. What keeps a thread waiting for some
    10 microseconds it computes itself. Where a combine takes long, the
    tiles of the first pass are saved for the second one. Results are the same on any
    number of threads, but not those without `threads`; with `order = deterministic`
    rows stay whole. `--scan-loops-to-threads` makes threads of these loops.

    Before:

    ```mlir
    func.func @cumsum(%x: memref<64x20xf32>, %y: memref<64x20xf32>) {
      scan.kernel dim = 1
          ins(%x : memref<64x20xf32>) outs(%y : memref<64x20xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%e: f32):
            scan.yield %e : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
            scan.yield %inclusive : f32
          }
      return
    }
    ```

    After `--convert-scan-to-loops=rows=1 --canonicalize --cse`:

    ```mlir
    func.func @cumsum(%x: memref<64x20xf32>, %y: memref<64x20xf32>) {
      %identity = arith.constant -0.0 : f32
      %c64 = arith.constant 64 : index
      %c20 = arith.constant 20 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %c64 step %c1 {
        %last = scf.for %t = %c0 to %c20 step %c1 iter_args(%acc = %identity) -> (f32) {
          %new = memref.load %x[%i, %t] : memref<64x20xf32>
          %s = arith.addf %acc, %new : f32
          memref.store %s, %y[%i, %t] : memref<64x20xf32>
          scf.yield %s : f32
        } {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>>}
      }
      return
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"512",
           "Size of the vectors of the inner loop in bits, a power of two from 8 "
           "to 4096; 0 gives scalar code">,
    Option<"stateBytes", "state-bytes", "unsigned", /*default=*/"16384",
           "Size in bytes of the state of one block of neighbouring scans; "
           "should fit the first-level data cache with room to spare">,
    Option<"rows", "rows", "unsigned", /*default=*/"4",
           "How many neighbouring rows are walked at a time where the scan "
           "dimension is innermost, 64 at most">,
    Option<"streamingBytes", "streaming-bytes", "unsigned",
           /*default=*/"33554432",
           "Size in bytes from which on the outputs of a scan are stored past "
           "the caches, which should be that of the last-level cache; 0 never "
           "does">,
    Option<"threads", "threads", "bool", /*default=*/"false",
           "Loops over independent scans become an scf.parallel over parts">,
    Option<"threadWork", "thread-work", "unsigned", /*default=*/"4194304",
           "With threads: the work, about the operations of all points, from which "
           "on a kernel is divided into parts">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::complex::ComplexDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "kernels-lowered", "Kernels lowered">
  ];
}

def ScanBatchToThreads : Pass<"scan-batch-to-threads"> {
  let summary = "divide the batch of loops over time among threads";
  let description = [{
    An `scf.for` on memrefs whose operations treat the indices of one dimension apart, as
    a recurrent cell treats the sequences of a batch, becomes one `scf.parallel` around the loop,
    over at most 256 parts of that dimension: each goes through all steps on a range of
    indices. `--scan-loops-to-threads` makes threads of it.

    Each structured operation and each copy of the loop has to index the dimension by a
    parallel loop, in everything that it writes, and to read at the same index what
    another one writes. What the loop writes has to be allocated in the program.
    Temporaries of a step are allocated once, in front, for the whole batch. The checks
    of all steps are in front, too, in a loop of theirs, so that the parts neither stop
    nor allocate. Loops with results, with operations on memrefs of other kinds, and
    with checks of what memory holds stay on one thread.

    As for scans, extents alone decide how many parts there are: one where the work is
    less than `thread-work`, and otherwise as many as have four indices, 64 where the
    dimension is innermost, but two at least.

    Before:

    ```mlir
    func.func @cell(%u: memref<8x8xf32>) -> memref<16x8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c9 = arith.constant 9 : index
      %h = memref.alloc() : memref<16x8xf32>
      scf.for %t = %c0 to %c9 step %c1 {
        %z = memref.alloc() : memref<16x8xf32>
        memref.copy %h, %z : memref<16x8xf32> to memref<16x8xf32>
        linalg.matmul ins(%z, %u : memref<16x8xf32>, memref<8x8xf32>)
            outs(%h : memref<16x8xf32>)
      }
      return %h : memref<16x8xf32>
    }
    ```

    After `--scan-batch-to-threads=thread-work=1000 --canonicalize --cse`:

    ```mlir
    func.func @cell(%arg0: memref<8x8xf32>) -> memref<16x8xf32> {
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c9 = arith.constant 9 : index
      %alloc = memref.alloc() : memref<16x8xf32>
      %alloc_0 = memref.alloc() : memref<16x8xf32>
      scf.parallel (%arg1) = (%c0) to (%c4) step (%c1) {
        %0 = arith.muli %arg1, %c16 : index
        %1 = arith.divui %0, %c4 : index
        scf.for %arg2 = %c0 to %c9 step %c1 {
          %subview = memref.subview %alloc[%1, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
          %subview_1 = memref.subview %alloc_0[%1, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
          memref.copy %subview, %subview_1 : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32, strided<[8, 1], offset: ?>>
          linalg.matmul ins(%subview_1, %arg0 : memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x8xf32>) outs(%subview : memref<4x8xf32, strided<[8, 1], offset: ?>>)
        }
        scf.reduce 
      } {scan.threads}
      return %alloc : memref<16x8xf32>
    }
    ```
  }];
  let options = [
    Option<"threadWork", "thread-work", "unsigned", /*default=*/"4194304",
           "The work, about the operations of all steps, from which on a loop is "
           "divided into parts">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numDivided", "loops-divided", "Loops whose batch is divided">
  ];
}

def ScanLinalgToVectors : Pass<"scan-linalg-to-vectors"> {
  let summary = "lower structured operations on memrefs to loops on vectors";
  let description = [{
    Structured operations of `linalg` on memrefs become `scf.for` loops whose bodies
    work on vectors of neighbours along the innermost dimension of the outputs, with
    scalar code for what is left over: what is computed element by element around
    scans, and the contractions with weights in the steps of recurrences.

    Of a reduction a tile of elements stays in registers: eight rows of two vectors,
    four rows of 256 bits and less, where a dimension of rows shares 2048 elements or more
    that are read as vectors, as a batch shares weights, and else up to eight vectors. Elements are added up in the order of the reduction's loops: results
    are those of scalar loops, to the bit; with `fused-multiply-add`, a product that is
    added to an output is rounded with the sum only, wherever in a tile it is.

    Left alone is what does not have a vector for each of its operands: operations whose
    inputs are not contiguous along that dimension, on complex numbers or with memrefs of
    i1, and bodies with operations that have no form for vectors, or that divide
    integers. `--scan-linalg-to-loops` makes scalar loops of these.

    Before:

    ```mlir
    func.func @add(%x: memref<64xf32>, %y: memref<64xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]}
          ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
      ^bb0(%e: f32, %o: f32):
        %s = arith.addf %e, %o : f32
        linalg.yield %s : f32
      }
      return
    }
    ```

    After `--scan-linalg-to-vectors=vector-bits=256 --canonicalize --cse`:

    ```mlir
    func.func @add(%x: memref<64xf32>, %y: memref<64xf32>) {
      %c64 = arith.constant 64 : index
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c64 step %c8 {
        %o = vector.load %y[%i] : memref<64xf32>, vector<8xf32>
        %e = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
        %s = arith.addf %e, %o : vector<8xf32>
        vector.store %s, %y[%i] : memref<64xf32>, vector<8xf32>
      }
      return
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"512",
           "Size of the vectors in bits, a power of two from 8 to 4096; 0 leaves all "
           "operations alone">,
    Option<"fusedMultiplyAdd", "fused-multiply-add", "bool", /*default=*/"false",
           "Add products to outputs of f32 and f64 by math.fma, for processors that have it as "
           "one instruction">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numVectorized", "operations-vectorized", "Operations that became loops on vectors">
  ];
}

def ScanPackOperands : Pass<"scan-pack-operands"> {
  let summary = "bring matrices that loops do not change into panels";
  let description = [{
    In a loop, a contraction of `linalg` on tensors with a tensor that the loop does not
    change, as the weights in the steps of a recurrence, reads that from a copy in front
    of the loop: panels of 128 bytes of neighbouring columns, which are the elements
    along the innermost dimension of the outputs, from each row, one behind the other.
    Code for a tile of columns then reads one piece of memory, whatever the order of the
    matrix's dimensions was, and however long its rows are. Outputs, and other inputs
    with these columns, are seen as panels, which is no copy.

    It needs a static number of columns that is a multiple of a panel's, and indexing
    maps that are projected permutations.

    Before:

    ```mlir
    func.func @power(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<8x64xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<8x64xf32>
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %h) -> (tensor<8x64xf32>) {
        %y = linalg.generic {
            indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                             affine_map<(m, n, k) -> (m, n)>],
            iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%zero : tensor<8x64xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        } -> tensor<8x64xf32>
        scf.yield %y : tensor<8x64xf32>
      }
      return %last : tensor<8x64xf32>
    }
    ```

    After `--scan-pack-operands --canonicalize`:

    ```mlir
    func.func @power(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>, %n: index) -> tensor<8x64xf32> {
      %zero = arith.constant dense<0.0> : tensor<8x2x32xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = tensor.expand_shape %w [[0], [1, 2]] output_shape [64, 2, 32] : tensor<64x64xf32> into tensor<64x2x32xf32>
      %empty = tensor.empty() : tensor<2x64x32xf32>
      %panels = linalg.generic {
          indexing_maps = [affine_map<(n, k, p) -> (k, n, p)>, affine_map<(n, k, p) -> (n, k, p)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%columns : tensor<64x2x32xf32>) outs(%empty : tensor<2x64x32xf32>) {
      ^bb0(%a: f32, %b: f32):
        linalg.yield %a : f32
      } -> tensor<2x64x32xf32>
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %h) -> (tensor<8x64xf32>) {
        %y = linalg.generic {
            indexing_maps = [affine_map<(m, n, p, k) -> (m, k)>, affine_map<(m, n, p, k) -> (n, k, p)>,
                             affine_map<(m, n, p, k) -> (m, n, p)>],
            iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
            ins(%x, %panels : tensor<8x64xf32>, tensor<2x64x32xf32>) outs(%zero : tensor<8x2x32xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %q = arith.mulf %a, %b : f32
          %s = arith.addf %c, %q : f32
          linalg.yield %s : f32
        } -> tensor<8x2x32xf32>
        %all = tensor.collapse_shape %y [[0], [1, 2]] : tensor<8x2x32xf32> into tensor<8x64xf32>
        scf.yield %all : tensor<8x64xf32>
      }
      return %last : tensor<8x64xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numPacked", "operands-packed", "Operands that are packed in front of a loop">
  ];
}

#endif // SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD
