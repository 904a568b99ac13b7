// Generalised advantages (Schulman et al., 2015, arXiv:1506.02438): delta_t = r_t + gamma v_{t+1} - v_t, summed up backwards with
// gamma lambda; the values of the next steps are all but the first, and a last one.

func.func @gae(%v: tensor<?x?xf32>, %r: tensor<?x?xf32>, %last: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %v, %c1 : tensor<?x?xf32>
  %size_b = tensor.dim %v, %c0 : tensor<?x?xf32>
  %less = arith.subi %size_t, %c1 : index
  %rest = tensor.extract_slice %v[0, 1] [%size_b, %less] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %next = tensor.concat dim(1) %rest, %last : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %delta_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %decay, %delta = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%r, %v, %next : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%decay_dest, %delta_dest : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32, %out1: f32):
    %gamma = arith.constant 0.96875 : f32
    %both = arith.constant 0.90625 : f32
    %n = arith.mulf %gamma, %e2 : f32
    %s = arith.addf %e0, %n : f32
    %d = arith.subf %s, %e1 : f32
    linalg.yield %both, %d : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %g = scan.linear_recurrence ins(%decay, %delta : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 reverse -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}
