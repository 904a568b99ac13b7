// A gated recurrence as a program that a compiler of one's own tiles itself, instead
// of handing it to the strategies of this project: the script is
// gated_tiles_script.mlir.
//
//   a_t = sigmoid(gate_t)
//   h_t = a_t * h_{t-1} + (1 - a_t) * x_t
//
// over tensors [batch, time, channel]. The extents are static, as upstream's mapping
// to GPU blocks wants them.
//
//   scan-run examples/gated_tiles.mlir --target=cpu \
//       --input=random:f32:4x50x64:1 --input=random:f32:4x50x64:2 \
//       --input=random:f32:4x64:3 --output=h.npy
//
// With the script, tile by tile on the emulated GPU:
//
//   scan-opt examples/gated_tiles.mlir \
//       --transform-preload-library=transform-library-paths=examples/gated_tiles_script.mlir \
//       --transform-interpreter -o tiles.mlir
//   scan-run tiles.mlir --target=emulator --input=random:f32:4x50x64:1 \
//       --input=random:f32:4x50x64:2 --input=random:f32:4x64:3 --output=tiles.npy

#btc = affine_map<(b, t, c) -> (b, t, c)>

func.func @gated(%gate: tensor<4x50x64xf32>, %x: tensor<4x50x64xf32>, %h0: tensor<4x64xf32>)
    -> tensor<4x50x64xf32> {
  %empty = tensor.empty() : tensor<4x50x64xf32>
  %a = linalg.generic {indexing_maps = [#btc, #btc],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%gate : tensor<4x50x64xf32>) outs(%empty : tensor<4x50x64xf32>) {
  ^bb0(%gt: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %gt : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %one, %exp : f32
    %at = arith.divf %one, %sum : f32
    linalg.yield %at : f32
  } -> tensor<4x50x64xf32>
  // 1 - sigmoid(g) is sigmoid(-g), which keeps its digits.
  %b = linalg.generic {indexing_maps = [#btc, #btc, #btc],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%gate, %x : tensor<4x50x64xf32>, tensor<4x50x64xf32>) outs(%empty : tensor<4x50x64xf32>) {
  ^bb0(%gt: f32, %xt: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %exp = math.exp %gt : f32
    %sum = arith.addf %one, %exp : f32
    %rest = arith.divf %one, %sum : f32
    %bt = arith.mulf %rest, %xt : f32
    linalg.yield %bt : f32
  } -> tensor<4x50x64xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<4x50x64xf32>, tensor<4x50x64xf32>)
      init(%h0 : tensor<4x64xf32>) dim = 1 -> tensor<4x50x64xf32>
  return %h : tensor<4x50x64xf32>
}
