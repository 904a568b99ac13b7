// RUN: scan-opt %s --split-input-file --verify-diagnostics --transform-interpreter

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected a split by a factor of 1 or more, found 0 for each dimension; leave split out}}
    transform.scan.split_stage %root by [0] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected factors of 0 or more and of 32 bits, found -1}}
    transform.scan.split_stage %root by [-1] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected vector to be a power of two up to 64, found 6}}
    transform.scan.split_stage %root vector = 6 : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected factors or a vector, found neither}}
    transform.scan.split_stage %root : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected unroll to be between 1 and 64, found 0}}
    transform.scan.unroll_time %root by 0 : !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_stage(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = arith.negf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["arith.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a stage in the body of a scan.recurrence, found 'arith.negf' in 'func.func'}}
    transform.scan.split_stage %op by [32] : !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_recurrence(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = arith.negf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["arith.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a 'scan.recurrence', found 'arith.negf'}}
    transform.scan.unroll_time %op by 2 : !transform.any_op
    transform.yield
  }
}

// -----

// The same dimension twice.
func.func @twice(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-note @+1 {{when applied to this op}}
    %sum = arith.addf %h1, %row : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %sum = transform.structured.match ops{["arith.addf"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.scan.split_stage %sum by [32] : !transform.any_op
    // expected-error @+1 {{expected a stage whose dimensions nothing has split or placed yet, found #scan.stage<split = [32]>}}
    transform.scan.split_stage %sum by [16] : !transform.any_op
    transform.yield
  }
}

// -----

func.func @factors(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-note @+1 {{when applied to this op}}
    %sum = arith.addf %h1, %row : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %sum = transform.structured.match ops{["arith.addf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected no more factors than what the stage computes has dimensions, 1, found 2}}
    transform.scan.split_stage %sum by [4, 32] : !transform.any_op
    transform.yield
  }
}

// -----

func.func @reader(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-note @+1 {{when applied to this op}}
    %a = arith.mulf %h1, %row : tensor<4xf32>
    %b = arith.subf %a, %row : tensor<4xf32>
    %sum = arith.addf %b, %a : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.structured.match ops{["arith.mulf"]} in %root : (!transform.any_op) -> !transform.any_op
    %sum = transform.structured.match ops{["arith.addf"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.scan.split_stage %sum by [32] : !transform.any_op
    // expected-error @+1 {{expected a stage that the reader alone reads, found 'arith.subf', which reads it, too}}
    transform.scan.compute_at %a in %sum : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

func.func @readers(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  return %x : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %none = transform.structured.match ops{["arith.mulf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected one operation as reader, found 0}}
    transform.scan.compute_at %none in %none : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

func.func @across(%x: tensor<9x4x4xf32>, %i: tensor<1x4x4xf32>) -> tensor<9x4x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4x4xf32>) init(%i : tensor<1x4x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4x4xf32>, %row: tensor<4x4xf32>):
    // expected-note @+1 {{when applied to this op}}
    %a = arith.mulf %h1, %row : tensor<4x4xf32>
    %sum = linalg.matmul ins(%h1, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%row : tensor<4x4xf32>) -> tensor<4x4xf32>
    scan.yield %sum : tensor<4x4xf32>
  } -> tensor<9x4x4xf32>
  return %h : tensor<9x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %a = transform.structured.match ops{["arith.mulf"]} in %root : (!transform.any_op) -> !transform.any_op
    %sum = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.scan.split_stage %sum by [2, 2] : !transform.any_op
    // expected-error @+1 {{expected a stage inside of loops over the lanes that it computes, found the reader 'linalg.matmul', which reads across lanes: a part of it needs all of the stage}}
    transform.scan.compute_at %a in %sum : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// Time can be split where steps are those of a scan.
func.func @tanh(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %a = math.tanh %h1 : tensor<4xf32>
    %sum = arith.addf %a, %row : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected the strategy sequential, as row splits time, the dimension that the recurrence walks, and its step is none of a scan: the update of a carried value h is none of a * h + b}}
    transform.scan.set_schedule %scan <strategy = row, threads = 256, items = 8> : !transform.any_op
    transform.yield
  }
}

// -----

func.func @in_order(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %sum = arith.addf %h1, %row : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected the strategy sequential, as column splits time, the dimension that the recurrence walks, and order = sequential asks for steps one after the other}}
    transform.scan.set_schedule %scan <strategy = column> : !transform.any_op
    transform.yield
  }
}

// -----

func.func @ahead(%x: tensor<9x4xf64>, %i: tensor<1x4xf64>) -> tensor<9x4xf64> {
  // expected-note @+1 {{when applied to this op}}
  %h = scan.recurrence ins(%x : tensor<9x4xf64>) init(%i : tensor<1x4xf64>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf64>, %row: tensor<4xf64>):
    %a = math.tanh %h1 : tensor<4xf64>
    %sum = arith.addf %a, %row : tensor<4xf64>
    scan.yield %sum : tensor<4xf64>
  } -> tensor<9x4xf64>
  return %h : tensor<9x4xf64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected items for which there are registers: 64 of each of 512 threads, found 33, the elements of 1 inputs for as many steps ahead, which take 66; lower items or threads}}
    transform.scan.set_schedule %scan <strategy = sequential, threads = 512, items = 33> : !transform.any_op
    transform.yield
  }
}

// -----

// Nothing is said where a failure is silenced.
func.func @silenced(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
    %a = math.tanh %h1 : tensor<4xf32>
    %sum = arith.addf %a, %row : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %h : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.sequence %scan : !transform.any_op failures(suppress) {
    ^bb0(%arg: !transform.any_op):
      transform.scan.set_schedule %arg <strategy = row> : !transform.any_op
    }
    transform.yield
  }
}

// -----

// Steps that launches cannot compute.
func.func @loop(%x: tensor<?x17xi32>, %i: tensor<1x17xi32>) -> tensor<?x17xi32> {
  // expected-note @+1 {{when applied to this op}}
  %h = scan.recurrence ins(%x : tensor<?x17xi32>) init(%i : tensor<1x17xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<17xi32>, %row: tensor<17xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c17 = arith.constant 17 : index
    %s = scf.for %l = %c0 to %c17 step %c1 iter_args(%r = %row) -> (tensor<17xi32>) {
      %e = tensor.extract %h1[%l] : tensor<17xi32>
      %n = tensor.insert %e into %r[%l] : tensor<17xi32>
      scf.yield %n : tensor<17xi32>
    }
    scan.yield %s : tensor<17xi32>
  } -> tensor<?x17xi32>
  return %h : tensor<?x17xi32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a step that launches can compute: expected operations of linalg and tensor and scalar code, short loops, and branches both sides of which can be computed, found a loop of more than 16 iterations, or of as many as only a run tells}}
    transform.scan.launch_steps %scan : !transform.any_op
    transform.yield
  }
}

// -----

func.func @inside(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>, %is: i1) -> tensor<9x4xf32> {
  %r = scf.if %is -> tensor<9x4xf32> {
    // expected-note @+1 {{when applied to this op}}
    %h = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
    ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xf32>):
      %sum = arith.addf %h1, %row : tensor<4xf32>
      scan.yield %sum : tensor<4xf32>
    } -> tensor<9x4xf32>
    scf.yield %h : tensor<9x4xf32>
  } else {
    scf.yield %x : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scan = transform.structured.match ops{["scan.recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a recurrence in a function, found one in 'scf.if': launches that are repeated are not part of loops or branches}}
    transform.scan.launch_steps %scan : !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_recurrence(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = arith.negf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["arith.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a 'scan.recurrence', found 'arith.negf'}}
    transform.scan.launch_steps %op : !transform.any_op
    transform.yield
  }
}
