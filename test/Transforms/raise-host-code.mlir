// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s

// Loops in kernels of a GPU, and in the scalar code of scans, are no scans of tensors.

// CHECK-LABEL: gpu.func @total
// CHECK:         scf.for
// CHECK-NOT:     scan.
// CHECK:         gpu.return
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @total(%x: memref<4xi32>, %y: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> i32 {
        %w = memref.load %x[%i] : memref<4xi32>
        %next = arith.addi %a, %w : i32
        scf.yield %next : i32
      }
      memref.store %sum, %y[%c0] : memref<1xi32>
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @quads
  // CHECK:         scan.associative
  // CHECK:           scf.for
  // CHECK-NOT:       scan.associative
  // CHECK:           scan.yield
  func.func @quads(%x: tensor<?x4xi32>) -> tensor<?x4xi32> {
    %y = scan.associative ins(%x : tensor<?x4xi32>) dim = 0 {
    ^bb0(%acc: tensor<4xi32>, %new: tensor<4xi32>):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%out = %new) -> tensor<4xi32> {
        %a = tensor.extract %acc[%i] : tensor<4xi32>
        %b = tensor.extract %out[%i] : tensor<4xi32>
        %s = arith.addi %a, %b : i32
        %o = tensor.insert %s into %out[%i] : tensor<4xi32>
        scf.yield %o : tensor<4xi32>
      }
      scan.yield %r : tensor<4xi32>
    } -> tensor<?x4xi32>
    return %y : tensor<?x4xi32>
  }
}
