// RUN: scan-opt %s --convert-gpu-to-fibers=check-memory --split-input-file | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: scan-opt %s --convert-gpu-to-fibers --split-input-file | FileCheck %s --check-prefixes=CHECK,SOME

// Every access to memory has a call before it, with the name and the location of
// the operation that it comes from. Private memory begins and ends. Without
// check-memory only atomic accesses, fences and divisions are instrumented.

// ALL-DAG: llvm.mlir.global internal constant @{{.*}}("memref.load at {{.*}}instrumentation.mlir:[[#@LINE+25]]:12\00")
// ALL-DAG: llvm.mlir.global internal constant @{{.*}}("memref.store at {{.*}}\00")
// SOME-NOT: memref.store at
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("memref.atomic_rmw at {{.*}}\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("llvm.fence at {{.*}}\00")
// ALL-DAG: llvm.func @scan_emulator_access(!llvm.ptr, !llvm.ptr) attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = readwrite,
// CHECK-DAG: llvm.func @scan_emulator_atomic_access(!llvm.ptr, !llvm.ptr) attributes {no_unwind}
// CHECK-LABEL: llvm.func @kernels__k(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8xf32>, %c: memref<1xi32>)
        private(%p: memref<8xf32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      // ALL: %[[SITE:[0-9]+]] = llvm.mlir.addressof @scan_emulator.access
      // ALL-NEXT: llvm.call @scan_emulator_access(%[[SITE]], %[[ADDRESS:[0-9]+]])
      // ALL-NEXT: llvm.load %[[ADDRESS]]
      // SOME-NOT: llvm.call @scan_emulator_access
      // ALL: llvm.call @scan_emulator_access(
      // CHECK: llvm.store
      // SOME-NOT: llvm.call @scan_emulator_access
      // ALL: llvm.call @scan_emulator_access(
      // CHECK: llvm.load
      // ALL: llvm.call @scan_emulator_access(
      // ALL-NEXT: llvm.store
      %v = memref.load %x[%c0] : memref<8xf32>
      memref.store %v, %p[%c0] : memref<8xf32, #gpu.address_space<private>>
      %w = memref.load %p[%c0] : memref<8xf32, #gpu.address_space<private>>
      memref.store %w, %x[%c0] : memref<8xf32>
      // CHECK: llvm.call @scan_emulator_atomic_access(
      // CHECK-NEXT: llvm.atomicrmw add
      %n = memref.atomic_rmw addi %one, %c[%c0] : (i32, memref<1xi32>) -> i32
      // CHECK: llvm.call @scan_emulator_fence(
      // CHECK-NEXT: llvm.fence acquire
      llvm.fence syncscope("device") acquire
      gpu.return
    }
  }
  // What the host writes is known to be written.
  // CHECK-LABEL: llvm.func @main(
  // ALL: llvm.call @scan_emulator_host_write(
  // SOME-NOT: llvm.call @scan_emulator_host_write(
  // CHECK: llvm.store
  func.func @main(%x: memref<8xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    memref.store %v, %x[%c0] : memref<8xf32>
    return
  }
}
