// What is counted, with what a pencil says it should be. Every count is the same
// whatever the order.
//
// RUN: scan-run %s --entry=main --target=emulator --stats | FileCheck %s --check-prefix=TABLE
// RUN: scan-run %s --entry=main --target=emulator --stats --json --seed=1 > %t.1.json
// RUN: scan-run %s --entry=main --target=emulator --stats --json --seed=2 --resident-blocks=1 > %t.2.json
// RUN: scan-run %s --entry=main --target=emulator --stats --json --schedule=in-order > %t.3.json
// RUN: scan-run %s --entry=main --target=emulator --stats --json --schedule=adversarial --races=off > %t.4.json
// RUN: FileCheck %s --input-file=%t.1.json
// RUN: cmp %t.1.json %t.2.json
// RUN: cmp %t.1.json %t.3.json
// RUN: cmp %t.1.json %t.4.json
//
// RUN: not scan-run %s --entry=main --target=reference --stats 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: option '--stats' needs '--target=emulator'
//
// Two blocks of two warps. Each thread reads x once, side by side, and y[8 t],
// each in a sector of its own: 128 * 4 + 128 * 4 bytes in 4 + 4 requests of
// 4 and 32 sectors. Each writes one element of z; thread 0 of each block writes
// it once more, in a request of its own. All of it is needed but the second
// write, and y[8 t] is the same for both blocks.
// CHECK: "elements": 1024,
// CHECK: "launches": 1,
// CHECK: "threads": 128,
// CHECK: "global_reads": {
// CHECK-NEXT: "bytes": 1024,
// CHECK-NEXT: "compulsory_bytes": 768,
// CHECK-NEXT: "requests": 8,
// CHECK-NEXT: "sectors": 144,
// CHECK-NEXT: "bytes_per_element": 1,
// CHECK-NEXT: "compulsory_bytes_per_element": 0.75,
// CHECK-NEXT: "sectors_per_request": 18
// CHECK: "global_writes": {
// CHECK-NEXT: "bytes": 520,
// CHECK-NEXT: "compulsory_bytes": 512,
// CHECK-NEXT: "requests": 6,
// CHECK-NEXT: "sectors": 18,
//
// Workgroup memory: a store without conflicts, a load of every second word, two
// lanes to a bank: one conflict for each of 4 warps; a load of one word by all; a
// vector of 4 words by each lane, 8 lanes at a time, without conflicts.
// CHECK: "shared_requests": 32,
// CHECK-NEXT: "bank_conflicts": 4,
// CHECK-NEXT: "barriers": 2,
// CHECK-NEXT: "shuffles": 4,
// CHECK-NEXT: "atomics": 128
//
// TABLE: emulator: 1 launches, 128 threads, 1024 elements
// TABLE-NEXT: total  per element    at least
// TABLE-NEXT: global bytes read             1024            1        0.75
// TABLE-NEXT: global bytes written           520       0.5078         0.5
// TABLE-NEXT: barriers of a block              2     0.001953
// TABLE-NEXT: shuffles of a warp               4     0.003906
// TABLE-NEXT: atomic accesses                128        0.125
// TABLE-NEXT: bank conflicts                   4     0.003906
// TABLE-NEXT: sectors per read                18  where its bytes fill 4
// TABLE-NEXT: sectors per write                3  where its bytes fill 2.708

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @count(%x: memref<128xf32>, %y: memref<1024xf32>, %z: memref<128xf32>)
        workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>,
                  %counter: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %width = arith.constant 32 : i32
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %a = memref.load %x[%g] : memref<128xf32>
      %t8 = arith.muli %t, %c8 : index
      %b = memref.load %y[%t8] : memref<1024xf32>
      %ab = arith.addf %a, %b : f32
      // All 256 elements: 4 stores by each of 2 warps.
      scf.for %i = %c0 to %c4 step %c2 {
        %k0 = arith.muli %i, %c64 : index
        %k = arith.addi %k0, %t : index
        memref.store %ab, %s[%k] : memref<256xf32, #gpu.address_space<workgroup>>
        %k1 = arith.addi %k, %c64 : index
        memref.store %ab, %s[%k1] : memref<256xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %t2 = arith.muli %t, %c2 : index
      %p = memref.load %s[%t2] : memref<256xf32, #gpu.address_space<workgroup>>
      %q = memref.load %s[%c0] : memref<256xf32, #gpu.address_space<workgroup>>
      %t4 = arith.muli %t, %c4 : index
      %v = vector.load %s[%t4] : memref<256xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %r = vector.reduction <add>, %v : vector<4xf32> into f32
      %pq = arith.addf %p, %q : f32
      %pqr = arith.addf %pq, %r : f32
      %w, %valid = gpu.shuffle xor %pqr, %one, %width : f32
      memref.store %w, %z[%g] : memref<128xf32>
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        memref.store %pqr, %z[%g] : memref<128xf32>
      }
      // One request a warp; lanes update it one after another.
      %i = memref.extract_aligned_pointer_as_index %counter
          : memref<1xi32, #gpu.address_space<workgroup>> -> index
      %address = arith.index_cast %i : index to i64
      %pointer = llvm.inttoptr %address : i64 to !llvm.ptr<3>
      llvm.store %zero, %pointer atomic syncscope("block") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<3>
      gpu.return
    }
  }
  func.func @main() -> memref<1024xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1.0 : f32
    %x = memref.alloc() : memref<128xf32>
    %y = memref.alloc() : memref<1024xf32>
    %z = memref.alloc() : memref<128xf32>
    scf.for %i = %c0 to %c128 step %c1 {
      memref.store %one, %x[%i] : memref<128xf32>
    }
    scf.for %i = %c0 to %c1024 step %c1 {
      memref.store %one, %y[%i] : memref<1024xf32>
    }
    gpu.launch_func @kernels::@count blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%x : memref<128xf32>, %y : memref<1024xf32>, %z : memref<128xf32>)
    return %y : memref<1024xf32>
  }
}
