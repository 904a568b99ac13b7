// RUN: scan-opt %s -split-input-file -verify-diagnostics

// scan.kernel, C25: one entry per input.
func.func @c25_count(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C25: expected 'gathers' to have one entry per input, 3, found 2}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C25: places are an input.
func.func @c25_number(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C25: expected the entries of 'gathers' to be -1 or the number of an input, less than 3, found 3}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 3, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C25: or there are none.
func.func @c25_below(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C25: expected the entries of 'gathers' to be -1 or the number of an input, less than 3, found -2}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, -2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C25: a step is in one place.
func.func @c25_directions(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C25: expected no 'bidirectional' in a kernel with 'gathers', found 1; scan each direction by a kernel of its own}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {bidirectional = 1 : i64, gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_, %x_ : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s, %b1 : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C26: it is read at places, not at steps.
func.func @c26_step(%x: tensor<8x4xf32>, %h: tensor<8x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C26: expected input #1, which is gathered, to be a tensor or memref whose map has the constant 0 once and not the scan dimension, found 'tensor<8x4xf32>' and affine_map<(d0, d1) -> (d0, d1)>}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C26: places are along a dimension.
func.func @c26_no_place(%x: tensor<8x4xf32>, %h: tensor<4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C26: expected input #1, which is gathered, to be a tensor or memref whose map has the constant 0 once and not the scan dimension, found 'tensor<4xf32>' and affine_map<(d0, d1) -> (d1)>}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C26: along one dimension.
func.func @c26_places(%x: tensor<8x4xf32>, %h: tensor<3x1xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C26: expected input #1, which is gathered, to be a tensor or memref whose map has the constant 0 once and not the scan dimension, found 'tensor<3x1xf32>' and affine_map<(d0, d1) -> (0, 0)>}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x1xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C26: a scalar has no places.
func.func @c26_scalar(%x: tensor<8x4xf32>, %h: f32, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C26: expected input #1, which is gathered, to be a tensor or memref whose map has the constant 0 once and not the scan dimension, found 'f32' and affine_map<(d0, d1) -> ()>}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, f32, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C26: offsets are looked up as a whole.
func.func @c26_offsets(%x: tensor<8x4xf32>, %h: tensor<3xi32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C26: expected input #1, which is gathered, not to be shifted, no boundary and no list of segment offsets, found a list of segment offsets}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3xi32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>, segment_offsets = array<i1: false, true, false>}
      load {
      ^bb0(%x_: f32, %h_: i1, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: i1, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C26: a boundary has no steps.
func.func @c26_boundary(%x: tensor<8x4xf32>, %h: tensor<1x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C26: expected input #1, which is gathered, not to be shifted, no boundary and no list of segment offsets, found a boundary}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<1x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>, shifts = array<i64: 1, 0, 0>, boundaries = array<i64: 1, -1, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C27: places are numbers.
func.func @c27_type(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xf32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C27: expected input #2, which holds places, to have one element of type i32 or i64 at a point, found 'tensor<8xf32>' and affine_map<(d0, d1) -> (d0)>}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xf32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: f32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: f32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C27: one place for a step.
func.func @c27_elements(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8x2xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C27: expected input #2, which holds places, to have one element of type i32 or i64 at a point, found 'tensor<8x2xi32>' and affine_map<(d0, d1) -> (d0)>}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8x2xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32, %m_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32, %m_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C27: places are not looked up, too.
func.func @c27_gathered(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<3xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C27: expected input #2, which holds places, not to be shifted, gathered or a list of segment offsets, found a gathered input}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<3xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, 2>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C27: offsets are not places.
func.func @c27_offsets(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<3xi32>, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C27: expected input #2, which holds places, not to be shifted, gathered or a list of segment offsets, found a list of segment offsets}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<3xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>, segment_offsets = array<i1: false, false, true>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i1):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i1):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}

// -----

// C27: they are those of the step itself.
func.func @c27_shifted(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %m: i32, %y: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C27: expected input #2, which holds places, not to be shifted, gathered or a list of segment offsets, found a shifted input}}
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n, %m : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xi32>, i32) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1, -1>, shifts = array<i64: 0, 0, 1, 0>, boundaries = array<i64: -1, -1, 3, -1>}
      load {
      ^bb0(%x_: f32, %h_: f32, %n_: i32, %m_: i32):
        scan.yield %x_ : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %s = arith.addf %a0, %a1 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i0: f32, %e0: f32, %x_: f32, %h_: f32, %n_: i32, %m_: i32):
        scan.yield %i0 : f32
      } -> tensor<8x4xf32>
  return
}
