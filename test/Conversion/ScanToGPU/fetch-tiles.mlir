// While a block waits for its ticket, the second-level cache fetches the tile of the ticket
// that has the block's number.

// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s
// RUN: scan-translate --scan-to-ptx %s --chip=sm_75 | FileCheck %s --check-prefix=PTX
// RUN: sed 's/?x?xf32/1x65536xf32/g' %s | scan-opt - --convert-scan-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=MANY
// RUN: sed 's/?x?xf32/2x32256xf32/g' %s | scan-opt - --convert-scan-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=FEWER
// (grid-numbers.mlir has the numbers of such kernels.)

// A tile of 512 elements is 16 lines. A partial tile is not fetched: its lines need not be in
// the array.
// CHECK-LABEL: gpu.func @rows
// CHECK-DAG:     %[[THREAD:.*]] = gpu.thread_id x
// CHECK:         %[[BLOCK:.*]] = arith.addi
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[BLOCK]], %{{.*}}
// CHECK-NEXT:    scf.if %[[IN]] {
// CHECK-NEXT:      %[[TILE:.*]] = arith.divui %[[BLOCK]], %[[ROWS:.*]] :
// CHECK-NEXT:      %[[BASE:.*]] = arith.muli %[[TILE]], %c512
// CHECK-NEXT:      %[[ROW:.*]] = arith.remui %[[BLOCK]], %[[ROWS]]
// CHECK-NEXT:      %[[END:.*]] = arith.addi %[[BASE]], %c512
// CHECK-NEXT:      %[[FULL:.*]] = arith.cmpi ule, %[[END]], %[[EXTENT:.*]] :
// CHECK-NEXT:      scf.if %[[FULL]] {
// CHECK:             arith.muli %[[ROW]], %{{.*}}
// CHECK:             %[[LINE:.*]] = arith.cmpi ult, %[[THREAD]], %c16
// CHECK-NEXT:        scf.if %[[LINE]] {
// CHECK-NEXT:          %[[OFFSET:.*]] = arith.muli %[[THREAD]], %c128
// CHECK:               llvm.inline_asm has_side_effects "prefetch.global.L2 [$0];", "l"
// CHECK:         llvm.atomicrmw add
// 128 blocks draw their tickets first, 126 do not.
// MANY:          %[[DRAWN:.*]] = scf.if
// MANY:            llvm.atomicrmw add
// MANY:            llvm.inline_asm has_side_effects "prefetch.global.L2 [$0];", "l"
// MANY:          memref.store %[[DRAWN]]
// MANY:          gpu.barrier
// FEWER-NOT:     llvm.atomicrmw add
// FEWER:         llvm.inline_asm has_side_effects "prefetch.global.L2 [$0];", "l"
// FEWER:         llvm.atomicrmw add
// PTX: prefetch.global.L2 [%rd{{[0-9]+}}];
#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, scope = grid>}
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
