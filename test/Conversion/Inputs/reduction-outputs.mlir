// Kernels with reduction outputs, which leave out dimensions. The line before
// a function says its inputs; N is an extent to be tried.

// Reductions in every position, from columns.
// run: random:f32:3xNx37:1 random:f32:3xNx37:2 random:f32:3xNx37:3 random:f32::4 random:f32:3:5 random:f32:N:6 random:f32:3xN:7 random:f32:37:8 random:f32:3x37:9 random:f32:Nx37:10
func.func @columns(%a: tensor<3x?x37xf32>, %b: tensor<3x?x37xf32>, %y: tensor<3x?x37xf32>, %s0: tensor<f32>, %s1: tensor<3xf32>, %s2: tensor<?xf32>, %s3: tensor<3x?xf32>, %s4: tensor<37xf32>, %s5: tensor<3x37xf32>, %s6: tensor<?x37xf32>)
    -> (tensor<3x?x37xf32>, tensor<f32>, tensor<3xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<37xf32>, tensor<3x37xf32>, tensor<?x37xf32>) {
  %0:8 = scan.kernel dim = 1
      ins(%a, %b : tensor<3x?x37xf32>, tensor<3x?x37xf32>)
      outs(%y, %s0, %s1, %s2, %s3, %s4, %s5, %s6 : tensor<3x?x37xf32>, tensor<f32>, tensor<3xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<37xf32>, tensor<3x37xf32>, tensor<?x37xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>,
            affine_map<(b, t, c) -> (b, t, c)>,
            affine_map<(b, t, c) -> (b, t, c)>,
            affine_map<(b, t, c) -> ()>,
            affine_map<(b, t, c) -> (b)>,
            affine_map<(b, t, c) -> (t)>,
            affine_map<(b, t, c) -> (b, t)>,
            affine_map<(b, t, c) -> (c)>,
            affine_map<(b, t, c) -> (b, c)>,
            affine_map<(b, t, c) -> (t, c)>]
      load {
      ^bb0(%x: f32, %z: f32):
        scan.yield %x, %z : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %a2 = arith.mulf %a0, %a1 : f32
        %p = arith.mulf %a1, %b0 : f32
        %b2 = arith.addf %p, %b1 : f32
        scan.yield %a2, %b2 : f32, f32
      } store {
      ^bb0(%in0: f32, %in1: f32, %ex0: f32, %ex1: f32, %x: f32, %z: f32):
        %g = arith.mulf %in1, %x : f32
        %e = arith.addf %in1, %z : f32
        scan.yield %in1, %e, %g, %e, %g, %e, %g, %e : f32, f32, f32, f32, f32, f32, f32, f32
      } -> tensor<3x?x37xf32>, tensor<f32>, tensor<3xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<37xf32>, tensor<3x37xf32>, tensor<?x37xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<3x?x37xf32>, tensor<f32>, tensor<3xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<37xf32>, tensor<3x37xf32>, tensor<?x37xf32>
}

// Backwards from an initial state, with dynamic extents.
// run: random:f64:Nx6xN:1 random:f64:Nx6xN:2 random:f64:NxN:3 random:f64:Nx6xN:4 random:f64::5 random:f64:N:6 random:f64:6:7 random:f64:Nx6:8 random:f64:N:9 random:f64:NxN:10 random:f64:6xN:11
func.func @columns_reverse(%a: tensor<?x6x?xf64>, %b: tensor<?x6x?xf64>, %i: tensor<?x?xf64>, %y: tensor<?x6x?xf64>, %s0: tensor<f64>, %s1: tensor<?xf64>, %s2: tensor<6xf64>, %s3: tensor<?x6xf64>, %s4: tensor<?xf64>, %s5: tensor<?x?xf64>, %s6: tensor<6x?xf64>)
    -> (tensor<?x6x?xf64>, tensor<f64>, tensor<?xf64>, tensor<6xf64>, tensor<?x6xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<6x?xf64>) {
  %0:8 = scan.kernel dim = 1 reverse
      ins(%a, %b : tensor<?x6x?xf64>, tensor<?x6x?xf64>) init(%i : tensor<?x?xf64>)
      outs(%y, %s0, %s1, %s2, %s3, %s4, %s5, %s6 : tensor<?x6x?xf64>, tensor<f64>, tensor<?xf64>, tensor<6xf64>, tensor<?x6xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<6x?xf64>)
      maps [affine_map<(b, t, c) -> (b, t, c)>,
            affine_map<(b, t, c) -> (b, t, c)>,
            affine_map<(b, t, c) -> (b, c)>,
            affine_map<(b, t, c) -> (b, t, c)>,
            affine_map<(b, t, c) -> ()>,
            affine_map<(b, t, c) -> (b)>,
            affine_map<(b, t, c) -> (t)>,
            affine_map<(b, t, c) -> (b, t)>,
            affine_map<(b, t, c) -> (c)>,
            affine_map<(b, t, c) -> (b, c)>,
            affine_map<(b, t, c) -> (t, c)>]
      load {
      ^bb0(%x: f64, %z: f64):
        scan.yield %x, %z : f64, f64
      } initialize {
      ^bb0(%h: f64):
        scan.yield %h, %h : f64, f64
      } combine {
      ^bb0(%a0: f64, %b0: f64, %a1: f64, %b1: f64):
        %a2 = arith.mulf %a0, %a1 : f64
        %p = arith.mulf %a1, %b0 : f64
        %b2 = arith.addf %p, %b1 : f64
        scan.yield %a2, %b2 : f64, f64
      } store {
      ^bb0(%in0: f64, %in1: f64, %ex0: f64, %ex1: f64, %x: f64, %z: f64):
        %g = arith.mulf %in1, %x : f64
        %e = arith.addf %ex1, %z : f64
        scan.yield %in1, %e, %g, %e, %g, %e, %g, %e : f64, f64, f64, f64, f64, f64, f64, f64
      } -> tensor<?x6x?xf64>, tensor<f64>, tensor<?xf64>, tensor<6xf64>, tensor<?x6xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<6x?xf64>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<?x6x?xf64>, tensor<f64>, tensor<?xf64>, tensor<6xf64>, tensor<?x6xf64>, tensor<?xf64>, tensor<?x?xf64>, tensor<6x?xf64>
}

// Rows.
// run: random:f32:3x7xN:1 random:f32:3x7xN:2 random:f32:3x7xN:3 random:f32::4 random:f32:3:5 random:f32:7:6 random:f32:3x7:7 random:f32:N:8 random:f32:3xN:9 random:f32:7xN:10
func.func @rows(%a: tensor<3x7x?xf32>, %b: tensor<3x7x?xf32>, %y: tensor<3x7x?xf32>, %s0: tensor<f32>, %s1: tensor<3xf32>, %s2: tensor<7xf32>, %s3: tensor<3x7xf32>, %s4: tensor<?xf32>, %s5: tensor<3x?xf32>, %s6: tensor<7x?xf32>)
    -> (tensor<3x7x?xf32>, tensor<f32>, tensor<3xf32>, tensor<7xf32>, tensor<3x7xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<7x?xf32>) {
  %0:8 = scan.kernel dim = 2
      ins(%a, %b : tensor<3x7x?xf32>, tensor<3x7x?xf32>)
      outs(%y, %s0, %s1, %s2, %s3, %s4, %s5, %s6 : tensor<3x7x?xf32>, tensor<f32>, tensor<3xf32>, tensor<7xf32>, tensor<3x7xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<7x?xf32>)
      maps [affine_map<(b, c, t) -> (b, c, t)>,
            affine_map<(b, c, t) -> (b, c, t)>,
            affine_map<(b, c, t) -> (b, c, t)>,
            affine_map<(b, c, t) -> ()>,
            affine_map<(b, c, t) -> (b)>,
            affine_map<(b, c, t) -> (c)>,
            affine_map<(b, c, t) -> (b, c)>,
            affine_map<(b, c, t) -> (t)>,
            affine_map<(b, c, t) -> (b, t)>,
            affine_map<(b, c, t) -> (c, t)>]
      load {
      ^bb0(%x: f32, %z: f32):
        scan.yield %x, %z : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %a2 = arith.mulf %a0, %a1 : f32
        %p = arith.mulf %a1, %b0 : f32
        %b2 = arith.addf %p, %b1 : f32
        scan.yield %a2, %b2 : f32, f32
      } store {
      ^bb0(%in0: f32, %in1: f32, %ex0: f32, %ex1: f32, %x: f32, %z: f32):
        %g = arith.mulf %in1, %x : f32
        %e = arith.addf %in1, %z : f32
        scan.yield %in1, %e, %g, %e, %g, %e, %g, %e : f32, f32, f32, f32, f32, f32, f32, f32
      } -> tensor<3x7x?xf32>, tensor<f32>, tensor<3xf32>, tensor<7xf32>, tensor<3x7xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<7x?xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<3x7x?xf32>, tensor<f32>, tensor<3xf32>, tensor<7xf32>, tensor<3x7xf32>, tensor<?xf32>, tensor<3x?xf32>, tensor<7x?xf32>
}

// Rows of integers, backwards.
// run: random:i32:Nx6xN:1 random:i32:Nx6xN:2 random:i32:Nx6:3 random:i32:Nx6xN:4 random:i32::5 random:i32:N:6 random:i32:6:7 random:i32:Nx6:8 random:i32:N:9 random:i32:NxN:10 random:i32:6xN:11
func.func @rows_reverse(%a: tensor<?x6x?xi32>, %b: tensor<?x6x?xi32>, %i: tensor<?x6xi32>, %y: tensor<?x6x?xi32>, %s0: tensor<i32>, %s1: tensor<?xi32>, %s2: tensor<6xi32>, %s3: tensor<?x6xi32>, %s4: tensor<?xi32>, %s5: tensor<?x?xi32>, %s6: tensor<6x?xi32>)
    -> (tensor<?x6x?xi32>, tensor<i32>, tensor<?xi32>, tensor<6xi32>, tensor<?x6xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<6x?xi32>) {
  %0:8 = scan.kernel dim = 2 reverse
      ins(%a, %b : tensor<?x6x?xi32>, tensor<?x6x?xi32>) init(%i : tensor<?x6xi32>)
      outs(%y, %s0, %s1, %s2, %s3, %s4, %s5, %s6 : tensor<?x6x?xi32>, tensor<i32>, tensor<?xi32>, tensor<6xi32>, tensor<?x6xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<6x?xi32>)
      maps [affine_map<(b, c, t) -> (b, c, t)>,
            affine_map<(b, c, t) -> (b, c, t)>,
            affine_map<(b, c, t) -> (b, c)>,
            affine_map<(b, c, t) -> (b, c, t)>,
            affine_map<(b, c, t) -> ()>,
            affine_map<(b, c, t) -> (b)>,
            affine_map<(b, c, t) -> (c)>,
            affine_map<(b, c, t) -> (b, c)>,
            affine_map<(b, c, t) -> (t)>,
            affine_map<(b, c, t) -> (b, t)>,
            affine_map<(b, c, t) -> (c, t)>]
      load {
      ^bb0(%x: i32, %z: i32):
        scan.yield %x, %z : i32, i32
      } initialize {
      ^bb0(%h: i32):
        scan.yield %h, %h : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a2 = arith.muli %a0, %a1 : i32
        %p = arith.muli %a1, %b0 : i32
        %b2 = arith.addi %p, %b1 : i32
        scan.yield %a2, %b2 : i32, i32
      } store {
      ^bb0(%in0: i32, %in1: i32, %ex0: i32, %ex1: i32, %x: i32, %z: i32):
        %g = arith.muli %in1, %x : i32
        %e = arith.addi %ex1, %z : i32
        scan.yield %in1, %e, %g, %e, %g, %e, %g, %e : i32, i32, i32, i32, i32, i32, i32, i32
      } -> tensor<?x6x?xi32>, tensor<i32>, tensor<?xi32>, tensor<6xi32>, tensor<?x6xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<6x?xi32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<?x6x?xi32>, tensor<i32>, tensor<?xi32>, tensor<6xi32>, tensor<?x6xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<6x?xi32>
}

// Complex numbers.
// run: random:c64:Nx9:1 random:c64:Nx9:2 random:c64:Nx9:3 random:c64::4 random:c64:N:5 random:c64:9:6
func.func @first(%a: tensor<?x9xcomplex<f32>>, %b: tensor<?x9xcomplex<f32>>, %y: tensor<?x9xcomplex<f32>>, %s0: tensor<complex<f32>>, %s1: tensor<?xcomplex<f32>>, %s2: tensor<9xcomplex<f32>>)
    -> (tensor<?x9xcomplex<f32>>, tensor<complex<f32>>, tensor<?xcomplex<f32>>, tensor<9xcomplex<f32>>) {
  %0:4 = scan.kernel dim = 0 reverse
      ins(%a, %b : tensor<?x9xcomplex<f32>>, tensor<?x9xcomplex<f32>>)
      outs(%y, %s0, %s1, %s2 : tensor<?x9xcomplex<f32>>, tensor<complex<f32>>, tensor<?xcomplex<f32>>, tensor<9xcomplex<f32>>)
      maps [affine_map<(t, c) -> (t, c)>,
            affine_map<(t, c) -> (t, c)>,
            affine_map<(t, c) -> (t, c)>,
            affine_map<(t, c) -> ()>,
            affine_map<(t, c) -> (t)>,
            affine_map<(t, c) -> (c)>]
      load {
      ^bb0(%x: complex<f32>, %z: complex<f32>):
        scan.yield %x, %z : complex<f32>, complex<f32>
      } combine {
      ^bb0(%a0: complex<f32>, %b0: complex<f32>, %a1: complex<f32>, %b1: complex<f32>):
        %a2 = complex.mul %a0, %a1 : complex<f32>
        %p = complex.mul %a1, %b0 : complex<f32>
        %b2 = complex.add %p, %b1 : complex<f32>
        scan.yield %a2, %b2 : complex<f32>, complex<f32>
      } store {
      ^bb0(%in0: complex<f32>, %in1: complex<f32>, %ex0: complex<f32>, %ex1: complex<f32>, %x: complex<f32>, %z: complex<f32>):
        %g = complex.mul %in1, %x : complex<f32>
        %e = complex.add %in1, %z : complex<f32>
        scan.yield %in1, %e, %g, %e : complex<f32>, complex<f32>, complex<f32>, complex<f32>
      } -> tensor<?x9xcomplex<f32>>, tensor<complex<f32>>, tensor<?xcomplex<f32>>, tensor<9xcomplex<f32>>
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x9xcomplex<f32>>, tensor<complex<f32>>, tensor<?xcomplex<f32>>, tensor<9xcomplex<f32>>
}

// No other dimension than the scanned one.
// run: random:i64:N:1 random:i64:N:2 random:i64::3 random:i64:N:4 random:i64::5
func.func @line(%a: tensor<?xi64>, %b: tensor<?xi64>, %i: tensor<i64>, %y: tensor<?xi64>, %s0: tensor<i64>)
    -> (tensor<?xi64>, tensor<i64>) {
  %0:2 = scan.kernel dim = 0 reverse
      ins(%a, %b : tensor<?xi64>, tensor<?xi64>) init(%i : tensor<i64>)
      outs(%y, %s0 : tensor<?xi64>, tensor<i64>)
      maps [affine_map<(t) -> (t)>,
            affine_map<(t) -> (t)>,
            affine_map<(t) -> ()>,
            affine_map<(t) -> (t)>,
            affine_map<(t) -> ()>]
      load {
      ^bb0(%x: i64, %z: i64):
        scan.yield %x, %z : i64, i64
      } initialize {
      ^bb0(%h: i64):
        scan.yield %h, %h : i64, i64
      } combine {
      ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
        %a2 = arith.muli %a0, %a1 : i64
        %p = arith.muli %a1, %b0 : i64
        %b2 = arith.addi %p, %b1 : i64
        scan.yield %a2, %b2 : i64, i64
      } store {
      ^bb0(%in0: i64, %in1: i64, %ex0: i64, %ex1: i64, %x: i64, %z: i64):
        %g = arith.muli %in1, %x : i64
        %e = arith.addi %ex1, %z : i64
        scan.yield %in1, %e : i64, i64
      } -> tensor<?xi64>, tensor<i64>
  return %0#0, %0#1 : tensor<?xi64>, tensor<i64>
}

// Reduction outputs of several elements each, beside a final state and without an output.
// run: random:f32:2xNx5:1 random:f32:5x3:2 zeros:f32:2x5 random:f32:5x3:3 random:f32:3:4
func.func @trailing(%x: tensor<2x?x5xf32>, %w: tensor<5x3xf32>, %l: tensor<2x5xf32>, %s: tensor<5x3xf32>, %r: tensor<3xf32>)
    -> (tensor<5x3xf32>, tensor<3xf32>, tensor<2x5xf32>) {
  %0:3 = scan.kernel dim = 1
      ins(%x, %w : tensor<2x?x5xf32>, tensor<5x3xf32>) outs(%s, %r : tensor<5x3xf32>, tensor<3xf32>)
      finals(%l : tensor<2x5xf32>)
      maps [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>, affine_map<(b, t, c) -> (c)>,
            affine_map<(b, t, c) -> ()>, affine_map<(b, t, c) -> (b, c)>]
      load {
      ^bb0(%e: f32, %w0: f32, %w1: f32, %w2: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.addf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %w0: f32, %w1: f32, %w2: f32):
        %p0 = arith.mulf %in, %w0 : f32
        %p1 = arith.mulf %in, %w1 : f32
        %p2 = arith.mulf %in, %w2 : f32
        %q1 = arith.addf %p1, %e : f32
        scan.yield %p0, %p1, %p2, %in, %q1, %p2 : f32, f32, f32, f32, f32, f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<5x3xf32>, tensor<3xf32>, tensor<2x5xf32>
  return %0#0, %0#1, %0#2 : tensor<5x3xf32>, tensor<3xf32>, tensor<2x5xf32>
}

// Bidirectional: a reduction output of each direction, and one of what depends on both.
// run: random:f32:3xN:1 random:f32:3:2 random:f32:N:3 random:f32::4
func.func @bidirectional(%x: tensor<3x?xf32>, %s: tensor<3xf32>, %r: tensor<?xf32>, %q: tensor<f32>)
    -> (tensor<3xf32>, tensor<?xf32>, tensor<f32>) {
  %0:3 = scan.kernel dim = 1
      ins(%x : tensor<3x?xf32>) outs(%s, %r, %q : tensor<3xf32>, tensor<?xf32>, tensor<f32>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b)>, affine_map<(b, t) -> (t)>,
            affine_map<(b, t) -> ()>]
      attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%acc0: f32, %acc1: f32, %new0: f32, %new1: f32):
        %s0 = arith.addf %acc0, %new0 : f32
        %s1 = arith.maximumf %acc1, %new1 : f32
        scan.yield %s0, %s1 : f32, f32
      } store {
      ^bb0(%up_to: f32, %from: f32, %before: f32, %behind: f32, %e: f32):
        %p = arith.mulf %up_to, %from : f32
        scan.yield %up_to, %from, %p : f32, f32, f32
      } -> tensor<3xf32>, tensor<?xf32>, tensor<f32>
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<?xf32>, tensor<f32>
}

// What is added to is also an input, and another reduction starts from it.
// run: random:f32:N:1 random:f32:6xN:2
func.func @shared(%s: tensor<?xf32>, %x: tensor<6x?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:2 = scan.kernel dim = 0
      ins(%x, %s : tensor<6x?xf32>, tensor<?xf32>) outs(%s, %s : tensor<?xf32>, tensor<?xf32>)
      maps [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (c)>, affine_map<(t, c) -> (c)>,
            affine_map<(t, c) -> (c)>]
      load {
      ^bb0(%e: f32, %f: f32):
        %l = arith.addf %e, %f : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %n = arith.maximumf %acc, %new : f32
        scan.yield %n : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32):
        %d = arith.subf %in, %f : f32
        scan.yield %in, %d : f32, f32
      } -> tensor<?xf32>, tensor<?xf32>
  return %0#0, %0#1, %s : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

