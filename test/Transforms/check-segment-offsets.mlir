// Offsets that kernels check. A row kernel takes the mark over; what computes a tensor of
// flags checks them by itself, in a loop whose iterations the steps share.

// RUN: scan-opt %s --scan-expand-segments=check-in-kernels --scan-normalize --canonicalize --scan-fuse-segment-offsets | FileCheck %s
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: scan-opt %s --scan-to-gpu | scan-opt --scan-check-status | FileCheck %s --check-prefix=EMULATED

// CHECK-LABEL: func.func @row(
// CHECK-NOT:     scan.status
// CHECK:         scan.kernel dim = 0
// CHECK:             scan.check_offsets = 0 : i64, {{.*}}segment_offsets = array<i1: false, true>

// The status of the kernel is freed behind its launch; it is an argument of its own.
// GPU-LABEL:   func.func @row(
// GPU:           %[[STATUS:.+]] = memref.alloc() {bufferization.manual_deallocation, scan.status = {argument = 1 : i64, dim = 0 : i64}} : memref<3xi64>
// GPU:           linalg.fill {scan.workspace} ins(%{{.+}} : i64) outs(%[[STATUS]] : memref<3xi64>)
// GPU:           gpu.launch_func
// GPU-NEXT:      memref.dealloc %[[STATUS]]

// In the emulator it lives throughout the function.
// EMULATED-LABEL: func.func @row(
// EMULATED:         %[[STATUS:.+]] = memref.alloc() {{.*}}scan.status
// EMULATED-COUNT-3: memref.store %{{.+}}, %[[STATUS]]
// EMULATED:         gpu.launch_func
// EMULATED-NOT:     memref.dealloc %[[STATUS]]
// EMULATED:         %[[WORD:.+]] = memref.load %[[STATUS]]
// EMULATED:         %[[FINE:.+]] = arith.cmpi eq, %[[WORD]], %{{.+}} : i64
// EMULATED:         cf.assert %[[FINE]], "scan: expected the offsets of segments to start with 0, not to decrease, and to end with the extent of dimension 0, which is scanned"
func.func @row(%x: tensor<4096xf32>, %s: tensor<?xi32>) -> tensor<4096xf32> {
  %y = scan.associative ins(%x : tensor<4096xf32>) segments(%s : tensor<?xi32>) dim = 0
    attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %{{.+}}: tensor<?x64xf32>, %[[S:.+]]: tensor<?xi32>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         %[[STEPS:.+]] = tensor.dim
// CHECK:         %[[STATUS:.+]] = memref.alloc() {scan.status = {argument = 1 : i64, dim = 0 : i64}} : memref<3xi64>
// CHECK:         %[[STRIDE:.+]] = arith.maxsi %[[STEPS]], %{{.+}} : index
// CHECK:         linalg.generic
// CHECK:           %[[STEP:.+]] = linalg.index 0 : index
// CHECK:           scf.while
// CHECK:           scf.for %[[I:.+]] = %[[STEP]] to %{{.+}} step %[[STRIDE]] {
// CHECK:             tensor.extract %[[S]][%[[I]]]
// CHECK:             tensor.extract %[[S]]
// CHECK-COUNT-3:       llvm.atomicrmw umax {{.*}} syncscope("device") monotonic
// CHECK:           } {scan.offsets_loop}

// The loop is in front of what only threads with a step do.
// GPU-LABEL:   gpu.func @columns_map0(
// GPU-SAME:      kind = "status", name = "status"
// GPU:           scf.if
// GPU-NEXT:        scf.for
// GPU:             } {scan.offsets_loop}
// GPU:           scf.if
// GPU:             scf.while
// GPU-NOT:       scan.offsets_loop
// GPU:           gpu.return
func.func @columns(%x: tensor<?x64xf32>, %s: tensor<?xi32>) -> tensor<?x64xf32> {
  %y = scan.associative ins(%x : tensor<?x64xf32>) segments(%s : tensor<?xi32>) dim = 0
    attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Flags that are no scan's are not checked: their offsets need not start with 0.
// CHECK-LABEL: func.func @flags(
// CHECK-NOT:     scan.status
func.func @flags(%s: tensor<?xi32>) -> tensor<9xi1> {
  %f = scan.head_flags %s : tensor<?xi32> -> tensor<9xi1>
  return %f : tensor<9xi1>
}

// Nor are those of other steps than the scan's.
// CHECK-LABEL: func.func @more_steps(
// CHECK:         memref.alloc() {scan.status
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @more_steps(%x: tensor<9x64xf32>, %s: tensor<?xi32>) -> (tensor<9x64xf32>, tensor<12xi1>) {
  %y = scan.associative ins(%x : tensor<9x64xf32>) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<9x64xf32>
  %f = scan.head_flags %s : tensor<?xi32> -> tensor<12xi1>
  return %y, %f : tensor<9x64xf32>, tensor<12xi1>
}
