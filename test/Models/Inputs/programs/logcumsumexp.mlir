// log of the sum of exp(x_0) ... exp(x_t), as logaddexp.

func.func @logcumsumexp(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    %min = arith.minimumf %a, %b : f32
    %d = arith.subf %min, %max : f32
    %e = math.exp %d : f32
    %l = math.log1p %e : f32
    %r = arith.addf %max, %l : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
