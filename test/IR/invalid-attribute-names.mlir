// RUN: scan-opt %s --split-input-file --verify-diagnostics

// Foreign attributes that would not be read back as they are printed.

func.func @similar(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'scan.associative' op expected an attribute of the operation, found 'final_state'; did you mean 'final_states'?}}
  %0 = "scan.associative"(%x) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "scan.yield"(%s) : (f32) -> ()
  }) {final_state = dense<1> : tensor<2xi32>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @recurrence(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'scan.linear_recurrence' op expected an attribute of the operation, found 'reversed'; did you mean 'reverse'?}}
  %0 = "scan.linear_recurrence"(%a, %b) <{dim = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {reversed} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Others are kept.
func.func @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scan.associative ins(%x : tensor<4xf32>) dim = 0 attributes {my.final_state = 1 : i32, tag} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
