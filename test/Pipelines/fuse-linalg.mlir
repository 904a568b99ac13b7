// What takes a loop at each step is not computed again for each element.

// RUN: scan-opt %s --scan-fuse-linalg --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @rows(
// CHECK:         %[[S:.+]] = linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK:           scf.for
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[S]] :
// CHECK-NOT:       scf.for
// CHECK:         return
func.func @rows(%x: tensor<9x64xf32>, %w: tensor<?xf32>, %n: index) -> tensor<9x64xf32> {
  %s = func.call @sums(%w, %n) : (tensor<?xf32>, index) -> tensor<9xf32>
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%s : tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%first: f32, %out: f32):
    %r = scf.for %i = %zero to %n step %step iter_args(%a = %first) -> (f32) {
      %v = tensor.extract %w[%i] : tensor<?xf32>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    linalg.yield %r : f32
  } -> tensor<9xf32>
  %f = tensor.empty() : tensor<9x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<9x64xf32>, tensor<9xf32>) outs(%f : tensor<9x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<9x64xf32>
  return %y : tensor<9x64xf32>
}
func.func private @sums(%w: tensor<?xf32>, %n: index) -> tensor<9xf32>

// -----

#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0) -> (d0)>

// One element each, in any order, or a row of one element; and what takes no loop.
// CHECK-LABEL: func.func @once(
// CHECK:         linalg.generic
// CHECK:           scf.while
// CHECK:           arith.mulf
// CHECK:         linalg.generic
// CHECK:           scf.while
// CHECK:           arith.mulf
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @once(%x: tensor<8x9xf32>, %v: tensor<8x1xf32>, %u: tensor<8xf32>) -> (tensor<9x8xf32>, tensor<8x1xf32>, tensor<8x9xf32>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x9xf32>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x9xf32>) outs(%e : tensor<8x9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = scf.while (%b = %a) : (f32) -> f32 {
      %is = arith.cmpf ogt, %b, %one : f32
      scf.condition(%is) %b : f32
    } do {
    ^bb0(%b: f32):
      %c = arith.mulf %b, %half : f32
      scf.yield %c : f32
    }
    linalg.yield %r : f32
  } -> tensor<8x9xf32>
  %f = tensor.empty() : tensor<9x8xf32>
  %y = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<8x9xf32>) outs(%f : tensor<9x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.mulf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<9x8xf32>
  %g = tensor.empty() : tensor<8xf32>
  %i = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%u : tensor<8xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = scf.while (%b = %a) : (f32) -> f32 {
      %is = arith.cmpf ogt, %b, %one : f32
      scf.condition(%is) %b : f32
    } do {
    ^bb0(%b: f32):
      %c = arith.mulf %b, %half : f32
      scf.yield %c : f32
    }
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %k = tensor.empty() : tensor<8x1xf32>
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v, %i : tensor<8x1xf32>, tensor<8xf32>) outs(%k : tensor<8x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x1xf32>
  %l = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%u : tensor<8xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %l : tensor<8x9xf32>, tensor<8xf32>) outs(%e : tensor<8x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x9xf32>
  return %y, %z, %m : tensor<9x8xf32>, tensor<8x1xf32>, tensor<8x9xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// What reads an array at the same places is one operation, behind all that its results need; what both compute
// is computed once.
// CHECK-LABEL: func.func @beside(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<9x64xf32>, %[[W:[^:]+]]: tensor<9xf32>,
// CHECK:         %[[R:.+]]:2 = linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<9x64xf32>, tensor<9xf32>)
// CHECK-NEXT:    ^bb0(%[[XE:.+]]: f32, %[[WE:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-NEXT:      %[[E:.+]] = math.exp %[[XE]]
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[E]], %[[WE]]
// CHECK-NEXT:      linalg.yield %[[E]], %[[P]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @beside(%x: tensor<9x64xf32>, %w: tensor<9xf32>, %f: tensor<9x64xf32>) -> (tensor<9x64xf32>, tensor<9x64xf32>) {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<9x64xf32>) outs(%f : tensor<9x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  } -> tensor<9x64xf32>
  %z = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<9x64xf32>, tensor<9xf32>) outs(%f : tensor<9x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %e = math.exp %a : f32
    %p = arith.mulf %e, %b : f32
    linalg.yield %p : f32
  } -> tensor<9x64xf32>
  return %y, %z : tensor<9x64xf32>, tensor<9x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// What the second one needs depends on the first one; and what is read at other places.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-3: linalg.generic
func.func @apart(%x: tensor<8x8xf32>, %f: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %called = func.call @next(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %called : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %y, %z, %t : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @next(tensor<8x8xf32>) -> tensor<8x8xf32>

// -----

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#product = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// The exponential of an element is a term of 32 sums; its opposite takes no time.
// CHECK-LABEL: func.func @factor(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK-NOT:       math.exp
// CHECK:           arith.negf
// CHECK:           arith.mulf
func.func @factor(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %f: tensor<8x16xf32>, %s: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  } -> tensor<8x16xf32>
  %g = tensor.empty() : tensor<16x32xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<16x32xf32>) outs(%g : tensor<16x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<16x32xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #product], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<8x16xf32>, tensor<16x32xf32>) outs(%s : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %acc, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}
