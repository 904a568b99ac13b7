// The selective scan of Mamba (Gu and Dao, 2023, arXiv:2312.00752) with four states per channel, time, batch, channel.

func.func @mamba_tbc(%u: tensor<?x?x?xf32>, %delta: tensor<?x?x?xf32>, %a: tensor<?x4xf32>, %b: tensor<?x?x4xf32>,
                     %c: tensor<?x?x4xf32>) -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %u, %c2 : tensor<?x?x?xf32>
  %size_b = tensor.dim %u, %c1 : tensor<?x?x?xf32>
  %size_t = tensor.dim %u, %c0 : tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_t, %size_b, %size_c) : tensor<?x?x?x4xf32>
  %input_dest = tensor.empty(%size_t, %size_b, %size_c) : tensor<?x?x?x4xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(t, b, c, n) -> (t, b, c)>,
                       affine_map<(t, b, c, n) -> (c, n)>,
                       affine_map<(t, b, c, n) -> (t, b, n)>,
                       affine_map<(t, b, c, n) -> (t, b, c)>,
                       affine_map<(t, b, c, n) -> (t, b, c, n)>,
                       affine_map<(t, b, c, n) -> (t, b, c, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%delta, %a, %b, %u : tensor<?x?x?xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>, tensor<?x?x?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %out0: f32, %out1: f32):
    %da = arith.mulf %e0, %e1 : f32
    %x = math.exp %da : f32
    %du = arith.mulf %e0, %e3 : f32
    %w = arith.mulf %du, %e2 : f32
    linalg.yield %x, %w : f32, f32
  } -> (tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>) dim = 0 -> tensor<?x?x?x4xf32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_t, %size_b, %size_c) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(t, b, c, n) -> (t, b, c, n)>,
                       affine_map<(t, b, c, n) -> (t, b, n)>,
                       affine_map<(t, b, c, n) -> (t, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x?x4xf32>, tensor<?x?x4xf32>)
      outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %m = arith.mulf %e0, %e1 : f32
    %s = arith.addf %out0, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %skip = arith.addf %sum, %u : tensor<?x?x?xf32>
  return %skip : tensor<?x?x?xf32>
}
