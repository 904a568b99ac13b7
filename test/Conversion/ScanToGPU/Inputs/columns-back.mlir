// Kernels over columns that scan in both directions: the walk back computes the states of the other
// direction again, from those before each tile.

#btc = affine_map<(b, t, c) -> (b, t, c)>
#bt = affine_map<(b, t, c) -> (b, t)>
#bc = affine_map<(b, t, c) -> (b, c)>
#c = affine_map<(b, t, c) -> (c)>

// Integers, exactly; neither combine commutes. The first walk needs two of three inputs, one of 16 bits,
// and a number for each channel. Outputs of the kernel's direction, of the other one and of both, of 32
// bits and of 16; sums over time, and over channels at each step; the final states of either direction.
// run: random:i32:3xNx12:1 random:i16:3xNx12:2 random:i32:3xNx12:3 random:i32:12:4 random:i32:3x12:5 random:i32:12:6 random:i32:3xN:7
func.func @both(%u: tensor<?x?x?xi32>, %w: tensor<?x?x?xi16>, %g: tensor<?x?x?xi32>, %k: tensor<?xi32>,
                %s: tensor<?x?xi32>, %da: tensor<?xi32>, %du: tensor<?x?xi32>)
    -> (tensor<?x?x?xi32>, tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?xi32>, tensor<?x?xi32>,
        tensor<?x?xi32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %u, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %u, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %u, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %z = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi16>
  %last = tensor.empty(%n0, %n2) : tensor<?x?xi32>
  %r:7 = scan.kernel dim = 1
      ins(%u, %w, %g, %k : tensor<?x?x?xi32>, tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?xi32>) init(%s : tensor<?x?xi32>)
      outs(%y, %z, %y, %da, %du : tensor<?x?x?xi32>, tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?xi32>, tensor<?x?xi32>)
      finals(%last, %last : tensor<?x?xi32>, tensor<?x?xi32>)
      maps [#btc, #btc, #btc, #c, #bc, #btc, #btc, #btc, #c, #bt, #bc, #bc] attributes {bidirectional = 2 : i64}
      load {
      ^bb0(%ut: i32, %wt: i16, %gt: i32, %kt: i32):
        %wide = arith.extsi %wt : i16 to i32
        %b = arith.xori %wide, %kt : i32
        %q = arith.xori %ut, %gt : i32
        scan.yield %ut, %b, %q, %gt : i32, i32, i32, i32
      } initialize {
      ^bb0(%h: i32):
        %one = arith.constant 1 : i32
        %more = arith.addi %h, %one : i32
        scan.yield %one, %h, %one, %more : i32, i32, i32, i32
      } combine {
      ^bb0(%ae: i32, %he: i32, %qe: i32, %ge: i32, %al: i32, %hl: i32, %ql: i32, %gl: i32):
        %a = arith.muli %al, %ae : i32
        %ah = arith.muli %al, %he : i32
        %h = arith.addi %ah, %hl : i32
        %q = arith.muli %ql, %qe : i32
        %qg = arith.muli %ql, %ge : i32
        %gs = arith.addi %qg, %gl : i32
        scan.yield %a, %h, %q, %gs : i32, i32, i32, i32
      } store {
      ^bb0(%ai: i32, %hi: i32, %qi: i32, %gi: i32, %ax: i32, %hx: i32, %qx: i32, %gx: i32,
           %ut: i32, %wt: i16, %gt: i32, %kt: i32):
        %t = scan.index 1 : index
        %step = arith.index_cast %t : index to i32
        %same = arith.xori %hi, %gt : i32
        %mix = arith.muli %hx, %gi : i32
        %narrow = arith.trunci %mix : i32 to i16
        %more = arith.addi %gx, %step : i32
        %mixed = arith.muli %hi, %more : i32
        scan.yield %same, %narrow, %mixed, %mix, %mixed : i32, i16, i32, i32, i32
      } finalize {
      ^bb0(%a: i32, %h: i32, %q: i32, %gs: i32):
        scan.yield %h, %gs : i32, i32
      } -> tensor<?x?x?xi32>, tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<?x?x?xi32>, tensor<?x?x?xi16>, tensor<?x?x?xi32>, tensor<?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// A division in the load region: what lies out of bounds is never read, nor made up. An extremum of each
// direction, whose identity is known; extents that are static but for one, and are tiles or not.
// run: random:i32:2x64x8:1:1:9 random:i32:2x64x8:2:1:9 random:i32:8:3
func.func @exact(%u: tensor<2x64x8xi32>, %v: tensor<2x64x8xi32>, %s: tensor<8xi32>) -> tensor<2x64x8xi32> {
  %y = tensor.empty() : tensor<2x64x8xi32>
  %r = scan.kernel dim = 1
      ins(%u, %v : tensor<2x64x8xi32>, tensor<2x64x8xi32>) init(%s : tensor<8xi32>)
      outs(%y : tensor<2x64x8xi32>)
      maps [#btc, #btc, #c, #btc] attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%ut: i32, %vt: i32):
        %q = arith.divsi %ut, %vt : i32
        %p = arith.remsi %ut, %vt : i32
        scan.yield %q, %p : i32, i32
      } initialize {
      ^bb0(%h: i32):
        scan.yield %h, %h : i32, i32
      } combine {
      ^bb0(%he: i32, %ge: i32, %hl: i32, %gl: i32):
        %h = arith.maxsi %he, %hl : i32
        %g = arith.addi %ge, %gl : i32
        scan.yield %h, %g : i32, i32
      } store {
      ^bb0(%hi: i32, %gi: i32, %hx: i32, %gx: i32, %ut: i32, %vt: i32):
        %m = arith.muli %hx, %gi : i32
        scan.yield %m : i32
      } -> tensor<2x64x8xi32>
  return %r : tensor<2x64x8xi32>
}
