// RUN: scan-opt %s --scan-require-extents | FileCheck %s
// RUN: scan-opt %s --scan-require-extents --scan-require-extents | FileCheck %s

// Scans, with all operands.
// CHECK-LABEL: func.func @scan(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg1_d0", 8], ["==", "arg0_d1", "arg1_d1"], ["==", "arg0_d1", "arg2_d0"]]}
func.func @scan(%a: tensor<8x?xf32>, %b: tensor<?x?xf32>, %init: tensor<?xf32>) -> tensor<?x?xf32> {
  %c = tensor.cast %a : tensor<8x?xf32> to tensor<?x?xf32>
  %d = arith.negf %c : tensor<?x?xf32>
  %y = scan.linear_recurrence ins(%d, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%init : tensor<?xf32>) dim = 0 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// What follows from others is not said twice; a number is compared with.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg0_d0", "arg1_d0"], ["==", "arg1_d0", 5], ["==", "arg2_d0", 5]]}
func.func @chain(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<5xf32> {
  %x = arith.addf %a, %b : tensor<?xf32>
  %y = arith.mulf %b, %x : tensor<?xf32>
  %s = tensor.cast %y : tensor<?xf32> to tensor<5xf32>
  %t = tensor.cast %c : tensor<?xf32> to tensor<5xf32>
  %z = arith.addf %s, %t : tensor<5xf32>
  return %z : tensor<5xf32>
}

// Loops of linalg, and extents that follow from others.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg0_d1", "arg1_d0"]]}
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Slices, expansions and paddings; integers that are arguments.
// CHECK-LABEL: func.func @views(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg0_d0", ["*", ["floordiv", "arg0_d0", "arg3"], 4]],
// CHECK-SAME:   ["==", ["floordiv", "arg0_d0", "arg3"], "arg1_d0"],
// CHECK-SAME:   ["==", ["-", "arg0_d0", 1], "arg2_d0"], ["==", ["+", "arg2_d0", 3], "arg4_d0"]]}
func.func @views(%a: tensor<?xf32>, %b: tensor<?x4xf32>, %c: tensor<?xf32>, %n: index, %w: tensor<?xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %q = arith.divui %d, %n : index
  %e = tensor.expand_shape %a [[0, 1]] output_shape [%q, 4] : tensor<?xf32> into tensor<?x4xf32>
  %m = arith.mulf %e, %b : tensor<?x4xf32>
  %d1 = arith.subi %d, %c1 : index
  %s = tensor.extract_slice %a[1] [%d1] [1] : tensor<?xf32> to tensor<?xf32>
  %t = arith.addf %s, %c : tensor<?xf32>
  %p = tensor.pad %c low[3] high[0] {
  ^bb0(%i: index):
    tensor.yield %f0 : f32
  } : tensor<?xf32> to tensor<?xf32>
  %u = arith.addf %p, %w : tensor<?xf32>
  return %m, %t, %u : tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>
}

// Dimensions that are folded into one, dropped and put together.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: scan.requires = {{\[}}["==", ["*", "arg0_d0", "arg0_d1"], "arg1_d0"],
// CHECK-SAME:   ["<=", "arg0_d1", ["*", "arg0_d0", "arg0_d1"]], ["==", "arg0_d1", "arg2_d0"],
// CHECK-SAME:   ["==", "arg0_d1", "arg3_d1"]]}
func.func @reshaped(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?x?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %f = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %x = arith.addf %f, %b : tensor<?xf32>
  %r = tensor.extract_slice %a[0, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %y = arith.addf %r, %c : tensor<?xf32>
  %z = tensor.concat dim(0) %a, %d : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %x, %y, %z : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// Indices of a scatter may be fewer.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg0_d0", "arg2_d0"], ["<=", "arg2_d0", "arg1_d0"], ["==", "arg0_d1", "arg2_d1"]]}
func.func @scatter(%x: tensor<?x?xf32>, %dest: tensor<?x?xf32>, %index: tensor<?x?xi64>) -> tensor<?x?xf32> {
  %r = scan.scatter %x into %dest at %index dim = 1
      : tensor<?x?xf32> into tensor<?x?xf32> at tensor<?x?xi64>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @insert(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg0_d0", "arg2"]]}
func.func @insert(%x: tensor<?xf32>, %dest: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.insert_slice %x into %dest[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// Offsets have an extent of their own; what data decide, and what may not run,
// is left out.
// CHECK-LABEL: func.func @none(
// CHECK-NOT: scan.requires
func.func @none(%x: tensor<?xf32>, %offsets: tensor<?xi64>, %sizes: tensor<2xindex>, %y: tensor<?xf32>, %c: i1)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %s = scan.associative ins(%x : tensor<?xf32>) segments(%offsets : tensor<?xi64>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %sum = arith.addf %l, %r : f32
    scan.yield %sum : f32
  } -> tensor<?xf32>
  %n = tensor.extract %sizes[%c0] : tensor<2xindex>
  %part = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %neg = arith.addf %part, %part : tensor<?xf32>
  %z = scf.if %c -> tensor<?xf32> {
    %sum = arith.addf %x, %y : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %s, %neg, %z : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A number of steps, which is no extent; and what a step reads together, also
// where something was computed from it.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg1_d1", "arg2_d0"], ["==", "arg1_d1", "arg0_d1"], ["<=", 0, "arg3"], ["<=", "arg3", "arg0_d0"]]}
func.func @steps(%x: tensor<?x?xf32>, %h0: tensor<1x?xf32>, %w: tensor<?xf32>, %n: index) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%h0 : tensor<1x?xf32>) captures(%w : tensor<?xf32>)
      steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>, %v: tensor<?xf32>):
    %p = arith.mulf %h1, %v : tensor<?xf32>
    %s = arith.addf %p, %row : tensor<?xf32>
    scan.yield %s : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: scan.requires = {{\[}}["==", "arg2_d2", "arg3_d0"], ["==", "arg2_d0", "arg0_d0"], ["==", "arg0_d1", "arg1_d1"]]}
func.func @rows(%x: tensor<?x?x8xf32>, %y: tensor<?x?xf32>, %h0: tensor<?x1x?xf32>, %w: tensor<?x8xf32>) -> tensor<?x?x8xf32> {
  %h, %o = scan.recurrence ins(%x, %y : tensor<?x?x8xf32>, tensor<?x?xf32>) init(%h0 : tensor<?x1x?xf32>)
      captures(%w : tensor<?x8xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x?xf32>, %a: tensor<?x8xf32>, %b: tensor<?xf32>, %m: tensor<?x8xf32>):
    %z = linalg.matmul ins(%h1, %m : tensor<?x?xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
    %s = arith.addf %z, %a : tensor<?x8xf32>
    %o = tensor.cast %s : tensor<?x8xf32> to tensor<2x8xf32>
    scan.yield %h1, %o : tensor<?x?xf32>, tensor<2x8xf32>
  } -> tensor<?x?x?xf32>, tensor<2x?x8xf32>
  %all = tensor.cast %o : tensor<2x?x8xf32> to tensor<?x?x8xf32>
  return %all : tensor<?x?x8xf32>
}

// The first row has to be there, unless it is empty; of the others there may be none. Three
// elements, each the third one behind the one before: 1, 4 and 7.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME: scan.requires = {{\[}}["<=", "arg0_d1", ["*", "arg0_d0", "arg0_d1"]], ["<=", 8, "arg1_d0"]]}
func.func @slices(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<1x?xf32>, tensor<?x?xf32>, tensor<3xf32>, tensor<0xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %w = tensor.dim %x, %c1 : tensor<?x?xf32>
  %steps = arith.subi %m, %c1 : index
  %first = tensor.extract_slice %x[0, 0] [1, %w] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %rest = tensor.extract_slice %x[1, 0] [%steps, %w] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %some = tensor.extract_slice %y[1] [3] [3] : tensor<?xf32> to tensor<3xf32>
  %none = tensor.extract_slice %y[90] [0] [1] : tensor<?xf32> to tensor<0xf32>
  return %first, %rest, %some, %none : tensor<1x?xf32>, tensor<?x?xf32>, tensor<3xf32>, tensor<0xf32>
}
