// exp(x), sqrt(-expm1(2 x)), 1 + tanh(x), 1 - tanh(x), 1 / (2 sqrt(x)), log1p(exp(-|x|)) and
// expm1(-|x|).
#id = affine_map<(t) -> (t)>
func.func @sides(%x: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:7 = linalg.generic {
      indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e, %e, %e, %e, %e, %e, %e : tensor<?xf32>, tensor<?xf32>,
          tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %a = math.exp %v : f32
    %w = arith.mulf %v, %two : f32
    %m = math.expm1 %w : f32
    %minus = arith.negf %m : f32
    %b = math.sqrt %minus : f32
    %t = math.tanh %v : f32
    %p = arith.addf %t, %one : f32
    %q = arith.subf %one, %t : f32
    %s = math.sqrt %v : f32
    %d = arith.mulf %s, %two : f32
    %z = arith.divf %one, %d : f32
    %abs = math.absf %v : f32
    %below = arith.negf %abs : f32
    %power = math.exp %below : f32
    %l = math.log1p %power : f32
    %negative = math.expm1 %below : f32
    linalg.yield %a, %b, %p, %q, %z, %l, %negative : f32, f32, f32, f32, f32, f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>
}
