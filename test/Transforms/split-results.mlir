// Each result of elementwise code next to a kernel becomes an operation of its own, of what it needs.

// RUN: scan-opt %s --scan-split-results --canonicalize --scan-count-matches --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#inner = affine_map<(d0, d1) -> (d1)>

// What nobody uses is not computed at all, and what the result adds to stays an operand.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x?xf32>, %[[Y:[^:]+]]: tensor<4x?xf32>, %[[W:[^:]+]]: tensor<?xf32>, %[[E:[^:]+]]: tensor<4x?xf32>)
// CHECK:         %[[A:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<4x?xf32>, tensor<?xf32>) outs(%[[E]] : tensor<4x?xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      linalg.yield
// CHECK:         %[[B:.+]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<4x?xf32>) outs(%[[E]] : tensor<4x?xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f32, %[[OUT:.+]]: f32):
// CHECK-NEXT:      arith.addf %[[IN]], %[[OUT]]
// CHECK-NEXT:      linalg.yield
// CHECK-NOT:     linalg.generic
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[A]] :
// CHECK:         return %{{.*}}, %[[B]]
func.func @both(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>, %w: tensor<?xf32>, %e: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %a, %b, %c = linalg.generic {indexing_maps = [#id, #id, #inner, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %w : tensor<4x?xf32>, tensor<4x?xf32>, tensor<?xf32>)
      outs(%e, %e, %e : tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>) {
  ^bb0(%xe: f32, %ye: f32, %we: f32, %out0: f32, %out1: f32, %out2: f32):
    %p = arith.mulf %xe, %we : f32
    %s = arith.addf %ye, %out1 : f32
    %unused = math.exp %xe : f32
    linalg.yield %p, %s, %unused : f32, f32, f32
  } -> (tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>)
  %h = scan.kernel dim = 1 ins(%a : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) maps [#id, #id]
      load {
      ^bb0(%ae: f32):
        scan.yield %ae : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %ae: f32):
        scan.yield %inclusive : f32
      } -> tensor<4x?xf32>
  return %h, %b : tensor<4x?xf32>, tensor<4x?xf32>
}

// -----

// Without a kernel there is nothing to fuse with; loops would run twice; sums are no elementwise code.

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @alone(
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @alone(%x: tensor<8xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a, %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%xe: f32, %out0: f32, %out1: f32):
    %n = arith.negf %xe : f32
    linalg.yield %xe, %n : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @kept(%x: tensor<8xf32>, %e: tensor<8xf32>, %s: tensor<f32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%xe: f32, %out0: f32, %out1: f32):
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %xe) -> (f32) {
      %d = arith.addf %acc, %xe : f32
      scf.yield %d : f32
    }
    linalg.yield %r, %r : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %t, %u = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]}
      ins(%b : tensor<8xf32>) outs(%s, %s : tensor<f32>, tensor<f32>) {
  ^bb0(%be: f32, %acc0: f32, %acc1: f32):
    %p = arith.addf %be, %acc0 : f32
    %m = arith.maximumf %be, %acc1 : f32
    linalg.yield %p, %m : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %h = scan.kernel dim = 0 ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) maps [#id, #id]
      load {
      ^bb0(%ae: f32):
        scan.yield %ae : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %v = arith.addf %acc, %new : f32
        scan.yield %v : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %ae: f32):
        scan.yield %inclusive : f32
      } -> tensor<8xf32>
  return %h, %b, %t, %u : tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
}
