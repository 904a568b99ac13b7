// An exponential moving average with one decay per channel: h_t = a h_{t-1} + (1 - a) x_t.

func.func @ema(%x: tensor<?x?x?xf32>, %a: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %a : tensor<?x?x?xf32>, tensor<?xf32>) outs(%x, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%xt: f32, %ac: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %rest = arith.subf %one, %ac : f32
    %b = arith.mulf %rest, %xt : f32
    linalg.yield %ac, %b : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %zero = arith.constant 0.0 : f32
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%zero : f32) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
