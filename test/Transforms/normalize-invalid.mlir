// RUN: scan-opt %s --scan-normalize --split-input-file --verify-diagnostics

func.func @no_rewrite(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-note @below {{in the combine region of this scan; its leaves have trailing dimensions or it computes with tensors, which works with elementwise operations, with linalg operations of static shape, and with tensor operations at constant indices}}
  %y = scan.associative ins(%x : tensor<?x4xf32>) dim = 0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = arith.addf %a, %b : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @below {{'linalg.softmax' op has no rewrite to scalar operations}}
    %r = linalg.softmax dimension(0) ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scan.yield %r : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @dynamic_index(%x: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-note @below {{in the combine region of this scan}}
  %y = scan.associative ins(%x : tensor<?x4xi32>) dim = 0 {
  ^bb0(%a: tensor<4xi32>, %b: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %a[%c0] : tensor<4xi32>
    %i = arith.index_cast %first : i32 to index
    // expected-error @below {{'tensor.extract' op has an index that is not constant}}
    %e = tensor.extract %b[%i] : tensor<4xi32>
    %r = tensor.splat %e : tensor<4xi32>
    scan.yield %r : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %y : tensor<?x4xi32>
}

// -----

func.func @out_of_bounds(%x: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-note @below {{in the combine region of this scan}}
  %y = scan.associative ins(%x : tensor<?x4xi32>) dim = 0 {
  ^bb0(%a: tensor<4xi32>, %b: tensor<4xi32>):
    %c4 = arith.constant 4 : index
    // expected-error @below {{'tensor.extract' op has index 4 in a dimension of extent 4}}
    %e = tensor.extract %b[%c4] : tensor<4xi32>
    %r = tensor.splat %e : tensor<4xi32>
    scan.yield %r : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %y : tensor<?x4xi32>
}

// -----

func.func @dynamic_tensor(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-note @below {{in the combine region of this scan}}
  %y = scan.associative ins(%x : tensor<?x4xf32>) dim = 0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    // expected-error @below {{'tensor.cast' op has a value of type tensor<?xf32>, and only scalars and ranked tensors of static shape can be split into scalars}}
    %d = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    %e = tensor.cast %d : tensor<?xf32> to tensor<4xf32>
    %r = arith.addf %e, %b : tensor<4xf32>
    scan.yield %r : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @tensors_in_control_flow(%x: tensor<?x2xf32>, %f: tensor<?xi1>) -> tensor<?x2xf32> {
  // expected-note @below {{in the combine region of this scan}}
  %y, %g = scan.associative ins(%x, %f : tensor<?x2xf32>, tensor<?xi1>) dim = 0 {
  ^bb0(%a: tensor<2xf32>, %f0: i1, %b: tensor<2xf32>, %f1: i1):
    // expected-error @below {{'scf.if' op has no rewrite to scalar operations}}
    %r = scf.if %f1 -> tensor<2xf32> {
      %s = arith.addf %a, %b : tensor<2xf32>
      scf.yield %s : tensor<2xf32>
    } else {
      scf.yield %b : tensor<2xf32>
    }
    %h = arith.ori %f0, %f1 : i1
    scan.yield %r, %h : tensor<2xf32>, i1
  } -> tensor<?x2xf32>, tensor<?xi1>
  return %y : tensor<?x2xf32>
}

// -----

func.func @too_many_elements(%x: tensor<?x40x40xf32>) -> tensor<?x40x40xf32> {
  // expected-error @below {{'scan.associative' op has 1600 trailing elements in leaf 0, and at most 1024 are supported}}
  %y = scan.associative ins(%x : tensor<?x40x40xf32>) dim = 0 {
  ^bb0(%a: tensor<40x40xf32>, %b: tensor<40x40xf32>):
    %s = arith.addf %a, %b : tensor<40x40xf32>
    scan.yield %s : tensor<40x40xf32>
  } -> tensor<?x40x40xf32>
  return %y : tensor<?x40x40xf32>
}

// -----

func.func @too_many_steps(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-note @below {{in the combine region of this scan}}
  %y = scan.associative ins(%x : tensor<?x2xf32>) dim = 0 {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %c = arith.constant dense<1.0> : tensor<2x256x256xf32>
    %s = arith.addf %a, %b : tensor<2xf32>
    // expected-error @below {{'linalg.reduce' op makes the combine region larger than 65536 scalar steps when unrolled}}
    %r = linalg.reduce { arith.addf } ins(%c : tensor<2x256x256xf32>) outs(%s : tensor<2xf32>) dimensions = [1, 2]
    scan.yield %r : tensor<2xf32>
  } -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

func.func @vectors(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-note @below {{in the combine region of this scan}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    // expected-error @below {{'vector.broadcast' op has a value of type vector<4xf32>, and only scalars and ranked tensors of static shape can be split into scalars}}
    %v = vector.broadcast %acc : f32 to vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    %t = arith.addf %s, %new : f32
    scan.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
