// An S5 layer (Smith et al., 2023, arXiv:2208.04933) behind the product B u, over
// tensors [batch, time, state or channel]: 4 channels and 8 states, of which each
// second one is the complex conjugate of the one before and need not be computed.
// (s5.mlir has the recurrence by itself.)
//
//   lambda' = exp(lambda * step)               zero-order hold, per state
//   x_t     = lambda' * x_{t-1} + (lambda' - 1) / lambda * bu_t
//   y_t     = 2 Re(C x_t) + D * u_t
//
// The product with C is a reduction over the states, which are static. The kernel is
// unrolled over them and holds them in registers; none of them is written.
//
//   scan-run examples/s5_layer.mlir --entry=s5_layer --target=cpu \
//       --input=random:c64:4:6:-1:-0.1 \
//       --input=random:f32:4:1:-5:-2 --input=random:c64:2x100x4:2 \
//       --input=random:c64:4x4:3 --input=random:f32:4:4 --input=random:f32:2x100x4:5 \
//       --output=y.npy

#p = affine_map<(p) -> (p)>
#btp = affine_map<(b, t, p) -> (b, t, p)>
#state = affine_map<(b, t, p) -> (p)>
#states = affine_map<(b, t, m, p) -> (b, t, p)>
#mixed = affine_map<(b, t, m, p) -> (m, p)>
#channels = affine_map<(b, t, m, p) -> (b, t, m)>
#btm = affine_map<(b, t, m) -> (b, t, m)>
#channel = affine_map<(b, t, m) -> (m)>

func.func @s5_layer(%lambda: tensor<4xcomplex<f32>>, %log_step: tensor<4xf32>,
                    %bu: tensor<?x?x4xcomplex<f32>>, %c: tensor<4x4xcomplex<f32>>,
                    %d: tensor<4xf32>, %u: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %bu, %c0 : tensor<?x?x4xcomplex<f32>>
  %time = tensor.dim %bu, %c1 : tensor<?x?x4xcomplex<f32>>

  // lambda' and (lambda' - 1) / lambda, once per state.
  %per_state = tensor.empty() : tensor<4xcomplex<f32>>
  %decay, %scale = linalg.generic {indexing_maps = [#p, #p, #p, #p], iterator_types = ["parallel"]}
      ins(%lambda, %log_step : tensor<4xcomplex<f32>>, tensor<4xf32>)
      outs(%per_state, %per_state : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  ^bb0(%l: complex<f32>, %s: f32, %out0: complex<f32>, %out1: complex<f32>):
    %zero = arith.constant 0.0 : f32
    %one = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
    %step = math.exp %s : f32
    %wide = complex.create %step, %zero : complex<f32>
    %exponent = complex.mul %l, %wide : complex<f32>
    %exp = complex.exp %exponent : complex<f32>
    %less = complex.sub %exp, %one : complex<f32>
    %b = complex.div %less, %l : complex<f32>
    linalg.yield %exp, %b : complex<f32>, complex<f32>
  } -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>)

  %per_step = tensor.empty(%batch, %time) : tensor<?x?x4xcomplex<f32>>
  %a, %b = linalg.generic {
      indexing_maps = [#state, #state, #btp, #btp, #btp],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%decay, %scale, %bu : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<?x?x4xcomplex<f32>>)
      outs(%per_step, %per_step : tensor<?x?x4xcomplex<f32>>, tensor<?x?x4xcomplex<f32>>) {
  ^bb0(%l: complex<f32>, %s: complex<f32>, %but: complex<f32>, %out0: complex<f32>, %out1: complex<f32>):
    %scaled = complex.mul %s, %but : complex<f32>
    linalg.yield %l, %scaled : complex<f32>, complex<f32>
  } -> (tensor<?x?x4xcomplex<f32>>, tensor<?x?x4xcomplex<f32>>)
  %x = scan.linear_recurrence
      ins(%a, %b : tensor<?x?x4xcomplex<f32>>, tensor<?x?x4xcomplex<f32>>) dim = 1
      -> tensor<?x?x4xcomplex<f32>>

  // y = D * u, and the real part of the product with C on top of it.
  %empty = tensor.empty(%batch, %time) : tensor<?x?x4xf32>
  %skip = linalg.generic {indexing_maps = [#btm, #channel, #btm],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%u, %d : tensor<?x?x4xf32>, tensor<4xf32>) outs(%empty : tensor<?x?x4xf32>) {
  ^bb0(%ut: f32, %dm: f32, %out: f32):
    %p = arith.mulf %ut, %dm : f32
    linalg.yield %p : f32
  } -> tensor<?x?x4xf32>
  %y = linalg.generic {indexing_maps = [#states, #mixed, #channels],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<?x?x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
      outs(%skip : tensor<?x?x4xf32>) {
  ^bb0(%xt: complex<f32>, %cmp: complex<f32>, %acc: f32):
    %p = complex.mul %cmp, %xt : complex<f32>
    %re = complex.re %p : complex<f32>
    %both = arith.addf %re, %re : f32
    %s = arith.addf %acc, %both : f32
    linalg.yield %s : f32
  } -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}
