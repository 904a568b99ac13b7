// RUN: scan-opt %s --scan-gpu-to-fibers --split-input-file | FileCheck %s

// Argument attributes and memory spaces are gone; ids, barriers and shuffles are
// calls with the place of the operation.

// CHECK-DAG: llvm.mlir.global internal constant @[[$BARRIER:scan_emulator.site.[0-9]+]]("gpu.barrier at {{.*}}convert.mlir:[[#@LINE+16]]:7\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[$SHUFFLE:scan_emulator.site.[0-9]+]]("gpu.shuffle at {{.*}}\00")
// CHECK-DAG: llvm.func @scan_emulator_thread_id(i32) -> i64 attributes {memory_effects = #llvm.memory_effects<other = none,
// CHECK-DAG: llvm.func @scan_emulator_barrier(!llvm.ptr) attributes {no_unwind}
// CHECK-NOT: scan_emulator_block_id
// CHECK-LABEL: llvm.func @kernels__k(
// CHECK-SAME: %[[X:arg0]]: !llvm.ptr, %[[I:arg1]]: i64, %{{[^:]*}}: f32)
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<f32, 1> {llvm.noalias}, %i: index, %v: f32)
        workgroup(%a: memref<3xf32, 3>, %b: memref<4xi64, #gpu.address_space<workgroup>>)
        private(%p: memref<2xf32, 5>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c5 = arith.constant 5 : i32
      %c32 = arith.constant 32 : i32
      memref.store %v, %p[%i] : memref<2xf32, 5>
      gpu.barrier
      // CHECK: llvm.alloca %{{.*}} x f32 {alignment = 16 : i64}
      // CHECK: %[[SHARED:.*]] = llvm.call @scan_emulator_shared_memory() : () -> !llvm.ptr
      // CHECK: llvm.getelementptr %[[SHARED]][0]
      // CHECK: llvm.getelementptr %[[SHARED]][144]
      // CHECK: %[[SITE:.*]] = llvm.mlir.addressof @[[$BARRIER]]
      // CHECK: llvm.call @scan_emulator_barrier(%[[SITE]])
      // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
      // CHECK: llvm.call @scan_emulator_thread_id(%[[ZERO]])
      %t = gpu.thread_id x
      // CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : f32 to i32
      // CHECK: %[[BITS:.*]] = llvm.zext %[[WORD]] : i32 to i64
      // CHECK: %[[MODE:.*]] = llvm.mlir.constant(2 : i32)
      // CHECK: %[[SITE2:.*]] = llvm.mlir.addressof @[[$SHUFFLE]]
      // CHECK: %[[RESULT:.*]] = llvm.call @scan_emulator_shuffle(%[[SITE2]], %[[MODE]], %[[BITS]], %{{.*}}, %{{.*}})
      // CHECK: llvm.extractvalue %[[RESULT]][0]
      // CHECK: %[[VALID:.*]] = llvm.extractvalue %[[RESULT]][1]
      // CHECK: llvm.trunc %[[VALID]] : i64 to i1
      %r, %valid = gpu.shuffle down %v, %c5, %c32 : f32
      memref.store %r, %a[%t] : memref<3xf32, 3>
      %s = arith.select %valid, %r, %v : f32
      memref.store %s, %x[] : memref<f32, 1>
      gpu.return
    }
  }
  // CHECK: llvm.func internal @kernels__k.entry(%{{.*}}: !llvm.ptr)
  // CHECK: llvm.call @kernels__k(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, f32) -> ()
  // CHECK-LABEL: llvm.func @main
  func.func @main(%x: memref<f32, 1>, %n: index, %v: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    // CHECK-COUNT-4: llvm.alloca
    // CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @kernels__k.kernel
    // CHECK: llvm.call @scan_emulator_launch(%[[KERNEL]],
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%x : memref<f32, 1>, %n : index, %v : f32)
    return
  }
}
// Workgroup buffers are where they are on a GPU but for gaps of 128 bytes.
// CHECK: llvm.mlir.global internal constant @kernels__k.shared()
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(12 : i64)
// CHECK: llvm.mlir.constant(144 : i64)
// CHECK: llvm.mlir.constant(32 : i64)
// CHECK: llvm.mlir.global external constant @kernels__k.kernel()
// CHECK: dense<[64, 1, 1]>
// CHECK: llvm.mlir.addressof @kernels__k.entry
// CHECK: llvm.mlir.constant(48 : i64)
// CHECK: llvm.mlir.constant(304 : i64)
// CHECK: llvm.mlir.addressof @kernels__k.shared

// -----

// Each loop counts its iterations, also one made of branches; straight code
// does not. Memrefs with dynamic extents are passed as descriptors. A buffer in
// a loop takes its stack once.

// CHECK-LABEL: llvm.func @kernels__loops(
// CHECK-SAME: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64)
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @loops(%x: memref<?xf32>) kernel {
      // CHECK: llvm.alloca %{{.*}} x f32
      // CHECK: llvm.br ^[[HEAD:.*]](
      // CHECK: ^[[HEAD]](
      // CHECK-NEXT: llvm.mlir.addressof
      // CHECK-NEXT: llvm.call @scan_emulator_step
      // CHECK-NOT: llvm.alloca
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      scf.for %i = %c0 to %n step %c1 {
        %p = memref.alloca() : memref<4xf32>
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %p[%c1] : memref<4xf32>
        %w = memref.load %p[%c1] : memref<4xf32>
        memref.store %w, %x[%i] : memref<?xf32>
      }
      cf.br ^spin
      // CHECK: llvm.br ^[[SPIN:bb[0-9]+]]{{$}}
      // CHECK: ^[[SPIN]]:
      // CHECK-NEXT: llvm.mlir.addressof
      // CHECK-NEXT: llvm.call @scan_emulator_step
      ^spin:
        %v = memref.load %x[%c0] : memref<?xf32>
        %zero = arith.constant 0.0 : f32
        %again = arith.cmpf one, %v, %zero : f32
        cf.cond_br %again, ^spin, ^end
      ^end:
        // CHECK-NOT: scan_emulator_step
        // CHECK: llvm.return
        gpu.return
    }
  }
}
