// Atomic accesses of all kinds and widths, and accesses that are masked: silent
// where they are right, and with the right values.
//
// RUN: scan-run %s --entry=main --target=emulator --seed=1
// RUN: scan-run %s --entry=main --target=emulator --seed=2 --resident-blocks=1
// RUN: scan-run %s --entry=main --target=emulator --seed=3 --resident-blocks=16
// RUN: scan-run %s --entry=main --target=emulator --schedule=in-order
// RUN: scan-run %s --entry=main --target=emulator --schedule=adversarial
// RUN: scan-run %s --entry=main --target=emulator --races=off
//
// One lane too many:
// RUN: not scan-run %s --entry=tail --target=emulator 2>&1 | FileCheck %s
// CHECK: kernel 'kernels::masked': block (1, 0, 0), thread (0, 0, 0): vector.maskedload at {{.*}} reads 4 bytes out of bounds: right behind the end of argument #0 (24 bytes)

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // A lock per word: every thread adds 1 to each half of 16 bytes, which only
    // ever change together.
    gpu.func @wide(%word: memref<2xi64>) kernel {
      %c0 = arith.constant 0 : index
      %one = llvm.mlir.constant(1 : i128) : i128
      %s64 = llvm.mlir.constant(64 : i128) : i128
      %high = llvm.shl %one, %s64 : i128
      %both = llvm.or %high, %one : i128
      %i = memref.extract_aligned_pointer_as_index %word : memref<2xi64> -> index
      %address = arith.index_cast %i : index to i64
      %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
      scf.while : () -> () {
        %old = llvm.load %p atomic syncscope("device") acquire {alignment = 16 : i64} : !llvm.ptr<1> -> i128
        %new = llvm.add %old, %both : i128
        %result = llvm.cmpxchg %p, %old, %new syncscope("device") acq_rel acquire : !llvm.ptr<1>, i128
        %done = llvm.extractvalue %result[1] : !llvm.struct<(i128, i1)>
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      gpu.return
    }
    // All threads draw tickets; floats by a loop that upstream makes.
    gpu.func @narrow(%counter: memref<1xi32>, %sum: memref<1xf32>, %most: memref<1xi64>, %seen: memref<?xi8>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %byte = arith.constant 1 : i8
      %half = arith.constant 0.5 : f32
      %ticket = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
      %at = arith.index_cast %ticket : i32 to index
      // A byte beside those of other threads.
      memref.store %byte, %seen[%at] : memref<?xi8>
      %s = memref.atomic_rmw addf %half, %sum[%c0] : (f32, memref<1xf32>) -> f32
      %wide = arith.extsi %ticket : i32 to i64
      %m = memref.generic_atomic_rmw %most[%c0] : memref<1xi64> {
      ^bb0(%old : i64):
        %new = arith.maxsi %old, %wide : i64
        memref.atomic_yield %new : i64
      }
      gpu.return
    }
    gpu.func @masked(%x: memref<6xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %one = arith.constant dense<1.0> : vector<4xf32>
      %b = gpu.block_id x
      %first = arith.muli %b, %c4 : index
      %left = arith.subi %n, %first : index
      %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
      %lefts = vector.broadcast %left : index to vector<4xindex>
      %mask = arith.cmpi slt, %lanes, %lefts : vector<4xindex>
      %v = vector.maskedload %x[%first], %mask, %zero : memref<6xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
      %w = arith.addf %v, %one : vector<4xf32>
      vector.maskedstore %x[%first], %mask, %w : memref<6xf32>, vector<4xi1>, vector<4xf32>
      gpu.return
    }
  }
  func.func @wide() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0 : i64
    %e = arith.constant 200 : i64
    %word = memref.alloc() {alignment = 16 : i64} : memref<2xi64>
    memref.store %zero, %word[%c0] : memref<2xi64>
    memref.store %zero, %word[%c1] : memref<2xi64>
    gpu.launch_func @kernels::@wide blocks in (%c5, %c1, %c1) threads in (%c40, %c1, %c1) args(%word : memref<2xi64>)
    %low = memref.load %word[%c0] : memref<2xi64>
    %high = memref.load %word[%c1] : memref<2xi64>
    %ok_low = arith.cmpi eq, %low, %e : i64
    %ok_high = arith.cmpi eq, %high, %e : i64
    cf.assert %ok_low, "wrong low half"
    cf.assert %ok_high, "wrong high half"
    return
  }
  func.func @narrow() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c40 = arith.constant 40 : index
    %c200 = arith.constant 200 : index
    %zero = arith.constant 0 : i32
    %zero64 = arith.constant 0 : i64
    %zerof = arith.constant 0.0 : f32
    %counter = memref.alloc() : memref<1xi32>
    %sum = memref.alloc() : memref<1xf32>
    %most = memref.alloc() : memref<1xi64>
    %seen = memref.alloc(%c200) : memref<?xi8>
    memref.store %zero, %counter[%c0] : memref<1xi32>
    memref.store %zerof, %sum[%c0] : memref<1xf32>
    memref.store %zero64, %most[%c0] : memref<1xi64>
    gpu.launch_func @kernels::@narrow blocks in (%c5, %c1, %c1) threads in (%c40, %c1, %c1)
        args(%counter : memref<1xi32>, %sum : memref<1xf32>, %most : memref<1xi64>, %seen : memref<?xi8>)
    %n = memref.load %counter[%c0] : memref<1xi32>
    %s = memref.load %sum[%c0] : memref<1xf32>
    %m = memref.load %most[%c0] : memref<1xi64>
    %en = arith.constant 200 : i32
    %es = arith.constant 100.0 : f32
    %em = arith.constant 199 : i64
    %ok_n = arith.cmpi eq, %n, %en : i32
    %ok_s = arith.cmpf oeq, %s, %es : f32
    %ok_m = arith.cmpi eq, %m, %em : i64
    cf.assert %ok_n, "wrong count"
    cf.assert %ok_s, "wrong sum"
    cf.assert %ok_m, "wrong maximum"
    %one = arith.constant 1 : i8
    scf.for %i = %c0 to %c200 step %c1 {
      %v = memref.load %seen[%i] : memref<?xi8>
      %ok = arith.cmpi eq, %v, %one : i8
      cf.assert %ok, "a ticket is missing"
    }
    return
  }
  func.func private @masked(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %x = memref.alloc() : memref<6xf32>
    scf.for %i = %c0 to %c6 step %c1 {
      memref.store %zero, %x[%i] : memref<6xf32>
    }
    gpu.launch_func @kernels::@masked blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<6xf32>, %n : index)
    scf.for %i = %c0 to %c6 step %c1 {
      %v = memref.load %x[%i] : memref<6xf32>
      %ok = arith.cmpf oeq, %v, %one : f32
      cf.assert %ok, "wrong value"
    }
    return
  }
  func.func @main() {
    %c6 = arith.constant 6 : index
    call @wide() : () -> ()
    call @narrow() : () -> ()
    call @masked(%c6) : (index) -> ()
    return
  }
  func.func @tail() {
    %c7 = arith.constant 7 : index
    call @masked(%c7) : (index) -> ()
    return
  }
}
