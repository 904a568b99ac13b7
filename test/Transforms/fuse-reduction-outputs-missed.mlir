// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-reduction-outputs --remarks-filter-missed=scan-fuse-reduction-outputs 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// Sums that stay where they are, and why.

// REMARK: fuse-reduction-outputs-missed.mlir:[[#@LINE+10]]:{{.*}} FuseReductionOutputs {{.*}}Function=ordered {{.*}}its additions are not said to be in any order (fastmath<reassoc>)
// CHECK-LABEL: func @ordered
// CHECK:         scan.kernel
// CHECK:         linalg.reduce
func.func @ordered(%x: tensor<?x6xf32>, %start: tensor<6xf32>) -> tensor<6xf32> {
  %h = scan.associative ins(%x : tensor<?x6xf32>) dim = 0 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.maximumf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x6xf32>
  %s = linalg.reduce { arith.addf } ins(%h : tensor<?x6xf32>) outs(%start : tensor<6xf32>) dimensions = [0]
  return %s : tensor<6xf32>
}

// REMARK: Function=deterministic {{.*}}the kernel computes in a certain order, and so must its sums
// CHECK-LABEL: func @deterministic
// CHECK:         scan.kernel
// CHECK:         linalg.reduce
func.func @deterministic(%x: tensor<?x6xf32>, %start: tensor<6xf32>) -> tensor<6xf32> {
  %h = scan.associative ins(%x : tensor<?x6xf32>) dim = 0 attributes {order = #scan.order<deterministic>} {
  ^bb0(%a: f32, %n: f32):
    %s = arith.maximumf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x6xf32>
  %s = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} } ins(%h : tensor<?x6xf32>) outs(%start : tensor<6xf32>) dimensions = [0]
  return %s : tensor<6xf32>
}

// REMARK: Function=maximum {{.*}}it is no sum
// CHECK-LABEL: func @maximum
// CHECK:         scan.kernel
// CHECK:         linalg.reduce
func.func @maximum(%x: tensor<?x6xf32>, %start: tensor<6xf32>) -> tensor<6xf32> {
  %h = scan.associative ins(%x : tensor<?x6xf32>) dim = 0 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x6xf32>
  %s = linalg.reduce { arith.maximumf } ins(%h : tensor<?x6xf32>) outs(%start : tensor<6xf32>) dimensions = [0]
  return %s : tensor<6xf32>
}

// REMARK: Function=narrow_integers {{.*}}numbers of its type are not summed up
// CHECK-LABEL: func @narrow_integers
// CHECK:         scan.kernel
// CHECK:         linalg.reduce
func.func @narrow_integers(%x: tensor<?x6xi16>, %start: tensor<6xi16>) -> tensor<6xi16> {
  %h = scan.associative ins(%x : tensor<?x6xi16>) dim = 0 {
  ^bb0(%a: i16, %n: i16):
    %s = arith.addi %a, %n : i16
    scan.yield %s : i16
  } -> tensor<?x6xi16>
  %s = linalg.reduce { arith.addi } ins(%h : tensor<?x6xi16>) outs(%start : tensor<6xi16>) dimensions = [0]
  return %s : tensor<6xi16>
}

// A sum of sums, which are complete behind the kernel only.
// REMARK: Function=sum_of_sums {{.*}}it reads a reduction output, which is complete behind the kernel only
// CHECK-LABEL: func @sum_of_sums
// CHECK:         %[[S:.+]] = scan.kernel
// CHECK:         linalg.generic {{.*}} ins(%[[S]]
func.func @sum_of_sums(%x: tensor<?x6xi32>, %start: tensor<6xi32>, %all: tensor<i32>) -> tensor<i32> {
  %h = scan.associative ins(%x : tensor<?x6xi32>) dim = 0 {
  ^bb0(%a: i32, %n: i32):
    %s = arith.addi %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?x6xi32>
  %s = linalg.reduce { arith.addi } ins(%h : tensor<?x6xi32>) outs(%start : tensor<6xi32>) dimensions = [0]
  %t = linalg.generic {
      indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> ()>], iterator_types = ["reduction"]}
      ins(%s : tensor<6xi32>) outs(%all : tensor<i32>) {
  ^bb0(%e: i32, %out: i32):
    %q = arith.muli %e, %e : i32
    %r = arith.addi %q, %out : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %t : tensor<i32>
}

// REMARK: Function=needs_final {{.*}}it needs something else that depends on the kernel
// CHECK-LABEL: func @needs_final
// CHECK:         scan.kernel
// CHECK:         linalg.reduce
func.func @needs_final(%x: tensor<?x6xi32>) -> tensor<6xi32> {
  %h, %last = scan.associative ins(%x : tensor<?x6xi32>) dim = 0 {
  ^bb0(%a: i32, %n: i32):
    %s = arith.addi %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?x6xi32>, tensor<6xi32>
  %s = linalg.reduce { arith.addi } ins(%h : tensor<?x6xi32>) outs(%last : tensor<6xi32>) dimensions = [0]
  return %s : tensor<6xi32>
}

// Final states: over the batch, their sum takes another kernel.
// REMARK: Function=of_finals {{.*}}it reduces dimensions of the domain
// CHECK-LABEL: func @of_finals
// CHECK:         scan.kernel
// CHECK:         linalg.reduce
func.func @of_finals(%x: tensor<?x?xi32>, %start: tensor<i32>) -> tensor<i32> {
  %h, %last = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 {
  ^bb0(%a: i32, %n: i32):
    %s = arith.addi %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>, tensor<?xi32>
  %s = linalg.reduce { arith.addi } ins(%last : tensor<?xi32>) outs(%start : tensor<i32>) dimensions = [0]
  return %s : tensor<i32>
}

// The gradient of a projection to 64 channels is a product of matrices.
// REMARK: Function=product_of_matrices {{.*}}it has more than 32 terms at each point
// CHECK-LABEL: func @product_of_matrices
// CHECK:         scan.kernel
// CHECK:         linalg.generic
func.func @product_of_matrices(%x: tensor<?x6xi32>, %dy: tensor<?x64xi32>, %start: tensor<6x64xi32>) -> tensor<6x64xi32> {
  %h = scan.associative ins(%x : tensor<?x6xi32>) dim = 0 {
  ^bb0(%a: i32, %n: i32):
    %s = arith.addi %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?x6xi32>
  %w = linalg.generic {
      indexing_maps = [affine_map<(t, i, j) -> (t, i)>, affine_map<(t, i, j) -> (t, j)>, affine_map<(t, i, j) -> (i, j)>],
      iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%h, %dy : tensor<?x6xi32>, tensor<?x64xi32>) outs(%start : tensor<6x64xi32>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %m = arith.muli %p, %q : i32
    %r = arith.addi %out, %m : i32
    linalg.yield %r : i32
  } -> tensor<6x64xi32>
  return %w : tensor<6x64xi32>
}
