// sigmoid(x) and sigmoid(-x).
func.func @gates(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z, %r = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %o0: f32, %o1: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %e0 = math.exp %minus : f32
    %d0 = arith.addf %e0, %one : f32
    %s = arith.divf %one, %d0 : f32
    %e1 = math.exp %v : f32
    %d1 = arith.addf %e1, %one : f32
    %q = arith.divf %one, %d1 : f32
    linalg.yield %s, %q : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %z, %r : tensor<?xf32>, tensor<?xf32>
}
