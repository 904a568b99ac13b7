//===- Passes.td - Segments of scans -----------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_SEGMENTS_PASSES_TD
#define SCAN_TRANSFORMS_SEGMENTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanExpandSegments : Pass<"scan-expand-segments"> {
  let summary = "turn the offsets of segments into flags";
  let description = [{
    Rewrites scans whose `segments` are offsets to ones with flags, one per step,
    which `--scan-normalize` understands (and makes itself, unchecked, where it meets
    offsets):

    *   The flags are a `scan.head_flags` of the offsets, which `--scan-fuse-segment-offsets`
        puts into kernels or lowers.
    *   With one init per segment, the inits are gathered to one per step, as flags
        allow: a walk that starts at step t starts from element t of the init. The
        number of a step's segment is found by bisection of the offsets.
    *   The final state of a segment is gathered from the result at its last
        step; that of an empty one is its init, or zero. An exclusive scan has
        the state before that step; the step is done again. (Where the scan
        accumulates in a wider type, or its leaves have trailing dimensions, the
        scan is made an inclusive one instead, and its result shifted by a step.)

    With `check-offsets` the program stops at run time where offsets decrease, do
    not begin with 0 or do not end with the extent of the scan dimension. With
    `check-in-kernels` the head flags are marked instead (`scan.check_offsets`): what
    `--scan-fuse-segment-offsets` makes of them checks the offsets where it runs, and
    writes what it has found into memory that launchers look at. With neither, results
    are then unspecified.

    Before:

    ```mlir
    func.func @packed(%x: tensor<?x64xf32>, %cu_seqlens: tensor<?xi32>) -> tensor<?x64xf32> {
      %y = scan.associative ins(%x : tensor<?x64xf32>) segments(%cu_seqlens : tensor<?xi32>) dim = 0 {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```

    After `--scan-expand-segments=check-offsets=false`:

    ```mlir
    func.func @packed(%arg0: tensor<?x64xf32>, %arg1: tensor<?xi32>) -> tensor<?x64xf32> {
      // ...
      %... = tensor.dim %arg0, %... : tensor<?x64xf32>
      %... = scan.head_flags %arg1 extent(%...) : tensor<?xi32> -> tensor<?xi1>
      %... = scan.associative ins(%arg0 : tensor<?x64xf32>) segments(%... : tensor<?xi1>) dim = 0 {
      // ...
    }
    ```
  }];
  let options = [
    Option<"checkOffsets", "check-offsets", "bool", /*default=*/"true",
           "Stop the program where offsets are no offsets">,
    Option<"checkInKernels", "check-in-kernels", "bool", /*default=*/"false",
           "Have the kernels of a GPU check offsets, which cannot stop the program">
  ];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numExpanded", "scans", "Scans whose offsets became flags">];
}

def ScanExpandRecurrenceSegments : Pass<"scan-expand-recurrence-segments"> {
  let summary = "make the segments of recurrences an input of them";
  let description = [{
    Rewrites each `scan.recurrence` with `segments` to one without: head flags are an
    input, and a step chooses between the rows of the init and the previous ones. A
    state that looks back k steps becomes k states that look back one, all of which
    are the rows of the init where a segment starts. Offsets become flags by
    `scan.head_flags`, as those of other scans do (`--scan-expand-segments`, whose
    options these are); final states of their segments are gathered from the
    histories.

    What lowers recurrences, and derivatives, know of no segments; pipelines have this
    pass behind `--scan-raise-recurrence`, which hands segments on to scans.

    Before:

    ```mlir
    func.func @packed(%x: tensor<9x4xf32>, %h0: tensor<1x4xf32>, %starts: tensor<9xi1>) -> tensor<9x4xf32> {
      %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%h0 : tensor<1x4xf32>)
          segments(%starts : tensor<9xi1>) dim = 0 {
      ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
        %sum = arith.addf %h1, %row : tensor<4xf32>
        %next = math.tanh %sum : tensor<4xf32>
        scan.yield %next : tensor<4xf32>
      } -> tensor<9x4xf32>
      return %h : tensor<9x4xf32>
    }
    ```

    After `--scan-expand-recurrence-segments`:

    ```mlir
    func.func @packed(%x: tensor<9x4xf32>, %h0: tensor<1x4xf32>, %starts: tensor<9xi1>) -> tensor<9x4xf32> {
      %start = tensor.extract_slice %h0[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> to tensor<4xf32>
      %h = scan.recurrence ins(%x, %starts : tensor<9x4xf32>, tensor<9xi1>) init(%h0 : tensor<1x4xf32>)
          captures(%start : tensor<4xf32>) dim = 0 {
      ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>, %isStart: i1, %fresh: tensor<4xf32>):
        %before = arith.select %isStart, %fresh, %h1 : tensor<4xf32>
        %sum = arith.addf %before, %row : tensor<4xf32>
        %next = math.tanh %sum : tensor<4xf32>
        scan.yield %next : tensor<4xf32>
      } -> tensor<9x4xf32>
      return %h : tensor<9x4xf32>
    }
    ```
  }];
  let options = [
    Option<"checkOffsets", "check-offsets", "bool", /*default=*/"true",
           "Stop the program where offsets are no offsets">,
    Option<"checkInKernels", "check-in-kernels", "bool", /*default=*/"false",
           "Have the kernels of a GPU check offsets, which cannot stop the program">
  ];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ScanFuseSegmentInits : Pass<"scan-fuse-segment-inits"> {
  let summary = "read one init per segment in kernels, where the segment starts";
  let description = [{
    A `scan.kernel` that reads what `--scan-expand-segments` gathers of one init per
    segment, a state for each step, reads the inits themselves: they become a *gathered*
    input, whose places are the numbers of segments at their first steps (in reverse at
    their last ones), and -1 at all other steps, where nothing is read. So a scan moves as
    many inits as there are segments, not as there are steps.

    Kernels with `bidirectional`, and inputs that are shifted or broadcast along a
    dimension of extent 1, are left alone; and kernels of a single row whose states are no
    wider than a number, which would move no less. What gathers is erased if nothing else reads its result.

    Before, where `%at` has the number of a segment at its first step and -1 elsewhere:

    ```mlir
    func.func @packed(%x: tensor<?x64xf32>, %f: tensor<?xi1>, %at: tensor<?xi32>, %h0: tensor<?x64xf32>,
                      %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %zero = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %n = tensor.dim %x, %zero : tensor<?x64xf32>
      %s = tensor.dim %h0, %zero : tensor<?x64xf32>
      %e = tensor.empty(%n) : tensor<?x64xf32>
      %i = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%at : tensor<?xi32>) outs(%e : tensor<?x64xf32>) {
      ^bb0(%k: i32, %out: f32):
        %p = arith.index_cast %k : i32 to index
        %is = arith.cmpi ult, %p, %s : index
        %c = linalg.index 1 : index
        %h = scf.if %is -> f32 {
          %r = tensor.extract %h0[%p, %c] : tensor<?x64xf32>
          scf.yield %r : f32
        } else {
          scf.yield %none : f32
        }
        linalg.yield %h : f32
      } -> tensor<?x64xf32>
      %0 = scan.kernel dim = 0
          ins(%x, %f, %i : tensor<?x64xf32>, tensor<?xi1>, tensor<?x64xf32>) outs(%y : tensor<?x64xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
          load {
          ^bb0(%x0: f32, %start: i1, %init: f32):
            %b = arith.addf %init, %x0 : f32
            %l = arith.select %start, %b, %x0 : f32
            scan.yield %l, %start : f32, i1
          } combine {
          ^bb0(%a0: f32, %p: i1, %a1: f32, %q: i1):
            %b = arith.addf %a0, %a1 : f32
            %r = arith.select %q, %a1, %b : f32
            %o = arith.ori %p, %q : i1
            scan.yield %r, %o : f32, i1
          } store {
          ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none_: i1, %x0: f32, %start: i1, %init: f32):
            scan.yield %inclusive : f32
          } -> tensor<?x64xf32>
      return %0 : tensor<?x64xf32>
    }
    ```

    After `--scan-fuse-segment-inits`:

    ```mlir
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1) -> (d0)>
    #map2 = affine_map<(d0, d1) -> (0, d1)>
    // ...
    func.func @packed(%arg0: tensor<?x64xf32>, %arg1: tensor<?xi1>, %arg2: tensor<?xi32>, %arg3: tensor<?x64xf32>, %arg4: tensor<?x64xf32>) -> tensor<?x64xf32> {
      // ...
      %... = scan.kernel dim = 0
          ins(%arg0, %arg1, %arg3, %arg2 : tensor<?x64xf32>, tensor<?xi1>, tensor<?x64xf32>, tensor<?xi32>) outs(%arg4 : tensor<?x64xf32>)
          maps [#map, #map1, #map2, #map1, #map] attributes {gathers = array<i64: -1, -1, 3, -1>}
          load {
          ^bb0(%...: f32, %...: i1, %...: f32, %...: i32):
          // ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::scan::ScanDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "inputs", "Inputs of kernels that became gathered ones">];
}

def ScanFuseSegmentOffsets : Pass<"scan-fuse-segment-offsets"> {
  let summary = "read where sequences start from their offsets, in kernels";
  let description = [{
    A `scan.kernel` that reads a `scan.head_flags` of its own direction step by step
    reads the offsets as a list of segment offsets instead: no flags lie in memory. So it is
    where blocks of threads walk rows: in kernels whose schedule has the strategy
    `row`, or that have no schedule, have what they read and write contiguous along
    the scan dimension, and have at most `max-scans` independent scans, as far
    as extents are static. (Where many rows share the flags, these cost little.)
    Kernels with `bidirectional`, in the order `sequential`, or of whose extents only the
    flags tell are left alone.

    All other uses of `scan.head_flags` read a tensor that is computed by bisection of
    the offsets at each step. `max-scans=0` lowers all of them. Where all kernels that read
    flags read the numbers of segments at the same steps, too (`--scan-fuse-segment-inits`),
    these are compared with 0 in place of the flags.

    Where the head flags have the mark `scan.check_offsets`, a kernel takes it over, and
    what computes a tensor checks each offset besides: it should start with 0, not decrease
    and end with the number of steps. What is wrong goes into a *status*, a `memref.alloc`
    of three words with the mark `scan.status`, by atomic maxima
    ([manifest.md](../manifest.md) says what the words mean). Wrong offsets lead to no
    access out of bounds.

    Before:

    ```mlir
    func.func @packed(%x: tensor<?xf32>, %cu_seqlens: tensor<?xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %zero = arith.constant 0 : index
      %n = tensor.dim %x, %zero : tensor<?xf32>
      %f = scan.head_flags %cu_seqlens extent(%n) : tensor<?xi32> -> tensor<?xi1>
      %0 = scan.kernel dim = 0
          ins(%x, %f : tensor<?xf32>, tensor<?xi1>) outs(%y : tensor<?xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
          load {
          ^bb0(%e: f32, %start: i1):
            scan.yield %e, %start : f32, i1
          } combine {
          ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
            %s = arith.addf %x0, %x1 : f32
            %r = arith.select %q, %x1, %s : f32
            %o = arith.ori %p, %q : i1
            scan.yield %r, %o : f32, i1
          } store {
          ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
            scan.yield %inclusive : f32
          } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    After `--scan-fuse-segment-offsets`:

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    #map1 = affine_map<(d0) -> (0)>
    // ...
    func.func @packed(%arg0: tensor<?xf32>, %arg1: tensor<?xi32>, %arg2: tensor<?xf32>) -> tensor<?xf32> {
      // ...
      %... = scan.kernel dim = 0
          ins(%arg0, %arg1 : tensor<?xf32>, tensor<?xi32>) outs(%arg2 : tensor<?xf32>)
          maps [#map, #map1, #map] attributes {segment_offsets = array<i1: false, true>}
          load {
          ^bb0(%...: f32, %...: i1):
          // ...
    }
    ```
  }];
  let options = [
    Option<"maxScans", "max-scans", "int64_t", /*default=*/"64",
           "Kernels with more independent scans read flags">
  ];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "inputs", "Inputs of kernels that became offsets">,
    Statistic<"numLowered", "lowered", "Head flags that no kernel reads from offsets">];
}

#endif // SCAN_TRANSFORMS_SEGMENTS_PASSES_TD
