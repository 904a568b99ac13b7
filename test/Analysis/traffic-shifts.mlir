// What shifts read: the part that stays inside, and the boundary.

// RUN: scan-opt %s --scan-print-traffic -o /dev/null | FileCheck %s

// CHECK-LABEL: @shift
// CHECK-NEXT: scan.shift {{.*}} 64*arg0_d0*arg0_d1 64*arg0_d0*arg0_d1
// CHECK: compulsory 64*arg0_d0*arg0_d1 64*arg0_d0*arg0_d1
func.func @shift(%h: tensor<?x?x16xf32>, %h0: tensor<?x16xf32>) -> tensor<?x?x16xf32> {
  %p = scan.shift %h boundary(%h0 : tensor<?x16xf32>) dim = 1 by = 1 : tensor<?x?x16xf32>
  return %p : tensor<?x?x16xf32>
}

// Backwards, a scalar boundary: all but two elements.
// CHECK-LABEL: @back
// CHECK-NEXT: scan.shift {{.*}} 32 40
func.func @back(%x: tensor<10xi32>, %v: i32) -> tensor<10xi32> {
  %p = scan.shift %x boundary(%v : i32) dim = 0 by = -2 : tensor<10xi32>
  return %p : tensor<10xi32>
}

// Beyond the other end.
// CHECK-LABEL: @all_out
// CHECK-NEXT: scan.shift {{.*}} 0 40
func.func @all_out(%x: tensor<10xi32>, %v: i32) -> tensor<10xi32> {
  %p = scan.shift %x boundary(%v : i32) dim = 0 by = 11 : tensor<10xi32>
  return %p : tensor<10xi32>
}

// A kernel that reads one tensor at three shifts reads it once, and the
// boundary.
// CHECK-LABEL: @shifted_inputs
// CHECK-NEXT: scan.kernel {{.*}} 52 40
// CHECK-NEXT: total
// CHECK-NEXT: compulsory 52 40
func.func @shifted_inputs(%x: tensor<10xf32>, %before: tensor<f32>, %w: tensor<2xf32>, %y: tensor<10xf32>) -> tensor<10xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %x, %before, %x, %w : tensor<10xf32>, tensor<10xf32>, tensor<f32>, tensor<10xf32>, tensor<2xf32>)
      outs(%y : tensor<10xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>,
            affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
      attributes {boundaries = array<i64: -1, 2, -1, 2, -1>, shifts = array<i64: 0, 1, 0, -3, 0>}
      load {
      ^bb0(%e: f32, %previous: f32, %b: f32, %next: f32, %w0: f32, %w1: f32):
        %l = arith.mulf %e, %previous : f32
        %m = arith.mulf %l, %next : f32
        %n = arith.mulf %m, %w0 : f32
        %o = arith.mulf %n, %w1 : f32
        scan.yield %o : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %previous: f32, %b: f32, %next: f32, %w0: f32, %w1: f32):
        scan.yield %inclusive : f32
      } -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
