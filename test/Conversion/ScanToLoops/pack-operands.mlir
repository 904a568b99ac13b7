// RUN: scan-opt %s --scan-pack-operands --canonicalize --cse --split-input-file | FileCheck %s

// In front of the loop that does not change them, the outermost of two; also of rows that
// are columns. What the outputs start from is the same memory.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK: #[[$IN:.+]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK: #[[$OUT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: #[[$A:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK: #[[$B:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK: #[[$C:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:      %{{.+}}: tensor<?x?xf64>, %[[W:.+]]: tensor<32x?xf64>
// CHECK:         %[[SPLIT:.+]] = tensor.expand_shape %[[W]] {{\[}}[0, 1], [2]] {{.*}} into tensor<2x16x?xf64>
// CHECK:         %[[PANELS:.+]] = linalg.generic {indexing_maps = [#[[$IN]], #[[$OUT]]], {{.*}} ins(%[[SPLIT]] : tensor<2x16x?xf64>)
// CHECK:         scf.for
// CHECK-NOT:       #[[$OUT]]
// CHECK:           scf.for {{.*}} iter_args(%[[X:.+]] = %{{.+}})
// CHECK:             %[[COLUMNS:.+]] = tensor.expand_shape %[[X]] {{\[}}[0], [1, 2]] {{.*}} into tensor<?x2x16xf64>
// CHECK:             %[[Y:.+]] = linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.+}}, %[[PANELS]] : {{.*}}) outs(%[[COLUMNS]]
// CHECK:             tensor.collapse_shape %[[Y]] {{\[}}[0], [1, 2]] : tensor<?x2x16xf64> into tensor<?x32xf64>
func.func @layer(%h: tensor<?x?xf64>, %w: tensor<32x?xf64>, %n: index, %z: tensor<?x32xf64>) -> tensor<?x32xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<?x32xf64>) {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%y = %x) -> (tensor<?x32xf64>) {
      %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%h, %w : tensor<?x?xf64>, tensor<32x?xf64>) outs(%y : tensor<?x32xf64>) {
      ^bb0(%e: f64, %f: f64, %o: f64):
        %t = arith.mulf %e, %f : f64
        %s = arith.addf %o, %t : f64
        linalg.yield %s : f64
      } -> tensor<?x32xf64>
      scf.yield %p : tensor<?x32xf64>
    }
    scf.yield %q : tensor<?x32xf64>
  }
  return %r : tensor<?x32xf64>
}

// -----

// Not what the loop changes, what is no multiple of a panel, and not without a loop.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     tensor.expand_shape
// CHECK:         return
func.func @others(%h: tensor<8x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x40xf32>, %u: tensor<8x40xf32>, %n: index)
    -> (tensor<64x64xf32>, tensor<8x40xf32>, tensor<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %w, %y = %u) -> (tensor<64x64xf32>, tensor<8x40xf32>) {
    %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) {
    ^bb0(%e: f32, %f: f32, %o: f32):
      %t = arith.mulf %e, %f : f32
      %s = arith.addf %o, %t : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %v : tensor<8x64xf32>, tensor<64x40xf32>) outs(%y : tensor<8x40xf32>) {
    ^bb0(%e: f32, %f: f32, %o: f32):
      %t = arith.mulf %e, %f : f32
      %s = arith.addf %o, %t : f32
      linalg.yield %s : f32
    } -> tensor<8x40xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<8x40xf32>
  }
  %m = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%h : tensor<8x64xf32>) {
  ^bb0(%e: f32, %f: f32, %o: f32):
    %t = arith.mulf %e, %f : f32
    %s = arith.addf %o, %t : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  return %r#0, %r#1, %m : tensor<64x64xf32>, tensor<8x40xf32>, tensor<8x64xf32>
}
