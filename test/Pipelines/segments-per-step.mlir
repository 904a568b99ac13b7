// The segment of a step is looked for once, however many elements the step has.

// RUN: scan-opt %s --scan-to-fused=target=cpu | FileCheck %s
// RUN: scan-opt %s --scan-to-fused=target=gpu | FileCheck %s

// CHECK-LABEL: func.func @masked(
// CHECK:         %[[F:.+]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.+}} : tensor<?xi1>)
// CHECK:           scf.while
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins({{.*}}%[[F]]
// CHECK-NOT:       scf.while
// CHECK:         return
func.func @masked(%x: tensor<?x5xf32>, %o: tensor<?xi32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %f = scan.head_flags %o extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%f, %x : tensor<?xi1>, tensor<?x5xf32>) outs(%e : tensor<?x5xf32>) {
  ^bb0(%start: i1, %v: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.select %start, %zero, %v : f32
    linalg.yield %r : f32
  } -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// RUN: scan-run %s --input=random:f32:9x5:1 --input=values:i32:4:0,2,2,7 --compare=reference --tolerance=0 --target=cpu
// RUN: scan-run %s --input=random:f32:9x5:1 --input=values:i32:4:0,2,2,7 --compare=reference --tolerance=0 --target=emulator
