// Recurrent layers with weights, over batches of sequences: `captures` are what every
// step sees whole. Time is the dimension in the middle, [batch, time, channels].
//
//   scan-run examples/recurrent_cells.mlir --entry=lstm --target=cpu \
//       --input=random:f32:2x9x5:1 --input=zeros:f32:2x1x6 --input=zeros:f32:2x1x6 \
//       --input=random:f32:5x24:2 --input=random:f32:6x24:3 --input=random:f32:24:4 --output=h.npy --output=c.npy

// LSTM (Hochreiter and Schmidhuber, 1997) as torch.nn.LSTM has it: of z = x W + h U + b
// the four parts are the gates i and f, the candidate g and the gate o, and
//   c_t = f c_{t-1} + i g        h_t = o tanh(c_t)
func.func @lstm(%x: tensor<?x?x5xf32>, %h0: tensor<?x1x6xf32>, %c0: tensor<?x1x6xf32>,
                %w: tensor<5x24xf32>, %u: tensor<6x24xf32>, %b: tensor<24xf32>)
    -> (tensor<?x?x6xf32>, tensor<?x1x6xf32>) {
  %h, %c, %hlast, %clast = scan.recurrence ins(%x : tensor<?x?x5xf32>) init(%h0, %c0 : tensor<?x1x6xf32>, tensor<?x1x6xf32>)
      captures(%w, %u, %b : tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x6xf32>, %c1: tensor<?x6xf32>, %row: tensor<?x5xf32>,
       %win: tensor<5x24xf32>, %rec: tensor<6x24xf32>, %bias: tensor<24xf32>):
    %zero = arith.constant 0 : index
    %batch = tensor.dim %h1, %zero : tensor<?x6xf32>
    %empty = tensor.empty(%batch) : tensor<?x24xf32>
    %biases = linalg.broadcast ins(%bias : tensor<24xf32>) outs(%empty : tensor<?x24xf32>) dimensions = [0]
    %xw = linalg.matmul ins(%row, %win : tensor<?x5xf32>, tensor<5x24xf32>) outs(%biases : tensor<?x24xf32>) -> tensor<?x24xf32>
    %z = linalg.matmul ins(%h1, %rec : tensor<?x6xf32>, tensor<6x24xf32>) outs(%xw : tensor<?x24xf32>) -> tensor<?x24xf32>
    %i = tensor.extract_slice %z[0, 0] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %f = tensor.extract_slice %z[0, 6] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %g = tensor.extract_slice %z[0, 12] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %o = tensor.extract_slice %z[0, 18] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %space = tensor.empty(%batch) : tensor<?x6xf32>
    %next:2 = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%i, %f, %g, %o, %c1 : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>)
        outs(%space, %space : tensor<?x6xf32>, tensor<?x6xf32>) {
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
    } -> (tensor<?x6xf32>, tensor<?x6xf32>)
    scan.yield %next#0, %next#1 : tensor<?x6xf32>, tensor<?x6xf32>
  } -> tensor<?x?x6xf32>, tensor<?x?x6xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>
  return %h, %clast : tensor<?x?x6xf32>, tensor<?x1x6xf32>
}

// GRU (Cho et al., 2014) as torch.nn.GRU has it: of x W + b and h U + v the three parts
// are for r, z and n, and
//   r = sigmoid(xr + hr)   z = sigmoid(xz + hz)   n = tanh(xn + r hn)   h_t = (1 - z) n + z h_{t-1}
func.func @gru(%x: tensor<?x?x5xf32>, %h0: tensor<?x1x6xf32>, %w: tensor<5x18xf32>, %u: tensor<6x18xf32>,
               %b: tensor<18xf32>, %v: tensor<18xf32>) -> (tensor<?x?x6xf32>, tensor<?x1x6xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x5xf32>) init(%h0 : tensor<?x1x6xf32>)
      captures(%w, %u, %b, %v : tensor<5x18xf32>, tensor<6x18xf32>, tensor<18xf32>, tensor<18xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x6xf32>, %row: tensor<?x5xf32>, %win: tensor<5x18xf32>, %rec: tensor<6x18xf32>,
       %bin: tensor<18xf32>, %brec: tensor<18xf32>):
    %zero = arith.constant 0 : index
    %batch = tensor.dim %h1, %zero : tensor<?x6xf32>
    %empty = tensor.empty(%batch) : tensor<?x18xf32>
    %bx = linalg.broadcast ins(%bin : tensor<18xf32>) outs(%empty : tensor<?x18xf32>) dimensions = [0]
    %bh = linalg.broadcast ins(%brec : tensor<18xf32>) outs(%empty : tensor<?x18xf32>) dimensions = [0]
    %xw = linalg.matmul ins(%row, %win : tensor<?x5xf32>, tensor<5x18xf32>) outs(%bx : tensor<?x18xf32>) -> tensor<?x18xf32>
    %hu = linalg.matmul ins(%h1, %rec : tensor<?x6xf32>, tensor<6x18xf32>) outs(%bh : tensor<?x18xf32>) -> tensor<?x18xf32>
    %xr = tensor.extract_slice %xw[0, 0] [%batch, 6] [1, 1] : tensor<?x18xf32> to tensor<?x6xf32>
    %xz = tensor.extract_slice %xw[0, 6] [%batch, 6] [1, 1] : tensor<?x18xf32> to tensor<?x6xf32>
    %xn = tensor.extract_slice %xw[0, 12] [%batch, 6] [1, 1] : tensor<?x18xf32> to tensor<?x6xf32>
    %hr = tensor.extract_slice %hu[0, 0] [%batch, 6] [1, 1] : tensor<?x18xf32> to tensor<?x6xf32>
    %hz = tensor.extract_slice %hu[0, 6] [%batch, 6] [1, 1] : tensor<?x18xf32> to tensor<?x6xf32>
    %hn = tensor.extract_slice %hu[0, 12] [%batch, 6] [1, 1] : tensor<?x18xf32> to tensor<?x6xf32>
    %next = linalg.map ins(%xr, %xz, %xn, %hr, %hz, %hn, %h1 : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
                           tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>)
        outs(%h1 : tensor<?x6xf32>) (%a: f32, %c: f32, %d: f32, %e: f32, %f: f32, %g: f32, %state: f32, %out: f32) {
      %one = arith.constant 1.0 : f32
      %sr = arith.addf %a, %e : f32
      %nr = arith.negf %sr : f32
      %er = math.exp %nr : f32
      %dr = arith.addf %er, %one : f32
      %r = arith.divf %one, %dr : f32
      %sz = arith.addf %c, %f : f32
      %nz = arith.negf %sz : f32
      %ez = math.exp %nz : f32
      %dz = arith.addf %ez, %one : f32
      %z = arith.divf %one, %dz : f32
      %rh = arith.mulf %r, %g : f32
      %sn = arith.addf %d, %rh : f32
      %n = math.tanh %sn : f32
      %rest = arith.subf %one, %z : f32
      %new = arith.mulf %rest, %n : f32
      %old = arith.mulf %z, %state : f32
      %sum = arith.addf %new, %old : f32
      linalg.yield %sum : f32
    }
    scan.yield %next : tensor<?x6xf32>
  } -> tensor<?x?x6xf32>, tensor<?x1x6xf32>
  return %h, %last : tensor<?x?x6xf32>, tensor<?x1x6xf32>
}

// sLSTM (Beck et al., 2024): exponential gates, which a maximum m keeps in range. Of
// z = x W + h U + b the four parts are i, f, the candidate and o, and
//   m_t = max(f + m_{t-1}, i)          i' = exp(i - m_t)       f' = exp(f + m_{t-1} - m_t)
//   c_t = f' c_{t-1} + i' tanh(z)      n_t = f' n_{t-1} + i'   h_t = sigmoid(o) c_t / n_t
func.func @slstm(%x: tensor<?x?x5xf32>, %h0: tensor<?x1x6xf32>, %c0: tensor<?x1x6xf32>, %n0: tensor<?x1x6xf32>,
                 %m0: tensor<?x1x6xf32>, %w: tensor<5x24xf32>, %u: tensor<6x24xf32>, %b: tensor<24xf32>)
    -> (tensor<?x?x6xf32>, tensor<?x1x6xf32>) {
  %r:8 = scan.recurrence ins(%x : tensor<?x?x5xf32>)
      init(%h0, %c0, %n0, %m0 : tensor<?x1x6xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
      captures(%w, %u, %b : tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x6xf32>, %c1: tensor<?x6xf32>, %n1: tensor<?x6xf32>, %m1: tensor<?x6xf32>,
       %row: tensor<?x5xf32>, %win: tensor<5x24xf32>, %rec: tensor<6x24xf32>, %bias: tensor<24xf32>):
    %zero = arith.constant 0 : index
    %batch = tensor.dim %h1, %zero : tensor<?x6xf32>
    %empty = tensor.empty(%batch) : tensor<?x24xf32>
    %biases = linalg.broadcast ins(%bias : tensor<24xf32>) outs(%empty : tensor<?x24xf32>) dimensions = [0]
    %xw = linalg.matmul ins(%row, %win : tensor<?x5xf32>, tensor<5x24xf32>) outs(%biases : tensor<?x24xf32>) -> tensor<?x24xf32>
    %z = linalg.matmul ins(%h1, %rec : tensor<?x6xf32>, tensor<6x24xf32>) outs(%xw : tensor<?x24xf32>) -> tensor<?x24xf32>
    %i = tensor.extract_slice %z[0, 0] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %f = tensor.extract_slice %z[0, 6] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %g = tensor.extract_slice %z[0, 12] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %o = tensor.extract_slice %z[0, 18] [%batch, 6] [1, 1] : tensor<?x24xf32> to tensor<?x6xf32>
    %space = tensor.empty(%batch) : tensor<?x6xf32>
    %next:4 = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%i, %f, %g, %o, %c1, %n1, %m1 : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
            tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>)
        outs(%space, %space, %space, %space : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) {
    ^bb0(%zi: f32, %zf: f32, %zg: f32, %zo: f32, %c: f32, %n: f32, %m: f32, %out0: f32, %out1: f32, %out2: f32, %out3: f32):
      %one = arith.constant 1.0 : f32
      %kept = arith.addf %zf, %m : f32
      %mnext = arith.maximumf %kept, %zi : f32
      %di = arith.subf %zi, %mnext : f32
      %input = math.exp %di : f32
      %df = arith.subf %kept, %mnext : f32
      %forget = math.exp %df : f32
      %candidate = math.tanh %zg : f32
      %cold = arith.mulf %forget, %c : f32
      %cnew = arith.mulf %input, %candidate : f32
      %cnext = arith.addf %cold, %cnew : f32
      %nold = arith.mulf %forget, %n : f32
      %nnext = arith.addf %nold, %input : f32
      %no = arith.negf %zo : f32
      %eo = math.exp %no : f32
      %do = arith.addf %eo, %one : f32
      %so = arith.divf %one, %do : f32
      %ratio = arith.divf %cnext, %nnext : f32
      %hnext = arith.mulf %so, %ratio : f32
      linalg.yield %hnext, %cnext, %nnext, %mnext : f32, f32, f32, f32
    } -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>)
    scan.yield %next#0, %next#1, %next#2, %next#3 : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>
  } -> tensor<?x?x6xf32>, tensor<?x?x6xf32>, tensor<?x?x6xf32>, tensor<?x?x6xf32>,
       tensor<?x1x6xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>
  return %r#0, %r#5 : tensor<?x?x6xf32>, tensor<?x1x6xf32>
}
