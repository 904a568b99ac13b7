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

    *   At each step, the number of its segment is found by bisection of the
        offsets, and with it whether the segment starts there (ends, for a scan in
        reverse).
    *   With one init per segment, the inits are gathered to one per step, as flags
        allow: a walk that starts at step t starts from element t of the init.
    *   The final state of a segment is gathered from the result at its last
        step; that of an empty one is its init, or zero. An exclusive scan has
        the state before that step; the step is done again. (Where the scan
        accumulates in a wider type, or its leaves have trailing dimensions, the
        scan is made an inclusive one instead, and its result shifted by a step.)

    With `check-offsets` the program stops at run time where offsets decrease, do
    not begin with 0 or do not end with the extent of the scan dimension; without,
    results are then unspecified. GPU code is not checked.

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
      ... = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(... : tensor<?xi1>) {
      ^bb0(%out: i1):
        %... = linalg.index 0 : index
        // ...
        %extracted = tensor.extract %arg1[...] : tensor<?xi32>
        %... = arith.index_cast %extracted : i32 to index
        %... = arith.cmpi eq, %..., %... : index
        linalg.yield %... : i1
      } -> tensor<?xi1>
      %... = scan.associative ins(%arg0 : tensor<?x64xf32>) segments(%... : tensor<?xi1>) dim = 0 {
      // ...
    }
    ```
  }];
  let options = [
    Option<"checkOffsets", "check-offsets", "bool", /*default=*/"true",
           "Stop the program where offsets are no offsets">
  ];
  let dependentDialects = [
    "::mlir::scan::ScanDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numExpanded", "scans", "Scans whose offsets became flags">];
}

#endif // SCAN_TRANSFORMS_SEGMENTS_PASSES_TD
