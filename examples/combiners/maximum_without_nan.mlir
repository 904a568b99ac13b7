// A maximum by comparison and select, of values that are numbers, which is assumed.
// (With NaN among them it is not associative: maximum_by_compare.)
//
// VERDICT: proved exactly

func.func @maximum_without_nan(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, not_nan>]} {
  ^bb0(%x0: f32, %x1: f32):
    %large = arith.cmpf ogt, %x0, %x1 : f32
    %r = arith.select %large, %x0, %x1 : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
