// Running sums without a loop: in O(T^2), as StableHLO and TOSA lower them.

// jax.lax.cumsum on a TPU: stablehlo.reduce_window with padding in front, by
// stablehlo-legalize-to-linalg.
// roughly: random:f32:4x20:1
func.func @reduce_window_sum(%x: tensor<4x20xf32>) -> tensor<4x20xf32> {
  %z = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 19] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<4x20xf32> to tensor<4x39xf32>
  %window = tensor.empty() : tensor<1x20xf32>
  %e = tensor.empty() : tensor<4x20xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, u, v) -> (i + u, j + v)>, affine_map<(i, j, u, v) -> (u, v)>, affine_map<(i, j, u, v) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%padded, %window : tensor<4x39xf32>, tensor<1x20xf32>) outs(%init : tensor<4x20xf32>) {
  ^bb0(%v: f32, %unused: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x20xf32>
  return %r : tensor<4x20xf32>
}

// jax.lax.cummax, reverse = True: padding behind.
// run: random:f32:12x3:1
func.func @reduce_window_max_reverse(%x: tensor<12x3xf32>) -> tensor<12x3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0] high[11, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %low : f32
  } : tensor<12x3xf32> to tensor<23x3xf32>
  %window = tensor.empty() : tensor<12x1xf32>
  %e = tensor.empty() : tensor<12x3xf32>
  %init = linalg.fill ins(%low : f32) outs(%e : tensor<12x3xf32>) -> tensor<12x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, u, v) -> (i + u, j + v)>, affine_map<(i, j, u, v) -> (u, v)>, affine_map<(i, j, u, v) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%padded, %window : tensor<23x3xf32>, tensor<12x1xf32>) outs(%init : tensor<12x3xf32>) {
  ^bb0(%v: f32, %unused: f32, %acc: f32):
    %s = arith.maximumf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<12x3xf32>
  return %r : tensor<12x3xf32>
}

// The same of a tensor of rank 4 is a pooling.
// roughly: random:f32:2x20x1x3:1
func.func @pooling_sum(%x: tensor<2x20x1x3xf32>) -> tensor<2x20x1x3xf32> {
  %z = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 19, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<2x20x1x3xf32> to tensor<2x39x1x3xf32>
  %window = tensor.empty() : tensor<20x1xf32>
  %e = tensor.empty() : tensor<2x20x1x3xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<2x20x1x3xf32>) -> tensor<2x20x1x3xf32>
  %r = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %window : tensor<2x39x1x3xf32>, tensor<20x1xf32>) outs(%init : tensor<2x20x1x3xf32>) -> tensor<2x20x1x3xf32>
  return %r : tensor<2x20x1x3xf32>
}

// A product by a triangular matrix of ones, as tosa.matmul is lowered for it: (b, s, t) with
// one where s <= t.
// roughly: random:f32:2x3x4:1
func.func @triangular_matmul(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %m = arith.constant dense<[[[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]]]> : tensor<2x4x4xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %r = linalg.batch_matmul ins(%x, %m : tensor<2x3x4xf32>, tensor<2x4x4xf32>) outs(%init : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// The mask computed from indices, of the steps at or after each one (a sum from the end).
// roughly: random:f32:Nx3:1
func.func @index_mask(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(t, c, s) -> (s, c)>, affine_map<(t, c, s) -> (t, c)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<?x3xf32>) outs(%init : tensor<?x3xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %t = linalg.index 0 : index
    %s = linalg.index 2 : index
    %in = arith.cmpi sge, %s, %t : index
    %m = arith.select %in, %v, %z : f32
    %a = arith.addf %acc, %m : f32
    linalg.yield %a : f32
  } -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
