// RUN: scan-opt %s --allow-unregistered-dialect --split-input-file --scan-import-linalg-ext -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: scan-run %t.mlir --entry=run --input=values:f32:2x3:1,2,3,4,5,6 --input=values:f32:3:2,3,5 --target=emulator \
// RUN:   | FileCheck %s --check-prefix=OUT
// RUN: scan-run %t.mlir --entry=run --input=random:f32:7x5:1 --input=random:f32:5:2 --target=cpu --compare=reference --tolerance=1e-6

// Both names, of IREE and of torch-mlir. The accumulator of an inclusive scan is not
// read, that of an exclusive one is the init; the operator does not commute.
// CHECK-LABEL: func.func @run(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?xf32>, %[[ACC:.+]]: tensor<?xf32>)
// CHECK-NOT:     iree_linalg_ext
// CHECK:         %[[I:.+]] = scan.associative ins(%[[X]] : tensor<?x?xf32>) dim = 0 {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      scan.yield %[[S]]
// CHECK:         %[[E:.+]] = scan.associative ins(%[[X]] : tensor<?x?xf32>) init(%[[ACC]] : tensor<?xf32>) dim = 0 exclusive {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[L:.+]] = scan.clone %[[B]]
// CHECK-NEXT:      scan.yield %[[L]]
// CHECK:         return %[[I]], %[[E]]
// OUT{LITERAL}: [[1, 2, 3],
// OUT: [5, 7, 9]]
// OUT{LITERAL}: [[2, 3, 5],
// OUT: [1, 2, 3]]
func.func @run(%x: tensor<?x?xf32>, %acc: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %s:2 = "iree_linalg_ext.scan"(%x, %x, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    "iree_linalg_ext.yield"(%t) : (f32) -> ()
  }) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>)
  %e:2 = "tm_tensor.scan"(%x, %x, %acc) <{dimension = 0 : i64, inclusive = false, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%b) : (f32) -> ()
  }) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>)
  return %s#0, %e#0 : tensor<?x?xf32>, tensor<?x?xf32>
}

// The accumulator at the end, and types that say less or more.
// CHECK-LABEL: func.func @last(
// CHECK:         %[[S:.+]] = scan.associative ins(%{{.+}} : tensor<4x?xi32>) dim = 0
// CHECK:         %[[LAST:.+]] = tensor.extract_slice %[[S]][3, 0] [1, %{{.+}}] [1, 1] : tensor<4x?xi32> to tensor<?xi32>
// CHECK:         %[[CAST:.+]] = tensor.cast %[[S]] : tensor<4x?xi32> to tensor<?x?xi32>
// CHECK:         return %[[CAST]], %[[LAST]]
func.func @last(%x: tensor<4x?xi32>, %y: tensor<?x?xi32>, %acc: tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %s:2 = "iree_linalg_ext.scan"(%x, %y, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.addi %a, %b : i32
    "iree_linalg_ext.yield"(%t) : (i32) -> ()
  }) : (tensor<4x?xi32>, tensor<?x?xi32>, tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>)
  return %s#0, %s#1 : tensor<?x?xi32>, tensor<?xi32>
}

// One step leaves the accumulator alone.
// CHECK-LABEL: func.func @one_step(
// CHECK-SAME:    %[[ACC:[^ ,]+]]: tensor<f32>)
// CHECK:         return %{{.+}}, %[[ACC]] :
func.func @one_step(%x: tensor<1xf32>, %acc: tensor<f32>) -> (tensor<1xf32>, tensor<f32>) {
  %s:2 = "tm_tensor.scan"(%x, %x, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    "tm_tensor.yield"(%t) : (f32) -> ()
  }) : (tensor<1xf32>, tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>, tensor<f32>)
  return %s#0, %s#1 : tensor<1xf32>, tensor<f32>
}
