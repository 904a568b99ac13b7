// Wrong where values may be NaN: a maximum by comparison and select. A comparison with
// NaN is false, so NaN replaces what came before it and is replaced by what comes
// next.
//
// VERDICT: refuted

func.func @maximum_by_compare(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%x0: f32, %x1: f32):
    %large = arith.cmpf ogt, %x0, %x1 : f32
    %r = arith.select %large, %x0, %x1 : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
