// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-reduction-outputs | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-reduction-outputs -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-reduction-outputs --scan-fuse-elementwise --scan-fuse-reduction-outputs | diff %t.mlir -
// (fuse-reduction-outputs-numbers.test runs these programs: the lines `roughly:` are their inputs.)

// What the backward pass of models computes in front of its kernel, and from what is
// known already.

// Each input element is a short sum; the matrix has the dimension of the domain last,
// so the kernel is unrolled over it.
// CHECK: #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @matrix_product
// CHECK-SAME:    (%[[W:.+]]: tensor<3x4xf32>, %[[X:.+]]: tensor<?x?x3xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%[[W]], %[[X]] : tensor<3x4xf32>, tensor<?x?x3xf32>) outs(%{{.+}} : tensor<?x?x4xf32>)
// CHECK-NEXT:      maps [#[[$NONE]], #[[ID:.+]], #[[ID]]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
// roughly: random:f32:3x4:1 random:f32:2xNx3:2
func.func @matrix_product(%w: tensor<3x4xf32>, %x: tensor<?x?x3xf32>) -> tensor<?x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x3xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x3xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %p = linalg.generic {
      indexing_maps = [affine_map<(b, t, j, i) -> (j, i)>, affine_map<(b, t, j, i) -> (b, t, j)>, affine_map<(b, t, j, i) -> (b, t, i)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%w, %x : tensor<3x4xf32>, tensor<?x?x3xf32>) outs(%f : tensor<?x?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.mulf %a, %b : f32
    %r = arith.addf %out, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?x4xf32>
  %h = scan.associative ins(%p : tensor<?x?x4xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?x4xf32>
  return %h : tensor<?x?x4xf32>
}

// The boundary of a shifted input is converted where it is needed.
// CHECK-LABEL: func @boundary
// CHECK-SAME:    (%[[X:.+]]: tensor<?x5xf32>, %[[H:.+]]: tensor<5xbf16>)
// CHECK-NOT:     arith.extf %{{.*}} : tensor
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]], %{{.+}}, %[[H]] : tensor<?x5xf32>, f32, tensor<5xbf16>)
// CHECK-NEXT:      maps {{.*}} attributes {boundaries = array<i64: 1, -1, -1>, shifts = array<i64: 1, 0, 0>}
// CHECK:           load {
// CHECK-NEXT:      ^bb0(%[[E:.+]]: f32, %{{.+}}: f32, %[[B:.+]]: bf16):
// CHECK:             %[[WIDE:.+]] = arith.extf %[[B]]
// CHECK:             %[[T:.+]] = scan.index 0
// CHECK:             %[[IS:.+]] = arith.cmpi slt, %[[T]], %{{.+}}
// CHECK:             arith.select %[[IS]], %[[WIDE]], %[[E]]
// roughly: random:f32:Nx5:1 random:bf16:5:2
func.func @boundary(%x: tensor<?x5xf32>, %h: tensor<5xbf16>) -> tensor<?x5xf32> {
  %wide = arith.extf %h : tensor<5xbf16> to tensor<5xf32>
  %s = scan.shift %x boundary(%wide : tensor<5xf32>) dim = 0 by = 1 : tensor<?x5xf32>
  %y = scan.associative ins(%s : tensor<?x5xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// The same behind the end, which has to be known.
// CHECK-LABEL: func @boundary_behind
// CHECK-NOT:     arith.extf %{{.*}} : tensor
// CHECK:         scan.kernel dim = 0
// CHECK:             arith.cmpi sge
// roughly: random:f32:7x5:1 random:bf16:5:2
func.func @boundary_behind(%x: tensor<7x5xf32>, %h: tensor<5xbf16>) -> tensor<7x5xf32> {
  %wide = arith.extf %h : tensor<5xbf16> to tensor<5xf32>
  %s = scan.shift %x boundary(%wide : tensor<5xf32>) dim = 0 by = -2 : tensor<7x5xf32>
  %y = scan.associative ins(%s : tensor<7x5xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

// CHECK-LABEL: func @boundary_somewhere
// CHECK:         arith.extf %{{.*}} : tensor
// CHECK:         scan.kernel dim = 0
// roughly: random:f32:Nx5:1 random:bf16:5:2
func.func @boundary_somewhere(%x: tensor<?x5xf32>, %h: tensor<5xbf16>) -> tensor<?x5xf32> {
  %wide = arith.extf %h : tensor<5xbf16> to tensor<5xf32>
  %s = scan.shift %x boundary(%wide : tensor<5xf32>) dim = 0 by = -1 : tensor<?x5xf32>
  %y = scan.associative ins(%s : tensor<?x5xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// What the first kernel stores is a product of its inputs: the second one reads these.
// CHECK-LABEL: func @recomputed
// CHECK-SAME:    (%[[X:.+]]: tensor<?x5xf32>, %[[Z:.+]]: tensor<?x5xf32>)
// CHECK:         %[[Y:.+]] = scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]], %[[Z]] : {{.*}}) outs(%{{[^,]+}} : tensor<?x5xf32>)
// CHECK:         %[[R:.+]] = scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%[[X]], %[[Z]] : {{.*}}) outs(%{{[^,]+}} : tensor<?x5xf32>)
// CHECK:         return %[[Y]], %[[R]]
// roughly: random:f32:Nx5:1 random:f32:Nx5:2
func.func @recomputed(%x: tensor<?x5xf32>, %z: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %y:2 = scan.kernel dim = 0
      ins(%x, %z : tensor<?x5xf32>, tensor<?x5xf32>) outs(%e, %e : tensor<?x5xf32>, tensor<?x5xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
            affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%p: f32, %q: f32):
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32, %q: f32):
        %o = math.exp %q : f32
        %m = arith.mulf %p, %o : f32
        %r = arith.addf %in, %m : f32
        scan.yield %r, %m : f32, f32
      } -> tensor<?x5xf32>, tensor<?x5xf32>
  %r = scan.associative ins(%y#1 : tensor<?x5xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %a, %b : f32
    scan.yield %t : f32
  } -> tensor<?x5xf32>
  return %y#0, %r : tensor<?x5xf32>, tensor<?x5xf32>
}
