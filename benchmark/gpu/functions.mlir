// Functions of models in the forms that --scan-gpu-to-nvvm and --scan-share-sigmoids write by
// themselves: check_functions.py compares them with what they are, for all numbers.

func.func @sigmoid(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.map ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>)
      (%v: f32, %out: f32) {
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %s = arith.divf %one, %sum : f32
    linalg.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// The sigmoids of both signs.
func.func @pair(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %s = arith.divf %one, %sum : f32
    %other = math.exp %v : f32
    %rest = arith.addf %other, %one : f32
    %t = arith.divf %one, %rest : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

// The same of numbers in bf16.
func.func @narrow_pair(%x: tensor<?xbf16>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xbf16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xbf16>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%n0: bf16, %out0: f32, %out1: f32):
    %v = arith.extf %n0 : bf16 to f32
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %s = arith.divf %one, %sum : f32
    %other = math.exp %v : f32
    %rest = arith.addf %other, %one : f32
    %t = arith.divf %one, %rest : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

func.func @narrow_sigmoid(%x: tensor<?xbf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xbf16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.map ins(%x : tensor<?xbf16>) outs(%e : tensor<?xf32>)
      (%n0: bf16, %out: f32) {
    %v = arith.extf %n0 : bf16 to f32
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %s = arith.divf %one, %sum : f32
    linalg.yield %s : f32
  }
  return %y : tensor<?xf32>
}

func.func @silu(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.map ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>)
      (%v: f32, %out: f32) {
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %v : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %s = arith.divf %v, %sum : f32
    linalg.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Both sides of a tanh.
func.func @sides(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %out0: f32, %out1: f32):
    %one = arith.constant 1.0 : f32
    %t = math.tanh %v : f32
    %p = arith.addf %t, %one : f32
    %q = arith.subf %one, %t : f32
    linalg.yield %p, %q : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

// The coefficients of an RG-LRU, a = exp(-8 s) and sqrt(1 - a^2), with s = softplus(x).
func.func @coefficients(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %out0: f32, %out1: f32):
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %minus_c = arith.constant -8.0 : f32
    %positive = arith.maximumf %v, %zero : f32
    %abs = math.absf %v : f32
    %minus = arith.negf %abs : f32
    %exp = math.exp %minus : f32
    %log = math.log1p %exp : f32
    %softplus = arith.addf %positive, %log : f32
    %log_a = arith.mulf %softplus, %minus_c : f32
    %a = math.exp %log_a : f32
    %twice = arith.mulf %log_a, %two : f32
    %expm1 = math.expm1 %twice : f32
    %rest = arith.negf %expm1 : f32
    %norm = math.sqrt %rest : f32
    linalg.yield %a, %norm : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}
