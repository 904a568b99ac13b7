// QRNN (Bradbury et al., 2016, arXiv:1611.01576), with f-pooling and filters of width 2 per channel: sums of slices.

func.func @qrnn(%x: tensor<?x?x?xf32>, %wz: tensor<2x?xf32>, %wf: tensor<2x?xf32>, %o: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %padded_edge = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %padded_edge : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %before = tensor.extract_slice %padded[0, 0, 0] [%size_b, %size_t, %size_c] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %wz0 = tensor.extract_slice %wz[0, 0] [1, %size_c] [1, 1] : tensor<2x?xf32> to tensor<?xf32>
  %wz1 = tensor.extract_slice %wz[1, 0] [1, %size_c] [1, 1] : tensor<2x?xf32> to tensor<?xf32>
  %wf0 = tensor.extract_slice %wf[0, 0] [1, %size_c] [1, 1] : tensor<2x?xf32> to tensor<?xf32>
  %wf1 = tensor.extract_slice %wf[1, 0] [1, %size_c] [1, 1] : tensor<2x?xf32> to tensor<?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %before, %wz0, %wz1, %wf0, %wf1 : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %e4: f32, %e5: f32, %out0: f32, %out1: f32):
    %p0 = arith.mulf %e1, %e2 : f32
    %p1 = arith.mulf %e0, %e3 : f32
    %zs = arith.addf %p0, %p1 : f32
    %z = math.tanh %zs : f32
    %q0 = arith.mulf %e1, %e4 : f32
    %q1 = arith.mulf %e0, %e5 : f32
    %fs = arith.addf %q0, %q1 : f32
    %f1 = arith.constant 1.0 : f32
    %fm = arith.negf %fs : f32
    %fe = math.exp %fm : f32
    %fd = arith.addf %fe, %f1 : f32
    %f = arith.divf %f1, %fd : f32
    %rest = arith.subf %f1, %f : f32
    %b = arith.mulf %rest, %z : f32
    linalg.yield %f, %b : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %c = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %y_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%y_dest : tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %out0: f32):
    %s1 = arith.constant 1.0 : f32
    %sm = arith.negf %e0 : f32
    %se = math.exp %sm : f32
    %sd = arith.addf %se, %s1 : f32
    %g = arith.divf %s1, %sd : f32
    %r = arith.mulf %g, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
