// What is wrong with mbarriers and bulk copies, each found in all orders of threads
// that a run of it names.
//
// DEFINE: %{run} = not scan-run %s --target=emulator
//
// Mbarriers have to be there.
// RUN: %{run} --entry=uninitialised --seed=1 2>&1 | FileCheck %s --check-prefix=UNINITIALISED
// UNINITIALISED: kernel 'kernels::uninitialised': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.arrive at {{.*}}.mlir:{{[0-9:]+}}: there is no mbarrier at workgroup buffer #1, element 0 (byte 0): nvvm.mbarrier.init has not been executed before
// RUN: %{run} --entry=unordered --schedule=in-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// UNORDERED: kernel 'kernels::unordered': block (0, 0, 0), thread (1, 0, 0): nvvm.mbarrier.arrive at {{.*}}.mlir:{{[0-9:]+}}: the mbarrier at workgroup buffer #1, element 0 (byte 0) was initialised by nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}} in block (0, 0, 0), thread (0, 0, 0), and no barrier orders that before
// RUN: %{run} --entry=no_arrivals --seed=1 2>&1 | FileCheck %s --check-prefix=NO_ARRIVALS
// RUN: %{run} --entry=no_arrivals --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=NO_ARRIVALS
// NO_ARRIVALS: kernel 'kernels::no_arrivals': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}: expected a count of 1 to 1048575 arrivals, found 0
// RUN: %{run} --entry=many_arrivals --seed=1 2>&1 | FileCheck %s --check-prefix=MANY_ARRIVALS
// MANY_ARRIVALS: kernel 'kernels::many_arrivals': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}: expected a count of 1 to 1048575 arrivals, found 1048576
// RUN: %{run} --entry=odd_address --seed=1 2>&1 | FileCheck %s --check-prefix=ODD_ADDRESS
// RUN: %{run} --entry=odd_address --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=ODD_ADDRESS
// ODD_ADDRESS: kernel 'kernels::odd_address': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}: the address of the mbarrier, {{.*byte [0-9]+.*}}, is not a multiple of 8
// RUN: %{run} --entry=elsewhere --seed=1 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: %{run} --entry=elsewhere --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: kernel 'kernels::elsewhere': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}: expected an mbarrier in workgroup memory
// RUN: %{run} --entry=in_use --seed=1 2>&1 | FileCheck %s --check-prefix=IN_USE
// RUN: %{run} --entry=in_use --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=IN_USE
// IN_USE: kernel 'kernels::in_use': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}: the mbarrier at {{.*}}, from nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}, is in use: phase 0 lacks 1 of 2 arrivals
// RUN: %{run} --entry=waited_for --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=WAITED_FOR
// WAITED_FOR: kernel 'kernels::waited_for': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}: the mbarrier at workgroup buffer #1, element 0 (byte 0), from nvvm.mbarrier.init at {{.*}}.mlir:{{[0-9:]+}}, is in use: phase 0 lacks 1 of 1 arrivals, and 1 thread waits for it
//
// What a phase gets is what it expects.
// RUN: %{run} --entry=twice --seed=1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %{run} --entry=twice --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: kernel 'kernels::twice': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.arrive at {{.*}}.mlir:{{[0-9:]+}}: all of the arrivals that the mbarrier at {{.*}} expects in a phase have been there: phase 0 lacks 0 of 1 arrivals and 16 bytes
// RUN: %{run} --entry=negative --seed=1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: kernel 'kernels::negative': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.arrive.expect_tx at {{.*}}.mlir:{{[0-9:]+}}: expected 0 to 1048575 bytes to be announced, found -16
// RUN: %{run} --entry=many_bytes --seed=1 2>&1 | FileCheck %s --check-prefix=MANY_BYTES
// MANY_BYTES: kernel 'kernels::many_bytes': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.arrive.expect_tx at {{.*}}.mlir:{{[0-9:]+}}: the transaction count of the mbarrier at workgroup buffer #1, element 0 (byte 0) becomes 1048591, expected at most 1048575 bytes; let several phases bring them
// RUN: %{run} --entry=parity --seed=1 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: kernel 'kernels::parity': block (0, 0, 0), thread (0, 0, 0): nvvm.mbarrier.try_wait at {{.*}}.mlir:{{[0-9:]+}}: expected the parity 0 or 1 of a phase, found 2
// RUN: %{run} --entry=too_few_arrivals --seed=1 2>&1 | FileCheck %s --check-prefix=TOO_FEW_ARRIVALS
// RUN: %{run} --entry=too_few_arrivals --seed=2 2>&1 | FileCheck %s --check-prefix=TOO_FEW_ARRIVALS
// RUN: %{run} --entry=too_few_arrivals --schedule=in-order 2>&1 | FileCheck %s --check-prefix=TOO_FEW_ARRIVALS
// RUN: %{run} --entry=too_few_arrivals --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=TOO_FEW_ARRIVALS
// RUN: %{run} --entry=too_few_arrivals --races=off 2>&1 | FileCheck %s --check-prefix=TOO_FEW_ARRIVALS
// TOO_FEW_ARRIVALS: kernel 'kernels::too_few_arrivals': block (0, 0, 0), thread (1, 0, 0) waits at nvvm.mbarrier.try_wait at {{.*}}.mlir:{{[0-9:]+}} for the mbarrier at {{.*}}, and no thread of the block can go on: phase 0 lacks 1 of 2 arrivals, and 1 thread waits for it
// RUN: %{run} --entry=too_few_bytes --seed=1 2>&1 | FileCheck %s --check-prefix=TOO_FEW_BYTES
// RUN: %{run} --entry=too_few_bytes --seed=2 2>&1 | FileCheck %s --check-prefix=TOO_FEW_BYTES
// RUN: %{run} --entry=too_few_bytes --schedule=in-order 2>&1 | FileCheck %s --check-prefix=TOO_FEW_BYTES
// RUN: %{run} --entry=too_few_bytes --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=TOO_FEW_BYTES
// RUN: %{run} --entry=too_few_bytes --races=off 2>&1 | FileCheck %s --check-prefix=TOO_FEW_BYTES
// TOO_FEW_BYTES: kernel 'kernels::too_few_bytes': block (0, 0, 0), thread (1, 0, 0) waits at nvvm.mbarrier.try_wait at {{.*}}.mlir:{{[0-9:]+}} for the mbarrier at {{.*}}, and no thread of the block can go on: phase 0 lacks 0 of 1 arrivals and 16 bytes, and 1 thread waits for it
// RUN: %{run} --entry=too_many_bytes --seed=1 2>&1 | FileCheck %s --check-prefix=TOO_MANY_BYTES
// RUN: %{run} --entry=too_many_bytes --seed=2 2>&1 | FileCheck %s --check-prefix=TOO_MANY_BYTES
// RUN: %{run} --entry=too_many_bytes --schedule=in-order 2>&1 | FileCheck %s --check-prefix=TOO_MANY_BYTES
// RUN: %{run} --entry=too_many_bytes --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=TOO_MANY_BYTES
// TOO_MANY_BYTES: kernel 'kernels::too_many_bytes': block (0, 0, 0), thread (1, 0, 0) waits at nvvm.mbarrier.try_wait at {{.*}}.mlir:{{[0-9:]+}} for the mbarrier at workgroup buffer #1, element 0 (byte 0), and no thread of the block can go on: phase 0 lacks 0 of 1 arrivals and has got 16 bytes that were not announced, and 1 thread waits for it
// RUN: %{run} --entry=barrier_instead --seed=1 2>&1 | FileCheck %s --check-prefix=BARRIER_INSTEAD
// RUN: %{run} --entry=barrier_instead --seed=2 2>&1 | FileCheck %s --check-prefix=BARRIER_INSTEAD
// RUN: %{run} --entry=barrier_instead --schedule=in-order 2>&1 | FileCheck %s --check-prefix=BARRIER_INSTEAD
// RUN: %{run} --entry=barrier_instead --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=BARRIER_INSTEAD
// BARRIER_INSTEAD: kernel 'kernels::barrier_instead': block (0, 0, 0), thread (0, 0, 0) waits at nvvm.mbarrier.try_wait at {{.*}}.mlir:{{[0-9:]+}} for the mbarrier at workgroup buffer #1, element 0 (byte 0), and no thread of the block can go on: phase 0 lacks 1 of 1 arrivals, and 1 thread waits for it; thread (1, 0, 0) waits at gpu.barrier at {{.*}}.mlir:{{[0-9:]+}}
//
// Sizes and addresses of copies.
// RUN: %{run} --entry=size --seed=1 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: %{run} --entry=size --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: kernel 'kernels::size': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: expected a positive multiple of 16 bytes, found 8
// RUN: %{run} --entry=no_size --seed=1 2>&1 | FileCheck %s --check-prefix=NO_SIZE
// NO_SIZE: kernel 'kernels::no_size': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: expected a positive multiple of 16 bytes, found 0
// RUN: %{run} --entry=odd_source --seed=1 2>&1 | FileCheck %s --check-prefix=ODD_SOURCE
// RUN: %{run} --entry=odd_source --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=ODD_SOURCE
// ODD_SOURCE: kernel 'kernels::odd_source': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: the address of the source, {{.*byte.*}}, is not a multiple of 16
// RUN: %{run} --entry=odd_target --seed=1 2>&1 | FileCheck %s --check-prefix=ODD_TARGET
// RUN: %{run} --entry=odd_target --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=ODD_TARGET
// ODD_TARGET: kernel 'kernels::odd_target': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: the address of the target, {{.*byte.*}}, is not a multiple of 16
// RUN: %{run} --entry=shared_source --seed=1 2>&1 | FileCheck %s --check-prefix=SHARED_SOURCE
// RUN: %{run} --entry=shared_source --seed=1 --races=off 2>&1 | FileCheck %s --check-prefix=SHARED_SOURCE
// SHARED_SOURCE: kernel 'kernels::shared_source': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: expected a source in global memory
// RUN: %{run} --entry=global_target --races=off 2>&1 | FileCheck %s --check-prefix=GLOBAL_TARGET
// GLOBAL_TARGET: kernel 'kernels::global_target': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: expected a target in workgroup memory
// RUN: %{run} --entry=beyond_source --seed=1 2>&1 | FileCheck %s --check-prefix=BEYOND_SOURCE
// BEYOND_SOURCE: kernel 'kernels::beyond_source': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} reads 32 bytes out of bounds: right behind the end of argument #0 (1024 bytes)
// RUN: %{run} --entry=beyond_target --seed=1 2>&1 | FileCheck %s --check-prefix=BEYOND_TARGET
// BEYOND_TARGET: kernel 'kernels::beyond_target': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} writes 32 bytes out of bounds: right behind the end of workgroup buffer #0 (256 bytes)
//
// A copy is under way until somebody has waited for it.
// RUN: %{run} --entry=no_wait --seed=1 2>&1 | FileCheck %s --check-prefix=NO_WAIT
// RUN: %{run} --entry=no_wait --seed=2 2>&1 | FileCheck %s --check-prefix=NO_WAIT
// RUN: %{run} --entry=no_wait --schedule=in-order 2>&1 | FileCheck %s --check-prefix=NO_WAIT
// RUN: %{run} --entry=no_wait --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=NO_WAIT
// NO_WAIT: kernel 'kernels::no_wait': data race on workgroup buffer #0, byte 0: nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} has written 4 bytes in block (0, 0, 0), thread (0, 0, 0), then memref.load at {{.*}}.mlir:{{[0-9:]+}} reads 4 bytes in block (0, 0, 0), thread (0, 0, 0); the copy is under way until a phase of its mbarrier completes, and the latter has not waited for that
// RUN: %{run} --entry=barrier_only --seed=1 2>&1 | FileCheck %s --check-prefix=BARRIER_ONLY
// RUN: %{run} --entry=barrier_only --seed=2 2>&1 | FileCheck %s --check-prefix=BARRIER_ONLY
// RUN: %{run} --entry=barrier_only --schedule=in-order 2>&1 | FileCheck %s --check-prefix=BARRIER_ONLY
// RUN: %{run} --entry=barrier_only --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=BARRIER_ONLY
// BARRIER_ONLY: kernel 'kernels::barrier_only': data race on workgroup buffer #0, byte 0: nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} has written 4 bytes in block (0, 0, 0), thread (0, 0, 0), then memref.load at {{.*}}.mlir:{{[0-9:]+}} reads 4 bytes in block (0, 0, 0), thread (1, 0, 0); the copy is under way
// RUN: %{run} --entry=source_written --seed=1 2>&1 | FileCheck %s --check-prefix=SOURCE_WRITTEN
// RUN: %{run} --entry=source_written --seed=2 2>&1 | FileCheck %s --check-prefix=SOURCE_WRITTEN
// RUN: %{run} --entry=source_written --schedule=in-order 2>&1 | FileCheck %s --check-prefix=SOURCE_WRITTEN
// RUN: %{run} --entry=source_written --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=SOURCE_WRITTEN
// SOURCE_WRITTEN: kernel 'kernels::source_written': data race on argument #0, byte 4: nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} has read 4 bytes in block (0, 0, 0), thread (0, 0, 0), then memref.store at {{.*}}.mlir:{{[0-9:]+}} writes 4 bytes in block (0, 0, 0), thread (0, 0, 0); the copy is under way
// RUN: %{run} --entry=not_announced --seed=1 2>&1 | FileCheck %s --check-prefix=NOT_ANNOUNCED
// RUN: %{run} --entry=not_announced --seed=2 2>&1 | FileCheck %s --check-prefix=NOT_ANNOUNCED
// RUN: %{run} --entry=not_announced --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=NOT_ANNOUNCED
// NOT_ANNOUNCED: kernel 'kernels::not_announced': data race on workgroup buffer #0, byte 0: nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} has written 4 bytes in block (0, 0, 0), thread (0, 0, 0), then memref.load at {{.*}}.mlir:{{[0-9:]+}} reads 4 bytes in block (0, 0, 0), thread (1, 0, 0); the copy is under way
// RUN: %{run} --entry=block_ends --seed=1 2>&1 | FileCheck %s --check-prefix=BLOCK_ENDS
// RUN: %{run} --entry=block_ends --seed=2 2>&1 | FileCheck %s --check-prefix=BLOCK_ENDS
// RUN: %{run} --entry=block_ends --schedule=in-order 2>&1 | FileCheck %s --check-prefix=BLOCK_ENDS
// RUN: %{run} --entry=block_ends --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=BLOCK_ENDS
// RUN: %{run} --entry=block_ends --races=off 2>&1 | FileCheck %s --check-prefix=BLOCK_ENDS
// BLOCK_ENDS: kernel 'kernels::block_ends': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: the copy may still be under way when the block ends: nobody has waited for the mbarrier at {{.*}}
// RUN: %{run} --entry=over_copy --schedule=in-order 2>&1 | FileCheck %s --check-prefix=OVER_COPY
// OVER_COPY: kernel 'kernels::over_copy': data race on workgroup buffer #0, byte 0: nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} has written 16 bytes in block (0, 0, 0), thread (0, 0, 0), then nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} writes 16 bytes in block (0, 0, 0), thread (0, 0, 0); the copy is under way
// RUN: %{run} --entry=again --schedule=in-order 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: kernel 'kernels::again': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}}: the copy may still be under way when its mbarrier is initialised again: nobody has waited for the mbarrier at workgroup buffer #1, element 0 (byte 0)
//
// Memory that a copy writes must not be in use any more. Thread 0 has waited for
// the first copy, but not for thread 1, which reads what it has brought.
// RUN: %{run} --entry=not_free --seed=1 2>&1 | FileCheck %s --check-prefix=NOT_FREE
// RUN: %{run} --entry=not_free --seed=2 2>&1 | FileCheck %s --check-prefix=NOT_FREE
// RUN: %{run} --entry=not_free --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=NOT_FREE
// NOT_FREE: kernel 'kernels::not_free': data race on workgroup buffer #0, byte 0: {{nvvm.cp.async.bulk.shared.cluster.global|memref.load}} at {{.*}}, then {{nvvm.cp.async.bulk.shared.cluster.global|memref.load}} at {{.*}}; {{the copy is under way|the thread that begins the copy has neither waited for the former nor acquired anything later from it}}
//
// In order of threads the second copy is there before thread 1 waits for the first
// one, so that it waits for a third.
// RUN: %{run} --entry=not_free_ordered --schedule=in-order 2>&1 | FileCheck %s --check-prefix=NOT_FREE_ORDERED
// NOT_FREE_ORDERED: kernel 'kernels::not_free_ordered': block (0, 0, 0), thread (1, 0, 0) waits at nvvm.mbarrier.try_wait at {{.*}}.mlir:{{[0-9:]+}} for the mbarrier at workgroup buffer #1, element 0 (byte 0), and no thread of the block can go on: phase 2 lacks 1 of 1 arrivals, and 1 thread waits for it
//
// Between a write and a copy to the same memory there has to be a fence, not
// before the write, and known to the thread that begins the copy.
// RUN: %{run} --entry=no_fence --seed=1 2>&1 | FileCheck %s --check-prefix=NO_FENCE
// RUN: %{run} --entry=no_fence --seed=2 2>&1 | FileCheck %s --check-prefix=NO_FENCE
// RUN: %{run} --entry=no_fence --schedule=in-order 2>&1 | FileCheck %s --check-prefix=NO_FENCE
// RUN: %{run} --entry=no_fence --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=NO_FENCE
// NO_FENCE: kernel 'kernels::no_fence': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} writes workgroup buffer #0, element 0 (byte 0), which was written by memref.store at {{.*}}.mlir:{{[0-9:]+}} in block (0, 0, 0), thread (0, 0, 0), and no fence.proxy.async orders that write before the copy
// RUN: %{run} --entry=early_fence --seed=1 2>&1 | FileCheck %s --check-prefix=EARLY_FENCE
// RUN: %{run} --entry=early_fence --seed=2 2>&1 | FileCheck %s --check-prefix=EARLY_FENCE
// RUN: %{run} --entry=early_fence --schedule=in-order 2>&1 | FileCheck %s --check-prefix=EARLY_FENCE
// RUN: %{run} --entry=early_fence --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=EARLY_FENCE
// EARLY_FENCE: kernel 'kernels::early_fence': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} writes workgroup buffer #0, element 1 (byte 4), which was written by memref.store at {{.*}}.mlir:{{[0-9:]+}} in block (0, 0, 0), thread (0, 0, 0), and no fence.proxy.async orders that write before the copy
// RUN: %{run} --entry=others_write --seed=1 2>&1 | FileCheck %s --check-prefix=OTHERS_WRITE
// RUN: %{run} --entry=others_write --seed=2 2>&1 | FileCheck %s --check-prefix=OTHERS_WRITE
// RUN: %{run} --entry=others_write --schedule=in-order 2>&1 | FileCheck %s --check-prefix=OTHERS_WRITE
// RUN: %{run} --entry=others_write --schedule=adversarial 2>&1 | FileCheck %s --check-prefix=OTHERS_WRITE
// OTHERS_WRITE: kernel 'kernels::others_write': block (0, 0, 0), thread (0, 0, 0): nvvm.cp.async.bulk.shared.cluster.global at {{.*}}.mlir:{{[0-9:]+}} writes workgroup buffer #0, element 0 (byte 0), which was written by memref.store at {{.*}}.mlir:{{[0-9:]+}} in block (0, 0, 0), thread (1, 0, 0), and no fence.proxy.async orders that write before the copy

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
    gpu.func @uninitialised(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      gpu.return
    }
    gpu.func @unordered(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      scf.if %is1 {
        nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      }
      gpu.return
    }
    gpu.func @no_arrivals(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %zero : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @many_arrivals(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %big = arith.constant 1048576 : i32
      nvvm.mbarrier.init %m, %big : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @odd_address(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c4 = arith.constant 4 : index
      %one = arith.constant 1 : i32
      %a = memref.extract_aligned_pointer_as_index %bars : !bars -> index
      %b = arith.addi %a, %c4 : index
      %w = arith.index_cast %b : index to i64
      %odd = llvm.inttoptr %w : i64 to !llvm.ptr<3>
      nvvm.mbarrier.init %odd, %one : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @elsewhere(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %one = arith.constant 1 : i32
      %a = memref.extract_aligned_pointer_as_index %x : !x -> index
      %w = arith.index_cast %a : index to i64
      %odd = llvm.inttoptr %w : i64 to !llvm.ptr<3>
      nvvm.mbarrier.init %odd, %one : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @in_use(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %two = arith.constant 2 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %two : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      nvvm.mbarrier.init %m, %two : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @waited_for(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      }
      scf.if %is0 {
        %u = func.call @at(%bars, %c1) : (!bars, index) -> !llvm.ptr<3>
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.return
    }
    gpu.func @twice(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      gpu.return
    }
    gpu.func @negative(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %minus = arith.constant -16 : i32
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %minus : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @many_bytes(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %two = arith.constant 2 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %max = arith.constant 1048575 : i32
      nvvm.mbarrier.init %m, %two : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %max : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @parity(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      func.call @wait(%m, %two) : (!llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @too_few_arrivals(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %two = arith.constant 2 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %two : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      }
      gpu.return
    }
    gpu.func @too_few_bytes(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %more = arith.constant 32 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %more : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      }
      gpu.return
    }
    gpu.func @too_many_bytes(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %more = arith.constant 32 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %more) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      }
      gpu.return
    }
    gpu.func @barrier_instead(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      }
      gpu.barrier
      scf.if %is1 {
        nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      }
      gpu.return
    }
    gpu.func @size(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %eight = arith.constant 8 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %eight) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @no_size(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %zero) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @odd_source(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c1, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @odd_target(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c1, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @shared_source(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %a = memref.extract_aligned_pointer_as_index %s : !s -> index
      %w = arith.index_cast %a : index to i64
      %src = llvm.inttoptr %w : i64 to !llvm.ptr<1>
      %dst = llvm.inttoptr %w : i64 to !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %m, %bytes : !llvm.ptr<3>, !llvm.ptr<1>
      gpu.return
    }
    gpu.func @global_target(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      %a = memref.extract_aligned_pointer_as_index %x : !x -> index
      %w = arith.index_cast %a : index to i64
      %src = llvm.inttoptr %w : i64 to !llvm.ptr<1>
      %dst = llvm.inttoptr %w : i64 to !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %m, %bytes : !llvm.ptr<3>, !llvm.ptr<1>
      gpu.return
    }
    gpu.func @beyond_source(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c252 = arith.constant 252 : index
      %one = arith.constant 1 : i32
      %more = arith.constant 32 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %more : !llvm.ptr<3>, i32
      func.call @copy(%x, %c252, %s, %c0, %m, %more) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @beyond_target(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c60 = arith.constant 60 : index
      %one = arith.constant 1 : i32
      %more = arith.constant 32 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %more : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c60, %m, %more) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @no_wait(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      %v = memref.load %s[%c0] : !s
      memref.store %v, %y[%t] : !y
      gpu.return
    }
    gpu.func @barrier_only(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      gpu.barrier
      scf.if %is1 {
        %v = memref.load %s[%c0] : !s
        memref.store %v, %y[%t] : !y
      }
      gpu.return
    }
    gpu.func @source_written(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      memref.store %one, %x[%c1] : !x
      func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @not_announced(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
        nvvm.mbarrier.arrive %m : !llvm.ptr<3>
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
        %v = memref.load %s[%c0] : !s
        memref.store %v, %y[%t] : !y
      }
      gpu.return
    }
    gpu.func @block_ends(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @over_copy(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      }
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c4, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
        func.call @wait(%m, %one) : (!llvm.ptr<3>, i32) -> ()
      }
      gpu.return
    }
    gpu.func @again(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      gpu.return
    }
    gpu.func @not_free(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c4, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
        %v = memref.load %s[%c0] : !s
        memref.store %v, %y[%t] : !y
      }
      gpu.return
    }
    gpu.func @not_free_ordered(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c4, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      }
      scf.if %is1 {
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
        %v = memref.load %s[%c0] : !s
        memref.store %v, %y[%t] : !y
      }
      gpu.return
    }
    gpu.func @no_fence(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      memref.store %one, %s[%c0] : !s
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @early_fence(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      memref.store %one, %s[%c1] : !s
      nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
      func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
      func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
      gpu.return
    }
    gpu.func @others_write(%x: !x, %y: !y) workgroup(%s: !s, %bars: !bars) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 16 : i32
      %t = gpu.thread_id x
      %is0 = arith.cmpi eq, %t, %c0 : index
      %is1 = arith.cmpi eq, %t, %c1 : index
      %m = func.call @at(%bars, %c0) : (!bars, index) -> !llvm.ptr<3>
      scf.if %is1 {
        memref.store %one, %s[%c0] : !s
      }
      scf.if %is0 {
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      }
      gpu.barrier
      scf.if %is0 {
        nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
        func.call @copy(%x, %c0, %s, %c0, %m, %bytes) : (!x, index, !s, index, !llvm.ptr<3>, i32) -> ()
        func.call @wait(%m, %zero) : (!llvm.ptr<3>, i32) -> ()
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
  func.func @uninitialised() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@uninitialised blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @unordered() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@unordered blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @no_arrivals() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@no_arrivals blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @many_arrivals() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@many_arrivals blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @odd_address() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@odd_address blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @elsewhere() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@elsewhere blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @in_use() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@in_use blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @waited_for() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@waited_for blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @twice() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @negative() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@negative blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @many_bytes() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@many_bytes blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @parity() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@parity blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @too_few_arrivals() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@too_few_arrivals blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @too_few_bytes() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@too_few_bytes blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @too_many_bytes() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@too_many_bytes blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @barrier_instead() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@barrier_instead blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @size() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@size blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @no_size() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@no_size blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @odd_source() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@odd_source blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @odd_target() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@odd_target blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @shared_source() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@shared_source blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @global_target() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@global_target blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @beyond_source() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@beyond_source blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @beyond_target() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@beyond_target blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @no_wait() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@no_wait blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @barrier_only() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@barrier_only blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @source_written() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@source_written blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @not_announced() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@not_announced blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @block_ends() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@block_ends blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @over_copy() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@over_copy blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @again() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@again blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @not_free() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@not_free blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @not_free_ordered() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@not_free_ordered blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @no_fence() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@no_fence blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @early_fence() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 1 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@early_fence blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
  func.func @others_write() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 2 : index
    %x = call @make() : () -> !x
    %y = memref.alloc() : !y
    gpu.launch_func @kernels::@others_write blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%x : !x, %y : !y)
    return
  }
}
