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

// Sums that leave out every dimension but that of time: blocks of columns have copies of them.

// cut 3x5x37 1x4x1000 2x3x2100 1x0x300 2x3x0 -> 4: random:f32:S:1 random:f32:S:2 random:f32:S:3 random:f32:S0xS1:4 random:f32:S2:5 random:f32::6
func.func @partial_sums(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %h: tensor<?x?x?xf32>, %p: tensor<?x?xf32>, %q: tensor<?xf32>, %r: tensor<f32>)
    -> (tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<f32>) {
  %0:4 = scan.kernel dim = 1 reverse
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%h, %p, %q, %r : tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<f32>)
      maps [affine_map<(i, t, c) -> (i, t, c)>, affine_map<(i, t, c) -> (i, t, c)>, affine_map<(i, t, c) -> (i, t, c)>,
            affine_map<(i, t, c) -> (i, t)>, affine_map<(i, t, c) -> (c)>, affine_map<(i, t, c) -> ()>]
      load {
      ^bb0(%x: f32, %y: f32):
        scan.yield %x, %y : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %a2 = arith.mulf %a0, %a1 : f32
        %1 = arith.mulf %a1, %b0 : f32
        %b2 = arith.addf %1, %b1 : f32
        scan.yield %a2, %b2 : f32, f32
      } store {
      ^bb0(%in0: f32, %in1: f32, %ex0: f32, %ex1: f32, %x: f32, %y: f32):
        %g = arith.mulf %in1, %x : f32
        scan.yield %in1, %g, %in1, %g : f32, f32, f32, f32
      } -> tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<f32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<f32>
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

// One row in blocks, which here are tiles of 16 to 128 steps; the last of them may have one
// step. It is reduced, too, and inputs are shifted by more than a tile.

// 0 1 127 128 129 256 257 1000 4099 -> 2: random:i64:S:1
func.func @one(%x: tensor<?xi64>) -> (tensor<?xi64>, tensor<i64>) {
  %y, %last = scan.associative ins(%x : tensor<?xi64>) dim = 0 {
  ^bb0(%acc: i64, %new: i64):
    %s = arith.addi %acc, %new : i64
    scan.yield %s : i64
  } -> tensor<?xi64>, tensor<i64>
  return %y, %last : tensor<?xi64>, tensor<i64>
}

// cut 0 1 129 255 1000 4099 -> 3: random:f32:S:1:-1:1 random:f32:S:2 random:f32:S:3 random:f32::4
func.func @reverse(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %h0: tensor<f32>) -> (tensor<?xf32>, tensor<f32>, tensor<f32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) init(%h0 : tensor<f32>) dim = 0 reverse -> tensor<?xf32>, tensor<f32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%h, %c : tensor<?xf32>, tensor<?xf32>) outs(%zeros : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %h, %last, %sum : tensor<?xf32>, tensor<f32>, tensor<f32>
}

// cut 1 128 300 4099 -> 1: random:f32:S:1 random:f32:S:2
func.func @shifted(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %later = scan.shift %a boundary(%one : f32) dim = 0 by = 150 : tensor<?xf32>
  %earlier = scan.shift %b boundary(%one : f32) dim = 0 by = -3 : tensor<?xf32>
  %h = scan.linear_recurrence ins(%later, %earlier : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// What is allocated for blocks has static extents.

// cut 4099 -> 2: random:f32:S:1
func.func @extents(%x: tensor<4099xf32>) -> (tensor<4099xf32>, tensor<f32>) {
  %y, %last = scan.associative ins(%x : tensor<4099xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4099xf32>, tensor<f32>
  return %y, %last : tensor<4099xf32>, tensor<f32>
}

// Products of coefficients that overflow in a block, where no state does.

// cut 1000 -> 1: random:f32:S:1:1.5:2.5 zeros:f32:S
func.func @overflow(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// Few rows, by an operator that does not commute: 2x2 matrices of numbers modulo 2^32.

// 3x129 1x1000 2x500 -> 4: random:i32:S:1 random:i32:S:2 random:i32:S:3 random:i32:S:4
func.func @modulo(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %c: tensor<?x?xi32>, %d: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %p, %q, %r, %s = scan.associative ins(%a, %b, %c, %d : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 {
  ^bb0(%a0: i32, %a1: i32, %a2: i32, %a3: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
    %m0 = arith.muli %b0, %a0 : i32
    %n0 = arith.muli %b1, %a2 : i32
    %c0 = arith.addi %m0, %n0 : i32
    %m1 = arith.muli %b0, %a1 : i32
    %n1 = arith.muli %b1, %a3 : i32
    %c1 = arith.addi %m1, %n1 : i32
    %m2 = arith.muli %b2, %a0 : i32
    %n2 = arith.muli %b3, %a2 : i32
    %c2 = arith.addi %m2, %n2 : i32
    %m3 = arith.muli %b2, %a1 : i32
    %n3 = arith.muli %b3, %a3 : i32
    %c3 = arith.addi %m3, %n3 : i32
    scan.yield %c0, %c1, %c2, %c3 : i32, i32, i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
  return %p, %q, %r, %s : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// What takes long is saved between both passes over a block.

// cut 129 1000 -> 2: random:f32:S:1 random:f32:S:2:0.1:1
func.func @softmax(%m: tensor<?xf32>, %s: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %q = scan.associative ins(%m, %s : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse {
  ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
    %max = arith.maximumf %a0, %b0 : f32
    %u = arith.subf %a0, %max : f32
    %v = arith.subf %b0, %max : f32
    %e = math.exp %u : f32
    %f = math.exp %v : f32
    %x = arith.mulf %a1, %e : f32
    %y = arith.mulf %b1, %f : f32
    %t = arith.addf %x, %y : f32
    scan.yield %max, %t : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}

// A sum over all rows.

// cut 3x1000 70x300 0x200 5x0 -> 1: random:f64:S:1
func.func @total(%x: tensor<?x?xf64>) -> tensor<f64> {
  %y = scan.associative ins(%x : tensor<?x?xf64>) dim = 1 {
  ^bb0(%acc: f64, %new: f64):
    %s = arith.maximumf %acc, %new : f64
    scan.yield %s : f64
  } -> tensor<?x?xf64>
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<f64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<f64>) -> tensor<f64>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%y : tensor<?x?xf64>) outs(%zeros : tensor<f64>) {
  ^bb0(%e: f64, %o: f64):
    %t = arith.addf %o, %e : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  return %sum : tensor<f64>
}

// In both directions.

// cut 1 300 1000 -> 1: random:f32:S:1 random:f32:S:2
func.func @both(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %f = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  %g = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse -> tensor<?xf32>
  %s = arith.addf %f, %g : tensor<?xf32>
  return %s : tensor<?xf32>
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

// A batch of sequences: two rows back, against time, by a matrix; the rows of the init and
// the last rows are results, too, and so is a sum of each row.

// 9x7 1x3 70x2 0x4 3x0 -> 3: random:i32:S0xS1x5:1 random:i32:S0x2x5:2 random:i32:5x5:3
func.func @batch(%x: tensor<?x?x5xi32>, %init: tensor<?x2x5xi32>, %m: tensor<5x5xi32>)
    -> (tensor<?x?x5xi32>, tensor<?x?xi32>, tensor<?x2x5xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %init, %c0 : tensor<?x2x5xi32>
  %h, %sums, %last = scan.recurrence ins(%x : tensor<?x?x5xi32>) init(%init : tensor<?x2x5xi32>) captures(%m : tensor<5x5xi32>)
      extents(%n : index) dim = 1 reverse init_rows {
  ^bb0(%t: index, %h1: tensor<?x5xi32>, %h2: tensor<?x5xi32>, %row: tensor<?x5xi32>, %w: tensor<5x5xi32>):
    %zero = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %product = linalg.matmul ins(%h2, %w : tensor<?x5xi32>, tensor<5x5xi32>) outs(%row : tensor<?x5xi32>) -> tensor<?x5xi32>
    %next = arith.subi %product, %h1 : tensor<?x5xi32>
    %count = tensor.dim %h1, %zero : tensor<?x5xi32>
    %empty = tensor.empty(%count) : tensor<?xi32>
    %zeros = linalg.fill ins(%none : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
    %sum = linalg.reduce ins(%next : tensor<?x5xi32>) outs(%zeros : tensor<?xi32>) dimensions = [1]
      (%e: i32, %acc: i32) {
        %s = arith.addi %acc, %e : i32
        linalg.yield %s : i32
      }
    scan.yield %next, %sum : tensor<?x5xi32>, tensor<?xi32>
  } -> tensor<?x?x5xi32>, tensor<?x?xi32>, tensor<?x2x5xi32>
  return %h, %sums, %last : tensor<?x?x5xi32>, tensor<?x?xi32>, tensor<?x2x5xi32>
}

// Two states, of one of which the last row is a result only, and functions of sums that
// rounding would show; time is in front.

// 4x11 3x64 -> 2: random:f32:S0xS1x32:1 random:f32:1xS1x8:2 random:f32:1xS1x8:3 random:f32:8x32:4
func.func @gates(%x: tensor<?x?x32xf32>, %h0: tensor<1x?x8xf32>, %c0: tensor<1x?x8xf32>, %u: tensor<8x32xf32>)
    -> (tensor<?x?x8xf32>, tensor<1x?x8xf32>) {
  %h, %c, %hlast, %clast = scan.recurrence ins(%x : tensor<?x?x32xf32>) init(%h0, %c0 : tensor<1x?x8xf32>, tensor<1x?x8xf32>)
      captures(%u : tensor<8x32xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?x8xf32>, %c1: tensor<?x8xf32>, %row: tensor<?x32xf32>, %rec: tensor<8x32xf32>):
    %zero = arith.constant 0 : index
    %n = tensor.dim %h1, %zero : tensor<?x8xf32>
    %z = linalg.matmul ins(%h1, %rec : tensor<?x8xf32>, tensor<8x32xf32>) outs(%row : tensor<?x32xf32>) -> tensor<?x32xf32>
    %f = tensor.extract_slice %z[0, 8] [%n, 8] [1, 1] : tensor<?x32xf32> to tensor<?x8xf32>
    %g = tensor.extract_slice %z[0, 24] [%n, 8] [1, 1] : tensor<?x32xf32> to tensor<?x8xf32>
    %squashed = math.tanh %g : tensor<?x8xf32>
    %kept = arith.mulf %c1, %squashed : tensor<?x8xf32>
    %cell = arith.addf %kept, %f : tensor<?x8xf32>
    %next = math.tanh %cell : tensor<?x8xf32>
    scan.yield %next, %cell : tensor<?x8xf32>, tensor<?x8xf32>
  } -> tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>
  return %h, %clast : tensor<?x?x8xf32>, tensor<1x?x8xf32>
}

// Static extents, a part of which is of one size, heads with weights of their own, in a
// loop.

// 5 -> 1: random:f64:8xSx3x4:1 random:f64:8x1x3x4:2 random:f64:3x4x4:3
func.func @heads(%x: tensor<8x?x3x4xf64>, %init: tensor<8x1x3x4xf64>, %u: tensor<3x4x4xf64>) -> tensor<8x1x3x4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %twice = scf.for %i = %c0 to %c2 step %c1 iter_args(%start = %init) -> tensor<8x1x3x4xf64> {
    %h, %last = scan.recurrence ins(%x : tensor<8x?x3x4xf64>) init(%start : tensor<8x1x3x4xf64>) captures(%u : tensor<3x4x4xf64>) dim = 1 {
    ^bb0(%t: index, %h1: tensor<8x3x4xf64>, %row: tensor<8x3x4xf64>, %w: tensor<3x4x4xf64>):
      %z = linalg.generic {
          indexing_maps = [affine_map<(n, h, j, k) -> (n, h, k)>, affine_map<(n, h, j, k) -> (h, k, j)>, affine_map<(n, h, j, k) -> (n, h, j)>],
          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%h1, %w : tensor<8x3x4xf64>, tensor<3x4x4xf64>) outs(%row : tensor<8x3x4xf64>) {
      ^bb0(%a: f64, %b: f64, %acc: f64):
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %acc, %p : f64
        linalg.yield %s : f64
      } -> tensor<8x3x4xf64>
      scan.yield %z : tensor<8x3x4xf64>
    } -> tensor<8x?x3x4xf64>, tensor<8x1x3x4xf64>
    scf.yield %last : tensor<8x1x3x4xf64>
  }
  return %twice : tensor<8x1x3x4xf64>
}

// A step that reads what others of the batch have written stays on one thread.

// 6x5 -> 1: random:i32:S0xS1xS1:1 random:i32:1xS1xS1:2
func.func @transposed(%x: tensor<?x?x?xi32>, %init: tensor<1x?x?xi32>) -> tensor<?x?x?xi32> {
  %h = scan.recurrence ins(%x : tensor<?x?x?xi32>) init(%init : tensor<1x?x?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?x?xi32>, %row: tensor<?x?xi32>):
    %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%h1 : tensor<?x?xi32>) outs(%row : tensor<?x?xi32>) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.subi %b, %a : i32
      linalg.yield %s : i32
    } -> tensor<?x?xi32>
    scan.yield %z : tensor<?x?xi32>
  } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}
