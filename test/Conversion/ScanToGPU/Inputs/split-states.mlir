// States in four equal parts, which two or four threads of a warp share. Linear
// recurrences, which are not commutative; the parts are joined by sums.

#btc = affine_map<(b, t, c) -> (b, t, c)>
#bt = affine_map<(b, t, c) -> (b, t)>
#bc = affine_map<(b, t, c) -> (b, c)>
#c = affine_map<(b, t, c) -> (c)>
#none = affine_map<(b, t, c) -> ()>

// Coefficients of each channel, inputs of each step, a state of each part before the first
// step and after the last one; a sum that begins with what all parts share.
// run: random:f32:2xNx24:1 random:f32:2xNx4:2 random:f32:24x4:3:0:1 random:f32:2xNx4:4 random:f32:2x24x4:5 random:f32:24:6
func.func @layer(%u: tensor<?x?x?xf32>, %b: tensor<?x?x4xf32>, %a: tensor<?x4xf32>,
                 %c: tensor<?x?x4xf32>, %h: tensor<?x?x4xf32>, %d: tensor<?xf32>)
    -> (tensor<?x?x?xf32>, tensor<?x?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xf32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xf32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xf32>
  %last = tensor.empty(%n0, %n2) : tensor<?x?x4xf32>
  %r, %f = scan.kernel dim = 1
      ins(%u, %b, %a, %c, %d : tensor<?x?x?xf32>, tensor<?x?x4xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>, tensor<?xf32>)
      init(%h : tensor<?x?x4xf32>) outs(%y : tensor<?x?x?xf32>) finals(%last : tensor<?x?x4xf32>)
      maps [#btc, #bt, #c, #bt, #c, #bc, #btc, #bc] attributes {order = #scan.order<deterministic>}
      load {
      ^bb0(%ut: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32,
           %a0: f32, %a1: f32, %a2: f32, %a3: f32,
           %w0: f32, %w1: f32, %w2: f32, %w3: f32, %dc: f32):
        %g = math.exp %ut : f32
        %x0 = arith.mulf %g, %b0 : f32
        %x1 = arith.mulf %g, %b1 : f32
        %x2 = arith.mulf %g, %b2 : f32
        %x3 = arith.mulf %g, %b3 : f32
        scan.yield %a0, %x0, %a1, %x1, %a2, %x2, %a3, %x3
            : f32, f32, f32, f32, f32, f32, f32, f32
      } initialize {
      ^bb0(%h0: f32, %h1: f32, %h2: f32, %h3: f32):
        %one = arith.constant 1.0 : f32
        scan.yield %one, %h0, %one, %h1, %one, %h2, %one, %h3
            : f32, f32, f32, f32, f32, f32, f32, f32
      } combine {
      ^bb0(%a0e: f32, %h0e: f32, %a1e: f32, %h1e: f32,
           %a2e: f32, %h2e: f32, %a3e: f32, %h3e: f32,
           %a0l: f32, %h0l: f32, %a1l: f32, %h1l: f32,
           %a2l: f32, %h2l: f32, %a3l: f32, %h3l: f32):
        %a0 = arith.mulf %a0l, %a0e : f32
        %p0 = arith.mulf %a0l, %h0e : f32
        %h0 = arith.addf %p0, %h0l : f32
        %a1 = arith.mulf %a1l, %a1e : f32
        %p1 = arith.mulf %a1l, %h1e : f32
        %h1 = arith.addf %p1, %h1l : f32
        %a2 = arith.mulf %a2l, %a2e : f32
        %p2 = arith.mulf %a2l, %h2e : f32
        %h2 = arith.addf %p2, %h2l : f32
        %a3 = arith.mulf %a3l, %a3e : f32
        %p3 = arith.mulf %a3l, %h3e : f32
        %h3 = arith.addf %p3, %h3l : f32
        scan.yield %a0, %h0, %a1, %h1, %a2, %h2, %a3, %h3
            : f32, f32, f32, f32, f32, f32, f32, f32
      } store {
      ^bb0(%a0i: f32, %h0i: f32, %a1i: f32, %h1i: f32,
           %a2i: f32, %h2i: f32, %a3i: f32, %h3i: f32,
           %a0x: f32, %h0x: f32, %a1x: f32, %h1x: f32,
           %a2x: f32, %h2x: f32, %a3x: f32, %h3x: f32,
           %ut: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32,
           %a0: f32, %a1: f32, %a2: f32, %a3: f32,
           %w0: f32, %w1: f32, %w2: f32, %w3: f32, %dc: f32):
        %skip = arith.mulf %dc, %ut : f32
        %p0 = arith.mulf %w0, %h0i : f32
        %s0 = arith.addf %p0, %skip : f32
        %p1 = arith.mulf %w1, %h1i : f32
        %s1 = arith.addf %s0, %p1 : f32
        %p2 = arith.mulf %w2, %h2i : f32
        %s2 = arith.addf %s1, %p2 : f32
        %p3 = arith.mulf %w3, %h3i : f32
        %s3 = arith.addf %s2, %p3 : f32
        %gated = arith.mulf %s3, %ut : f32
        scan.yield %gated : f32
      } finalize {
      ^bb0(%a0e: f32, %h0e: f32, %a1e: f32, %h1e: f32,
           %a2e: f32, %h2e: f32, %a3e: f32, %h3e: f32):
        scan.yield %h0e, %h1e, %h2e, %h3e : f32, f32, f32, f32
      } -> tensor<?x?x?xf32>, tensor<?x?x4xf32>
  return %r, %f : tensor<?x?x?xf32>, tensor<?x?x4xf32>
}

// In reverse; elements of 16 bits, and elements of each part that lie channel by channel;
// two sums, one of the states before each step; leaves in another order.
// run: random:bf16:2xNx21:1 random:bf16:2xNx21x4:2:0:1 random:bf16:2xNx4:3
func.func @reverse(%u: tensor<?x?x?xbf16>, %a: tensor<?x?x?x4xbf16>, %b: tensor<?x?x4xbf16>)
    -> (tensor<?x?x?xbf16>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xbf16>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xbf16>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xbf16>
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xbf16>
  %z = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xf32>
  %r0, %r1 = scan.kernel dim = 1 reverse
      ins(%u, %a, %b : tensor<?x?x?xbf16>, tensor<?x?x?x4xbf16>, tensor<?x?x4xbf16>)
      init(%zero : f32) outs(%y, %z : tensor<?x?x?xbf16>, tensor<?x?x?xf32>)
      maps [#btc, #btc, #bt, #none, #btc, #btc] attributes {order = #scan.order<any>}
      load {
      ^bb0(%ut: bf16, %a0: bf16, %a1: bf16, %a2: bf16, %a3: bf16,
           %b0: bf16, %b1: bf16, %b2: bf16, %b3: bf16):
        %uw = arith.extf %ut : bf16 to f32
        %aw0 = arith.extf %a0 : bf16 to f32
        %bw0 = arith.extf %b0 : bf16 to f32
        %x0 = arith.mulf %uw, %bw0 : f32
        %aw1 = arith.extf %a1 : bf16 to f32
        %bw1 = arith.extf %b1 : bf16 to f32
        %x1 = arith.mulf %uw, %bw1 : f32
        %aw2 = arith.extf %a2 : bf16 to f32
        %bw2 = arith.extf %b2 : bf16 to f32
        %x2 = arith.mulf %uw, %bw2 : f32
        %aw3 = arith.extf %a3 : bf16 to f32
        %bw3 = arith.extf %b3 : bf16 to f32
        %x3 = arith.mulf %uw, %bw3 : f32
        scan.yield %aw0, %aw1, %aw2, %aw3, %x0, %x1, %x2, %x3
            : f32, f32, f32, f32, f32, f32, f32, f32
      } initialize {
      ^bb0(%h: f32):
        %one = arith.constant 1.0 : f32
        scan.yield %one, %one, %one, %one, %h, %h, %h, %h
            : f32, f32, f32, f32, f32, f32, f32, f32
      } combine {
      ^bb0(%a0e: f32, %a1e: f32, %a2e: f32, %a3e: f32,
           %h0e: f32, %h1e: f32, %h2e: f32, %h3e: f32,
           %a0l: f32, %a1l: f32, %a2l: f32, %a3l: f32,
           %h0l: f32, %h1l: f32, %h2l: f32, %h3l: f32):
        %a0 = arith.mulf %a0l, %a0e : f32
        %p0 = arith.mulf %a0l, %h0e : f32
        %h0 = arith.addf %p0, %h0l : f32
        %a1 = arith.mulf %a1l, %a1e : f32
        %p1 = arith.mulf %a1l, %h1e : f32
        %h1 = arith.addf %p1, %h1l : f32
        %a2 = arith.mulf %a2l, %a2e : f32
        %p2 = arith.mulf %a2l, %h2e : f32
        %h2 = arith.addf %p2, %h2l : f32
        %a3 = arith.mulf %a3l, %a3e : f32
        %p3 = arith.mulf %a3l, %h3e : f32
        %h3 = arith.addf %p3, %h3l : f32
        scan.yield %a0, %a1, %a2, %a3, %h0, %h1, %h2, %h3
            : f32, f32, f32, f32, f32, f32, f32, f32
      } store {
      ^bb0(%a0i: f32, %a1i: f32, %a2i: f32, %a3i: f32,
           %h0i: f32, %h1i: f32, %h2i: f32, %h3i: f32,
           %a0x: f32, %a1x: f32, %a2x: f32, %a3x: f32,
           %h0x: f32, %h1x: f32, %h2x: f32, %h3x: f32,
           %ut: bf16, %a0: bf16, %a1: bf16, %a2: bf16, %a3: bf16,
           %b0: bf16, %b1: bf16, %b2: bf16, %b3: bf16):
        %s1 = arith.addf %h0i, %h1i : f32
        %s2 = arith.addf %h2i, %h3i : f32
        %s = arith.addf %s1, %s2 : f32
        %t1 = arith.addf %h0x, %h1x : f32
        %t2 = arith.addf %t1, %h2x : f32
        %t = arith.addf %t2, %h3x : f32
        %uw = arith.extf %ut : bf16 to f32
        %m = arith.mulf %s, %uw : f32
        %n = arith.addf %m, %t : f32
        %o = arith.truncf %m : f32 to bf16
        scan.yield %o, %n : bf16, f32
      } -> tensor<?x?x?xbf16>, tensor<?x?x?xf32>
  return %r0, %r1 : tensor<?x?x?xbf16>, tensor<?x?x?xf32>
}

// Integers, exactly: an input that all parts share is seen one step late, and a part of
// each step two steps late.
// run: random:i32:2xNx21:1 random:i32:2xNx4:2 random:i32:4:3 random:i32::4
func.func @shifted(%u: tensor<?x?x?xi32>, %b: tensor<?x?x4xi32>, %e: tensor<4xi32>, %s: i32)
    -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %r = scan.kernel dim = 1
      ins(%u, %u, %b, %e, %s : tensor<?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x4xi32>, tensor<4xi32>, i32)
      init(%s : i32) outs(%y : tensor<?x?x?xi32>)
      maps [#btc, #btc, #bt, #none, #none, #none, #btc] attributes {boundaries = array<i64: -1, 4, 3, -1, -1>, shifts = array<i64: 0, 1, 2, 0, 0>}
      load {
      ^bb0(%ut: i32, %late: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32,
           %e0: i32, %e1: i32, %e2: i32, %e3: i32, %st: i32):
        %x0 = arith.muli %late, %b0 : i32
        %x1 = arith.muli %late, %b1 : i32
        %x2 = arith.muli %late, %b2 : i32
        %x3 = arith.muli %late, %b3 : i32
        scan.yield %ut, %x0, %ut, %x1, %ut, %x2, %ut, %x3
            : i32, i32, i32, i32, i32, i32, i32, i32
      } initialize {
      ^bb0(%h: i32):
        %one = arith.constant 1 : i32
        scan.yield %one, %h, %one, %h, %one, %h, %one, %h
            : i32, i32, i32, i32, i32, i32, i32, i32
      } combine {
      ^bb0(%a0e: i32, %h0e: i32, %a1e: i32, %h1e: i32,
           %a2e: i32, %h2e: i32, %a3e: i32, %h3e: i32,
           %a0l: i32, %h0l: i32, %a1l: i32, %h1l: i32,
           %a2l: i32, %h2l: i32, %a3l: i32, %h3l: i32):
        %a0 = arith.muli %a0l, %a0e : i32
        %p0 = arith.muli %a0l, %h0e : i32
        %h0 = arith.addi %p0, %h0l : i32
        %a1 = arith.muli %a1l, %a1e : i32
        %p1 = arith.muli %a1l, %h1e : i32
        %h1 = arith.addi %p1, %h1l : i32
        %a2 = arith.muli %a2l, %a2e : i32
        %p2 = arith.muli %a2l, %h2e : i32
        %h2 = arith.addi %p2, %h2l : i32
        %a3 = arith.muli %a3l, %a3e : i32
        %p3 = arith.muli %a3l, %h3e : i32
        %h3 = arith.addi %p3, %h3l : i32
        scan.yield %a0, %h0, %a1, %h1, %a2, %h2, %a3, %h3
            : i32, i32, i32, i32, i32, i32, i32, i32
      } store {
      ^bb0(%a0i: i32, %h0i: i32, %a1i: i32, %h1i: i32,
           %a2i: i32, %h2i: i32, %a3i: i32, %h3i: i32,
           %a0x: i32, %h0x: i32, %a1x: i32, %h1x: i32,
           %a2x: i32, %h2x: i32, %a3x: i32, %h3x: i32,
           %ut: i32, %late: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32,
           %e0: i32, %e1: i32, %e2: i32, %e3: i32, %st: i32):
        %p0 = arith.muli %h0i, %ut : i32
        %p1 = arith.muli %h1i, %ut : i32
        %s1 = arith.addi %p0, %p1 : i32
        %p2 = arith.muli %h2i, %ut : i32
        %s2 = arith.addi %s1, %p2 : i32
        %p3 = arith.muli %h3i, %ut : i32
        %s3 = arith.addi %s2, %p3 : i32
        %n = arith.xori %s3, %late : i32
        scan.yield %n : i32
      } -> tensor<?x?x?xi32>
  return %r : tensor<?x?x?xi32>
}
