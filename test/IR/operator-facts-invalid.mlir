// What scan.operator may say, and where.

// RUN: scan-opt %s --split-input-file --verify-diagnostics

func.func @elsewhere(%x: tensor<4xi32>) {
  // expected-error @below {{'arith.constant' op expected 'scan.operator' on a 'scan.associative' or a 'scan.kernel' only}}
  %c = arith.constant {scan.operator = {commutative, leaves = 1 : i64}} 0 : index
  return
}

// -----

func.func @no_dictionary(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{'scan.associative' op expected 'scan.operator' to be a dictionary with the number of leaves that it is for ('leaves'), found {commutative}}}
  %y = scan.associative ins(%x : tensor<4xi32>) dim = 0 attributes {scan.operator = {commutative}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    scan.yield %r : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @unknown(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{'scan.associative' op expected 'scan.operator' to have 'commutative', 'idempotent', 'identity = [...]' and 'leaves', found 'invertible = unit'}}
  %y = scan.associative ins(%x : tensor<4xi32>) dim = 0 attributes {scan.operator = {invertible, leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    scan.yield %r : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @count(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{'scan.associative' op expected 'scan.operator' to have an identity with a constant for each of 1 leaves, found [0 : i32, 0 : i32]}}
  %y = scan.associative ins(%x : tensor<4xi32>) dim = 0
      attributes {scan.operator = {identity = [0 : i32, 0 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    scan.yield %r : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @type(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{'scan.associative' op expected 'scan.operator' to have a constant of 'i32' in its identity, found 0 : i64}}
  %y = scan.associative ins(%x : tensor<4xi32>) dim = 0
      attributes {scan.operator = {identity = [0 : i64], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    scan.yield %r : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}
