// Missing numbers are those that were there last.

func.func @fill_forward(%there: tensor<?x?xi1>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %f, %y = scan.associative ins(%there, %x : tensor<?x?xi1>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%a0: i1, %a1: f32, %b0: i1, %b1: f32):
    %f = arith.ori %a0, %b0 : i1
    %r = arith.select %b0, %b1, %a1 : f32
    scan.yield %f, %r : i1, f32
  } -> tensor<?x?xi1>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
