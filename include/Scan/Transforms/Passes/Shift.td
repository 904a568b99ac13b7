//===- Shift.td - Shifts that nothing fuses ----------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMS_PASSES_SHIFT_TD
#define SCAN_TRANSFORMS_PASSES_SHIFT_TD

include "mlir/Pass/PassBase.td"

def ScanShiftToSlices : Pass<"scan-shift-to-slices"> {
  let summary = "make slices of a tensor of every scan.shift that is left";
  let description = [{
    Rewrites `scan.shift` to what bufferizes: a new tensor, one slice of which is
    filled with the boundary and one with the elements that stay within the
    extent. A shift that `--scan-fuse-elementwise` has made a shifted input of a
    kernel costs nothing; this one is a copy, so run it last.

    Before:

    ```mlir
    func.func @previous(%h: tensor<4x8xf32>, %h0: f32) -> tensor<4x8xf32> {
      %p = scan.shift %h boundary(%h0 : f32) dim = 1 by = 1 : tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    }
    ```

    After `--scan-shift-to-slices`:

    ```mlir
    func.func @previous(%h: tensor<4x8xf32>, %h0: f32) -> tensor<4x8xf32> {
      %empty = tensor.empty() : tensor<4x8xf32>
      %edge = tensor.extract_slice %empty[0, 0] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
      %filled = linalg.fill ins(%h0 : f32) outs(%edge : tensor<4x1xf32>) -> tensor<4x1xf32>
      %first = tensor.insert_slice %filled into %empty[0, 0] [4, 1] [1, 1]
          : tensor<4x1xf32> into tensor<4x8xf32>
      %rest = tensor.extract_slice %h[0, 0] [4, 7] [1, 1] : tensor<4x8xf32> to tensor<4x7xf32>
      %p = tensor.insert_slice %rest into %first[0, 1] [4, 7] [1, 1]
          : tensor<4x7xf32> into tensor<4x8xf32>
      return %p : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numShifts", "shifts", "Shifts lowered">];
}

#endif // SCAN_TRANSFORMS_PASSES_SHIFT_TD
