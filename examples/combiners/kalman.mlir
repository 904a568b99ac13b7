// Elements of the Kalman filter as a scan, with one state: the filtering distribution
// N(a x + b, c) and the likelihood, proportional to N(e, j) in information form
// (Särkkä and García-Fernández, Temporal Parallelization of Bayesian Smoothers, IEEE
// Transactions on Automatic Control 66, 2021, arXiv:1905.13002). The variance c and
// the precision j are not negative.
//
// VERDICT: proved up to rounding

func.func @kalman(%a: tensor<?xf64>, %b: tensor<?xf64>, %c: tensor<?xf64>,
                  %e: tensor<?xf64>, %j: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %y_a, %y_b, %y_c, %y_e, %y_j = scan.associative
      ins(%a, %b, %c, %e, %j :
          tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 2, ge = 0>,
                                #scan.invariant<leaf = 4, ge = 0>]} {
  ^bb0(%a0: f64, %b0: f64, %c0: f64, %e0: f64, %j0: f64,
       %a1: f64, %b1: f64, %c1: f64, %e1: f64, %j1: f64):
    %one = arith.constant 1.0 : f64
    %cj = arith.mulf %c0, %j1 : f64
    %k = arith.addf %one, %cj : f64
    %g = arith.divf %a1, %k : f64
    %h = arith.divf %a0, %k : f64
    %ra = arith.mulf %g, %a0 : f64
    %ce = arith.mulf %c0, %e1 : f64
    %be = arith.addf %b0, %ce : f64
    %gb = arith.mulf %g, %be : f64
    %rb = arith.addf %gb, %b1 : f64
    %gc = arith.mulf %g, %c0 : f64
    %gca = arith.mulf %gc, %a1 : f64
    %rc = arith.addf %gca, %c1 : f64
    %jb = arith.mulf %j1, %b0 : f64
    %ej = arith.subf %e1, %jb : f64
    %he = arith.mulf %h, %ej : f64
    %re = arith.addf %he, %e0 : f64
    %hj = arith.mulf %h, %j1 : f64
    %hja = arith.mulf %hj, %a0 : f64
    %rj = arith.addf %hja, %j0 : f64
    scan.yield %ra, %rb, %rc, %re, %rj : f64, f64, f64, f64, f64
  } -> tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
  return %y_a, %y_b, %y_c, %y_e, %y_j :
      tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
