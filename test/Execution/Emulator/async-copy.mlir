// Asynchronous copies: what they bring is there after the wait, and not before.
//
// RUN: scan-run %s --entry=correct --target=emulator --seed=1 | FileCheck %s
// RUN: scan-run %s --entry=correct --target=emulator --seed=2 | FileCheck %s
// RUN: scan-run %s --entry=correct --target=emulator --schedule=adversarial | FileCheck %s
// RUN: scan-run %s --entry=correct --target=emulator --races=off | FileCheck %s
// CHECK: [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]
//
// Elements beyond the source's are zero.
// RUN: scan-run %s --entry=partial --target=emulator | FileCheck %s --check-prefix=PARTIAL
// PARTIAL: [0, 1, 2, 0]
//
// DEFINE: %{run} = not scan-run %s --target=emulator
//
// Of two groups only the first one has been waited for:
// RUN: %{run} --entry=early 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: kernel 'kernels::early': block (0, 0, 0), thread (0, 0, 0): memref.load at {{.*}} reads workgroup buffer #0, element 4 (byte 16), which an asynchronous copy has not delivered: its thread has not waited for it
//
// A wait orders the thread's own copies only; others need a barrier after it.
// RUN: %{run} --entry=no_barrier --seed=1 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: %{run} --entry=no_barrier --seed=2 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: %{run} --entry=no_barrier --schedule=in-order 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: kernel 'kernels::no_barrier': data race on workgroup buffer #0, element {{[0-9]+}} (byte {{[0-9]+}}): {{nvgpu.device_async_copy|memref.load}} at {{.*}}, then {{nvgpu.device_async_copy|memref.load}} at {{.*}}; there is no barrier between them
//
// A copy that is still under way while a barrier is passed:
// RUN: %{run} --entry=wait_late --seed=1 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %{run} --entry=wait_late --schedule=in-order 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: kernel 'kernels::wait_late': data race on workgroup buffer #0
//
// RUN: %{run} --entry=beyond 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: kernel 'kernels::partial': block (0, 0, 0), thread (0, 0, 0): nvgpu.device_async_copy at {{.*}}: the copy reads more than it writes

!shared = memref<16xi32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Thread t brings element t, and takes that of its mirror.
    gpu.func @correct(%x: memref<16xi32>, %y: memref<16xi32>) workgroup(%s: !shared) kernel {
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %t = gpu.thread_id x
      %u = arith.addi %t, %c8 : index
      %a = nvgpu.device_async_copy %x[%t], %s[%t], 1 : memref<16xi32> to !shared
      %ga = nvgpu.device_async_create_group %a
      %b = nvgpu.device_async_copy %x[%u], %s[%u], 1 : memref<16xi32> to !shared
      %gb = nvgpu.device_async_create_group %b
      nvgpu.device_async_wait %ga {numGroups = 1 : i32}
      gpu.barrier
      %m = arith.subi %c7, %t : index
      %v = memref.load %s[%m] : !shared
      memref.store %v, %y[%t] : memref<16xi32>
      nvgpu.device_async_wait %gb {numGroups = 0 : i32}
      gpu.barrier
      %n = arith.addi %m, %c8 : index
      %w = memref.load %s[%n] : !shared
      memref.store %w, %y[%u] : memref<16xi32>
      gpu.return
    }
    gpu.func @partial(%x: memref<16xi32>, %y: memref<4xi32>, %n: index) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %a = nvgpu.device_async_copy %x[%c0], %s[%c0], 4, %n : memref<16xi32> to !shared
      %g = nvgpu.device_async_create_group %a
      nvgpu.device_async_wait %g
      scf.for %i = %c0 to %c4 step %c1 {
        %v = memref.load %s[%i] : !shared
        memref.store %v, %y[%i] : memref<4xi32>
      }
      gpu.return
    }
    gpu.func @early(%x: memref<16xi32>, %y: memref<16xi32>) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %a = nvgpu.device_async_copy %x[%c0], %s[%c0], 4 : memref<16xi32> to !shared
      %ga = nvgpu.device_async_create_group %a
      %b = nvgpu.device_async_copy %x[%c4], %s[%c4], 4 : memref<16xi32> to !shared
      %gb = nvgpu.device_async_create_group %b
      nvgpu.device_async_wait %gb {numGroups = 1 : i32}
      %v = memref.load %s[%c0] : !shared
      memref.store %v, %y[%c0] : memref<16xi32>
      %w = memref.load %s[%c4] : !shared
      memref.store %w, %y[%c4] : memref<16xi32>
      gpu.return
    }
    gpu.func @no_barrier(%x: memref<16xi32>, %y: memref<16xi32>) workgroup(%s: !shared) kernel {
      %c7 = arith.constant 7 : index
      %t = gpu.thread_id x
      %a = nvgpu.device_async_copy %x[%t], %s[%t], 1 : memref<16xi32> to !shared
      %g = nvgpu.device_async_create_group %a
      nvgpu.device_async_wait %g
      %m = arith.subi %c7, %t : index
      %v = memref.load %s[%m] : !shared
      memref.store %v, %y[%t] : memref<16xi32>
      gpu.return
    }
    gpu.func @wait_late(%x: memref<16xi32>, %y: memref<16xi32>) workgroup(%s: !shared) kernel {
      %c7 = arith.constant 7 : index
      %t = gpu.thread_id x
      %a = nvgpu.device_async_copy %x[%t], %s[%t], 1 : memref<16xi32> to !shared
      %g = nvgpu.device_async_create_group %a
      gpu.barrier
      nvgpu.device_async_wait %g
      %m = arith.subi %c7, %t : index
      %v = memref.load %s[%m] : !shared
      memref.store %v, %y[%t] : memref<16xi32>
      gpu.return
    }
  }

  func.func private @make() -> memref<16xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %x = memref.alloc() : memref<16xi32>
    scf.for %i = %c0 to %c16 step %c1 {
      %v = arith.index_cast %i : index to i32
      memref.store %v, %x[%i] : memref<16xi32>
    }
    return %x : memref<16xi32>
  }
  func.func @correct() -> memref<16xi32> {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %x = call @make() : () -> memref<16xi32>
    %y = memref.alloc() : memref<16xi32>
    gpu.launch_func @kernels::@correct blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%x : memref<16xi32>, %y : memref<16xi32>)
    return %y : memref<16xi32>
  }
  func.func @partial() -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %x = call @make() : () -> memref<16xi32>
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@partial blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<16xi32>, %y : memref<4xi32>, %c3 : index)
    return %y : memref<4xi32>
  }
  func.func @beyond() {
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %x = call @make() : () -> memref<16xi32>
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@partial blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<16xi32>, %y : memref<4xi32>, %c5 : index)
    return
  }
  func.func @early() {
    %c1 = arith.constant 1 : index
    %x = call @make() : () -> memref<16xi32>
    %y = memref.alloc() : memref<16xi32>
    gpu.launch_func @kernels::@early blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<16xi32>, %y : memref<16xi32>)
    return
  }
  func.func @no_barrier() {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %x = call @make() : () -> memref<16xi32>
    %y = memref.alloc() : memref<16xi32>
    gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%x : memref<16xi32>, %y : memref<16xi32>)
    return
  }
  func.func @wait_late() {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %x = call @make() : () -> memref<16xi32>
    %y = memref.alloc() : memref<16xi32>
    gpu.launch_func @kernels::@wait_late blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%x : memref<16xi32>, %y : memref<16xi32>)
    return
  }
}
