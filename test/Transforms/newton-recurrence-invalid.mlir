// RUN: scan-opt %s --scan-newton-recurrence --allow-unregistered-dialect --verify-diagnostics --split-input-file

// Each thing that Newton's method does not solve, and what the attribute cannot say.

func.func @iterations() {
  // expected-error@+1 {{expected iterations to be 1 or more, found 0}}
  "test.op"() {scan.schedule = #scan.newton<iterations = 0, tolerance = 1.0e-6>} : () -> ()
}

// -----

func.func @many() {
  // expected-error@+1 {{expected iterations to be at most 64, found 65}}
  "test.op"() {scan.schedule = #scan.newton<iterations = 65, tolerance = 1.0e-6>} : () -> ()
}

// -----

func.func @zero() {
  // expected-error@+1 {{expected tolerance to be a positive finite number, found 0}}
  "test.op"() {scan.schedule = #scan.newton<iterations = 1, tolerance = 0.0>} : () -> ()
}

// -----

func.func @negative() {
  // expected-error@+1 {{expected tolerance to be a positive finite number, found -1}}
  "test.op"() {scan.schedule = #scan.newton<iterations = 1, tolerance = -1.0>} : () -> ()
}

// -----

func.func @infinite() {
  // expected-error@+1 {{expected tolerance to be a positive finite number, found INF}}
  "test.op"() {scan.schedule = #scan.newton<iterations = 1, tolerance = 0x7FF0000000000000>} : () -> ()
}

// -----

func.func @chunk() {
  // expected-error@+1 {{expected chunk to be 1 or more, found 0}}
  "test.op"() {scan.schedule = #scan.newton<iterations = 1, tolerance = 1.0, chunk = 0>} : () -> ()
}

// -----

func.func @lanes(%x: tensor<4x3xf32>, %init: tensor<1x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{'scan.recurrence' op with the schedule #scan.newton: expected a step that computes each lane from the same lane one row back, by operations with derivatives, but 'scan.recurrence' reads a state at other places than the one that it computes; without the schedule the steps are walked one after the other}}
  %h = scan.recurrence ins(%x : tensor<4x3xf32>) init(%init : tensor<1x3xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: tensor<3xf32>, %row: tensor<3xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %before[%c0] : tensor<3xf32>
    %all = tensor.splat %first : tensor<3xf32>
    %sum = arith.addf %all, %row : tensor<3xf32>
    scan.yield %sum : tensor<3xf32>
  } -> tensor<4x3xf32>
  return %h : tensor<4x3xf32>
}

// -----

func.func @contraction(%x: tensor<4x2x3xf32>, %init: tensor<1x2x3xf32>, %w: tensor<3x3xf32>) -> tensor<4x2x3xf32> {
  // expected-error@+1 {{but 'linalg.matmul' is no elementwise code}}
  %h = scan.recurrence ins(%x : tensor<4x2x3xf32>) init(%init : tensor<1x2x3xf32>) captures(%w : tensor<3x3xf32>)
      dim = 0 attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: tensor<2x3xf32>, %row: tensor<2x3xf32>, %weights: tensor<3x3xf32>):
    // expected-note@+1 {{this is in the way}}
    %sum = linalg.matmul ins(%before, %weights : tensor<2x3xf32>, tensor<3x3xf32>)
                         outs(%row : tensor<2x3xf32>) -> tensor<2x3xf32>
    scan.yield %sum : tensor<2x3xf32>
  } -> tensor<4x2x3xf32>
  return %h : tensor<4x2x3xf32>
}

// -----

func.func @derivative(%x: tensor<4x3xf32>, %init: tensor<1x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{but 'scf.if' has no derivative that is known here}}
  %h = scan.recurrence ins(%x : tensor<4x3xf32>) init(%init : tensor<1x3xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: tensor<3xf32>, %row: tensor<3xf32>):
    %next = linalg.map ins(%before : tensor<3xf32>) outs(%row : tensor<3xf32>)
      (%h1: f32, %unused: f32) {
        %zero = arith.constant 0.0 : f32
        %isUp = arith.cmpf ogt, %h1, %zero : f32
        // expected-note@+1 {{this is in the way}}
        %n = scf.if %isUp -> f32 {
          %e = math.exp %h1 : f32
          scf.yield %e : f32
        } else {
          scf.yield %h1 : f32
        }
        linalg.yield %n : f32
      }
    scan.yield %next : tensor<3xf32>
  } -> tensor<4x3xf32>
  return %h : tensor<4x3xf32>
}

// -----

func.func @integers(%x: tensor<4xi32>, %init: tensor<1xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{expected states of f32 or f64, found state #0 of 'i32'}}
  %h = scan.recurrence ins(%x : tensor<4xi32>) init(%init : tensor<1xi32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: i32, %row: i32):
    %next = arith.muli %before, %row : i32
    scan.yield %next : i32
  } -> tensor<4xi32>
  return %h : tensor<4xi32>
}

// -----

func.func @types(%x: tensor<4xf32>, %a: tensor<1xf32>, %b: tensor<1xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  // expected-error@+1 {{expected states of one type, found state #0 of 'f32' and state #1 of 'f64'}}
  %h, %g = scan.recurrence ins(%x : tensor<4xf32>) init(%a, %b : tensor<1xf32>, tensor<1xf64>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %a1: f32, %b1: f64, %row: f32):
    %next = arith.mulf %a1, %row : f32
    %wide = arith.extf %next : f32 to f64
    scan.yield %next, %wide : f32, f64
  } -> tensor<4xf32>, tensor<4xf64>
  return %h, %g : tensor<4xf32>, tensor<4xf64>
}

// -----

func.func @window(%x: tensor<4xf32>, %init: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected steps that look one row back, found an init of state #0 with 2 rows}}
  %h = scan.recurrence ins(%x : tensor<4xf32>) init(%init : tensor<2xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %one: f32, %two: f32, %row: f32):
    %next = arith.mulf %two, %row : f32
    scan.yield %next : f32
  } -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

func.func @states(%x: tensor<4xf32>, %i: tensor<1xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected at most 4 states, whose Jacobian matrix every lane has, found 5}}
  %h:5 = scan.recurrence ins(%x : tensor<4xf32>)
      init(%i, %i, %i, %i, %i : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %a: f32, %b: f32, %c: f32, %d: f32, %e: f32, %row: f32):
    %next = arith.mulf %a, %row : f32
    scan.yield %b, %c, %d, %e, %next : f32, f32, f32, f32, f32
  } -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %h#0 : tensor<4xf32>
}

// -----

func.func @order(%x: tensor<4xf32>, %init: tensor<1xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected no order = sequential, which asks for the bits of the steps}}
  %h = scan.recurrence ins(%x : tensor<4xf32>) init(%init : tensor<1xf32>) dim = 0
      attributes {order = #scan.order<sequential>, scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: f32, %row: f32):
    %next = math.tanh %before : f32
    scan.yield %next : f32
  } -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

func.func @segments(%x: tensor<4xf32>, %init: tensor<1xf32>, %flags: tensor<4xi1>) -> tensor<4xf32> {
  // expected-error@+1 {{but 'scan.recurrence' has segments (--scan-expand-recurrence-segments)}}
  %h = scan.recurrence ins(%x : tensor<4xf32>) init(%init : tensor<1xf32>) segments(%flags : tensor<4xi1>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 1.0e-6>} {
  ^bb0(%t: index, %before: f32, %row: f32):
    %sum = arith.addf %before, %row : f32
    scan.yield %sum : f32
  } -> tensor<4xf32>
  return %h : tensor<4xf32>
}
