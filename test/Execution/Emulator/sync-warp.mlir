// Lanes of a warp that meet see what the others have written before, and what
// these knew; other warps do not.
//
// RUN: scan-run %s --entry=main --target=emulator --seed=1
// RUN: scan-run %s --entry=main --target=emulator --seed=2 --resident-blocks=1
// RUN: scan-run %s --entry=main --target=emulator --schedule=in-order
// RUN: scan-run %s --entry=main --target=emulator --schedule=adversarial
// RUN: scan-run %s --entry=main --target=emulator --races=off
//
// DEFINE: %{run} = not scan-run %s --target=emulator
//
// RUN: %{run} --entry=too_far --seed=1 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: %{run} --entry=too_far --schedule=in-order 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: kernel 'kernels::too_far': data race on workgroup buffer #0, element {{[0-9]+}} (byte {{[0-9]+}}): memref.{{store|load}} at {{.*}} in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0), then memref.{{store|load}} at {{.*}} in block (0, 0, 0), thread ({{[0-9]+}}, 0, 0); there is no barrier between them{{$}}
//
// However many lanes of the writer's own warp have read before those of others:
// RUN: %{run} --entry=read_by_all --schedule=in-order 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{run} --entry=read_by_all --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{run} --entry=read_by_all --seed=1 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{run} --entry=read_by_all --seed=2 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{run} --entry=read_by_all --seed=3 2>&1 | FileCheck %s --check-prefix=READ
// RUN: %{run} --entry=read_by_all --seed=4 2>&1 | FileCheck %s --check-prefix=READ
// READ: kernel 'kernels::read_by_all': data race on workgroup buffer #0, element 0 (byte 0): memref.load at {{.*}} has read 4 bytes in block (0, 0, 0), thread ({{3[2-9]|[45][0-9]|6[0-3]}}, 0, 0), then memref.store at {{.*}} writes 4 bytes in block (0, 0, 0), thread (0, 0, 0); the latter thread has seen a later atomic write, llvm.atomicrmw at {{.*}}, but that write does not release
//
// RUN: %{run} --entry=not_before 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: %{run} --entry=not_before --schedule=in-order 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: %{run} --entry=not_after 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: %{run} --entry=not_after --schedule=in-order 2>&1 | FileCheck %s --check-prefix=RELEASE
// RELEASE: kernel 'kernels::pass_on': data race on argument #0, element {{[0-9]+}} (byte {{[0-9]+}}): memref.{{store|load}} at
//
// RUN: %{run} --entry=half 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: kernel 'kernels::half': block (0, 0, 0), thread ({{[0-9]|1[0-5]}}, 0, 0) waits at nvvm.bar.warp.sync at {{.*}}sync-warp.mlir:{{.*}}, but thread ([[LANE:[0-9]+]], 0, 0) has exited (lane [[LANE]] of the same warp); all lanes of a warp have to meet there
// RUN: %{run} --entry=two_places 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: kernel 'kernels::two_places': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0) waits at nvvm.bar.warp.sync at {{.*}}, but thread ({{[0-9]+}}, 0, 0) waits at nvvm.bar.warp.sync at {{.*}} (lane {{[0-9]+}} of the same warp); all lanes of a warp have to meet there

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Reverses the lanes of each warp through workgroup memory, in rounds that
    // only lanes of a warp wait for. The last warp may be a part of one.
    gpu.func @mirror(%y: memref<?xi32>, %rounds: index)
        workgroup(%s: memref<1024xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %one = arith.constant 1 : i32
      %all = arith.constant -1 : i32
      %t = gpu.thread_id x
      %n = gpu.block_dim x
      %lane = gpu.lane_id
      %start = arith.subi %t, %lane : index
      %left = arith.subi %n, %start : index
      %lanes = arith.minui %left, %c32 : index
      %last = arith.subi %lanes, %c1 : index
      %mirrored = arith.subi %last, %lane : index
      %from = arith.addi %start, %mirrored : index
      %v = arith.index_cast %t : index to i32
      %end = scf.for %i = %c0 to %rounds step %c1 iter_args(%w = %v) -> i32 {
        memref.store %w, %s[%t] : memref<1024xi32, #gpu.address_space<workgroup>>
        nvvm.bar.warp.sync %all : i32
        %u = memref.load %s[%from] : memref<1024xi32, #gpu.address_space<workgroup>>
        nvvm.bar.warp.sync %all : i32
        %next = arith.addi %u, %one : i32
        scf.yield %next : i32
      }
      memref.store %end, %y[%t] : memref<?xi32>
      gpu.return
    }

    // Warps take numbers from a counter. Warp k waits until warp k - 1 has
    // written its 32 cells, which all its lanes read; one lane waits, and one
    // lane publishes.
    gpu.func @pass_on(%cells: memref<?xi32>, %flags: memref<?xi32>, %counter: memref<1xi32>,
        %sync_before: i1, %sync_after: i1) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %all = arith.constant -1 : i32
      %four = arith.constant 4 : i64
      %lane = gpu.lane_id
      %first = arith.cmpi eq, %lane, %c0 : index
      %drawn = scf.if %first -> i32 {
        %ticket = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
        scf.yield %ticket : i32
      } else {
        scf.yield %zero : i32
      }
      %number, %valid = gpu.shuffle idx %drawn, %zero, %width : i32
      %warp = arith.index_cast %number : i32 to index
      %base = memref.extract_aligned_pointer_as_index %flags : memref<?xi32> -> index
      %address = arith.index_cast %base : index to i64
      %number64 = arith.extui %number : i32 to i64
      %bytes = arith.muli %number64, %four : i64
      %mine = arith.addi %address, %bytes : i64
      %flag = llvm.inttoptr %mine : i64 to !llvm.ptr<1>
      %waits = arith.cmpi ne, %number, %zero : i32
      %value = scf.if %waits -> i32 {
        scf.if %first {
          %before = arith.subi %mine, %four : i64
          %other = llvm.inttoptr %before : i64 to !llvm.ptr<1>
          scf.while : () -> () {
            %v = llvm.load %other atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
            %again = arith.cmpi eq, %v, %zero : i32
            scf.condition(%again)
          } do {
            scf.yield
          }
        }
        scf.if %sync_before {
          nvvm.bar.warp.sync %all : i32
        }
        %previous = arith.subi %warp, %c1 : index
        %row = arith.muli %previous, %c32 : index
        %mirrored = arith.subi %c31, %lane : index
        %at = arith.addi %row, %mirrored : index
        %got = memref.load %cells[%at] : memref<?xi32>
        %next = arith.addi %got, %one : i32
        scf.yield %next : i32
      } else {
        scf.yield %zero : i32
      }
      %row = arith.muli %warp, %c32 : index
      %at = arith.addi %row, %lane : index
      memref.store %value, %cells[%at] : memref<?xi32>
      scf.if %sync_after {
        nvvm.bar.warp.sync %all : i32
      }
      scf.if %first {
        llvm.store %one, %flag atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      }
      gpu.return
    }

    // Reads what a lane of the other warp writes.
    gpu.func @too_far(%y: memref<64xi32>)
        workgroup(%s: memref<64xi32, #gpu.address_space<workgroup>>) kernel {
      %c63 = arith.constant 63 : index
      %all = arith.constant -1 : i32
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %s[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      nvvm.bar.warp.sync %all : i32
      %m = arith.subi %c63, %t : index
      %w = memref.load %s[%m] : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %w, %y[%t] : memref<64xi32>
      gpu.return
    }

    // The first warp reads a cell, then the second one does, then the first one
    // writes it. They wait for each other without an order of other accesses.
    gpu.func @read_by_all(%y: memref<64xi32>, %counters: memref<2xi32>)
        workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %lanes = arith.constant 32 : i32
      %all = arith.constant -1 : i32
      %four = arith.constant 4 : i64
      %t = gpu.thread_id x
      %warp = gpu.subgroup_id : index
      %base = memref.extract_aligned_pointer_as_index %counters : memref<2xi32> -> index
      %address = arith.index_cast %base : index to i64
      %behind = arith.addi %address, %four : i64
      %first_counter = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      %second_counter = llvm.inttoptr %behind : i64 to !llvm.ptr<1>
      %is_first = arith.cmpi eq, %t, %c0 : index
      scf.if %is_first {
        memref.store %zero, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %is_second_warp = arith.cmpi eq, %warp, %c1 : index
      scf.if %is_second_warp {
        scf.while : () -> () {
          %n = llvm.load %first_counter atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %again = arith.cmpi ne, %n, %lanes : i32
          scf.condition(%again)
        } do {
          scf.yield
        }
      }
      %v = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      memref.store %v, %y[%t] : memref<64xi32>
      nvvm.bar.warp.sync %all : i32
      %mine = llvm.select %is_second_warp, %second_counter, %first_counter : i1, !llvm.ptr<1>
      %old = llvm.atomicrmw add %mine, %one syncscope("device") monotonic : !llvm.ptr<1>, i32
      scf.if %is_first {
        scf.while : () -> () {
          %n = llvm.load %second_counter atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %again = arith.cmpi ne, %n, %lanes : i32
          scf.condition(%again)
        } do {
          scf.yield
        }
        memref.store %one, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      }
      gpu.return
    }

    gpu.func @half() kernel {
      %c16 = arith.constant 16 : index
      %all = arith.constant -1 : i32
      %lane = gpu.lane_id
      %in = arith.cmpi ult, %lane, %c16 : index
      scf.if %in {
        nvvm.bar.warp.sync %all : i32
      }
      gpu.return
    }

    gpu.func @two_places(%y: memref<32xi32>) kernel {
      %c16 = arith.constant 16 : index
      %one = arith.constant 1 : i32
      %all = arith.constant -1 : i32
      %lane = gpu.lane_id
      %in = arith.cmpi ult, %lane, %c16 : index
      scf.if %in {
        nvvm.bar.warp.sync %all : i32
      } else {
        memref.store %one, %y[%lane] : memref<32xi32>
        nvvm.bar.warp.sync %all : i32
      }
      gpu.return
    }
  }

  func.func @mirror(%threads: index, %rounds: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc(%threads) : memref<?xi32>
    gpu.launch_func @kernels::@mirror blocks in (%c1, %c1, %c1)
        threads in (%threads, %c1, %c1) args(%y : memref<?xi32>, %rounds : index)
    %odd = arith.remui %rounds, %c2 : index
    %is_odd = arith.cmpi ne, %odd, %c0 : index
    scf.for %t = %c0 to %threads step %c1 {
      %lane = arith.remui %t, %c32 : index
      %start = arith.subi %t, %lane : index
      %left = arith.subi %threads, %start : index
      %lanes = arith.minui %left, %c32 : index
      %last = arith.subi %lanes, %c1 : index
      %mirrored = arith.subi %last, %lane : index
      %from = arith.addi %start, %mirrored : index
      %origin = arith.select %is_odd, %from, %t : index
      %sum = arith.addi %origin, %rounds : index
      %expected = arith.index_cast %sum : index to i32
      %v = memref.load %y[%t] : memref<?xi32>
      %ok = arith.cmpi eq, %v, %expected : i32
      cf.assert %ok, "wrong lane"
    }
    memref.dealloc %y : memref<?xi32>
    return
  }

  func.func @pass_on(%blocks: index, %warps: index, %sync_before: i1, %sync_after: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %all = arith.muli %blocks, %warps : index
    %threads = arith.muli %warps, %c32 : index
    %n = arith.muli %all, %c32 : index
    %cells = memref.alloc(%n) : memref<?xi32>
    %flags = memref.alloc(%all) : memref<?xi32>
    %counter = memref.alloc() : memref<1xi32>
    memref.store %zero, %counter[%c0] : memref<1xi32>
    scf.for %i = %c0 to %all step %c1 {
      memref.store %zero, %flags[%i] : memref<?xi32>
    }
    gpu.launch_func @kernels::@pass_on blocks in (%blocks, %c1, %c1)
        threads in (%threads, %c1, %c1)
        args(%cells : memref<?xi32>, %flags : memref<?xi32>, %counter : memref<1xi32>, %sync_before : i1, %sync_after : i1)
    scf.for %i = %c0 to %n step %c1 {
      %warp = arith.divui %i, %c32 : index
      %expected = arith.index_cast %warp : index to i32
      %v = memref.load %cells[%i] : memref<?xi32>
      %ok = arith.cmpi eq, %v, %expected : i32
      cf.assert %ok, "wrong value in a cell"
    }
    memref.dealloc %cells : memref<?xi32>
    memref.dealloc %flags : memref<?xi32>
    memref.dealloc %counter : memref<1xi32>
    return
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %c70 = arith.constant 70 : index
    %c1024 = arith.constant 1024 : index
    %true = arith.constant true
    func.call @mirror(%c1, %c3) : (index, index) -> ()
    func.call @mirror(%c32, %c5) : (index, index) -> ()
    func.call @mirror(%c70, %c2) : (index, index) -> ()
    func.call @mirror(%c70, %c5) : (index, index) -> ()
    func.call @mirror(%c1024, %c3) : (index, index) -> ()
    func.call @pass_on(%c1, %c5, %true, %true) : (index, index, i1, i1) -> ()
    func.call @pass_on(%c5, %c1, %true, %true) : (index, index, i1, i1) -> ()
    func.call @pass_on(%c3, %c3, %true, %true) : (index, index, i1, i1) -> ()
    return
  }

  func.func @not_before() {
    %c3 = arith.constant 3 : index
    %true = arith.constant true
    %false = arith.constant false
    func.call @pass_on(%c3, %c3, %false, %true) : (index, index, i1, i1) -> ()
    return
  }
  func.func @not_after() {
    %c3 = arith.constant 3 : index
    %true = arith.constant true
    %false = arith.constant false
    func.call @pass_on(%c3, %c3, %true, %false) : (index, index, i1, i1) -> ()
    return
  }

  func.func @too_far() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@too_far blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%y : memref<64xi32>)
    memref.dealloc %y : memref<64xi32>
    return
  }
  func.func @read_by_all() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %y = memref.alloc() : memref<64xi32>
    %counters = memref.alloc() : memref<2xi32>
    memref.store %zero, %counters[%c0] : memref<2xi32>
    memref.store %zero, %counters[%c1] : memref<2xi32>
    gpu.launch_func @kernels::@read_by_all blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%y : memref<64xi32>, %counters : memref<2xi32>)
    memref.dealloc %y : memref<64xi32>
    memref.dealloc %counters : memref<2xi32>
    return
  }
  func.func @half() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@half blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    return
  }
  func.func @two_places() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc() : memref<32xi32>
    gpu.launch_func @kernels::@two_places blocks in (%c1, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%y : memref<32xi32>)
    memref.dealloc %y : memref<32xi32>
    return
  }
}
