// Causal linear attention (Katharopoulos et al., 2020, arXiv:2006.16236) with keys of 4: features are exp.

func.func @linear_attention(%q: tensor<?x?x4xf32>, %k: tensor<?x?x4xf32>, %v: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %v, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %q, %c1 : tensor<?x?x4xf32>
  %size_b = tensor.dim %q, %c0 : tensor<?x?x4xf32>
  %fq = math.exp %q : tensor<?x?x4xf32>
  %fk = math.exp %k : tensor<?x?x4xf32>
  %kv_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x4x?xf32>
  %kk_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x4x?xf32>
  %kv, %kk = linalg.generic {
      indexing_maps = [affine_map<(b, t, n, c) -> (b, t, n)>,
                       affine_map<(b, t, n, c) -> (b, t, c)>,
                       affine_map<(b, t, n, c) -> (b, t, n, c)>,
                       affine_map<(b, t, n, c) -> (b, t, n, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%fk, %v : tensor<?x?x4xf32>, tensor<?x?x?xf32>)
      outs(%kv_dest, %kk_dest : tensor<?x?x4x?xf32>, tensor<?x?x4x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32, %out1: f32):
    %w = arith.mulf %e0, %e1 : f32
    linalg.yield %w, %e0 : f32, f32
  } -> (tensor<?x?x4x?xf32>, tensor<?x?x4x?xf32>)
  %s = scan.associative ins(%kv : tensor<?x?x4x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?x4x?xf32>
  %z = scan.associative ins(%kk : tensor<?x?x4x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?x4x?xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %top = linalg.generic {
      indexing_maps = [affine_map<(b, t, c, n) -> (b, t, n, c)>,
                       affine_map<(b, t, c, n) -> (b, t, n)>,
                       affine_map<(b, t, c, n) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%s, %fq : tensor<?x?x4x?xf32>, tensor<?x?x4xf32>)
      outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %m = arith.mulf %e0, %e1 : f32
    %r = arith.addf %out0, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %bottom = linalg.generic {
      indexing_maps = [affine_map<(b, t, c, n) -> (b, t, n, c)>,
                       affine_map<(b, t, c, n) -> (b, t, n)>,
                       affine_map<(b, t, c, n) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%z, %fq : tensor<?x?x4x?xf32>, tensor<?x?x4xf32>)
      outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %m = arith.mulf %e0, %e1 : f32
    %r = arith.addf %out0, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %y = arith.divf %top, %bottom : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
