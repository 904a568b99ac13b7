// Rows, several at a time, whose extents are no multiples of anything.

// 0x5 1x1 7x33 9x0 300x70 -> 2: random:i32:S:1
func.func @rows(%x: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %y, %last = scan.associative ins(%x : tensor<?x?xi32>) dim = 1 reverse {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>, tensor<?xi32>
  return %y, %last : tensor<?x?xi32>, tensor<?xi32>
}

// In three dimensions, in order, by an operator that is not associative.

// 3x5x7 2x0x3 1x9x40 -> 1: random:i16:S:1
func.func @in_order(%x: tensor<?x?x?xi16>) -> tensor<?x?x?xi16> {
  %y = scan.associative ins(%x : tensor<?x?x?xi16>) dim = 2 attributes {order = #scan.order<sequential>} {
  ^bb0(%acc: i16, %new: i16):
    %s = arith.subi %new, %acc : i16
    scan.yield %s : i16
  } -> tensor<?x?x?xi16>
  return %y : tensor<?x?x?xi16>
}

// Where threads must not change the bits, and rounding would show it.

// 5x1000 37x65 -> 1: random:f32:S:1
func.func @deterministic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 attributes {order = #scan.order<deterministic>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Blocks of columns, the last of them not full.

// 3x5x37 1x4x1000 2x3x4100 1x0x300 -> 2: random:f32:S:1 random:f32:S:2
func.func @columns(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 reverse -> tensor<?x?x?xf32>, tensor<?x?xf32>
  return %h, %last : tensor<?x?x?xf32>, tensor<?x?xf32>
}

// Columns alone, and code that is the same at each step.

// 3x700 9x1 -> 1: random:bf16:S:1 random:f32:S0:2
func.func @decays(%x: tensor<?x?xbf16>, %d: tensor<?xf32>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %t = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%n, %t) : tensor<?x?xbf16>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<?xf32>) outs(%empty : tensor<?x?xbf16>) {
  ^bb0(%e: f32, %o: bf16):
    %m = math.exp %e : f32
    %half = arith.constant 3.0 : f32
    %q = arith.divf %m, %half : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?xbf16>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) dim = 1 -> tensor<?x?xbf16>
  return %h : tensor<?x?xbf16>
}

// Matrices do not commute, and have no vectors.

// 5x9x2x2 3x0x2x2 -> 2: random:f64:S:1
func.func @matrices(%m: tensor<?x?x2x2xf64>) -> (tensor<?x?x2x2xf64>, tensor<?x2x2xf64>) {
  %y, %last = scan.associative ins(%m : tensor<?x?x2x2xf64>) dim = 1 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%new, %acc : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x?x2x2xf64>, tensor<?x2x2xf64>
  return %y, %last : tensor<?x?x2x2xf64>, tensor<?x2x2xf64>
}

// One scan after the other, the second one in place.

// 9x37 70x70 -> 1: random:f32:S:1
func.func @chain(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %z = scan.associative ins(%y : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.maximumf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// One row has nothing to divide.

// 1000 -> 1: random:i64:S:1
func.func @one(%x: tensor<?xi64>) -> tensor<?xi64> {
  %y = scan.associative ins(%x : tensor<?xi64>) dim = 0 {
  ^bb0(%acc: i64, %new: i64):
    %s = arith.addi %acc, %new : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// A division, which may have to stop the program, stays where it can.

// 6x30 -> 1: random:i32:S:1:1:9
func.func @quotients(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) dim = 1 attributes {order = #scan.order<sequential>} {
  ^bb0(%acc: i32, %new: i32):
    %q = arith.divsi %new, %new : i32
    %s = arith.addi %acc, %q : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
