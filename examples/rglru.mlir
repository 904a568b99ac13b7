// RG-LRU: the gated linear recurrence of Griffin (De et al., 2024,
// arXiv:2402.19427, section 2.4), over tensors [batch, time, channel].
//
//   r_t = sigmoid(recurrence gate)            how much of the past is kept
//   i_t = sigmoid(input gate)                 how much of the input gets in
//   a_t = exp(-c * softplus(Lambda) * r_t)    the decay; c = 8
//   h_t = a_t * h_{t-1} + sqrt(1 - a_t^2) * (i_t * x_t)
//
// The gates come in before their sigmoid (each is a matrix product of x, which
// is not part of the recurrence). Lambda has one number per channel, h0 one per
// batch and channel. The results are h and its last step, to go on from.
//
// The gates are ordinary elementwise code (linalg.generic); the recurrence is
// one operation. `--scan-normalize --scan-fuse-elementwise` makes one kernel of
// all of it, which reads x and the two gates once and writes h once: a and the
// gated input never exist in memory.
//
//   scan-run examples/rglru.mlir --entry=rglru --target=cpu \
//       --input=random:f32:2x1024x512:1 --input=random:f32:2x1024x512:2 \
//       --input=random:f32:2x1024x512:3 --input=random:f32:512:4 \
//       --input=random:f32:2x512:5 --output=h.npy --output=last.npy

#btc = affine_map<(b, t, c) -> (b, t, c)>
#per_channel = affine_map<(b, t, c) -> (c)>
#c = affine_map<(c) -> (c)>

func.func @rglru(%x: tensor<?x?x512xf32>, %recurrence_gate: tensor<?x?x512xf32>,
                 %input_gate: tensor<?x?x512xf32>, %lambda: tensor<512xf32>,
                 %h0: tensor<?x512xf32>)
    -> (tensor<?x?x512xf32>, tensor<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x512xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x512xf32>

  // softplus(Lambda) = log(1 + exp(Lambda)), once per channel, in the form that
  // does not overflow: max(Lambda, 0) + log1p(exp(-|Lambda|)).
  %per_channel = tensor.empty() : tensor<512xf32>
  %softplus = linalg.generic {indexing_maps = [#c, #c], iterator_types = ["parallel"]}
      ins(%lambda : tensor<512xf32>) outs(%per_channel : tensor<512xf32>) {
  ^bb0(%l: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.maximumf %l, %zero : f32
    %abs = math.absf %l : f32
    %minus = arith.negf %abs : f32
    %exp = math.exp %minus : f32
    %log = math.log1p %exp : f32
    %sum = arith.addf %positive, %log : f32
    linalg.yield %sum : f32
  } -> tensor<512xf32>

  // The coefficients of the recurrence: a_t and b_t = sqrt(1 - a_t^2) * (i_t * x_t).
  // Where a_t is close to 1, 1 - a_t^2 would cancel; -expm1(2 log a_t) does not.
  %per_step = tensor.empty(%batch, %time) : tensor<?x?x512xf32>
  %a, %b = linalg.generic {
      indexing_maps = [#btc, #btc, #btc, #per_channel, #btc, #btc],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %recurrence_gate, %input_gate, %softplus
          : tensor<?x?x512xf32>, tensor<?x?x512xf32>, tensor<?x?x512xf32>, tensor<512xf32>)
      outs(%per_step, %per_step : tensor<?x?x512xf32>, tensor<?x?x512xf32>) {
  ^bb0(%xt: f32, %rt: f32, %it: f32, %s: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %minus_c = arith.constant -8.0 : f32
    // The two sigmoids: 1 / (1 + exp(-gate)).
    %r_neg = arith.negf %rt : f32
    %r_exp = math.exp %r_neg : f32
    %r_den = arith.addf %r_exp, %one : f32
    %r = arith.divf %one, %r_den : f32
    %i_neg = arith.negf %it : f32
    %i_exp = math.exp %i_neg : f32
    %i_den = arith.addf %i_exp, %one : f32
    %i = arith.divf %one, %i_den : f32
    // log a = -c * softplus(Lambda) * r
    %decay = arith.mulf %s, %minus_c : f32
    %log_a = arith.mulf %decay, %r : f32
    %at = math.exp %log_a : f32
    // sqrt(1 - a^2) = sqrt(-expm1(2 log a))
    %twice = arith.mulf %log_a, %two : f32
    %expm1 = math.expm1 %twice : f32
    %rest = arith.negf %expm1 : f32
    %norm = math.sqrt %rest : f32
    %gated = arith.mulf %i, %xt : f32
    %bt = arith.mulf %norm, %gated : f32
    linalg.yield %at, %bt : f32, f32
  } -> (tensor<?x?x512xf32>, tensor<?x?x512xf32>)

  // h_t = a_t * h_{t-1} + b_t along time.
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x512xf32>, tensor<?x?x512xf32>)
      init(%h0 : tensor<?x512xf32>) dim = 1 -> tensor<?x?x512xf32>, tensor<?x512xf32>
  return %h, %last : tensor<?x?x512xf32>, tensor<?x512xf32>
}
