// RUN: scan-opt %s -split-input-file -verify-diagnostics -scan-check-divisions | FileCheck %s

// CHECK-LABEL: func.func @signed(
// CHECK-SAME:    %[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         %[[OK:.*]] = arith.cmpi ne, %[[B]], %[[ZERO]] : i32
// CHECK:         cf.assert %[[OK]], "{{.*}}scan-check-divisions.mlir:[[#@LINE+9]]:8: 'arith.divsi' op division by zero"
// CHECK:         %[[MINUS:.*]] = arith.constant -1 : i32
// CHECK:         %[[OTHER:.*]] = arith.cmpi ne, %[[B]], %[[MINUS]] : i32
// CHECK:         %[[MIN:.*]] = arith.constant -2147483648 : i32
// CHECK:         %[[LARGER:.*]] = arith.cmpi ne, %[[A]], %[[MIN]] : i32
// CHECK:         %[[FITS:.*]] = arith.ori %[[OTHER]], %[[LARGER]] : i1
// CHECK:         cf.assert %[[FITS]], "{{.*}}:8: 'arith.divsi' op signed division overflows: the smallest integer over -1"
// CHECK:         arith.divsi %[[A]], %[[B]]
func.func @signed(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %q : i32
}

// The remainder by -1 is 0, that of the index dialect is none.

// CHECK-LABEL: func.func @others(
// CHECK:         cf.assert {{.*}} 'arith.ceildivui' op division by zero
// CHECK-NEXT:    arith.ceildivui
// CHECK:         cf.assert {{.*}} 'arith.remsi' op division by zero
// CHECK-NEXT:    arith.remsi
// CHECK:         cf.assert {{.*}} 'index.rems' op division by zero
// CHECK:         cf.assert {{.*}} 'index.rems' op signed division overflows
// CHECK:         cf.assert {{.*}} 'index.ceildivu' op division by zero
// CHECK-NOT:     overflows
// CHECK:         cf.assert {{.*}} 'llvm.udiv' op division by zero
// CHECK-NOT:     overflows
// CHECK:         return
func.func @others(%a: i32, %b: i32, %i: index, %j: index) -> (i32, i32, index, index, i32) {
  %0 = arith.ceildivui %a, %b : i32
  %1 = arith.remsi %a, %b : i32
  %2 = index.rems %i, %j
  %3 = index.ceildivu %i, %j
  %4 = llvm.udiv %a, %b : i32
  return %0, %1, %2, %3, %4 : i32, i32, index, index, i32
}

// Constants need no check, or only one of the two. A number of floats has none.

// CHECK-LABEL: func.func @constants(
// CHECK-NOT:     cf.assert
// CHECK:         arith.divsi %{{.*}}, %c7
// CHECK-NOT:     cf.assert
// CHECK:         cf.assert {{.*}} 'arith.divsi' op signed division overflows
// CHECK:         arith.divsi %{{.*}}, %c-1
// CHECK-NOT:     overflows
// CHECK:         cf.assert {{.*}} 'arith.divsi' op division by zero
// CHECK-NOT:     cf.assert
// CHECK:         arith.divsi %c7
// CHECK-NOT:     cf.assert
// CHECK:         arith.remui %{{.*}}, %cst
// CHECK:         cf.assert {{.*}} 'arith.divui' op division by zero
// CHECK:         arith.divui
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @constants(%a: i32, %v: vector<4xi32>, %x: f32) -> (i32, i32, i32, vector<4xi32>, vector<4xi32>, f32) {
  %c7 = arith.constant 7 : i32
  %c-1 = arith.constant -1 : i32
  %cst = arith.constant dense<[1, 2, -1, 4]> : vector<4xi32>
  %hole = arith.constant dense<[1, 2, 0, 4]> : vector<4xi32>
  %0 = arith.divsi %a, %c7 : i32
  %1 = arith.divsi %a, %c-1 : i32
  %2 = arith.divsi %c7, %a : i32
  %3 = arith.remui %v, %cst : vector<4xi32>
  %4 = arith.divui %v, %hole : vector<4xi32>
  %5 = arith.divf %x, %x : f32
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, vector<4xi32>, vector<4xi32>, f32
}

// All elements of a vector have to pass.

// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[D:.*]]: vector<8xi16>, %{{.*}}: vector<2x4xi16>
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0> : vector<8xi16>
// CHECK:         %[[OKS:.*]] = arith.cmpi ne, %[[D]], %[[ZEROS]] : vector<8xi16>
// CHECK:         %[[ALL:.*]] = vector.reduction <and>, %[[OKS]] : vector<8xi1> into i1
// CHECK:         cf.assert %[[ALL]]
// CHECK:         %[[ROWS:.*]] = arith.cmpi ne, {{.*}} : vector<2x4xi16>
// CHECK:         %[[ROW0:.*]] = vector.extract %[[ROWS]][0]
// CHECK:         %[[ROW1:.*]] = vector.extract %[[ROWS]][1]
// CHECK:         %[[BOTH:.*]] = arith.andi %[[ROW0]], %[[ROW1]] : vector<4xi1>
// CHECK:         %[[ALL2:.*]] = vector.reduction <and>, %[[BOTH]] : vector<4xi1> into i1
// CHECK:         cf.assert %[[ALL2]]
// CHECK:         %[[ONE:.*]] = vector.extract %{{.*}}[] : i1 from vector<i1>
// CHECK:         cf.assert %[[ONE]]
func.func @vectors(%a: vector<8xi16>, %b: vector<2x4xi16>, %c: vector<i16>) -> (vector<8xi16>, vector<2x4xi16>, vector<i16>) {
  %0 = arith.divui %a, %a : vector<8xi16>
  %1 = arith.divui %b, %b : vector<2x4xi16>
  %2 = arith.divui %c, %c : vector<i16>
  return %0, %1, %2 : vector<8xi16>, vector<2x4xi16>, vector<i16>
}

// What is still on tensors is not looked at.

// CHECK-LABEL: func.func @tensors(
// CHECK-NOT:     cf.assert
func.func @tensors(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.divui %a, %a : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @atomic(%m: memref<4xi32>, %i: index, %d: i32) -> i32 {
  %r = memref.generic_atomic_rmw %m[%i] : memref<4xi32> {
  ^bb0(%old: i32):
    // expected-error @below {{'arith.divsi' op in 'memref.generic_atomic_rmw', where nothing can be checked: expected a divisor that is a constant other than 0 and -1}}
    %new = arith.divsi %old, %d : i32
    memref.atomic_yield %new : i32
  }
  return %r : i32
}
