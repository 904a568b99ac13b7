// The recurrent half of a block of Griffin (De et al., 2024, arXiv:2402.19427,
// section 2.3), over tensors [batch, time, channel]: the RG-LRU of rglru.mlir with
// the product that follows it.
//
//   h = RG-LRU(x)                             rglru.mlir says what that is
//   y_t = gelu(branch_t) * h_t
//
// The other branch comes in before its activation, which is the GeLU in its tanh
// form. y is what the block passes on; h is not asked for, only its last step, to go
// on from.
//
// Gates, recurrence and product become one kernel. It reads x, the two gates and
// the branch once and writes y once: h is never written.
//
//   scan-run examples/griffin.mlir --entry=griffin --target=cpu \
//       --input=random:f32:2x256x64:1 --input=random:f32:2x256x64:2 \
//       --input=random:f32:2x256x64:3 --input=random:f32:64:4 \
//       --input=random:f32:2x64:5 --input=random:f32:2x256x64:6 \
//       --output=y.npy --output=last.npy

#btc = affine_map<(b, t, c) -> (b, t, c)>
#per_channel = affine_map<(b, t, c) -> (c)>

func.func @griffin(%x: tensor<?x?x?xf32>, %recurrence_gate: tensor<?x?x?xf32>,
                   %input_gate: tensor<?x?x?xf32>, %lambda: tensor<?xf32>,
                   %h0: tensor<?x?xf32>, %branch: tensor<?x?x?xf32>)
    -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %x, %c2 : tensor<?x?x?xf32>

  // -c * softplus(Lambda), c = 8, once per channel.
  %empty = tensor.empty(%channels) : tensor<?xf32>
  %decay = linalg.map ins(%lambda : tensor<?xf32>) outs(%empty : tensor<?xf32>)
      (%l: f32, %out: f32) {
    %zero = arith.constant 0.0 : f32
    %minus_c = arith.constant -8.0 : f32
    %positive = arith.maximumf %l, %zero : f32
    %abs = math.absf %l : f32
    %minus = arith.negf %abs : f32
    %exp = math.exp %minus : f32
    %log = math.log1p %exp : f32
    %softplus = arith.addf %positive, %log : f32
    %scaled = arith.mulf %softplus, %minus_c : f32
    linalg.yield %scaled : f32
  }

  // The coefficients: a_t = exp(decay * r_t), b_t = sqrt(1 - a_t^2) * (i_t * x_t).
  %per_step = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %a, %b = linalg.generic {
      indexing_maps = [#btc, #btc, #btc, #per_channel, #btc, #btc],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %recurrence_gate, %input_gate, %decay
          : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>)
      outs(%per_step, %per_step : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%xt: f32, %rt: f32, %it: f32, %d: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %r_neg = arith.negf %rt : f32
    %r_exp = math.exp %r_neg : f32
    %r_den = arith.addf %r_exp, %one : f32
    %r = arith.divf %one, %r_den : f32
    %i_neg = arith.negf %it : f32
    %i_exp = math.exp %i_neg : f32
    %i_den = arith.addf %i_exp, %one : f32
    %i = arith.divf %one, %i_den : f32
    %log_a = arith.mulf %d, %r : f32
    %at = math.exp %log_a : f32
    %twice = arith.mulf %log_a, %two : f32
    %expm1 = math.expm1 %twice : f32
    %rest = arith.negf %expm1 : f32
    %norm = math.sqrt %rest : f32
    %gated = arith.mulf %i, %xt : f32
    %bt = arith.mulf %norm, %gated : f32
    linalg.yield %at, %bt : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)

  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%h0 : tensor<?x?xf32>) dim = 1 -> tensor<?x?x?xf32>, tensor<?x?xf32>

  // gelu(g) = g / 2 * (1 + tanh(sqrt(2 / pi) * (g + 0.044715 * g^3)))
  %y = linalg.map ins(%branch, %h : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%per_step : tensor<?x?x?xf32>) (%g: f32, %ht: f32, %out: f32) {
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %scale = arith.constant 0.797884561 : f32
    %square = arith.mulf %g, %g : f32
    %cube = arith.mulf %square, %g : f32
    %small = arith.mulf %cube, %cubic : f32
    %inner = arith.addf %g, %small : f32
    %scaled = arith.mulf %inner, %scale : f32
    %tanh = math.tanh %scaled : f32
    %more = arith.addf %tanh, %one : f32
    %half_g = arith.mulf %g, %half : f32
    %gelu = arith.mulf %half_g, %more : f32
    %product = arith.mulf %gelu, %ht : f32
    linalg.yield %product : f32
  }
  return %y, %last : tensor<?x?x?xf32>, tensor<?x?xf32>
}
