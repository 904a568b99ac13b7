// What addresses depend on: which dimension is scanned and in which direction, inputs
// that are shifted along it, and operands that leave dimensions out or have them in
// another order, so that their rows do not lie evenly spaced. A linear recurrence, which
// is not commutative.

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#no0 = affine_map<(d0, d1, d2) -> (d1, d2)>
#no1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#swap01 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#swap12 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#pair = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1, d2) -> ()>

// Columns; the coefficient is the same for all batches.
// run: random:i32:3xNx21:1 random:i32:Nx21:2 random:i32::3
func.func @middle(%x: tensor<?x?x?xi32>, %w: tensor<?x?xi32>, %c: i32) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %x, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %h = scan.kernel dim = 1
      ins(%x, %w, %c : tensor<?x?x?xi32>, tensor<?x?xi32>, i32) outs(%y : tensor<?x?x?xi32>)
      maps [#id, #no0, #scalar, #id] attributes {boundaries = array<i64: 2, -1, -1>, shifts = array<i64: 2, 0, 0>}
      load {
      ^bb0(%e: i32, %f: i32, %g: i32):
        scan.yield %f, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %p = arith.muli %a1, %a0 : i32
        %q = arith.muli %a1, %b0 : i32
        %s = arith.addi %q, %b1 : i32
        scan.yield %p, %s : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %f: i32, %g: i32):
        scan.yield %i1 : i32
      } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}

// Columns from the end; the result is transposed.
// run: random:i32:2xNx34:1 random:i32:2xNx34:2 random:i32::3
func.func @middle_reverse(%x: tensor<?x?x?xi32>, %w: tensor<?x?x?xi32>, %c: i32) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 2 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 1 : index
  %n2 = tensor.dim %x, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %h = scan.kernel dim = 1 reverse
      ins(%x, %w, %c : tensor<?x?x?xi32>, tensor<?x?x?xi32>, i32) outs(%y : tensor<?x?x?xi32>)
      maps [#id, #id, #scalar, #swap12] attributes {boundaries = array<i64: 2, -1, -1>, shifts = array<i64: -1, 0, 0>}
      load {
      ^bb0(%e: i32, %f: i32, %g: i32):
        scan.yield %f, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %p = arith.muli %a1, %a0 : i32
        %q = arith.muli %a1, %b0 : i32
        %s = arith.addi %q, %b1 : i32
        scan.yield %p, %s : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %f: i32, %g: i32):
        scan.yield %i1 : i32
      } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}

// Rows; the coefficient is the same for neighbouring rows.
// run: random:i32:3x7xN:1 random:i32:3xN:2 random:i32::3
func.func @last(%x: tensor<?x?x?xi32>, %w: tensor<?x?xi32>, %c: i32) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %x, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %h = scan.kernel dim = 2
      ins(%x, %w, %c : tensor<?x?x?xi32>, tensor<?x?xi32>, i32) outs(%y : tensor<?x?x?xi32>)
      maps [#id, #no1, #scalar, #id] attributes {boundaries = array<i64: 2, -1, -1>, shifts = array<i64: 3, 0, 0>}
      load {
      ^bb0(%e: i32, %f: i32, %g: i32):
        scan.yield %f, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %p = arith.muli %a1, %a0 : i32
        %q = arith.muli %a1, %b0 : i32
        %s = arith.addi %q, %b1 : i32
        scan.yield %p, %s : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %f: i32, %g: i32):
        scan.yield %i1 : i32
      } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}

// Rows from the end; those of an input are in another order.
// run: random:i32:5x4xN:1 random:i32:4x5xN:2 random:i32::3
func.func @last_reverse(%x: tensor<?x?x?xi32>, %w: tensor<?x?x?xi32>, %c: i32) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 1 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 0 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %x, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %h = scan.kernel dim = 2 reverse
      ins(%x, %w, %c : tensor<?x?x?xi32>, tensor<?x?x?xi32>, i32) outs(%y : tensor<?x?x?xi32>)
      maps [#swap01, #id, #scalar, #id] attributes {boundaries = array<i64: 2, -1, -1>, shifts = array<i64: -2, 0, 0>}
      load {
      ^bb0(%e: i32, %f: i32, %g: i32):
        scan.yield %f, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %p = arith.muli %a1, %a0 : i32
        %q = arith.muli %a1, %b0 : i32
        %s = arith.addi %q, %b1 : i32
        scan.yield %p, %s : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %f: i32, %g: i32):
        scan.yield %i1 : i32
      } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}

// Time first.
// run: random:i32:Nx3x20:1 random:i32:Nx3x20:2 random:i32::3
func.func @first(%x: tensor<?x?x?xi32>, %w: tensor<?x?x?xi32>, %c: i32) -> tensor<?x?x?xi32> {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x?xi32>
  %c1 = arith.constant 1 : index
  %n1 = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %c2 = arith.constant 2 : index
  %n2 = tensor.dim %x, %c2 : tensor<?x?x?xi32>
  %y = tensor.empty(%n0, %n1, %n2) : tensor<?x?x?xi32>
  %h = scan.kernel dim = 0
      ins(%x, %w, %c : tensor<?x?x?xi32>, tensor<?x?x?xi32>, i32) outs(%y : tensor<?x?x?xi32>)
      maps [#id, #id, #scalar, #id] attributes {boundaries = array<i64: 2, -1, -1>, shifts = array<i64: 1, 0, 0>}
      load {
      ^bb0(%e: i32, %f: i32, %g: i32):
        scan.yield %f, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %p = arith.muli %a1, %a0 : i32
        %q = arith.muli %a1, %b0 : i32
        %s = arith.addi %q, %b1 : i32
        scan.yield %p, %s : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %f: i32, %g: i32):
        scan.yield %i1 : i32
      } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}

// Two numbers per step and operand: a trailing dimension.
// run: random:i32:2xNx2:1 random:i32:2xNx2:2
func.func @pairs(%x: tensor<?x?x2xi32>, %w: tensor<?x?x2xi32>) -> tensor<?x?x2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = tensor.dim %x, %c0 : tensor<?x?x2xi32>
  %n1 = tensor.dim %x, %c1 : tensor<?x?x2xi32>
  %y = tensor.empty(%n0, %n1) : tensor<?x?x2xi32>
  %h = scan.kernel dim = 1 reverse
      ins(%x, %w : tensor<?x?x2xi32>, tensor<?x?x2xi32>) outs(%y : tensor<?x?x2xi32>)
      maps [#pair, #pair, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e0: i32, %e1: i32, %f0: i32, %f1: i32):
        scan.yield %e0, %e1, %f0, %f1 : i32, i32, i32, i32
      } combine {
      ^bb0(%a0: i32, %a1: i32, %b0: i32, %b1: i32, %c: i32, %d: i32, %e: i32, %f: i32):
        %p0 = arith.muli %a0, %c : i32
        %p1 = arith.muli %a1, %d : i32
        %q0 = arith.muli %b0, %c : i32
        %q1 = arith.muli %b1, %d : i32
        %s0 = arith.addi %q0, %e : i32
        %s1 = arith.addi %q1, %f : i32
        scan.yield %p0, %p1, %s0, %s1 : i32, i32, i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %i2: i32, %i3: i32, %j0: i32, %j1: i32, %j2: i32, %j3: i32, %e0: i32, %e1: i32, %f0: i32, %f1: i32):
        scan.yield %i2, %i3 : i32, i32
      } -> tensor<?x?x2xi32>
  return %h : tensor<?x?x2xi32>
}
