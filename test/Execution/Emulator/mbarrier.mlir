// Mbarriers and bulk copies: who waits for a phase knows what was done before the
// arrivals, and has what the copies bring.
//
// DEFINE: %{run} = scan-run %s --target=emulator
// RUN: %{run} --entry=ring --seed=1 | FileCheck %s
// RUN: %{run} --entry=ring --seed=2 | FileCheck %s
// RUN: %{run} --entry=ring --seed=3 | FileCheck %s
// RUN: %{run} --entry=ring --schedule=in-order | FileCheck %s
// RUN: %{run} --entry=ring --schedule=adversarial | FileCheck %s
// RUN: %{run} --entry=ring --races=off | FileCheck %s
// RUN: %{run} --entry=ring --races=off --schedule=adversarial | FileCheck %s
// Each element comes twice, from 32 * 28 + 8 * 31 on, by 8 less.
// CHECK: [1144, 1136, 1128, 
// CHECK-SAME: 904, 896, 1144, 1136,
// CHECK-SAME: 904, 896]
//
// RUN: %{run} --entry=chain --seed=1 | FileCheck %s --check-prefix=CHAIN
// RUN: %{run} --entry=chain --seed=2 | FileCheck %s --check-prefix=CHAIN
// RUN: %{run} --entry=chain --schedule=in-order | FileCheck %s --check-prefix=CHAIN
// RUN: %{run} --entry=chain --schedule=adversarial --races=off | FileCheck %s --check-prefix=CHAIN
// CHAIN: [7, 7, 7,
//
// RUN: %{run} --entry=fenced --seed=1 | FileCheck %s --check-prefix=FENCED
// RUN: %{run} --entry=fenced --seed=2 | FileCheck %s --check-prefix=FENCED
// RUN: %{run} --entry=fenced --schedule=in-order | FileCheck %s --check-prefix=FENCED
// RUN: %{run} --entry=fenced --schedule=adversarial | FileCheck %s --check-prefix=FENCED
// FENCED: [64, 65, 66, 67, 68, 69, 70, 71, 64,
//
// A copy is one read of global memory: 16 of 64 bytes, in two sectors each.
// Workgroup memory: one store of a warp before, eight loads of two warps, and no
// bank conflicts.
// RUN: %{run} --entry=ring --stats --json --seed=1 > %t.1.json
// RUN: %{run} --entry=ring --stats --json --seed=2 > %t.2.json
// RUN: %{run} --entry=ring --stats --json --schedule=in-order > %t.3.json
// RUN: %{run} --entry=ring --stats --json --schedule=adversarial --races=off > %t.4.json
// RUN: FileCheck %s --input-file=%t.1.json --check-prefix=STATS
// RUN: cmp %t.1.json %t.2.json
// RUN: cmp %t.1.json %t.3.json
// RUN: cmp %t.1.json %t.4.json
// STATS: "global_reads": {
// STATS-NEXT: "bytes": 1024,
// STATS-NEXT: "compulsory_bytes": 1024,
// STATS-NEXT: "requests": 16,
// STATS-NEXT: "sectors": 32,
// STATS: "shared_requests": 17,
// STATS-NEXT: "bank_conflicts": 0,
// STATS-NEXT: "barriers": 1,

!x = memref<256xi32>
!y = memref<64xi32>
!s = memref<64xi32, #gpu.address_space<workgroup>>
!bars = memref<4xi64, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The mbarrier number %i.
    func.func private @at(%bars: !bars, %i: index) -> !llvm.ptr<3> {
      %c8 = arith.constant 8 : index
      %base = memref.extract_aligned_pointer_as_index %bars : !bars -> index
      %offset = arith.muli %i, %c8 : index
      %address = arith.addi %base, %offset : index
      %word = arith.index_cast %address : index to i64
      %m = llvm.inttoptr %word : i64 to !llvm.ptr<3>
      return %m : !llvm.ptr<3>
    }
    func.func private @wait(%m: !llvm.ptr<3>, %parity: i32) {
      %true = arith.constant true
      scf.while : () -> () {
        %done = nvvm.mbarrier.try_wait %m, %parity : !llvm.ptr<3>, i32 -> i1
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      return
    }
    // Brings %bytes bytes from %x[%from] to %s[%to].
    func.func private @copy(%x: !x, %from: index, %s: !s, %to: index, %m: !llvm.ptr<3>, %bytes: i32) {
      %c4 = arith.constant 4 : index
      %xBase = memref.extract_aligned_pointer_as_index %x : !x -> index
      %sBase = memref.extract_aligned_pointer_as_index %s : !s -> index
      %xOffset = arith.muli %from, %c4 : index
      %sOffset = arith.muli %to, %c4 : index
      %xAddress = arith.addi %xBase, %xOffset : index
      %sAddress = arith.addi %sBase, %sOffset : index
      %xWord = arith.index_cast %xAddress : index to i64
      %sWord = arith.index_cast %sAddress : index to i64
      %src = llvm.inttoptr %xWord : i64 to !llvm.ptr<1>
      %dst = llvm.inttoptr %sWord : i64 to !llvm.ptr<3>
      %cluster = llvm.addrspacecast %dst : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.shared.cluster.global %cluster, %src, %m, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
      return
    }
    // Warp 0 brings eight tiles of 32 elements into a ring of two stages, each
    // in two copies; warps 1 and 2 add up each element of all tiles, from the
    // last to the first one. Mbarriers 0 and 1 say that a stage is full, 2 and
    // 3 that it is free again.
    gpu.func @ring(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %all = arith.constant -1 : i32
      %half = arith.constant 64 : i32
      %tile = arith.constant 128 : i32
      %t = gpu.thread_id x
      %isFirst = arith.cmpi eq, %t, %c0 : index
      // Written through the generic proxy before copies write it.
      %isInTile = arith.cmpi ult, %t, %c32 : index
      scf.if %isInTile {
        memref.store %zero, %s[%t] : !s
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      }
      scf.if %isFirst {
        scf.for %i = %c0 to %c2 step %c1 {
          %full = func.call @at(%bars, %i) : (!bars, index) -> !llvm.ptr<3>
          nvvm.mbarrier.init %full, %one : !llvm.ptr<3>, i32
          %j = arith.addi %i, %c2 : index
          %free = func.call @at(%bars, %j) : (!bars, index) -> !llvm.ptr<3>
          nvvm.mbarrier.init %free, %two : !llvm.ptr<3>, i32
        }
        nvvm.fence.mbarrier.init
      }
      gpu.barrier
      scf.if %isFirst {
        scf.for %k = %c0 to %c8 step %c1 {
          %stage = arith.remui %k, %c2 : index
          %round = arith.divui %k, %c2 : index
          %word = arith.index_cast %round : index to i32
          %parity = arith.andi %word, %one : i32
          %before = arith.xori %parity, %one : i32
          %j = arith.addi %stage, %c2 : index
          %free = func.call @at(%bars, %j) : (!bars, index) -> !llvm.ptr<3>
          func.call @wait(%free, %before) : (!llvm.ptr<3>, i32) -> ()
          %full = func.call @at(%bars, %stage) : (!bars, index) -> !llvm.ptr<3>
          nvvm.mbarrier.arrive.expect_tx %full, %tile : !llvm.ptr<3>, i32
          %from = arith.muli %k, %c32 : index
          %to = arith.muli %stage, %c32 : index
          func.call @copy(%x, %from, %s, %to, %full, %half) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
          %from1 = arith.addi %from, %c16 : index
          %to1 = arith.addi %to, %c16 : index
          func.call @copy(%x, %from1, %s, %to1, %full, %half) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
        }
      }
      %isConsumer = arith.cmpi uge, %t, %c32 : index
      scf.if %isConsumer {
        %lane = arith.remui %t, %c32 : index
        %isLeader = arith.cmpi eq, %lane, %c0 : index
        %mirror = arith.subi %c31, %lane : index
        %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (i32) {
          %stage = arith.remui %k, %c2 : index
          %round = arith.divui %k, %c2 : index
          %word = arith.index_cast %round : index to i32
          %parity = arith.andi %word, %one : i32
          %full = func.call @at(%bars, %stage) : (!bars, index) -> !llvm.ptr<3>
          func.call @wait(%full, %parity) : (!llvm.ptr<3>, i32) -> ()
          %to = arith.muli %stage, %c32 : index
          %e = arith.addi %to, %mirror : index
          %v = memref.load %s[%e] : !s
          %next = arith.addi %acc, %v : i32
          nvvm.bar.warp.sync %all : i32
          scf.if %isLeader {
            %j = arith.addi %stage, %c2 : index
            %free = func.call @at(%bars, %j) : (!bars, index) -> !llvm.ptr<3>
            %state = nvvm.mbarrier.arrive %free : !llvm.ptr<3> -> i64
          }
          scf.yield %next : i32
        }
        %c = arith.subi %t, %c32 : index
        memref.store %sum, %y[%c] : !y
      }
      gpu.return
    }
    // Thread 1 reads what thread 2 has written, after thread 0 has waited for
    // that: an arrival releases what its thread has acquired as well.
    gpu.func @chain(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %seven = arith.constant 7 : i32
      %t = gpu.thread_id x
      %first = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %second = func.call @at(%bars, %c1) : (!bars, index) -> !llvm.ptr<3>
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %is2 = arith.cmpi eq, %t, %c2 : index
      scf.if %is0 {
        nvvm.mbarrier.init %first, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %second, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is2 {
        memref.store %seven, %s[%c0] : !s
        nvvm.mbarrier.arrive %first : !llvm.ptr<3>
      }
      scf.if %is0 {
        func.call @wait(%first, %zero) : (!llvm.ptr<3>, i32) -> ()
        nvvm.mbarrier.arrive %second : !llvm.ptr<3>
      }
      scf.if %is1 {
        func.call @wait(%second, %zero) : (!llvm.ptr<3>, i32) -> ()
        %v = memref.load %s[%c0] : !s
        scf.for %i = %c0 to %c64 step %c1 {
          memref.store %v, %y[%i] : !y
        }
      }
      gpu.return
    }
    // Thread 1 fences what it has written and arrives; thread 0 fences what
    // thread 2 has written after it has met its warp. Then it may copy.
    gpu.func @fenced(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %all = arith.constant -1 : i32
      %bytes = arith.constant 32 : i32
      %t = gpu.thread_id x
      %first = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %second = func.call @at(%bars, %c1) : (!bars, index) -> !llvm.ptr<3>
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %is2 = arith.cmpi eq, %t, %c2 : index
      scf.if %is0 {
        nvvm.mbarrier.init %first, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %second, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is2 {
        memref.store %one, %s[%c4] : !s
      }
      nvvm.bar.warp.sync %all : i32
      scf.if %is1 {
        memref.store %one, %s[%c0] : !s
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.mbarrier.arrive %first : !llvm.ptr<3>
      }
      scf.if %is0 {
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        func.call @wait(%first, %zero) : (!llvm.ptr<3>, i32) -> ()
        nvvm.mbarrier.arrive.expect_tx %second, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c64, %s, %c0, %second, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      scf.if %is1 {
        func.call @wait(%second, %zero) : (!llvm.ptr<3>, i32) -> ()
        scf.for %i = %c0 to %c64 step %c1 {
          %e = arith.remui %i, %c8 : index
          %v = memref.load %s[%e] : !s
          memref.store %v, %y[%i] : !y
        }
      }
      gpu.return
    }
  }

  func.func private @make() -> !x {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %x = memref.alloc() : !x
    scf.for %i = %c0 to %c256 step %c1 {
      %v = arith.index_cast %i : index to i32
      memref.store %v, %x[%i] : !x
    }
    return %x : !x
  }
  func.func @ring() -> !y {
    %c1 = arith.constant 1 : index
    %n = arith.constant 96 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@ring blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return %y : !y
  }
  func.func @chain() -> !y {
    %c1 = arith.constant 1 : index
    %n = arith.constant 3 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@chain blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return %y : !y
  }
  func.func @fenced() -> !y {
    %c1 = arith.constant 1 : index
    %n = arith.constant 32 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@fenced blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return %y : !y
  }
}
