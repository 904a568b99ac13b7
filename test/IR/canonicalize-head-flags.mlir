// RUN: scan-opt %s --canonicalize --split-input-file | FileCheck %s

// One tensor that is an input twice stays two: what it says as a list of segment offsets is
// not what it says as an input.
// CHECK-LABEL: func.func @list_and_input(
// CHECK-SAME:    %[[X:.*]]: tensor<8xi32>, %[[S:.*]]: tensor<1xi32>
// CHECK:           ins(%[[X]], %[[S]], %[[S]] : tensor<8xi32>, tensor<1xi32>, tensor<1xi32>)
// CHECK:           segment_offsets = array<i1: false, true, false>
func.func @list_and_input(%x: tensor<8xi32>, %s: tensor<1xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = scan.kernel dim = 0
      ins(%x, %s, %s : tensor<8xi32>, tensor<1xi32>, tensor<1xi32>) outs(%y : tensor<8xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true, false>}
      load {
      ^bb0(%e: i32, %start: i1, %c: i32):
        %l = arith.select %start, %c, %e : i32
        scan.yield %l : i32
      } combine {
      ^bb0(%x0: i32, %x1: i32):
        %a = arith.addi %x0, %x1 : i32
        scan.yield %a : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32, %start: i1, %c: i32):
        scan.yield %inclusive : i32
      } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Two lists that are one.
// CHECK-LABEL: func.func @same_list(
// CHECK-SAME:    %[[X:.*]]: tensor<8xi32>, %[[S:.*]]: tensor<?xi32>
// CHECK:           ins(%[[X]], %[[S]], %{{.*}} : tensor<8xi32>, tensor<?xi32>, i32)
// CHECK:           segment_offsets = array<i1: false, true, false>
// CHECK:           ^bb0(%[[E:.*]]: i32, %[[F:.*]]: i1, %{{.*}}: i32):
// CHECK-NEXT:        %[[B:.*]] = arith.select %[[F]], %[[E]], %{{.*}} : i32
func.func @same_list(%x: tensor<8xi32>, %s: tensor<?xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %0 = scan.kernel dim = 0
      ins(%x, %s, %s, %zero : tensor<8xi32>, tensor<?xi32>, tensor<?xi32>, i32) outs(%y : tensor<8xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true, true, false>}
      load {
      ^bb0(%e: i32, %p: i1, %q: i1, %c: i32):
        %m = arith.select %q, %e, %c : i32
        scan.yield %m : i32
      } combine {
      ^bb0(%x0: i32, %x1: i32):
        %a = arith.addi %x0, %x1 : i32
        scan.yield %a : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32, %p: i1, %q: i1, %c: i32):
        %f = arith.extui %p : i1 to i32
        %g = arith.addi %inclusive, %f : i32
        scan.yield %g : i32
      } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// A list that nobody looks at goes, and with it the attribute.
// CHECK-LABEL: func.func @unused(
// CHECK:           ins(%{{.*}} : tensor<8xi32>)
// CHECK-NOT:       starts
func.func @unused(%x: tensor<8xi32>, %s: tensor<?xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<8xi32>, tensor<?xi32>) outs(%y : tensor<8xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
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
      } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// No input is a list: neither says so.
// CHECK-LABEL: func.func @none(
// CHECK-NOT:       starts
func.func @none(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = scan.kernel dim = 0
      ins(%x : tensor<8xi32>) outs(%y : tensor<8xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false>}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%x0: i32, %x1: i32):
        %a = arith.addi %x0, %x1 : i32
        scan.yield %a : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Nobody needs to know where walks start.
// CHECK-LABEL: func.func @dead(
// CHECK-NOT:     scan.head_flags
func.func @dead(%s: tensor<?xi32>) {
  %0 = scan.head_flags %s : tensor<?xi32> -> tensor<8xi1>
  return
}
