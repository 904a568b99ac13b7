// Where an extent comes from was followed through a cast of a tensor without a rank,
// which has no extents: a crash.

// RUN: scan-opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: scan-opt %s --scan-raise-recurrence -o /dev/null
// RUN: scan-opt %s --scan-to-cpu -o /dev/null

// The recurrence may stop at extents that differ, and so stays in the loop.
// CHECK-LABEL: func.func @loop(
// CHECK: tensor.cast %{{.*}} : tensor<*xf32> to tensor<?xf32>
// CHECK: scf.for
// CHECK-NEXT: scan.linear_recurrence
func.func @loop(%x: tensor<*xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %y) -> tensor<?xf32> {
    %c = tensor.cast %x : tensor<*xf32> to tensor<?xf32>
    %h = scan.linear_recurrence ins(%c, %y : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
    %s = arith.addf %acc, %h : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
