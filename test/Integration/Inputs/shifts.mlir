// Programs with shifts, exclusive recurrences and indices. Above each function
// are its inputs; N stands for the extent of the scan dimension.

// run: random:i32:Nx5:1 random:i32:Nx5:2 random:i32:Nx5:3 random:i32:5:4 random:i32:5:5
func.func @backward_columns(%a: tensor<?x5xi32>, %dh: tensor<?x5xi32>, %h: tensor<?x5xi32>, %h0: tensor<5xi32>, %dlast: tensor<5xi32>)
    -> (tensor<?x5xi32>, tensor<?x5xi32>, tensor<5xi32>) {
  %adh = arith.muli %a, %dh : tensor<?x5xi32>
  %u, %dh0 = scan.linear_recurrence ins(%a, %adh : tensor<?x5xi32>, tensor<?x5xi32>) init(%dlast : tensor<5xi32>) dim = 0 reverse exclusive
      -> tensor<?x5xi32>, tensor<5xi32>
  %g = arith.addi %dh, %u : tensor<?x5xi32>
  %previous = scan.shift %h boundary(%h0 : tensor<5xi32>) dim = 0 by = 1 : tensor<?x5xi32>
  %da = arith.muli %g, %previous : tensor<?x5xi32>
  return %da, %g, %dh0 : tensor<?x5xi32>, tensor<?x5xi32>, tensor<5xi32>
}

// run: random:i32:3xN:1 random:i32:3xN:2 random:i32:3xN:3
func.func @backward_rows(%a: tensor<3x?xi32>, %dh: tensor<3x?xi32>, %h: tensor<3x?xi32>) -> (tensor<3x?xi32>, tensor<3x?xi32>, tensor<3xi32>) {
  %zero = arith.constant 0 : i32
  %adh = arith.muli %a, %dh : tensor<3x?xi32>
  %u, %dh0 = scan.linear_recurrence ins(%a, %adh : tensor<3x?xi32>, tensor<3x?xi32>) init(%zero : i32) dim = 1 reverse exclusive
      -> tensor<3x?xi32>, tensor<3xi32>
  %g = arith.addi %dh, %u : tensor<3x?xi32>
  %previous = scan.shift %h boundary(%zero : i32) dim = 1 by = 1 : tensor<3x?xi32>
  %da = arith.muli %g, %previous : tensor<3x?xi32>
  return %da, %g, %dh0 : tensor<3x?xi32>, tensor<3x?xi32>, tensor<3xi32>
}

// The states before and after each step, with the coefficients shared by rows.
// run: random:bf16:1xN:1 random:bf16:3xN:2 random:bf16:3:3
// tolerance: 1e-1
func.func @exclusive_bf16(%a: tensor<1x?xbf16>, %b: tensor<3x?xbf16>, %h0: tensor<3xbf16>) -> (tensor<3x?xbf16>, tensor<3xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xbf16>, tensor<3x?xbf16>) init(%h0 : tensor<3xbf16>) dim = 1 exclusive
      -> tensor<3x?xbf16>, tensor<3xbf16>
  return %h, %last : tensor<3x?xbf16>, tensor<3xbf16>
}

// run: random:c64:Nx3:1 random:c64:Nx3:2 random:c64:3:3
// tolerance: 1e-3
func.func @exclusive_complex(%a: tensor<?x3xcomplex<f32>>, %b: tensor<?x3xcomplex<f32>>, %h0: tensor<3xcomplex<f32>>) -> (tensor<?x3xcomplex<f32>>, tensor<?x3xcomplex<f32>>) {
  %p = scan.shift %b boundary(%h0 : tensor<3xcomplex<f32>>) dim = 0 by = -1 : tensor<?x3xcomplex<f32>>
  %h = scan.linear_recurrence ins(%a, %p : tensor<?x3xcomplex<f32>>, tensor<?x3xcomplex<f32>>) init(%h0 : tensor<3xcomplex<f32>>) dim = 0 exclusive
      -> tensor<?x3xcomplex<f32>>
  %g = scan.linear_recurrence ins(%a, %p : tensor<?x3xcomplex<f32>>, tensor<?x3xcomplex<f32>>) init(%h0 : tensor<3xcomplex<f32>>) dim = 0 reverse exclusive
      -> tensor<?x3xcomplex<f32>>
  return %h, %g : tensor<?x3xcomplex<f32>>, tensor<?x3xcomplex<f32>>
}

// An operator that does not commute, one leaf of which is shifted forwards, the
// other backwards, farther than small extents.
// run: random:i64:2xN:1 random:i64:2xN:2 random:i64:2:3 random:i64::5 random:i64:2:4
func.func @leaves(%a: tensor<2x?xi64>, %b: tensor<2x?xi64>, %edge: tensor<2xi64>, %other: i64, %init: tensor<2xi64>) -> (tensor<2x?xi64>, tensor<2x?xi64>, tensor<2xi64>, tensor<2xi64>) {
  %p = scan.shift %a boundary(%edge : tensor<2xi64>) dim = 1 by = 2 : tensor<2x?xi64>
  %q = scan.shift %b boundary(%other : i64) dim = 1 by = -40 : tensor<2x?xi64>
  %r:4 = scan.associative ins(%p, %q : tensor<2x?xi64>, tensor<2x?xi64>) init(%init, %edge : tensor<2xi64>, tensor<2xi64>) dim = 1 {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %c = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %d = arith.addi %t, %b1 : i64
    scan.yield %c, %d : i64, i64
  } -> tensor<2x?xi64>, tensor<2x?xi64>, tensor<2xi64>, tensor<2xi64>
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x?xi64>, tensor<2x?xi64>, tensor<2xi64>, tensor<2xi64>
}

// The same reversed, exclusive and down the columns.
// run: random:i64:Nx3:1 random:i64:Nx3:2 random:i64:3:3 random:i64::5 random:i64:3:4
func.func @leaves_reverse(%a: tensor<?x3xi64>, %b: tensor<?x3xi64>, %edge: tensor<3xi64>, %other: i64, %init: tensor<3xi64>) -> (tensor<?x3xi64>, tensor<?x3xi64>) {
  %p = scan.shift %a boundary(%edge : tensor<3xi64>) dim = 0 by = 2 : tensor<?x3xi64>
  %q = scan.shift %b boundary(%other : i64) dim = 0 by = -40 : tensor<?x3xi64>
  %r:2 = scan.associative ins(%p, %q : tensor<?x3xi64>, tensor<?x3xi64>) init(%init, %edge : tensor<3xi64>, tensor<3xi64>) dim = 0 reverse exclusive {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %c = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %d = arith.addi %t, %b1 : i64
    scan.yield %c, %d : i64, i64
  } -> tensor<?x3xi64>, tensor<?x3xi64>
  return %r#0, %r#1 : tensor<?x3xi64>, tensor<?x3xi64>
}

// One tensor at five places, the farthest of which no extent has.
// run: random:i16:N:1 random:i16:N:2 random:i16::3
func.func @places(%x: tensor<?xi16>, %a: tensor<?xi16>, %b: i16) -> tensor<?xi16> {
  %p = scan.shift %x boundary(%b : i16) dim = 0 by = 1 : tensor<?xi16>
  %q = scan.shift %x boundary(%b : i16) dim = 0 by = -1 : tensor<?xi16>
  %r = scan.shift %x boundary(%b : i16) dim = 0 by = 33 : tensor<?xi16>
  %s = scan.shift %x boundary(%b : i16) dim = 0 by = -9223372036854775808 : tensor<?xi16>
  %0 = arith.muli %x, %p : tensor<?xi16>
  %1 = arith.addi %0, %q : tensor<?xi16>
  %2 = arith.xori %1, %r : tensor<?xi16>
  %3 = arith.subi %2, %s : tensor<?xi16>
  %y = scan.linear_recurrence ins(%a, %3 : tensor<?xi16>, tensor<?xi16>) dim = 0 -> tensor<?xi16>
  return %y : tensor<?xi16>
}

// Flags, and a boundary of small matrices with one scalar.
// run: random:i1:2xN:1 random:i1:2:2 random:f64:Nx2x2:3 random:f64::4
// tolerance: 1e-9
func.func @matrices(%f: tensor<2x?xi1>, %edge: tensor<2xi1>, %m: tensor<?x2x2xf64>, %b: f64) -> (tensor<2x?xi1>, tensor<?x2x2xf64>) {
  %p = scan.shift %f boundary(%edge : tensor<2xi1>) dim = 1 by = -3 : tensor<2x?xi1>
  %y = scan.associative ins(%p : tensor<2x?xi1>) dim = 1 reverse {
  ^bb0(%l: i1, %r: i1):
    %s = arith.xori %l, %r : i1
    scan.yield %s : i1
  } -> tensor<2x?xi1>
  %q = scan.shift %m boundary(%b : f64) dim = 0 by = 1 : tensor<?x2x2xf64>
  %z = scan.associative ins(%q : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%l: tensor<2x2xf64>, %r: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %n = linalg.matmul ins(%l, %r : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    %half = arith.constant dense<0.5> : tensor<2x2xf64>
    %k = arith.mulf %n, %half : tensor<2x2xf64>
    scan.yield %k : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  return %y, %z : tensor<2x?xi1>, tensor<?x2x2xf64>
}

// Indices of the domain in every region that may have them.
// run: random:i64:Nx4:1 random:i64:4:2
func.func @indices(%x: tensor<?x4xi64>, %i: tensor<4xi64>) -> (tensor<?x4xi64>, tensor<4xi64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xi64>
  %e = tensor.empty(%n) : tensor<?x4xi64>
  %f = tensor.empty() : tensor<4xi64>
  %y:2 = scan.kernel dim = 0 reverse
      ins(%x : tensor<?x4xi64>) init(%i : tensor<4xi64>) outs(%e : tensor<?x4xi64>) finals(%f : tensor<4xi64>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
      load {
      ^bb0(%v: i64):
        %t = scan.index 0 : index
        %c = scan.index 1 : index
        %tc = arith.muli %t, %c : index
        %k = arith.index_cast %tc : index to i64
        %s = arith.addi %k, %v : i64
        scan.yield %s : i64
      } initialize {
      ^bb0(%h: i64):
        %c = scan.index 1 : index
        %k = arith.index_cast %c : index to i64
        %s = arith.muli %k, %h : i64
        scan.yield %s : i64
      } combine {
      ^bb0(%l: i64, %r: i64):
        %s = arith.addi %l, %r : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %v: i64):
        %t = scan.index 0 : index
        %c = scan.index 1 : index
        %tc = arith.subi %t, %c : index
        %k = arith.index_cast %tc : index to i64
        %s = arith.xori %in, %k : i64
        scan.yield %s : i64
      } finalize {
      ^bb0(%last: i64):
        %c = scan.index 1 : index
        %k = arith.index_cast %c : index to i64
        %s = arith.subi %last, %k : i64
        scan.yield %s : i64
      } -> tensor<?x4xi64>, tensor<4xi64>
  return %y#0, %y#1 : tensor<?x4xi64>, tensor<4xi64>
}

// The gradient of "take state t": the seed is the index, not an array.
// run: random:i32:3xN:1 random:i32:3:2 random:i64:3:3
func.func @take(%a: tensor<3x?xi32>, %seed: tensor<3xi32>, %at: tensor<3xi64>) -> tensor<3x?xi32> {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<3x?xi32>
  %e = tensor.empty(%n) : tensor<3x?xi32>
  %dh = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%seed, %at : tensor<3xi32>, tensor<3xi64>) outs(%e : tensor<3x?xi32>) {
  ^bb0(%s: i32, %k: i64, %o: i32):
    %t = linalg.index 1 : index
    %i = arith.index_cast %t : index to i64
    %seven = arith.constant 7 : i64
    %m = arith.andi %k, %seven : i64
    %is = arith.cmpi eq, %i, %m : i64
    %r = arith.select %is, %s, %zero : i32
    linalg.yield %r : i32
  } -> tensor<3x?xi32>
  %g = scan.linear_recurrence ins(%a, %dh : tensor<3x?xi32>, tensor<3x?xi32>) dim = 1 reverse -> tensor<3x?xi32>
  return %g : tensor<3x?xi32>
}

// A reduction over an inner dimension makes its points leaves: of the shifted
// input, of its boundary, and of the indices.
// run: random:i32:2xNx3:1 random:i32:2xNx3:2 random:i32:2x3:3 random:i32::4
func.func @reduced(%a: tensor<2x?x3xi32>, %x: tensor<2x?x3xi32>, %edge: tensor<2x3xi32>, %other: i32) -> tensor<2x?xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %a, %c1 : tensor<2x?x3xi32>
  %e = tensor.empty(%n) : tensor<2x?x3xi32>
  %p = scan.shift %x boundary(%edge : tensor<2x3xi32>) dim = 1 by = 1 : tensor<2x?x3xi32>
  %q = scan.shift %x boundary(%other : i32) dim = 1 by = -2 : tensor<2x?x3xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %q : tensor<2x?x3xi32>, tensor<2x?x3xi32>) outs(%e : tensor<2x?x3xi32>) {
  ^bb0(%u: i32, %v: i32, %o: i32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %k = arith.muli %i, %j : index
    %l = arith.index_cast %k : index to i32
    %s = arith.muli %u, %v : i32
    %w = arith.addi %s, %l : i32
    linalg.yield %w : i32
  } -> tensor<2x?x3xi32>
  %h = scan.linear_recurrence ins(%a, %r : tensor<2x?x3xi32>, tensor<2x?x3xi32>) dim = 1 -> tensor<2x?x3xi32>
  %f = tensor.empty(%n) : tensor<2x?xi32>
  %g = linalg.fill ins(%zero : i32) outs(%f : tensor<2x?xi32>) -> tensor<2x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h : tensor<2x?x3xi32>) outs(%g : tensor<2x?xi32>) {
  ^bb0(%u: i32, %acc: i32):
    %j = linalg.index 2 : index
    %l = arith.index_cast %j : index to i32
    %m = arith.muli %u, %l : i32
    %s = arith.addi %m, %acc : i32
    linalg.yield %s : i32
  } -> tensor<2x?xi32>
  return %y : tensor<2x?xi32>
}

// The output is to be written where the shifted input lies, and nobody else
// needs that any more: walking in place, each step would read what the one
// before has written.
// run: random:i32:Nx3:1 random:i32::2
func.func @in_place(%x: tensor<?x3xi32>, %b: i32) -> tensor<?x3xi32> {
  %y = arith.addi %x, %x : tensor<?x3xi32>
  %0 = scan.kernel dim = 0
      ins(%y, %b : tensor<?x3xi32>, i32) outs(%y : tensor<?x3xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {boundaries = array<i64: 1, -1>, shifts = array<i64: 1, 0>}
      load {
      ^bb0(%a: i32, %e: i32):
        scan.yield %a : i32
      } combine {
      ^bb0(%l: i32, %r: i32):
        %s = arith.addi %l, %r : i32
        scan.yield %s : i32
      } store {
      ^bb0(%in: i32, %ex: i32, %a: i32, %e: i32):
        scan.yield %in : i32
      } -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}
