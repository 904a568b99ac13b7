// Steps that take long along the innermost dimension, of many rows.

func.func @cells(%x: tensor<2x?x?xf32>, %h0: tensor<2x?x1xf32>, %w: tensor<2x?xf32>) -> (tensor<2x?x?xf32>, tensor<2x?x1xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<2x?x?xf32>) init(%h0 : tensor<2x?x1xf32>) captures(%w : tensor<2x?xf32>) dim = 2 reverse {
  ^bb0(%t: index, %h1: tensor<2x?xf32>, %row: tensor<2x?xf32>, %weights: tensor<2x?xf32>):
    %p = arith.mulf %weights, %h1 : tensor<2x?xf32>
    %s = arith.addf %p, %row : tensor<2x?xf32>
    %n = math.tanh %s : tensor<2x?xf32>
    scan.yield %n : tensor<2x?xf32>
  } -> tensor<2x?x?xf32>, tensor<2x?x1xf32>
  return %h, %last : tensor<2x?x?xf32>, tensor<2x?x1xf32>
}

// Without an init, of two leaves that do not commute, one of them flags; and the sum of
// each row's states.
func.func @flags(%x: tensor<?x?xf64>, %f: tensor<?x?xi1>) -> (tensor<?x?xf64>, tensor<?x?xi1>, tensor<?xf64>) {
  %y, %g = scan.associative ins(%x, %f : tensor<?x?xf64>, tensor<?x?xi1>) dim = 1 attributes {order = #scan.order<sequential>} {
  ^bb0(%a: f64, %p: i1, %b: f64, %q: i1):
    %e = math.exp %a : f64
    %one = arith.constant 1.0 : f64
    %d = arith.addf %e, %one : f64
    %r = arith.divf %b, %d : f64
    %s = arith.select %q, %b, %r : f64
    %o = arith.xori %p, %q : i1
    scan.yield %s, %o : f64, i1
  } -> tensor<?x?xf64>, tensor<?x?xi1>
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %empty = tensor.empty(%n) : tensor<?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?xf64>) -> tensor<?xf64>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<?x?xf64>) outs(%zeros : tensor<?xf64>) dimensions = [1]
  return %y, %g, %sum : tensor<?x?xf64>, tensor<?x?xi1>, tensor<?xf64>
}
