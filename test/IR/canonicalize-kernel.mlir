// RUN: scan-opt %s --canonicalize --split-input-file | FileCheck %s

// The linear recurrence whose first leaf reaches no output by itself: it stays,
// as the second is combined from it. Its unused output is dropped.
// CHECK-LABEL: func.func @unused_output(
// CHECK: [[R:%.+]] = scan.kernel dim = 0
// CHECK-NEXT: ins({{.*}}) outs({{%[a-z0-9]+}} : tensor<8xf32>)
// CHECK: combine
// CHECK-NEXT: ^bb0({{.*}}: f32, {{.*}}: f32, {{.*}}: f32, {{.*}}: f32):
// CHECK: store
// CHECK-NEXT: ^bb0({{%.+}}: f32, [[B:%.+]]: f32, {{%.+}}: f32, {{%.+}}: f32, {{%.+}}: f32, {{%.+}}: f32):
// CHECK-NEXT: scan.yield [[B]] : f32
// CHECK: -> tensor<8xf32>{{$}}
// CHECK: return [[R]]
func.func @unused_output(%a: tensor<8xf32>, %b: tensor<8xf32>, %o: tensor<8xf32>, %l: tensor<f32>) -> tensor<8xf32> {
  %0, %1, %2 = scan.kernel dim = 0
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o, %o : tensor<8xf32>, tensor<8xf32>) finals(%l : tensor<f32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]
      load {
      ^bb0(%x: f32, %y: f32):
        scan.yield %x, %y : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %p = arith.mulf %a1, %a0 : f32
        %q = arith.mulf %a1, %b0 : f32
        %r = arith.addf %q, %b1 : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %x: f32, %y: f32):
        scan.yield %ia, %ib : f32, f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        scan.yield %fb : f32
      } -> tensor<8xf32>, tensor<8xf32>, tensor<f32>
  return %1 : tensor<8xf32>
}

// -----

// A leaf that reaches no output, and then the input that only it read.
// CHECK-LABEL: func.func @dead_leaf(
// CHECK-SAME: {{%.+}}: tensor<8xf32>, [[B:%[a-z0-9]+]]: tensor<8xi32>
// CHECK: scan.kernel dim = 0
// CHECK-NEXT: ins([[B]] : tensor<8xi32>) init({{%.+}} : i32)
// CHECK: load {
// CHECK-NEXT: ^bb0([[E:%.+]]: i32):
// CHECK-NEXT: scan.yield [[E]] : i32
// CHECK: initialize {
// CHECK-NEXT: ^bb0([[I:%.+]]: i32):
// CHECK-NEXT: scan.yield [[I]] : i32
// CHECK: combine {
// CHECK-NEXT: ^bb0([[ACC:%.+]]: i32, [[NEW:%.+]]: i32):
// CHECK-NEXT: [[S:%.+]] = arith.addi [[ACC]], [[NEW]]
// CHECK-NEXT: scan.yield [[S]] : i32
// CHECK: store {
// CHECK-NEXT: ^bb0({{%.+}}: i32, [[X:%.+]]: i32, {{%.+}}: i32):
// CHECK-NEXT: scan.yield [[X]] : i32
func.func @dead_leaf(%a: tensor<8xf32>, %b: tensor<8xi32>, %i: i32, %o: tensor<8xi32>) -> tensor<8xi32> {
  %0 = scan.kernel dim = 0
      ins(%a, %b : tensor<8xf32>, tensor<8xi32>) init(%i : i32) outs(%o : tensor<8xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%x: f32, %y: i32):
        %n = arith.negf %x : f32
        scan.yield %n, %y : f32, i32
      } initialize {
      ^bb0(%j: i32):
        %z = arith.constant 0.0 : f32
        scan.yield %z, %j : f32, i32
      } combine {
      ^bb0(%a0: f32, %b0: i32, %a1: f32, %b1: i32):
        %p = arith.addf %a0, %a1 : f32
        %q = arith.addi %b0, %b1 : i32
        scan.yield %p, %q : f32, i32
      } store {
      ^bb0(%ia: f32, %ib: i32, %ea: f32, %eb: i32, %x: f32, %y: i32):
        scan.yield %eb : i32
      } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// One tensor under one map is read once, and through a cast that hides its
// extents.
// CHECK-LABEL: func.func @same_input(
// CHECK-SAME: [[X:%[a-z0-9]+]]: tensor<8xf32>
// CHECK: scan.kernel dim = 0 reverse
// CHECK-NEXT: ins([[X]] : tensor<8xf32>) outs(
// CHECK: load {
// CHECK-NEXT: ^bb0([[E:%.+]]: f32):
// CHECK-NEXT: [[P:%.+]] = arith.mulf [[E]], [[E]]
func.func @same_input(%x: tensor<8xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %0 = scan.kernel dim = 0 reverse
      ins(%c, %c : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %a: f32, %b: f32):
        %s = arith.addf %in, %b : f32
        scan.yield %s : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Buffers are written whether or not somebody reads them.
// CHECK-LABEL: func.func @buffers_stay(
// CHECK: scan.kernel
// CHECK-NEXT: ins({{.*}} : memref<8xf32>) outs({{.*}} : memref<8xf32>, memref<8xf32>)
func.func @buffers_stay(%x: memref<8xf32>, %o: memref<8xf32>, %p: memref<8xf32>) {
  %c = memref.cast %x : memref<8xf32> to memref<?xf32>
  scan.kernel dim = 0
      ins(%c : memref<?xf32>) outs(%o, %p : memref<8xf32>, memref<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in, %e : f32, f32
      }
  return
}

// -----

// Leaves of one direction are left: the kernel runs in it.
// CHECK-LABEL: func.func @only_against(
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NOT:       bidirectional
// CHECK:           combine {
// CHECK-NEXT:      ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:        %[[S:.*]] = arith.subf %[[A]], %[[B]]
// CHECK-NEXT:        scan.yield %[[S]]
func.func @only_against(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0:2 = scan.kernel dim = 1
      ins(%x : tensor<8x64xf32>) outs(%y, %y : tensor<8x64xf32>, tensor<8x64xf32>)
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
  return %0#1 : tensor<8x64xf32>
}

// -----

// CHECK-LABEL: func.func @only_along(
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NOT:       bidirectional
// CHECK:           combine {
// CHECK-NEXT:      ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:        scan.yield %[[S]]
func.func @only_along(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0:2 = scan.kernel dim = 1 reverse
      ins(%x : tensor<8x64xf32>) outs(%y, %y : tensor<8x64xf32>, tensor<8x64xf32>)
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
  return %0#0 : tensor<8x64xf32>
}

// -----

// A reduction output that nobody reads is not computed. An input that nobody looks at stays as
// long as nothing else says its extents: it does not say all.
// CHECK-LABEL: func.func @sums(
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?xf32>)
// CHECK:           store {
// CHECK-NEXT:      ^bb0(%[[IN:.*]]: i32, %{{.*}}: i32, %{{.*}}: f32):
// CHECK-NEXT:        %[[F:.*]] = arith.sitofp %[[IN]]
// CHECK-NEXT:        scan.yield %[[F]] : f32
func.func @sums(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %r: tensor<f32>) -> tensor<?xf32> {
  %0:2 = scan.kernel dim = 0
      ins(%x : tensor<?x?xf32>) outs(%s, %r : tensor<?xf32>, tensor<f32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>]
      load {
      ^bb0(%e: f32):
        %one = arith.constant 1 : i32
        scan.yield %one : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %n = arith.addi %acc, %new : i32
        scan.yield %n : i32
      } store {
      ^bb0(%in: i32, %ex: i32, %e: f32):
        %f = arith.sitofp %in : i32 to f32
        scan.yield %f, %e : f32, f32
      } -> tensor<?xf32>, tensor<f32>
  return %0#0 : tensor<?xf32>
}

// -----

// A cast that adds the extents of trailing dimensions, or the 1 of a broadcast
// one, stays: the kernel is not valid without it (C3, C4, C8).
// CHECK-LABEL: func.func @cast_adds_extents(
// CHECK: [[X:%.+]] = memref.cast %{{.*}} : memref<?x?xf32> to memref<?x2xf32>
// CHECK: [[Y:%.+]] = memref.cast %{{.*}} : memref<?x?xf32> to memref<1x?xf32>
// CHECK: scan.kernel dim = 0
// CHECK-NEXT: ins([[X]], [[Y]] : memref<?x2xf32>, memref<1x?xf32>) outs(%{{.*}} : memref<?xf32>)
func.func @cast_adds_extents(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %o: memref<?xf32>) {
  %c = memref.cast %x : memref<?x?xf32> to memref<?x2xf32>
  %d = memref.cast %y : memref<?x?xf32> to memref<1x?xf32>
  scan.kernel dim = 0
      ins(%c, %d : memref<?x2xf32>, memref<1x?xf32>) outs(%o : memref<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0, d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32, %f: f32, %g: f32):
        %p = arith.mulf %e, %f : f32
        %q = arith.addf %p, %g : f32
        scan.yield %q : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32, %g: f32):
        scan.yield %in : f32
      }
  return
}

// -----

// What hides extents of one operand and adds some of another: each by itself.
// Strides that a cast hides are known again, too.
// CHECK-LABEL: func.func @cast_of_each(
// CHECK-SAME: [[X:%[a-z0-9]+]]: memref<8xf32, strided<[2]>>, %{{.*}}: memref<?xf32>, [[O:%[a-z0-9]+]]: memref<8xf32>
// CHECK: [[Y:%.+]] = memref.cast %{{.*}} : memref<?xf32> to memref<8xf32>
// CHECK-NOT: memref.cast
// CHECK: ins([[X]], [[Y]] : memref<8xf32, strided<[2]>>, memref<8xf32>) outs([[O]] : memref<8xf32>)
func.func @cast_of_each(%x: memref<8xf32, strided<[2]>>, %y: memref<?xf32>, %o: memref<8xf32>) {
  %c = memref.cast %x : memref<8xf32, strided<[2]>> to memref<?xf32, strided<[?]>>
  %d = memref.cast %y : memref<?xf32> to memref<8xf32>
  %p = memref.cast %o : memref<8xf32> to memref<?xf32>
  scan.kernel dim = 0 reverse
      ins(%c, %d : memref<?xf32, strided<[?]>>, memref<8xf32>) outs(%p : memref<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32, %f: f32):
        %q = arith.mulf %e, %f : f32
        scan.yield %q : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.subf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32):
        scan.yield %in : f32
      }
  return
}

// -----

// Extents that contradict each other stop the program when it runs, if it gets
// there. It is not made an invalid one before.
// CHECK-LABEL: func.func @cast_contradicts(
// CHECK: ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<?xf32>)
func.func @cast_contradicts(%x: memref<8xf32>, %o: memref<5xf32>) {
  %c = memref.cast %x : memref<8xf32> to memref<?xf32>
  %p = memref.cast %o : memref<5xf32> to memref<?xf32>
  scan.kernel dim = 0
      ins(%c : memref<?xf32>) outs(%p : memref<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}
