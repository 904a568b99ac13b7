// The largest sum of neighbouring elements, with the largest sums of those at the
// begin and at the end of a stretch (Bentley, Programming Pearls, Communications of
// the ACM 27, 1984; Gibbons, The Third Homomorphism Theorem, Journal of Functional
// Programming 6, 1996).
//
// VERDICT: proved up to rounding

func.func @maximum_segment(%sum: tensor<?xf32>, %head: tensor<?xf32>, %tail: tensor<?xf32>,
                           %best: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y_sum, %y_head, %y_tail, %y_best = scan.associative
      ins(%sum, %head, %tail, %best :
          tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%sum0: f32, %head0: f32, %tail0: f32, %best0: f32,
       %sum1: f32, %head1: f32, %tail1: f32, %best1: f32):
    %r = arith.addf %sum0, %sum1 : f32
    %longer = arith.addf %sum0, %head1 : f32
    %h = arith.maximumf %head0, %longer : f32
    %joined = arith.addf %tail0, %sum1 : f32
    %t = arith.maximumf %tail1, %joined : f32
    %across = arith.addf %tail0, %head1 : f32
    %either = arith.maximumf %best0, %best1 : f32
    %b = arith.maximumf %either, %across : f32
    scan.yield %r, %h, %t, %b : f32, f32, f32, f32
  } -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %y_sum, %y_head, %y_tail, %y_best :
      tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
