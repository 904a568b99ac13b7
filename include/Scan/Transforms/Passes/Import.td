//===- Import.td - Scans of other dialects -----------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_IMPORT_TD
#define SCAN_TRANSFORMS_PASSES_IMPORT_TD

include "mlir/Pass/PassBase.td"

def ScanImportLinalgExt : Pass<"scan-import-linalg-ext"> {
  let summary = "turn scans of IREE and torch-mlir into scan.associative";
  let description = [{
    `iree_linalg_ext.scan` of IREE and `tm_tensor.scan` of torch-mlir, as their
    tools print them in the generic form (`--mlir-print-op-generic`), become
    `scan.associative`. Their dialects are not known here: `scan-opt` reads them
    with `--allow-unregistered-dialect`.

    These operations have an input, an output and an accumulator, and run along
    `dimension` from the first element to the last one. With `inclusive = true`
    the first element of the result is that of the input; else it is the
    accumulator, which becomes the init. The second result, the accumulator at
    the end, is the last element of the first result, or, with fewer than two
    steps, the accumulator as it was: where that is used, the scanned dimension
    has to be static.

    Before:

    ```generic
    func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %acc: tensor<4xf32>) -> tensor<4x8xf32> {
      %s:2 = "iree_linalg_ext.scan"(%x, %y, %acc) <{dimension = 1 : i64, inclusive = true}> ({
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        "iree_linalg_ext.yield"(%t) : (f32) -> ()
      }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
      return %s#0 : tensor<4x8xf32>
    }
    ```

    After `--allow-unregistered-dialect --scan-import-linalg-ext`:

    ```mlir
    func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %acc: tensor<4xf32>) -> tensor<4x8xf32> {
      %s = scan.associative ins(%x : tensor<4x8xf32>) dim = 1 {
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        scan.yield %t : f32
      } -> tensor<4x8xf32>
      return %s : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::scan::ScanDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numScans", "scans", "Scans of other dialects that were turned into scan.associative">];
}

def ScanFoldEqualOperands : Pass<"scan-fold-equal-operands"> {
  let summary = "fold integer operations on a tensor with itself";
  let description = [{
    Upstream folds `arith.xori %x, %x` and `arith.cmpi %x, %x` into a constant of the type
    of the result, and `(%x - %y) - %x` into a subtraction from such a one. A constant has a static shape, so that the program is invalid
    afterwards if the shape is dynamic. This pass is to precede what folds: with a
    dynamic shape it makes a `tensor.splat`. (What is printed by others in between may
    be folded already.)

    Before:

    ```mlir
    func.func @nothing(%x: tensor<?xi32>) -> tensor<?xi32> {
      %0 = arith.xori %x, %x : tensor<?xi32>
      return %0 : tensor<?xi32>
    }
    ```

    After `--scan-fold-equal-operands`:

    ```mlir
    func.func @nothing(%x: tensor<?xi32>) -> tensor<?xi32> {
      %c0 = arith.constant 0 : index
      %size = tensor.dim %x, %c0 : tensor<?xi32>
      %zero = arith.constant 0 : i32
      %0 = tensor.splat %zero[%size] : tensor<?xi32>
      return %0 : tensor<?xi32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif // SCAN_TRANSFORMS_PASSES_IMPORT_TD
