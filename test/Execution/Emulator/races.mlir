// Races, each with its whole message: both accesses with operation, place,
// block, thread and size, the memory, and what order is missing. Whichever
// thread comes first in some order, the two accesses are named.
//
// DEFINE: %{run} = not scan-run %s --target=emulator
//
// RUN: %{run} --entry=no_barrier --seed=1 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: %{run} --entry=no_barrier --seed=2 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: %{run} --entry=no_barrier --schedule=in-order 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: kernel 'kernels::no_barrier': data race on workgroup buffer #0, element [[E:[0-9]+]] (byte {{[0-9]+}}): memref.{{store|load}} at {{.*}}races.mlir:{{[0-9]+:[0-9]+}} has {{written|read}} 4 bytes in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0), then memref.{{store|load}} at {{.*}}races.mlir:{{[0-9]+:[0-9]+}} {{writes|reads}} 4 bytes in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0); there is no barrier between them
//
// RUN: %{run} --entry=reused --seed=1 2>&1 | FileCheck %s --check-prefix=REUSED
// RUN: %{run} --entry=reused --seed=2 2>&1 | FileCheck %s --check-prefix=REUSED
// RUN: %{run} --entry=reused --schedule=in-order 2>&1 | FileCheck %s --check-prefix=REUSED
// REUSED: kernel 'kernels::reused': data race on workgroup buffer #0, element 0 (byte 0): memref.{{store|load}} at {{.*}} has {{written|read}} 8 bytes in block ({{[01]}}, 0, 0), thread ({{[0-9]+}}, 0, 0), then memref.{{store|load}} at {{.*}} {{writes|reads}} 8 bytes in block ({{[01]}}, 0, 0), thread ({{[0-9]+}}, 0, 0); there is no barrier between them
//
// Lanes of a warp, which a shuffle does not order either:
// RUN: %{run} --entry=one_warp --seed=1 2>&1 | FileCheck %s --check-prefix=WARP
// WARP: kernel 'kernels::one_warp': data race on workgroup buffer #0, element {{[0-9]+}} (byte {{[0-9]+}}): memref.store at {{.*}} has written 4 bytes in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0), then memref.load at {{.*}} reads 4 bytes in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0); there is no barrier between them; lanes of a warp do not wait for each other
//
// RUN: %{run} --entry=two_blocks --seed=1 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: %{run} --entry=two_blocks --schedule=in-order --resident-blocks=1 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: kernel 'kernels::two_blocks': data race on argument #0, element 7 (byte 28): memref.store at {{.*}} has written 4 bytes in block ([[A:[01]]], 0, 0), thread (0, 0, 0), then memref.store at {{.*}} writes 4 bytes in block ({{[01]}}, 0, 0), thread (0, 0, 0); nothing orders the threads of different blocks: neither a barrier nor a release that the latter acquires
//
// Vectors, and bytes of one word:
// RUN: %{run} --entry=vectors --seed=1 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: kernel 'kernels::vectors': data race on argument #0, element 3 (byte 12): vector.store at {{.*}} has written {{8|16}} bytes in block (0, 0, 0), thread ({{[01]}}, 0, 0), then vector.store at {{.*}} writes {{8|16}} bytes in block (0, 0, 0), thread ({{[01]}}, 0, 0); there is no barrier between them
// RUN: %{run} --entry=bytes --seed=1 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: kernel 'kernels::bytes': data race on workgroup buffer #0, element 5 (byte 5): memref.store at {{.*}} has written 1 byte in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0), then memref.store at {{.*}} writes 1 byte in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0); there is no barrier between them
//
// Atomic and plain accesses to the same memory:
// RUN: %{run} --entry=plain_flag --seed=1 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: kernel 'kernels::plain_flag': data race on argument #0, element 0 (byte 0): {{llvm.load|memref.store}} at {{.*}} has {{read|written}} 4 bytes in block ({{[01]}}, 0, 0), thread (0, 0, 0), then {{llvm.load|memref.store}} at {{.*}} {{reads|writes}} 4 bytes in block ({{[01]}}, 0, 0), thread (0, 0, 0); the {{latter|former}} is not atomic, and nothing orders them
// RUN: %{run} --entry=halves --seed=1 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: kernel 'kernels::halves': data race on argument #0, element 1 (byte 4): llvm.atomicrmw at {{.*}} has updated {{4|8}} bytes in block ({{[01]}}, 0, 0), thread (0, 0, 0), then llvm.atomicrmw at {{.*}} updates {{4|8}} bytes in block ({{[01]}}, 0, 0), thread (0, 0, 0); both are atomic, but not to the same words
// RUN: %{run} --entry=narrow_counter --seed=1 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: kernel 'kernels::narrow_counter': data race on argument #0, element 0 (byte 0): llvm.atomicrmw at {{.*}} has updated 4 bytes in block ({{[01]}}, 0, 0), thread ({{[01]}}, 0, 0), then llvm.atomicrmw at {{.*}} updates 4 bytes in block ({{[01]}}, 0, 0), thread ({{[01]}}, 0, 0); both are atomic, but the scope of one is its block, and the other is in another block

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @no_barrier(%y: memref<64xi32>)
        workgroup(%s: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %s[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      %m = arith.subi %c63, %t : index
      %w = memref.load %s[%m] : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %w, %y[%t] : memref<64xi32>
      gpu.return
    }

    // The second round writes while some thread may still be in the first one.
    gpu.func @reused(%y: memref<?xf64>, %n: index)
        workgroup(%s: memref<1xf64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1.0 : f64
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      %g = gpu.global_id x
      scf.for %i = %c0 to %n step %c1 {
        scf.if %first {
          memref.store %one, %s[%c0] : memref<1xf64, #gpu.address_space<workgroup>>
        }
        gpu.barrier
        %w = memref.load %s[%c0] : memref<1xf64, #gpu.address_space<workgroup>>
        memref.store %w, %y[%g] : memref<?xf64>
      }
      gpu.return
    }

    gpu.func @one_warp(%y: memref<32xi32>)
        workgroup(%s: memref<32xi32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : i32
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : i32
      %t = gpu.thread_id x
      memref.store %c1, %s[%t] : memref<32xi32, #gpu.address_space<workgroup>>
      %v, %valid = gpu.shuffle xor %c1, %c1, %c32 : i32
      %m = arith.subi %c31, %t : index
      %w = memref.load %s[%m] : memref<32xi32, #gpu.address_space<workgroup>>
      %sum = arith.addi %w, %v : i32
      memref.store %sum, %y[%t] : memref<32xi32>
      gpu.return
    }

    gpu.func @two_blocks(%y: memref<64xi32>) kernel {
      %c7 = arith.constant 7 : index
      %b = gpu.block_id x
      %v = arith.index_cast %b : index to i32
      memref.store %v, %y[%c7] : memref<64xi32>
      gpu.return
    }

    // Elements 0 to 3 and 3 to 4.
    gpu.func @vectors(%y: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %long = arith.constant dense<1.0> : vector<4xf32>
      %short = arith.constant dense<1.0> : vector<2xf32>
      %t = gpu.thread_id x
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        vector.store %long, %y[%c0] : memref<64xf32>, vector<4xf32>
      } else {
        vector.store %short, %y[%c3] : memref<64xf32>, vector<2xf32>
      }
      gpu.return
    }

    // Thread 9 writes where thread 5 does; all others have a byte of their own.
    gpu.func @bytes() workgroup(%s: memref<64xi8, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : i8
      %c5 = arith.constant 5 : index
      %c9 = arith.constant 9 : index
      %t = gpu.thread_id x
      %wrong = arith.cmpi eq, %t, %c9 : index
      %at = arith.select %wrong, %c5, %t : index
      memref.store %c1, %s[%at] : memref<64xi8, #gpu.address_space<workgroup>>
      gpu.return
    }

    // Block 0 waits for the flag that block 1 sets.
    gpu.func @plain_flag(%flag: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %b = gpu.block_id x
      %waits = arith.cmpi eq, %b, %c0 : index
      %i = memref.extract_aligned_pointer_as_index %flag : memref<1xi32> -> index
      %address = arith.index_cast %i : index to i64
      %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      scf.if %waits {
        scf.while : () -> () {
          %v = llvm.load %p atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %unset = arith.cmpi eq, %v, %zero : i32
          scf.condition(%unset)
        } do {
          scf.yield
        }
      } else {
        memref.store %one, %flag[%c0] : memref<1xi32>
      }
      gpu.return
    }

    gpu.func @halves(%counter: memref<2xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %one_64 = arith.constant 1 : i64
      %four = arith.constant 4 : i64
      %b = gpu.block_id x
      %first = arith.cmpi eq, %b, %c0 : index
      %i = memref.extract_aligned_pointer_as_index %counter : memref<2xi32> -> index
      %address = arith.index_cast %i : index to i64
      %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      %upper = arith.addi %address, %four : i64
      %q = llvm.inttoptr %upper : i64 to !llvm.ptr<1>
      scf.if %first {
        %v = llvm.atomicrmw add %p, %one_64 syncscope("device") monotonic : !llvm.ptr<1>, i64
      } else {
        %v = llvm.atomicrmw add %q, %one syncscope("device") monotonic : !llvm.ptr<1>, i32
      }
      gpu.return
    }

    gpu.func @narrow_counter(%counter: memref<1xi32>) kernel {
      %one = arith.constant 1 : i32
      %i = memref.extract_aligned_pointer_as_index %counter : memref<1xi32> -> index
      %address = arith.index_cast %i : index to i64
      %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      %v = llvm.atomicrmw add %p, %one syncscope("block") monotonic : !llvm.ptr<1>, i32
      gpu.return
    }
  }

  func.func @no_barrier() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xi32>)
    return
  }
  func.func @reused() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %y = memref.alloc(%c128) : memref<?xf64>
    gpu.launch_func @kernels::@reused blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<?xf64>, %c2 : index)
    return
  }
  func.func @one_warp() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc() : memref<32xi32>
    gpu.launch_func @kernels::@one_warp blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%y : memref<32xi32>)
    return
  }
  func.func @two_blocks() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@two_blocks blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<64xi32>)
    return
  }
  func.func @vectors() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %y = memref.alloc() : memref<64xf32>
    gpu.launch_func @kernels::@vectors blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1) args(%y : memref<64xf32>)
    return
  }
  func.func @bytes() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@bytes blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
    return
  }
  func.func @plain_flag() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %y = memref.alloc() : memref<1xi32>
    memref.store %zero, %y[%c0] : memref<1xi32>
    gpu.launch_func @kernels::@plain_flag blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<1xi32>)
    return
  }
  func.func @halves() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %y = memref.alloc() : memref<2xi32>
    memref.store %zero, %y[%c0] : memref<2xi32>
    memref.store %zero, %y[%c1] : memref<2xi32>
    gpu.launch_func @kernels::@halves blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<2xi32>)
    return
  }
  func.func @narrow_counter() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    %y = memref.alloc() : memref<1xi32>
    memref.store %zero, %y[%c0] : memref<1xi32>
    gpu.launch_func @kernels::@narrow_counter blocks in (%c2, %c1, %c1) threads in (%c2, %c1, %c1) args(%y : memref<1xi32>)
    return
  }
}
