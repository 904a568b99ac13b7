// What Mamba's block (Gu and Dao, 2023, arXiv:2312.00752) has between its projections, and the gated RMS norm of its successor: a
// causal depthwise convolution of width 4 and silu, the selective scan with four states per channel, a skip connection,
// and the norm over the channels of what the gate leaves.

func.func @mamba_block(%x: tensor<?x?x?xf32>, %w: tensor<4x?xf32>, %w_bias: tensor<?xf32>, %delta: tensor<?x?x?xf32>,
                       %delta_bias: tensor<?xf32>, %a: tensor<?x4xf32>, %b: tensor<?x?x4xf32>, %c: tensor<?x?x4xf32>,
                       %d: tensor<?xf32>, %z: tensor<?x?x?xf32>, %gain: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 3, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %empty = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %conv = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%padded, %w : tensor<?x?x?xf32>, tensor<4x?xf32>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %u, %step = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%conv, %w_bias, %delta, %delta_bias : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x?x?xf32>, tensor<?xf32>)
      outs(%empty, %empty : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.constant 0.0 : f32
    %s = arith.addf %e0, %e1 : f32
    %m = arith.negf %s : f32
    %e = math.exp %m : f32
    %n = arith.addf %e, %one : f32
    %silu = arith.divf %s, %n : f32
    %r = arith.addf %e2, %e3 : f32
    %positive = arith.maximumf %r, %0 : f32
    %abs = math.absf %r : f32
    %minus = arith.negf %abs : f32
    %exp = math.exp %minus : f32
    %log = math.log1p %exp : f32
    %softplus = arith.addf %positive, %log : f32
    linalg.yield %silu, %softplus : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %per_state = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?x4xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c, n) -> (b, t, c)>, affine_map<(b, t, c, n) -> (c, n)>,
                       affine_map<(b, t, c, n) -> (b, t, n)>, affine_map<(b, t, c, n) -> (b, t, c)>,
                       affine_map<(b, t, c, n) -> (b, t, c, n)>, affine_map<(b, t, c, n) -> (b, t, c, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%step, %a, %b, %u : tensor<?x?x?xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>, tensor<?x?x?xf32>)
      outs(%per_state, %per_state : tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %out0: f32, %out1: f32):
    %da = arith.mulf %e0, %e1 : f32
    %e = math.exp %da : f32
    %du = arith.mulf %e0, %e3 : f32
    %dbu = arith.mulf %du, %e2 : f32
    linalg.yield %e, %dbu : f32, f32
  } -> (tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>) init(%zero : f32) dim = 1 -> tensor<?x?x?x4xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(b, t, c, n) -> (b, t, c, n)>, affine_map<(b, t, c, n) -> (b, t, n)>,
                       affine_map<(b, t, c, n) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x?x4xf32>, tensor<?x?x4xf32>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %m = arith.mulf %e0, %e1 : f32
    %s = arith.addf %out0, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  // The skip connection and the gate.
  %gated = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %u, %d, %z : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x?x?xf32>)
      outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %out0: f32):
    %one = arith.constant 1.0 : f32
    %skip = arith.mulf %e2, %e1 : f32
    %y = arith.addf %e0, %skip : f32
    %m = arith.negf %e3 : f32
    %e = math.exp %m : f32
    %n = arith.addf %e, %one : f32
    %silu = arith.divf %e3, %n : f32
    %g = arith.mulf %y, %silu : f32
    linalg.yield %g : f32
  } -> tensor<?x?x?xf32>
  // The RMS norm over the channels.
  %rows = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%gated : tensor<?x?x?xf32>) outs(%none : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %out0: f32):
    %q = arith.mulf %e0, %e0 : f32
    %s = arith.addf %out0, %q fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %scale = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>, affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%squares, %size_c : tensor<?x?xf32>, index) outs(%rows : tensor<?x?xf32>) {
  ^bb0(%e0: f32, %e1: index, %out0: f32):
    %eps = arith.constant 1.0e-5 : f32
    %n = arith.index_cast %e1 : index to i64
    %count = arith.sitofp %n : i64 to f32
    %mean = arith.divf %e0, %count : f32
    %v = arith.addf %mean, %eps : f32
    %r = math.rsqrt %v : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>,
                       affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%gated, %scale, %gain : tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32):
    %n = arith.mulf %e0, %e1 : f32
    %g = arith.mulf %n, %e2 : f32
    linalg.yield %g : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
