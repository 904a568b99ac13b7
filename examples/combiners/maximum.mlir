// Running maximum that keeps NaN: once a value is not a number, neither is any later
// result (IEEE 754-2019 maximum; `np.maximum.accumulate`, `torch.cummax`). -0 is less
// than +0.
//
// VERDICT: proved exactly

func.func @maximum(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %r = arith.maximumf %x0, %x1 : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
