// minGRU (Feng et al., 2024, arXiv:2410.01201) whose states are normalised over the channels (RMS norm) and added to the input.

func.func @mingru_norm(%k: tensor<?x?x?xf32>, %candidate: tensor<?x?x?xf32>, %h0: tensor<?x?xf32>, %gain: tensor<?xf32>,
                       %residual: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %k, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %k, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %k, %c0 : tensor<?x?x?xf32>
  %empty = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k, %candidate : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%empty, %empty : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %m = arith.negf %e0 : f32
    %e = math.exp %m : f32
    %d = arith.addf %e, %one : f32
    %z = arith.divf %one, %d : f32
    %rest = arith.subf %one, %z : f32
    %zc = arith.mulf %z, %e1 : f32
    linalg.yield %rest, %zc : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%h0 : tensor<?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h : tensor<?x?x?xf32>) outs(%none : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %out0: f32):
    %q = arith.mulf %e0, %e0 : f32
    %s = arith.addf %out0, %q fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> ()>,
                       affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %squares, %size_c, %gain, %residual : tensor<?x?x?xf32>, tensor<?x?xf32>, index, tensor<?xf32>, tensor<?x?x?xf32>)
      outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: index, %e3: f32, %e4: f32, %out0: f32):
    %eps = arith.constant 1.0e-5 : f32
    %i = arith.index_cast %e2 : index to i64
    %count = arith.sitofp %i : i64 to f32
    %mean = arith.divf %e1, %count : f32
    %v = arith.addf %mean, %eps : f32
    %r = math.rsqrt %v : f32
    %n = arith.mulf %e0, %r : f32
    %g = arith.mulf %n, %e3 : f32
    %s = arith.addf %e4, %g : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
