// RUN: scan-opt %s --scan-assign-schedule --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-assign-schedule=dispatch=false --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: scan-opt %s --scan-assign-schedule --scan-assign-schedule --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-assign-schedule=variant=1 --split-input-file | FileCheck %s --check-prefixes=OFF,FIRST
// RUN: scan-opt %s --scan-assign-schedule=variant=100 --split-input-file | FileCheck %s --check-prefixes=OFF,LAST

// Where extents are dynamic, the host chooses among several schedules. One of them
// alone can be asked for, by its number.

// FIRST-LABEL: func.func @one_row
// FIRST: schedule = #scan.schedule<strategy = row, {{(threads = [0-9]+, )?}}items = {{[0-9]+}}>
// LAST-LABEL: func.func @one_row
// LAST: schedule = #scan.schedule<strategy = row, {{.*}}scope = grid

// OFF-NOT: scf.if

// Short rows share a block; of longer ones a few have many blocks, and many have
// one each. Conditions are on the steps, and on the product of the other extents.

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>)
// CHECK-DAG: %[[BATCH:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[STEPS:.*]] = memref.dim %[[X]], %c1
// CHECK: arith.cmpi slt, %[[STEPS]], %{{.*}} : index
// CHECK: scf.if
// CHECK: scan.kernel dim = 1
// CHECK: schedule = #scan.schedule<strategy = row, {{.*}}rows = {{[0-9]+}}>
// CHECK: arith.cmpi slt, %[[BATCH]], %{{.*}} : index
// CHECK: scf.if
// CHECK: schedule = #scan.schedule<strategy = row, {{.*}}scope = grid{{.*}}>
// CHECK: return
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// Where the host has chosen by the number of scans already, there are schedules for these only:
// none that divides rows among blocks.

// CHECK-LABEL: func.func @many_rows
// CHECK-NOT: scope = grid
// CHECK: scan.scans_range = array<i64: 8192>
// CHECK-NOT: scope = grid
// CHECK: return
func.func @many_rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {scan.scans_range = array<i64: 8192>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// One long row, or a short one: the number of points is no question.

// CHECK-LABEL: func.func @one_row
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %{{.*}}: memref<?xf32>)
// CHECK: %[[STEPS:.*]] = memref.dim %[[X]], %c0
// CHECK: arith.cmpi {{slt|sge}}, %[[STEPS]], %{{.*}} : index
// CHECK: scope = grid
// CHECK: return
func.func @one_row(%x: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// Two dynamic extents are multiplied, static ones are divided by: the batch is 4 times their product.

// CHECK-LABEL: func.func @batches
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?x4x65536xf32>
// CHECK-DAG: %[[A:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[B:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[N:.*]] = arith.muli %[[A]], %[[B]] : index
// CHECK: arith.cmpi slt, %[[N]], %c{{[0-9]+}}{{.*}} : index
// CHECK: scf.if
func.func @batches(%x: memref<?x?x4x65536xf32>, %y: memref<?x?x4x65536xf32>) {
  scan.kernel dim = 3
      ins(%x : memref<?x?x4x65536xf32>) outs(%y : memref<?x?x4x65536xf32>)
      maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// With static extents there is nothing to choose, and a left fold has one thread per row.
// (Its threads and items may be several.)

// CHECK-LABEL: func.func @static
// CHECK-NOT: scf.if
// CHECK: schedule = #scan.schedule<strategy = row
// CHECK: order = #scan.order<sequential>, scan.variant = array<i64: 0, 1>, schedule = #scan.schedule<strategy = row, threads = [[N:[0-9]+]], items = {{[0-9]+}}, rows = [[N]]>
// CHECK: order = #scan.order<sequential>, scan.variant = array<i64: 0, 2>, schedule = #scan.schedule<strategy = row, threads = [[M:[0-9]+]], items = {{[0-9]+}}, rows = [[M]]>
// CHECK-NOT: strategy = {{row|column}}
// CHECK: return
func.func @static(%x: memref<64x4096xf32>, %y: memref<64x4096xf32>, %u: memref<?x?xf32>, %v: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<64x4096xf32>) outs(%y : memref<64x4096xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  scan.kernel dim = 1
      ins(%u : memref<?x?xf32>) outs(%v : memref<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {order = #scan.order<sequential>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// The user's schedule stands, alone.

// CHECK-LABEL: func.func @kept
// CHECK-NOT: scf.if
// CHECK: schedule = #scan.schedule<strategy = row, threads = 64, items = 3>
// CHECK-NOT: scf.if
// CHECK: return
func.func @kept(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// On tensors a kernel has one schedule.

// CHECK-LABEL: func.func @tensors
// CHECK-NOT: scf.if
// CHECK: schedule = #scan.schedule<
// CHECK-NOT: scf.if
// CHECK: return
func.func @tensors(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = scan.kernel dim = 1
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// Variants of one scan have its number, and one of their own; scans that were dispatched
// before keep theirs. Where the bracketing has to be the same in every run, a launcher
// must not take another variant.

// CHECK-LABEL: func.func @numbers
// CHECK: scan.variant = array<i64: 8, 1>
// CHECK: scan.variant = array<i64: 8, 2>
// CHECK: scan.variant = array<i64: 9, 1>
// CHECK: scan.variant = array<i64: 9, 2>
// CHECK: scf.if
// CHECK-NOT: scan.variant = array<i64: 10
// CHECK: scan.variant = array<i64: 7, 1>
// CHECK-NOT: scan.variant
// CHECK: return
func.func @numbers(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %w: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  scan.kernel dim = 0
      ins(%y : memref<?xf32>) outs(%z : memref<?xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  scan.kernel dim = 0
      ins(%z : memref<?xf32>) outs(%w : memref<?xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {order = #scan.order<deterministic>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  scan.kernel dim = 0
      ins(%w : memref<?xf32>) outs(%x : memref<?xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {scan.variant = array<i64: 7, 1>, schedule = #scan.schedule<strategy = row, items = 8>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
