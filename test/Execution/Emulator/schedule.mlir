// The order of threads and blocks: by id, or drawn from a seed. Threads take
// tickets; the array has the thread that took each.
//
// RUN: scan-run %s --entry=check_order --target=emulator --schedule=in-order --resident-blocks=1
// RUN: not scan-run %s --entry=check_order --target=emulator --seed=1 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: 'check_order' failed: {{.*}}threads ran out of order
//
// One block at a time, in whatever order:
// RUN: scan-run %s --entry=check_blocks --target=emulator --seed=1 --resident-blocks=1
// RUN: not scan-run %s --entry=check_blocks --target=emulator --seed=1 --resident-blocks=4 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: 'check_blocks' failed: {{.*}}two blocks at a time
//
// A seed stands for one order, other seeds for others:
// RUN: scan-run %s --entry=tickets --target=emulator --seed=5 --output=%t.a.npy
// RUN: scan-run %s --entry=tickets --target=emulator --seed=5 --output=%t.b.npy
// RUN: scan-run %s --entry=tickets --target=emulator --seed=6 --output=%t.c.npy
// RUN: cmp %t.a.npy %t.b.npy
// RUN: not cmp %t.a.npy %t.c.npy
//
// The second launch of a run has an order of its own:
// RUN: not scan-run %s --entry=same_twice --target=emulator --seed=5 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: 'same_twice' failed: {{.*}}another order
//
// A block that waits for another one gets what it waits for if both are
// resident, however unlucky the order, and else is found out.
// RUN: scan-run %s --entry=wait --target=emulator --seed=1
// RUN: scan-run %s --entry=wait --target=emulator --schedule=in-order --resident-blocks=2
// RUN: not scan-run %s --entry=wait --target=emulator --schedule=in-order --resident-blocks=1 --step-budget=1000000 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: kernel 'kernels::wait': block (0, 0, 0), thread (0, 0, 0) was at {{the loop|memref.atomic_rmw}} at {{.*}} when the launch had used up its budget of 1000000 steps, after memref.atomic_rmw at {{.*}}schedule.mlir:64:18 had read argument #0, element 0 (byte 0), which holds 0x0; raise the step budget if the kernel does not loop for ever

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @ticket(%counter: memref<1xi32>, %order: memref<256xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      %c32 = arith.constant 32 : i32
      %t = gpu.global_id x
      %id = arith.index_cast %t : index to i32
      %ticket = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
      %at = arith.index_cast %ticket : i32 to index
      memref.store %id, %order[%at] : memref<256xi32>
      // A thread that has taken its ticket may still wait for others.
      gpu.barrier
      gpu.return
    }

    // Block 0 waits until the last block has set the flag.
    gpu.func @wait(%flag: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %b = gpu.block_id x
      %n = gpu.grid_dim x
      %last = arith.subi %n, %c1 : index
      %is_first = arith.cmpi eq, %b, %c0 : index
      %is_last = arith.cmpi eq, %b, %last : index
      scf.if %is_last {
        %old = memref.atomic_rmw assign %one, %flag[%c0] : (i32, memref<1xi32>) -> i32
      }
      scf.if %is_first {
        scf.while : () -> () {
          %old = memref.atomic_rmw ori %zero, %flag[%c0] : (i32, memref<1xi32>) -> i32
          %unset = arith.cmpi eq, %old, %zero : i32
          scf.condition(%unset)
        } do {
          scf.yield
        }
      }
      gpu.return
    }
  }

  func.func @tickets() -> memref<256xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %counter = memref.alloc() : memref<1xi32>
    %order = memref.alloc() : memref<256xi32>
    memref.store %zero, %counter[%c0] : memref<1xi32>
    gpu.launch_func @kernels::@ticket blocks in (%c8, %c1, %c1)
        threads in (%c32, %c1, %c1)
        args(%counter : memref<1xi32>, %order : memref<256xi32>)
    return %order : memref<256xi32>
  }

  func.func @check_order() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %order = call @tickets() : () -> memref<256xi32>
    scf.for %i = %c0 to %c256 step %c1 {
      %id = memref.load %order[%i] : memref<256xi32>
      %e = arith.index_cast %i : index to i32
      %ok = arith.cmpi eq, %id, %e : i32
      cf.assert %ok, "threads ran out of order"
    }
    return
  }

  // 32 tickets in a row are one block's.
  func.func @check_blocks() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c5 = arith.constant 5 : i32
    %order = call @tickets() : () -> memref<256xi32>
    scf.for %i = %c0 to %c256 step %c1 {
      %within = arith.remui %i, %c32 : index
      %first = arith.subi %i, %within : index
      %a = memref.load %order[%first] : memref<256xi32>
      %b = memref.load %order[%i] : memref<256xi32>
      %block_a = arith.shrui %a, %c5 : i32
      %block_b = arith.shrui %b, %c5 : i32
      %ok = arith.cmpi eq, %block_a, %block_b : i32
      cf.assert %ok, "two blocks at a time"
    }
    return
  }

  func.func @same_twice() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %first = call @tickets() : () -> memref<256xi32>
    %second = call @tickets() : () -> memref<256xi32>
    scf.for %i = %c0 to %c256 step %c1 {
      %a = memref.load %first[%i] : memref<256xi32>
      %b = memref.load %second[%i] : memref<256xi32>
      %ok = arith.cmpi eq, %a, %b : i32
      cf.assert %ok, "another order"
    }
    return
  }

  func.func @wait() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %flag = memref.alloc() : memref<1xi32>
    memref.store %zero, %flag[%c0] : memref<1xi32>
    gpu.launch_func @kernels::@wait blocks in (%c2, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%flag : memref<1xi32>)
    return
  }
}
