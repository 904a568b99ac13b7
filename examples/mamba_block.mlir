// A whole block of Mamba (Gu and Dao, 2023, arXiv:2312.00752, section 3.4), as language models
// stack them, over tensors [batch, time, channel]:
//
//   n       = rms_norm(x) * gain                             over the channels
//   v, z    = n W_v, n W_z                                   the inner channels, twice
//   u_t     = silu(sum over k of w[k] v_{t-3+k} + bias)      short causal convolution
//   r, B, C = u W_r, u W_b, u W_c                            16 numbers each per step for B and C
//   delta   = softplus(r W_delta + delta_bias)               the step size
//   h_t[n]  = exp(delta_t A[n]) h_{t-1}[n] + delta_t B_t[n] u_t
//   g_t     = (sum over n of C_t[n] h_t[n] + D u_t) silu(z_t)
//   y       = x + (rms_norm(g) * inner_gain) W_y
//
// The norm of g is that of Mamba-2 (Dao and Gu, 2024, arXiv:2405.21060, section 7). The products with
// matrices are plain loops here, where a framework has a library. What is left of all the rest,
//
//   scan-opt examples/mamba_block.mlir --inline --symbol-dce --scan-to-fused \
//       --scan-print-traffic="extents=arg0_d0=4,arg0_d1=2048,arg0_d2=1024,arg2_d1=2048,arg6_d1=64" -o traffic.mlir
//
// says: the norm of x, which reads it twice; the convolution with its silu, which reads v once and writes u;
// the scan with the step size, the skip connection, the gate and the sum of the squares of g, which reads r W_delta, u
// and z and writes g; and the norm of g. On a CPU the convolution is three operations.
//
//   scan-run examples/mamba_block.mlir --entry=mamba_block --target=cpu \
//       --input=random:f32:2x50x24:1 --input=random:f32:24:2 --input=random:f32:24x48:3 --input=random:f32:24x48:4 \
//       --input=random:f32:4x48:5 --input=random:f32:48:6 --input=random:f32:48x8:7 --input=random:f32:48x16:8 \
//       --input=random:f32:48x16:9 --input=random:f32:8x48:10 --input=random:f32:48:11:-4:1 \
//       --input=random:f32:48x16:12:0:2.7 --input=random:f32:48:13 --input=random:f32:48:14 \
//       --input=random:f32:48x24:15 --output=y.npy

#btc = affine_map<(b, t, c) -> (b, t, c)>
#bt = affine_map<(b, t, c) -> (b, t)>
#c = affine_map<(b, t, c) -> (c)>
#row = affine_map<(b, t) -> (b, t)>
#steps = affine_map<(b, t, c, n) -> (b, t, c, n)>
#channels = affine_map<(b, t, c, n) -> (b, t, c)>
#states = affine_map<(b, t, c, n) -> (b, t, n)>
#fixed = affine_map<(b, t, c, n) -> (c, n)>
#left = affine_map<(b, t, o, i) -> (b, t, i)>
#right = affine_map<(b, t, o, i) -> (i, o)>
#product = affine_map<(b, t, o, i) -> (b, t, o)>

// x / sqrt(mean of x^2 over the channels + 1e-5) * gain
func.func private @rms_norm(%x: tensor<?x?x?xf32>, %gain: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%batch, %time) : tensor<?x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#btc, #bt], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%none : tensor<?x?xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %square = arith.mulf %e, %e : f32
    %s = arith.addf %acc, %square fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %integer = arith.index_cast %channels : index to i64
  %count = arith.sitofp %integer : i64 to f32
  %scale = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%rows : tensor<?x?xf32>) {
  ^bb0(%s: f32, %out: f32):
    %eps = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %count : f32
    %shifted = arith.addf %mean, %eps : f32
    %root = math.rsqrt %shifted : f32
    linalg.yield %root : f32
  } -> tensor<?x?xf32>
  %empty = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#btc, #bt, #c, #btc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %scale, %gain : tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %s: f32, %g: f32, %out: f32):
    %scaled = arith.mulf %e, %s : f32
    %r = arith.mulf %scaled, %g : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// x W
func.func private @project(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %outs = tensor.dim %w, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%batch, %time, %outs) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #product],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%xe: f32, %we: f32, %acc: f32):
    %p = arith.mulf %xe, %we : f32
    %s = arith.addf %acc, %p fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// The convolution of each channel over this step and the three before it, and silu.
func.func private @convolve(%x: tensor<?x?x?xf32>, %w: tensor<4x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 3, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %empty = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %conv = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%padded, %w : tensor<?x?x?xf32>, tensor<4x?xf32>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#btc, #c, #btc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%conv, %bias : tensor<?x?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%e: f32, %be: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %e, %be : f32
    %minus = arith.negf %s : f32
    %exp = math.exp %minus : f32
    %denominator = arith.addf %exp, %one : f32
    %silu = arith.divf %s, %denominator : f32
    linalg.yield %silu : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func private @selective_scan(%u: tensor<?x?x?xf32>, %raw_delta: tensor<?x?x?xf32>, %bias: tensor<?xf32>,
                                  %a_log: tensor<?x16xf32>, %b: tensor<?x?x16xf32>, %c: tensor<?x?x16xf32>,
                                  %d: tensor<?xf32>, %z: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %u, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %u, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %u, %c2 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %per_channel = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %per_state = tensor.empty(%batch, %time, %channels) : tensor<?x?x?x16xf32>
  // softplus(x) = log(1 + exp(x)), in the form that does not overflow.
  %delta = linalg.generic {indexing_maps = [#btc, #c, #btc], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%raw_delta, %bias : tensor<?x?x?xf32>, tensor<?xf32>) outs(%per_channel : tensor<?x?x?xf32>) {
  ^bb0(%dt: f32, %be: f32, %out: f32):
    %none = arith.constant 0.0 : f32
    %x = arith.addf %dt, %be : f32
    %positive = arith.maximumf %x, %none : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %exp = math.exp %minus : f32
    %log = math.log1p %exp : f32
    %sum = arith.addf %positive, %log : f32
    linalg.yield %sum : f32
  } -> tensor<?x?x?xf32>
  %exp_a = math.exp %a_log : tensor<?x16xf32>
  %a = arith.negf %exp_a : tensor<?x16xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [#channels, #fixed, #states, #channels, #steps, #steps],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%delta, %a, %b, %u : tensor<?x?x?xf32>, tensor<?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x?xf32>)
      outs(%per_state, %per_state : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>) {
  ^bb0(%dt: f32, %an: f32, %bn: f32, %ut: f32, %out0: f32, %out1: f32):
    %da = arith.mulf %dt, %an : f32
    %e = math.exp %da : f32
    %du = arith.mulf %dt, %ut : f32
    %dbu = arith.mulf %du, %bn : f32
    linalg.yield %e, %dbu : f32, f32
  } -> (tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
      init(%zero : f32) dim = 1 -> tensor<?x?x?x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%per_channel : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum = linalg.generic {indexing_maps = [#steps, #states, #channels],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x?x16xf32>, tensor<?x?x16xf32>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%hn: f32, %cn: f32, %acc: f32):
    %p = arith.mulf %cn, %hn : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  // The skip connection and the gate: silu(z) = z * sigmoid(z).
  %y = linalg.generic {indexing_maps = [#btc, #btc, #c, #btc, #btc],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %u, %d, %z : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x?x?xf32>)
      outs(%per_channel : tensor<?x?x?xf32>) {
  ^bb0(%st: f32, %ut: f32, %dc: f32, %zt: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %skip = arith.mulf %dc, %ut : f32
    %full = arith.addf %st, %skip : f32
    %minus = arith.negf %zt : f32
    %exp = math.exp %minus : f32
    %denominator = arith.addf %exp, %one : f32
    %silu = arith.divf %zt, %denominator : f32
    %gated = arith.mulf %full, %silu : f32
    linalg.yield %gated : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @mamba_block(%x: tensor<?x?x?xf32>, %gain: tensor<?xf32>, %w_v: tensor<?x?xf32>, %w_z: tensor<?x?xf32>,
                       %w: tensor<4x?xf32>, %bias: tensor<?xf32>, %w_r: tensor<?x?xf32>, %w_b: tensor<?x16xf32>,
                       %w_c: tensor<?x16xf32>, %w_delta: tensor<?x?xf32>, %delta_bias: tensor<?xf32>,
                       %a_log: tensor<?x16xf32>, %d: tensor<?xf32>, %inner_gain: tensor<?xf32>,
                       %w_y: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %n = func.call @rms_norm(%x, %gain) : (tensor<?x?x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  %v = func.call @project(%n, %w_v) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %z = func.call @project(%n, %w_z) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %u = func.call @convolve(%v, %w, %bias) : (tensor<?x?x?xf32>, tensor<4x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  %r = func.call @project(%u, %w_r) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %w_b_cast = tensor.cast %w_b : tensor<?x16xf32> to tensor<?x?xf32>
  %w_c_cast = tensor.cast %w_c : tensor<?x16xf32> to tensor<?x?xf32>
  %b_any = func.call @project(%u, %w_b_cast) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %c_any = func.call @project(%u, %w_c_cast) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %b = tensor.cast %b_any : tensor<?x?x?xf32> to tensor<?x?x16xf32>
  %c = tensor.cast %c_any : tensor<?x?x?xf32> to tensor<?x?x16xf32>
  %delta = func.call @project(%r, %w_delta) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %g = func.call @selective_scan(%u, %delta, %delta_bias, %a_log, %b, %c, %d, %z)
      : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
         tensor<?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %m = func.call @rms_norm(%g, %inner_gain) : (tensor<?x?x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  %o = func.call @project(%m, %w_y) : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %y = arith.addf %x, %o : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
