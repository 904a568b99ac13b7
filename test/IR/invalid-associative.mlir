// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint of scan.associative and of the attributes, broken once.

// C1: no leaf.
func.func @c1_no_leaf() {
  // expected-error@+1 {{'scan.associative' op C1: expected at least one leaf, found none; name the tensors to scan in 'ins(...)'}}
  scan.associative ins() dim = 0 {
    scan.yield
  }
  return
}

// -----

// C2: element types.
func.func @c2_element_type(%x: tensor<8xi24>) {
  // expected-error@+1 {{'scan.associative' op C2: expected leaf #0 to have the element type i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<8xi24>'}}
  %y = scan.associative ins(%x : tensor<8xi24>) dim = 0 {
  ^bb0(%acc: i24, %new: i24):
    %s = arith.addi %acc, %new : i24
    scan.yield %s : i24
  } -> tensor<8xi24>
  return
}

// -----

// C2: a leaf that is no ranked tensor.
func.func @c2_memref(%x: memref<8xf32>) {
  // expected-error@+1 {{'scan.associative' op operand #0 must be variadic of ranked tensor of any type values, but got 'memref<8xf32>'}}
  %y = scan.associative ins(%x : memref<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C3: number of block arguments.
func.func @c3_argument_count(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C3: expected the combine region to have 4 block arguments, the accumulated and the new value of each leaf, found 3}}
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %a, %c : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// C3: wrong element type of a block argument.
func.func @c3_element_type(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C3: expected block argument #0 to be 'f32', or a static tensor of 'f32' and of the trailing dimensions of leaf #0 ('tensor<8xf32>'), found 'f64'}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  // expected-note@+1 {{the block argument is here}}
  ^bb0(%acc: f64, %new: f64):
    %s = arith.addf %acc, %new : f64
    scan.yield %s : f64
  } -> tensor<8xf32>
  return
}

// -----

// C3: the two arguments of one leaf differ.
func.func @c3_pair(%x: tensor<8x2xf32>) {
  // expected-error@+1 {{'scan.associative' op C3: expected block argument #1 to be 'tensor<2xf32>' like argument #0, found 'f32'}}
  %y = scan.associative ins(%x : tensor<8x2xf32>) dim = 0 {
  // expected-note@+1 {{the block argument is here}}
  ^bb0(%acc: tensor<2xf32>, %new: f32):
    %s = arith.addf %acc, %acc : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<8x2xf32>
  return
}

// -----

// C3: trailing dimensions that the leaf does not have.
func.func @c3_trailing(%x: tensor<8x2x2xf32>) {
  // expected-error@+1 {{'scan.associative' op C3: expected block argument #0 to be 'f32', or a static tensor of 'f32' and of the trailing dimensions of leaf #0 ('tensor<8x2x2xf32>'), found 'tensor<2x3xf32>'}}
  %y = scan.associative ins(%x : tensor<8x2x2xf32>) dim = 0 {
  // expected-note@+1 {{the block argument is here}}
  ^bb0(%acc: tensor<2x3xf32>, %new: tensor<2x3xf32>):
    %s = arith.addf %acc, %new : tensor<2x3xf32>
    scan.yield %s : tensor<2x3xf32>
  } -> tensor<8x2x2xf32>
  return
}

// -----

// C3: trailing dimensions are static.
func.func @c3_dynamic_trailing(%x: tensor<8x?xf32>) {
  // expected-error@+1 {{'scan.associative' op C3: expected block argument #0 to be 'f32', or a static tensor of 'f32' and of the trailing dimensions of leaf #0 ('tensor<8x?xf32>'), found 'tensor<?xf32>'}}
  %y = scan.associative ins(%x : tensor<8x?xf32>) dim = 0 {
  // expected-note@+1 {{the block argument is here}}
  ^bb0(%acc: tensor<?xf32>, %new: tensor<?xf32>):
    %s = arith.addf %acc, %new : tensor<?xf32>
    scan.yield %s : tensor<?xf32>
  } -> tensor<8x?xf32>
  return
}

// -----

// C4: extents differ.
func.func @c4_extents(%x: tensor<4x8xf32>, %y: tensor<4x9xf32>) {
  // expected-error@+1 {{'scan.associative' op C4: expected all leaves to have the same extents, found 4x8 for leaf #0 and 4x9 for leaf #1}}
  %p, %q = scan.associative ins(%x, %y : tensor<4x8xf32>, tensor<4x9xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<4x8xf32>, tensor<4x9xf32>
  return
}

// -----

// C4: ranks differ.
func.func @c4_ranks(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'scan.associative' op C4: expected all leaves to have the same extents, found 4x8 for leaf #0 and 4 for leaf #1}}
  %p, %q = scan.associative ins(%x, %y : tensor<4x8xf32>, tensor<4xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

// C4: rank 0.
func.func @c4_rank_zero(%x: tensor<f32>) {
  // expected-error@+1 {{'scan.associative' op C4: expected leaf #0 to have rank 1 at least without its trailing dimensions, found 'tensor<f32>'}}
  %y = scan.associative ins(%x : tensor<f32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<f32>
  return
}

// -----

// C5: dim beyond the rank.
func.func @c5_dim(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'scan.associative' op C5: expected dim to be in [0, 2), found 2}}
  %y = scan.associative ins(%x : tensor<4x8xf32>) dim = 2 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// C5: a negative dim.
func.func @c5_negative_dim(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'scan.associative' op C5: expected dim to be in [0, 2), found -1}}
  %y = scan.associative ins(%x : tensor<4x8xf32>) dim = -1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x8xf32>
  return
}

// -----

// C5: dim counts without the trailing dimensions.
func.func @c5_trailing_dim(%x: tensor<8x2x2xf32>) {
  // expected-error@+1 {{'scan.associative' op C5: expected dim to be in [0, 1), found 1}}
  %y = scan.associative ins(%x : tensor<8x2x2xf32>) dim = 1 {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %s = arith.addf %acc, %new : tensor<2x2xf32>
    scan.yield %s : tensor<2x2xf32>
  } -> tensor<8x2x2xf32>
  return
}

// -----

// C6: leaf count and yields differ.
func.func @c6_yield_count(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C6: expected the combine region to yield 1 value(s), found 2}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    %t = arith.mulf %acc, %new : f32
    // expected-note@+1 {{the yield is here}}
    scan.yield %s, %t : f32, f32
  } -> tensor<8xf32>
  return
}

// -----

// C6: type of a yielded value.
func.func @c6_yield_type(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C6: expected the combine region to yield 'i32' as value #0, found 'i1'}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.cmpi slt, %acc, %new : i32
    // expected-note@+1 {{the yield is here}}
    scan.yield %s : i1
  } -> tensor<8xi32>
  return
}

// -----

// C6: no yield.
func.func @c6_no_yield(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C6: expected the combine region to end in 'scan.yield', found 'arith.addi'}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
  } -> tensor<8xi32>
  return
}

// -----

// C6: an empty region.
func.func @c6_empty(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op expects a non-empty block}}
  %y = "scan.associative"(%x) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%acc: i32, %new: i32):
  }) : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// C7: a closure.
// expected-note@+1 {{the captured value is defined here}}
func.func @c7_closure(%x: tensor<8xf32>, %scale: f32) {
  // expected-error@+1 {{'scan.associative' op C7: the combine region must not use values from outside: expected block arguments and values defined in the region, found a captured value of type 'f32'; pass it as a further leaf, or define it inside the region if it is constant}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    // expected-note@+1 {{operand #1 of 'arith.mulf' is captured here}}
    %s = arith.mulf %acc, %scale : f32
    %t = arith.addf %s, %new : f32
    scan.yield %t : f32
  } -> tensor<8xf32>
  return
}

// -----

// C8: an argument is changed in place.
func.func @c8_mutation(%x: tensor<8x2xf32>) {
  // expected-error@+1 {{'scan.associative' op C8: the combine region must not read or write memory: expected operations without memory effects, found 'memref.store'; compute a new value instead of changing one in place}}
  %y = scan.associative ins(%x : tensor<8x2xf32>) dim = 0 {
  ^bb0(%acc: tensor<2xf32>, %new: tensor<2xf32>):
    %i = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %m = bufferization.to_buffer %acc : tensor<2xf32> to memref<2xf32>
    // expected-note@+1 {{the operation with effects is here}}
    memref.store %f, %m[%i] : memref<2xf32>
    %s = arith.addf %acc, %new : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<8x2xf32>
  return
}

// -----

// C9: an output aliases an input.
func.func @c9_argument(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' C9: expected a fresh value as yielded value #0, found block argument #1; wrap it in 'scan.clone' if it is meant to be passed on}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    // expected-note@+1 {{the yield is here}}
    scan.yield %new : f32
  } -> tensor<8xf32>
  return
}

// -----

// C9: an output is a view of an input.
func.func @c9_view(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.associative' C9: expected a fresh value as yielded value #0, found a view of block argument #0; wrap it in 'scan.clone' if it is meant to be passed on}}
  %y = scan.associative ins(%x : tensor<8x4xf32>) dim = 0 {
  ^bb0(%acc: tensor<4xf32>, %new: tensor<4xf32>):
    %c = tensor.cast %acc : tensor<4xf32> to tensor<?xf32>
    %d = tensor.cast %c : tensor<?xf32> to tensor<4xf32>
    // expected-note@+1 {{the yield is here}}
    scan.yield %d : tensor<4xf32>
  } -> tensor<8x4xf32>
  return
}

// -----

// C10: two outputs alias.
func.func @c10_twice(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' C10: expected all yielded values to be different, found one value as #0 and as #1; wrap one of them in 'scan.clone' if that is meant}}
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    // expected-note@+1 {{the yield is here}}
    scan.yield %s, %s : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// C11: number of inits.
func.func @c11_init_count(%x: tensor<8xf32>, %y: tensor<8xf32>, %i: f32) {
  // expected-error@+1 {{'scan.associative' op C11: expected no init or one per leaf, 2, found 1}}
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) init(%i : f32) dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// C12: type of a scalar init.
func.func @c12_init_scalar(%x: tensor<8x4xf32>, %i: f64) {
  // expected-error@+1 {{'scan.associative' op C12: expected init #0 to be 'f32' or 'tensor<4xf32>', found 'f64'}}
  %y = scan.associative ins(%x : tensor<8x4xf32>) init(%i : f64) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8x4xf32>
  return
}

// -----

// C12: shape of a tensor init.
func.func @c12_init_shape(%x: tensor<8x4xf32>, %i: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C12: expected init #0 to be 'f32' or 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %y = scan.associative ins(%x : tensor<8x4xf32>) init(%i : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8x4xf32>
  return
}

// -----

// C12: a leaf with trailing dimensions has no scalar init.
func.func @c12_init_matrix(%x: tensor<8x2xf32>, %i: f32) {
  // expected-error@+1 {{'scan.associative' op C12: expected init #0 to be 'tensor<2xf32>', found 'f32'}}
  %y = scan.associative ins(%x : tensor<8x2xf32>) init(%i : f32) dim = 0 {
  ^bb0(%acc: tensor<2xf32>, %new: tensor<2xf32>):
    %s = arith.addf %acc, %new : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<8x2xf32>
  return
}

// -----

// C13: exclusive without init.
func.func @c13_exclusive(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C13: expected an init, as 'exclusive' starts with it, found none; add 'init(...)' with the identity of the operator}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 exclusive {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C14: number of results.
func.func @c14_result_count(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C14: expected 1 result(s), one per leaf, or 2 with the final states, found 3}}
  %y, %z, %w = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

// C14: type of a result.
func.func @c14_result_type(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.associative' op C14: expected result #0 to be 'tensor<8x4xf32>', found 'tensor<8x4xf64>'}}
  %y = scan.associative ins(%x : tensor<8x4xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8x4xf64>
  return
}

// -----

// C14: type of a final state.
func.func @c14_final_type(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.associative' op C14: expected result #1 to be 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %y, %last = scan.associative ins(%x : tensor<8x4xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8x4xf32>, tensor<8xf32>
  return
}

// -----

// C14: the attribute and the results disagree.
func.func @c14_attribute(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C14: expected 2 result(s) with 'final_states', found 1}}
  %y = "scan.associative"(%x) <{dim = 0 : i64, final_states, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// C15: number of accumulators.
func.func @c15_count(%x: tensor<8xf16>) {
  // expected-error@+1 {{'scan.associative' op C15: expected one accumulator per leaf, 1, found 2}}
  %y = scan.associative ins(%x : tensor<8xf16>) dim = 0 attributes {accumulators = [f32, f32]} {
  ^bb0(%acc: f16, %new: f16):
    %s = arith.addf %acc, %new : f16
    scan.yield %s : f16
  } -> tensor<8xf16>
  return
}

// -----

// C15: a narrower accumulator.
func.func @c15_narrow(%x: tensor<8xf64>) {
  // expected-error@+1 {{'scan.associative' op C15: expected an accumulator of the same kind as 'f64' and at least as wide, found 'f32'}}
  %y = scan.associative ins(%x : tensor<8xf64>) dim = 0 attributes {accumulators = [f32]} {
  ^bb0(%acc: f64, %new: f64):
    %s = arith.addf %acc, %new : f64
    scan.yield %s : f64
  } -> tensor<8xf64>
  return
}

// -----

// C15: an accumulator of another kind.
func.func @c15_kind(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C15: expected an accumulator of the same kind as 'i32' and at least as wide, found 'f64'}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 attributes {accumulators = [f64]} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return
}

// -----

// C16: compensated with two leaves.
func.func @c16_leaves(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C16: expected 'compensated' on a scan of one floating-point leaf whose combine region is one 'arith.addf' of its two arguments, found 2 leaves}}
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) dim = 0 attributes {compensated} {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// C16: compensated on integers.
func.func @c16_type(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C16: expected 'compensated' on a scan of one floating-point leaf whose combine region is one 'arith.addf' of its two arguments, found a leaf with elements of type i32}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 attributes {compensated} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return
}

// -----

// C16: compensated with another operator.
func.func @c16_operator(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C16: expected 'compensated' on a scan of one floating-point leaf whose combine region is one 'arith.addf' of its two arguments, found another combine region}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {compensated} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.mulf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C17: a sequential order with a schedule that reassociates.
func.func @c17_schedule(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C17: 'order = sequential' needs the strategy 'sequential', or 'row' with as many rows as threads, found 'row', which reassociates; drop the schedule or relax the order}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = row>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// The schedule attribute: threads.
// expected-error@+1 {{expected threads to be a multiple of 32 between 32 and 1024, found 100}}
func.func private @threads(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 100>})

// -----

// The schedule attribute: items.
// expected-error@+1 {{expected items to be between 1 and 64, found 65}}
func.func private @items(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, items = 65>})

// -----

// The schedule attribute: rows.
// expected-error@+1 {{expected rows to be a power of two that divides threads, 96, found 64}}
func.func private @rows(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 96, rows = 64>})

// -----

// The schedule attribute: lanes.
// expected-error@+1 {{expected lanes to be a power of two up to 32, found 24}}
func.func private @lanes(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, lanes = 24>})

// -----

// The schedule attribute: vector.
// expected-error@+1 {{expected vector to be a power of two up to 16, found 32}}
func.func private @vector(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, vector = 32>})

// -----

// The schedule attribute: items for threads that share a scan.
// expected-error@+1 {{expected items to be a multiple of the 4 threads that share a scan with 8 lanes, found 6}}
func.func private @items_of_shared(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, items = 6, lanes = 8>})

// -----

// The schedule attribute: rows of columns.
// expected-error@+1 {{expected rows only with the strategy row or sequential, found it with column}}
func.func private @rows_of_columns(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, rows = 2>})

// -----

// The schedule attribute: lanes of rows.
// expected-error@+1 {{expected lanes only with the strategy column or sequential, found it with row}}
func.func private @lanes_of_rows(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, lanes = 16>})

// -----

// The schedule attribute: vector of rows.
// expected-error@+1 {{expected vector only with the strategy column, found it with row}}
func.func private @vector_of_rows(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, vector = 2>})

// -----

// The schedule attribute: scope of a thread.
// expected-error@+1 {{expected scope = grid with the strategy sequential only where threads share the states of a scan, with fewer than 32 lanes, and at least 2 blocks its steps; found 32 lanes and 4 blocks}}
func.func private @scope_of_a_thread(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, scope = grid, blocks = 4>})

// -----

// The schedule attribute: blocks that share the steps of a scan.
// expected-error@+1 {{expected scope = grid with the strategy sequential only where threads share the states of a scan, with fewer than 32 lanes, and at least 2 blocks its steps; found 16 lanes and 1 blocks}}
func.func private @one_block(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, items = 2, lanes = 16, scope = grid, blocks = 1>})

// -----

// The schedule attribute: the same without a scope.
// expected-error@+1 {{expected blocks only with the strategy row or sequential and scope = grid, or column and scope = block, found it with sequential}}
func.func private @blocks_of_a_block(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, items = 2, lanes = 16, blocks = 4>})

// -----

// The schedule attribute: warps that share the steps of a scan, each of which lanes share.
// expected-error@+1 {{expected warps only with the strategy sequential and scope = block, where threads share the states of a scan, with fewer than 32 lanes; found 4 warps with sequential, 32 lanes and scope = block}}
func.func private @warps_of_a_thread(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, warps = 4>})

// -----

// The schedule attribute: the same over the grid.
// expected-error@+1 {{expected warps only with the strategy sequential and scope = block, where threads share the states of a scan, with fewer than 32 lanes; found 4 warps with sequential, 16 lanes and scope = grid}}
func.func private @warps_over_the_grid(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, items = 2, lanes = 16, scope = grid, blocks = 4, warps = 4>})

// -----

// The schedule attribute: the same of columns.
// expected-error@+1 {{expected warps only with the strategy sequential and scope = block, where threads share the states of a scan, with fewer than 32 lanes; found 4 warps with column, 16 lanes and scope = block}}
func.func private @warps_of_columns(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, lanes = 16, warps = 4>})

// -----

// The schedule attribute: some warps of a block.
// expected-error@+1 {{expected warps to be 1 or all 8 of a block of 256 threads, found 4}}
func.func private @some_warps(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, threads = 256, items = 2, lanes = 16, warps = 4>})

// -----

// The schedule attribute: no warps.
// expected-error@+1 {{expected warps to be 1 or all 8 of a block of 256 threads, found 0}}
func.func private @no_warps(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = sequential, threads = 256, items = 2, lanes = 16, warps = 0>})

// -----

// The schedule attribute: persistent blocks.
// expected-error@+1 {{expected blocks only with the strategy row or sequential and scope = grid, or column and scope = block, found it with row}}
func.func private @blocks(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, blocks = 4>})

// -----

// The schedule attribute: blocks that share the steps of packed sequences.
// expected-error@+1 {{expected blocks to be 0 or between 2 and 64 with the strategy column, of blocks that share the steps of packed sequences, found 1}}
func.func private @one_chunk(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, blocks = 1>})

// -----

// The schedule attribute: many of them.
// expected-error@+1 {{expected blocks to be 0 or between 2 and 64 with the strategy column, of blocks that share the steps of packed sequences, found 65}}
func.func private @many_chunks(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, blocks = 65>})

// -----

// The schedule attribute: the same over the grid.
// expected-error@+1 {{expected blocks only with the strategy row or sequential and scope = grid, or column and scope = block, found it with column}}
func.func private @chunks_over_the_grid(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, scope = grid, blocks = 2>})

// -----

// The schedule attribute: stages of columns.
// expected-error@+1 {{expected stages only with the strategy row, found it with column}}
func.func private @stages_of_columns(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, blocks = 2, stages = 4>})

// -----

// The schedule attribute: rows over the grid.
// expected-error@+1 {{expected one row per block with scope = grid, found 2}}
func.func private @rows_over_the_grid(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, rows = 2, scope = grid>})

// -----

// The schedule attribute: scope.
// expected-error@+1 {{expected scope to be one of block, grid, found 'warp'}}
func.func private @scope(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, scope = warp>})

// -----

// The schedule attribute: an unknown strategy.
// expected-error@+1 {{expected strategy to be one of sequential, row, column, found 'tree'}}
func.func private @strategy(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = tree>})

// -----

// The order attribute: an unknown order.
// expected-error@+1 {{expected order to be one of any, deterministic, sequential, found 'random'}}
func.func private @order(tensor<8xf32> {scan.order = #scan.order<random>})

// -----

// The order attribute: no order.
// expected-error@+1 {{expected order to be one of any, deterministic, sequential}}
func.func private @no_order(tensor<8xf32> {scan.order = #scan.order<>})

// -----

// A yield belongs to a scan.
func.func @stray_yield() {
  // expected-error@+1 {{'scan.yield' op expects parent op to be one of 'scan.associative, scan.kernel, scan.recurrence'}}
  scan.yield
}

// -----

// C18: offsets have rank 1.
func.func @c18_rank(%x: tensor<8x4xf32>, %s: tensor<3x4xi32>) {
  // expected-error@+1 {{'scan.associative' op C18: expected segments to be offsets of rank 1, one more than there are segments, found 'tensor<3x4xi32>'}}
  %y = scan.associative ins(%x : tensor<8x4xf32>) segments(%s : tensor<3x4xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<8x4xf32>
  return
}

// -----

// C18: the element type.
func.func @c18_type(%x: tensor<8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C18: expected segments to be offsets of type i32, i64 or index, or flags of type i1, found 'tensor<8xf32>'}}
  %y = scan.associative ins(%x : tensor<8xf32>) segments(%s : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<8xf32>
  return
}

// -----

// C18: flags are of the iteration shape, which trailing dimensions are no part of.
func.func @c18_trailing(%x: tensor<8x2x2xf32>, %s: tensor<8x2x2xi1>) {
  // expected-error@+1 {{'scan.associative' op C18: expected segments to be flags of extents 8, or 1 in dimensions other than dim = 0, or of rank 1 with the extent 8, found 'tensor<8x2x2xi1>'}}
  %y = scan.associative ins(%x : tensor<8x2x2xf32>) segments(%s : tensor<8x2x2xi1>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %r = arith.addf %acc, %new : tensor<2x2xf32>
    scan.yield %r : tensor<2x2xf32>
  } -> tensor<8x2x2xf32>
  return
}

// -----

// C12: as many inits as there are segments.
func.func @c12_per_segment(%x: tensor<8x4xf32>, %i: tensor<3x4xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{'scan.associative' op C12: expected init #0 to be 'f32' or 'tensor<4xf32>' or, one per segment, 'tensor<2x4xf32>', found 'tensor<3x4xf32>'}}
  %y = scan.associative ins(%x : tensor<8x4xf32>) init(%i : tensor<3x4xf32>) segments(%s : tensor<3xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<8x4xf32>
  return
}

// -----

// C14: one final state per segment.
func.func @c14_per_segment(%x: tensor<8x4xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{'scan.associative' op C14: expected result #1 to be 'tensor<2x4xf32>', found 'tensor<4xf32>'}}
  %y, %last = scan.associative ins(%x : tensor<8x4xf32>) segments(%s : tensor<3xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<8x4xf32>, tensor<4xf32>
  return
}

// -----

// Numbers that are none of the parameter's, found as they are written.
// expected-error@+1 {{expected a number of 0 or more and of 32 bits, found -32}}
func.func private @negative(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = -32>})

// -----

// expected-error@+1 {{expected a number of 0 or more and of 32 bits, found -1}}
func.func private @negative(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, items = -1>})

// -----

// expected-error@+1 {{expected a number of 0 or more and of 32 bits, found -1}}
func.func private @negative(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, scope = grid, blocks = -1>})

// -----

// expected-error@+1 {{expected a number of 0 or more and of 32 bits, found 4294967424}}
func.func private @large(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 4294967424>})

// -----

// expected-error@+1 {{expected a number of 0 or more and of 32 bits, found 99999999999999999999}}
func.func private @large(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, vector = 99999999999999999999>})

// -----

// expected-error@+1 {{expected a number}}
func.func private @number(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, lanes = many>})

// -----

// expected-error@+1 {{expected items to be between 1 and 64, found 0}}
func.func private @items(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, items = 0>})

// -----

// expected-error@+1 {{expected blocks to be at most 65535, found 4294967295}}
func.func private @blocks(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, scope = grid, blocks = 4294967295>})

// -----

// expected-error@+1 {{expected blocks to be at most 65535, found 65536}}
func.func private @blocks(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, scope = grid, blocks = 65536>})

// -----

func.func private @most(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, scope = grid, blocks = 65535>})

// -----

// The schedule attribute: stages of a block for each tile.
// expected-error@+1 {{expected stages only with blocks, of a persistent kernel, found them without}}
func.func private @stages(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 160, scope = grid, stages = 4>})

// -----

// The schedule attribute: too few stages.
// expected-error@+1 {{expected stages to be between 3 and 16, found 2}}
func.func private @stages(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 160, scope = grid, blocks = 4, stages = 2>})

// -----

// The schedule attribute: too many stages.
// expected-error@+1 {{expected stages to be between 3 and 16, found 17}}
func.func private @stages(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 160, scope = grid, blocks = 4, stages = 17>})

// -----

// expected-error@+1 {{expected a number of 0 or more and of 32 bits, found -3}}
func.func private @stages(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 160, scope = grid, blocks = 4, stages = -3>})

// -----

// The schedule attribute: two warps have to scan.
// expected-error@+1 {{expected at least 160 threads with stages, of which 96 scan no tiles, found 128}}
func.func private @stages(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 128, scope = grid, blocks = 4, stages = 3>})

// -----

// Stages of another strategy: these have no blocks.
// expected-error@+1 {{expected stages only with blocks, of a persistent kernel, found them without}}
func.func private @stages(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = column, threads = 160, scope = grid, stages = 3>})

// -----

func.func private @fewest(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 160, scope = grid, blocks = 4, stages = 3>})
func.func private @most(tensor<8xf32> {scan.schedule = #scan.schedule<strategy = row, threads = 1024, scope = grid, blocks = 4, stages = 16>})
