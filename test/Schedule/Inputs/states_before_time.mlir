// The read-out of 16 states that lie in front of the steps in memory, each with coefficients of its own: a row of
// few threads has two words of each state, of its own and of the warps around it.

func.func @states_before_time(%a: tensor<?x64x16x?xf32>, %x: tensor<?x64x16x?xf32>, %c: tensor<?x16x?xf32>)
    -> tensor<?x64x?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %batch = tensor.dim %a, %c0 : tensor<?x64x16x?xf32>
  %time = tensor.dim %a, %c3 : tensor<?x64x16x?xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x64x16x?xf32>, tensor<?x64x16x?xf32>) dim = 3
      -> tensor<?x64x16x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%batch, %time) : tensor<?x64x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64x?xf32>) -> tensor<?x64x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, d, t, n) -> (b, d, n, t)>, affine_map<(b, d, t, n) -> (b, n, t)>,
                                        affine_map<(b, d, t, n) -> (b, d, t)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x64x16x?xf32>, tensor<?x16x?xf32>) outs(%zeros : tensor<?x64x?xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x64x?xf32>
  return %y : tensor<?x64x?xf32>
}
