// Where parts of a recurrence are combined, products that are not numbers though
// their factors are some are zero; where an element is added, nothing is
// compared. What is no recurrence, or shows its coefficients, is as it was
// written.

// RUN: scan-opt %s -split-input-file -convert-scan-to-gpu -canonicalize -cse | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The thread's own three items: the coefficients' product is looked at once, and
// an infinite coefficient to begin with is made what is not a number.
// CHECK-LABEL: gpu.func @recurrence_scan0
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[NOTHING:.*]] = arith.mulf %[[A0:.*]], %[[ZERO]] : f32
// CHECK-NEXT:    %[[BEGIN:.*]] = arith.addf %[[A0]], %[[NOTHING]] : f32
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.mulf %{{.*}}, %[[BEGIN]] : f32
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[NONE:.*]] = arith.mulf %[[BEGIN]], %[[ZERO]] : f32
// CHECK-NEXT:    %[[IS_NONE:.*]] = arith.cmpf uno, %[[A:.*]], %[[A]] : f32
// CHECK-NEXT:    arith.select %[[IS_NONE]], %[[NONE]], %[[A]] : f32
// Two threads' items.
// CHECK:         gpu.shuffle up
// CHECK:         %[[A:.*]] = arith.mulf %[[A2:.*]], %[[A1:.*]] : f32
// CHECK-NEXT:    %[[IS_NONE:.*]] = arith.cmpf uno, %[[A]], %[[A]] : f32
// CHECK-NEXT:    %[[ARE:.*]] = arith.cmpf ord, %[[A2]], %[[A1]] : f32
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[IS_NONE]], %[[ARE]] : i1
// CHECK-NEXT:    arith.select %[[BOTH]], %[[ZERO]], %[[A]] : f32
// CHECK-NEXT:    %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[B1:.*]], %[[ZERO]] : f32
// CHECK-NEXT:    %[[IS:.*]] = arith.cmpf ord, %[[A2]], %[[A2]] : f32
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[IS_ZERO]], %[[IS]] : i1
// CHECK-NEXT:    %[[BY:.*]] = arith.select %[[BOTH]], %[[ZERO]], %[[A2]] : f32
// CHECK-NEXT:    %[[C:.*]] = arith.mulf %[[BY]], %[[B1]] : f32
// CHECK-NEXT:    arith.addf %[[C]], %{{.*}} : f32
// What is carried from tile to tile is a state, by which the block's coefficient
// is multiplied, and then those of the items, from the first to the last.
// CHECK:         gpu.shuffle idx
// CHECK:         arith.cmpf ord
// CHECK:         arith.addf
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[C:.*]] = arith.mulf %[[A0]], %{{.*}} : f32
// CHECK-NEXT:    arith.addf %[[C]], %{{.*}} : f32
// CHECK-NOT:     arith.cmpf
// CHECK-COUNT-3: vector.store
// CHECK-NOT:     scan.guarded_product
func.func @recurrence(%a: memref<?xf32>, %b: memref<?xf32>, %h: memref<?xf32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%h : memref<?xf32>) maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 3>}
      load {
      ^bb0(%la: f32, %lb: f32):
        scan.yield %la, %lb : f32, f32
      } combine {
      ^bb0(%a1: f32, %b1: f32, %a2: f32, %b2: f32):
        %p = arith.mulf %a2, %a1 : f32
        %c = arith.mulf %a2, %b1 : f32
        %s = arith.addf %c, %b2 : f32
        scan.yield %p, %s : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %la: f32, %lb: f32):
        scan.yield %ib : f32
      }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// The left fold itself.
// CHECK-LABEL: gpu.func @walked_scan0
// CHECK-NOT:     arith.cmpf
// CHECK-NOT:     scan.guarded_product
// CHECK:         gpu.return
func.func @walked(%a: memref<?xf32>, %b: memref<?xf32>, %h: memref<?xf32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%h : memref<?xf32>) maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32>}
      load {
      ^bb0(%la: f32, %lb: f32):
        scan.yield %la, %lb : f32, f32
      } combine {
      ^bb0(%a1: f32, %b1: f32, %a2: f32, %b2: f32):
        %p = arith.mulf %a2, %a1 : f32
        %c = arith.mulf %a2, %b1 : f32
        %s = arith.addf %c, %b2 : f32
        scan.yield %p, %s : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %la: f32, %lb: f32):
        scan.yield %ib : f32
      }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// An output of the products of coefficients: they are part of the fold.
// CHECK-LABEL: gpu.func @shown_scan0
// CHECK-NOT:     arith.cmpf
// CHECK-NOT:     scan.guarded_product
// CHECK:         gpu.return
func.func @shown(%a: memref<?xf32>, %b: memref<?xf32>, %h: memref<?xf32>, %p: memref<?xf32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%h, %p : memref<?xf32>, memref<?xf32>)
      maps [#id, #id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>}
      load {
      ^bb0(%la: f32, %lb: f32):
        scan.yield %la, %lb : f32, f32
      } combine {
      ^bb0(%a1: f32, %b1: f32, %a2: f32, %b2: f32):
        %q = arith.mulf %a2, %a1 : f32
        %c = arith.mulf %a2, %b1 : f32
        %s = arith.addf %c, %b2 : f32
        scan.yield %q, %s : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %la: f32, %lb: f32):
        scan.yield %ib, %ia : f32, f32
      }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Not a recurrence: the state is subtracted from.
// CHECK-LABEL: gpu.func @other_scan0
// CHECK-NOT:     arith.cmpf
// CHECK-NOT:     scan.guarded_product
// CHECK:         gpu.return
func.func @other(%a: memref<?xf32>, %b: memref<?xf32>, %h: memref<?xf32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%h : memref<?xf32>) maps [#id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>}
      load {
      ^bb0(%la: f32, %lb: f32):
        scan.yield %la, %lb : f32, f32
      } combine {
      ^bb0(%a1: f32, %b1: f32, %a2: f32, %b2: f32):
        %p = arith.mulf %a2, %a1 : f32
        %c = arith.mulf %a2, %b1 : f32
        %s = arith.subf %c, %b2 : f32
        scan.yield %p, %s : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %la: f32, %lb: f32):
        scan.yield %ib : f32
      }
  return
}
