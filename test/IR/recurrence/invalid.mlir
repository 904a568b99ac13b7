// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint of scan.recurrence, broken once at least.

// C1.
func.func @c1_no_state(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C1: expected at least one state, found none; name the rows that each starts from in 'init(...)'}}
  scan.recurrence ins(%x : tensor<8xf32>) init() dim = 0 {
  ^bb0(%t: index, %row: f32):
    scan.yield
  }
  return
}

// -----

// C2: an init.
func.func @c2_init(%x: tensor<8xf32>, %i: tensor<1xindex>) {
  // expected-error@+1 {{'scan.recurrence' op C2: expected init #0 to have the element type i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<1xindex>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xindex>) dim = 0 {
  ^bb0(%t: index, %h1: index, %row: f32):
    scan.yield %t : index
  } -> tensor<8xindex>
  return
}

// -----

// C2: an input.
func.func @c2_input(%x: tensor<8xi7>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C2: expected input #0 to have the element type i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<8xi7>'}}
  %h = scan.recurrence ins(%x : tensor<8xi7>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: i7):
    %s = arith.addf %h1, %h1 : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C3: of an init.
func.func @c3_init(%x: tensor<4x8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C3: expected dim to be in [0, 1), a dimension of init #0 ('tensor<1xf32>'), found 1}}
  %h = scan.recurrence ins(%x : tensor<4x8xf32>) init(%i : tensor<1xf32>) dim = 1 {
  ^bb0(%t: index, %h1: f32, %row: tensor<4xf32>):
    scan.yield %h1 : f32
  } -> tensor<8xf32>
  return
}

// -----

// C3: of an input, and negative.
func.func @c3_negative(%x: tensor<4x8xf32>, %i: tensor<4x1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C3: expected dim to be in [0, 2), a dimension of init #0 ('tensor<4x1xf32>'), found -1}}
  %h = scan.recurrence ins(%x : tensor<4x8xf32>) init(%i : tensor<4x1xf32>) dim = -1 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    scan.yield %h1 : tensor<4xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

// C4: no rows.
func.func @c4_no_rows(%x: tensor<8xf32>, %i: tensor<0xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C4: expected init #0 to have as many rows as steps are looked back: a static extent of 1 or more in dimension 0, found 'tensor<0xf32>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<0xf32>) dim = 0 {
  ^bb0(%t: index, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}

// -----

// C4: a number of rows that is not known.
func.func @c4_dynamic(%x: tensor<8xf32>, %i: tensor<?xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C4: expected init #0 to have as many rows as steps are looked back: a static extent of 1 or more in dimension 0, found 'tensor<?xf32>'; cast it to a tensor of that static extent (tensor.cast)}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}

// -----

// C5: nothing says how many steps there are.
func.func @c5_no_steps(%i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C5: expected an input or a number of steps, found neither; say with 'steps(...)' how many steps there are}}
  %h = scan.recurrence init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32):
    scan.yield %h1 : f32
  } -> tensor<?xf32>
  return
}

// -----

// C5: inputs contradict each other.
func.func @c5_extents(%x: tensor<8xf32>, %y: tensor<9xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C5: expected inputs to have one row per step, 8 in dimension 0, found 'tensor<9xf32>' as input #1; slice it, or say the number of steps with 'steps(...)'}}
  %h = scan.recurrence ins(%x, %y : tensor<8xf32>, tensor<9xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %a: f32, %b: f32):
    scan.yield %h1 : f32
  } -> tensor<8xf32>
  return
}

// -----

// C5: one number of steps.
func.func @c5_several(%i: tensor<1xf32>, %n: index) {
  // expected-error@+1 {{C5: expected one number of steps, found 2}}
  %h = scan.recurrence init(%i : tensor<1xf32>) steps(%n, %n : index, index) dim = 0 {
  ^bb0(%t: index, %h1: f32):
    scan.yield %h1 : f32
  } -> tensor<?xf32>
  return
}

// -----

// C6.
func.func @c6_capture(%x: tensor<8xf32>, %i: tensor<1xf32>, %w: memref<4xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C6: expected capture #0 to be an index, or a scalar or ranked tensor of i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'memref<4xf32>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) captures(%w : memref<4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32, %weights: memref<4xf32>):
    scan.yield %h1 : f32
  } -> tensor<8xf32>
  return
}

// -----

// C7: too few: the second row of the state.
func.func @c7_count(%x: tensor<8x4xf32>, %i: tensor<2x4xf32>, %w: f32) {
  // expected-error@+1 {{'scan.recurrence' op C7: expected the body to have 5 block arguments: the number of the row, 2 row(s) of states (of each state t-1, t-2, ..., as many as its init has), 1 row(s) of inputs, 1 capture(s), in this order; found 2}}
  %h = scan.recurrence ins(%x : tensor<8x4xf32>) init(%i : tensor<2x4xf32>) captures(%w : f32) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>):
    scan.yield %h1 : tensor<4xf32>
  } -> tensor<8x4xf32>
  return
}

// -----

// C7: one too many, which would be the row at t itself.
func.func @c7_row_itself(%x: tensor<8xi32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{'scan.recurrence' op C7: expected the body to have 3 block arguments: the number of the row, 1 row(s) of states (of each state t+1, t+2, ..., as many as its init has), 1 row(s) of inputs, 0 capture(s), in this order; found 4}}
  %h = scan.recurrence ins(%x : tensor<8xi32>) init(%i : tensor<1xi32>) dim = 0 reverse {
  ^bb0(%t: index, %h0: i32, %h1: i32, %row: i32):
    scan.yield %h0 : i32
  } -> tensor<8xi32>
  return
}

// -----

// C7: no number of the row.
func.func @c7_no_t(%x: tensor<8x4xf32>, %i: tensor<1x4xf32>) {
  // expected-error@+2 {{'scan.recurrence' op C7: expected block argument #0 to be the number of the row, 'index', found 'tensor<4xf32>'}}
  // expected-note@+2 {{the block argument is here}}
  %h = scan.recurrence ins(%x : tensor<8x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%h1: tensor<4xf32>, %row: tensor<4xf32>):
    scan.yield %h1 : tensor<4xf32>
  } -> tensor<8x4xf32>
  return
}

// -----

// C7: the type of a previous row.
func.func @c7_window(%x: tensor<8x4xf32>, %i: tensor<2x4xf32>) {
  // expected-error@+2 {{'scan.recurrence' op C7: expected block argument #2 to be the row of state #0 at t-2, 'tensor<4xf32>', found 'tensor<?xf32>'}}
  // expected-note@+2 {{the block argument is here}}
  %h = scan.recurrence ins(%x : tensor<8x4xf32>) init(%i : tensor<2x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %h2: tensor<?xf32>, %row: tensor<4xf32>):
    scan.yield %h1 : tensor<4xf32>
  } -> tensor<8x4xf32>
  return
}

// -----

// C7: rows without dimensions are scalars.
func.func @c7_scalars(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+2 {{'scan.recurrence' op C7: expected block argument #1 to be the row of state #0 at t+1, 'f32', found 'tensor<f32>'}}
  // expected-note@+2 {{the block argument is here}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 reverse {
  ^bb0(%t: index, %h1: tensor<f32>, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}

// -----

// C7: the row of an input.
func.func @c7_input(%x: tensor<4x8xf32>, %i: tensor<4x1xf32>) {
  // expected-error@+2 {{'scan.recurrence' op C7: expected block argument #2 to be the row of input #0 at t, 'tensor<4xf32>', found 'tensor<8xf32>'}}
  // expected-note@+2 {{the block argument is here}}
  %h = scan.recurrence ins(%x : tensor<4x8xf32>) init(%i : tensor<4x1xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<8xf32>):
    scan.yield %h1 : tensor<4xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

// C7: a capture.
func.func @c7_capture(%x: tensor<8xf32>, %i: tensor<1xf32>, %w: f32) {
  // expected-error@+2 {{'scan.recurrence' op C7: expected block argument #3 to be capture #0, 'f32', found 'f64'}}
  // expected-note@+2 {{the block argument is here}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) captures(%w : f32) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32, %v: f64):
    scan.yield %h1 : f32
  } -> tensor<8xf32>
  return
}

// -----

// C8.
func.func @c8_capture(%x: tensor<8xf32>, %i: tensor<1xf32>,
                      // expected-note@+1 {{the captured value is defined here}}
                      %w: f32) {
  // expected-error@+1 {{'scan.recurrence' op C8: the body must not use values from outside: expected block arguments and values defined in the region, found a captured value of type 'f32'; pass it in 'captures(...)', or define it inside the region if it is constant}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    // expected-note@+1 {{operand #1 of 'arith.mulf' is captured here}}
    %p = arith.mulf %h1, %w : f32
    scan.yield %p : f32
  } -> tensor<8xf32>
  return
}

// -----

// C8: the operands themselves are outside, too: this would be another row.
// expected-note@+1 {{the captured value is defined here}}
func.func @c8_other_row(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C8: the body must not use values from outside: expected block arguments and values defined in the region, found a captured value of type 'tensor<8xf32>'; pass it in 'captures(...)', or define it inside the region if it is constant}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    %c7 = arith.constant 7 : index
    // expected-note@+1 {{operand #0 of 'tensor.extract' is captured here}}
    %later = tensor.extract %x[%c7] : tensor<8xf32>
    scan.yield %later : f32
  } -> tensor<8xf32>
  return
}

// -----

// C9: another terminator.
func.func @c9_terminator(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C9: expected the body to end in 'scan.yield', found 'arith.addf'}}
  %h = "scan.recurrence"(%x, %i) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%t: index, %h1: f32, %row: f32):
    %s = arith.addf %h1, %row : f32
  }) : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  return
}

// -----

// C9: the row of a state is missing.
func.func @c9_count(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C9: expected the body to yield the row of each state, 2, then of outputs, found 1 value(s)}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i, %i : tensor<1xf32>, tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %g1: f32, %row: f32):
    // expected-note@+1 {{the yield is here}}
    scan.yield %h1 : f32
  } -> tensor<8xf32>
  return
}

// -----

// C9: a row of another type.
func.func @c9_type(%x: tensor<8x4xf32>, %i: tensor<1x4xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C9: expected the body to yield the row of state #0, 'tensor<4xf32>', as value #0, found 'index'}}
  %h = scan.recurrence ins(%x : tensor<8x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-note@+1 {{the yield is here}}
    scan.yield %t : index
  } -> tensor<8x4xf32>
  return
}

// -----

// C10: no place for the dimension of time.
func.func @c10_rank(%x: tensor<4x8xf32>, %i: tensor<4x1xf32>, %c: f32) {
  // expected-error@+1 {{'scan.recurrence' op C10: expected the row of output #0 to be a scalar, or a tensor of rank 1 at least, of a supported element type, found 'f32'}}
  %h, %y = scan.recurrence ins(%x : tensor<4x8xf32>) init(%i : tensor<4x1xf32>) captures(%c : f32) dim = 1 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>, %scalar: f32):
    // expected-note@+1 {{the yield is here}}
    scan.yield %h1, %scalar : tensor<4xf32>, f32
  } -> tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

// C11.
func.func private @effect(f32)

func.func @c11_effects(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C11: the body must not read or write memory: expected operations without memory effects, found 'func.call'; compute a new value instead of changing one in place}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    // expected-note@+1 {{the operation with effects is here}}
    func.call @effect(%row) : (f32) -> ()
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}

// -----

// C12: how many results there are.
func.func @c12_count(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C12: expected 2 result(s), one per state and output, or 3 with the final states, found 1}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %h1, %row : f32, f32
  } -> tensor<8xf32>
  return
}

// -----

// C12: rows of the init in front that are not asked for.
func.func @c12_init_rows(%x: tensor<8xf32>, %i: tensor<2xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C12: expected result #0 to be 'tensor<8xf32>', found 'tensor<10xf32>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<2xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %h2: f32, %row: f32):
    scan.yield %h2 : f32
  } -> tensor<10xf32>
  return
}

// -----

// C12: with a number of steps an extent is dynamic.
func.func @c12_steps(%x: tensor<8xf32>, %i: tensor<1xf32>, %n: index) {
  // expected-error@+1 {{'scan.recurrence' op C12: expected result #0 to be 'tensor<?xf32>', found 'tensor<8xf32>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %h1 : f32
  } -> tensor<8xf32>
  return
}

// -----

// C12: built with a property that contradicts the results.
func.func @c12_final_states(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C12: expected 2 result(s) with 'final_states', found 1}}
  %h = "scan.recurrence"(%x, %i) <{dim = 0 : i64, final_states, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  }) : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  return
}

// -----

// C13: an output of dynamic extents.
func.func @c13_missing(%x: tensor<8x?xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C13: expected 'extents(...)' to have 1 number(s), one per dynamic extent of the rows of outputs, found 0}}
  %h, %y = scan.recurrence ins(%x : tensor<8x?xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: tensor<?xf32>):
    scan.yield %h1, %row : f32, tensor<?xf32>
  } -> tensor<8xf32>, tensor<8x?xf32>
  return
}

// -----

// C13: extents that the type says.
func.func @c13_known(%x: tensor<8x4xf32>, %i: tensor<1xf32>, %n: index) {
  // expected-error@+1 {{'scan.recurrence' op C13: expected 'extents(...)' to have 0 number(s), one per dynamic extent of the rows of outputs, found 1}}
  %h, %y = scan.recurrence ins(%x : tensor<8x4xf32>) init(%i : tensor<1xf32>) extents(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: tensor<4xf32>):
    scan.yield %h1, %row : f32, tensor<4xf32>
  } -> tensor<8xf32>, tensor<8x4xf32>
  return
}

// -----

// C14: segments are offsets or flags.
func.func @c14_type(%x: tensor<8xf32>, %i: tensor<1xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'scan.recurrence' op C14: expected segments to be offsets of type i32, i64 or index, or flags of type i1, found 'tensor<8xf32>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) segments(%s : tensor<8xf32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}

// -----

// C14: flags have one element per step.
func.func @c14_flags(%x: tensor<4x8xf32>, %i: tensor<4x1xf32>, %s: tensor<4x8xi1>) {
  // expected-error@+1 {{'scan.recurrence' op C14: expected segments to be flags of extents}}
  %h = scan.recurrence ins(%x : tensor<4x8xf32>) init(%i : tensor<4x1xf32>) segments(%s : tensor<4x8xi1>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    scan.yield %row : tensor<4xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

// C14: one offset at least.
func.func @c14_none(%x: tensor<8xf32>, %i: tensor<1xf32>, %s: tensor<0xi32>) {
  // expected-error@+1 {{'scan.recurrence' op C14: expected segments to be offsets of rank 1, one more than there are segments, found 'tensor<0xi32>'}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) segments(%s : tensor<0xi32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}

// -----

// C15: each segment would have rows in front.
func.func @c15(%x: tensor<8xf32>, %i: tensor<1xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{'scan.recurrence' op C15: expected no 'init_rows' with segments, each of which starts from the rows of the init; put them in front of the history where they are wanted}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) segments(%s : tensor<3xi32>) dim = 0 init_rows {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<9xf32>
  return
}

// -----

// C12: with offsets, a final state per segment.
func.func @c12_segments(%x: tensor<8xf32>, %i: tensor<2xf32>, %s: tensor<4xi32>) {
  // expected-error@+1 {{'scan.recurrence' op C12: expected result #1 to be 'tensor<6xf32>', found 'tensor<2xf32>'}}
  %h, %l = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<2xf32>) segments(%s : tensor<4xi32>) dim = 0 {
  ^bb0(%t: index, %h1: f32, %h2: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>, tensor<2xf32>
  return
}

// -----

// The words of the syntax.
func.func @word(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{expected one of 'reverse', 'init_rows', 'attributes' or a region, found 'init_row'; did you mean 'init_rows'?}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 init_row {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<9xf32>
  return
}

// -----

func.func @attribute(%x: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{expected an attribute of the operation, found 'revers'; did you mean 'reverse'?}}
  %h = scan.recurrence ins(%x : tensor<8xf32>) init(%i : tensor<1xf32>) dim = 0 attributes {revers} {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<8xf32>
  return
}
