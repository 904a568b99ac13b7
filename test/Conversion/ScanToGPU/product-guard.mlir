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
// CHECK-NEXT:    %[[C:.*]] = arith.mulf %[[BY]], %[[B1]] fastmath<contract> : f32
// CHECK-NEXT:    arith.addf %[[C]], %{{.*}} fastmath<contract> : f32
// What is carried from tile to tile is a state, by which the block's coefficient
// is multiplied, and then those of the items, from the first to the last.
// CHECK:         gpu.shuffle idx
// CHECK:         arith.cmpf ord
// CHECK:         arith.addf
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[C:.*]] = arith.mulf %[[A0]], %{{.*}} fastmath<contract> : f32
// CHECK-NEXT:    arith.addf %[[C]], %{{.*}} fastmath<contract> : f32
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

// -----

// Coefficients that cannot exceed one, whatever the inputs are: no product of
// them overflows. Of the leaves, the coefficients are a sigmoid; what is left of
// it; the exponential of the negative of a softplus, in one of its two forms;
// and a quotient of tanh.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: gpu.func @gates_scan0
// CHECK-NOT:     arith.cmpf uno
// CHECK-NOT:     arith.cmpf ord
// CHECK-NOT:     scan.guarded_product
// CHECK:         gpu.return
func.func @gates(%x: memref<?xf32>, %h: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%h, %h, %h, %h, %h : memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)
      maps [#id, #id, #id, #id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 3>}
      load {
      ^bb0(%e: f32):
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %twenty = arith.constant 20.0 : f32
        %minus = arith.negf %e : f32
        %exp = math.exp %minus : f32
        %denominator = arith.addf %exp, %one : f32
        %sigmoid = arith.divf %one, %denominator : f32
        %rest = arith.subf %one, %sigmoid : f32
        // max(x, 0) + log1p(exp(-|x|)).
        %positive = arith.maximumf %e, %zero : f32
        %size = math.absf %e : f32
        %decay = arith.negf %size : f32
        %small = math.exp %decay : f32
        %log = math.log1p %small : f32
        %softplus = arith.addf %positive, %log : f32
        %rate = arith.mulf %softplus, %softplus : f32
        %loss = arith.negf %rate : f32
        %kept = math.exp %loss : f32
        // x above 20, else log1p(exp(x)).
        %grown = math.exp %e : f32
        %low = math.log1p %grown : f32
        %isHigh = arith.cmpf ogt, %e, %twenty : f32
        %switched = arith.select %isHigh, %e, %low : f32
        %lost = arith.negf %switched : f32
        %left = math.exp %lost : f32
        %t = math.tanh %e : f32
        %two = arith.constant 2.0 : f32
        %half = arith.divf %t, %two : f32
        scan.yield %sigmoid, %e, %rest, %e, %kept, %e, %left, %e, %half, %e : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
      } combine {
      ^bb0(%a1: f32, %b1: f32, %c1: f32, %d1: f32, %e1: f32, %f1: f32, %g1: f32, %h1: f32, %i1: f32, %j1: f32,
           %a2: f32, %b2: f32, %c2: f32, %d2: f32, %e2: f32, %f2: f32, %g2: f32, %h2: f32, %i2: f32, %j2: f32):
        %pa = arith.mulf %a2, %a1 : f32
        %ca = arith.mulf %a2, %b1 : f32
        %sa = arith.addf %ca, %b2 : f32
        %pc = arith.mulf %c2, %c1 : f32
        %cc = arith.mulf %c2, %d1 : f32
        %sc = arith.addf %cc, %d2 : f32
        %pe = arith.mulf %e2, %e1 : f32
        %ce = arith.mulf %e2, %f1 : f32
        %se = arith.addf %ce, %f2 : f32
        %pg = arith.mulf %g2, %g1 : f32
        %cg = arith.mulf %g2, %h1 : f32
        %sg = arith.addf %cg, %h2 : f32
        %pi = arith.mulf %i2, %i1 : f32
        %ci = arith.mulf %i2, %j1 : f32
        %si = arith.addf %ci, %j2 : f32
        scan.yield %pa, %sa, %pc, %sc, %pe, %se, %pg, %sg, %pi, %si : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ic: f32, %id: f32, %ie: f32, %if: f32, %ig: f32, %ih: f32, %ii: f32, %ij: f32,
           %xa: f32, %xb: f32, %xc: f32, %xd: f32, %xe: f32, %xf: f32, %xg: f32, %xh: f32, %xi: f32, %xj: f32, %e: f32):
        scan.yield %ib, %id, %if, %ih, %ij : f32, f32, f32, f32, f32
      }
  return
}

// -----

// One step beyond each of these, and there is a guard: the exponential of what
// may be positive, a quotient whose divisor may be small, and a sum of gates.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: gpu.func @unbounded_scan0
// CHECK:         gpu.shuffle up
// CHECK-COUNT-6: arith.cmpf ord
// CHECK:         gpu.return
func.func @unbounded(%x: memref<?xf32>, %h: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%h, %h, %h : memref<?xf32>, memref<?xf32>, memref<?xf32>)
      maps [#id, #id, #id, #id]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 3>}
      load {
      ^bb0(%e: f32):
        %one = arith.constant 1.0 : f32
        %half = arith.constant 0.5 : f32
        %size = math.absf %e : f32
        %grown = math.exp %size : f32
        %denominator = arith.addf %size, %half : f32
        %quotient = arith.divf %one, %denominator : f32
        %t = math.tanh %e : f32
        %sum = arith.addf %t, %half : f32
        scan.yield %grown, %e, %quotient, %e, %sum, %e : f32, f32, f32, f32, f32, f32
      } combine {
      ^bb0(%a1: f32, %b1: f32, %c1: f32, %d1: f32, %e1: f32, %f1: f32,
           %a2: f32, %b2: f32, %c2: f32, %d2: f32, %e2: f32, %f2: f32):
        %pa = arith.mulf %a2, %a1 : f32
        %ca = arith.mulf %a2, %b1 : f32
        %sa = arith.addf %ca, %b2 : f32
        %pc = arith.mulf %c2, %c1 : f32
        %cc = arith.mulf %c2, %d1 : f32
        %sc = arith.addf %cc, %d2 : f32
        %pe = arith.mulf %e2, %e1 : f32
        %ce = arith.mulf %e2, %f1 : f32
        %se = arith.addf %ce, %f2 : f32
        scan.yield %pa, %sa, %pc, %sc, %pe, %se : f32, f32, f32, f32, f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ic: f32, %id: f32, %ie: f32, %if: f32,
           %xa: f32, %xb: f32, %xc: f32, %xd: f32, %xe: f32, %xf: f32, %e: f32):
        scan.yield %ib, %id, %if : f32, f32, f32
      }
  return
}
