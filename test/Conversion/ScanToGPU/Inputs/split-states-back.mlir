// Kernels whose lanes share states and that scan in both directions: the walk back computes the
// states of the other direction again, from those before each chunk of steps.

#btc = affine_map<(b, t, c) -> (b, t, c)>
#bt = affine_map<(b, t, c) -> (b, t)>
#bc = affine_map<(b, t, c) -> (b, c)>
#c = affine_map<(b, t, c) -> (c)>

// Integers, exactly. Outputs of the kernel's direction: a sum over parts, a sum over time for each
// part. Of both: an element for each part, of 16 bits, and sums over channels at each step, for each
// part and for all. The final states of either direction.
// run: random:i32:3xNx16:1 random:i32:3xNx4:2 random:i32:16x4:3 random:i32:16x4:4 random:i32:3xNx4:5 random:i32:3xN:6
func.func @both(%u: tensor<?x?x?xi32>, %b: tensor<?x?x4xi32>, %s: tensor<?x4xi32>, %da: tensor<?x4xi32>,
                %db: tensor<?x?x4xi32>, %du: tensor<?x?xi32>)
    -> (tensor<?x?x?xi32>, tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>,
        tensor<?x?xi32>, tensor<?x?x4xi32>, tensor<?x?x4xi32>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %parts = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?x4xi16>
  %last = tensor.empty(%n0, %n2) : tensor<?x?x4xi32>
  %r:8 = scan.kernel dim = 1
      ins(%u, %b : tensor<?x?x?xi32>, tensor<?x?x4xi32>) init(%s : tensor<?x4xi32>)
      outs(%y, %parts, %y, %da, %db, %du : tensor<?x?x?xi32>, tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>)
      finals(%last, %last : tensor<?x?x4xi32>, tensor<?x?x4xi32>)
      maps [#btc, #bt, #c, #btc, #btc, #btc, #c, #bt, #bt, #bc, #bc] attributes {bidirectional = 8 : i64}
      load {
      ^bb0(%ut: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
        %w = arith.muli %ut, %ut : i32
        %one = arith.constant 1 : i32
        %v = arith.addi %ut, %one : i32
        %x0 = arith.muli %w, %b0 : i32
        %z0 = arith.xori %v, %b0 : i32
        %x1 = arith.muli %w, %b1 : i32
        %z1 = arith.xori %v, %b1 : i32
        %x2 = arith.muli %w, %b2 : i32
        %z2 = arith.xori %v, %b2 : i32
        %x3 = arith.muli %w, %b3 : i32
        %z3 = arith.xori %v, %b3 : i32
        scan.yield %ut, %x0, %ut, %x1, %ut, %x2, %ut, %x3, %v, %z0, %v, %z1, %v, %z2, %v, %z3
            : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } initialize {
      ^bb0(%h0: i32, %h1: i32, %h2: i32, %h3: i32):
        %one = arith.constant 1 : i32
        %g0 = arith.addi %h0, %one : i32
        %g1 = arith.addi %h1, %one : i32
        %g2 = arith.addi %h2, %one : i32
        %g3 = arith.addi %h3, %one : i32
        scan.yield %one, %h0, %one, %h1, %one, %h2, %one, %h3, %one, %g0, %one, %g1, %one, %g2, %one, %g3
            : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } combine {
      ^bb0(%a0e: i32, %h0e: i32, %a1e: i32, %h1e: i32, %a2e: i32, %h2e: i32, %a3e: i32, %h3e: i32,
           %q0e: i32, %g0e: i32, %q1e: i32, %g1e: i32, %q2e: i32, %g2e: i32, %q3e: i32, %g3e: i32,
           %a0l: i32, %h0l: i32, %a1l: i32, %h1l: i32, %a2l: i32, %h2l: i32, %a3l: i32, %h3l: i32,
           %q0l: i32, %g0l: i32, %q1l: i32, %g1l: i32, %q2l: i32, %g2l: i32, %q3l: i32, %g3l: i32):
        %a0 = arith.muli %a0l, %a0e : i32
        %ap0 = arith.muli %a0l, %h0e : i32
        %h0 = arith.addi %ap0, %h0l : i32
        %a1 = arith.muli %a1l, %a1e : i32
        %ap1 = arith.muli %a1l, %h1e : i32
        %h1 = arith.addi %ap1, %h1l : i32
        %a2 = arith.muli %a2l, %a2e : i32
        %ap2 = arith.muli %a2l, %h2e : i32
        %h2 = arith.addi %ap2, %h2l : i32
        %a3 = arith.muli %a3l, %a3e : i32
        %ap3 = arith.muli %a3l, %h3e : i32
        %h3 = arith.addi %ap3, %h3l : i32
        %q0 = arith.muli %q0l, %q0e : i32
        %qp0 = arith.muli %q0l, %g0e : i32
        %g0 = arith.addi %qp0, %g0l : i32
        %q1 = arith.muli %q1l, %q1e : i32
        %qp1 = arith.muli %q1l, %g1e : i32
        %g1 = arith.addi %qp1, %g1l : i32
        %q2 = arith.muli %q2l, %q2e : i32
        %qp2 = arith.muli %q2l, %g2e : i32
        %g2 = arith.addi %qp2, %g2l : i32
        %q3 = arith.muli %q3l, %q3e : i32
        %qp3 = arith.muli %q3l, %g3e : i32
        %g3 = arith.addi %qp3, %g3l : i32
        scan.yield %a0, %h0, %a1, %h1, %a2, %h2, %a3, %h3, %q0, %g0, %q1, %g1, %q2, %g2, %q3, %g3
            : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } store {
      ^bb0(%a0i: i32, %h0i: i32, %a1i: i32, %h1i: i32, %a2i: i32, %h2i: i32, %a3i: i32, %h3i: i32,
           %q0i: i32, %g0i: i32, %q1i: i32, %g1i: i32, %q2i: i32, %g2i: i32, %q3i: i32, %g3i: i32,
           %a0x: i32, %h0x: i32, %a1x: i32, %h1x: i32, %a2x: i32, %h2x: i32, %a3x: i32, %h3x: i32,
           %q0x: i32, %g0x: i32, %q1x: i32, %g1x: i32, %q2x: i32, %g2x: i32, %q3x: i32, %g3x: i32,
           %ut: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
        %w = arith.muli %ut, %ut : i32
        %k0 = arith.xori %h0i, %b0 : i32
        %d0 = arith.muli %h0x, %w : i32
        %m0 = arith.addi %h0x, %g0i : i32
        %s0 = arith.trunci %m0 : i32 to i16
        %e0 = arith.muli %d0, %g0i : i32
        %t0 = arith.muli %g0x, %h0i : i32
        %k1 = arith.xori %h1i, %b1 : i32
        %d1 = arith.muli %h1x, %w : i32
        %m1 = arith.addi %h1x, %g1i : i32
        %s1 = arith.trunci %m1 : i32 to i16
        %e1 = arith.muli %d1, %g1i : i32
        %t1 = arith.muli %g1x, %h1i : i32
        %k2 = arith.xori %h2i, %b2 : i32
        %d2 = arith.muli %h2x, %w : i32
        %m2 = arith.addi %h2x, %g2i : i32
        %s2 = arith.trunci %m2 : i32 to i16
        %e2 = arith.muli %d2, %g2i : i32
        %t2 = arith.muli %g2x, %h2i : i32
        %k3 = arith.xori %h3i, %b3 : i32
        %d3 = arith.muli %h3x, %w : i32
        %m3 = arith.addi %h3x, %g3i : i32
        %s3 = arith.trunci %m3 : i32 to i16
        %e3 = arith.muli %d3, %g3i : i32
        %t3 = arith.muli %g3x, %h3i : i32
        %ks1 = arith.addi %k0, %k1 : i32
        %ks2 = arith.addi %ks1, %k2 : i32
        %ks3 = arith.addi %ks2, %k3 : i32
        %ts1 = arith.addi %t0, %t1 : i32
        %ts2 = arith.addi %ts1, %t2 : i32
        %ts3 = arith.addi %ts2, %t3 : i32
        %same = arith.muli %ks3, %ut : i32
        %mixed = arith.xori %ts3, %same : i32
        scan.yield %same, %s0, %s1, %s2, %s3, %mixed, %d0, %d1, %d2, %d3, %e0, %e1, %e2, %e3, %mixed
            : i32, i16, i16, i16, i16, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } finalize {
      ^bb0(%a0: i32, %h0: i32, %a1: i32, %h1: i32, %a2: i32, %h2: i32, %a3: i32, %h3: i32,
           %q0: i32, %g0: i32, %q1: i32, %g1: i32, %q2: i32, %g2: i32, %q3: i32, %g3: i32):
        scan.yield %h0, %h1, %h2, %h3, %g0, %g1, %g2, %g3 : i32, i32, i32, i32, i32, i32, i32, i32
      } -> tensor<?x?x?xi32>, tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>, tensor<?x?x4xi32>, tensor<?x?x4xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7 : tensor<?x?x?xi32>, tensor<?x?x?x4xi16>, tensor<?x?x?xi32>, tensor<?x4xi32>, tensor<?x?x4xi32>, tensor<?x?xi32>, tensor<?x?x4xi32>, tensor<?x?x4xi32>
}
