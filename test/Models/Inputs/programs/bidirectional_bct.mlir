// A recurrence in each direction over the same inputs, and the sum of both, with time innermost.

func.func @bidirectional_bct(%a: tensor<?x?x?xf32>, %x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %f = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 2 -> tensor<?x?x?xf32>
  %g = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 2 reverse -> tensor<?x?x?xf32>
  %y = arith.addf %f, %g : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
