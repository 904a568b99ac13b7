// RUN: scan-opt %s --scan-prove-associativity=mode=random --split-input-file --verify-diagnostics

// Counterexamples among random triples, made as simple as they can be; none where
// results differ by rounding only.

// Integers: every difference counts.
func.func @subtract(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error@+2 {{the combine region is not associative: with a = 0, b = 0, c = 1: (a∘b)∘c = -1 but a∘(b∘c) = 1}}
  // expected-note@+1 {{results of a scan with such an operator depend on how it is scheduled; for the left fold write 'order = sequential'}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

// As the left fold it is what it is; what was found before is not looked for again.
func.func @passed_over(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 attributes {order = #scan.order<sequential>} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  %z = scan.associative ins(%x : tensor<?xi32>) dim = 0 attributes {scan.associativity = "unknown"} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y, %z : tensor<?xi32>, tensor<?xi32>
}

// -----

// Rounding is not taken for a difference: sums of f16, products of matrices,
// quotients; nor are sums that overflow.
func.func @rounded(%x: tensor<?xf16>, %m: tensor<?x2x2xbf16>, %z: tensor<?xcomplex<f32>>)
    -> (tensor<?xf16>, tensor<?x2x2xbf16>, tensor<?xcomplex<f32>>, tensor<?xf16>) {
  %s = scan.associative ins(%x : tensor<?xf16>) dim = 0 {
  ^bb0(%a: f16, %b: f16):
    %0 = arith.addf %a, %b : f16
    scan.yield %0 : f16
  } -> tensor<?xf16>
  %p = scan.associative ins(%m : tensor<?x2x2xbf16>) dim = 0 {
  ^bb0(%a: tensor<2x2xbf16>, %b: tensor<2x2xbf16>):
    %zero = arith.constant dense<0.0> : tensor<2x2xbf16>
    %0 = linalg.matmul ins(%a, %b : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%zero : tensor<2x2xbf16>) -> tensor<2x2xbf16>
    scan.yield %0 : tensor<2x2xbf16>
  } -> tensor<?x2x2xbf16>
  %w = scan.associative ins(%z : tensor<?xcomplex<f32>>) dim = 0 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %0 = complex.mul %a, %b : complex<f32>
    scan.yield %0 : complex<f32>
  } -> tensor<?xcomplex<f32>>
  // Resistors in parallel.
  %r = scan.associative ins(%x : tensor<?xf16>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, gt = 0>]} {
  ^bb0(%a: f16, %b: f16):
    %t = arith.mulf %a, %b : f16
    %u = arith.addf %a, %b : f16
    %0 = arith.divf %t, %u : f16
    scan.yield %0 : f16
  } -> tensor<?xf16>
  return %s, %p, %w, %r : tensor<?xf16>, tensor<?x2x2xbf16>, tensor<?xcomplex<f32>>, tensor<?xf16>
}

// -----

// Means of two are no mean of all.
func.func @average(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  // expected-error@+2 {{with a = 0, b = 0, c = 1: (a∘b)∘c = 0.5 but a∘(b∘c) = 0.25}}
  // expected-note@+1 {{results of a scan}}
  %y = scan.associative ins(%x : tensor<?xbf16>) dim = 0 {
  ^bb0(%a: bf16, %b: bf16):
    %half = arith.constant 0.5 : bf16
    %s = arith.addf %a, %b : bf16
    %h = arith.mulf %s, %half : bf16
    scan.yield %h : bf16
  } -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// -----

// Affine maps, of which one operand stands in the wrong place; the second leaf only.
func.func @swapped(%x: tensor<?xf64>, %z: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  // expected-error@+2 {{the combine region is not associative: with a = (}}
  // expected-note@+1 {{results of a scan}}
  %y:2 = scan.associative ins(%x, %z : tensor<?xf64>, tensor<?xf64>) dim = 0 reverse {
  ^bb0(%a0: f64, %b0: f64, %a1: f64, %b1: f64):
    %p = arith.mulf %a0, %a1 : f64
    %q = arith.mulf %a0, %b0 : f64
    %r = arith.addf %q, %b1 : f64
    scan.yield %p, %r : f64, f64
  } -> tensor<?xf64>, tensor<?xf64>
  return %y#0, %y#1 : tensor<?xf64>, tensor<?xf64>
}

// -----

// Only on ties: the later index by the one, the earlier by the other.
func.func @ties(%x: tensor<?xf32>, %i: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %y:2 = scan.associative ins(%x, %i : tensor<?xf32>, tensor<?xi32>) dim = 0 {
  ^bb0(%v0: f32, %i0: i32, %v1: f32, %i1: i32):
    %g = arith.cmpf oge, %v0, %v1 : f32
    %v = arith.select %g, %v0, %v1 : f32
    %j = arith.select %g, %i0, %i1 : i32
    scan.yield %v, %j : f32, i32
  } -> tensor<?xf32>, tensor<?xi32>
  // expected-error@+2 {{the combine region is not associative}}
  // expected-note@+1 {{results of a scan}}
  %z:2 = scan.associative ins(%x, %i : tensor<?xf32>, tensor<?xi32>) dim = 0 {
  ^bb0(%v0: f32, %i0: i32, %v1: f32, %i1: i32):
    %g = arith.cmpf oge, %v0, %v1 : f32
    %e = arith.cmpf oeq, %v0, %v1 : f32
    %n = arith.subi %i0, %i1 : i32
    %v = arith.select %g, %v0, %v1 : f32
    %k = arith.select %g, %i0, %i1 : i32
    %j = arith.select %e, %n, %k : i32
    scan.yield %v, %j : f32, i32
  } -> tensor<?xf32>, tensor<?xi32>
  return %y#0, %z#1 : tensor<?xf32>, tensor<?xi32>
}

// -----

// Triples are within what is assumed: absolute differences are associative on
// flags, and on no other numbers.
func.func @within(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, le = 1>]} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    %m = math.absi %s : i32
    scan.yield %m : i32
  } -> tensor<?xi32>
  // expected-error@+2 {{the combine region is not associative}}
  // expected-note@+1 {{results of a scan}}
  %z = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, le = 2>]} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    %m = math.absi %s : i32
    scan.yield %m : i32
  } -> tensor<?xi32>
  return %y, %z : tensor<?xi32>, tensor<?xi32>
}

// -----

// A difference at the ends of the range only.
func.func @saturating(%x: tensor<?xi8>) -> tensor<?xi8> {
  // expected-error@+2 {{the combine region is not associative}}
  // expected-note@+1 {{results of a scan}}
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%a: i8, %b: i8):
    %c127 = arith.constant 127 : i16
    %cm128 = arith.constant -128 : i16
    %wa = arith.extsi %a : i8 to i16
    %wb = arith.extsi %b : i8 to i16
    %s = arith.addi %wa, %wb : i16
    %m = arith.minsi %s, %c127 : i16
    %n = arith.maxsi %m, %cm128 : i16
    %r = arith.trunci %n : i16 to i8
    scan.yield %r : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// -----

// Division by zero and shifts by the width and more say nothing; the others do.
func.func @undefined(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  // expected-error@+2 {{the combine region is not associative}}
  // expected-note@+1 {{results of a scan}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.divsi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  // expected-error@+2 {{the combine region is not associative}}
  // expected-note@+1 {{results of a scan}}
  %z = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.shli %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y, %z : tensor<?xi32>, tensor<?xi32>
}

// -----

// The largest number, with NaN apart: with comparisons alone none is drawn.
func.func @largest(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %g = arith.cmpf ogt, %a, %b : f32
    %s = arith.select %g, %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Overflow that a flag excludes is no counterexample.
func.func @no_wrap(%x: tensor<?xi8>) -> tensor<?xi8> {
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
  ^bb0(%a: i8, %b: i8):
    %c2 = arith.constant 2 : i8
    %d = arith.muli %a, %c2 overflow<nsw> : i8
    %e = arith.muli %b, %c2 overflow<nsw> : i8
    %s = arith.addi %d, %e overflow<nsw> : i8
    %h = arith.divsi %s, %c2 : i8
    scan.yield %h : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// -----

// Differences that only bits tell, where nothing is rounded.
func.func @bits(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+2 {{the combine region is not associative}}
  // expected-note@+1 {{results of a scan}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %i = arith.bitcast %a : f32 to i32
    %j = arith.bitcast %b : f32 to i32
    %c1 = arith.constant 1 : i32
    %k = arith.shrui %j, %c1 : i32
    %l = arith.xori %i, %k : i32
    %r = arith.bitcast %l : i32 to f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
