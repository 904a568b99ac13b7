// HGRN2 (Qin et al., 2024, arXiv:2404.07904): a state of 4 keys, S_t = diag(f_t) S_{t-1} + (1 - f_t) v_t, y_t = q_t S_t.

func.func @hgrn2(%f: tensor<?x?x4xf32>, %v: tensor<?x?x?xf32>, %q: tensor<?x?x4xf32>) -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %v, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %f, %c1 : tensor<?x?x4xf32>
  %size_b = tensor.dim %f, %c0 : tensor<?x?x4xf32>
  %ones_value = arith.constant 1.0 : f32
  %ones_empty = tensor.empty(%size_b, %size_t) : tensor<?x?x4xf32>
  %ones = linalg.fill ins(%ones_value : f32) outs(%ones_empty : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %rest = arith.subf %ones, %f : tensor<?x?x4xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x4x?xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x4x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, n, c) -> (b, t, n)>,
                       affine_map<(b, t, n, c) -> (b, t, n)>,
                       affine_map<(b, t, n, c) -> (b, t, c)>,
                       affine_map<(b, t, n, c) -> (b, t, n, c)>,
                       affine_map<(b, t, n, c) -> (b, t, n, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f, %rest, %v : tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<?x?x?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x4x?xf32>, tensor<?x?x4x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32, %out1: f32):
    %w = arith.mulf %e1, %e2 : f32
    linalg.yield %e0, %w : f32, f32
  } -> (tensor<?x?x4x?xf32>, tensor<?x?x4x?xf32>)
  %s = scan.linear_recurrence ins(%decay, %input : tensor<?x?x4x?xf32>, tensor<?x?x4x?xf32>) dim = 1 -> tensor<?x?x4x?xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c, n) -> (b, t, n, c)>,
                       affine_map<(b, t, c, n) -> (b, t, n)>,
                       affine_map<(b, t, c, n) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %q : tensor<?x?x4x?xf32>, tensor<?x?x4xf32>)
      outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %m = arith.mulf %e0, %e1 : f32
    %r = arith.addf %out0, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
