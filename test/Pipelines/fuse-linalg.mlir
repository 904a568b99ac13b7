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
