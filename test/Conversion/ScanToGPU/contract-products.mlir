// RUN: scan-opt %s -convert-scan-to-gpu -canonicalize -cse | FileCheck %s
// RUN: sed 's/{schedule/{order = #scan.order<sequential>, schedule/' %s | scan-opt - -convert-scan-to-gpu -canonicalize -cse | FileCheck %s --check-prefix=FOLD

// A complex product and what is added to it are four operations; of a product
// alone, PTX contracts two. In the order sequential each is rounded by itself.

// CHECK-LABEL: gpu.func @recurrence_scan0
// CHECK-DAG:     %[[NEGATED:.*]] = arith.negf %[[AI:.*]] : f32
// CHECK:         %[[RE:.*]] = math.fma %[[NEGATED]], %[[HI:.*]], %[[BR:.*]] : f32
// CHECK-NEXT:    %[[IM:.*]] = math.fma %[[AI]], %[[HR:.*]], %[[BI:.*]] : f32
// CHECK-NEXT:    %[[SUM:.*]] = math.fma %[[AR:.*]], %[[HR]], %[[RE]] : f32
// CHECK-NEXT:    %[[OTHER:.*]] = math.fma %[[AR]], %[[HI]], %[[IM]] : f32
// CHECK-NEXT:    complex.create %[[SUM]], %[[OTHER]] : complex<f32>
// CHECK-NOT:     complex.mul {{.*}} : complex<f32>
// CHECK:         gpu.return
// FOLD-LABEL:  gpu.func @recurrence_scan0
// FOLD-NOT:      math.fma
// FOLD:          complex.mul %{{.*}}, %{{[^ ]*}} : complex<f32>
// FOLD-NEXT:     complex.add %{{.*}}, %{{[^ ]*}} : complex<f32>
// FOLD:          gpu.return

#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @recurrence(%a: memref<?x?xcomplex<f32>>, %b: memref<?x?xcomplex<f32>>, %h: memref<?x?xcomplex<f32>>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?x?xcomplex<f32>>, memref<?x?xcomplex<f32>>) outs(%h : memref<?x?xcomplex<f32>>)
      maps [#m, #m, #m] attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 1>}
      load {
      ^bb0(%ea: complex<f32>, %eb: complex<f32>):
        scan.yield %ea, %eb : complex<f32>, complex<f32>
      } combine {
      ^bb0(%a0: complex<f32>, %b0: complex<f32>, %a1: complex<f32>, %b1: complex<f32>):
        %x = complex.mul %a1, %a0 : complex<f32>
        %m = complex.mul %a1, %b0 : complex<f32>
        %y = complex.add %b1, %m : complex<f32>
        scan.yield %x, %y : complex<f32>, complex<f32>
      } store {
      ^bb0(%x: complex<f32>, %y: complex<f32>, %x_before: complex<f32>, %y_before: complex<f32>, %ea: complex<f32>, %eb: complex<f32>):
        scan.yield %y : complex<f32>
      }
  return
}
