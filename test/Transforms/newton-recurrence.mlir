// RUN: scan-opt %s --scan-newton-recurrence --cse --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-newton-recurrence="unroll residuals" --cse --split-input-file | FileCheck %s --check-prefix=UNROLLED

// The first iteration is at the init; the others are a loop that looks at the residual. What the
// last check has computed is the result, or what the walk computes.

// CHECK-LABEL:   func.func @tanh
// CHECK-SAME:      (%[[X:.*]]: tensor<9x5xf32>, %[[INIT:.*]]: tensor<1x5xf32>) -> tensor<9x5xf32>
// CHECK:           %[[H0:.*]] = tensor.extract_slice %[[INIT]][0, 0] [1, 5]
// CHECK:           %[[MAPS:.*]]:2 = linalg.generic {{.*}} ins(%[[H0]], %[[X]]
// CHECK:             %[[SUM:.*]] = arith.addf
// CHECK:             %[[TANH:.*]] = math.tanh %[[SUM]]
// CHECK:             linalg.yield
// CHECK:           %[[FIRST:.*]] = scan.linear_recurrence ins(%[[MAPS]]#0, %[[MAPS]]#1 {{.*}} init(%[[H0]]
// CHECK:           %[[LOOP:.*]]:4 = scf.while (%[[H:.*]] = %[[FIRST]], %[[I:.*]] = %{{.*}})
// CHECK:             %[[P:.*]] = scan.shift %[[H]] boundary(%[[H0]] : tensor<5xf32>) dim = 0 by = 1
// CHECK:             %[[F:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[X]]
// CHECK:             %[[MAX:.*]] = linalg.generic {{.*}}["reduction", "reduction"]} ins(%[[H]], %[[F]]
// CHECK:               math.absf
// CHECK:               arith.maximumf
// CHECK:             arith.cmpi ult, %[[I]], %c8
// CHECK:             %[[RESIDUAL:.*]] = tensor.extract %[[MAX]][]
// CHECK:             arith.cmpf ugt, %[[RESIDUAL]]
// CHECK:             scf.condition(%{{.*}}) %[[H]], %[[I]], %[[F]], %[[MAX]]
// CHECK:           } do {
// CHECK:             scan.shift
// CHECK:             linalg.generic
// CHECK:             scan.linear_recurrence
// CHECK:             scf.yield
// CHECK:           }
// CHECK:           %[[LAST:.*]] = tensor.extract %[[LOOP]]#3[]
// CHECK:           %[[ISABOVE:.*]] = arith.cmpf ugt, %[[LAST]]
// CHECK:           %[[ROWS:.*]] = scf.if %[[ISABOVE]]
// CHECK:             scan.recurrence
// CHECK-NOT:         scan.newton
// CHECK:           } else {
// CHECK:             scf.yield %[[LOOP]]#2
// CHECK:           return %[[ROWS]] :

// Without a loop: all iterations, and the residual as a result.

// UNROLLED-LABEL: func.func @tanh
// UNROLLED-SAME:    -> (tensor<9x5xf32>, tensor<f32>)
// UNROLLED-COUNT-8: scan.linear_recurrence
// UNROLLED-NOT:     scan.linear_recurrence
// UNROLLED:         %[[RESIDUAL:.*]] = linalg.generic {{.*}}["reduction", "reduction"]}
// UNROLLED:         %[[ROWS:.*]] = scf.if
// UNROLLED:           scan.recurrence
// UNROLLED:         return %[[ROWS]], %[[RESIDUAL]] : tensor<9x5xf32>, tensor<f32>
func.func @tanh(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 8, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: tensor<5xf32>, %row: tensor<5xf32>):
    %sum = arith.addf %before, %row : tensor<5xf32>
    %next = math.tanh %sum : tensor<5xf32>
    scan.yield %next : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}

// -----

// Two states in a matrix with a one and a zero, which no scan carries; backwards. The order goes on to the scans.

// CHECK-LABEL:   func.func @states
// CHECK:           %[[MAPS:.*]]:4 = linalg.generic
// CHECK:           scan.associative ins(%[[MAPS]]#0, %[[MAPS]]#1, %[[MAPS]]#2, %[[MAPS]]#3 {{.*}} dim = 0 reverse
// CHECK-SAME:        order = #scan.order<deterministic>
// CHECK:           scan.shift {{.*}} by = -1
func.func @states(%x: tensor<9xf64>, %a: tensor<1xf64>, %b: tensor<1xf64>) -> (tensor<9xf64>, tensor<9xf64>) {
  %g, %h = scan.recurrence ins(%x : tensor<9xf64>) init(%a, %b : tensor<1xf64>, tensor<1xf64>) dim = 0 reverse
      attributes {order = #scan.order<deterministic>, scan.schedule = #scan.newton<iterations = 2, tolerance = 0.5>} {
  ^bb0(%t: index, %a1: f64, %b1: f64, %row: f64):
    %a2 = arith.addf %a1, %row : f64
    %sum = arith.addf %a1, %b1 : f64
    %b2 = math.tanh %sum : f64
    scan.yield %a2, %b2 : f64, f64
  } -> tensor<9xf64>, tensor<9xf64>
  return %g, %h : tensor<9xf64>, tensor<9xf64>
}

// -----

// Nothing to solve, and steps of steps: both are walked.

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
