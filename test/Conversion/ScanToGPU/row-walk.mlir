// A thread for each row: rows that are contiguous in memory pass through shared memory,
// and each thread takes the steps of its row in order, of an operator that does not
// associate.
//
// RUN: scan-opt %s --convert-scan-to-gpu | FileCheck %s
// CHECK-LABEL: gpu.func @walk_scan0(
// CHECK-SAME:    kernel = "row", look_back_bytes = 0 : i64, prefetches = true
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.barrier
// CHECK-COUNT-8: arith.subf
// CHECK:         gpu.barrier
//
// Whole sectors of 32 bytes, by accesses of 16 bytes of each of 32 lanes; no thread meets
// another one's bank of workgroup memory.
//
// RUN: scan-run %s --entry=walk --target=emulator --stats --json | FileCheck %s --check-prefix=TRAFFIC
// TRAFFIC: "global_reads": {
// TRAFFIC-NEXT: "bytes": 64000,
// TRAFFIC-NEXT: "compulsory_bytes": 64000,
// TRAFFIC: "sectors_per_request": 16
// TRAFFIC: "global_writes": {
// TRAFFIC-NEXT: "bytes": 64000,
// TRAFFIC: "sectors_per_request": 16
// TRAFFIC: "bank_conflicts": 0
//
// Awkward sizes, to the bit: tiles that are not full, rows that do not exist, finals, an
// init per row, in reverse, divisions that must see no padding, other types.
//
// DEFINE: %{run} = scan-run %s --target=emulator --compare=reference --tolerance=0
// RUN: %{run} --entry=fold --input=random:f32:3x21x37:1 --input=random:f32:3x21:2
// RUN: %{run} --entry=fold --input=random:f32:1x64x8:1 --input=random:f32:1x64:2
// RUN: %{run} --entry=fold --input=random:f32:2x33x1:1 --input=random:f32:2x33:2
// RUN: %{run} --entry=fold --input=random:f32:2x5x0:1 --input=random:f32:2x5:2
// RUN: %{run} --entry=reverse --input=random:i32:3x21x37:1:1:9 --input=random:bf16:3x21x37:2
// RUN: %{run} --entry=reverse --input=random:i32:1x1x128:1:1:9 --input=random:bf16:1x1x128:2
// RUN: %{run} --entry=last --input=random:i64:70x19:1
// RUN: %{run} --entry=last --input=random:i64:3x16:1

func.func @walk() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c80 = arith.constant 80 : index
  %c200 = arith.constant 200 : index
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() {alignment = 64 : i64} : memref<80x200xf32>
  %y = memref.alloc() {alignment = 64 : i64} : memref<80x200xf32>
  scf.for %i = %c0 to %c80 step %c1 {
    scf.for %j = %c0 to %c200 step %c1 {
      memref.store %one, %x[%i, %j] : memref<80x200xf32>
    }
  }
  scan.kernel dim = 1
      ins(%x : memref<80x200xf32>) outs(%y : memref<80x200xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = row, threads = 32, items = 8, rows = 32>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.subf %b, %a : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

#walk = #scan.schedule<strategy = row, threads = 32, items = 8, rows = 32>

func.func @fold(%x: tensor<?x?x?xf32>, %i: tensor<?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x?x?xf32>) init(%i : tensor<?x?xf32>) dim = 2
      attributes {order = #scan.order<sequential>, schedule = #walk} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %b, %a : f32
    scan.yield %s : f32
  } -> tensor<?x?x?xf32>, tensor<?x?xf32>
  return %y, %last : tensor<?x?x?xf32>, tensor<?x?xf32>
}

func.func @reverse(%x: tensor<?x?x?xi32>, %z: tensor<?x?x?xbf16>) -> (tensor<?x?x?xi32>, tensor<?x?x?xbf16>) {
  %y:2 = scan.associative ins(%x, %z : tensor<?x?x?xi32>, tensor<?x?x?xbf16>) dim = 2 reverse
      attributes {order = #scan.order<sequential>, schedule = #walk} {
  ^bb0(%a: i32, %c: bf16, %b: i32, %d: bf16):
    %q = arith.divsi %a, %b : i32
    %s = arith.addi %q, %b : i32
    %e = arith.subf %d, %c : bf16
    scan.yield %s, %e : i32, bf16
  } -> tensor<?x?x?xi32>, tensor<?x?x?xbf16>
  return %y#0, %y#1 : tensor<?x?x?xi32>, tensor<?x?x?xbf16>
}

// No outputs but the last state.
func.func @last(%x: tensor<?x?xi64>) -> tensor<?xi64> {
  %y, %last = scan.associative ins(%x : tensor<?x?xi64>) dim = 1
      attributes {order = #scan.order<sequential>, schedule = #walk} {
  ^bb0(%a: i64, %b: i64):
    %s = arith.subi %b, %a : i64
    scan.yield %s : i64
  } -> tensor<?x?xi64>, tensor<?xi64>
  return %last : tensor<?xi64>
}
