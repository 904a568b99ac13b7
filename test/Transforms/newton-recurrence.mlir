// RUN: scan-opt %s --scan-newton-recurrence --cse --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-newton-recurrence="unroll residuals" --cse --split-input-file | FileCheck %s --check-prefix=UNROLLED

// Two chunks are walked from the init first; a loop that looks at the residual solves for where the second
// one starts. What the chunks, and the step behind them, have from there is the result, or what the walk computes.

// CHECK-LABEL:   func.func @tanh
// CHECK-SAME:      (%[[X:.*]]: tensor<9x5xf32>, %[[INIT:.*]]: tensor<1x5xf32>) -> tensor<9x5xf32>
// CHECK:           %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[INIT]]
// CHECK:           %[[LOOP:.*]]:5 = scf.while (%[[S:.*]] = %[[FIRST]], %[[I:.*]] = %{{.*}})
// CHECK:             %[[ONE:.*]] = linalg.fill
// CHECK:             %[[ROWS:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 5]
// CHECK:             %[[CHUNKS:.*]] = tensor.expand_shape %[[ROWS]] {{\[}}[0, 1], [2]] output_shape [2, 4, 5]
// CHECK:             %[[PASS:.*]]:4 = scan.recurrence ins(%[[CHUNKS]] {{.*}} init(%[[S]], %[[ONE]] {{.*}} dim = 1
// CHECK-SAME:          order = #scan.order<sequential>
// CHECK:               %[[SUM:.*]] = arith.addf
// CHECK:               %[[TANH:.*]] = math.tanh %[[SUM]]
// CHECK:               %[[J:.*]] = arith.mulf
// CHECK-NEXT:          %[[PRODUCT:.*]] = arith.mulf %[[J]]
// CHECK:               linalg.yield %[[TANH]], %[[PRODUCT]]
// CHECK-DAG:         tensor.extract_slice %[[S]][1, 0, 0] [1, 1, 5]
// CHECK-DAG:         tensor.extract_slice %[[PASS]]#2[0, 0, 0] [1, 1, 5]
// CHECK:             linalg.generic {{.*}}["parallel", "reduction"]}
// CHECK:               math.absf
// CHECK:               arith.maximumf
// CHECK:             %[[MAX:.*]] = linalg.generic {{.*}}["reduction"]}
// CHECK:             arith.cmpi ult, %[[I]], %c8
// CHECK:             %[[RESIDUAL:.*]] = tensor.extract %[[MAX]][]
// CHECK:             arith.cmpf ugt, %[[RESIDUAL]]
// CHECK:             scf.condition(%{{.*}}) %[[S]], %[[PASS]]#2, %[[PASS]]#3, %[[I]], %[[MAX]]
// CHECK:           } do {
// CHECK:           ^bb0(%[[P:.*]]: tensor<2x1x5xf32>, %[[END:.*]]: tensor<2x1x5xf32>, %[[SLOPE:.*]]: tensor<2x1x5xf32>,
// CHECK:             %[[OFFSET:.*]] = linalg.generic {{.*}} ins(%[[SLOPE]], %[[P]], %[[END]]
// CHECK:             %[[NEXT:.*]] = scan.linear_recurrence ins(%[[SLOPE]], %[[OFFSET]] {{.*}} init(%[[INIT]] {{.*}} dim = 0 exclusive
// CHECK:             scf.yield %[[NEXT]]
// CHECK:           }
// CHECK:           %[[SPACE:.*]] = tensor.empty() : tensor<9x5xf32>
// CHECK:           %[[MAIN:.*]]:2 = scan.recurrence ins(%{{.*}} : tensor<2x4x5xf32>) init(%[[LOOP]]#0
// CHECK:           %[[EIGHT:.*]] = tensor.insert_slice %{{.*}} into %[[SPACE]][0, 0] [8, 5]
// CHECK:           %[[LASTEND:.*]] = tensor.extract_slice %[[LOOP]]#1[1, 0, 0]
// CHECK:           %[[REST:.*]]:2 = scan.recurrence ins(%{{.*}} : tensor<1x1x5xf32>) init(%[[LASTEND]]
// CHECK:           %[[ALL:.*]] = tensor.insert_slice %{{.*}} into %[[EIGHT]][8, 0] [1, 5]
// CHECK:           %[[LAST:.*]] = tensor.extract %[[LOOP]]#4[]
// CHECK:           %[[ISABOVE:.*]] = arith.cmpf ugt, %[[LAST]]
// CHECK:           %[[RESULT:.*]] = scf.if %[[ISABOVE]]
// CHECK:             scan.recurrence ins(%[[X]]
// CHECK-NOT:         scan.newton
// CHECK:           } else {
// CHECK:             scf.yield %[[ALL]]
// CHECK:           return %[[RESULT]] :

// Without a loop: each iteration asks the residual of the one before; the last one is a result.

// UNROLLED-LABEL: func.func @tanh
// UNROLLED-SAME:    -> (tensor<9x5xf32>, tensor<f32>)
// UNROLLED-NOT:     scan.linear_recurrence
// UNROLLED-COUNT-8: scan.linear_recurrence
// UNROLLED-NOT:     scan.linear_recurrence
// UNROLLED:         } else {
// UNROLLED:         %[[RESIDUAL:.*]] = linalg.generic {{.*}}["reduction"]}
// UNROLLED:         %[[ROWS:.*]] = scf.if
// UNROLLED:           scan.recurrence
// UNROLLED:         return %[[ROWS]], %[[RESIDUAL]] : tensor<9x5xf32>, tensor<f32>
func.func @tanh(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 8, tolerance = 1.0e-6, chunk = 4>} {
  ^bb0(%t: index, %before: tensor<5xf32>, %row: tensor<5xf32>):
    %sum = arith.addf %before, %row : tensor<5xf32>
    %next = math.tanh %sum : tensor<5xf32>
    scan.yield %next : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}

// -----

// Two states in a matrix with a one and a zero, which no scan carries; backwards, where the last chunk
// comes first. The order goes on to the scan of the matrices.

// CHECK-LABEL:   func.func @states
// CHECK:           %[[PASS:.*]]:8 = scan.recurrence ins(%{{.*}} : tensor<3x3xf64>) {{.*}} dim = 1 reverse
// CHECK:           tensor.extract_slice %{{.*}}[0, 0] [2, 1]
// CHECK:           tensor.extract_slice %[[PASS]]#4[1, 0] [2, 1]
// CHECK:           %[[MAPS:.*]]:2 = linalg.generic
// CHECK:           scan.associative ins(%{{.*}}, %{{.*}}, %[[MAPS]]#0, %[[MAPS]]#1 {{.*}} dim = 0 reverse exclusive
// CHECK-SAME:        order = #scan.order<deterministic>
// CHECK-NOT:       tensor.insert_slice
// CHECK:           return
func.func @states(%x: tensor<9xf64>, %a: tensor<1xf64>, %b: tensor<1xf64>) -> (tensor<9xf64>, tensor<9xf64>) {
  %g, %h = scan.recurrence ins(%x : tensor<9xf64>) init(%a, %b : tensor<1xf64>, tensor<1xf64>) dim = 0 reverse
      attributes {order = #scan.order<deterministic>, scan.schedule = #scan.newton<iterations = 2, tolerance = 0.5, chunk = 3>} {
  ^bb0(%t: index, %a1: f64, %b1: f64, %row: f64):
    %a2 = arith.addf %a1, %row : f64
    %sum = arith.addf %a1, %b1 : f64
    %b2 = math.tanh %sum : f64
    scan.yield %a2, %b2 : f64, f64
  } -> tensor<9xf64>, tensor<9xf64>
  return %g, %h : tensor<9xf64>, tensor<9xf64>
}

// -----

// Nothing to solve, fewer steps than two chunks have, and steps of steps: all are walked.

// CHECK-LABEL:   func.func @empty
// CHECK-NOT:       scan.newton
// CHECK-NOT:       scf.while
// CHECK:           return
func.func @empty(%x: tensor<9x0xf32>, %init: tensor<1x0xf32>) -> tensor<9x0xf32> {
  %h = scan.recurrence ins(%x : tensor<9x0xf32>) init(%init : tensor<1x0xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 8, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: tensor<0xf32>, %row: tensor<0xf32>):
    %sum = arith.addf %before, %row : tensor<0xf32>
    scan.yield %sum : tensor<0xf32>
  } -> tensor<9x0xf32>
  return %h : tensor<9x0xf32>
}

// CHECK-LABEL:   func.func @short
// CHECK-NOT:       scan.newton
// CHECK-NOT:       scf.while
// CHECK:           return
func.func @short(%x: tensor<255xf32>, %init: tensor<1xf32>) -> tensor<255xf32> {
  %h = scan.recurrence ins(%x : tensor<255xf32>) init(%init : tensor<1xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 8, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: f32, %row: f32):
    %sum = arith.addf %before, %row : f32
    scan.yield %sum : f32
  } -> tensor<255xf32>
  return %h : tensor<255xf32>
}

// CHECK-LABEL:   func.func @nested
// CHECK-NOT:       scan.newton
// CHECK-NOT:       scf.while
// CHECK:           return
func.func @nested(%x: tensor<9x4xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%init : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %before: f32, %row: tensor<4xf32>):
    %start = tensor.from_elements %before : tensor<1xf32>
    %inner = scan.recurrence ins(%row : tensor<4xf32>) init(%start : tensor<1xf32>) dim = 0
        attributes {scan.schedule = #scan.newton<iterations = 8, tolerance = 1.0e-6>} {
    ^bb0(%s: index, %h1: f32, %e: f32):
      %sum = arith.addf %h1, %e : f32
      %next = math.tanh %sum : f32
      scan.yield %next : f32
    } -> tensor<4xf32>
    %c3 = arith.constant 3 : index
    %last = tensor.extract %inner[%c3] : tensor<4xf32>
    scan.yield %last : f32
  } -> tensor<9xf32>
  return %h : tensor<9xf32>
}
