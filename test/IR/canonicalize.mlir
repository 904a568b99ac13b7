// RUN: scan-opt %s --canonicalize --cse | FileCheck %s
// What CSE made of the yields can still be read back.
// RUN: scan-opt %s --canonicalize --cse | scan-opt | FileCheck %s

// CHECK-LABEL: func.func @extent_zero(
// CHECK-SAME: [[X:%.+]]: tensor<?x0xf32>, [[I:%.+]]: tensor<?xf32>
// CHECK-NOT: scan.associative
// CHECK: [[E:%.+]] = tensor.empty({{.*}}) : tensor<?x0xf32>
// CHECK: return [[E]], [[I]]
func.func @extent_zero(%x: tensor<?x0xf32>, %i: tensor<?xf32>) -> (tensor<?x0xf32>, tensor<?xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x0xf32>) init(%i : tensor<?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x0xf32>, tensor<?xf32>
  return %y, %last : tensor<?x0xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @extent_zero_recurrence(
// CHECK-NOT: scan.linear_recurrence
// CHECK: [[E:%.+]] = tensor.empty() : tensor<4x0xf32>
// CHECK: return [[E]]
func.func @extent_zero_recurrence(%a: tensor<1x0xf32>, %b: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<1x0xf32>, tensor<4x0xf32>) dim = 1 -> tensor<4x0xf32>
  return %h : tensor<4x0xf32>
}

// The final state of an empty scan without an init is zero: nothing to return
// it from, so the scan stays.
// CHECK-LABEL: func.func @extent_zero_final_stays(
// CHECK: [[R:%.+]]:2 = scan.associative
// CHECK: return [[R]]#1
func.func @extent_zero_final_stays(%x: tensor<4x0xf32>) -> tensor<4xf32> {
  %y, %last = scan.associative ins(%x : tensor<4x0xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x0xf32>, tensor<4xf32>
  return %last : tensor<4xf32>
}

// CHECK-LABEL: func.func @extent_one(
// CHECK-SAME: [[X:%.+]]: tensor<?x1x2xf32>
// CHECK-NOT: scan.associative
// CHECK: [[S:%.+]] = tensor.collapse_shape [[X]] {{\[\[}}0, 1], [2]] : tensor<?x1x2xf32> into tensor<?x2xf32>
// CHECK: return [[X]], [[S]]
func.func @extent_one(%x: tensor<?x1x2xf32>) -> (tensor<?x1x2xf32>, tensor<?x2xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x1x2xf32>) dim = 1 {
  ^bb0(%acc: tensor<2xf32>, %new: tensor<2xf32>):
    %s = arith.addf %acc, %new : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<?x1x2xf32>, tensor<?x2xf32>
  return %y, %last : tensor<?x1x2xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @extent_one_init_stays(
// CHECK: scan.associative
func.func @extent_one_init_stays(%x: tensor<1xf32>, %i: f32) -> tensor<1xf32> {
  %y = scan.associative ins(%x : tensor<1xf32>) init(%i : f32) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// CHECK-LABEL: func.func @extent_one_recurrence(
// CHECK-SAME: {{.*}}, [[B:%.+]]: tensor<1xf32>
// CHECK-NEXT: return [[B]]
func.func @extent_one_recurrence(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<1xf32>, tensor<1xf32>) dim = 0 -> tensor<1xf32>
  return %h : tensor<1xf32>
}

// CHECK-LABEL: func.func @dead_leaf(
// CHECK-SAME: {{.*}}, [[Y:%.+]]: tensor<8xi32>, {{.*}}, [[J:%.+]]: i32
// CHECK: [[R:%.+]]:2 = scan.associative ins([[Y]] : tensor<8xi32>) init([[J]] : i32) dim = 0 attributes {accumulators = [i64]}
// CHECK-NEXT: ^bb0([[A:%.+]]: i32, [[N:%.+]]: i32):
// CHECK-NEXT: [[M:%.+]] = arith.muli [[A]], [[N]]
// CHECK-NEXT: scan.yield [[M]] : i32
// CHECK-NEXT: } -> tensor<8xi32>, tensor<i32>
// CHECK: return [[R]]#0, [[R]]#1
func.func @dead_leaf(%x: tensor<8xf32>, %y: tensor<8xi32>, %i: f32, %j: i32) -> (tensor<8xi32>, tensor<i32>) {
  %p, %q, %r, %s = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xi32>) init(%i, %j : f32, i32) dim = 0 attributes {accumulators = [f64, i64]} {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %m = arith.mulf %a, %c : f32
    %n = arith.muli %b, %d : i32
    scan.yield %m, %n : f32, i32
  } -> tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>
  return %q, %s : tensor<8xi32>, tensor<i32>
}

// The first leaf of the pair is unused, but the second is combined from it.
// CHECK-LABEL: func.func @needed_leaf_stays(
// CHECK: [[R:%.+]]:2 = scan.associative
// CHECK: return [[R]]#1
func.func @needed_leaf_stays(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %a = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %b = arith.addf %t, %b1 : f32
    scan.yield %a, %b : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  return %q : tensor<8xf32>
}

// CHECK-LABEL: func.func @unused_final(
// CHECK: [[R:%.+]] = scan.associative ins({{.*}}) dim = 0 reverse {
// CHECK: } -> tensor<8xf32>{{$}}
// CHECK: return [[R]]
func.func @unused_final(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y, %last = scan.associative ins(%x : tensor<8xf32>) dim = 0 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>, tensor<f32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @unused_final_recurrence(
// CHECK: [[R:%.+]] = scan.linear_recurrence {{.*}} dim = 0 reverse -> tensor<8xf32>{{$}}
func.func @unused_final_recurrence(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xf32>) dim = 0 reverse -> tensor<8xf32>, tensor<f32>
  return %h : tensor<8xf32>
}

// CHECK-LABEL: func.func @casts(
// CHECK-SAME: [[X:%.+]]: tensor<4x8xf32>, [[I:%.+]]: tensor<4xf32>
// CHECK: [[R:%.+]] = scan.associative ins([[X]] : tensor<4x8xf32>) init([[I]] : tensor<4xf32>) dim = 1 exclusive
// CHECK: } -> tensor<4x8xf32>
// CHECK: [[C:%.+]] = tensor.cast [[R]] : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK: return [[C]]
func.func @casts(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<?x?xf32> {
  %c = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %d = tensor.cast %i : tensor<4xf32> to tensor<?xf32>
  %y = scan.associative ins(%c : tensor<?x?xf32>) init(%d : tensor<?xf32>) dim = 1 exclusive {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @casts_recurrence(
// CHECK-SAME: [[A:%.+]]: tensor<4x8xf32>, [[B:%.+]]: tensor<?x8xf32>
// CHECK: [[R:%.+]] = scan.linear_recurrence ins([[A]], [[B]] : tensor<4x8xf32>, tensor<?x8xf32>) dim = 1 -> tensor<?x8xf32>
// CHECK: tensor.cast [[R]] : tensor<?x8xf32> to tensor<?x?xf32>
func.func @casts_recurrence(%a: tensor<4x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x?xf32> {
  %c = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %d = tensor.cast %b : tensor<?x8xf32> to tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%c, %d : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @identity_init(
// CHECK-SAME: [[X:%.+]]: tensor<4x8xi32>
// CHECK: scan.associative ins([[X]] : tensor<4x8xi32>) dim = 1 {
func.func @identity_init(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %one = arith.constant 1 : i32
  %y = scan.associative ins(%x : tensor<4x8xi32>) init(%one : i32) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.muli %new, %acc : i32
    scan.yield %s : i32
  } -> tensor<4x8xi32>
  return %y : tensor<4x8xi32>
}

// CHECK-LABEL: func.func @identity_init_tensor(
// CHECK-SAME: [[X:%.+]]: tensor<4x8xi32>
// CHECK: scan.associative ins([[X]] : tensor<4x8xi32>) dim = 1 {
func.func @identity_init_tensor(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %y = scan.associative ins(%x : tensor<4x8xi32>) init(%zero : tensor<4xi32>) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<4x8xi32>
  return %y : tensor<4x8xi32>
}

// CHECK-LABEL: func.func @other_init_stays(
// CHECK: [[ONE:%.+]] = arith.constant 1 : i32
// CHECK: scan.associative {{.*}} init([[ONE]] : i32)
func.func @other_init_stays(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %one = arith.constant 1 : i32
  %y = scan.associative ins(%x : tensor<4x8xi32>) init(%one : i32) dim = 1 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<4x8xi32>
  return %y : tensor<4x8xi32>
}

// 0.0 is no identity: 0.0 + -0.0 is 0.0.
// CHECK-LABEL: func.func @zero_float_init_stays(
// CHECK: [[ZERO:%.+]] = arith.constant 0.000000e+00 : f32
// CHECK: scan.associative {{.*}} init([[ZERO]] : f32)
func.func @zero_float_init_stays(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %y = scan.associative ins(%x : tensor<8xf32>) init(%zero : f32) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @exclusive_init_stays(
// CHECK: scan.associative {{.*}} init({{.*}} : i32) dim = 0 exclusive
func.func @exclusive_init_stays(%x: tensor<8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %y = scan.associative ins(%x : tensor<8xi32>) init(%zero : i32) dim = 0 exclusive {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// CHECK-LABEL: func.func @zero_state(
// CHECK-SAME: [[A:%.+]]: tensor<8xi32>, [[B:%.+]]: tensor<8xi32>
// CHECK: scan.linear_recurrence ins([[A]], [[B]] : tensor<8xi32>, tensor<8xi32>) dim = 0
func.func @zero_state(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xi32>, tensor<8xi32>) init(%zero : i32) dim = 0 -> tensor<8xi32>
  return %h : tensor<8xi32>
}

// a_0 * 0.0 is NaN for an infinite a_0.
// CHECK-LABEL: func.func @zero_float_state_stays(
// CHECK: scan.linear_recurrence {{.*}} init({{.*}} : f32)
func.func @zero_float_state_stays(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %h = scan.linear_recurrence ins(%a, %b : tensor<8xf32>, tensor<8xf32>) init(%zero : f32) dim = 0 -> tensor<8xf32>
  return %h : tensor<8xf32>
}

// CHECK-LABEL: func.func @dead(
// CHECK-NEXT: return
func.func @dead(%x: tensor<8xf32>) {
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// CSE merges the two sums; the op then says that its yields are shared.
// CHECK-LABEL: func.func @merged_yields(
// CHECK: scan.associative {{.*}} dim = 0 shared_yields {
// CHECK: [[S:%.+]] = arith.addf
// CHECK-NEXT: scan.yield [[S]], [[S]]
func.func @merged_yields(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %p, %q = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %t = arith.addf %a, %c : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  return %p, %q : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @identity_float_init(
// CHECK-SAME: [[X:%.+]]: tensor<8xf32>
// CHECK: scan.associative ins([[X]] : tensor<8xf32>) dim = 0 {
func.func @identity_float_init(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant -0.0 : f32
  %y = scan.associative ins(%x : tensor<8xf32>) init(%zero : f32) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// For an empty input the final state is the init, 1, and not zero.
// CHECK-LABEL: func.func @identity_init_final_stays(
// CHECK: [[ONE:%.+]] = arith.constant 1 : i32
// CHECK: scan.associative {{.*}} init([[ONE]] : i32)
func.func @identity_init_final_stays(%x: tensor<?xi32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %y, %last = scan.associative ins(%x : tensor<?xi32>) init(%one : i32) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.muli %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>, tensor<i32>
  return %last : tensor<i32>
}

// Segments go with the leaves that are left.
// CHECK-LABEL: func.func @dead_leaf_of_segments(
// CHECK-SAME: [[X:%.+]]: tensor<8xf32>, [[Y:%.+]]: tensor<8xf32>, [[S:%.+]]: tensor<3xi32>
// CHECK: scan.associative ins([[X]] : tensor<8xf32>) segments([[S]] : tensor<3xi32>) dim = 0 {
// CHECK: -> tensor<8xf32>{{$}}
func.func @dead_leaf_of_segments(%x: tensor<8xf32>, %y: tensor<8xf32>, %s: tensor<3xi32>) -> tensor<8xf32> {
  %0:4 = scan.associative ins(%x, %y : tensor<8xf32>, tensor<8xf32>) segments(%s : tensor<3xi32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %p = arith.addf %a0, %a1 : f32
    %q = arith.mulf %b0, %b1 : f32
    scan.yield %p, %q : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<2xf32>
  return %0#0 : tensor<8xf32>
}

// No elements: each segment keeps its init.
// CHECK-LABEL: func.func @extent_zero_per_segment(
// CHECK-SAME: tensor<0xf32>, [[I:%.+]]: tensor<2xf32>
// CHECK-NOT: scan.linear_recurrence
// CHECK: return %{{.*}}, [[I]] : tensor<0xf32>, tensor<2xf32>
func.func @extent_zero_per_segment(%x: tensor<0xf32>, %i: tensor<2xf32>, %s: tensor<3xi32>) -> (tensor<0xf32>, tensor<2xf32>) {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<0xf32>, tensor<0xf32>) init(%i : tensor<2xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<0xf32>, tensor<2xf32>
  return %y, %last : tensor<0xf32>, tensor<2xf32>
}

// One init for all of them is not one per segment.
// CHECK-LABEL: func.func @extent_zero_shared(
// CHECK: scan.linear_recurrence
func.func @extent_zero_shared(%x: tensor<0x4xf32>, %i: tensor<4xf32>, %s: tensor<3xi32>) -> tensor<2x4xf32> {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<0x4xf32>, tensor<0x4xf32>) init(%i : tensor<4xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<0x4xf32>, tensor<2x4xf32>
  return %last : tensor<2x4xf32>
}

// One element and more than one segment: which of them has it is not known.
// CHECK-LABEL: func.func @extent_one_per_segment(
// CHECK: scan.linear_recurrence
func.func @extent_one_per_segment(%x: tensor<1xf32>, %s: tensor<3xi32>) -> tensor<2xf32> {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<1xf32>, tensor<1xf32>) segments(%s : tensor<3xi32>) dim = 0 -> tensor<1xf32>, tensor<2xf32>
  return %last : tensor<2xf32>
}

// With flags there is one final state, and nothing before the only step.
// CHECK-LABEL: func.func @extent_one_flags(
// CHECK-SAME: [[X:%.+]]: tensor<1x4xf32>
// CHECK-NOT: scan.linear_recurrence
// CHECK: [[L:%.+]] = tensor.collapse_shape [[X]] {{\[\[}}0, 1]] : tensor<1x4xf32> into tensor<4xf32>
// CHECK: return [[X]], [[L]]
func.func @extent_one_flags(%x: tensor<1x4xf32>, %s: tensor<1xi1>) -> (tensor<1x4xf32>, tensor<4xf32>) {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<1x4xf32>, tensor<1x4xf32>) segments(%s : tensor<1xi1>) dim = 0 -> tensor<1x4xf32>, tensor<4xf32>
  return %y, %last : tensor<1x4xf32>, tensor<4xf32>
}

// Offsets that are known to be static make the final states so.
// CHECK-LABEL: func.func @cast_offsets(
// CHECK: scan.linear_recurrence {{.*}} segments(%{{.*}} : tensor<3xi32>) dim = 0 -> tensor<8xf32>, tensor<2xf32>
func.func @cast_offsets(%x: tensor<8xf32>, %s: tensor<3xi32>) -> tensor<?xf32> {
  %c = tensor.cast %s : tensor<3xi32> to tensor<?xi32>
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) segments(%c : tensor<?xi32>) dim = 0 -> tensor<8xf32>, tensor<?xf32>
  return %last : tensor<?xf32>
}

// Zero times anything of an integer is nothing to start from, in any segment.
// CHECK-LABEL: func.func @zero_init_of_segments(
// CHECK: scan.linear_recurrence ins(%{{.*}}) segments(
func.func @zero_init_of_segments(%x: tensor<8xi32>, %s: tensor<3xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %y = scan.linear_recurrence ins(%x, %x : tensor<8xi32>, tensor<8xi32>) init(%zero : i32) segments(%s : tensor<3xi32>) dim = 0 -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// Extents that contradict each other stop the program when it runs, if it gets
// there. It is not made an invalid one before.
// CHECK-LABEL: func.func @casts_contradict(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
// CHECK: scan.associative ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32>)
// CHECK: scan.shift %{{.*}} boundary(%{{.*}} : tensor<?xf32>) dim = 1 by = 1 : tensor<4x8xf32>
func.func @casts_contradict(%x: tensor<4xf32>, %y: tensor<5xf32>, %z: tensor<4x8xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %d = tensor.cast %y : tensor<5xf32> to tensor<?xf32>
  %e = tensor.cast %z : tensor<4x8xf32> to tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%c, %d : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  %p:2 = scan.associative ins(%c, %d : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
    %s = arith.addf %a0, %b1 : f32
    %t = arith.addf %a1, %b0 : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  %u = scan.shift %e boundary(%d : tensor<?xf32>) dim = 1 by = 1 : tensor<?x?xf32>
  return %h, %p#0, %p#1, %u : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// What a cast calls an extent of the scan does not become a broadcast, unless
// the extent is known to be 1.
// CHECK-LABEL: func.func @casts_of_ones(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?x8xf32>) segments(%{{.*}} : tensor<?x8xi1>) dim = 1
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x8xf32>, tensor<1x8xf32>) segments(%{{.*}} : tensor<1x8xi1>) dim = 1
func.func @casts_of_ones(%a: tensor<1x8xf32>, %b: tensor<?x8xf32>, %s: tensor<1x8xi1>, %e: tensor<1x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c = tensor.cast %a : tensor<1x8xf32> to tensor<?x8xf32>
  %t = tensor.cast %s : tensor<1x8xi1> to tensor<?x8xi1>
  %d = tensor.cast %e : tensor<1x8xf32> to tensor<?x8xf32>
  %h = scan.linear_recurrence ins(%c, %b : tensor<?x8xf32>, tensor<?x8xf32>) segments(%t : tensor<?x8xi1>) dim = 1 -> tensor<?x8xf32>
  %g = scan.linear_recurrence ins(%c, %d : tensor<?x8xf32>, tensor<?x8xf32>) segments(%t : tensor<?x8xi1>) dim = 1 -> tensor<?x8xf32>
  return %h, %g : tensor<?x8xf32>, tensor<?x8xf32>
}

// As many states as segments, one less than offsets.
// CHECK-LABEL: func.func @casts_of_segments(
// CHECK: scan.linear_recurrence {{.*}} init(%{{.*}} : tensor<2xf32>) segments(%{{.*}} : tensor<3xi32>) dim = 0 -> tensor<8xf32>, tensor<2xf32>
// CHECK: scan.linear_recurrence {{.*}} init(%{{.*}} : tensor<5xf32>) segments(%{{.*}} : tensor<?xi32>) dim = 0 -> tensor<8xf32>, tensor<?xf32>
func.func @casts_of_segments(%x: tensor<8xf32>, %s: tensor<3xi32>, %i: tensor<2xf32>, %j: tensor<5xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c = tensor.cast %s : tensor<3xi32> to tensor<?xi32>
  %d = tensor.cast %i : tensor<2xf32> to tensor<?xf32>
  %e = tensor.cast %j : tensor<5xf32> to tensor<?xf32>
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) init(%d : tensor<?xf32>) segments(%c : tensor<?xi32>) dim = 0 -> tensor<8xf32>, tensor<?xf32>
  %z, %final = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) init(%e : tensor<?xf32>) segments(%c : tensor<?xi32>) dim = 0 -> tensor<8xf32>, tensor<?xf32>
  return %last, %final : tensor<?xf32>, tensor<?xf32>
}
