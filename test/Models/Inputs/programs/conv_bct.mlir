// A causal depthwise convolution of width 3 of what a gate leaves, time innermost, in front of a recurrence.

func.func @conv_bct(%x: tensor<?x?x?xf32>, %gate: tensor<?x?x?xf32>, %w: tensor<?x3xf32>, %a: tensor<?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_c = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %gated_dest = tensor.empty(%size_b, %size_c, %size_t) : tensor<?x?x?xf32>
  %gated = linalg.generic {
      indexing_maps = [affine_map<(b, c, t) -> (b, c, t)>,
                       affine_map<(b, c, t) -> (b, c, t)>,
                       affine_map<(b, c, t) -> (b, c, t)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %gate : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%gated_dest : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %g1 = arith.constant 1.0 : f32
    %gm = arith.negf %e1 : f32
    %ge = math.exp %gm : f32
    %gd = arith.addf %ge, %g1 : f32
    %g = arith.divf %g1, %gd : f32
    %r = arith.mulf %e0, %g : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %padded_edge = arith.constant 0.0 : f32
  %padded = tensor.pad %gated low[0, 0, 2] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %padded_edge : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_b, %size_c, %size_t) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %conv = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%padded, %w : tensor<?x?x?xf32>, tensor<?x3xf32>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_c, %size_t) : tensor<?x?x?xf32>
  %decay = linalg.generic {
      indexing_maps = [affine_map<(b, c, t) -> (c)>,
                       affine_map<(b, c, t) -> (b, c, t)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<?xf32>)
      outs(%decay_dest : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %out0: f32):
    linalg.yield %e0 : f32
  } -> tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%decay, %conv : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 2 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
