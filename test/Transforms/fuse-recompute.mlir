// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise=max-recompute=1000000000000 | FileCheck %s --check-prefix=ALWAYS
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)
//
// Expensive code that is computed once for many points of a scan.

// One gate per batch and step, for all channels: each of them would compute it.
// CHECK-LABEL: func @gate
// CHECK:         %[[E:.+]] = math.exp
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%{{[^,]+}}, %[[E]] :
// ALWAYS-LABEL: func @gate
// ALWAYS-NOT:   math.exp
// ALWAYS:       scan.kernel
// run: random:f32:2xN:1 random:f32:2xNx3:2
func.func @gate(%g: tensor<?x?xf32>, %x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %k = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = math.exp %g : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m, %k) : tensor<?x?x?xf32>
  %a = linalg.broadcast ins(%e : tensor<?x?xf32>) outs(%empty : tensor<?x?x?xf32>) dimensions = [2]
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// Cheap code is computed wherever it is needed, and so is expensive code for few.
// CHECK-LABEL: func @few
// CHECK-NOT:     arith.addf
// CHECK-NOT:     math
// CHECK:         scan.kernel
// run: random:f32:N:1 random:f32:N:2 random:f32:Nx4:3
func.func @few(%g: tensor<?xf32>, %f: tensor<?xf32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = math.exp %g : tensor<?xf32>
  %s = arith.addf %e, %f : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %a = linalg.broadcast ins(%s : tensor<?xf32>) outs(%empty : tensor<?x4xf32>) dimensions = [1]
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x4xf32>, tensor<?x4xf32>) dim = 0 -> tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// What does not change from step to step is computed once per walk.
// CHECK-LABEL: func @per_channel
// CHECK-NOT:     math.log1p
// CHECK:         scan.kernel
// CHECK:         math.log1p
// run: random:f32:3:1 random:f32:2xNx3:2
func.func @per_channel(%l: tensor<?xf32>, %x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %k = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = math.absf %l : tensor<?xf32>
  %p = math.log1p %e : tensor<?xf32>
  %empty = tensor.empty(%n, %m, %k) : tensor<?x?x?xf32>
  %a = linalg.broadcast ins(%p : tensor<?xf32>) outs(%empty : tensor<?x?x?xf32>) dimensions = [0, 1]
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// A few numbers are computed in front: a kernel of few scans has many threads for
// each of them. As an init they are computed once per scan.
// CHECK-LABEL: func @few_numbers
// CHECK:         %[[E:.+]] = math.exp
// CHECK:         scan.kernel
// CHECK-NEXT:      ins({{.*}}%[[E]]
// CHECK:         initialize {
// CHECK:           math.exp
// ALWAYS-LABEL: func @few_numbers
// ALWAYS-NOT:   math.exp
// ALWAYS:       scan.kernel
// run: random:f32:4:1 random:f32:2xNx4:2
func.func @few_numbers(%l: tensor<4xf32>, %x: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %e = math.exp %l : tensor<4xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?x4xf32>
  %a = linalg.broadcast ins(%e : tensor<4xf32>) outs(%empty : tensor<?x?x4xf32>) dimensions = [0, 1]
  %negated = arith.negf %l : tensor<4xf32>
  %f = math.exp %negated : tensor<4xf32>
  %rows = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.broadcast ins(%f : tensor<4xf32>) outs(%rows : tensor<?x4xf32>) dimensions = [0]
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x4xf32>, tensor<?x?x4xf32>) init(%init : tensor<?x4xf32>)
      dim = 1 -> tensor<?x?x4xf32>
  return %h : tensor<?x?x4xf32>
}

// Eight states share the step size. Once they are unrolled it is computed once for
// them; as long as they are not, it is not computed eight times.
// CHECK-LABEL: func @unrolled
// CHECK-NOT:     math.exp
// CHECK:         scan.kernel
// CHECK-COUNT-1: math.exp
// CHECK-NOT:     math.exp
// CHECK-LABEL: func @not_unrolled
// CHECK:         math.exp
// CHECK:         scan.kernel
// run: random:f32:N:1 random:f32:Nx8:2 random:f32:N:3
func.func @unrolled(%d: tensor<?xf32>, %x: tensor<?x8xf32>, %acc: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = math.exp %d : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %a = linalg.broadcast ins(%e : tensor<?xf32>) outs(%empty : tensor<?x8xf32>) dimensions = [1]
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x8xf32>, tensor<?x8xf32>) dim = 0 -> tensor<?x8xf32>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<?x8xf32>) outs(%acc : tensor<?xf32>) dimensions = [1]
  return %y : tensor<?xf32>
}
// run: random:f32:N:1 random:f32:Nx8:2
func.func @not_unrolled(%d: tensor<?xf32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = math.exp %d : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %a = linalg.broadcast ins(%e : tensor<?xf32>) outs(%empty : tensor<?x8xf32>) dimensions = [1]
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x8xf32>, tensor<?x8xf32>) dim = 0 -> tensor<?x8xf32>
  return %h : tensor<?x8xf32>
}
