// RUN: scan-opt %s --split-input-file --verify-diagnostics --transform-interpreter

// What consumes a handle invalidates the others to the same operations.

func.func @consumed(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{payload op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-note @+1 {{handle to invalidated ops}}
    %other = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @+1 {{invalidated by this transform op that consumes its operand #0 and invalidates all handles to payload IR entities associated with this operand and entities nested in them}}
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{uses a handle invalidated by a previously executed transform op}}
    transform.scan.set_schedule %other <strategy = row> : !transform.any_op
    transform.yield
  }
}

// -----

// A handle of the wrong type is found when the result is there.

func.func @result_type(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{payload operation}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{incompatible payload operation name expected scan.associative vs scan.kernel}}
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.op<"scan.associative">
    transform.yield
  }
}

// -----

// Refusals can be silenced: the alternative is taken.

// expected-remark @+1 {{alternative taken}}
func.func @silenced(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %func = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.alternatives %func : !transform.any_op {
    ^bb0(%f: !transform.any_op):
      %op = transform.structured.match ops{["scan.linear_recurrence"]} in %f : (!transform.any_op) -> !transform.any_op
      %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
      %loops = transform.scan.lower_to_loops %kernel : (!transform.any_op) -> !transform.any_op
    }, {
    ^bb0(%f: !transform.any_op):
      transform.debug.emit_remark_at %f, "alternative taken" : !transform.any_op
      %op = transform.structured.match ops{["scan.linear_recurrence"]} in %f : (!transform.any_op) -> !transform.any_op
      %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}
