// log(exp(a) + exp(b)) without overflow (`np.logaddexp.accumulate`,
// `torch.logcumsumexp`): sums of probabilities that are kept as logarithms.
//
// VERDICT: proved up to rounding

func.func @log_sum_exp(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %max = arith.maximumf %x0, %x1 : f32
    %min = arith.minimumf %x0, %x1 : f32
    %d = arith.subf %min, %max : f32
    %e = math.exp %d : f32
    %l = math.log1p %e : f32
    %r = arith.addf %max, %l : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
