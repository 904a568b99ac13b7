// Mamba-2 (Dao and Gu, 2024, arXiv:2405.21060) with four states: one decay per head and step.

func.func @mamba2(%x: tensor<?x?x?x?xf32>, %a: tensor<?x?x?xf32>, %b: tensor<?x?x4xf32>, %c: tensor<?x?x4xf32>)
    -> tensor<?x?x?x?xf32> {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_p = tensor.dim %x, %c3 : tensor<?x?x?x?xf32>
  %size_h = tensor.dim %x, %c2 : tensor<?x?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_h, %size_p) : tensor<?x?x?x?x4xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_h, %size_p) : tensor<?x?x?x?x4xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, h, p, n) -> (b, t, h)>,
                       affine_map<(b, t, h, p, n) -> (b, t, h, p)>,
                       affine_map<(b, t, h, p, n) -> (b, t, n)>,
                       affine_map<(b, t, h, p, n) -> (b, t, h, p, n)>,
                       affine_map<(b, t, h, p, n) -> (b, t, h, p, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %x, %b : tensor<?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x4xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?x?x4xf32>, tensor<?x?x?x?x4xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32, %out1: f32):
    %w = arith.mulf %e1, %e2 : f32
    linalg.yield %e0, %w : f32, f32
  } -> (tensor<?x?x?x?x4xf32>, tensor<?x?x?x?x4xf32>)
  %s = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?x?x4xf32>, tensor<?x?x?x?x4xf32>) dim = 1 -> tensor<?x?x?x?x4xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_b, %size_t, %size_h, %size_p) : tensor<?x?x?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, h, p, n) -> (b, t, h, p, n)>,
                       affine_map<(b, t, h, p, n) -> (b, t, n)>,
                       affine_map<(b, t, h, p, n) -> (b, t, h, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %c : tensor<?x?x?x?x4xf32>, tensor<?x?x4xf32>)
      outs(%zeros : tensor<?x?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %m = arith.mulf %e0, %e1 : f32
    %r = arith.addf %out0, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
