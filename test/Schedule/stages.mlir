// Bulk copies are there from sm_90 on.

// RUN: scan-opt %s --scan-assign-schedule=chip=sm_90 | FileCheck %s
// RUN: scan-opt %s --scan-assign-schedule=chip=sm_100 | FileCheck %s
// RUN: scan-translate --scan-to-ptx --chip=sm_90 %s -o %t.ptx --manifest=%t.json && FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// CHECK: schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 4>
// PTX: mbarrier.try_wait
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes

// RUN: not scan-opt %s --scan-assign-schedule=chip=sm_89 2>&1 | FileCheck %s --check-prefix=OLD -DCHIP=sm_89
// RUN: not scan-opt %s --scan-assign-schedule=chip=sm_80 2>&1 | FileCheck %s --check-prefix=OLD -DCHIP=sm_80
// RUN: not scan-translate --scan-to-ptx --chip=sm_80 %s -o %t.none 2>&1 | FileCheck %s --check-prefix=OLD -DCHIP=sm_80
// OLD: stages.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}expected a GPU with bulk copies, of sm_90 or later, for a schedule with stages, found [[CHIP]]; leave out stages

// Shared memory is a limit of the chip.

// RUN: sed 's/threads = 160, items = 12/threads = 352, items = 28/; s/stages = 4/stages = 8/' %s > %t.large.mlir
// RUN: scan-opt %t.large.mlir --scan-assign-schedule=chip=sm_90 -o %t.out
// RUN: not scan-opt %t.large.mlir --scan-assign-schedule=chip=sm_120 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: 'scan.kernel' op expected a schedule with at most 101376 bytes of shared memory per block for sm_120, found 352 threads with 28 items, which take 230{{[0-9]+}} bytes; lower threads or items

// And what bulk copies cannot load is refused here, too.

// RUN: sed 's/items = 12/items = 8/' %s | not scan-opt --scan-assign-schedule=chip=sm_90 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: error: 'scan.kernel' op expected an odd number of vectors of 16 bytes of each input for a thread (input 0), found 32 bytes with 8 items, for the bulk copies of a schedule with stages; change items or leave out stages

#m = affine_map<(d0) -> (d0)>
func.func @sum(%x: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 4>}
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
