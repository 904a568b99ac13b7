// The selective scan of Mamba (Gu and Dao, 2023, arXiv:2312.00752, section 3),
// over tensors [batch, time, channel] with 16 states per channel.
//
//   delta_t = softplus(delta'_t + bias)                  the step size
//   h_t[n]  = exp(delta_t * A[n]) * h_{t-1}[n] + delta_t * B_t[n] * u_t
//   y_t     = (sum over n of C_t[n] * h_t[n] + D * u_t) * silu(z_t)
//
// A = -exp(A_log) has one number per channel and state, D and the bias have one
// per channel; B_t and C_t have one per state, and all channels share them. The
// states are 16 times as large as what comes in and what goes out.
//
// As written here every step has its own operation and the states are a tensor
// [batch, time, channel, 16]. `--scan-normalize --scan-fuse-elementwise` makes one
// kernel of all of it. The sum over the states is a reduction over a static
// dimension of the scan: the kernel is unrolled over that dimension, each thread
// holds the 16 states of a channel in registers, and the states never exist in
// memory. It reads u, delta', z, B and C once and writes y once.
//
//   scan-run examples/mamba.mlir --entry=mamba --target=cpu \
//       --input=random:f32:2x200x64:1 --input=random:f32:2x200x64:2:-4:1 \
//       --input=random:f32:64:3 --input=random:f32:64x16:4:0:2.7 \
//       --input=random:f32:2x200x16:5 --input=random:f32:2x200x16:6 \
//       --input=random:f32:64:7 --input=random:f32:2x200x64:8 --output=y.npy

#btc = affine_map<(b, t, c) -> (b, t, c)>
#c = affine_map<(b, t, c) -> (c)>
#steps = affine_map<(b, t, c, n) -> (b, t, c, n)>
#channels = affine_map<(b, t, c, n) -> (b, t, c)>
#states = affine_map<(b, t, c, n) -> (b, t, n)>
#fixed = affine_map<(b, t, c, n) -> (c, n)>

func.func @mamba(%u: tensor<?x?x?xf32>, %raw_delta: tensor<?x?x?xf32>, %bias: tensor<?xf32>,
                 %a_log: tensor<?x16xf32>, %b: tensor<?x?x16xf32>, %c: tensor<?x?x16xf32>,
                 %d: tensor<?xf32>, %z: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %u, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %u, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %u, %c2 : tensor<?x?x?xf32>
  %per_channel = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>

  // softplus(x) = log(1 + exp(x)), in the form that does not overflow.
  %delta = linalg.generic {indexing_maps = [#btc, #c, #btc],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%raw_delta, %bias : tensor<?x?x?xf32>, tensor<?xf32>)
      outs(%per_channel : tensor<?x?x?xf32>) {
  ^bb0(%dt: f32, %bc: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %x = arith.addf %dt, %bc : f32
    %positive = arith.maximumf %x, %zero : f32
    %abs = math.absf %x : f32
    %minus = arith.negf %abs : f32
    %exp = math.exp %minus : f32
    %log = math.log1p %exp : f32
    %sum = arith.addf %positive, %log : f32
    linalg.yield %sum : f32
  } -> tensor<?x?x?xf32>

  // A = -exp(A_log), once per channel and state.
  %exp_a = math.exp %a_log : tensor<?x16xf32>
  %a = arith.negf %exp_a : tensor<?x16xf32>

  // The coefficients of the recurrence: exp(delta A) and delta B u.
  %per_state = tensor.empty(%batch, %time, %channels) : tensor<?x?x?x16xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [#channels, #fixed, #states, #channels, #steps, #steps],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%delta, %a, %b, %u
          : tensor<?x?x?xf32>, tensor<?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x?xf32>)
      outs(%per_state, %per_state : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>) {
  ^bb0(%dt: f32, %an: f32, %bn: f32, %ut: f32, %out0: f32, %out1: f32):
    %da = arith.mulf %dt, %an : f32
    %e = math.exp %da : f32
    %du = arith.mulf %dt, %ut : f32
    %dbu = arith.mulf %du, %bn : f32
    linalg.yield %e, %dbu : f32, f32
  } -> (tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)

  // The states, from zero.
  %zero = arith.constant 0.0 : f32
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>)
      init(%zero : f32) dim = 1 -> tensor<?x?x?x16xf32>

  // The sum over the states.
  %zeros = linalg.fill ins(%zero : f32) outs(%per_channel : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum = linalg.generic {indexing_maps = [#steps, #states, #channels],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%zeros : tensor<?x?x?xf32>) {
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
