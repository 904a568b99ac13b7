// RG-LRU (De et al., 2024, arXiv:2402.19427): a = exp(-8 softplus(lambda) sigmoid(r)), inputs scaled by sqrt(1 - a^2).

func.func @rglru(%x: tensor<?x?x?xf32>, %r: tensor<?x?x?xf32>, %i: tensor<?x?x?xf32>, %lambda: tensor<?xf32>)
    -> tensor<?x?x?xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %size_t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %decay_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %input_dest = tensor.empty(%size_b, %size_t, %size_c) : tensor<?x?x?xf32>
  %decay, %input = linalg.generic {
      indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (c)>,
                       affine_map<(b, t, c) -> (b, t, c)>,
                       affine_map<(b, t, c) -> (b, t, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r, %i, %lambda : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>)
      outs(%decay_dest, %input_dest : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %e3: f32, %out0: f32, %out1: f32):
    %r1 = arith.constant 1.0 : f32
    %rm = arith.negf %e1 : f32
    %re = math.exp %rm : f32
    %rd = arith.addf %re, %r1 : f32
    %sr = arith.divf %r1, %rd : f32
    %i1 = arith.constant 1.0 : f32
    %im = arith.negf %e2 : f32
    %ie = math.exp %im : f32
    %id = arith.addf %ie, %i1 : f32
    %si = arith.divf %i1, %id : f32
    %el = math.exp %e3 : f32
    %sp = math.log1p %el : f32
    %eight = arith.constant -8.0 : f32
    %c = arith.mulf %eight, %sp : f32
    %la = arith.mulf %c, %sr : f32
    %a = math.exp %la : f32
    %two = arith.addf %la, %la : f32
    %em = math.expm1 %two : f32
    %ne = arith.negf %em : f32
    %g = math.sqrt %ne : f32
    %gi = arith.mulf %g, %si : f32
    %b = arith.mulf %gi, %e0 : f32
    linalg.yield %a, %b : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %h = scan.linear_recurrence ins(%decay, %input : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
