// Running minimum of the values that are numbers: NaN stands for a missing value
// (`np.fmin.accumulate`).
//
// VERDICT: proved exactly

func.func @minimum_of_numbers(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %r = arith.minnumf %x0, %x1 : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
