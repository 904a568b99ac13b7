// RUN: scan-opt %s -split-input-file -verify-diagnostics

// scan.head_flags, C1: the offsets are a list.
func.func @c1_rank(%s: tensor<2x3xi32>) -> tensor<8xi1> {
  // expected-error@+1 {{'scan.head_flags' op C1: expected offsets of rank 1, of type i32, i64 or index, found 'tensor<2x3xi32>'}}
  %0 = scan.head_flags %s : tensor<2x3xi32> -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// C1: of whole numbers of these types.
func.func @c1_type(%s: tensor<3xi16>) -> tensor<8xi1> {
  // expected-error@+1 {{'scan.head_flags' op C1: expected offsets of rank 1, of type i32, i64 or index, found 'tensor<3xi16>'}}
  %0 = scan.head_flags %s : tensor<3xi16> -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// C1: the result has one flag per step.
func.func @c1_result_rank(%s: tensor<3xi32>) -> tensor<8x1xi1> {
  // expected-error@+1 {{'scan.head_flags' op C1: expected a result of rank 1, of type i1, i32 or i64, found 'tensor<8x1xi1>'}}
  %0 = scan.head_flags %s : tensor<3xi32> -> tensor<8x1xi1>
  return %0 : tensor<8x1xi1>
}

// -----

// C1: flags are i1, numbers i32 or i64.
func.func @c1_result_type(%s: tensor<3xi32>) -> tensor<8xi8> {
  // expected-error@+1 {{'scan.head_flags' op C1: expected a result of rank 1, of type i1, i32 or i64, found 'tensor<8xi8>'}}
  %0 = scan.head_flags %s : tensor<3xi32> -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

// C2: nothing else says a dynamic extent.
func.func @c2_missing(%s: tensor<3xi32>) -> tensor<?xi1> {
  // expected-error@+1 {{'scan.head_flags' op C2: expected an extent for a result of dynamic extent, found none and 'tensor<?xi1>'}}
  %0 = scan.head_flags %s : tensor<3xi32> -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

// C2: a static one is said already.
func.func @c2_extra(%s: tensor<3xi32>, %n: index) -> tensor<8xi1> {
  // expected-error@+1 {{'scan.head_flags' op C2: expected no extent for a result of static extent, found one and 'tensor<8xi1>'}}
  %0 = scan.head_flags %s extent(%n) : tensor<3xi32> -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// scan.kernel, C22: one entry per input.
func.func @c22_count(%x: tensor<?xf32>, %s: tensor<?xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C22: expected 'segment_offsets' to have one entry per input, 2, found 1}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<?xi32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C22: a list tells of one direction.
func.func @c22_opposite(%x: tensor<?xf32>, %s: tensor<?xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C22: expected no 'bidirectional' in a kernel with 'segment_offsets', found 1; scan each direction by a kernel of its own}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<?xi32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {bidirectional = 1 : i64, segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C23: a list has one dimension.
func.func @c23_rank(%x: tensor<?xf32>, %s: tensor<?x1xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C23: expected input #1, a list of segment offsets, to be of rank 1, of type i32, i64 or index, found 'tensor<?x1xi32>'}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<?x1xi32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0, 0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C23: a list is no scalar.
func.func @c23_scalar(%x: tensor<?xf32>, %s: i32, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C23: expected input #1, a list of segment offsets, to be of rank 1, of type i32, i64 or index, found 'i32'}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, i32) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C23: it has offsets.
func.func @c23_type(%x: tensor<?xf32>, %s: tensor<?xi16>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C23: expected input #1, a list of segment offsets, to be of rank 1, of type i32, i64 or index, found 'tensor<?xi16>'}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<?xi16>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C23: the offsets are not those of steps.
func.func @c23_map(%x: tensor<8xf32>, %s: tensor<8xi32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'scan.kernel' op C23: expected the map of input #1, a list of segment offsets, to have the constant 0 as its only result, found affine_map<(d0) -> (d0)>}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<8xf32>, tensor<8xi32>) outs(%y : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// C4: without its attribute a list is an input like others, of an extent of 1.
func.func @c4_list(%x: tensor<?xf32>, %s: tensor<5xi1>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C4: expected extent 1 under the constant 0 in dimension 0 of operand #1, found 'tensor<5xi1>'}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<5xi1>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {note = "none"}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C1: nor is index an element type of others.
func.func @c1_index(%x: tensor<?xf32>, %s: tensor<1xindex>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'scan.kernel' op C1: expected operand #1}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<1xindex>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {note = "none"}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// C23: a list has no places to be shifted by.
func.func @c23_boundary(%x: tensor<?xi32>, %s: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error@+1 {{C23: expected input #1, a list of segment offsets, not to be shifted and no boundary, found a boundary}}
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xi32>, tensor<?xi32>) outs(%y : tensor<?xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>, shifts = array<i64: 1, 0>, boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: i32, %start: i1):
        scan.yield %e : i32
      } combine {
      ^bb0(%x0: i32, %x1: i32):
        %a = arith.addi %x0, %x1 : i32
        scan.yield %a : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32, %start: i1):
        scan.yield %inclusive : i32
      } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
