// A sum that starts anew where a flag is set, as an operator on pairs (Blelloch, 1990).

func.func @segmented_sum(%flag: tensor<?x?xi1>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %f, %s = scan.associative ins(%flag, %x : tensor<?x?xi1>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%f0: i1, %x0: f32, %f1: i1, %x1: f32):
    %both = arith.ori %f0, %f1 : i1
    %sum = arith.addf %x0, %x1 : f32
    %r = arith.select %f1, %x1, %sum : f32
    scan.yield %both, %r : i1, f32
  } -> tensor<?x?xi1>, tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
