// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#m = affine_map<(d0) -> (d0)>

// Every leaf type travels in words that a shuffle can move, and the earlier
// lane's state is the left operand.

// CHECK-LABEL: gpu.func @order_scan0
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[D1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[D2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[D4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[D8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[D16:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[W:.*]] = arith.constant 32 : i32
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[S0:.*]] = %{{.*}}) -> (f64, f64)
// CHECK: %[[UP:.*]], %{{.*}} = gpu.shuffle up %[[S0]], %[[D1]], %[[W]] : f64
// CHECK: %[[TAKE:.*]] = arith.cmpi uge, %[[LANE]], %[[C1]]
// CHECK: %[[JOIN:.*]] = arith.divf %[[UP]], %[[S0]]
// CHECK: %[[S1:.*]] = arith.select %[[TAKE]], %[[JOIN]], %[[S0]]
// CHECK: gpu.shuffle up %[[S1]], %[[D2]], %[[W]] : f64
// CHECK: gpu.shuffle up %{{.*}}, %[[D4]], %[[W]] : f64
// CHECK: gpu.shuffle up %{{.*}}, %[[D8]], %[[W]] : f64
// CHECK: %[[UP:.*]], %{{.*}} = gpu.shuffle up %[[S4:.*]], %[[D16]], %[[W]] : f64
// CHECK: %[[TAKE:.*]] = arith.cmpi uge, %[[LANE]], %[[C16]]
// CHECK: %[[JOIN:.*]] = arith.divf %[[UP]], %[[S4]]
// CHECK: %[[S5:.*]] = arith.select %[[TAKE]], %[[JOIN]], %[[S4]]
// The exclusive value is one more shuffle of the inclusive one.
// CHECK: gpu.shuffle up %[[S5]], %[[D1]], %[[W]] : f64
func.func @order(%x: memref<?xf64>, %y: memref<?xf64>) {
  scan.kernel dim = 0 ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.divf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}

// CHECK-LABEL: gpu.func @packing_scan0
// CHECK: scf.for {{.*}}, %[[FLAG:[^ ]*]] = %{{[^ ]*}}#0, %[[SHORT:[^ ]*]] = %{{[^ ]*}}#1, %[[HALF:[^ ]*]] = %{{[^ ]*}}#2, %[[COMPLEX:[^ ]*]] = %{{[^ ]*}}#3, %[[LONG:[^ ]*]] = %{{[^ ]*}}#4) ->
// CHECK: %[[WIDE:.*]] = arith.extui %[[FLAG]] : i1 to i32
// CHECK: %[[R:.*]], %{{.*}} = gpu.shuffle up %[[WIDE]]{{.*}} : i32
// CHECK: arith.trunci %[[R]] : i32 to i1
// CHECK: %[[WIDE:.*]] = arith.extui %[[SHORT]] : i16 to i32
// CHECK: %[[R:.*]], %{{.*}} = gpu.shuffle up %[[WIDE]]{{.*}} : i32
// CHECK: arith.trunci %[[R]] : i32 to i16
// CHECK: %[[BITS:.*]] = arith.bitcast %[[HALF]] : f16 to i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[R:.*]], %{{.*}} = gpu.shuffle up %[[WIDE]]{{.*}} : i32
// CHECK: %[[BITS:.*]] = arith.trunci %[[R]] : i32 to i16
// CHECK: arith.bitcast %[[BITS]] : i16 to f16
// CHECK: %[[RE:.*]] = complex.re %[[COMPLEX]]
// CHECK: %[[R:.*]], %{{.*}} = gpu.shuffle up %[[RE]]{{.*}} : f32
// CHECK: %[[IM:.*]] = complex.im %[[COMPLEX]]
// CHECK: %[[I:.*]], %{{.*}} = gpu.shuffle up %[[IM]]{{.*}} : f32
// CHECK: complex.create %[[R]], %[[I]]
// CHECK: gpu.shuffle up %[[LONG]]{{.*}} : i64
func.func @packing(%a: memref<?xi1>, %b: memref<?xi16>, %c: memref<?xf16>, %d: memref<?xcomplex<f32>>,
                   %e: memref<?xi64>, %y: memref<?xi64>) {
  scan.kernel dim = 0
      ins(%a, %b, %c, %d, %e : memref<?xi1>, memref<?xi16>, memref<?xf16>, memref<?xcomplex<f32>>, memref<?xi64>)
      outs(%y : memref<?xi64>) maps [#m, #m, #m, #m, #m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32>}
      load {
      ^bb0(%la: i1, %lb: i16, %lc: f16, %ld: complex<f32>, %le: i64):
        scan.yield %la, %lb, %lc, %ld, %le : i1, i16, f16, complex<f32>, i64
      } combine {
      ^bb0(%a0: i1, %b0: i16, %c0: f16, %d0: complex<f32>, %e0: i64, %a1: i1, %b1: i16, %c1: f16, %d1: complex<f32>, %e1: i64):
        %ra = arith.ori %a0, %a1 : i1
        %rb = arith.addi %b0, %b1 : i16
        %rc = arith.addf %c0, %c1 : f16
        %rd = complex.add %d0, %d1 : complex<f32>
        %re = arith.addi %e0, %e1 : i64
        scan.yield %ra, %rb, %rc, %rd, %re : i1, i16, f16, complex<f32>, i64
      } store {
      ^bb0(%ia: i1, %ib: i16, %ic: f16, %id: complex<f32>, %ie: i64, %xa: i1, %xb: i16, %xc: f16, %xd: complex<f32>, %xe: i64,
           %la: i1, %lb: i16, %lc: f16, %ld: complex<f32>, %le: i64):
        %p = arith.extsi %ib : i16 to i64
        %re = complex.re %id : complex<f32>
        %q = arith.fptosi %re : f32 to i64
        %s = arith.fptosi %ic : f16 to i64
        %t = arith.addi %p, %q : i64
        %u = arith.addi %t, %s : i64
        %v = arith.select %ia, %u, %ie : i64
        scan.yield %v : i64
      }
  return
}
