// A block as in Griffin and Mamba: a causal depthwise convolution of width 4, silu, a gated recurrence from a
// carried state, and the gate of another branch.

func.func @conv_gate_carry(%x: tensor<?x?x?xf32>, %w: tensor<4x?xf32>, %gate: tensor<?x?x?xf32>,
                           %branch: tensor<?x?x?xf32>, %h0: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %padded_edge = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 3, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %padded_edge : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %conv = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%padded, %w : tensor<?x?x?xf32>, tensor<4x?xf32>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%conv, %gate : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32, %out1: f32):
    %x1 = arith.constant 1.0 : f32
    %xm = arith.negf %e0 : f32
    %xe = math.exp %xm : f32
    %xd = arith.addf %xe, %x1 : f32
    %sx = arith.divf %x1, %xd : f32
    %g1 = arith.constant 1.0 : f32
    %gm = arith.negf %e1 : f32
    %ge = math.exp %gm : f32
    %gd = arith.addf %ge, %g1 : f32
    %g = arith.divf %g1, %gd : f32
    %silu = arith.mulf %e0, %sx : f32
    %rest = arith.subf %g1, %g : f32
    %b = arith.mulf %rest, %silu : f32
    linalg.yield %g, %b : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%h0 : tensor<?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %y = arith.mulf %h, %branch : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
