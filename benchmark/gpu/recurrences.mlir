// What benchmark/gpu/recurrences.py measures, beside the programs of examples/.

// A GRU with diagonal recurrent weights: each lane on its own. What the inputs
// contribute is given for each of the three gates, [batch, time, channels].
func.func @gru_lanes(%xr: tensor<?x?x?xf32>, %xz: tensor<?x?x?xf32>, %xn: tensor<?x?x?xf32>, %h0: tensor<?x1x?xf32>,
                     %ur: tensor<?xf32>, %uz: tensor<?xf32>, %un: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %h = scan.recurrence ins(%xr, %xz, %xn : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%h0 : tensor<?x1x?xf32>) captures(%ur, %uz, %un : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x?xf32>, %r: tensor<?x?xf32>, %z: tensor<?x?xf32>, %n: tensor<?x?xf32>,
       %wr: tensor<?xf32>, %wz: tensor<?xf32>, %wn: tensor<?xf32>):
    %next = linalg.generic {
        indexing_maps = [affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>,
                         affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (c)>,
                         affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b, c)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%r, %z, %n, %h1, %wr, %wz, %wn : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
            tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%h1 : tensor<?x?xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32, %h: f32, %vr: f32, %vz: f32, %vn: f32, %out: f32):
      %one = arith.constant 1.0 : f32
      %pr = arith.mulf %vr, %h : f32
      %sr = arith.addf %a, %pr : f32
      %nr = arith.negf %sr : f32
      %er = math.exp %nr : f32
      %dr = arith.addf %er, %one : f32
      %gr = arith.divf %one, %dr : f32
      %pz = arith.mulf %vz, %h : f32
      %sz = arith.addf %c, %pz : f32
      %nz = arith.negf %sz : f32
      %ez = math.exp %nz : f32
      %dz = arith.addf %ez, %one : f32
      %gz = arith.divf %one, %dz : f32
      %pn = arith.mulf %vn, %h : f32
      %rn = arith.mulf %gr, %pn : f32
      %sn = arith.addf %d, %rn : f32
      %gn = math.tanh %sn : f32
      %rest = arith.subf %one, %gz : f32
      %new = arith.mulf %rest, %gn : f32
      %old = arith.mulf %gz, %h : f32
      %sum = arith.addf %new, %old : f32
      linalg.yield %sum : f32
    } -> tensor<?x?xf32>
    scan.yield %next : tensor<?x?xf32>
  } -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// An LSTM of several heads, each with recurrent weights of its own, as sLSTM and the
// benchmarks of FlashRNN have it: [batch, time, heads, 4 x 64] is what the inputs
// contribute to the gates i, f, g and o.
func.func @lstm_heads(%x: tensor<?x?x?x256xf32>, %h0: tensor<?x1x?x64xf32>, %c0: tensor<?x1x?x64xf32>, %u: tensor<?x64x256xf32>)
    -> (tensor<?x?x?x64xf32>, tensor<?x1x?x64xf32>, tensor<?x1x?x64xf32>) {
  %h, %c, %hlast, %clast = scan.recurrence ins(%x : tensor<?x?x?x256xf32>) init(%h0, %c0 : tensor<?x1x?x64xf32>, tensor<?x1x?x64xf32>)
      captures(%u : tensor<?x64x256xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x?x64xf32>, %c1: tensor<?x?x64xf32>, %row: tensor<?x?x256xf32>, %rec: tensor<?x64x256xf32>):
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %batch = tensor.dim %h1, %i0 : tensor<?x?x64xf32>
    %heads = tensor.dim %h1, %i1 : tensor<?x?x64xf32>
    %z = linalg.generic {
        indexing_maps = [affine_map<(n, h, j, k) -> (n, h, k)>, affine_map<(n, h, j, k) -> (h, k, j)>, affine_map<(n, h, j, k) -> (n, h, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%h1, %rec : tensor<?x?x64xf32>, tensor<?x64x256xf32>) outs(%row : tensor<?x?x256xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b fastmath<contract> : f32
      %s = arith.addf %acc, %p fastmath<contract> : f32
      linalg.yield %s : f32
    } -> tensor<?x?x256xf32>
    %i = tensor.extract_slice %z[0, 0, 0] [%batch, %heads, 64] [1, 1, 1] : tensor<?x?x256xf32> to tensor<?x?x64xf32>
    %f = tensor.extract_slice %z[0, 0, 64] [%batch, %heads, 64] [1, 1, 1] : tensor<?x?x256xf32> to tensor<?x?x64xf32>
    %g = tensor.extract_slice %z[0, 0, 128] [%batch, %heads, 64] [1, 1, 1] : tensor<?x?x256xf32> to tensor<?x?x64xf32>
    %o = tensor.extract_slice %z[0, 0, 192] [%batch, %heads, 64] [1, 1, 1] : tensor<?x?x256xf32> to tensor<?x?x64xf32>
    %space = tensor.empty(%batch, %heads) : tensor<?x?x64xf32>
    %next:2 = linalg.generic {
        indexing_maps = [affine_map<(n, h, j) -> (n, h, j)>, affine_map<(n, h, j) -> (n, h, j)>, affine_map<(n, h, j) -> (n, h, j)>,
                         affine_map<(n, h, j) -> (n, h, j)>, affine_map<(n, h, j) -> (n, h, j)>, affine_map<(n, h, j) -> (n, h, j)>,
                         affine_map<(n, h, j) -> (n, h, j)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%i, %f, %g, %o, %c1 : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>)
        outs(%space, %space : tensor<?x?x64xf32>, tensor<?x?x64xf32>) {
    ^bb0(%zi: f32, %zf: f32, %zg: f32, %zo: f32, %cell: f32, %out0: f32, %out1: f32):
      %one = arith.constant 1.0 : f32
      %ni = arith.negf %zi : f32
      %ei = math.exp %ni : f32
      %di = arith.addf %ei, %one : f32
      %si = arith.divf %one, %di : f32
      %nf = arith.negf %zf : f32
      %ef = math.exp %nf : f32
      %df = arith.addf %ef, %one : f32
      %sf = arith.divf %one, %df : f32
      %no = arith.negf %zo : f32
      %eo = math.exp %no : f32
      %do = arith.addf %eo, %one : f32
      %so = arith.divf %one, %do : f32
      %candidate = math.tanh %zg : f32
      %kept = arith.mulf %sf, %cell : f32
      %added = arith.mulf %si, %candidate : f32
      %cnext = arith.addf %kept, %added : f32
      %squashed = math.tanh %cnext : f32
      %hnext = arith.mulf %so, %squashed : f32
      linalg.yield %hnext, %cnext : f32, f32
    } -> (tensor<?x?x64xf32>, tensor<?x?x64xf32>)
    scan.yield %next#0, %next#1 : tensor<?x?x64xf32>, tensor<?x?x64xf32>
  } -> tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x1x?x64xf32>, tensor<?x1x?x64xf32>
  return %h, %hlast, %clast : tensor<?x?x?x64xf32>, tensor<?x1x?x64xf32>, tensor<?x1x?x64xf32>
}
