// minGRU, time first (Feng et al., 2024, arXiv:2410.01201): h_t = (1 - z_t) h_{t-1} + z_t h~_t, z_t = sigmoid(k_t).

func.func @mingru_tbc(%k: tensor<?x?x?xf32>, %candidate: tensor<?x?x?xf32>, %h0: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %a, %b = linalg.generic {
      indexing_maps = [affine_map<(t, b, c) -> (t, b, c)>, affine_map<(t, b, c) -> (t, b, c)>,
                       affine_map<(t, b, c) -> (t, b, c)>, affine_map<(t, b, c) -> (t, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k, %candidate : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%k, %k : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%kt: f32, %ct: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %kt : f32
    %e = math.exp %minus : f32
    %d = arith.addf %e, %one : f32
    %z = arith.divf %one, %d : f32
    %rest = arith.subf %one, %z : f32
    %zc = arith.mulf %z, %ct : f32
    linalg.yield %rest, %zc : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%h0 : tensor<?x?xf32>) dim = 0 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
