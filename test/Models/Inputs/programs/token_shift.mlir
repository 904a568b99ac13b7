// The token shift of RWKV: a mix with the step before, which is a first row joined with all steps but the last,
// in front of a decay per channel.

func.func @token_shift(%x: tensor<?x?x?xf32>, %first: tensor<?x?xf32>, %mix: tensor<?xf32>, %a: tensor<?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %less = arith.subi %size_t, %c1 : index
  %row = tensor.expand_shape %first [[0, 1], [2]] output_shape [%size_b, 1, %size_c] : tensor<?x?xf32> into tensor<?x1x?xf32>
  %rest = tensor.extract_slice %x[0, 0, 0] [%size_b, %less, %size_c] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %before = tensor.concat dim(1) %row, %rest : (tensor<?x1x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %before, %mix, %a : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %out0: f32, %out1: f32):
    %d = arith.subf %e0, %e1 : f32
    %m = arith.mulf %d, %e2 : f32
    %r = arith.addf %e1, %m : f32
    linalg.yield %e3, %r : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
