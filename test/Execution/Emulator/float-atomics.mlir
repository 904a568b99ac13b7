// Atomic additions of floating-point numbers: from all threads and blocks to one
// element without a race, counted as what they read and write, beside the 12 bytes
// that the host has written; a plain access to the same element is one.
//
// RUN: scan-run %s --entry=main --target=emulator --seed=1 | FileCheck %s --check-prefix=SUM
// RUN: scan-run %s --entry=main --target=emulator --schedule=adversarial --resident-blocks=1 | FileCheck %s --check-prefix=SUM
// SUM: [192]
// SUM: [192.5]
// RUN: scan-run %s --entry=main --target=emulator --stats --json | FileCheck %s --check-prefix=STATS
// STATS: "global_reads": {
// STATS-NEXT: "bytes": 2304,
// STATS-NEXT: "compulsory_bytes": 12,
// STATS: "global_writes": {
// STATS-NEXT: "bytes": 2316,
// STATS-NEXT: "compulsory_bytes": 24,
// STATS: "atomics": 384
//
// RUN: not scan-run %s --entry=mixed --target=emulator --seed=1 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not scan-run %s --entry=mixed --target=emulator --schedule=in-order 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: kernel 'kernels::mixed': data race on argument #0, element 0 (byte 0):

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sum(%x: memref<1xf32>, %y: memref<1xf64>) kernel {
      %one = arith.constant 1.0 : f32
      %wide = arith.constant 1.0 : f64
      %i = memref.extract_aligned_pointer_as_index %x : memref<1xf32> -> index
      %a = arith.index_cast %i : index to i64
      %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
      llvm.atomicrmw fadd %p, %one syncscope("device") monotonic : !llvm.ptr<1>, f32
      %j = memref.extract_aligned_pointer_as_index %y : memref<1xf64> -> index
      %b = arith.index_cast %j : index to i64
      %q = llvm.inttoptr %b : i64 to !llvm.ptr<1>
      llvm.atomicrmw fadd %q, %wide syncscope("device") monotonic : !llvm.ptr<1>, f64
      gpu.return
    }
    gpu.func @mixed(%x: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %v = memref.load %x[%c0] : memref<1xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %x[%c0] : memref<1xf32>
      } else {
        %i = memref.extract_aligned_pointer_as_index %x : memref<1xf32> -> index
        %a = arith.index_cast %i : index to i64
        %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
        llvm.atomicrmw fadd %p, %one syncscope("device") monotonic : !llvm.ptr<1>, f32
      }
      gpu.return
    }
  }
  func.func @main() -> (memref<1xf32>, memref<1xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f64
    %x = memref.alloc() : memref<1xf32>
    %y = memref.alloc() : memref<1xf64>
    memref.store %zero, %x[%c0] : memref<1xf32>
    memref.store %half, %y[%c0] : memref<1xf64>
    gpu.launch_func @kernels::@sum blocks in (%c3, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<1xf32>, %y : memref<1xf64>)
    return %x, %y : memref<1xf32>, memref<1xf64>
  }
  func.func @mixed() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %x = memref.alloc() : memref<1xf32>
    memref.store %zero, %x[%c0] : memref<1xf32>
    gpu.launch_func @kernels::@mixed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<1xf32>)
    return
  }
}
