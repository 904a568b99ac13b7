// Double exponential smoothing (Holt, 1957): level and trend, as a state of two with a constant matrix; what comes out is the
// forecast of the next step, level + trend.

func.func @holt(%x: tensor<?x?xf32>, %alpha: f32, %beta: f32) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m00_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %m01_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %m10_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %m11_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %u_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %v_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %m00, %m01, %m10, %m11, %u, %v = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>)
      outs(%m00_dest, %m01_dest, %m10_dest, %m11_dest, %u_dest, %v_dest : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%e0: f32, %out0: f32, %out1: f32, %out2: f32, %out3: f32, %out4: f32, %out5: f32):
    %one = arith.constant 1.0 : f32
    %na = arith.subf %one, %alpha : f32
    %ab = arith.mulf %alpha, %beta : f32
    %mab = arith.negf %ab : f32
    %rest = arith.subf %one, %ab : f32
    %u = arith.mulf %alpha, %e0 : f32
    %v = arith.mulf %ab, %e0 : f32
    linalg.yield %na, %na, %mab, %rest, %u, %v : f32, f32, f32, f32, f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  %p00, %p01, %p10, %p11, %level, %trend = scan.associative ins(%m00, %m01, %m10, %m11, %u, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32, %b4: f32, %b5: f32):
    %t000 = arith.mulf %b0, %a0 : f32
    %t001 = arith.mulf %b1, %a2 : f32
    %t010 = arith.mulf %b0, %a1 : f32
    %t011 = arith.mulf %b1, %a3 : f32
    %t100 = arith.mulf %b2, %a0 : f32
    %t101 = arith.mulf %b3, %a2 : f32
    %t110 = arith.mulf %b2, %a1 : f32
    %t111 = arith.mulf %b3, %a3 : f32
    %n00 = arith.addf %t000, %t001 : f32
    %n01 = arith.addf %t010, %t011 : f32
    %n10 = arith.addf %t100, %t101 : f32
    %n11 = arith.addf %t110, %t111 : f32
    %s00 = arith.mulf %b0, %a4 : f32
    %s01 = arith.mulf %b1, %a5 : f32
    %s10 = arith.mulf %b2, %a4 : f32
    %s11 = arith.mulf %b3, %a5 : f32
    %w0 = arith.addf %s00, %s01 : f32
    %w1 = arith.addf %s10, %s11 : f32
    %r0 = arith.addf %w0, %b4 : f32
    %r1 = arith.addf %w1, %b5 : f32
    scan.yield %n00, %n01, %n10, %n11, %r0, %r1 : f32, f32, f32, f32, f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
  %y = arith.addf %level, %trend : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
