// What a backward pass has besides (split-states.mlir): outputs with an element for each part,
// reductions, and states of each channel as inputs.

#btc = affine_map<(b, t, c) -> (b, t, c)>
#bt = affine_map<(b, t, c) -> (b, t)>
#c = affine_map<(b, t, c) -> (c)>
#none = affine_map<(b, t, c) -> ()>

// Integers, exactly, forward and backward as in a derivative: the states of each channel are
// stored, of 16 bits here; sums over the channels of what each part has at each step, and of
// what all parts share; sums over time and batch for each channel; sums over everything.
// run: random:i32:3xNx16:1 random:i32:3xNx4:2 random:i32:3xNx4:3 random:i32:3xN:4 random:i32:16:5 random:i32:4:6 random:i32::7
func.func @forward(%u: tensor<?x?x?xi32>, %b: tensor<?x?x4xi32>, %dc: tensor<?x?x4xi32>,
                   %du: tensor<?x?xi32>, %dd: tensor<?xi32>, %da: tensor<4xi32>, %s: i32)
    -> (tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>, tensor<?xi32>,
        tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %states = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?x4xi16>
  %r:6 = scan.kernel dim = 1
      ins(%u, %b : tensor<?x?x?xi32>, tensor<?x?x4xi32>) init(%s : i32)
      outs(%states, %y, %dc, %du, %dd, %da : tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<4xi32>)
      maps [#btc, #bt, #none, #btc, #btc, #bt, #bt, #c, #none] attributes {order = #scan.order<any>}
      load {
      ^bb0(%ut: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
        %w = arith.muli %ut, %ut : i32
        %x0 = arith.muli %w, %b0 : i32
        %x1 = arith.muli %w, %b1 : i32
        %x2 = arith.muli %w, %b2 : i32
        %x3 = arith.muli %w, %b3 : i32
        scan.yield %ut, %x0, %ut, %x1, %ut, %x2, %ut, %x3
            : i32, i32, i32, i32, i32, i32, i32, i32
      } initialize {
      ^bb0(%h: i32):
        %one = arith.constant 1 : i32
        scan.yield %one, %h, %one, %h, %one, %h, %one, %h
            : i32, i32, i32, i32, i32, i32, i32, i32
      } combine {
      ^bb0(%a0e: i32, %h0e: i32, %a1e: i32, %h1e: i32, %a2e: i32, %h2e: i32, %a3e: i32, %h3e: i32,
           %a0l: i32, %h0l: i32, %a1l: i32, %h1l: i32, %a2l: i32, %h2l: i32, %a3l: i32, %h3l: i32):
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
      ^bb0(%a0i: i32, %h0i: i32, %a1i: i32, %h1i: i32, %a2i: i32, %h2i: i32, %a3i: i32, %h3i: i32,
           %a0x: i32, %h0x: i32, %a1x: i32, %h1x: i32, %a2x: i32, %h2x: i32, %a3x: i32, %h3x: i32,
           %ut: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
        %w = arith.muli %ut, %ut : i32
        %v = arith.addi %w, %ut : i32
        %s0 = arith.trunci %h0i : i32 to i16
        %p0 = arith.muli %h0x, %w : i32
        %q0 = arith.xori %h0i, %b0 : i32
        %s1 = arith.trunci %h1i : i32 to i16
        %p1 = arith.muli %h1x, %w : i32
        %q1 = arith.xori %h1i, %b1 : i32
        %s2 = arith.trunci %h2i : i32 to i16
        %p2 = arith.muli %h2x, %w : i32
        %q2 = arith.xori %h2i, %b2 : i32
        %s3 = arith.trunci %h3i : i32 to i16
        %p3 = arith.muli %h3x, %w : i32
        %q3 = arith.xori %h3i, %b3 : i32
        %t1 = arith.addi %q0, %q1 : i32
        %t2 = arith.addi %t1, %q2 : i32
        %t3 = arith.addi %t2, %q3 : i32
        %g = arith.muli %t3, %ut : i32
        scan.yield %s0, %s1, %s2, %s3, %g, %p0, %p1, %p2, %p3, %g, %v, %q0, %q1, %q2, %q3
            : i16, i16, i16, i16, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } -> tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<4xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<4xi32>
}

// run: random:i32:3xNx16:1 random:i32:3xNx4:2 random:i16:3xNx16x4:3 random:i32:16x4:4 random:i32:3xNx4:5 random:i32::6 random:i16::7
func.func @backward(%u: tensor<?x?x?xi32>, %b: tensor<?x?x4xi32>, %states: tensor<?x?x?x4xi16>,
                    %da: tensor<?x4xi32>, %db: tensor<?x?x4xi32>, %s: i32, %start: i16)
    -> (tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, i32) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %zero = arith.constant dense<0> : tensor<i32>
  %r:4 = scan.kernel dim = 1 reverse
      ins(%u, %b, %states, %start : tensor<?x?x?xi32>, tensor<?x?x4xi32>, tensor<?x?x?x4xi16>, i16) init(%s : i32)
      outs(%y, %da, %db, %zero : tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, tensor<i32>)
      maps [#btc, #bt, #btc, #none, #none, #btc, #c, #bt, #none] attributes {boundaries = array<i64: -1, -1, 3, -1>, shifts = array<i64: 0, 0, 1, 0>}
      load {
      ^bb0(%ut: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32, %f0: i16, %f1: i16, %f2: i16, %f3: i16, %st: i16):
        %w = arith.muli %ut, %ut : i32
        %x0 = arith.muli %w, %b0 : i32
        %x1 = arith.muli %w, %b1 : i32
        %x2 = arith.muli %w, %b2 : i32
        %x3 = arith.muli %w, %b3 : i32
        scan.yield %ut, %x0, %ut, %x1, %ut, %x2, %ut, %x3
            : i32, i32, i32, i32, i32, i32, i32, i32
      } initialize {
      ^bb0(%h: i32):
        %one = arith.constant 1 : i32
        scan.yield %one, %h, %one, %h, %one, %h, %one, %h
            : i32, i32, i32, i32, i32, i32, i32, i32
      } combine {
      ^bb0(%a0e: i32, %h0e: i32, %a1e: i32, %h1e: i32, %a2e: i32, %h2e: i32, %a3e: i32, %h3e: i32,
           %a0l: i32, %h0l: i32, %a1l: i32, %h1l: i32, %a2l: i32, %h2l: i32, %a3l: i32, %h3l: i32):
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
      ^bb0(%a0i: i32, %h0i: i32, %a1i: i32, %h1i: i32, %a2i: i32, %h2i: i32, %a3i: i32, %h3i: i32,
           %a0x: i32, %h0x: i32, %a1x: i32, %h1x: i32, %a2x: i32, %h2x: i32, %a3x: i32, %h3x: i32,
           %ut: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32,
           %f0: i16, %f1: i16, %f2: i16, %f3: i16, %st: i16):
        %w = arith.muli %ut, %ut : i32
        %g0 = arith.extsi %f0 : i16 to i32
        %p0 = arith.muli %h0x, %g0 : i32
        %q0 = arith.muli %h0i, %w : i32
        %k0 = arith.muli %q0, %b0 : i32
        %g1 = arith.extsi %f1 : i16 to i32
        %p1 = arith.muli %h1x, %g1 : i32
        %q1 = arith.muli %h1i, %w : i32
        %k1 = arith.muli %q1, %b1 : i32
        %g2 = arith.extsi %f2 : i16 to i32
        %p2 = arith.muli %h2x, %g2 : i32
        %q2 = arith.muli %h2i, %w : i32
        %k2 = arith.muli %q2, %b2 : i32
        %g3 = arith.extsi %f3 : i16 to i32
        %p3 = arith.muli %h3x, %g3 : i32
        %q3 = arith.muli %h3i, %w : i32
        %k3 = arith.muli %q3, %b3 : i32
        %t1 = arith.addi %k0, %k1 : i32
        %t2 = arith.addi %t1, %k2 : i32
        %t3 = arith.addi %t2, %k3 : i32
        %t = arith.xori %t3, %ut : i32
        scan.yield %t, %p0, %p1, %p2, %p3, %q0, %q1, %q2, %q3, %t3
            : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } -> tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, tensor<i32>
  %total = tensor.extract %r#3[] : tensor<i32>
  return %r#0, %r#1, %r#2, %total : tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, i32
}
