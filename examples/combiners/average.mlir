// Wrong: the average of two averages weighs both alike, however many values each
// stands for. Carry the sum and the count.
//
// VERDICT: refuted

func.func @average(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %half = arith.constant 0.5 : f32
    %sum = arith.addf %x0, %x1 : f32
    %r = arith.mulf %sum, %half : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
