// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint of scan.linear_recurrence, broken once.

// C1: ranks.
func.func @c1_rank(%a: tensor<8xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C1: expected 'a' and 'b' to have the same rank, 1 at least, found 'tensor<8xf32>' and 'tensor<8x4xf32>'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8x4xf32>) dim = 0 -> tensor<8x4xf32>
  return
}

// -----

// C1: rank 0.
func.func @c1_rank_zero(%a: tensor<f32>, %b: tensor<f32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C1: expected 'a' and 'b' to have the same rank, 1 at least, found 'tensor<f32>' and 'tensor<f32>'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<f32>, tensor<f32>) dim = 0 -> tensor<f32>
  return
}

// -----

// C2: different element types.
func.func @c2_mixed(%a: tensor<8xf32>, %b: tensor<8xbf16>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C2: expected 'a' and 'b' to have the same element type, a supported one other than i1, found 'tensor<8xf32>' and 'tensor<8xbf16>'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xbf16>) dim = 0 -> tensor<8xbf16>
  return
}

// -----

// C2: truth values are no numbers.
func.func @c2_i1(%a: tensor<8xi1>, %b: tensor<8xi1>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C2: expected 'a' and 'b' to have the same element type, a supported one other than i1, found 'tensor<8xi1>' and 'tensor<8xi1>'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xi1>, tensor<8xi1>) dim = 0 -> tensor<8xi1>
  return
}

// -----

// C3: dim.
func.func @c3_dim(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C3: expected dim to be in [0, 1), found 1}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xf32>) dim = 1 -> tensor<8xf32>
  return
}

// -----

// C4: extents.
func.func @c4_extent(%a: tensor<2x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C4: expected 'a' to have extent 4 or 1 in dimension 0, found 2}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x8xf32>, tensor<4x8xf32>) dim = 1 -> tensor<4x8xf32>
  return
}

// -----

// C4: no broadcast along the scan dimension.
func.func @c4_scan_dim(%a: tensor<4x1xf32>, %b: tensor<4x8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C4: expected 'a' to have extent 8 in dimension 1, found 1}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<4x1xf32>, tensor<4x8xf32>) dim = 1 -> tensor<4x8xf32>
  return
}

// -----

// C5: two inits.
func.func @c5_count(%a: tensor<8xf32>, %b: tensor<8xf32>, %i: f32) {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' C5: expected at most one init, found 2}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xf32>) init(%i, %i : f32, f32) dim = 0 -> tensor<8xf32>
  return
}

// -----

// C5: the type of the init.
func.func @c5_type(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %i: tensor<8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C5: expected init to be 'f32' or 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) init(%i : tensor<8xf32>) dim = 1 -> tensor<4x8xf32>
  return
}

// -----

// C6: the type of the result.
func.func @c6_result(%a: tensor<1x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C6: expected result #0 to be 'tensor<4x8xf32>', found 'tensor<1x8xf32>'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<1x8xf32>, tensor<4x8xf32>) dim = 1 -> tensor<1x8xf32>
  return
}

// -----

// C6: the type of the final state.
func.func @c6_final(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C6: expected result #1 to be 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) dim = 1 -> tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

// C6: the attribute and the results disagree.
func.func @c6_attribute(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C6: expected 2 result(s) with 'final_state', found 1}}
  %h = "scan.linear_recurrence"(%a, %b) <{dim = 0 : i64, final_state, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// C7: the accumulator.
func.func @c7_accumulator(%a: tensor<8xbf16>, %b: tensor<8xbf16>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C7: expected an accumulator of the same kind as 'bf16' and at least as wide, found 'f16'}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xbf16>, tensor<8xbf16>) dim = 0 attributes {accumulator = f16} -> tensor<8xbf16>
  return
}

// -----

// C8: the schedule.
func.func @c8_schedule(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C8: 'order = sequential' needs the strategy 'sequential', or 'row' with as many rows as threads, found 'row', which reassociates; drop the schedule or relax the order}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xf32>) dim = 0 attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = row>} -> tensor<8xf32>
  return
}

// -----

// Operands.
func.func @operands(%a: tensor<8xf32>) {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' expected two operands, 'a' and 'b', found 1}}
  %h = scan.linear_recurrence ins(%a : tensor<8xf32>) dim = 0 -> tensor<8xf32>
  return
}

// -----

// C9: nothing before the first step.
func.func @c9_exclusive(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C9: expected an init for 'exclusive', found none; there is no state before the first step without one}}
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xf32>) dim = 0 exclusive -> tensor<8xf32>
  return
}

// -----

// C10: the element type.
func.func @c10_type(%a: tensor<8xf32>, %s: tensor<3xi8>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C10: expected segments to be offsets of type i32, i64 or index, or flags of type i1, found 'tensor<3xi8>'}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<8xf32>, tensor<8xf32>) segments(%s : tensor<3xi8>) dim = 0 -> tensor<8xf32>
  return
}

// -----

// C10: offsets have rank 1.
func.func @c10_rank(%a: tensor<8xf32>, %s: tensor<3x1xi32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C10: expected segments to be offsets of rank 1, one more than there are segments, found 'tensor<3x1xi32>'}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<8xf32>, tensor<8xf32>) segments(%s : tensor<3x1xi32>) dim = 0 -> tensor<8xf32>
  return
}

// -----

// C10: there is an offset.
func.func @c10_none(%a: tensor<0xf32>, %s: tensor<0xi64>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C10: expected segments to be offsets of rank 1, one more than there are segments, found 'tensor<0xi64>'}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<0xf32>, tensor<0xf32>) segments(%s : tensor<0xi64>) dim = 0 -> tensor<0xf32>
  return
}

// -----

// C10: the extents of flags.
func.func @c10_flags(%a: tensor<4x8xf32>, %s: tensor<4xi1>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C10: expected segments to be flags of extents 4x8, or 1 in dimensions other than dim = 1, or of rank 1 with the extent 8, found 'tensor<4xi1>'}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) segments(%s : tensor<4xi1>) dim = 1 -> tensor<4x8xf32>
  return
}

// -----

// C10: flags do not repeat along the scan dimension.
func.func @c10_one(%a: tensor<4x8xf32>, %s: tensor<4x1xi1>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C10: expected segments to be flags of extents 4x8}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<4x8xf32>, tensor<4x8xf32>) segments(%s : tensor<4x1xi1>) dim = 1 -> tensor<4x8xf32>
  return
}

// -----

// C10: one tensor.
func.func @c10_two(%a: tensor<8xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{expected one tensor of segments, offsets or flags, found 2}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<8xf32>, tensor<8xf32>) segments(%s, %s : tensor<3xi32>, tensor<3xi32>) dim = 0 -> tensor<8xf32>
  return
}

// -----

// C5: an init per segment needs offsets.
func.func @c5_per_segment(%a: tensor<8x4xf32>, %i: tensor<2x4xf32>, %s: tensor<8xi1>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C5: expected init to be 'f32' or 'tensor<4xf32>' or, one per step, 'tensor<8x4xf32>', found 'tensor<2x4xf32>'}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<8x4xf32>, tensor<8x4xf32>) init(%i : tensor<2x4xf32>) segments(%s : tensor<8xi1>) dim = 0 -> tensor<8x4xf32>
  return
}

// -----

// C5: as many inits as there are segments.
func.func @c5_count(%a: tensor<8x4xf32>, %i: tensor<3x4xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C5: expected init to be 'f32' or 'tensor<4xf32>' or, one per segment, 'tensor<2x4xf32>', found 'tensor<3x4xf32>'}}
  %h = scan.linear_recurrence ins(%a, %a : tensor<8x4xf32>, tensor<8x4xf32>) init(%i : tensor<3x4xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<8x4xf32>
  return
}

// -----

// C6: one final state per segment.
func.func @c6_per_segment(%a: tensor<8x4xf32>, %s: tensor<3xi32>) {
  // expected-error@+1 {{'scan.linear_recurrence' op C6: expected result #1 to be 'tensor<2x4xf32>', found 'tensor<4xf32>'}}
  %h, %last = scan.linear_recurrence ins(%a, %a : tensor<8x4xf32>, tensor<8x4xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<8x4xf32>, tensor<4xf32>
  return
}
