// Operations that do not need each other share a launch, in which each has blocks of its
// own. (numbers.test runs these programs: the lines `run:` are its inputs.)

// RUN: scan-opt %s --scan-to-gpu=dispatch=false --split-input-file | FileCheck %s

// Of other extents, and of other dimensions.
// CHECK: #[[$GRID:.*]] = affine_map<()[s0, s1] -> (((s0 ceildiv 4) ceildiv 256 + (s1 ceildiv 4) ceildiv 256) ceildiv
// CHECK-LABEL: func @apart(
// CHECK:         gpu.launch_func @scan_kernels::@apart_map0
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func @apart_map0(
// CHECK-SAME:      scan.args = [{{.*}}name = "x0"{{.*}}name = "y0"{{.*}}name = "x1"{{.*}}name = "y1"
// CHECK-SAME:      scan.grid = #[[$GRID]]
// CHECK:           %[[BLOCK:.*]] = arith.addi
// CHECK:           %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %c256 : index
// CHECK:           %[[FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %[[BLOCKS]]
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK:             math.exp
// CHECK:           } else {
// CHECK:             arith.subi %[[BLOCK]], %[[BLOCKS]]
// CHECK:             math.sqrt
// run: random:f32:N:1 random:f32:3xN:2:0:1
func.func @apart(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %e = math.exp %x : tensor<?xf32>
  %s = math.sqrt %y : tensor<?x?xf32>
  return %e, %s : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// Three, of which one is a sum over a dimension, one has a static extent, and one is empty
// if the others are not.
// CHECK-LABEL: func @three(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
// run: random:i32:5xN:1 random:i32:7:2 random:i32:0x4:3
func.func @three(%x: tensor<5x?xi32>, %y: tensor<7xi32>, %z: tensor<?x4xi32>) -> (tensor<?xi32>, tensor<7xi32>, tensor<?x4xi32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c1 : tensor<5x?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %s = linalg.reduce { arith.xori } ins(%x : tensor<5x?xi32>) outs(%f : tensor<?xi32>) dimensions = [0]
  %p = arith.muli %y, %y : tensor<7xi32>
  %q = arith.addi %z, %z : tensor<?x4xi32>
  return %s, %p, %q : tensor<?xi32>, tensor<7xi32>, tensor<?x4xi32>
}

// -----

// Behind the scan that stands between them.
// CHECK-LABEL: func @around_a_scan(
// CHECK:         gpu.launch_func @scan_kernels::@around_a_scan_scan0
// CHECK:         gpu.launch_func @scan_kernels::@around_a_scan_map0
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
// run: random:f32:N:1 random:f32:2xN:2 random:f32:3xN:3
func.func @around_a_scan(%x: tensor<?xf32>, %y: tensor<2x?xf32>, %z: tensor<3x?xf32>) -> (tensor<2x?xf32>, tensor<?xf32>, tensor<3x?xf32>) {
  %e = arith.negf %y : tensor<2x?xf32>
  %h = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) dim = 0 attributes {order = #scan.order<sequential>} -> tensor<?xf32>
  %s = math.absf %z : tensor<3x?xf32>
  return %e, %h, %s : tensor<2x?xf32>, tensor<?xf32>, tensor<3x?xf32>
}

// -----

// One after the other: the second one reads what the first one computes.
// CHECK-LABEL: func @needs(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
// run: random:f32:3xN:1
func.func @needs(%x: tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<?x3xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %y = arith.negf %x : tensor<3x?xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %t = linalg.transpose ins(%y : tensor<3x?xf32>) outs(%e : tensor<?x3xf32>) permutation = [1, 0]
  return %y, %t : tensor<3x?xf32>, tensor<?x3xf32>
}

// -----

// But not of what the scan reads.
// CHECK-LABEL: func @in_front_of_a_scan(
// CHECK:         gpu.launch_func @scan_kernels::@in_front_of_a_scan_map0
// CHECK:         gpu.launch_func @scan_kernels::@in_front_of_a_scan_scan0
// CHECK:         gpu.launch_func @scan_kernels::@in_front_of_a_scan_map2
// run: random:f32:Nx3:1 random:f32:3xN:3
func.func @in_front_of_a_scan(%x: tensor<?x3xf32>, %z: tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<3x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %c = tensor.empty(%n) : tensor<3x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x3xf32>) outs(%c : tensor<3x?xf32>) permutation = [1, 0]
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<3x?xf32>) outs(%c : tensor<3x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %k = linalg.index 1 : index
    %l = arith.constant 1 : index
    %m = arith.maxui %k, %l : index
    %o = arith.subi %m, %l : index
    %p = linalg.index 0 : index
    %q = tensor.extract %t[%p, %o] : tensor<3x?xf32>
    %r = arith.addf %q, %e : f32
    linalg.yield %r : f32
  } -> tensor<3x?xf32>
  %h = scan.linear_recurrence ins(%g, %g : tensor<3x?xf32>, tensor<3x?xf32>) dim = 1 attributes {order = #scan.order<sequential>} -> tensor<3x?xf32>
  %s = math.absf %z : tensor<3x?xf32>
  return %h, %s : tensor<3x?xf32>, tensor<3x?xf32>
}
