// Three scans with gates: a program of the size of a small model. The tests of
// scan-reduce look for one thing in it.
#bt = affine_map<(b, t) -> (b, t)>
#b = affine_map<(b, t) -> (b)>

func.func private @sigmoid(%x: tensor<4x256xf32>) -> tensor<4x256xf32> {
  %one = arith.constant dense<1.0> : tensor<4x256xf32>
  %n = arith.negf %x : tensor<4x256xf32>
  %e = math.exp %n : tensor<4x256xf32>
  %d = arith.addf %e, %one : tensor<4x256xf32>
  %s = arith.divf %one, %d : tensor<4x256xf32>
  return %s : tensor<4x256xf32>
}

func.func @gated(%x: tensor<4x256xf32>, %g: tensor<4x256xf32>, %h0: tensor<4xf32>, %k: tensor<4x256xi32>)
    -> (tensor<4x256xf32>, tensor<4xf32>, tensor<4x256xi32>) {
  %one = arith.constant dense<1.0> : tensor<4x256xf32>
  %gate = func.call @sigmoid(%g) : (tensor<4x256xf32>) -> tensor<4x256xf32>
  %rest = arith.subf %one, %gate : tensor<4x256xf32>
  %in = arith.mulf %rest, %x : tensor<4x256xf32>
  %h, %last = scan.linear_recurrence ins(%gate, %in : tensor<4x256xf32>, tensor<4x256xf32>)
      init(%h0 : tensor<4xf32>) dim = 1 attributes {order = #scan.order<deterministic>}
      -> tensor<4x256xf32>, tensor<4xf32>

  // From the right: products and sums, without the element itself.
  %i = arith.constant 1.0 : f32
  %j = arith.constant 0.0 : f32
  %t = math.tanh %h : tensor<4x256xf32>
  %p, %q = scan.associative ins(%gate, %t : tensor<4x256xf32>, tensor<4x256xf32>)
      init(%i, %j : f32, f32) dim = 1 reverse exclusive {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %a = arith.mulf %a1, %a0 : f32
    %u = arith.mulf %a1, %b0 : f32
    %v = arith.addf %u, %b1 : f32
    scan.yield %a, %v : f32, f32
  } -> tensor<4x256xf32>, tensor<4x256xf32>

  // How often the sign of the gated state has changed.
  %zero = arith.constant dense<0.0> : tensor<4x256xf32>
  %positive = arith.cmpf ogt, %q, %zero : tensor<4x256xf32>
  %count = arith.extui %positive : tensor<4x256xi1> to tensor<4x256xi32>
  %both = arith.addi %count, %k : tensor<4x256xi32>
  %c = scan.associative ins(%both : tensor<4x256xi32>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<4x256xi32>

  %empty = tensor.empty() : tensor<4x256xf32>
  %y = linalg.generic {indexing_maps = [#bt, #bt, #b, #bt], iterator_types = ["parallel", "parallel"]}
      ins(%p, %h, %last : tensor<4x256xf32>, tensor<4x256xf32>, tensor<4xf32>) outs(%empty : tensor<4x256xf32>) {
  ^bb0(%pe: f32, %he: f32, %le: f32, %out: f32):
    %m = arith.mulf %pe, %he : f32
    %r = arith.addf %m, %le : f32
    linalg.yield %r : f32
  } -> tensor<4x256xf32>
  return %y, %last, %c : tensor<4x256xf32>, tensor<4xf32>, tensor<4x256xi32>
}
