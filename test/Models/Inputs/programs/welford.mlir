// Mean and variance of all elements so far (Chan et al., 1979): counts, means and sums of squared differences.

func.func @welford(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %ones_value = arith.constant 1.0 : f32
  %ones_empty = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %ones = linalg.fill ins(%ones_value : f32) outs(%ones_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %n, %m, %q = scan.associative ins(%ones, %x, %zeros : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b0: f32, %b1: f32, %b2: f32):
    %n = arith.addf %a0, %b0 : f32
    %d = arith.subf %b1, %a1 : f32
    %f = arith.divf %b0, %n : f32
    %df = arith.mulf %d, %f : f32
    %mean = arith.addf %a1, %df : f32
    %dd = arith.mulf %d, %df : f32
    %ddn = arith.mulf %dd, %a0 : f32
    %s = arith.addf %a2, %b2 : f32
    %q = arith.addf %s, %ddn : f32
    scan.yield %n, %mean, %q : f32, f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
  %v = arith.divf %q, %n : tensor<?x?xf32>
  return %m, %v : tensor<?x?xf32>, tensor<?x?xf32>
}
