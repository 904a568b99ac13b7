// Mean, sum of squared deviations and number of values of two sets together (Chan,
// Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample
// Variances, STAN-CS-79-773, 1979): running variance, layer normalisation. Counts are
// positive.
//
// VERDICT: proved up to rounding

func.func @welford(%mean: tensor<?xf32>, %m2: tensor<?xf32>, %n: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y_mean, %y_m2, %y_n = scan.associative
      ins(%mean, %m2, %n : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 2, gt = 0>]} {
  ^bb0(%mean0: f32, %m20: f32, %n0: f32, %mean1: f32, %m21: f32, %n1: f32):
    %s = arith.addf %n0, %n1 : f32
    %delta = arith.subf %mean1, %mean0 : f32
    %share = arith.divf %n1, %s : f32
    %step = arith.mulf %delta, %share : f32
    %r = arith.addf %mean0, %step : f32
    %sum = arith.addf %m20, %m21 : f32
    %square = arith.mulf %delta, %delta : f32
    %weighted = arith.mulf %square, %n0 : f32
    %between = arith.mulf %weighted, %share : f32
    %q = arith.addf %sum, %between : f32
    scan.yield %r, %q, %s : f32, f32, f32
  } -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %y_mean, %y_m2, %y_n : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
