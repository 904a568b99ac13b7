// RUN: scan-opt %s -split-input-file -verify-diagnostics -scan-check-allocations | FileCheck %s

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 3.200000e+01 : f64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[SIGN:.*]] = arith.cmpi sge, %[[N]], %[[C0]] : index
// CHECK:         %[[WORD:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[F:.*]] = arith.sitofp %[[WORD]] : i64 to f64
// CHECK:         %[[SIZE:.*]] = arith.mulf %[[BYTES]], %[[F]] : f64
// CHECK:         %[[LIMIT:.*]] = arith.constant 4.611686{{.*}}E+18 : f64
// CHECK:         %[[FITS:.*]] = arith.cmpf ole, %[[SIZE]], %[[LIMIT]] : f64
// CHECK:         %[[OK:.*]] = arith.andi %[[SIGN]], %[[FITS]] : i1
// CHECK:         cf.assert %[[OK]], "expected an array of extents that are not negative and of a size that can be addressed"
// CHECK:         memref.alloc(%[[N]])
func.func @dynamic(%n: index) -> memref<?x8xf32> {
  %m = memref.alloc(%n) : memref<?x8xf32>
  return %m : memref<?x8xf32>
}

// CHECK-LABEL: func.func @static(
// CHECK-NOT:     cf.assert
func.func @static() -> memref<8xf32> {
  %m = memref.alloc() : memref<8xf32>
  return %m : memref<8xf32>
}

// -----

func.func @too_large() -> memref<1152921504606846976x4xf32> {
  // expected-error @below {{expected an array of a size that can be addressed, found 'memref<1152921504606846976x4xf32>'}}
  %m = memref.alloc() : memref<1152921504606846976x4xf32>
  return %m : memref<1152921504606846976x4xf32>
}
