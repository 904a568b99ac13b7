// The simple recurrent unit (Lei et al., 2018, arXiv:1709.02755): c_t = f c_{t-1} + (1 - f) w_t, h_t = r c_t + (1 - r) x_t.

func.func @sru(%w: tensor<?x?x?xf32>, %f: tensor<?x?x?xf32>, %r: tensor<?x?x?xf32>, %x: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %w, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %w, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %w, %c0 : tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%f, %w : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32, %out1: f32):
    %s1 = arith.constant 1.0 : f32
    %sm = arith.negf %e0 : f32
    %se = math.exp %sm : f32
    %sd = arith.addf %se, %s1 : f32
    %g = arith.divf %s1, %sd : f32
    %rest = arith.subf %s1, %g : f32
    %b = arith.mulf %rest, %e1 : f32
    linalg.yield %g, %b : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %c = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %h_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %h = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r, %c, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%h_dest : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32):
    %s1 = arith.constant 1.0 : f32
    %sm = arith.negf %e0 : f32
    %se = math.exp %sm : f32
    %sd = arith.addf %se, %s1 : f32
    %g = arith.divf %s1, %sd : f32
    %rest = arith.subf %s1, %g : f32
    %p = arith.mulf %g, %e1 : f32
    %q = arith.mulf %rest, %e2 : f32
    %y = arith.addf %p, %q : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
