//===- Checks.td - Run-time checks -------------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PIPELINES_PASSES_CHECKS_TD
#define SCAN_PIPELINES_PASSES_CHECKS_TD

include "mlir/Pass/PassBase.td"

def ScanCheckBounds : Pass<"scan-check-bounds"> {
  let summary = "check at run time that indices and slices are inside of their tensors";
  let description = [{
    Puts a `cf.assert` in front of each of these operations on tensors, for what
    is not known without running:

    *   `tensor.extract`, `tensor.insert`: every index is inside of the tensor;
    *   `tensor.extract_slice`, `tensor.insert_slice`,
        `tensor.parallel_insert_slice`: the slice is, and what is inserted has its
        extents;
    *   `tensor.cast`: extents are what the type says;
    *   `tensor.expand_shape`: the extents have the right product;
    *   `tensor.dim`: the dimension is less than the rank.

    The message has the reference interpreter's words, without the numbers.
    Where the index is the one of a loop over that very dimension there is no
    check. Not checked are regions of scans, which are unrolled and refused where
    an index is no constant, and whether operands of structured and elementwise
    operations fit each other.

    Without `in-loops` it looks at statements of functions and branches, and is to
    precede what changes the program; what has a check gets no second one. With
    `in-loops` it looks at bodies of loops, `linalg` operations and `tensor.generate`,
    among them gathers. A check is a side effect, which keeps loops from becoming scans: that is to follow
    `--scan-raise-recurrence`. An empty slice may be anywhere.

    Before:

    ```mlir
    func.func @pick(%t: tensor<?xf32>, %i: index) -> f32 {
      %e = tensor.extract %t[%i] : tensor<?xf32>
      return %e : f32
    }
    ```

    After `--scan-check-bounds`:

    ```mlir
    func.func @pick(%arg0: tensor<?xf32>, %arg1: index) -> f32 {
      // ...
      %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
      %0 = arith.cmpi ult, %arg1, %dim : index
      cf.assert %0, "...'tensor.extract' op index is out of bounds in dimension 0"
      %extracted = tensor.extract %arg0[%arg1] : tensor<?xf32>
      return %extracted : f32
    }
    ```
  }];
  let options = [
    Option<"inLoops", "in-loops", "bool", /*default=*/"false",
           "Look at the bodies of loops, of linalg operations and of "
           "tensor.generate, instead of what is outside of them">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ScanCheckDivisions : Pass<"scan-check-divisions"> {
  let summary = "check at run time that integer divisions have a result";
  let description = [{
    Puts a `cf.assert` in front of every division and remainder of integers or
    indices, of `arith`, `index` and `llvm`, that may divide by zero, or the
    smallest integer by -1: processors stop a program there. In a vector all
    elements have to pass. The message is the reference interpreter's. Where
    operands are constants that exclude it there is no check.

    To follow the lowering to loops, when regions of other operations, which may
    not stop the program, are gone, and to precede `--scan-expand-arith`, which
    makes other divisions of some. In a `memref.generic_atomic_rmw` a division
    that needs a check is an error.

    Before:

    ```mlir
    func.func @ratio(%a: i32, %b: i32) -> i32 {
      %c7 = arith.constant 7 : i32
      %q = arith.divsi %a, %b : i32
      %r = arith.remsi %q, %c7 : i32
      return %r : i32
    }
    ```

    After `--scan-check-divisions`:

    ```mlir
    func.func @ratio(%arg0: i32, %arg1: i32) -> i32 {
      // ...
      %0 = arith.cmpi ne, %arg1, %c0_i32 : i32
      cf.assert %0, "...'arith.divsi' op division by zero"
      // ...
      %1 = arith.cmpi ne, %arg1, %c-1_i32 : i32
      // ...
      %2 = arith.cmpi ne, %arg0, %c-2147483648_i32 : i32
      %3 = arith.ori %1, %2 : i1
      cf.assert %3, "...'arith.divsi' op signed division overflows: the smallest integer over -1"
      %4 = arith.divsi %arg0, %arg1 : i32
      %5 = arith.remsi %4, %c7_i32 : i32
      return %5 : i32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // SCAN_PIPELINES_PASSES_CHECKS_TD
