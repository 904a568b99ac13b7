// The time mixing of RWKV-4 (Peng et al., 2023, arXiv:2305.13048): a mean of all values so far, weighted by exp(k) that decays,
// and of the present one, weighted by exp(u + k).

func.func @wkv(%k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %w: tensor<?xf32>, %u: tensor<?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %k, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %k, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %k, %c0 : tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %kv_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %ek_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %kv, %ek = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k, %v, %w : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>)
      outs(%decay_dest, %kv_dest, %ek_dest : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32, %out1: f32, %out2: f32):
    %m = arith.negf %e2 : f32
    %d = math.exp %m : f32
    %e = math.exp %e0 : f32
    %x = arith.mulf %e, %e1 : f32
    linalg.yield %d, %x, %e : f32, f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %zero = arith.constant 0.0 : f32
  %num = scan.linear_recurrence ins(%decay, %kv : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%zero : f32) dim = 1 exclusive -> tensor<?x?x?xf32>
  %den = scan.linear_recurrence ins(%decay, %ek : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%zero : f32) dim = 1 exclusive -> tensor<?x?x?xf32>
  %y_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%num, %den, %k, %v, %u : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>)
      outs(%y_dest : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32, %out0: f32):
    %s = arith.addf %e2, %e4 : f32
    %e = math.exp %s : f32
    %x = arith.mulf %e, %e3 : f32
    %n = arith.addf %e0, %x : f32
    %d = arith.addf %e1, %e : f32
    %r = arith.divf %n, %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
