// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

// The flat arguments of a kernel, how its attributes describe them, and how the
// host passes them.

#tc = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>

// More blocks than one dimension of a grid can have go to a second one.
// CHECK: #[[$GRID:.*]] = affine_map<()[s0, s1] -> ((s1 ceildiv 64) ceildiv ((s1 ceildiv 64) floordiv 2147483648 + 1), (s1 ceildiv 64) floordiv 2147483648 + 1, 1)>
// CHECK: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @arguments
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>, %[[S:.*]]: f32, %[[Y:.*]]: memref<?x?xbf16>, %[[F:.*]]: memref<?xf32>)
func.func @arguments(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %s: f32,
                     %y: memref<?x?xbf16>, %f: memref<?xf32>) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant 2147483648 : index
  // CHECK-DAG: %[[N0:.*]] = memref.dim %[[X]], %[[C0]]
  // CHECK-DAG: %[[N1:.*]] = memref.dim %[[X]], %[[C1]]
  // CHECK: %[[BX:.*]], %[[OFF:.*]], %{{.*}}:2, %[[ST:.*]]:2 = memref.extract_strided_metadata %[[X]]
  // CHECK: %[[BY:.*]], %{{.*}}, %{{.*}}:2, %[[STY:.*]]:2 = memref.extract_strided_metadata %[[Y]]
  // CHECK: %[[BF:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[F]]
  // CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[N1]], %[[C64]]
  // CHECK: %[[DIV:.*]] = arith.divui %[[BLOCKS]], %[[LIMIT]]
  // CHECK: %[[GRIDY:.*]] = arith.addi %[[DIV]], %[[C1]]
  // CHECK: %[[DIVX:.*]] = arith.ceildivui %[[BLOCKS]], %[[GRIDY]]
  // CHECK: %[[GRIDX:.*]] = arith.maxui %[[DIVX]], %[[C1]]
  // CHECK: gpu.launch_func @scan_kernels::@arguments_scan0
  // CHECK-SAME: blocks in (%[[GRIDX]], %[[GRIDY]], %[[C1]]) threads in (%[[C64]], %[[C1]], %[[C1]])
  // CHECK-SAME: args(%[[BX]] : memref<f32>, %[[OFF]] : index, %[[ST]]#0 : index, %[[S]] : f32, %[[BY]] : memref<bf16>, %[[STY]]#0 : index, %[[BF]] : memref<f32>, %[[N0]] : index, %[[N1]] : index)
  // CHECK-NOT: scan.kernel
  scan.kernel dim = 0
      ins(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>) init(%s : f32)
      outs(%y : memref<?x?xbf16>) finals(%f : memref<?xf32>)
      maps [#tc, #none, #tc, #c]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 64>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %r = arith.addf %acc, %new : f32
        scan.yield %r : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        %r = arith.truncf %inclusive : f32 to bf16
        scan.yield %r : bf16
      } finalize {
      ^bb0(%last: f32):
        scan.yield %last : f32
      }
  return
}

// CHECK: gpu.module @scan_kernels
// CHECK: gpu.func @arguments_scan0
// CHECK-SAME: (%[[PX:.*]]: memref<f32>, %[[PO:.*]]: index, %[[PS:.*]]: index, %{{.*}}: f32, %[[PY:.*]]: memref<bf16>, %[[PYS:.*]]: index, %[[PF:.*]]: memref<f32>, %[[P0:.*]]: index, %[[P1:.*]]: index)
// CHECK-SAME: kernel attributes
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: scan.args = [
// CHECK-SAME: {kind = "pointer", name = "x0", operand = 0 : i64, role = "input", type = f32},
// CHECK-SAME: {kind = "offset", name = "x0_offset", operand = 0 : i64, role = "input"},
// CHECK-SAME: {dim = 0 : i64, kind = "stride", name = "x0_stride0", operand = 0 : i64, role = "input"},
// CHECK-SAME: {kind = "scalar", name = "init0", operand = 1 : i64, role = "init", type = f32},
// CHECK-SAME: {kind = "pointer", name = "y0", operand = 2 : i64, role = "output", type = bf16},
// CHECK-SAME: {dim = 0 : i64, kind = "stride", name = "y0_stride0", operand = 2 : i64, role = "output"},
// CHECK-SAME: {kind = "pointer", name = "final0", operand = 3 : i64, role = "final", type = f32},
// CHECK-SAME: {dim = 0 : i64, kind = "size", name = "n0"},
// CHECK-SAME: {dim = 1 : i64, kind = "size", name = "n1"}]
// CHECK-SAME: scan.block = array<i64: 64, 1, 1>
// CHECK-SAME: scan.grid = #[[$GRID]]
// CHECK-SAME: scan.schedule = #scan.schedule<strategy = sequential, threads = 64>
// CHECK: memref.reinterpret_cast %[[PX]] to offset: [%[[PO]]], sizes: [%[[P0]], %[[P1]]], strides: [%[[PS]], 1]
// CHECK: memref.reinterpret_cast %[[PY]] to offset: [0], sizes: [%[[P0]], %[[P1]]], strides: [%[[PYS]], 1]
// CHECK: memref.reinterpret_cast %[[PF]] to offset: [0], sizes: [%[[P1]]], strides: [1]

