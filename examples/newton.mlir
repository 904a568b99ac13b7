// Recurrent cells whose lanes do not read each other, solved for all steps at once by Newton's
// method (docs/newton.md). Projections of the inputs are computed outside; time is the dimension
// in the middle, [batch, time, channels].
//
//   scan-run examples/newton.mlir --entry=gru --target=cpu --compare=reference --tolerance=1e-5 \
//       --input=random:f32:2x300x5:1 --input=random:f32:2x300x5:2 --input=random:f32:2x300x5:3 \
//       --input=zeros:f32:2x1x5 --input=random:f32:5:4 --input=random:f32:5:5 --input=random:f32:5:6 \
//       --output=h.npy --output=last.npy

// A GRU (Cho et al., 2014) whose recurrent weights are diagonal:
//   r = sigmoid(xr + ur h)   z = sigmoid(xz + uz h)   n = tanh(xn + un r h)   h_t = (1 - z) n + z h
func.func @gru(%xr: tensor<?x?x?xf32>, %xz: tensor<?x?x?xf32>, %xn: tensor<?x?x?xf32>, %h0: tensor<?x1x?xf32>,
               %ur: tensor<?xf32>, %uz: tensor<?xf32>, %un: tensor<?xf32>) -> (tensor<?x?x?xf32>, tensor<?x1x?xf32>) {
  %h, %last = scan.recurrence ins(%xr, %xz, %xn : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%h0 : tensor<?x1x?xf32>) captures(%ur, %uz, %un : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) dim = 1
      attributes {scan.schedule = #scan.newton<iterations = 12, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %h1: tensor<?x?xf32>, %r0: tensor<?x?xf32>, %z0: tensor<?x?xf32>, %n0: tensor<?x?xf32>,
       %wr: tensor<?xf32>, %wz: tensor<?xf32>, %wn: tensor<?xf32>):
    %next = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (j)>, affine_map<(n, j) -> (j)>, affine_map<(n, j) -> (j)>,
                         affine_map<(n, j) -> (n, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%r0, %z0, %n0, %wr, %wz, %wn
            : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
        outs(%h1 : tensor<?x?xf32>) {
    ^bb0(%ar: f32, %az: f32, %an: f32, %br: f32, %bz: f32, %bn: f32, %hp: f32):
      %one = arith.constant 1.0 : f32
      %rh = arith.mulf %br, %hp : f32
      %rs = arith.addf %ar, %rh : f32
      %rm = arith.negf %rs : f32
      %re = math.exp %rm : f32
      %rd = arith.addf %re, %one : f32
      %r = arith.divf %one, %rd : f32
      %zh = arith.mulf %bz, %hp : f32
      %zs = arith.addf %az, %zh : f32
      %zm = arith.negf %zs : f32
      %ze = math.exp %zm : f32
      %zd = arith.addf %ze, %one : f32
      %z = arith.divf %one, %zd : f32
      %rg = arith.mulf %r, %hp : f32
      %nh = arith.mulf %bn, %rg : f32
      %ns = arith.addf %an, %nh : f32
      %n = math.tanh %ns : f32
      %keep = arith.subf %one, %z : f32
      %fresh = arith.mulf %keep, %n : f32
      %old = arith.mulf %z, %hp : f32
      %hn = arith.addf %fresh, %old : f32
      linalg.yield %hn : f32
    } -> tensor<?x?xf32>
    scan.yield %next : tensor<?x?xf32>
  } -> tensor<?x?x?xf32>, tensor<?x1x?xf32>
  return %h, %last : tensor<?x?x?xf32>, tensor<?x1x?xf32>
}

// An LSTM (Hochreiter and Schmidhuber, 1997) whose recurrent weights are diagonal: two states
// per lane, whose Jacobian matrices are 2x2.
//   f = sigmoid(xf + uf h)   g = tanh(xg + ug h)   o = sigmoid(xo + uo h)
//   c_t = f c + (1 - f) g    h_t = o tanh(c_t)
func.func @lstm(%xf: tensor<?x?x?xf32>, %xg: tensor<?x?x?xf32>, %xo: tensor<?x?x?xf32>, %h0: tensor<?x1x?xf32>,
                %c0: tensor<?x1x?xf32>, %uf: tensor<?xf32>, %ug: tensor<?xf32>, %uo: tensor<?xf32>)
    -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %h, %c = scan.recurrence ins(%xf, %xg, %xo : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      init(%h0, %c0 : tensor<?x1x?xf32>, tensor<?x1x?xf32>)
      captures(%uf, %ug, %uo : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) dim = 1
      attributes {scan.schedule = #scan.newton<iterations = 12, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %h1: tensor<?x?xf32>, %c1: tensor<?x?xf32>, %f0: tensor<?x?xf32>, %g0: tensor<?x?xf32>,
       %o0: tensor<?x?xf32>, %wf: tensor<?xf32>, %wg: tensor<?xf32>, %wo: tensor<?xf32>):
    %next:2 = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (j)>, affine_map<(n, j) -> (j)>, affine_map<(n, j) -> (j)>,
                         affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%f0, %g0, %o0, %wf, %wg, %wo
            : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
        outs(%h1, %c1 : tensor<?x?xf32>, tensor<?x?xf32>) {
    ^bb0(%af: f32, %ag: f32, %ao: f32, %bf: f32, %bg: f32, %bo: f32, %hp: f32, %cp: f32):
      %one = arith.constant 1.0 : f32
      %fh = arith.mulf %bf, %hp : f32
      %fs = arith.addf %af, %fh : f32
      %fm = arith.negf %fs : f32
      %fe = math.exp %fm : f32
      %fd = arith.addf %fe, %one : f32
      %f = arith.divf %one, %fd : f32
      %gh = arith.mulf %bg, %hp : f32
      %gs = arith.addf %ag, %gh : f32
      %g = math.tanh %gs : f32
      %oh = arith.mulf %bo, %hp : f32
      %os = arith.addf %ao, %oh : f32
      %om = arith.negf %os : f32
      %oe = math.exp %om : f32
      %od = arith.addf %oe, %one : f32
      %o = arith.divf %one, %od : f32
      %kept = arith.mulf %f, %cp : f32
      %room = arith.subf %one, %f : f32
      %added = arith.mulf %room, %g : f32
      %cn = arith.addf %kept, %added : f32
      %squashed = math.tanh %cn : f32
      %hn = arith.mulf %o, %squashed : f32
      linalg.yield %hn, %cn : f32, f32
    } -> (tensor<?x?xf32>, tensor<?x?xf32>)
    scan.yield %next#0, %next#1 : tensor<?x?xf32>, tensor<?x?xf32>
  } -> tensor<?x?x?xf32>, tensor<?x?x?xf32>
  return %h, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}
