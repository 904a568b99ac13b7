// An output may overwrite an input: threads that have no step or no column of
// their own read an element of another thread's before that writes it. No race
// is found, and the numbers are right: the sums of ones are 1, 2, 3, ...
//
// RUN: scan-run %s --entry=one_warp --target=emulator --seed=1 | FileCheck %s
// RUN: scan-run %s --entry=one_warp --target=emulator --schedule=adversarial | FileCheck %s
// RUN: scan-run %s --entry=two_warps --target=emulator --seed=2 | FileCheck %s
// RUN: scan-run %s --entry=two_warps --target=emulator --schedule=adversarial | FileCheck %s
//
// CHECK: 7x3xf32
// CHECK-NEXT: 1, 1, 1
// CHECK-NEXT: 2, 2, 2
// CHECK-NEXT: 3, 3, 3
// CHECK-NEXT: 4, 4, 4
// CHECK-NEXT: 5, 5, 5
// CHECK-NEXT: 6, 6, 6
// CHECK-NEXT: 7, 7, 7

#tc = affine_map<(d0, d1) -> (d0, d1)>

func.func private @make() -> memref<7x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<7x3xf32>
  scf.for %i = %c0 to %c7 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      memref.store %one, %x[%i, %j] : memref<7x3xf32>
    }
  }
  return %x : memref<7x3xf32>
}

func.func @one_warp() -> memref<7x3xf32> {
  %x = call @make() : () -> memref<7x3xf32>
  scan.kernel dim = 0 ins(%x : memref<7x3xf32>) outs(%x : memref<7x3xf32>) maps [#tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 1, lanes = 4, vector = 2>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return %x : memref<7x3xf32>
}

func.func @two_warps() -> memref<7x3xf32> {
  %x = call @make() : () -> memref<7x3xf32>
  scan.kernel dim = 0 ins(%x : memref<7x3xf32>) outs(%x : memref<7x3xf32>) maps [#tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 1, lanes = 32>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return %x : memref<7x3xf32>
}
