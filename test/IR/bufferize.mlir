// RUN: scan-opt %s -split-input-file -verify-diagnostics \
// RUN:   -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   | FileCheck %s

// Results go straight to the buffers that the function returns.

#id = affine_map<(d0, d1) -> (d0, d1)>
#outer = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @results(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xf32>, %[[I:.*]]: memref<8xf32>, %[[N:.*]]: index)
// CHECK-NOT:     memref.copy
// CHECK:         %[[Y:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?x8xf32>
// CHECK:         %[[F:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%[[X]] : memref<?x8xf32>) init(%[[I]] : memref<8xf32>) outs(%[[Y]] : memref<?x8xf32>) finals(%[[F]] : memref<8xf32>)
// CHECK:           load {
// CHECK:             initialize {
// CHECK:             combine {
// CHECK:             store {
// CHECK:             finalize {
// CHECK-NOT:     memref.copy
// CHECK:         return %[[Y]], %[[F]]
func.func @results(%x: tensor<?x8xf32>, %i: tensor<8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %0:2 = scan.kernel dim = 0 reverse
      ins(%x : tensor<?x8xf32>) init(%i : tensor<8xf32>) outs(%e : tensor<?x8xf32>) finals(%f : tensor<8xf32>)
      maps [#id, #outer, #id, #outer]
      load {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } initialize {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32):
        scan.yield %ex : f32
      } finalize {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } -> tensor<?x8xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<?x8xf32>, tensor<8xf32>
}

// -----

// An output may take the buffer of an input with the same map that is not
// needed any more.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         ins(%[[X]] : memref<4x8xf32>) outs(%[[X]] : memref<4x8xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         return %[[X]]
func.func @in_place(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = scan.kernel dim = 0 reverse
      ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
      maps [#id, #id]
      load {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A transposed input is read elsewhere than it is written: a new buffer, but
// still no copy, since the output is not read.

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[X:.*]]: memref<4x4xf32>)
// CHECK:         %[[Y:.*]] = memref.alloc()
// CHECK-NOT:     memref.copy
// CHECK:         ins(%[[X]] : memref<4x4xf32>) outs(%[[Y]] : memref<4x4xf32>)
// CHECK:         return %[[Y]]
func.func @transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = scan.kernel dim = 0
      ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>)
      maps [#transposed, #id]
      load {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32):
        scan.yield %in : f32
      } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A final may not overwrite the init: other threads may still read it.

#id = affine_map<(d0, d1) -> (d0, d1)>
#outer = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @final_over_init(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>, %[[H:.*]]: memref<4xf32>)
// CHECK:         %[[F:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NOT:     memref.copy
// CHECK:         init(%[[H]] : memref<4xf32>) finals(%[[F]] : memref<4xf32>)
func.func @final_over_init(%x: tensor<4x8xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) finals(%h : tensor<4xf32>)
      maps [#id, #outer, #outer]
      load {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } initialize {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32):
        scan.yield
      } finalize {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Two outputs of one destination are two buffers.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @shared_destination(
// CHECK-DAG:     %[[A:.*]] = memref.alloc()
// CHECK-DAG:     %[[B:.*]] = memref.alloc()
// CHECK-NOT:     memref.copy
// CHECK:         scan.kernel
// CHECK-NEXT:      outs(%[[A]], %[[B]] : memref<8xf32>, memref<8xf32>)
// CHECK:         return %[[A]], %[[B]]
func.func @shared_destination(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0:2 = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>)
      maps [#id, #id, #id]
      load {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32):
        %s = arith.addf %in, %a : f32
        scan.yield %in, %s : f32, f32
      } -> tensor<8xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @graph_level(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'scan.associative' op expected scan.kernel at bufferization, found a graph-level op; run --scan-normalize first}}
  %y = scan.associative ins(%a : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @graph_level_recurrence(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'scan.linear_recurrence' op expected scan.kernel at bufferization, found a graph-level op; run --scan-normalize first}}
  %y = scan.linear_recurrence ins(%a, %a : tensor<?xf32>, tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A shifted input is read at other points than its own: its buffer is not that
// of the output, though nobody else needs it and the map is the same.

#id = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @shifted(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>, %[[B:.*]]: f32)
// CHECK:         %[[Y:.*]] = memref.alloc()
// CHECK-NOT:     memref.copy
// CHECK:         ins(%[[X]], %[[B]] : memref<4x8xf32>, f32) outs(%[[Y]] : memref<4x8xf32>)
// CHECK-NEXT:    maps {{.*}} attributes {boundaries = array<i64: 1, -1>, shifts = array<i64: 1, 0>}
// CHECK:         return %[[Y]]
func.func @shifted(%x: tensor<4x8xf32>, %b: f32) -> tensor<4x8xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %b : tensor<4x8xf32>, f32) outs(%x : tensor<4x8xf32>)
      maps [#id, #scalar, #id] attributes {boundaries = array<i64: 1, -1>, shifts = array<i64: 1, 0>}
      load {
      ^bb0(%a: f32, %e: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Nor if it is read unshifted as well.

#id = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @shifted_and_not(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xf32>, %[[B:.*]]: f32)
// CHECK:         %[[Y:.*]] = memref.alloc()
// CHECK:         ins(%[[X]], %[[B]], %[[X]] : memref<4x8xf32>, f32, memref<4x8xf32>) outs(%[[Y]] : memref<4x8xf32>)
func.func @shifted_and_not(%x: tensor<4x8xf32>, %b: f32) -> tensor<4x8xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %b, %x : tensor<4x8xf32>, f32, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
      maps [#id, #scalar, #id, #id] attributes {boundaries = array<i64: -1, -1, 1>, shifts = array<i64: 0, 0, -1>}
      load {
      ^bb0(%a: f32, %e: f32, %n: f32):
        %m = arith.mulf %a, %n : f32
        scan.yield %m : f32
      } combine {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32, %e: f32, %n: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @left_over(%x: tensor<4x8xf32>, %b: f32) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.shift' op expected scan.kernel at bufferization, found a graph-level op; run --scan-shift-to-slices first}}
  %0 = scan.shift %x boundary(%b : f32) dim = 0 by = 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A scan in both directions reads elements again after it has written there: no
// output takes the place of an input.
// CHECK-LABEL: func.func @bidirectional(
// CHECK-SAME:    %[[X:.*]]: memref<8x64xf32>)
// CHECK:         %[[Y:.*]] = memref.alloc() {{.*}} : memref<8x64xf32>
// CHECK:         %[[Z:.*]] = memref.alloc() {{.*}} : memref<8x64xf32>
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[X]] : {{.*}}) outs(%[[Z]], %[[Y]] : 
// CHECK:           attributes {bidirectional = 1 : i64}
func.func @bidirectional(%x: tensor<8x64xf32> {bufferization.writable = true}) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %n = tensor.empty() : tensor<8x64xf32>
  %0:2 = scan.kernel dim = 1
      ins(%x : tensor<8x64xf32>) outs(%x, %n : tensor<8x64xf32>, tensor<8x64xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.subf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%up_to: f32, %from: f32, %before: f32, %behind: f32, %e: f32):
        scan.yield %up_to, %from : f32, f32
      } -> tensor<8x64xf32>, tensor<8x64xf32>
  return %0#0, %0#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// A reduction output is added to what its buffer holds: the tensor that others read later is
// copied, the zeros that nobody else reads are not, and neither is one with an
// input.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[X:.*]]: memref<8x64xf32>, %[[S:.*]]: memref<64xf32>
// CHECK-DAG:     %[[ZEROS:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-DAG:     linalg.fill ins(%{{.*}}) outs(%[[ZEROS]] : memref<8xf32>)
// CHECK-DAG:     %[[COPY:.*]] = memref.alloc() {{.*}} : memref<64xf32>
// CHECK-DAG:     memref.copy %[[S]], %[[COPY]]
// CHECK-NOT:     memref.copy
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[X]], %[[S]] : {{.*}}) outs(%[[COPY]], %[[ZEROS]] : 
func.func @sums(%x: tensor<8x64xf32>, %s: tensor<64xf32> {bufferization.writable = true}) -> (tensor<64xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %0:2 = scan.kernel dim = 1
      ins(%x, %s : tensor<8x64xf32>, tensor<64xf32>) outs(%s, %zeros : tensor<64xf32>, tensor<8xf32>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (t)>, affine_map<(b, t) -> (t)>, affine_map<(b, t) -> (b)>]
      load {
      ^bb0(%e: f32, %f: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %0 = arith.addf %a0, %a1 : f32
        scan.yield %0 : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32):
        %p = arith.mulf %in, %f : f32
        scan.yield %p, %in : f32, f32
      } -> tensor<64xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<64xf32>, tensor<8xf32>
}

// -----

func.func @left_over_starts(%s: tensor<?xi32>) -> tensor<8xi1> {
  // expected-error@+1 {{'scan.head_flags' op expected scan.kernel at bufferization, found a graph-level op; run --scan-fuse-segment-offsets first}}
  %0 = scan.head_flags %s : tensor<?xi32> -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// A list is read by all tiles, at any time: no output takes its place.
// CHECK-LABEL: func.func @list_in_place(
// CHECK-SAME:    %[[X:.*]]: memref<8xi32>, %[[S:.*]]: memref<8xi32>)
// CHECK:         %[[Y:.*]] = memref.alloc() {{.*}} : memref<8xi32>
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[X]], %[[S]] : memref<8xi32>, memref<8xi32>) outs(%[[Y]] : memref<8xi32>)
// CHECK:           segment_offsets = array<i1: false, true>
func.func @list_in_place(%x: tensor<8xi32>, %s: tensor<8xi32> {bufferization.writable = true}) -> tensor<8xi32> {
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<8xi32>, tensor<8xi32>) outs(%s : tensor<8xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: i32, %start: i1):
        %zero = arith.constant 0 : i32
        %l = arith.select %start, %zero, %e : i32
        scan.yield %l : i32
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

// Threads may share states that have elements of their own (of %b): each of them reads %x.

#steps = affine_map<(d0, d1) -> (d0, d1)>
#times = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @shared_states(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xf32>,
// CHECK:         %[[Y:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?x8xf32>
// CHECK:         scan.kernel
// CHECK-NEXT:      outs(%[[Y]] : memref<?x8xf32>)
func.func @shared_states(%x: tensor<?x8xf32> {bufferization.writable = true}, %b: tensor<?x2xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %y = scan.kernel dim = 0
      ins(%x, %b : tensor<?x8xf32>, tensor<?x2xf32>) init(%zero : f32) outs(%x : tensor<?x8xf32>)
      maps [#steps, #times, #none, #steps]
      load {
      ^bb0(%e: f32, %b0: f32, %b1: f32):
        %p0 = arith.mulf %e, %b0 : f32
        %p1 = arith.mulf %e, %b1 : f32
        scan.yield %p0, %p1 : f32, f32
      } initialize {
      ^bb0(%a: f32):
        scan.yield %a, %a : f32, f32
      } combine {
      ^bb0(%l0: f32, %l1: f32, %r0: f32, %r1: f32):
        %s0 = arith.addf %l0, %r0 : f32
        %s1 = arith.addf %l1, %r1 : f32
        scan.yield %s0, %s1 : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %e: f32, %b0: f32, %b1: f32):
        %s = arith.addf %i0, %i1 : f32
        scan.yield %s : f32
      } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
