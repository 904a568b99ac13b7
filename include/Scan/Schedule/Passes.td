//===- Passes.td - Choosing schedules ----------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_SCHEDULE_PASSES_TD
#define SCAN_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanAssignSchedule : Pass<"scan-assign-schedule"> {
  let summary = "choose a schedule for each scan.kernel that has none";
  let description = [{
    Writes `#scan.schedule` on every `scan.kernel` without one, as a cost model
    decides from what is known at compile time: the order of the scan, along
    which dimension its operands are contiguous, extents where static, bytes and
    registers per step.

    A schedule that is there already is kept, whatever the model thinks. It has
    to respect the limits of the chip; one that does not is an error that names
    the limit.

    With `dispatch`, a kernel on memrefs with dynamic extents becomes up to six,
    for different extents, in branches of `scf.if`: the host chooses when it
    knows them. Each further schedule has to make the kernel faster, as the
    model estimates, in the geometric mean over the range of extents; conditions
    are on the extent of the scan dimension and on the product of the others.
    Without `dispatch`, and where the host cannot choose, a kernel has the one
    schedule that is least slower than the best over that range; one on tensors,
    which may still grow by fusion, has the schedule for usual extents. With
    `variant=N` it has the schedule of the N-th of its variants, from 1,
    whatever the extents: so that each can be tested.

    With `tuning` a schedule that was measured to be the fastest one, by `scan-tune`
    on such a chip, is preferred to what the model chooses: where extents are
    static if it was measured at these, else in variants for extents near to
    those at which it was measured. A file that cannot be read is ignored, with a
    warning.

    Before:

    ```mlir
    func.func @cumsum(%x: memref<64x?xf32>, %y: memref<64x?xf32>) {
      scan.kernel dim = 1
          ins(%x : memref<64x?xf32>) outs(%y : memref<64x?xf32>)
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

    After `--scan-assign-schedule=dispatch=false`:

    ```mlir
    func.func @cumsum(%arg0: memref<64x?xf32>, %arg1: memref<64x?xf32>) {
      scan.kernel dim = 1
          ins(%arg0 : memref<64x?xf32>) outs(%arg1 : memref<64x?xf32>)
          maps ... attributes {schedule = #scan.schedule<strategy = ...>}
          load {
          // ...
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "GPU architecture to choose for, such as sm_80 or sm_90; an unknown one "
           "is an error that lists them">,
    Option<"dispatch", "dispatch", "bool", "true",
           "Where extents are dynamic, choose several schedules per kernel, and "
           "let the host choose among them">,
    Option<"maxVariants", "max-variants", "unsigned", "0",
           "At most so many schedules per kernel with dynamic extents, as long as "
           "each makes it faster (0: as many as are worth their compilation)">,
    Option<"variant", "variant", "unsigned", "0",
           "Of the schedules that are chosen for a kernel, use this one alone "
           "(1: the first; the last if there are fewer; 0: all of them)">,
    Option<"tuning", "tuning", "std::string", "\"\"",
           "File with schedules that scan-tune measured, which are preferred "
           "(default: the one that the environment variable SCAN_TUNING names)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scan::ScanDialect",
    "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numAssigned", "schedules-assigned", "Schedules chosen">,
    Statistic<"numKept", "schedules-kept", "Schedules found and kept">,
    Statistic<"numDispatched", "kernels-dispatched",
              "Kernels with a choice of schedules">
  ];
}

#endif // SCAN_SCHEDULE_PASSES_TD
