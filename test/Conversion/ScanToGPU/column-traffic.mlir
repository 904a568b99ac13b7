// What column kernels move, counted by the emulator: each byte once, and whole
// sectors of 32 bytes where rows are multiples of them.
//
// Two groups of 16 lanes with 8 bytes each: 8 sectors per request, all of them
// used; no thread meets another one's bank of workgroup memory.
//
// RUN: scan-run %s --entry=aligned --target=emulator --stats --json | FileCheck %s --check-prefix=ALIGNED
// ALIGNED: "global_reads": {
// ALIGNED-NEXT: "bytes": 512000,
// ALIGNED-NEXT: "compulsory_bytes": 512000,
// ALIGNED: "sectors_per_request": 8
// ALIGNED: "global_writes": {
// ALIGNED-NEXT: "bytes": 256000,
// ALIGNED-NEXT: "compulsory_bytes": 256000,
// ALIGNED: "sectors_per_request": 8
// ALIGNED: "bank_conflicts": 0
//
// Odd extents: every lane that has no column and every group that has no step
// reads one element. Columns are read one by one and written likewise.
// RUN: scan-run %s --entry=odd --target=emulator --stats --json --input=ones:f32:1003x37 --input=ones:f32:1003x37 | FileCheck %s --check-prefix=ODD
// ODD: "global_reads": {
// ODD-NEXT: "bytes": 297752,
// ODD-NEXT: "compulsory_bytes": 296888,
// ODD: "global_writes": {
// ODD-NEXT: "bytes": 148444,
// ODD-NEXT: "compulsory_bytes": 148444,
// ODD: "bank_conflicts": 0

#tc = affine_map<(d0, d1) -> (d0, d1)>

func.func @aligned() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<1000x64xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<1000x64xf32>
  %y = memref.alloc() {alignment = 64 : i64} : memref<1000x64xf32>
  scf.for %i = %c0 to %c1000 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %one, %a[%i, %j] : memref<1000x64xf32>
      memref.store %one, %b[%i, %j] : memref<1000x64xf32>
    }
  }
  scan.kernel dim = 0
      ins(%a, %b : memref<1000x64xf32>, memref<1000x64xf32>) outs(%y : memref<1000x64xf32>)
      maps [#tc, #tc, #tc]
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 5, lanes = 16, vector = 2>}
      load {
      ^bb0(%e: f32, %f: f32):
        scan.yield %e, %f : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %p = arith.mulf %a1, %a0 : f32
        %q = arith.mulf %a1, %b0 : f32
        %r = arith.addf %q, %b1 : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %e: f32, %f: f32):
        scan.yield %i1 : f32
      }
  return
}

func.func @odd(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 5, lanes = 16, vector = 2>}
      -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}
