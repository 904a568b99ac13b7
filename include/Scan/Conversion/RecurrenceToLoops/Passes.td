//===- Passes.td - Recurrences to loops --------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_TD
#define SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertRecurrenceToLoops : Pass<"convert-recurrence-to-loops"> {
  let summary = "lower scan.recurrence to an scf loop on tensors";
  let description = [{
    Each `scan.recurrence` becomes an `scf.for` over its steps that carries the
    histories of the states and the outputs. A step takes the rows that it reads as
    slices of these, computes the body, and inserts the new rows, which bufferization
    does in place: no history is copied. Of a state whose history nobody uses the loop
    carries the last k rows only. Without `init_rows`, rows before the first
    step are those of the init, chosen by a select between two slices.

    In `--scan-to-cpu` it comes behind `--scan-raise-recurrence`: the steps have one
    order, which a scan in the place of the loop would not keep. Checks of bounds come
    behind it, so that slices and indices in the body are checked as those in loops that
    users write.

    How many steps there are, and extents that have to agree and are not static, are
    checked with `cf.assert`.

    The attributes `scan.loops` of a recurrence and `scan.stage` in its body say how the
    loop is unrolled, and how stages are divided into parts and placed
    ([`#scan.loops`](dialect.md#scanloops), [`#scan.stage`](dialect.md#scanstage)).
    A stage in parts is computed apart from the history, and copied there.

    Before:

    ```mlir
    func.func @delayed(%x: tensor<9xi32>, %init: tensor<2xi32>) -> tensor<11xi32> {
      %h = scan.recurrence ins(%x : tensor<9xi32>) init(%init : tensor<2xi32>)
          dim = 0 init_rows {
      ^bb0(%t: index, %h1: i32, %h2: i32, %row: i32):
        %next = arith.subi %row, %h2 : i32
        scan.yield %next : i32
      } -> tensor<11xi32>
      return %h : tensor<11xi32>
    }
    ```

    After `--convert-recurrence-to-loops --canonicalize --cse`:

    ```mlir
    func.func @delayed(%x: tensor<9xi32>, %init: tensor<2xi32>) -> tensor<11xi32> {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c9 = arith.constant 9 : index
      %c2 = arith.constant 2 : index
      %empty = tensor.empty() : tensor<11xi32>
      %start = tensor.insert_slice %init into %empty[0] [2] [1] : tensor<2xi32> into tensor<11xi32>
      %h = scf.for %t = %c0 to %c9 step %c1 iter_args(%rows = %start) -> (tensor<11xi32>) {
        %h2 = tensor.extract %rows[%t] : tensor<11xi32>
        %row = tensor.extract %x[%t] : tensor<9xi32>
        %next = arith.subi %row, %h2 : i32
        %at = arith.addi %t, %c2 : index
        %after = tensor.insert %next into %rows[%at] : tensor<11xi32>
        scf.yield %after : tensor<11xi32>
      }
      return %h : tensor<11xi32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "recurrences-lowered", "Recurrences lowered">
  ];
}

def ConvertRecurrenceToScans : Pass<"convert-recurrence-to-scans"> {
  let summary = "turn pointwise recurrences into scans with steps in order";
  let description = [{
    A `scan.recurrence` whose steps look one row back and compute each lane of a row
    from the same lane of others becomes a `scan.associative` with `order = sequential`:
    its combine region is the step for one lane, and need not be associative, as steps
    are taken in order. On a CPU that keeps states in registers, and has vectors and
    threads over lanes; results are those of the recurrence, to the bit.

    Captures of the row's shape are read as inputs that are the same at each step, scalars
    likewise. Recurrences that read the number of the row, more rows back, or another
    lane, and those with a number of steps as an operand stay what they are.

    Before:

    ```mlir
    func.func @cell(%x: tensor<9x4xf32>, %init: tensor<1x4xf32>) -> tensor<9x4xf32> {
      %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%init : tensor<1x4xf32>) dim = 0 {
      ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
        %sum = arith.addf %h1, %row : tensor<4xf32>
        %next = math.tanh %sum : tensor<4xf32>
        scan.yield %next : tensor<4xf32>
      } -> tensor<9x4xf32>
      return %h : tensor<9x4xf32>
    }
    ```

    After `--convert-recurrence-to-scans`:

    ```mlir
    func.func @cell(%x: tensor<9x4xf32>, %init: tensor<1x4xf32>) -> tensor<9x4xf32> {
      %row = tensor.collapse_shape %init [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
      %h = scan.associative ins(%x : tensor<9x4xf32>) init(%row : tensor<4xf32>) dim = 0
          attributes {order = #scan.order<sequential>} {
      ^bb0(%acc: f32, %new: f32):
        %sum = arith.addf %acc, %new : f32
        %next = math.tanh %sum : f32
        scan.yield %next : f32
      } -> tensor<9x4xf32>
      return %h : tensor<9x4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numConverted", "recurrences-converted", "Recurrences converted">
  ];
}

#endif // SCAN_CONVERSION_RECURRENCETOLOOPS_PASSES_TD
