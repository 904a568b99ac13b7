// Running sums of floating-point numbers: associative but for rounding.
//
// VERDICT: proved up to rounding

func.func @float_add(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %r = arith.addf %x0, %x1 : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
