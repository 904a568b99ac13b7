// The linear recurrent unit (Orvieto et al., 2023, arXiv:2303.06349): a complex decay exp(-exp(nu) + i theta) per channel,
// inputs scaled by sqrt(1 - |lambda|^2); what comes out is the real part.

func.func @lru(%x: tensor<?x?x?xf32>, %nu: tensor<?xf32>, %theta: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xcomplex<f32>>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xcomplex<f32>>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %nu, %theta : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?xcomplex<f32>>, tensor<?x?x?xcomplex<f32>>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: complex<f32>, %out1: complex<f32>):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %e = math.exp %e1 : f32
    %m = arith.negf %e : f32
    %z = complex.create %m, %e2 : complex<f32>
    %l = complex.exp %z : complex<f32>
    %two = arith.addf %m, %m : f32
    %sq = math.exp %two : f32
    %r = arith.subf %one, %sq : f32
    %g = math.sqrt %r : f32
    %gx = arith.mulf %g, %e0 : f32
    %b = complex.create %gx, %zero : complex<f32>
    linalg.yield %l, %b : complex<f32>, complex<f32>
  } -> (tensor<?x?x?xcomplex<f32>>, tensor<?x?x?xcomplex<f32>>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xcomplex<f32>>, tensor<?x?x?xcomplex<f32>>) dim = 1 -> tensor<?x?x?xcomplex<f32>>
  %y_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h : tensor<?x?x?xcomplex<f32>>)
      outs(%y_dest : tensor<?x?x?xf32>) {
  ^bb0(%e0: complex<f32>, %out0: f32):
    %r = complex.re %e0 : complex<f32>
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
