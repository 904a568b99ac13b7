// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-reduction-outputs | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-reduction-outputs -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-reduction-outputs --scan-fuse-elementwise --scan-fuse-reduction-outputs | diff %t.mlir -
// (fuse-reduction-outputs-numbers.test runs these programs: the lines `roughly:` are their inputs.)

// CHECK-DAG: #[[$ID3:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[$BT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$TC:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$ID2:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$T:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>

// The states are not written: they are summed up over batch and time.
// CHECK-LABEL: func @batch_and_time
// CHECK-SAME:    (%[[A:.+]]: tensor<2x?x5xf32>, %[[B:.+]]: tensor<2x?x5xf32>, %[[START:.+]]: tensor<5xf32>)
// CHECK-NOT:     linalg
// CHECK:         %[[S:.+]] = scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%[[A]], %[[B]] : {{.*}}) outs(%[[START]] : tensor<5xf32>)
// CHECK-NEXT:      maps [#[[$ID3]], #[[$ID3]], #[[$C]]]
// CHECK:         return %[[S]]
// roughly: random:f32:2xNx5:1 random:f32:2xNx5:2 random:f32:5:3
func.func @batch_and_time(%a: tensor<2x?x5xf32>, %b: tensor<2x?x5xf32>, %start: tensor<5xf32>) -> tensor<5xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x?x5xf32>, tensor<2x?x5xf32>) dim = 1 reverse -> tensor<2x?x5xf32>
  %s = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} } ins(%h : tensor<2x?x5xf32>) outs(%start : tensor<5xf32>) dimensions = [0, 1]
  return %s : tensor<5xf32>
}

// Terms of several tensors, one of them not the kernel's; over the channels, and
// over the batch. The states have another user.
// CHECK-LABEL: func @products
// CHECK-SAME:    (%[[A:.+]]: tensor<2x?x40xf32>, %[[B:.+]]: tensor<2x?x40xf32>, %[[W:.+]]: tensor<2x?x40xf32>)
// CHECK:         %[[K:.+]]:3 = scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[A]], %[[B]], %[[W]] : {{.*}}) outs(%{{.+}}, %{{.+}}, %{{.+}} : tensor<2x?x40xf32>, tensor<2x?xf32>, tensor<?x40xf32>)
// CHECK-NEXT:      maps [#[[$ID3]], #[[$ID3]], #[[$ID3]], #[[$ID3]], #[[$BT]], #[[$TC]]]
// CHECK-NOT:     linalg
// CHECK:         return %[[K]]#0, %[[K]]#1, %[[K]]#2
// roughly: random:f32:2xNx40:1 random:f32:2xNx40:2 random:f32:2xNx40:3
func.func @products(%a: tensor<2x?x40xf32>, %b: tensor<2x?x40xf32>, %w: tensor<2x?x40xf32>)
    -> (tensor<2x?x40xf32>, tensor<2x?xf32>, tensor<?x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<2x?x40xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x?x40xf32>, tensor<2x?x40xf32>) dim = 1 -> tensor<2x?x40xf32>
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?xf32>) -> tensor<2x?xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w : tensor<2x?x40xf32>, tensor<2x?x40xf32>) outs(%f : tensor<2x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %p, %out fastmath<reassoc> : f32
    linalg.yield %r : f32
  } -> tensor<2x?xf32>
  %e2 = tensor.empty(%n) : tensor<?x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %s2 = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} } ins(%h : tensor<2x?x40xf32>) outs(%f2 : tensor<?x40xf32>) dimensions = [0]
  return %h, %s, %s2 : tensor<2x?x40xf32>, tensor<2x?xf32>, tensor<?x40xf32>
}

// A product of each state with each of three numbers: several elements per point.
// CHECK-LABEL: func @outer_product
// CHECK:         %[[K:.+]] = scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x3xf32>) outs(%{{.+}} : tensor<4x3xf32>)
// CHECK-NEXT:      maps [#[[$ID2]], #[[$ID2]], #[[$T]], #[[$C2:.+]]]
// CHECK-NOT:     linalg
// CHECK:         return %[[K]]
// roughly: random:f32:Nx4:1 random:f32:Nx4:2 random:f32:Nx3:3 random:f32:4x3:4
func.func @outer_product(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %x: tensor<?x3xf32>, %start: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) dim = 0 -> tensor<?x4xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(t, i, j) -> (t, i)>, affine_map<(t, i, j) -> (t, j)>, affine_map<(t, i, j) -> (i, j)>],
      iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%h, %x : tensor<?x4xf32>, tensor<?x3xf32>) outs(%start : tensor<4x3xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %out, %m fastmath<reassoc> : f32
    linalg.yield %r : f32
  } -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// Integers need no permission; everything is summed up, from what is there.
// CHECK-LABEL: func @integers
// CHECK:         %[[K:.+]] = scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%{{.+}} : tensor<?x6xi32>) outs(%{{.+}} : tensor<i32>)
// CHECK-NEXT:      maps [#[[$ID2]], #[[$NONE]]]
// CHECK:         return %[[K]]
// run: random:i32:Nx6:1 random:i32::2
func.func @integers(%x: tensor<?x6xi32>, %start: tensor<i32>) -> tensor<i32> {
  %h = scan.associative ins(%x : tensor<?x6xi32>) dim = 0 reverse {
  ^bb0(%a: i32, %n: i32):
    %s = arith.maxsi %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?x6xi32>
  %s = linalg.reduce { arith.addi } ins(%h : tensor<?x6xi32>) outs(%start : tensor<i32>) dimensions = [0, 1]
  return %s : tensor<i32>
}

// CHECK-LABEL: func @complex
// CHECK:         %[[K:.+]] = scan.kernel dim = 0
// CHECK-NEXT:      ins({{.*}}) outs(%{{.+}} : tensor<?xcomplex<f32>>)
// CHECK-NOT:     linalg
// CHECK:         return %[[K]]
// roughly: random:c64:Nx6:1 random:c64:Nx6:2 random:c64:N:3
func.func @complex(%a: tensor<?x6xcomplex<f32>>, %b: tensor<?x6xcomplex<f32>>, %start: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x6xcomplex<f32>>, tensor<?x6xcomplex<f32>>) dim = 0 -> tensor<?x6xcomplex<f32>>
  %s = linalg.reduce { complex.add {fastmath = #arith.fastmath<reassoc>} } ins(%h : tensor<?x6xcomplex<f32>>) outs(%start : tensor<?xcomplex<f32>>) dimensions = [1]
  return %s : tensor<?xcomplex<f32>>
}

// What reads an input of the kernel and none of its results: more outputs and reductions,
// also where it comes first.
// CHECK-LABEL: func @siblings
// CHECK-SAME:    (%[[X:.+]]: tensor<?x6xf32>, %[[W:.+]]: tensor<6xf32>)
// CHECK:         %[[K:.+]]:3 = scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]], %[[W]] : tensor<?x6xf32>, tensor<6xf32>) outs(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x6xf32>, tensor<?x6xf32>, tensor<6xf32>)
// CHECK-NOT:     linalg
// CHECK:         return %[[K]]#1, %[[K]]#2, %[[K]]#0
// roughly: random:f32:Nx6:1 random:f32:6:2
func.func @siblings(%x: tensor<?x6xf32>, %w: tensor<6xf32>) -> (tensor<?x6xf32>, tensor<6xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %m:2 = linalg.generic {
      indexing_maps = [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (c)>, affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t, c)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x6xf32>, tensor<6xf32>) outs(%e, %e : tensor<?x6xf32>, tensor<?x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o0: f32, %o1: f32):
    %r = arith.mulf %p, %q : f32
    %d = arith.mulf %r, %p : f32
    linalg.yield %r, %d : f32, f32
  } -> (tensor<?x6xf32>, tensor<?x6xf32>)
  %f = tensor.empty() : tensor<6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} } ins(%m#1 : tensor<?x6xf32>) outs(%zeros : tensor<6xf32>) dimensions = [0]
  %h = scan.associative ins(%x : tensor<?x6xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<?x6xf32>
  return %m#0, %s, %h : tensor<?x6xf32>, tensor<6xf32>, tensor<?x6xf32>
}

// Behind a sum, what is computed from it stays.
// CHECK-LABEL: func @behind
// CHECK:         %[[K:.+]] = scan.kernel dim = 0
// CHECK:         %[[E:.+]] = math.exp %[[K]] : tensor<6xf32>
// CHECK:         return %[[E]]
// roughly: random:f32:Nx6:1:-0.1:0.1
func.func @behind(%x: tensor<?x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant dense<0.0> : tensor<6xf32>
  %h = scan.associative ins(%x : tensor<?x6xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<?x6xf32>
  %s = linalg.reduce { arith.addf {fastmath = #arith.fastmath<reassoc>} } ins(%h : tensor<?x6xf32>) outs(%zero : tensor<6xf32>) dimensions = [0]
  %e = math.exp %s : tensor<6xf32>
  return %e : tensor<6xf32>
}

// A sibling of a kernel that reads another one: its extents are not those of a result.
// CHECK-LABEL: func @sibling_of_second
// CHECK:         %[[Y:.+]] = scan.kernel dim = 0
// CHECK-NOT:     tensor.dim %[[Y]]
// CHECK:         %[[K:.+]]:2 = scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[Y]], %{{.+}} : {{.*}}) outs(%{{.+}} : tensor<?x2xi32>) finals
// CHECK:         return %[[Y]], %[[K]]#1, %[[K]]#0
// run: random:i32:Nx2:1 random:i32:Nx2:2
func.func @sibling_of_second(%x: tensor<?x2xi32>, %z: tensor<?x2xi32>) -> (tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xi32>) {
  %c0 = arith.constant 0 : index
  %y = scan.associative ins(%x : tensor<?x2xi32>) dim = 0 {
  ^bb0(%a: i32, %n: i32):
    %s = arith.addi %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?x2xi32>
  %h, %last = scan.linear_recurrence ins(%y, %z : tensor<?x2xi32>, tensor<?x2xi32>) dim = 1 -> tensor<?x2xi32>, tensor<?xi32>
  %n = tensor.dim %x, %c0 : tensor<?x2xi32>
  %e = tensor.empty(%n) : tensor<?x2xi32>
  %m = linalg.generic {
      indexing_maps = [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<?x2xi32>) outs(%e : tensor<?x2xi32>) {
  ^bb0(%p: i32, %out: i32):
    %q = arith.muli %p, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x2xi32>
  return %y, %last, %m : tensor<?x2xi32>, tensor<?xi32>, tensor<?x2xi32>
}

// What is used in a branch moves behind the kernel with the branch, and with what uses
// its result.
// CHECK-LABEL: func @used_in_branch
// CHECK:         %[[K:.+]]:2 = scan.kernel dim = 0
// CHECK:         %[[B:.+]] = scf.if
// CHECK:           arith.addi %[[K]]#1, %[[K]]#1
// CHECK:         %[[P:.+]] = arith.muli %[[B]], %[[B]]
// CHECK:         return %[[K]]#0, %[[P]]
// run: random:i32:Nx2:1 values:i1::1
func.func @used_in_branch(%x: tensor<?x2xi32>, %c: i1) -> (tensor<?x2xi32>, tensor<?x2xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xi32>
  %e = tensor.empty(%n) : tensor<?x2xi32>
  %m = linalg.generic {
      indexing_maps = [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x2xi32>) outs(%e : tensor<?x2xi32>) {
  ^bb0(%p: i32, %out: i32):
    %q = arith.muli %p, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x2xi32>
  %b = scf.if %c -> tensor<?x2xi32> {
    %s = arith.addi %m, %m : tensor<?x2xi32>
    scf.yield %s : tensor<?x2xi32>
  } else {
    scf.yield %x : tensor<?x2xi32>
  }
  %p = arith.muli %b, %b : tensor<?x2xi32>
  %y = scan.associative ins(%x : tensor<?x2xi32>) dim = 0 reverse {
  ^bb0(%a: i32, %new: i32):
    %s = arith.addi %a, %new : i32
    scan.yield %s : i32
  } -> tensor<?x2xi32>
  return %y, %p : tensor<?x2xi32>, tensor<?x2xi32>
}

// The states are summed up over the dimension n, over which the kernel is unrolled for it,
// and over the channels c, though n lies in front of c in memory: neither sum needs them
// stored.
// CHECK-LABEL: func @over_both(
// CHECK:         %[[K:.*]]:2 = scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{.*}} : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x4xf32>)
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[K]]#0, %[[K]]#1
// roughly: random:f32:Nx4:1 random:f32:Nx5:2 random:f32:Nx4:3 random:f32:Nx5:4
func.func @over_both(%k: tensor<?x4xf32>, %v: tensor<?x?xf32>, %q: tensor<?x4xf32>, %g: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.dim %v, %c0 : tensor<?x?xf32>
  %c = tensor.dim %v, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%t, %c) : tensor<?x4x?xf32>
  %x = linalg.generic {
      indexing_maps = [affine_map<(t, n, c) -> (t, n)>, affine_map<(t, n, c) -> (t, c)>, affine_map<(t, n, c) -> (t, n, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k, %v : tensor<?x4xf32>, tensor<?x?xf32>) outs(%e : tensor<?x4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?x4x?xf32>
  %h = scan.associative ins(%x : tensor<?x4x?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x4x?xf32>
  %ey = tensor.empty(%t, %c) : tensor<?x?xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, c, n) -> (t, n, c)>, affine_map<(t, c, n) -> (t, n)>, affine_map<(t, c, n) -> (t, c)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %q : tensor<?x4x?xf32>, tensor<?x4xf32>) outs(%zy : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %out, %m fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %ez = tensor.empty(%t) : tensor<?x4xf32>
  %zz = linalg.fill ins(%zero : f32) outs(%ez : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(t, n, c) -> (t, n, c)>, affine_map<(t, n, c) -> (t, c)>, affine_map<(t, n, c) -> (t, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %g : tensor<?x4x?xf32>, tensor<?x?xf32>) outs(%zz : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %out, %m fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x4xf32>
}
