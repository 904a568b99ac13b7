// RUN: scan-opt %s --scan-fold-equal-operands --canonicalize --cse | FileCheck %s
// RUN: scan-run %s --entry=differences --input=random:i32:3x5:1 --target=cpu --compare=reference --tolerance=0
// RUN: scan-run %s --entry=differences --input=random:i32:3x5:1 --target=emulator --compare=reference --tolerance=0
// RUN: scan-run %s --entry=negation --input=random:i32:5:1 --input=random:i32:5:2 --target=cpu --compare=reference --tolerance=0
// RUN: scan-run %s --entry=negation --input=random:i32:5:1 --input=random:i32:5:2 --target=emulator --compare=reference --tolerance=0

// Upstream folds these into constants of a dynamic shape.
// CHECK-LABEL: @differences(
// CHECK-DAG:     %[[SIZE:.+]] = tensor.dim %arg0, %c1
// CHECK-DAG:     tensor.splat %c0_i32[%[[SIZE]]] : tensor<3x?xi32>
// CHECK-DAG:     tensor.splat %true[%[[SIZE]]] : tensor<3x?xi1>
// CHECK-DAG:     tensor.splat %false[%[[SIZE]]] : tensor<3x?xi1>
func.func @differences(%x: tensor<3x?xi32>) -> (tensor<3x?xi32>, tensor<3x?xi1>, tensor<3x?xi1>) {
  %0 = arith.xori %x, %x : tensor<3x?xi32>
  %1 = arith.cmpi uge, %x, %x : tensor<3x?xi32>
  %2 = arith.cmpi slt, %x, %x : tensor<3x?xi32>
  %y = scan.associative ins(%0 : tensor<3x?xi32>) dim = 1 {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    scan.yield %s : i32
  } -> tensor<3x?xi32>
  return %y, %1, %2 : tensor<3x?xi32>, tensor<3x?xi1>, tensor<3x?xi1>
}

// Upstream takes this for 0 - %y, with such a constant.
// CHECK-LABEL: @negation(
// CHECK:         %[[SIZE:.+]] = tensor.dim %arg1, %c0
// CHECK:         %[[ZEROS:.+]] = tensor.splat %c0_i32[%[[SIZE]]] : tensor<?xi32>
// CHECK:         arith.subi %[[ZEROS]], %arg1
func.func @negation(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %least = arith.minsi %x, %x : tensor<?xi32>
  %0 = arith.subi %least, %y : tensor<?xi32>
  %1 = arith.subi %0, %x : tensor<?xi32>
  %z = scan.associative ins(%1 : tensor<?xi32>) dim = 0 {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %z : tensor<?xi32>
}

// Others stay.
// CHECK-LABEL: @others(
// CHECK:         arith.constant dense<0> : tensor<4xi32>
// CHECK:         arith.xori %arg1, %arg2
func.func @others(%x: tensor<4xi32>, %y: tensor<?xi32>, %z: tensor<?xi32>) -> (tensor<4xi32>, tensor<?xi32>) {
  %0 = arith.xori %x, %x : tensor<4xi32>
  %1 = arith.xori %y, %z : tensor<?xi32>
  return %0, %1 : tensor<4xi32>, tensor<?xi32>
}
