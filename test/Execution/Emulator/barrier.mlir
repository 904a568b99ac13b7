// Barriers, workgroup and private memory, ids and sizes in all dimensions.
//
// RUN: scan-run %s --entry=main --target=emulator
// RUN: scan-run %s --entry=main --target=emulator --schedule=in-order --resident-blocks=1
// RUN: scan-run %s --entry=main --target=emulator --seed=3 --resident-blocks=16
// RUN: scan-run %s --entry=main --target=emulator --seed=4
//
// Without the barrier some order of the threads is found out:
// RUN: not scan-run %s --entry=racy --target=emulator --seed=1 --races=off 2>&1 | FileCheck %s
// CHECK: kernel 'kernels::racy': block {{.*}}: assertion: not the neighbour's

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Rotates through workgroup memory, `rounds` times, and adds up what came by.
    gpu.func @rotate(%y: memref<?xi32>, %rounds: index)
        workgroup(%s: memref<1024xi32, #gpu.address_space<workgroup>>)
        private(%p: memref<4xi32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %b = gpu.block_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %s[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
      scf.for %i = %c0 to %c4 step %c1 {
        memref.store %zero, %p[%i] : memref<4xi32, #gpu.address_space<private>>
      }
      %next = arith.addi %t, %c1 : index
      %from = arith.remui %next, %n : index
      scf.for %i = %c0 to %rounds step %c1 {
        gpu.barrier
        %w = memref.load %s[%from] : memref<1024xi32, #gpu.address_space<workgroup>>
        gpu.barrier
        memref.store %w, %s[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
        %k = arith.remui %i, %c4 : index
        %old = memref.load %p[%k] : memref<4xi32, #gpu.address_space<private>>
        %new = arith.addi %old, %w : i32
        memref.store %new, %p[%k] : memref<4xi32, #gpu.address_space<private>>
      }
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> i32 {
        %w = memref.load %p[%i] : memref<4xi32, #gpu.address_space<private>>
        %a2 = arith.addi %a, %w : i32
        scf.yield %a2 : i32
      }
      %row = arith.muli %b, %n : index
      %at = arith.addi %row, %t : index
      memref.store %sum, %y[%at] : memref<?xi32>
      gpu.return
    }

    // Every thread marks its cell: the ids of all dimensions, without gaps.
    gpu.func @ids(%y: memref<3x2x2x2x3x5xi32>) kernel {
      %one = arith.constant 1 : i32
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %bz = gpu.block_id z
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %tz = gpu.thread_id z
      memref.store %one, %y[%bz, %by, %bx, %tz, %ty, %tx] : memref<3x2x2x2x3x5xi32>
      %gx = gpu.global_id x
      %dx = gpu.block_dim x
      %dy = gpu.block_dim y
      %dz = gpu.block_dim z
      %nx = gpu.grid_dim x
      %ny = gpu.grid_dim y
      %nz = gpu.grid_dim z
      %m = arith.muli %bx, %dx : index
      %e = arith.addi %m, %tx : index
      %ok = arith.cmpi eq, %e, %gx : index
      cf.assert %ok, "wrong global id"
      %c30 = arith.constant 30 : index
      %c12 = arith.constant 12 : index
      %b0 = arith.muli %dx, %dy : index
      %b1 = arith.muli %b0, %dz : index
      %g0 = arith.muli %nx, %ny : index
      %g1 = arith.muli %g0, %nz : index
      %ok1 = arith.cmpi eq, %b1, %c30 : index
      cf.assert %ok1, "wrong size of the block"
      %ok2 = arith.cmpi eq, %g1, %c12 : index
      cf.assert %ok2, "wrong size of the grid"
      %t0 = arith.muli %tz, %dy : index
      %t1 = arith.addi %t0, %ty : index
      %t2 = arith.muli %t1, %dx : index
      %t3 = arith.addi %t2, %tx : index
      %lane = gpu.lane_id
      %ok3 = arith.cmpi eq, %t3, %lane : index
      cf.assert %ok3, "wrong lane"
      gpu.return
    }

    // Workgroup memory asked for at launch, behind the declared one.
    gpu.func @dynamic(%n: index) workgroup(%s: memref<3xi8, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %t = gpu.thread_id x
      %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %view = memref.view %all[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<?xi32, #gpu.address_space<workgroup>>
      %v = arith.index_cast %t : index to i32
      %fill = arith.trunci %v : i32 to i8
      %is_second = arith.cmpi eq, %t, %c2 : index
      scf.if %is_second {
        memref.store %fill, %s[%c2] : memref<3xi8, #gpu.address_space<workgroup>>
      }
      memref.store %v, %view[%t] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %c1 = arith.constant 1 : index
      %last = arith.subi %n, %c1 : index
      %mirror = arith.subi %last, %t : index
      %w = memref.load %view[%mirror] : memref<?xi32, #gpu.address_space<workgroup>>
      %e = arith.index_cast %mirror : index to i32
      %ok = arith.cmpi eq, %w, %e : i32
      cf.assert %ok, "wrong value in dynamic memory"
      gpu.return
    }

    gpu.func @racy() workgroup(%s: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %s[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      %next = arith.addi %t, %c1 : index
      %from = arith.andi %next, %c63 : index
      %w = memref.load %s[%from] : memref<64xi32, #gpu.address_space<workgroup>>
      %e = arith.index_cast %from : index to i32
      %ok = arith.cmpi eq, %w, %e : i32
      cf.assert %ok, "not the neighbour's"
      gpu.return
    }
  }

  func.func @rotate(%threads: index, %blocks: index, %rounds: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.muli %threads, %blocks : index
    %y = memref.alloc(%n) : memref<?xi32>
    gpu.launch_func @kernels::@rotate blocks in (%blocks, %c1, %c1)
        threads in (%threads, %c1, %c1) args(%y : memref<?xi32>, %rounds : index)
    scf.for %i = %c0 to %n step %c1 {
      %t = arith.remui %i, %threads : index
      %zero = arith.constant 0 : index
      %first = arith.addi %t, %c1 : index
      %end = arith.addi %first, %rounds : index
      %sum = scf.for %k = %first to %end step %c1 iter_args(%a = %zero) -> index {
        %r = arith.remui %k, %threads : index
        %a2 = arith.addi %a, %r : index
        scf.yield %a2 : index
      }
      %expected = arith.index_cast %sum : index to i32
      %v = memref.load %y[%i] : memref<?xi32>
      %ok = arith.cmpi eq, %v, %expected : i32
      cf.assert %ok, "wrong sum after the rotation"
    }
    memref.dealloc %y : memref<?xi32>
    return
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c33 = arith.constant 33 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    func.call @rotate(%c1, %c1, %c7) : (index, index, index) -> ()
    func.call @rotate(%c33, %c7, %c5) : (index, index, index) -> ()
    func.call @rotate(%c64, %c33, %c7) : (index, index, index) -> ()
    func.call @rotate(%c1024, %c3, %c7) : (index, index, index) -> ()

    %y = memref.alloc() : memref<3x2x2x2x3x5xi32>
    gpu.launch_func @kernels::@ids blocks in (%c2, %c2, %c3)
        threads in (%c5, %c3, %c2) args(%y : memref<3x2x2x2x3x5xi32>)
    %flat = memref.collapse_shape %y [[0, 1, 2, 3, 4, 5]]
        : memref<3x2x2x2x3x5xi32> into memref<360xi32>
    %c360 = arith.constant 360 : index
    %one = arith.constant 1 : i32
    scf.for %i = %c0 to %c360 step %c1 {
      %v = memref.load %flat[%i] : memref<360xi32>
      %ok = arith.cmpi eq, %v, %one : i32
      cf.assert %ok, "a thread is missing"
    }

    %bytes = arith.constant 256 : i32
    gpu.launch_func @kernels::@dynamic blocks in (%c3, %c1, %c1)
        threads in (%c64, %c1, %c1) dynamic_shared_memory_size %bytes
        args(%c64 : index)
    return
  }

  func.func @racy() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@racy blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1)
    return
  }
}
