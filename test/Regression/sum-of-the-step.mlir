// A sum over lanes of what depends on the step alone: nothing that the raised sum read had the lanes as a
// dimension, so that nobody knew how many there are.

// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s
// RUN: scan-run %s --entry=fixed --target=cpu --compare=reference --tolerance=0 --input=values:i8:1x1:16 --input=values:i8:3:1,2,3 --input=values:index::7
// RUN: scan-run %s --entry=dynamic --target=cpu --compare=reference --tolerance=0 --input=values:i8:1x1:16 --input=values:i8:3:1,2,3 --input=values:index::7
// RUN: scan-run %s --entry=dynamic --target=emulator --compare=reference --tolerance=0 --input=values:i8:1x1:16 --input=values:i8:3:1,2,3 --input=values:index::7

// CHECK-LABEL: func.func @fixed(
// CHECK:         %[[LANES:.*]] = tensor.empty() : tensor<3xi8>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[LANES]] : tensor<3xi8>)
// CHECK:         scan.associative
func.func @fixed(%init: tensor<1x1xi8>, %w: tensor<3xi8>, %steps: index) -> tensor<1x?xi8> {
  %h = scan.recurrence init(%init : tensor<1x1xi8>) captures(%w : tensor<3xi8>) steps(%steps : index) dim = 1 {
  ^bb0(%t: index, %before: tensor<1xi8>, %row: tensor<3xi8>):
    %number = arith.index_cast %t : index to i8
    %lanes = tensor.splat %number : tensor<3xi8>
    %more = arith.addi %row, %lanes : tensor<3xi8>
    %same = arith.subi %more, %row : tensor<3xi8>
    %zero = arith.constant dense<0> : tensor<i8>
    %sum = linalg.reduce { arith.addi } ins(%same : tensor<3xi8>) outs(%zero : tensor<i8>) dimensions = [0]
    %scalar = tensor.extract %sum[] : tensor<i8>
    %added = tensor.splat %scalar : tensor<1xi8>
    %next = arith.addi %added, %before : tensor<1xi8>
    scan.yield %next : tensor<1xi8>
  } -> tensor<1x?xi8>
  return %h : tensor<1x?xi8>
}

// Splats of dynamic extents are not raised.

// CHECK-LABEL: func.func @dynamic(
// CHECK:         scan.recurrence
func.func @dynamic(%init: tensor<1x1xi8>, %w: tensor<?xi8>, %steps: index) -> tensor<1x?xi8> {
  %h = scan.recurrence init(%init : tensor<1x1xi8>) captures(%w : tensor<?xi8>) steps(%steps : index) dim = 1 {
  ^bb0(%t: index, %before: tensor<1xi8>, %row: tensor<?xi8>):
    %number = arith.index_cast %t : index to i8
    %c0 = arith.constant 0 : index
    %count = tensor.dim %row, %c0 : tensor<?xi8>
    %lanes = tensor.splat %number[%count] : tensor<?xi8>
    %more = arith.addi %row, %lanes : tensor<?xi8>
    %same = arith.subi %more, %row : tensor<?xi8>
    %zero = arith.constant dense<0> : tensor<i8>
    %sum = linalg.reduce { arith.addi } ins(%same : tensor<?xi8>) outs(%zero : tensor<i8>) dimensions = [0]
    %scalar = tensor.extract %sum[] : tensor<i8>
    %added = tensor.splat %scalar : tensor<1xi8>
    %next = arith.addi %added, %before : tensor<1xi8>
    scan.yield %next : tensor<1xi8>
  } -> tensor<1x?xi8>
  return %h : tensor<1x?xi8>
}
