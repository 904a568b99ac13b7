// RUN: scan-opt %s --scan-results-to-out-params --split-input-file --verify-diagnostics | FileCheck %s

// The extents of a result follow from those of the arguments.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x?xf32>,
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?x8xf32> {scan.result = {index = 0 : i64, shape = {{\[}}["+", "arg0_d1", 1], 8]}}) {
// CHECK-NOT:     memref.alloc
// CHECK:         memref.copy %[[X]], %[[Y]]
// CHECK-NEXT:    return
func.func @dynamic(%x: memref<?x?xf32>) -> memref<?x8xf32> {
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %m = arith.addi %n, %c1 : index
  %y = memref.alloc(%m) : memref<?x8xf32>
  memref.copy %x, %y : memref<?x?xf32> to memref<?x8xf32>
  return %y : memref<?x8xf32>
}

// -----

// A buffer that is returned with fewer dimensions is the argument with more of them.

// CHECK-LABEL: func.func @collapsed(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x4x8xf32>,
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?x8xf32> {scan.result = {index = 0 : i64, shape = {{\[}}["*", "arg0_d0", 4], 8]}}) {
// CHECK-NOT:     memref.alloc
// CHECK:         %[[PARTS:.*]] = memref.expand_shape %[[Y]] {{\[}}[0, 1], [2]] output_shape [%{{.*}}, 4, 8]
// CHECK:         memref.copy %[[X]], %[[PARTS]]
// CHECK-NEXT:    return
func.func @collapsed(%x: memref<?x4x8xf32>) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4x8xf32>
  %parts = memref.alloc(%n) : memref<?x4x8xf32>
  memref.copy %x, %parts : memref<?x4x8xf32> to memref<?x4x8xf32>
  %y = memref.collapse_shape %parts [[0, 1], [2]] : memref<?x4x8xf32> into memref<?x8xf32>
  return %y : memref<?x8xf32>
}

// -----

// Results that are no buffer stay.

// CHECK-LABEL: func.func @mixed(
// CHECK-SAME:    %[[I:[a-z0-9]+]]: index,
// CHECK-SAME:    memref<f32> {scan.result = {index = 1 : i64, shape = []}},
// CHECK-SAME:    memref<?xf32> {scan.result = {index = 2 : i64, shape = ["arg0"]}}) -> index {
// CHECK-NOT:     memref.alloc
// CHECK:         return %[[I]] : index
func.func @mixed(%i: index) -> (index, memref<f32>, memref<?xf32>) {
  %a = memref.alloc() : memref<f32>
  %b = memref.alloc(%i) : memref<?xf32>
  return %i, %a, %b : index, memref<f32>, memref<?xf32>
}

// -----

// A buffer that is returned twice is copied the second time, and so is an
// argument.

// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4xf32>,
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<4xf32> {scan.result = {index = 0 : i64, shape = [4]}},
// CHECK-SAME:    %[[B:[a-z0-9]+]]: memref<4xf32> {scan.result = {index = 1 : i64, shape = [4]}},
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<4xf32> {scan.result = {index = 2 : i64, shape = [4]}}) {
// CHECK:         memref.copy %[[X]], %[[A]]
// CHECK-NEXT:    memref.copy %[[A]], %[[B]]
// CHECK-NEXT:    memref.copy %[[X]], %[[C]]
// CHECK-NEXT:    return
func.func @twice(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %y = memref.alloc() : memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return %y, %y, %x : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// The out-parameter has the type of the allocation, which says more than the
// cast that is returned. A dimension that was known from an allocation stays
// known.

// CHECK-LABEL: func.func @cast(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xf32>,
// CHECK-SAME:    memref<4xf32> {scan.result = {index = 0 : i64, shape = [4]}},
// CHECK-SAME:    memref<?xf32> {scan.result = {index = 1 : i64, shape = ["arg0_d0"]}},
// CHECK-SAME:    memref<?xf32> {scan.result = {index = 2 : i64, shape = ["arg0_d0"]}}) {
func.func @cast(%x: memref<?xf32>) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = memref.alloc() : memref<4xf32>
  %z = memref.cast %y : memref<4xf32> to memref<?xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  %m = memref.dim %u, %c0 : memref<?xf32>
  %v = memref.alloc(%m) : memref<?xf32>
  return %z, %u, %v : memref<?xf32>, memref<?xf32>, memref<?xf32>
}

// -----

// Functions that are called keep their results.

// CHECK-LABEL: func.func private @callee() -> memref<4xf32>
func.func private @callee() -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  return %y : memref<4xf32>
}

// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    memref<4xf32> {scan.result
func.func @caller() -> memref<4xf32> {
  %y = call @callee() : () -> memref<4xf32>
  return %y : memref<4xf32>
}

// -----

// A view becomes a dense tensor.

// CHECK-LABEL: func.func @layout(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xf32, strided<[2]>>,
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?xf32> {scan.result = {index = 0 : i64, shape = ["arg0_d0"]}}) {
// CHECK:         memref.copy %[[X]], %[[Y]] : memref<?xf32, strided<[2]>> to memref<?xf32>
func.func @layout(%x: memref<?xf32, strided<[2]>>) -> memref<?xf32, strided<[2]>> {
  return %x : memref<?xf32, strided<[2]>>
}

// -----

// expected-error @below {{expected a function without control flow, found 2 blocks}}
func.func @blocks(%x: memref<4xf32>) -> memref<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : memref<4xf32>
}

// -----

func.func @unknown(%x: memref<?xindex>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.load' op is not understood as the size of a buffer or of a launch: expected integer arithmetic on extents, strides and integer arguments}}
  %n = memref.load %x[%c0] : memref<?xindex>
  %m = arith.addi %n, %n : index
  %y = memref.alloc(%m) : memref<?xf32>
  return %y : memref<?xf32>
}
