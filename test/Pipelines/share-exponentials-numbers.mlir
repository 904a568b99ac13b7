// One exponential gives what two give, of every pair of special numbers.

// RUN: scan-run %s --target=cpu --compare=reference \
// RUN:   --input=values:f32:9:inf,1,-inf,nan,0,-0.0,2.5,1e-40,-1e38 \
// RUN:   --output=%t.p.npy --output=%t.q.npy --output=%t.r.npy --output=%t.s.npy | FileCheck %s
// CHECK:      shape
// CHECK-NEXT: 0 9x9xf32 0
// CHECK-NEXT: 1 9x9xf32 0
// CHECK-NEXT: 2 9x9xf32 0
// CHECK-NEXT: 3 9x9xf32 0

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#both = affine_map<(i, j) -> (i, j)>

func.func @weights(%x: tensor<9xf32>) -> (tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>) {
  %o = tensor.empty() : tensor<9x9xf32>
  %p, %q, %r, %s = linalg.generic {indexing_maps = [#row, #column, #both, #both, #both, #both], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<9xf32>, tensor<9xf32>) outs(%o, %o, %o, %o : tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32):
    %m = arith.maximumf %a, %b : f32
    %u = arith.subf %a, %m : f32
    %v = arith.subf %b, %m : f32
    %e = math.exp %u : f32
    %f = math.exp %v : f32
    %n = arith.minnumf %a, %b : f32
    %w = arith.subf %n, %a : f32
    %z = arith.subf %n, %b : f32
    %g = math.exp %w : f32
    %h = math.exp %z : f32
    linalg.yield %e, %f, %g, %h : f32, f32, f32, f32
  } -> (tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>)
  return %p, %q, %r, %s : tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>
}
