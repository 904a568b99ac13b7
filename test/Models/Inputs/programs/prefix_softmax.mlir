// A mean of the values so far, weighted by the softmax of the scores so far: attention to the past by one query.

func.func @prefix_softmax(%score: tensor<?x?x?xf32>, %value: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %score, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %score, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %score, %c2 : tensor<?x?x?xf32>
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one[%d0, %d1, %d2] : tensor<?x?x?xf32>
  %m, %s, %w = scan.associative
      ins(%score, %ones, %value : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 {
  ^bb0(%m0: f32, %s0: f32, %w0: f32, %m1: f32, %s1: f32, %w1: f32):
    %max = arith.maximumf %m0, %m1 : f32
    %d0s = arith.subf %m0, %max : f32
    %d1s = arith.subf %m1, %max : f32
    %e0 = math.exp %d0s : f32
    %e1 = math.exp %d1s : f32
    %p0 = arith.mulf %s0, %e0 : f32
    %p1 = arith.mulf %s1, %e1 : f32
    %sum = arith.addf %p0, %p1 : f32
    %q0 = arith.mulf %w0, %e0 : f32
    %q1 = arith.mulf %w1, %e1 : f32
    %weighted = arith.addf %q0, %q1 : f32
    scan.yield %max, %sum, %weighted : f32, f32, f32
  } -> tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>
  %y = arith.divf %w, %s : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
