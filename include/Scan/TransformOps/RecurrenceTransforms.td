//===- RecurrenceTransforms.td - Schedules of steps --------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of ScanTransformOps.td. What upstream has no operation for: it tiles and
// fuses what is in the body, but bodies are to stay whole until they are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMOPS_RECURRENCETRANSFORMS_TD
#define SCAN_TRANSFORMOPS_RECURRENCETRANSFORMS_TD

def ScanSplitStageOp : Scan_InPlaceTransformOp<"split_stage"> {
  let summary = "splits the dimensions of a stage of a recurrence's step";
  let description = [{
    Writes `#scan.stage<split = ..., vector = ...>` on each operation of `target`,
    a stage in the body of a `scan.recurrence`: on a CPU, loops over parts of its row.
    A factor of 0 leaves a dimension whole.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<9x100xf32>, %init: tensor<1x100xf32>) -> tensor<9x100xf32> {
        %s = scan.recurrence ins(%x : tensor<9x100xf32>) init(%init : tensor<1x100xf32>) dim = 0 {
        ^bb0(%t: index, %before: tensor<100xf32>, %row: tensor<100xf32>):
          %sum = arith.addf %before, %row : tensor<100xf32>
          scan.yield %sum : tensor<100xf32>
        } -> tensor<9x100xf32>
        return %s : tensor<9x100xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %stage = transform.structured.match ops{["arith.addf"]} in %root
            : (!transform.any_op) -> !transform.any_op
        transform.scan.split_stage %stage by [32] vector = 8 : !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    ... = arith.addf ... {scan.stage = #scan.stage<split = [32], vector = 8>} : tensor<100xf32>
    ```

    #### Return modes

    Factors that are all 0, and vectors that are no power of two up to 64, are errors of
    the operation. Silenceable failure, which says the reason, if an operation is no
    stage, has a schedule already, or has fewer dimensions than there are factors; and if
    the last dimension's factor is no multiple of the vector.

    Reads the handle and changes the operations in place.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$factors,
                       DefaultValuedAttr<I64Attr, "1">:$vector);
  let results = (outs);
  let assemblyFormat = [{
    $target (`by` $factors^)? (`vector` `=` $vector^)? attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def ScanComputeAtOp : Op<Transform_Dialect, "scan.compute_at", [
    DeclareOpInterfaceMethods<TransformOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "places a stage inside the loops of another one";
  let description = [{
    Writes `#scan.stage<inside>` on each operation of `target`, stages that the stage
    `reader` alone reads: each part of the reader's row comes behind the same part of
    theirs. Without it a stage is computed in front of its reader, as a whole.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<9x100xf32>, %init: tensor<1x100xf32>) -> tensor<9x100xf32> {
        %s = scan.recurrence ins(%x : tensor<9x100xf32>) init(%init : tensor<1x100xf32>) dim = 0 {
        ^bb0(%t: index, %before: tensor<100xf32>, %row: tensor<100xf32>):
          %twice = arith.mulf %before, %row : tensor<100xf32>
          %sum = arith.addf %twice, %row : tensor<100xf32>
          scan.yield %sum : tensor<100xf32>
        } -> tensor<9x100xf32>
        return %s : tensor<9x100xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %first = transform.structured.match ops{["arith.mulf"]} in %root
            : (!transform.any_op) -> !transform.any_op
        %second = transform.structured.match ops{["arith.addf"]} in %root
            : (!transform.any_op) -> !transform.any_op
        transform.scan.split_stage %second by [32] : !transform.any_op
        transform.scan.compute_at %first in %second : !transform.any_op, !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    ... = arith.mulf ... {scan.stage = #scan.stage<inside>} : tensor<100xf32>
    ... = arith.addf ... {scan.stage = #scan.stage<split = [32]>} : tensor<100xf32>
    ```

    #### Return modes

    Silenceable failure, which says the reason, unless `reader` is one operation; and if
    an operation is no stage, has a schedule already, is read by others than the reader
    or across lanes, or if the reader has no split, no vector, and is not inside of
    another one.

    Reads the handles and changes the operations in place.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       TransformHandleTypeInterface:$reader);
  let results = (outs);
  let assemblyFormat = [{
    $target `in` $reader attr-dict `:` type($target) `,` type($reader)
  }];
}

def ScanUnrollTimeOp : Scan_InPlaceTransformOp<"unroll_time"> {
  let summary = "unrolls the loop over time of a recurrence";
  let description = [{
    Writes `#scan.loops<unroll = ...>` on each `scan.recurrence` of `target`: on a CPU an
    iteration of the loop over time computes so many steps. One that is there already is
    overwritten.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<9xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
        %s = scan.recurrence ins(%x : tensor<9xf32>) init(%init : tensor<1xf32>) dim = 0 {
        ^bb0(%t: index, %before: f32, %row: f32):
          %sum = arith.addf %before, %row : f32
          scan.yield %sum : f32
        } -> tensor<9xf32>
        return %s : tensor<9xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %s = transform.structured.match ops{["scan.recurrence"]} in %root
            : (!transform.any_op) -> !transform.any_op
        transform.scan.unroll_time %s by 4 : !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    ... = scan.recurrence ... attributes {scan.loops = #scan.loops<unroll = 4>} {
    ```

    #### Return modes

    A factor that is not between 1 and 64 is an error of the operation. Silenceable
    failure if an operation is no `scan.recurrence`. Reads the handle and changes the
    operations in place.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$factor);
  let results = (outs);
  let assemblyFormat = [{
    $target `by` $factor attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def ScanLaunchStepsOp : Scan_InPlaceTransformOp<"launch_steps"> {
  let summary = "makes each step of a recurrence launches of the whole grid";
  let description = [{
    Writes `#scan.step_launches` on each `scan.recurrence` of `target`: on a GPU each step is
    one launch or several. A schedule that is there already is overwritten.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<9xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
        %s = scan.recurrence ins(%x : tensor<9xf32>) init(%init : tensor<1xf32>) dim = 0 {
        ^bb0(%t: index, %before: f32, %row: f32):
          %sum = arith.addf %before, %row : f32
          scan.yield %sum : f32
        } -> tensor<9xf32>
        return %s : tensor<9xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %s = transform.structured.match ops{["scan.recurrence"]} in %root
            : (!transform.any_op) -> !transform.any_op
        transform.scan.launch_steps %s : !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    ... = scan.recurrence ... attributes {scan.schedule = #scan.step_launches} {
    ```

    #### Return modes

    Silenceable failure if an operation is no `scan.recurrence`, if it is in a loop or a
    branch, of which a manifest has none with launches that are repeated, and if its step has
    a loop or a branch that can be neither unrolled nor made a selection. Reads the handle and
    changes the operations in place.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs);
  let assemblyFormat = [{
    $target attr-dict `:` type($target)
  }];
}

#endif // SCAN_TRANSFORMOPS_RECURRENCETRANSFORMS_TD
