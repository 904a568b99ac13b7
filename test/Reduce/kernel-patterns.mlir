// What the reduction patterns do to scan.kernel, on tensors and on memrefs.

// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-reverse,scan-drop-attribute | FileCheck %s --check-prefix=FLAGS
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-init | FileCheck %s --check-prefix=INIT
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-result | FileCheck %s --check-prefix=RESULT
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-input | FileCheck %s --check-prefix=INPUT
// RUN: scan-reduce %s --quiet --test=true --only=scan-simplify-combine | FileCheck %s --check-prefix=COMBINE
// RUN: scan-reduce %s --quiet --test=true --only=scan-drop-init,scan-drop-result,scan-drop-input,scan-simplify-combine,scan-canonicalize | scan-opt | FileCheck %s --check-prefix=ALL

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// FLAGS-LABEL: func.func @tensors
// FLAGS: scan.kernel dim = 0
// FLAGS-NOT: reverse
// FLAGS-NOT: schedule
// FLAGS: return
// What read the state before an element reads the state after it.
// INIT-LABEL: func.func @tensors
// INIT: scan.kernel dim = 0 reverse
// INIT-NOT: init(
// INIT-NOT: initialize
// INIT: store {
// INIT-NEXT: ^bb0(%[[INCLUSIVE:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// INIT-NEXT: %[[S:.*]] = arith.addf %[[INCLUSIVE]], %[[INCLUSIVE]] : f32
// INIT-NEXT: scan.yield %[[S]] : f32
// INIT: finalize
// The final goes, then nothing more, since an output has to stay. What it was to
// overwrite stands for it.
// RESULT-LABEL: func.func @tensors
// RESULT-SAME: %[[LAST:[^ ]*]]: tensor<f32>)
// RESULT: %[[R:.*]] = scan.kernel dim = 0 reverse
// RESULT: ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>) init(%{{.*}} : f32) outs(%{{.*}} : tensor<?xf32>)
// RESULT-NOT: finalize
// RESULT: return %[[R]], %[[LAST]]
// INPUT-LABEL: func.func @tensors
// INPUT: scan.kernel dim = 0 reverse
// INPUT-NEXT: {{^ *}}init(%{{.*}} : f32) outs
// INPUT: load {
// INPUT-NEXT: %[[E:.*]] = arith.constant 0.000000e+00 : f32
// INPUT-NEXT: %[[F:.*]] = arith.constant 0.000000e+00 : f32
// INPUT-NEXT: arith.mulf %[[E]], %[[F]]
// COMBINE-LABEL: func.func @tensors
// COMBINE: combine {
// COMBINE-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[NEW:.*]]: f32):
// COMBINE-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[NEW]] : f32
// COMBINE-NEXT: scan.yield %[[S]] : f32
// ALL-LABEL: func.func @tensors
// ALL: scan.kernel dim = 0 reverse
// ALL-NEXT: {{^ *}}outs(%{{.*}} : tensor<?xf32>){{$}}
func.func @tensors(%x: tensor<?xf32>, %z: tensor<?xf32>, %i: f32, %y: tensor<?xf32>, %last: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
  %r:2 = scan.kernel dim = 0 reverse
      ins(%x, %z : tensor<?xf32>, tensor<?xf32>) init(%i : f32) outs(%y : tensor<?xf32>) finals(%last : tensor<f32>)
      maps [#id, #id, #none, #id, #none]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64>, order = #scan.order<deterministic>}
      load {
      ^bb0(%e: f32, %f: f32):
        %m = arith.mulf %e, %f : f32
        scan.yield %m : f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %p = arith.mulf %acc, %new : f32
        %q = arith.addf %p, %new : f32
        scan.yield %q : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %f: f32):
        %s = arith.addf %inclusive, %exclusive : f32
        scan.yield %s : f32
      } finalize {
      ^bb0(%state: f32):
        scan.yield %state : f32
      } -> tensor<?xf32>, tensor<f32>
  return %r#0, %r#1 : tensor<?xf32>, tensor<f32>
}

// RESULT-LABEL: func.func @memrefs
// RESULT: ins(%{{.*}} : memref<?xi32>) outs(%{{.*}} : memref<?xi32>)
// RESULT-NEXT: maps
// RESULT-NOT: finalize
// INPUT-LABEL: func.func @memrefs
// INPUT: outs(%{{.*}} : memref<?xi32>) finals
func.func @memrefs(%x: memref<?xi32>, %y: memref<?xi32>, %last: memref<i32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xi32>) outs(%y : memref<?xi32>) finals(%last : memref<i32>)
      maps [#id, #id, #none]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } finalize {
      ^bb0(%state: i32):
        scan.yield %state : i32
      }
  return
}
