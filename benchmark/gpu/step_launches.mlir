// Recurrences whose steps are launches of the whole grid, which benchmark/gpu/recurrences.py
// checks and measures beside those of test/Conversion/RecurrenceToGPU/Inputs/launches.mlir.

// An LSTM of 1024 lanes: 16 MiB of weights, which no thread block has room for. A batch of any
// extent.
func.func @lstm_wide(%x: tensor<?x?x4096xf32>, %h0: tensor<?x1x1024xf32>, %c0: tensor<?x1x1024xf32>, %u: tensor<1024x4096xf32>)
    -> (tensor<?x?x1024xf32>, tensor<?x1x1024xf32>, tensor<?x1x1024xf32>) {
  %h, %c, %hlast, %clast = scan.recurrence ins(%x : tensor<?x?x4096xf32>) init(%h0, %c0 : tensor<?x1x1024xf32>, tensor<?x1x1024xf32>)
      captures(%u : tensor<1024x4096xf32>) dim = 1 attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<?x1024xf32>, %c1: tensor<?x1024xf32>, %row: tensor<?x4096xf32>, %rec: tensor<1024x4096xf32>):
    %zero = arith.constant 0 : index
    %batch = tensor.dim %h1, %zero : tensor<?x1024xf32>
    %z = linalg.matmul ins(%h1, %rec : tensor<?x1024xf32>, tensor<1024x4096xf32>) outs(%row : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %i = tensor.extract_slice %z[0, 0] [%batch, 1024] [1, 1] : tensor<?x4096xf32> to tensor<?x1024xf32>
    %f = tensor.extract_slice %z[0, 1024] [%batch, 1024] [1, 1] : tensor<?x4096xf32> to tensor<?x1024xf32>
    %g = tensor.extract_slice %z[0, 2048] [%batch, 1024] [1, 1] : tensor<?x4096xf32> to tensor<?x1024xf32>
    %o = tensor.extract_slice %z[0, 3072] [%batch, 1024] [1, 1] : tensor<?x4096xf32> to tensor<?x1024xf32>
    %space = tensor.empty(%batch) : tensor<?x1024xf32>
    %next:2 = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%i, %f, %g, %o, %c1 : tensor<?x1024xf32>, tensor<?x1024xf32>, tensor<?x1024xf32>, tensor<?x1024xf32>, tensor<?x1024xf32>)
        outs(%space, %space : tensor<?x1024xf32>, tensor<?x1024xf32>) {
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
    } -> (tensor<?x1024xf32>, tensor<?x1024xf32>)
    scan.yield %next#0, %next#1 : tensor<?x1024xf32>, tensor<?x1024xf32>
  } -> tensor<?x?x1024xf32>, tensor<?x?x1024xf32>, tensor<?x1x1024xf32>, tensor<?x1x1024xf32>
  return %h, %hlast, %clast : tensor<?x?x1024xf32>, tensor<?x1x1024xf32>, tensor<?x1x1024xf32>
}

// A GRU of an odd number of lanes, from the last step to the first, whose rows and weights are
// bf16: products are added up in f32.
func.func @gru_narrow(%x: tensor<?x771xbf16>, %h0: tensor<1x257xbf16>, %u: tensor<257x771xbf16>) -> tensor<?x257xbf16> {
  %h = scan.recurrence ins(%x : tensor<?x771xbf16>) init(%h0 : tensor<1x257xbf16>) captures(%u : tensor<257x771xbf16>) dim = 0 reverse
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<257xbf16>, %row: tensor<771xbf16>, %rec: tensor<257x771xbf16>):
    %none = arith.constant dense<0.0> : tensor<771xf32>
    %z = linalg.generic {
        indexing_maps = [affine_map<(j, k) -> (k)>, affine_map<(j, k) -> (k, j)>, affine_map<(j, k) -> (j)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%h1, %rec : tensor<257xbf16>, tensor<257x771xbf16>) outs(%none : tensor<771xf32>) {
    ^bb0(%a: bf16, %b: bf16, %acc: f32):
      %wa = arith.extf %a : bf16 to f32
      %wb = arith.extf %b : bf16 to f32
      %p = arith.mulf %wa, %wb : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<771xf32>
    %hr = tensor.extract_slice %z[0] [257] [1] : tensor<771xf32> to tensor<257xf32>
    %hz = tensor.extract_slice %z[257] [257] [1] : tensor<771xf32> to tensor<257xf32>
    %hn = tensor.extract_slice %z[514] [257] [1] : tensor<771xf32> to tensor<257xf32>
    %xr = tensor.extract_slice %row[0] [257] [1] : tensor<771xbf16> to tensor<257xbf16>
    %xz = tensor.extract_slice %row[257] [257] [1] : tensor<771xbf16> to tensor<257xbf16>
    %xn = tensor.extract_slice %row[514] [257] [1] : tensor<771xbf16> to tensor<257xbf16>
    %next = linalg.map ins(%xr, %xz, %xn, %hr, %hz, %hn, %h1 : tensor<257xbf16>, tensor<257xbf16>, tensor<257xbf16>,
                           tensor<257xf32>, tensor<257xf32>, tensor<257xf32>, tensor<257xbf16>)
        outs(%h1 : tensor<257xbf16>) (%an: bf16, %cn: bf16, %dn: bf16, %e: f32, %f: f32, %g: f32, %staten: bf16, %out: bf16) {
      %a = arith.extf %an : bf16 to f32
      %c = arith.extf %cn : bf16 to f32
      %d = arith.extf %dn : bf16 to f32
      %state = arith.extf %staten : bf16 to f32
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
      %zg = arith.divf %one, %dz : f32
      %rh = arith.mulf %r, %g : f32
      %sn = arith.addf %d, %rh : f32
      %n = math.tanh %sn : f32
      %rest = arith.subf %one, %zg : f32
      %new = arith.mulf %rest, %n : f32
      %old = arith.mulf %zg, %state : f32
      %sum = arith.addf %new, %old : f32
      %narrow = arith.truncf %sum : f32 to bf16
      linalg.yield %narrow : bf16
    }
    scan.yield %next : tensor<257xbf16>
  } -> tensor<?x257xbf16>
  return %h : tensor<?x257xbf16>
}
