// Products of 3x3 matrices over (max, +): scores of the best paths between 3 states,
// the Viterbi algorithm as a scan (Särkkä and García-Fernández, Temporal
// Parallelization of Inference in Hidden Markov Models, arXiv:2102.05743).
//
// VERDICT: proved up to rounding

func.func @tropical_matrix(%m: tensor<?x3x3xf32>) -> tensor<?x3x3xf32> {
  %y = scan.associative ins(%m : tensor<?x3x3xf32>) dim = 0 {
  ^bb0(%m0: tensor<3x3xf32>, %m1: tensor<3x3xf32>):
    %least = arith.constant dense<0xFF800000> : tensor<3x3xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                         affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%m0, %m1 : tensor<3x3xf32>, tensor<3x3xf32>) outs(%least : tensor<3x3xf32>) {
    ^bb0(%a: f32, %b: f32, %best: f32):
      %path = arith.addf %a, %b : f32
      %better = arith.maximumf %best, %path : f32
      linalg.yield %better : f32
    } -> tensor<3x3xf32>
    scan.yield %r : tensor<3x3xf32>
  } -> tensor<?x3x3xf32>
  return %y : tensor<?x3x3xf32>
}
