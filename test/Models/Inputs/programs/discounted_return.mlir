// Returns of a policy: g_t = r_t + gamma g_{t+1}, from a bootstrapped value on; an episode ends where `done` is set.

func.func @discounted_return(%r: tensor<?x?xf32>, %done: tensor<?x?xi1>, %last: tensor<?xf32>) -> tensor<?x?xf32> {
  %gamma = arith.constant dense<0.97> : tensor<f32>
  %a = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>, affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%done, %gamma : tensor<?x?xi1>, tensor<f32>) outs(%r : tensor<?x?xf32>) {
  ^bb0(%d: i1, %g: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.select %d, %zero, %g : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %g = scan.linear_recurrence ins(%a, %r : tensor<?x?xf32>, tensor<?x?xf32>)
      init(%last : tensor<?xf32>) dim = 1 reverse -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}
