// RUN: scan-opt %s --scan-assign-schedule | FileCheck %s
// RUN: scan-opt %s --scan-assign-schedule=chip=sm_75 | FileCheck %s --check-prefix=T4

// Channels innermost, batch and time unknown: a row along time would waste most
// of the traffic, however fast the memory.
// RUN: scan-opt %examples/rglru.mlir --scan-to-gpu=chip=sm_100 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: schedule = #scan.schedule<strategy = column

// The scan dimension is contiguous: one block a row.
// CHECK-LABEL: func.func @row_dynamic
// CHECK: schedule = #scan.schedule<strategy = row,
func.func @row_dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
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

// The scan dimension is strided: the threads of a block split time.
// CHECK-LABEL: func.func @column_dynamic
// CHECK: schedule = #scan.schedule<strategy = column
func.func @column_dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 0
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

// Enough columns to fill the machine.
// CHECK-LABEL: func.func @batch_time_channel
// CHECK: schedule = #scan.schedule<strategy = column
// T4-LABEL: func.func @batch_time_channel
// T4: schedule = #scan.schedule<strategy = sequential
func.func @batch_time_channel(%x: memref<8x4096x1024xf32>, %y: memref<8x4096x1024xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<8x4096x1024xf32>) outs(%y : memref<8x4096x1024xf32>) maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
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

// A single row gets a large block.
// CHECK-LABEL: func.func @one_row
// CHECK: schedule = #scan.schedule<strategy = row, {{.*}}scope = grid>
func.func @one_row(%x: memref<1048576xf32>, %y: memref<1048576xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<1048576xf32>) outs(%y : memref<1048576xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
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

// Rows of 64 bytes: many share a block.
// CHECK-LABEL: func.func @short_rows
// CHECK: schedule = #scan.schedule<strategy = row, items = {{[0-9]+}}, rows = {{[0-9]+}}>
func.func @short_rows(%x: memref<100000x16xf32>, %y: memref<100000x16xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<100000x16xf32>) outs(%y : memref<100000x16xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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

// No larger a tile than the row.
// CHECK-LABEL: func.func @row_of_100
// CHECK: schedule = #scan.schedule<strategy = row>
func.func @row_of_100(%x: memref<512x100xf32>, %y: memref<512x100xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<512x100xf32>) outs(%y : memref<512x100xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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

// Two columns do not fill a machine, whatever the layout.
// CHECK-LABEL: func.func @two_columns
// CHECK: schedule = #scan.schedule<{{.*}}scope = grid{{.*}}>
func.func @two_columns(%x: memref<1000000x2xf32>, %y: memref<1000000x2xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<1000000x2xf32>) outs(%y : memref<1000000x2xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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

// Wide elements take more registers.
// CHECK-LABEL: func.func @doubles
// CHECK: schedule = #scan.schedule<strategy = row,
func.func @doubles(%x: memref<?x?xf64>, %y: memref<?x?xf64>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.addf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}

// Of a left fold a thread takes all steps, of rows that pass through shared memory.
// CHECK-LABEL: func.func @in_order
// CHECK: schedule = #scan.schedule<strategy = row, threads = [[N:[0-9]+]], items = 8, rows = [[N]]>
// CHECK: schedule = #scan.schedule<strategy = row, threads = [[M:[0-9]+]], items = 32, rows = [[M]]>
func.func @in_order(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {order = #scan.order<sequential>}
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

// The user's schedule stands.
// CHECK-LABEL: func.func @kept
// CHECK: schedule = #scan.schedule<strategy = sequential, threads = 256, items = 3>
func.func @kept(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {schedule = #scan.schedule<strategy = sequential, threads = 256, items = 3>}
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

