// The log-likelihood so far of numbers with a mean and a log of the deviation per step.

func.func @loglik(%x: tensor<?x?xf32>, %mu: tensor<?x?xf32>, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %l_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %l = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %mu, %s : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%l_dest : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32):
    %d = arith.subf %e0, %e1 : f32
    %m = arith.negf %e2 : f32
    %i = math.exp %m : f32
    %z = arith.mulf %d, %i : f32
    %q = arith.mulf %z, %z : f32
    %half = arith.constant -0.5 : f32
    %h = arith.mulf %half, %q : f32
    %r = arith.subf %h, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y = scan.associative ins(%l : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
