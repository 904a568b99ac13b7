// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#m = affine_map<(d0) -> (d0)>

// Two leaves over four warps: the totals of the warps before come in order on
// the left of the thread's own; the coefficient of the carry, which nobody
// needs, is not carried.

// CHECK-LABEL: gpu.func @few_warps_scan0
// CHECK-SAME: workgroup(%[[TA:.*]] : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[TB:.*]] : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[WARP:.*]] = arith.divui %[[TID]]
// CHECK: scf.for %[[TILE:.*]] = %{{.*}} iter_args(%[[CARRY:[^ ]*]] = %{{.*}}) -> (f32, f32, f32)
// CHECK: %[[PHASE:.*]] = arith.andi %[[TILE]], %[[C1]]
// CHECK: scf.if
// CHECK: %[[BUFFER:.*]] = arith.muli %[[PHASE]], %[[C4]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[BUFFER]], %[[WARP]]
// CHECK: memref.store %{{.*}}, %[[TA]][%[[SLOT]]]
// CHECK: memref.store %{{.*}}, %[[TB]][%[[SLOT]]]
// CHECK: gpu.barrier
// CHECK: %[[BUFFER:.*]] = arith.muli %[[PHASE]], %[[C4]]
// CHECK: %[[A0:.*]] = memref.load %[[TA]][%[[BUFFER]]]
// CHECK: %[[B0:.*]] = memref.load %[[TB]][%[[BUFFER]]]
// CHECK: %[[G0:.*]] = arith.select %{{.*}}, %{{.*}}, %[[A0]] : f32
// CHECK: %[[M0:.*]] = arith.mulf %[[G0]], %[[CARRY]]
// CHECK: %[[R0:.*]] = arith.addf %[[M0]], %[[B0]]
// CHECK: %[[IS1:.*]] = arith.cmpi eq, %[[WARP]], %[[C1]]
// CHECK: %[[AT1:.*]] = arith.addi %[[BUFFER]], %[[C1]]
// CHECK: %[[A1:.*]] = memref.load %[[TA]][%[[AT1]]]
// CHECK: %[[B1:.*]] = memref.load %[[TB]][%[[AT1]]]
// CHECK: %[[P1:.*]] = arith.select %[[IS1]], %[[R0]], %[[CARRY]]
// CHECK: %[[G1:.*]] = arith.select %{{.*}}, %{{.*}}, %[[A1]] : f32
// CHECK: %[[M1:.*]] = arith.mulf %[[G1]], %[[R0]]
// CHECK: %[[R1:.*]] = arith.addf %[[M1]], %[[B1]]
// CHECK: %[[IS2:.*]] = arith.cmpi eq, %[[WARP]], %[[C2]]
// CHECK: %[[AT2:.*]] = arith.addi %[[BUFFER]], %[[C2]]
// CHECK: memref.load %[[TA]][%[[AT2]]]
// CHECK: %[[P2:.*]] = arith.select %[[IS2]], %[[R1]], %[[P1]]
// CHECK: %[[R2:.*]] = arith.addf
// CHECK: %[[IS3:.*]] = arith.cmpi eq, %[[WARP]], %[[C3]]
// CHECK: memref.load %[[TA]]
// CHECK: arith.select %[[IS3]], %[[R2]], %[[P2]]
// CHECK: %[[R3:.*]] = arith.addf
// CHECK: gpu.shuffle up
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[R3]], %{{.*}} : f32, f32, f32
func.func @few_warps(%a: memref<?xf32>, %b: memref<?xf32>, %i: f32, %y: memref<?xf32>) {
  scan.kernel dim = 0
      ins(%a, %b : memref<?xf32>, memref<?xf32>) init(%i : f32) outs(%y : memref<?xf32>)
      maps [#m, #m, affine_map<(d0) -> ()>, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 128>}
      load {
      ^bb0(%ea: f32, %eb: f32):
        scan.yield %ea, %eb : f32, f32
      } initialize {
      ^bb0(%e: f32):
        %one = arith.constant 1.0 : f32
        scan.yield %one, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %q = arith.mulf %a1, %a0 : f32
        %t = arith.mulf %a1, %b0 : f32
        %r = arith.addf %t, %b1 : f32
        scan.yield %q, %r : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %ea: f32, %eb: f32):
        scan.yield %ib : f32
      }
  return
}

// Many warps: each scans all totals by shuffles, and takes that of the warps
// before it from the lane of the last of them. Flags lie in bytes.

// CHECK-LABEL: gpu.func @many_warps_scan0
// CHECK-SAME: workgroup(%[[TOTALS:.*]] : memref<64xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C31:.*]] = arith.constant 31 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C31I:.*]] = arith.constant 31 : i32
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[WARP:.*]] = arith.divui
// CHECK: scf.for {{.*}} iter_args(%[[CARRY:[^ ]*]] =
// CHECK: %[[HASCARRY:.*]] = arith.cmpi ne
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: memref.store %[[BYTE]], %[[TOTALS]]
// CHECK: gpu.barrier
// CHECK: %[[OF:.*]] = arith.minui %[[LANE]], %[[C31]]
// CHECK: %[[PHASE:.*]] = arith.muli %{{.*}}, %[[C32]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[PHASE]], %[[OF]]
// CHECK: %[[BYTE:.*]] = memref.load %[[TOTALS]][%[[SLOT]]]
// CHECK: arith.trunci %[[BYTE]] : i8 to i1
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: %[[SCANNED:.*]] = arith.select
// CHECK: %[[LATER:.*]] = arith.maxui %[[WARP]], %[[C1]]
// CHECK: %[[WARPBEFORE:.*]] = arith.subi %[[LATER]], %[[C1]]
// CHECK: %[[FROM:.*]] = arith.index_cast %[[WARPBEFORE]]
// CHECK: %[[VALUES:.*]] = arith.extui %[[SCANNED]]
// CHECK: %[[BEFORE:.*]], %{{.*}} = gpu.shuffle idx %[[VALUES]], %[[FROM]]
// CHECK: %[[BIT:.*]] = arith.trunci %[[BEFORE]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %[[C0]]
// CHECK: %[[AFTER:.*]] = arith.xori %[[CARRY]], %[[BIT]]
// CHECK: %[[SOME:.*]] = arith.select %[[HASCARRY]], %[[AFTER]], %[[BIT]]
// CHECK: arith.select %[[FIRST]], %[[CARRY]], %[[SOME]]
// CHECK: %[[ALL:.*]], %{{.*}} = gpu.shuffle idx %[[VALUES]], %[[C31I]]
// CHECK: %[[BIT:.*]] = arith.trunci %[[ALL]]
// CHECK: %[[AFTER:.*]] = arith.xori %[[CARRY]], %[[BIT]]
// CHECK: %[[NEXT:.*]] = arith.select %[[HASCARRY]], %[[AFTER]], %[[BIT]]
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[NEXT]]
func.func @many_warps(%x: memref<?xi1>, %y: memref<?xi1>) {
  scan.kernel dim = 0 ins(%x : memref<?xi1>) outs(%y : memref<?xi1>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 1024>}
      load {
      ^bb0(%e: i1):
        scan.yield %e : i1
      } combine {
      ^bb0(%acc: i1, %new: i1):
        %s = arith.xori %acc, %new : i1
        scan.yield %s : i1
      } store {
      ^bb0(%inclusive: i1, %exclusive: i1, %e: i1):
        scan.yield %inclusive : i1
      }
  return
}
