// RUN: scan-opt %s --scan-normalize-recurrence --canonicalize --cse --split-input-file | FileCheck %s

// The previous rows are a delay line; the rest of the leaves is what a step reads, which
// is passed on as it comes in. The rows of an init behind the walk come first.
// CHECK-LABEL: func.func @window(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[INIT:.*]]: tensor<2x?xf32>, %[[W:.*]]: tensor<3xf32>
// CHECK-DAG:     %[[LATEST:.*]] = tensor.extract_slice %[[INIT]][0, 0]
// CHECK-DAG:     %[[OLDEST:.*]] = tensor.extract_slice %[[INIT]][1, 0]
// CHECK-DAG:     %[[WEIGHT:.*]] = tensor.extract_slice %[[W]][2] [1] [1]
// CHECK:         %[[H:.*]]:3 = scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%[[X]], %[[WEIGHT]] : tensor<?x?xf32>, tensor<1xf32>) init(%[[LATEST]], %[[OLDEST]] :
// CHECK-SAME:      finals(
// CHECK:           order = #scan.order<sequential>
// CHECK:         load {
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %[[V:.*]]: f32):
// CHECK:           scan.yield %{{.*}}, %{{.*}}, %[[E]], %[[V]] : f32, f32, f32, f32
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[H1:.*]]: f32, %[[H2:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %[[ROW:.*]]: f32, %[[U:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[U]], %[[H2]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ROW]], %[[P]] : f32
// CHECK-NEXT:      scan.yield %[[S]], %[[H1]], %[[ROW]], %[[U]]
// CHECK:         store {
// CHECK-NEXT:    ^bb0(%[[NEXT:[a-z0-9]+]]: f32, {{.*}}):
// CHECK-NEXT:      scan.yield %[[NEXT]] : f32
// CHECK:         tensor.insert_slice %[[H]]#0 into %{{.*}}[0, 0]
// CHECK:         tensor.insert_slice %[[INIT]] into
// CHECK:         %[[ONE:.*]] = tensor.insert_slice %[[H]]#1 into %{{.*}}[0, 0] [1,
// CHECK:         tensor.insert_slice %[[H]]#2 into %[[ONE]][1, 0] [1,
func.func @window(%x: tensor<?x?xf32>, %init: tensor<2x?xf32>, %w: tensor<3xf32>) -> (tensor<?x?xf32>, tensor<2x?xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?xf32>) init(%init : tensor<2x?xf32>) captures(%w : tensor<3xf32>)
      dim = 0 reverse init_rows {
  ^bb0(%t: index, %h1: tensor<?xf32>, %h2: tensor<?xf32>, %row: tensor<?xf32>, %weights: tensor<3xf32>):
    %c2 = arith.constant 2 : index
    %v = tensor.extract %weights[%c2] : tensor<3xf32>
    %next = linalg.map ins(%row, %h2 : tensor<?xf32>, tensor<?xf32>) outs(%row : tensor<?xf32>) (%e: f32, %f: f32, %out: f32) {
      %p = arith.mulf %v, %f : f32
      %s = arith.addf %e, %p : f32
      linalg.yield %s : f32
    }
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>, tensor<2x?xf32>
  return %h, %last : tensor<?x?xf32>, tensor<2x?xf32>
}

// -----

// Numbers of steps and of lanes; inputs that are longer than there are steps.
// CHECK-LABEL: func.func @indices(
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xi64>, {{.*}}, %[[STEPS:.*]]: index)
// CHECK:         %[[USED:.*]] = tensor.extract_slice %[[X]][0, 0] [4, %[[STEPS]]] [1, 1]
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[USED]] : tensor<4x?xi64>)
// CHECK:         load {
// CHECK:           %[[T:.*]] = scan.index 1
// CHECK:           arith.index_cast %[[T]] : index to i64
// CHECK:           %[[LANE:.*]] = scan.index 0
// CHECK:           arith.index_cast %[[LANE]] : index to i64
func.func @indices(%x: tensor<4x?xi64>, %init: tensor<4x1xi64>, %n: index) -> tensor<4x?xi64> {
  %h = scan.recurrence ins(%x : tensor<4x?xi64>) init(%init : tensor<4x1xi64>) steps(%n : index) dim = 1 {
  ^bb0(%t: index, %h1: tensor<4xi64>, %row: tensor<4xi64>):
    %next = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
        ins(%h1, %row : tensor<4xi64>, tensor<4xi64>) outs(%row : tensor<4xi64>) {
    ^bb0(%a: i64, %b: i64, %out: i64):
      %i = linalg.index 0 : index
      %place = arith.addi %i, %t : index
      %number = arith.index_cast %place : index to i64
      %p = arith.muli %a, %number : i64
      %s = arith.subi %p, %b : i64
      linalg.yield %s : i64
    } -> tensor<4xi64>
    scan.yield %next : tensor<4xi64>
  } -> tensor<4x?xi64>
  return %h : tensor<4x?xi64>
}

// -----

// What a step rounds, it rounds.
// CHECK-LABEL: func.func @bf16(
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%{{.*}}: bf16, %{{.*}}: bf16, %{{.*}}: bf16, %{{.*}}: bf16):
// CHECK-NEXT:      arith.addf %{{.*}}, %{{.*}} : bf16
func.func @bf16(%x: tensor<9xbf16>, %init: tensor<1xbf16>) -> tensor<9xbf16> {
  %h = scan.recurrence ins(%x : tensor<9xbf16>) init(%init : tensor<1xbf16>) dim = 0 {
  ^bb0(%t: index, %h1: bf16, %row: bf16):
    %s = arith.addf %h1, %row : bf16
    scan.yield %s : bf16
  } -> tensor<9xbf16>
  return %h : tensor<9xbf16>
}

// -----

// Left alone: another lane of a state; a sum over lanes; rows that need not have the same
// extents, which one thread per lane cannot compute together.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: scan.recurrence
// CHECK-NOT:   scan.kernel
func.func @others(%x: tensor<?x4xf32>, %i: tensor<1x4xf32>, %j: tensor<1x?xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>) {
  %lane = scan.recurrence ins(%x : tensor<?x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0] : tensor<4xf32>
    %all = tensor.splat %first : tensor<4xf32>
    %s = arith.addf %all, %row : tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<?x4xf32>
  %sum = scan.recurrence ins(%x : tensor<?x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%h1 : tensor<4xf32>) outs(%row : tensor<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    scan.yield %m : tensor<4xf32>
  } -> tensor<?x4xf32>
  %a, %b = scan.recurrence ins(%x : tensor<?x4xf32>) init(%i, %j : tensor<1x4xf32>, tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %g: tensor<4xf32>, %h: tensor<?xf32>, %row: tensor<4xf32>):
    %s = arith.addf %g, %row : tensor<4xf32>
    %d = arith.addf %h, %h : tensor<?xf32>
    scan.yield %s, %d : tensor<4xf32>, tensor<?xf32>
  } -> tensor<?x4xf32>, tensor<?x?xf32>
  return %lane, %sum, %a, %b : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>
}
