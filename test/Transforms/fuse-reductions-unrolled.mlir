// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// (fuse-reduction-outputs-numbers.test runs these programs: the lines `roughly:` are their inputs.)

// A kernel with reductions is unrolled: one that leaves out the dimension has the terms of
// all of its points, the others have it as a trailing one.
// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @unrolled
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%{{.+}}, %{{.+}} : tensor<?x?x2xf32>, tensor<?x?xf32>) outs(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?xf32>, tensor<2xf32>, tensor<?x?xf32>)
// CHECK-NEXT:      maps [#[[$ALL]], #[[$ALL]], #[[$B]], #[[$NONE]], #[[$ALL]]]
// CHECK:           store {
// CHECK-NEXT:      ^bb0(%[[Y0:[a-z0-9]+]]: f32, %[[Y1:[a-z0-9]+]]: f32, {{.*}}):
// CHECK:             %[[SUM:.+]] = arith.addf %[[Y0]], %[[Y1]]
// CHECK:             scan.yield %[[SUM]], %[[Y0]], %[[Y1]], %{{.+}} : f32, f32, f32, f32
// roughly: random:f32:3xNx2:1 random:f32:3:2 random:f32:2:3 random:f32:3xN:4
func.func @unrolled(%x: tensor<?x?x2xf32>, %s: tensor<?xf32>, %r: tensor<2xf32>, %start: tensor<?x?xf32>)
    -> (tensor<?xf32>, tensor<2xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x2xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?x2xf32>
  %y:3 = scan.kernel dim = 1
      ins(%x : tensor<?x?x2xf32>) outs(%e, %s, %r : tensor<?x?x2xf32>, tensor<?xf32>, tensor<2xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b)>,
            affine_map<(b, t, c) -> (c)>]
      load {
      ^bb0(%p: f32):
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %a = arith.addf %acc, %new : f32
        scan.yield %a : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32):
        scan.yield %in, %in, %in : f32, f32, f32
      } -> tensor<?x?x2xf32>, tensor<?xf32>, tensor<2xf32>
  %z = linalg.reduce { arith.mulf } ins(%y#0 : tensor<?x?x2xf32>) outs(%start : tensor<?x?xf32>) dimensions = [2]
  return %y#1, %y#2, %z : tensor<?xf32>, tensor<2xf32>, tensor<?x?xf32>
}

// A sum over the dimension to unroll and no other would be an output: what is there
// would be lost.
// CHECK-LABEL: func @refused
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{.+}} : tensor<?x2xf32>) outs(%{{.+}}, %{{.+}} : tensor<?x2xf32>, tensor<?xf32>)
// CHECK:         linalg.reduce
// roughly: random:f32:Nx2:1 random:f32:N:2 random:f32:N:3
func.func @refused(%x: tensor<?x2xf32>, %s: tensor<?xf32>, %start: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %y:2 = scan.kernel dim = 0
      ins(%x : tensor<?x2xf32>) outs(%e, %s : tensor<?x2xf32>, tensor<?xf32>)
      maps [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (t)>]
      load {
      ^bb0(%p: f32):
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %a = arith.addf %acc, %new : f32
        scan.yield %a : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32):
        scan.yield %in, %in : f32, f32
      } -> tensor<?x2xf32>, tensor<?xf32>
  %z = linalg.reduce { arith.mulf } ins(%y#0 : tensor<?x2xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  return %y#1, %z : tensor<?xf32>, tensor<?xf32>
}
