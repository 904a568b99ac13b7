// Operators on at most 256 states are evaluated on all of them, without a solver.
// RUN: scan-opt %s --scan-prove-associativity="z3=/nonexistent/z3 refuted=warning random-triples=0" --split-input-file --verify-diagnostics -o %t
// RUN: FileCheck %s --input-file=%t

// CHECK-LABEL: @matrices_of_bits
// CHECK: scan.associativity = "proved"
// 2x2 matrices over GF(2): 16 states.
func.func @matrices_of_bits(%x: tensor<?x2x2xi1>) -> tensor<?x2x2xi1> {
  // expected-remark @below {{proved associative, exactly}}
  %y = scan.associative ins(%x : tensor<?x2x2xi1>) dim = 0 {
  ^bb0(%a: tensor<2x2xi1>, %b: tensor<2x2xi1>):
    %zero = arith.constant dense<false> : tensor<2x2xi1>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                         affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<2x2xi1>, tensor<2x2xi1>) outs(%zero : tensor<2x2xi1>) {
    ^bb0(%p: i1, %q: i1, %sum: i1):
      %pq = arith.andi %p, %q : i1
      %s = arith.xori %sum, %pq : i1
      linalg.yield %s : i1
    } -> tensor<2x2xi1>
    scan.yield %r : tensor<2x2xi1>
  } -> tensor<?x2x2xi1>
  return %y : tensor<?x2x2xi1>
}

// -----

// CHECK-LABEL: @greatest_common_divisor
// CHECK: scan.associativity = "proved"
func.func @greatest_common_divisor(%x: tensor<?xi8>) -> tensor<?xi8> {
  // expected-remark @below {{proved associative, exactly}}
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%x0: i8, %x1: i8):
    %zero = arith.constant 0 : i8
    %one = arith.constant 1 : i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %r, %s = scf.for %i = %c0 to %c12 step %c1 iter_args(%a = %x0, %b = %x1) -> (i8, i8) {
      %done = arith.cmpi eq, %b, %zero : i8
      %divisor = arith.select %done, %one, %b : i8
      %rest = arith.remui %a, %divisor : i8
      %next = arith.select %done, %a, %b : i8
      %last = arith.select %done, %zero, %rest : i8
      scf.yield %next, %last : i8, i8
    }
    scan.yield %r : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// -----

// Small numbers come first.
// CHECK-LABEL: @subtraction
// CHECK: scan.associativity = "refuted"
func.func @subtraction(%x: tensor<?xi8>) -> tensor<?xi8> {
  // expected-warning @+2 {{not associative: with a = 0, b = 0, c = 1: (a∘b)∘c = -1 but a∘(b∘c) = 1}}
  // expected-note @+1 {{results of a scan with such an operator}}
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%x0: i8, %x1: i8):
    %r = arith.subi %x0, %x1 : i8
    scan.yield %r : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// -----

// What is assumed leaves 256 values of 2^32, and the sums are among them.
// CHECK-LABEL: @few_of_many
// CHECK: scan.associativity = "proved"
func.func @few_of_many(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-remark @below {{proved associative, exactly}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, lt = 256>]} {
  ^bb0(%x0: i32, %x1: i32):
    %n = arith.constant 256 : i32
    %sum = arith.addi %x0, %x1 : i32
    %r = arith.remui %sum, %n : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

// 512 states are too many.
// CHECK-LABEL: @one_bit_more
// CHECK: scan.associativity = "unknown"
func.func @one_bit_more(%x: tensor<?xi8>, %f: tensor<?xi1>) -> (tensor<?xi8>, tensor<?xi1>) {
  // expected-remark @below {{not known whether the combine region is associative: '/nonexistent/z3'}}
  %y, %g = scan.associative ins(%x, %f : tensor<?xi8>, tensor<?xi1>) dim = 0 {
  ^bb0(%x0: i8, %f0: i1, %x1: i8, %f1: i1):
    %r = arith.xori %x0, %x1 : i8
    %s = arith.ori %f0, %f1 : i1
    scan.yield %r, %s : i8, i1
  } -> tensor<?xi8>, tensor<?xi1>
  return %y, %g : tensor<?xi8>, tensor<?xi1>
}

// -----

// A division by zero is no result: some pairs cannot be evaluated.
// CHECK-LABEL: @undefined
// CHECK: scan.associativity = "unknown"
func.func @undefined(%x: tensor<?xi8>) -> tensor<?xi8> {
  // expected-remark @below {{not known whether the combine region is associative: '/nonexistent/z3'}}
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%x0: i8, %x1: i8):
    %r = arith.divui %x0, %x1 : i8
    scan.yield %r : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}
