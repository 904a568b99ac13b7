// A layer of S5 (Smith et al., 2023, arXiv:2208.04933) with four complex states: y = 2 Re(C x) + D u.

func.func @s5(%lambda: tensor<4xcomplex<f32>>, %bu: tensor<?x?x4xcomplex<f32>>, %c: tensor<2x4xcomplex<f32>>,
              %d: tensor<2xf32>, %u: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %bu, %c1 : tensor<?x?x4xcomplex<f32>>
  %size_b = tensor.dim %bu, %c0 : tensor<?x?x4xcomplex<f32>>
  %decay_dest = tensor.empty(%size_b, %size_t) : tensor<?x?x4xcomplex<f32>>
  %decay = linalg.generic {
      indexing_maps = [affine_map<(b, t, n) -> (n)>,
                       affine_map<(b, t, n) -> (b, t, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lambda : tensor<4xcomplex<f32>>)
      outs(%decay_dest : tensor<?x?x4xcomplex<f32>>) {
  ^bb0(%e0: complex<f32>, %out0: complex<f32>):
    linalg.yield %e0 : complex<f32>
  } -> tensor<?x?x4xcomplex<f32>>
  %x = scan.linear_recurrence ins(%decay, %bu : tensor<?x?x4xcomplex<f32>>, tensor<?x?x4xcomplex<f32>>) dim = 1 -> tensor<?x?x4xcomplex<f32>>
  %skip_dest = tensor.empty(%size_b, %size_t) : tensor<?x?x2xf32>
  %skip = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%u, %d : tensor<?x?x2xf32>, tensor<2xf32>)
      outs(%skip_dest : tensor<?x?x2xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %r = arith.mulf %e0, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x2xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c, n) -> (b, t, n)>,
                       affine_map<(b, t, c, n) -> (c, n)>,
                       affine_map<(b, t, c, n) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<?x?x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>)
      outs(%skip : tensor<?x?x2xf32>) {
  ^bb0(%e0: complex<f32>, %e1: complex<f32>, %out0: f32):
    %p = complex.mul %e0, %e1 : complex<f32>
    %re = complex.re %p : complex<f32>
    %two = arith.addf %re, %re : f32
    %r = arith.addf %out0, %two : f32
    linalg.yield %r : f32
  } -> tensor<?x?x2xf32>
  return %y : tensor<?x?x2xf32>
}
