// RUN: scan-opt %s --convert-recurrence-to-loops --canonicalize --cse | FileCheck %s
// RUN: scan-opt %s --convert-recurrence-to-loops | FileCheck %s --check-prefix=NONE
// NONE-NOT: = scan.recurrence

// With the rows of the init in front, a step reads and writes one history.
// CHECK-LABEL: func.func @two_back
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[I:.+]]: tensor<2x?xf32>)
// CHECK:         %[[START:.+]] = tensor.insert_slice %[[I]] into %{{.+}}[0, 0] [2, %{{.+}}] [1, 1]
// CHECK:         scf.for %[[T:.+]] = %c0 to %{{.+}} step %c1 iter_args(%[[H:.+]] = %[[START]])
// CHECK-NOT:       arith.select
// CHECK:           %[[ONE:.+]] = arith.addi %[[T]], %c1
// CHECK:           tensor.extract_slice %[[H]][%[[ONE]], 0] [1, %{{.+}}] [1, 1]
// CHECK:           tensor.extract_slice %[[H]][%[[T]], 0] [1, %{{.+}}] [1, 1]
// CHECK:           tensor.extract_slice %[[X]][%[[T]], 0] [1, %{{.+}}] [1, 1]
// CHECK:           cf.assert {{.*}}'scan.recurrence' op the row of state #0 has other extents than its init
// CHECK:           %[[TWO:.+]] = arith.addi %[[T]], %c2
// CHECK:           %[[NEXT:.+]] = tensor.insert_slice %{{.+}} into %[[H]][%[[TWO]], 0]
// CHECK:           scf.yield %[[NEXT]]
func.func @two_back(%x: tensor<?x?xf32>, %init: tensor<2x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%init : tensor<2x?xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %h1: tensor<?xf32>, %h2: tensor<?xf32>, %row: tensor<?xf32>):
    %p = arith.mulf %h1, %h2 : tensor<?xf32>
    %next = arith.addf %p, %row : tensor<?xf32>
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// From the last row, with the rows of the init behind the others.
// CHECK-LABEL: func.func @reverse
// CHECK-SAME:    (%[[X:.+]]: tensor<4x9xi32>, %[[I:.+]]: tensor<4x1xi32>)
// CHECK:         %[[START:.+]] = tensor.insert_slice %[[I]] into %{{.+}}[0, 9] [4, 1] [1, 1]
// CHECK:         scf.for %[[S:.+]] = %c0 to %c9 step %c1 iter_args(%[[H:.+]] = %[[START]])
// CHECK:           %[[T:.+]] = arith.subi %c8, %[[S]]
// CHECK:           %[[AT:.+]] = arith.subi %c9, %[[S]]
// CHECK:           tensor.extract_slice %[[H]][0, %[[AT]]] [4, 1] [1, 1]
// CHECK:           tensor.insert_slice %{{.+}} into %[[H]][0, %[[T]]] [4, 1] [1, 1]
// CHECK:         tensor.extract_slice %{{.+}}[0, 0] [4, 1] [1, 1]
func.func @reverse(%x: tensor<4x9xi32>, %init: tensor<4x1xi32>) -> (tensor<4x10xi32>, tensor<4x1xi32>) {
  %h, %last = scan.recurrence ins(%x : tensor<4x9xi32>) init(%init : tensor<4x1xi32>) dim = 1 reverse init_rows {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %next = arith.subi %row, %h1 : tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<4x10xi32>, tensor<4x1xi32>
  return %h, %last : tensor<4x10xi32>, tensor<4x1xi32>
}

// Without them the first rows are chosen from the init. How many steps there are is
// checked, and the input has as many rows or more.
// CHECK-LABEL: func.func @steps
// CHECK-SAME:    (%[[X:.+]]: tensor<?xf32>, %[[I:.+]]: tensor<1xf32>, %[[N:.+]]: index)
// CHECK-DAG:     cf.assert %{{.+}}, "{{.*}}'scan.recurrence' op expected a number of steps of 0 or more"
// CHECK-DAG:     cf.assert %{{.+}}, "{{.*}}'scan.recurrence' op input #0 has other rows than there are steps"
// CHECK:         scf.for %[[T:.+]] = %c0 to %[[N]] step %c1
// CHECK:           %[[BEFORE:.+]] = arith.subi %[[T]], %c1
// CHECK:           %[[COMPUTED:.+]] = arith.cmpi sge, %[[BEFORE]], %c0
// CHECK:           %[[AT:.+]] = arith.maxsi %[[BEFORE]], %c0
// CHECK:           %[[A:.+]] = tensor.extract %{{.+}}[%[[AT]]]
// CHECK:           %[[B:.+]] = tensor.extract %[[I]][
// CHECK:           arith.select %[[COMPUTED]], %[[A]], %[[B]]
func.func @steps(%x: tensor<?xf32>, %i: tensor<1xf32>, %n: index) -> tensor<?xf32> {
  %h = scan.recurrence ins(%x : tensor<?xf32>) init(%i : tensor<1xf32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    %s = arith.subf %row, %h1 : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// No step: no loop.
// CHECK-LABEL: func.func @no_steps
// CHECK-NOT:     scf.for
// CHECK:         return %{{.+}}, %arg1
func.func @no_steps(%x: tensor<0x3xf32>, %i: tensor<2x3xf32>) -> (tensor<0x3xf32>, tensor<2x3xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<0x3xf32>) init(%i : tensor<2x3xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<3xf32>, %h2: tensor<3xf32>, %row: tensor<3xf32>):
    scan.yield %h2 : tensor<3xf32>
  } -> tensor<0x3xf32>, tensor<2x3xf32>
  return %h, %last : tensor<0x3xf32>, tensor<2x3xf32>
}

// Nobody reads the history: the loop carries the last two rows, of which the older one is
// replaced.
// CHECK-LABEL: func.func @last_rows
// CHECK-SAME:    (%[[X:.+]]: tensor<?x3xf32>, %[[I:.+]]: tensor<2x3xf32>)
// CHECK-NOT:     tensor.empty(
// CHECK:         %[[LAST:.+]] = scf.for %[[T:.+]] = %c0 to %{{.+}} step %c1 iter_args(%[[ROWS:.+]] = %[[I]]) -> (tensor<2x3xf32>)
// CHECK:           %[[AT:.+]] = arith.remui %[[T]], %c2
// CHECK:           tensor.extract_slice %[[ROWS]][%[[AT]], 0] [1, 3] [1, 1]
// CHECK:           tensor.insert_slice %{{.+}} into %[[ROWS]][%[[AT]], 0] [1, 3] [1, 1]
// CHECK:         tensor.extract_slice %[[LAST]][
// CHECK:         tensor.extract_slice %[[LAST]][
func.func @last_rows(%x: tensor<?x3xf32>, %init: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<?x3xf32>) init(%init : tensor<2x3xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<3xf32>, %h2: tensor<3xf32>, %row: tensor<3xf32>):
    %next = arith.subf %row, %h2 : tensor<3xf32>
    scan.yield %next : tensor<3xf32>
  } -> tensor<?x3xf32>, tensor<2x3xf32>
  return %last : tensor<2x3xf32>
}
