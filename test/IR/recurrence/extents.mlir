// RUN: scan-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// The extents of results are those of operands, and the number of steps.

// CHECK-LABEL: func.func @inputs
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[I:.+]]: tensor<2x?xf32>)
// CHECK-NOT:     scan.recurrence
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     %[[W:.+]] = tensor.dim %[[I]], %c1
// CHECK-DAG:     %[[K:.+]] = arith.addi %[[N]], %c2
// CHECK:         return %[[K]], %[[W]], %[[N]], %[[W]]
func.func @inputs(%x: tensor<?x?xf32>, %i: tensor<2x?xf32>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h, %y, %last = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<2x?xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %h1: tensor<?xf32>, %h2: tensor<?xf32>, %row: tensor<?xf32>):
    %one = arith.constant 1.0 : f32
    scan.yield %h2, %one : tensor<?xf32>, f32
  } -> tensor<?x?xf32>, tensor<?xf32>, tensor<2x?xf32>
  %0 = tensor.dim %h, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %h, %c1 : tensor<?x?xf32>
  %2 = tensor.dim %y, %c0 : tensor<?xf32>
  %3 = tensor.dim %last, %c1 : tensor<2x?xf32>
  return %0, %1, %2, %3 : index, index, index, index
}

// CHECK-LABEL: func.func @steps
// CHECK-SAME:    %[[N:[^ ]+]]: index
// CHECK-NOT:     scan.recurrence
// CHECK:         return %[[N]] : index
func.func @steps(%x: tensor<?xf32>, %i: tensor<1xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %h = scan.recurrence ins(%x : tensor<?xf32>) init(%i : tensor<1xf32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    scan.yield %row : f32
  } -> tensor<?xf32>
  %0 = tensor.dim %h, %c0 : tensor<?xf32>
  return %0 : index
}

// Of an output: operands, and what its type says.
// CHECK-LABEL: func.func @outputs
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?xf32>, %{{[^ ]+}}: tensor<1xf32>, %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index
// CHECK-NOT:     scan.recurrence
// CHECK:         %[[T:.+]] = tensor.dim %[[X]], %c0
// CHECK:         return %[[T]], %[[N]], %[[T]], %[[M]]
func.func @outputs(%x: tensor<?xf32>, %i: tensor<1xf32>, %n: index, %m: index) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h, %y, %z = scan.recurrence ins(%x : tensor<?xf32>) init(%i : tensor<1xf32>)
      extents(%n, %m : index, index) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    %a = tensor.empty(%t) : tensor<?xf32>
    %b = tensor.empty(%t) : tensor<5x?xf32>
    scan.yield %row, %a, %b : f32, tensor<?xf32>, tensor<5x?xf32>
  } -> tensor<?xf32>, tensor<?x?xf32>, tensor<?x5x?xf32>
  %0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %2 = tensor.dim %z, %c0 : tensor<?x5x?xf32>
  %3 = tensor.dim %z, %c2 : tensor<?x5x?xf32>
  return %0, %1, %2, %3 : index, index, index, index
}

// Equal recurrences are one, unused ones none. One that may stop the program stays in
// a loop that may run no iteration.

// RUN: scan-opt %s --cse --loop-invariant-code-motion | FileCheck %s --check-prefix=MOVED
// MOVED-LABEL: func.func @moved
// MOVED:         scan.recurrence {{.*}} dim = 0 {
// MOVED-NOT:     scan.recurrence
// MOVED:         scf.for
// MOVED:           scan.recurrence {{.*}} steps(
func.func @moved(%x: tensor<4xf32>, %i: tensor<1xf32>, %n: index) -> (tensor<4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %b = %empty) -> (tensor<4xf32>, tensor<?xf32>) {
    %h = scan.recurrence ins(%x : tensor<4xf32>) init(%i : tensor<1xf32>) dim = 0 { ^bb0(%t: index, %h1: f32, %row: f32): scan.yield %row : f32 } -> tensor<4xf32>
    %same = scan.recurrence ins(%x : tensor<4xf32>) init(%i : tensor<1xf32>) dim = 0 { ^bb0(%t: index, %h1: f32, %row: f32): scan.yield %row : f32 } -> tensor<4xf32>
    %unused = scan.recurrence ins(%x : tensor<4xf32>) init(%i : tensor<1xf32>) dim = 0 { ^bb0(%t: index, %h1: f32, %row: f32): scan.yield %h1 : f32 } -> tensor<4xf32>
    %sum = arith.addf %h, %same : tensor<4xf32>
    %g = scan.recurrence ins(%x : tensor<4xf32>) init(%i : tensor<1xf32>) steps(%n : index) dim = 0 { ^bb0(%t: index, %h1: f32, %row: f32): scan.yield %row : f32 } -> tensor<?xf32>
    scf.yield %sum, %g : tensor<4xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<?xf32>
}
