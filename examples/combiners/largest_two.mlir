// The two largest values so far, the larger one first: margins of classifiers,
// second-price auctions.
//
// VERDICT: proved exactly

func.func @largest_two(%first: tensor<?xf32>, %second: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_first, %y_second = scan.associative
      ins(%first, %second : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%first0: f32, %second0: f32, %first1: f32, %second1: f32):
    %r = arith.maximumf %first0, %first1 : f32
    %less = arith.minimumf %first0, %first1 : f32
    %more = arith.maximumf %second0, %second1 : f32
    %s = arith.maximumf %less, %more : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_first, %y_second : tensor<?xf32>, tensor<?xf32>
}
