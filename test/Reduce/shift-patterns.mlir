// What the reduction patterns do to shifts, and to exclusive recurrences.

// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-shift | FileCheck %s --check-prefix=SHIFT
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-input | FileCheck %s --check-prefix=INPUT
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-init | FileCheck %s --check-prefix=INIT
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-exclusive,scan-drop-init | scan-opt | FileCheck %s --check-prefix=EXCLUSIVE

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// SHIFT-LABEL: func.func @kernel
// SHIFT-SAME: %[[X:[^:]*]]: tensor<?xf32>
// SHIFT-NOT: scan.shift
// SHIFT: ins(%[[X]], %{{.*}}, %{{.*}} :
// SHIFT-NOT: attributes
// SHIFT: load
// The boundary stays while an input needs it; the shifted input goes first.
// INPUT-LABEL: func.func @kernel
// INPUT: scan.kernel dim = 0
// INPUT-NEXT: {{^ *}}outs
// INPUT-NOT: attributes
// INPUT: load
func.func @kernel(%x: tensor<?xf32>, %z: tensor<?xf32>, %b: f32, %y: tensor<?xf32>) -> tensor<?xf32> {
  %p = scan.shift %x boundary(%b : f32) dim = 0 by = 2 : tensor<?xf32>
  %r = scan.kernel dim = 0
      ins(%p, %b, %z : tensor<?xf32>, f32, tensor<?xf32>) outs(%y : tensor<?xf32>)
      maps [#id, #none, #id, #id]
      attributes {boundaries = array<i64: -1, -1, 1>, shifts = array<i64: 0, 0, 1>}
      load {
      ^bb0(%e: f32, %c: f32, %f: f32):
        %m = arith.mulf %e, %f : f32
        scan.yield %m : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %c: f32, %f: f32):
        scan.yield %in : f32
      } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// An exclusive recurrence needs its init.
// INIT-LABEL: func.func @exclusive
// INIT: init(%{{.*}} : f32) dim = 0 exclusive
// EXCLUSIVE-LABEL: func.func @exclusive
// EXCLUSIVE: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>) dim = 0 ->
func.func @exclusive(%a: tensor<?xf32>, %b: tensor<?xf32>, %i: f32) -> tensor<?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) init(%i : f32) dim = 0 exclusive -> tensor<?xf32>
  return %h : tensor<?xf32>
}
