// minGRU (Feng et al., 2024, arXiv:2410.01201): a gated recurrent unit whose
// gate and candidate do not look at the state, so that it can be scanned.
//
//   z_t = sigmoid(gate_t)
//   h_t = (1 - z_t) * h_{t-1} + z_t * candidate_t
//
// over tensors [batch, time, channel] in bf16. 1 - z is sigmoid(-gate), which
// keeps its digits where z is close to 1. The state is kept in f32 and rounded
// once per result; the coefficients are handed over in f32, too, so nothing is
// rounded to bf16 on the way.
//
//   scan-run examples/mingru.mlir --entry=mingru --target=cpu \
//       --input=random:bf16:2x1000x64:1 --input=random:bf16:2x1000x64:2 \
//       --input=random:bf16:2x64:3 --output=h.npy

#btc = affine_map<(b, t, c) -> (b, t, c)>
#bc = affine_map<(b, c) -> (b, c)>

func.func @mingru(%gate: tensor<?x?x?xbf16>, %candidate: tensor<?x?x?xbf16>, %h0: tensor<?x?xbf16>)
    -> tensor<?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %gate, %c0 : tensor<?x?x?xbf16>
  %time = tensor.dim %gate, %c1 : tensor<?x?x?xbf16>
  %channels = tensor.dim %gate, %c2 : tensor<?x?x?xbf16>

  // 1 - z and z * candidate.
  %steps = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %a, %b = linalg.generic {
      indexing_maps = [#btc, #btc, #btc, #btc],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%gate, %candidate : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>)
      outs(%steps, %steps : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%gt: bf16, %ct: bf16, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %g = arith.extf %gt : bf16 to f32
    %c = arith.extf %ct : bf16 to f32
    %minus = arith.negf %g : f32
    %e0 = math.exp %g : f32
    %d0 = arith.addf %e0, %one : f32
    %rest = arith.divf %one, %d0 : f32
    %e1 = math.exp %minus : f32
    %d1 = arith.addf %e1, %one : f32
    %z = arith.divf %one, %d1 : f32
    %zc = arith.mulf %z, %c : f32
    linalg.yield %rest, %zc : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)

  // The initial state, in the type of the recurrence.
  %wide = arith.extf %h0 : tensor<?x?xbf16> to tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%wide : tensor<?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %result = arith.truncf %h : tensor<?x?x?xf32> to tensor<?x?x?xbf16>
  return %result : tensor<?x?x?xbf16>
}
