// RUN: scan-opt %s --scan-slices-to-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s --check-prefix=GPU
// (numbers.test runs these programs: the lines `run:` are their inputs.)

// Elements that choose where they are from, in place of slices.

// CHECK-LABEL: func @forward(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?xf32>, %[[EDGE:.+]]: tensor<?xf32>)
// CHECK:         %[[EXTENT:.+]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[EDGE]] : tensor<?xf32>)
// CHECK-NEXT:    ^bb0(%[[FIRST:.+]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[B:.+]] = linalg.index 0
// CHECK-NEXT:      %[[T:.+]] = linalg.index 1
// CHECK-NEXT:      %[[FROM:.+]] = arith.subi %[[T]], %{{.*}} : index
// CHECK-NEXT:      %[[IN:.+]] = arith.cmpi ult, %[[FROM]], %{{.*}} : index
// CHECK-NEXT:      %[[AT:.+]] = arith.select %[[IN]], %[[FROM]], %{{.*}} : index
// CHECK-NEXT:      %[[E:.+]] = tensor.extract %[[X]][%[[B]], %[[AT]]]
// CHECK-NEXT:      %[[R:.+]] = arith.select %[[IN]], %[[E]], %[[FIRST]]
// CHECK-NEXT:      linalg.yield %[[R]]
// GPU-LABEL: func @forward(
// GPU:         gpu.launch_func
// GPU-NOT:     gpu.launch_func
// run: random:f32:3xN:1 random:f32:3:2
func.func @forward(%x: tensor<?x?xf32>, %edge: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = scan.shift %x boundary(%edge : tensor<?xf32>) dim = 1 by = 3 : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The derivative of a convolution of three steps: one launch.

// GPU-LABEL: func @convolution(
// GPU:         gpu.launch_func
// GPU-NOT:     gpu.launch_func
// run: random:f32:Nx5:1 random:f32:5:2 random:f32:5:3 random:f32:5:4
func.func @convolution(%g: tensor<?x?xf32>, %w0: tensor<?xf32>, %w1: tensor<?xf32>, %w2: tensor<?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %g, %c0 : tensor<?x?xf32>
  %c = tensor.dim %g, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%t, %c) : tensor<?x?xf32>
  %b0 = linalg.broadcast ins(%w0 : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) dimensions = [0]
  %b1 = linalg.broadcast ins(%w1 : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) dimensions = [0]
  %b2 = linalg.broadcast ins(%w2 : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) dimensions = [0]
  %g1 = scan.shift %g boundary(%zero : f32) dim = 0 by = -1 : tensor<?x?xf32>
  %g2 = scan.shift %g boundary(%zero : f32) dim = 0 by = -2 : tensor<?x?xf32>
  %p0 = arith.mulf %g, %b0 : tensor<?x?xf32>
  %p1 = arith.mulf %g1, %b1 : tensor<?x?xf32>
  %p2 = arith.mulf %g2, %b2 : tensor<?x?xf32>
  %s = arith.addf %p0, %p1 : tensor<?x?xf32>
  %r = arith.addf %s, %p2 : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Rows of a parameter's gradient, each of them summed up by itself. Nothing is
// read of a slice that is empty.

// CHECK-LABEL: func @rows(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[OFFSET:.+]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %[[IN0:.+]] = arith.cmpi ult, %[[OFFSET]], %{{.*}} : index
// CHECK:         %[[IN1:.+]] = arith.cmpi ult, %[[AT:.+]], %{{.*}} : index
// CHECK-NEXT:    %[[IN:.+]] = arith.andi %[[IN0]], %[[IN1]]
// CHECK-NEXT:    scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:      tensor.extract %[[A]][%[[AT]]]
// CHECK-NOT:     tensor.insert_slice
// GPU-LABEL: func @rows(
// GPU:         gpu.launch_func
// GPU-NOT:     gpu.launch_func
// run: random:f32:N:1 random:f32:N:2 random:f32:3x6:3
func.func @rows(%a: tensor<?xf32>, %b: tensor<?xf32>, %w: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %c = tensor.dim %w, %c1 : tensor<3x?xf32>
  %empty = tensor.empty(%c) : tensor<3x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x?xf32>) -> tensor<3x?xf32>
  %x = tensor.insert_slice %a into %zeros[2, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<3x?xf32>
  %y = tensor.insert_slice %b into %zeros[0, 1] [1, %n] [1, 1] : tensor<?xf32> into tensor<3x?xf32>
  %s = arith.addf %x, %y : tensor<3x?xf32>
  return %s : tensor<3x?xf32>
}

// What is written into something that is there already, or returned, or every
// other element, stays a slice: it takes no more than what it writes.

// CHECK-LABEL: func @stays(
// GPU-LABEL: func @stays(
// CHECK:         tensor.insert_slice
// CHECK:         tensor.insert_slice
// CHECK:         tensor.insert_slice
// CHECK-NOT:     tensor.extract
// CHECK:         return
// run: random:f32:2x4:1 random:f32:4x4:2
func.func @stays(%a: tensor<2x4xf32>, %there: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %x = tensor.insert_slice %a into %there[1, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  %y = tensor.insert_slice %a into %zeros[2, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  %z = tensor.insert_slice %a into %zeros[0, 0] [2, 4] [2, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  %s = arith.addf %x, %z : tensor<4x4xf32>
  return %s, %y : tensor<4x4xf32>, tensor<4x4xf32>
}

// A shift by the whole extent is its boundary, and by nothing its source.

// CHECK-LABEL: func @all_of_one(
// CHECK:         scan.shift
// CHECK:         scan.shift
// CHECK-NOT:     linalg.generic
// CHECK:         return
// run: random:f32:4x3:1
func.func @all_of_one(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %two = arith.constant 2.0 : f32
  %r = scan.shift %x boundary(%two : f32) dim = 0 by = -4 : tensor<4x3xf32>
  %s = scan.shift %x boundary(%two : f32) dim = 0 by = 0 : tensor<4x3xf32>
  return %r, %s : tensor<4x3xf32>, tensor<4x3xf32>
}
