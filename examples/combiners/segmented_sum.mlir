// Sums that start over at flags (Blelloch, CMU-CS-90-190, 1990, section 1.5): what
// came before a start is of no concern to what comes after it.
//
// VERDICT: proved up to rounding

func.func @segmented_sum(%start: tensor<?xi1>, %x: tensor<?xf32>)
    -> (tensor<?xi1>, tensor<?xf32>) {
  %y_start, %y_x = scan.associative ins(%start, %x : tensor<?xi1>, tensor<?xf32>) dim = 0 {
  ^bb0(%start0: i1, %x0: f32, %start1: i1, %x1: f32):
    %r = arith.ori %start0, %start1 : i1
    %sum = arith.addf %x0, %x1 : f32
    %s = arith.select %start1, %x1, %sum : f32
    scan.yield %r, %s : i1, f32
  } -> tensor<?xi1>, tensor<?xf32>
  return %y_start, %y_x : tensor<?xi1>, tensor<?xf32>
}
