// A biquad filter in direct form I. What the taps make of the input, w_t = b0 x_t + b1 x_{t-1} + b2 x_{t-2}, is
// written with a padded input and slices of it; the recurrence y_t = w_t - a1 y_{t-1} - a2 y_{t-2} as one of the
// state (y_t, y_{t-1}) with a companion matrix. The output is one component of the state.

#scalar = affine_map<(b, t) -> ()>
#bt = affine_map<(b, t) -> (b, t)>
#matrix = affine_map<(b, t, i, j) -> (i, j)>
#matrices = affine_map<(b, t, i, j) -> (b, t, i, j)>

func.func @biquad(%x: tensor<?x?xf32>, %b0: f32, %b1: f32, %b2: f32, %a: tensor<2x2xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?xf32>
  %padded = tensor.pad %x low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %x1 = tensor.extract_slice %padded[0, 1] [%batch, %time] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %x2 = tensor.extract_slice %padded[0, 0] [%batch, %time] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %w = linalg.generic {indexing_maps = [#bt, #bt, #bt, #bt], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x1, %x2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out: f32):
    %p0 = arith.mulf %b0, %e0 : f32
    %p1 = arith.mulf %b1, %e1 : f32
    %p2 = arith.mulf %b2, %e2 : f32
    %s = arith.addf %p0, %p1 : f32
    %r = arith.addf %s, %p2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %column = tensor.expand_shape %w [[0], [1, 2]] output_shape [%batch, %time, 1]
      : tensor<?x?xf32> into tensor<?x?x1xf32>
  %zeros = tensor.splat %zero[%batch, %time] : tensor<?x?x1xf32>
  %v = tensor.concat dim(2) %column, %zeros : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x2xf32>
  %empty = tensor.empty(%batch, %time) : tensor<?x?x2x2xf32>
  %m = linalg.generic {indexing_maps = [#matrix, #matrices],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<2x2xf32>) outs(%empty : tensor<?x?x2x2xf32>) {
  ^bb0(%e: f32, %out: f32):
    linalg.yield %e : f32
  } -> tensor<?x?x2x2xf32>
  %p, %s = scan.associative ins(%m, %v : tensor<?x?x2x2xf32>, tensor<?x?x2xf32>) dim = 1 {
  ^bb0(%m0: tensor<2x2xf32>, %v0: tensor<2xf32>, %m1: tensor<2x2xf32>, %v1: tensor<2xf32>):
    %none = arith.constant dense<0.0> : tensor<2x2xf32>
    %product = linalg.matmul ins(%m1, %m0 : tensor<2x2xf32>, tensor<2x2xf32>)
        outs(%none : tensor<2x2xf32>) -> tensor<2x2xf32>
    %state = linalg.matvec ins(%m1, %v0 : tensor<2x2xf32>, tensor<2xf32>) outs(%v1 : tensor<2xf32>) -> tensor<2xf32>
    scan.yield %product, %state : tensor<2x2xf32>, tensor<2xf32>
  } -> tensor<?x?x2x2xf32>, tensor<?x?x2xf32>
  %y = tensor.extract_slice %s[0, 0, 0] [%batch, %time, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
