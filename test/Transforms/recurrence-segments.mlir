// RUN: scan-opt %s --scan-expand-recurrence-segments --canonicalize --cse | FileCheck %s
// RUN: not scan-opt %s --convert-recurrence-to-loops 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: not scan-opt %s --scan-recurrence-to-blocks 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: scan-opt %s --scan-normalize-recurrence | FileCheck %s --check-prefix=KEPT
// RUN: scan-opt %s --convert-recurrence-to-scans | FileCheck %s --check-prefix=KEPT

// Segments of recurrences become an input; numbers: recurrence-segments.test.
// LOOPS:  error: 'scan.recurrence' op has segments, which no loop is made of: run --scan-expand-recurrence-segments first
// BLOCKS: error: 'scan.recurrence' op has segments, which thread blocks know nothing of: run --scan-expand-recurrence-segments first
// KEPT-COUNT-4: segments(

// CHECK-LABEL: func.func @lanes(
// CHECK-SAME:      %[[X:.+]]: tensor<?x5xi32>, %[[H0:.+]]: tensor<1x5xi32>, %[[S:.+]]: tensor<?xi32>
// CHECK:         cf.assert
// CHECK:         %[[FLAGS:.+]] = scan.head_flags %[[S]]
// CHECK:         %[[START:.+]] = tensor.extract_slice %[[H0]][0, 0]
// CHECK:         scan.recurrence ins(%[[X]], %[[FLAGS]] : tensor<?x5xi32>, tensor<?xi1>) init(%[[H0]] : tensor<1x5xi32>) captures(%[[START]] : tensor<5xi32>) dim = 0 {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %[[H1:.+]]: tensor<5xi32>, %{{.+}}: tensor<5xi32>, %[[FLAG:.+]]: i1, %[[FRESH:.+]]: tensor<5xi32>):
// CHECK-NEXT:      arith.select %[[FLAG]], %[[FRESH]], %[[H1]]
// CHECK:         linalg.generic
func.func @lanes(%x: tensor<?x5xi32>, %h0: tensor<1x5xi32>, %s: tensor<?xi32>) -> (tensor<?x5xi32>, tensor<?x5xi32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x5xi32>) init(%h0 : tensor<1x5xi32>)
      segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<5xi32>, %row: tensor<5xi32>):
    %p = arith.muli %h1, %h1 : tensor<5xi32>
    %next = arith.subi %row, %p : tensor<5xi32>
    scan.yield %next : tensor<5xi32>
  } -> tensor<?x5xi32>, tensor<?x5xi32>
  return %h, %last : tensor<?x5xi32>, tensor<?x5xi32>
}

// Three rows back, in reverse, time in the middle, an output, and the last rows of each.
// CHECK-LABEL: func.func @window(
// CHECK:         scan.head_flags %{{.+}} reverse
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0, 1]]
// CHECK:         scan.recurrence ins({{.+}} : tensor<2x?x3xi32>, tensor<1x?xi1>)
// CHECK-SAME:      init({{.+}} : tensor<2x1x3xi32>, tensor<2x1x3xi32>, tensor<2x1x3xi32>, tensor<2x1x3xi32>)
func.func @window(%x: tensor<2x?x3xi32>, %h0: tensor<2x3x3xi32>, %g0: tensor<2x1x3xi32>, %s: tensor<?xi64>)
    -> (tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>) {
  %h, %g, %y, %hlast, %glast = scan.recurrence ins(%x : tensor<2x?x3xi32>) init(%h0, %g0 : tensor<2x3x3xi32>, tensor<2x1x3xi32>)
      segments(%s : tensor<?xi64>) dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<2x3xi32>, %h2: tensor<2x3xi32>, %h3: tensor<2x3xi32>, %g1: tensor<2x3xi32>, %row: tensor<2x3xi32>):
    %p = arith.muli %h1, %h3 : tensor<2x3xi32>
    %next = arith.subi %row, %p : tensor<2x3xi32>
    %q = arith.xori %g1, %h2 : tensor<2x3xi32>
    %out = arith.addi %q, %h3 : tensor<2x3xi32>
    scan.yield %next, %q, %out : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
  } -> tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>
  return %h, %y, %hlast, %glast : tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>, tensor<2x?x3xi32>
}

// Flags, a product across lanes: by a thread block.
// CHECK-LABEL: func.func @product(
// CHECK-SAME:      %[[FLAGS:[^ ]+]]: tensor<9xi1>)
// CHECK-NOT:     scan.head_flags
// CHECK:         scan.recurrence ins(%{{.+}}, %[[FLAGS]] : tensor<9x4xi32>, tensor<9xi1>)
func.func @product(%x: tensor<9x4xi32>, %h0: tensor<1x4xi32>, %w: tensor<4x4xi32>, %s: tensor<9xi1>)
    -> (tensor<9x4xi32>, tensor<1x4xi32>) {
  %h, %last = scan.recurrence ins(%x : tensor<9x4xi32>) init(%h0 : tensor<1x4xi32>)
      captures(%w : tensor<4x4xi32>) segments(%s : tensor<9xi1>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>, %weights: tensor<4x4xi32>):
    %next = linalg.vecmat ins(%h1, %weights : tensor<4xi32>, tensor<4x4xi32>) outs(%row : tensor<4xi32>) -> tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<9x4xi32>, tensor<1x4xi32>
  return %h, %last : tensor<9x4xi32>, tensor<1x4xi32>
}

// A scan by itself, which has the segments; matrices of two by two.
func.func @fibonacci(%x: tensor<?xi64>, %i: tensor<2xi64>, %s: tensor<?xi32>) -> tensor<?xi64> {
  %h = scan.recurrence ins(%x : tensor<?xi64>) init(%i : tensor<2xi64>) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: i64, %h2: i64, %row: i64):
    %sum = arith.addi %h1, %h2 : i64
    %next = arith.subi %row, %sum : i64
    scan.yield %next : i64
  } -> tensor<?xi64>
  return %h : tensor<?xi64>
}
