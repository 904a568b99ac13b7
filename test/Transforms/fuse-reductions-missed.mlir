// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise='max-state-bytes=512' | FileCheck %s --check-prefix=LARGE
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)
//
// Reductions that stay where they are, with everything else unrolled nowhere.

// Over the scanned dimension: its sum is not known before the end.
// CHECK-LABEL: func @over_time
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{[^:]+}} : tensor<?x3xf32>) outs(%{{[^,]+}} : tensor<?x3xf32>)
// CHECK:         linalg.reduce
// run: random:f32:Nx3:1
func.func @over_time(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %h = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x3xf32>
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %y = linalg.reduce { arith.maximumf } ins(%h : tensor<?x3xf32>) outs(%zero : tensor<3xf32>) dimensions = [0]
  return %y : tensor<3xf32>
}

// Over a dynamic dimension.
// CHECK-LABEL: func @dynamic
// CHECK:         scan.kernel dim = 0
// CHECK:         linalg.reduce
// run: random:f32:Nx3:1 random:f32:N:2
func.func @dynamic(%x: tensor<?x?xf32>, %acc: tensor<?xf32>) -> tensor<?xf32> {
  %h = scan.associative ins(%x : tensor<?x?xf32>) dim = 0 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<?x?xf32>) outs(%acc : tensor<?xf32>) dimensions = [1]
  return %y : tensor<?xf32>
}

// 64 leaves of 8 bytes: more than fit in registers, unless one says so.
// CHECK-LABEL: func @large
// CHECK:         scan.kernel dim = 0
// CHECK:         linalg.reduce
// LARGE-LABEL: func @large
// LARGE-NOT:     linalg
// LARGE:         return
// run: random:f64:Nx64:1 random:f64:N:2
func.func @large(%x: tensor<?x64xf64>, %acc: tensor<?xf64>) -> tensor<?xf64> {
  %h = scan.associative ins(%x : tensor<?x64xf64>) dim = 0 {
  ^bb0(%a: f64, %n: f64):
    %s = arith.addf %a, %n : f64
    scan.yield %s : f64
  } -> tensor<?x64xf64>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<?x64xf64>) outs(%acc : tensor<?xf64>) dimensions = [1]
  return %y : tensor<?xf64>
}

// The states are asked for in a layout that an unrolled kernel cannot write.
// CHECK-LABEL: func @layout
// CHECK:         scan.kernel dim = 1
// CHECK:         linalg.reduce
// run: random:f32:2xN:1 random:f32:N:2
func.func @layout(%x: tensor<2x?xf32>, %acc: tensor<?xf32>) -> (tensor<2x?xf32>, tensor<?xf32>) {
  %h = scan.associative ins(%x : tensor<2x?xf32>) dim = 1 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<2x?xf32>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<2x?xf32>) outs(%acc : tensor<?xf32>) dimensions = [0]
  return %h, %y : tensor<2x?xf32>, tensor<?xf32>
}

// What is added up also depends on the scan in another way.
// CHECK-LABEL: func @dependent
// CHECK:         scan.kernel dim = 0
// CHECK:         linalg.generic
// run: random:f32:Nx2:1
func.func @dependent(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %h, %last = scan.associative ins(%x : tensor<?x2xf32>) dim = 0 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x2xf32>, tensor<2xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (t)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%h, %last : tensor<?x2xf32>, tensor<2xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%s: f32, %l: f32, %acc: f32):
    %d = arith.divf %s, %l : f32
    %r = arith.addf %acc, %d : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
