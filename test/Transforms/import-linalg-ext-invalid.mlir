// RUN: scan-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --scan-import-linalg-ext

func.func @inputs(%x: tensor<4xf32>, %acc: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'iree_linalg_ext.scan' op expected an input, an output and an accumulator, two results and a region of one block; scans of several inputs are not read}}
  %s = "iree_linalg_ext.scan"(%x, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    "iree_linalg_ext.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

func.func @ranked(%x: tensor<*xf32>, %acc: tensor<f32>) -> tensor<*xf32> {
  // expected-error@+1 {{'iree_linalg_ext.scan' op expected ranked tensors}}
  %s:2 = "iree_linalg_ext.scan"(%x, %x, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    "iree_linalg_ext.yield"(%a) : (f32) -> ()
  }) : (tensor<*xf32>, tensor<*xf32>, tensor<f32>) -> (tensor<*xf32>, tensor<f32>)
  return %s#0 : tensor<*xf32>
}

// -----

func.func @attributes(%x: tensor<4xf32>, %acc: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected the attributes 'dimension', an integer, and 'inclusive', true or false}}
  %s:2 = "tm_tensor.scan"(%x, %x, %acc) <{dimension = 0 : i64}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return %s#0 : tensor<4xf32>
}

// -----

func.func @dimension(%x: tensor<4xf32>, %acc: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a dimension of the input, an output of its rank and an accumulator without the dimension}}
  %s:2 = "tm_tensor.scan"(%x, %x, %acc) <{dimension = 1 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return %s#0 : tensor<4xf32>
}

// -----

func.func @region(%x: tensor<4xf32>, %acc: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a region of two elements that yields one, all of the element type of the input, the output and the accumulator}}
  %s:2 = "tm_tensor.scan"(%x, %x, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    "tm_tensor.yield"(%a, %b) : (f32, f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return %s#0 : tensor<4xf32>
}

// -----

func.func @last(%x: tensor<?xf32>, %acc: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'tm_tensor.scan' op expected a static extent in dimension 0, as result #1 is used: it is the last element, but the accumulator where there are fewer than two}}
  %s:2 = "tm_tensor.scan"(%x, %x, %acc) <{dimension = 0 : i64, inclusive = true}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    "tm_tensor.yield"(%t) : (f32) -> ()
  }) : (tensor<?xf32>, tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
  return %s#1 : tensor<f32>
}
