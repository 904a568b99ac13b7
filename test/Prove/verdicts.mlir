// What is proved, refuted with which numbers, and left open. Each counterexample was
// evaluated by the interpreter.

// REQUIRES: z3
// RUN: scan-opt %s --scan-prove-associativity="refuted=warning timeout=20" \
// RUN:   -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @integers_add
// CHECK: scan.associative {{.*}} attributes {scan.associativity = "proved"}
func.func @integers_add(%x: tensor<?xi64>) -> tensor<?xi64> {
  // expected-remark @below {{proved associative, exactly}}
  %y = scan.associative ins(%x : tensor<?xi64>) dim = 0 {
  ^bb0(%a: i64, %b: i64):
    %s = arith.addi %a, %b : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// CHECK-LABEL: func.func @integers_subtract
// CHECK: scan.associative {{.*}} attributes {scan.associativity = "refuted"}
func.func @integers_subtract(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-warning @below {{the combine region is not associative: with a = 1, b = 2, c = 1: (a∘b)∘c = -2 but a∘(b∘c) = 0}}
  // expected-note @below {{for the left fold write 'order = sequential'}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// Already known: not looked at again, whatever stands there.
func.func @known(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {scan.associativity = "unknown"} {
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// A sum that wraps around is associative; one that may not is, where it does not.
func.func @no_signed_wrap(%x: tensor<?xi16>) -> tensor<?xi16> {
  // expected-remark @below {{proved associative, exactly; this does not speak of an overflow that the flags of an operation exclude}}
  %y = scan.associative ins(%x : tensor<?xi16>) dim = 0 {
  ^bb0(%a: i16, %b: i16):
    %s = arith.addi %a, %b overflow<nsw> : i16
    scan.yield %s : i16
  } -> tensor<?xi16>
  return %y : tensor<?xi16>
}

// Two bits of one state: a shift by the width or more never happens.
func.func @shift_by_value(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-warning-re @below {{the combine region is not associative: with a = {{.+}}, b = {{.+}}, c = {{.+}}}}
  // expected-note @below {{for the left fold}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %m = arith.constant 31 : i32
    %n = arith.andi %b, %m : i32
    %s = arith.shli %a, %n : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @truth_values(%x: tensor<?xi1>) -> tensor<?xi1> {
  // expected-remark @below {{proved associative, exactly}}
  %y = scan.associative ins(%x : tensor<?xi1>) dim = 0 {
  ^bb0(%a: i1, %b: i1):
    %s = arith.xori %a, %b : i1
    scan.yield %s : i1
  } -> tensor<?xi1>
  return %y : tensor<?xi1>
}

// CHECK-LABEL: func.func @reals_add
// CHECK: scan.associative {{.*}} attributes {scan.associativity = "proved_up_to_rounding"}
func.func @reals_add(%x: tensor<?xf16>) -> tensor<?xf16> {
  // expected-remark @below {{proved associative, up to rounding}}
  %y = scan.associative ins(%x : tensor<?xf16>) dim = 0 {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    scan.yield %s : f16
  } -> tensor<?xf16>
  return %y : tensor<?xf16>
}

func.func @mean(%x: tensor<?xf64>, %n: tensor<?xi32>) -> (tensor<?xf64>, tensor<?xi32>) {
  // expected-remark @below {{proved associative, up to rounding; this does not speak of an overflow that the flags of an operation exclude, a division by 0}}
  %y:2 = scan.associative ins(%x, %n : tensor<?xf64>, tensor<?xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 1, gt = 0>]} {
  ^bb0(%m0: f64, %n0: i32, %m1: f64, %n1: i32):
    %n2 = arith.addi %n0, %n1 overflow<nsw> : i32
    %f0 = arith.sitofp %n0 : i32 to f64
    %f1 = arith.sitofp %n1 : i32 to f64
    %f2 = arith.sitofp %n2 : i32 to f64
    %p0 = arith.mulf %m0, %f0 : f64
    %p1 = arith.mulf %m1, %f1 : f64
    %p = arith.addf %p0, %p1 : f64
    %q = arith.divf %p, %f2 : f64
    scan.yield %q, %n2 : f64, i32
  } -> tensor<?xf64>, tensor<?xi32>
  return %y#0, %y#1 : tensor<?xf64>, tensor<?xi32>
}

// log2(2^a + 2^b), by the larger one.
func.func @log_add_exp2(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{proved associative, up to rounding}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    %d = arith.subf %a, %b : f32
    %e = math.absf %d : f32
    %n = arith.negf %e : f32
    %z = math.exp2 %n : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %z : f32
    %l = math.log2 %p : f32
    %r = arith.addf %m, %l : f32
    scan.yield %r : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// tanh(atanh-like sum) without the inverse: not associative.
func.func @squashed_sum(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-warning-re @below {{the combine region is not associative: with a = {{.+}}: (a∘b)∘c = {{.+}} but a∘(b∘c) = {{.+}}}}
  // expected-note @below {{for the left fold}}
  %y = scan.associative ins(%x : tensor<?xf64>) dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %s = arith.addf %a, %b : f64
    %t = math.tanh %s : f64
    scan.yield %t : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// A branch that divides by zero is not taken.
func.func @guarded_quotient(%x: tensor<?xf64>, %n: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>) {
  // expected-remark-re @below {{{{^}}proved associative, up to rounding{{$}}}}
  %y:2 = scan.associative ins(%x, %n : tensor<?xf64>, tensor<?xf64>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 1, ge = 0>]} {
  ^bb0(%m0: f64, %n0: f64, %m1: f64, %n1: f64):
    %zero = arith.constant 0.0 : f64
    %n2 = arith.addf %n0, %n1 : f64
    %p0 = arith.mulf %m0, %n0 : f64
    %p1 = arith.mulf %m1, %n1 : f64
    %p = arith.addf %p0, %p1 : f64
    %none = arith.cmpf oeq, %n2, %zero : f64
    %q = arith.divf %p, %n2 : f64
    %r = arith.select %none, %zero, %q : f64
    scan.yield %r, %n2 : f64, f64
  } -> tensor<?xf64>, tensor<?xf64>
  return %y#0, %y#1 : tensor<?xf64>, tensor<?xf64>
}

// IEEE 754: NaN is what makes the comparison wrong.
func.func @maximum_by_compare(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-warning-re @below {{the combine region is not associative: with a = {{.*}}b = NaN, c = {{.*}}}}
  // expected-note @below {{it is associative where no element is NaN}}
  // expected-note @below {{for the left fold}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    %s = arith.select %c, %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// With a fast-math flag NaN is excluded.
func.func @maximum_without_nan(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{proved associative, exactly; this does not speak of a NaN that a fast-math flag excludes}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b fastmath<nnan> : f32
    %s = arith.select %c, %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Quotients of complex numbers are no group operation, products are.
func.func @complex_product(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  // expected-remark @below {{proved associative, up to rounding}}
  %y = scan.associative ins(%x : tensor<?xcomplex<f32>>) dim = 0 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %s = complex.mul %a, %b : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}

func.func @complex_quotient(%x: tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>> {
  // expected-warning-re @below {{the combine region is not associative: with a = {{.+}}i, b = {{.+}}i, c = {{.+}}i}}
  // expected-note @below {{for the left fold}}
  %y = scan.associative ins(%x : tensor<?xcomplex<f64>>) dim = 0 {
  ^bb0(%a: complex<f64>, %b: complex<f64>):
    %s = complex.div %a, %b : complex<f64>
    scan.yield %s : complex<f64>
  } -> tensor<?xcomplex<f64>>
  return %y : tensor<?xcomplex<f64>>
}

// Control flow: a branch and a loop of a known number of steps.
func.func @branch(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-remark @below {{proved associative, exactly}}
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    %s = scf.if %c -> i32 {
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @loop(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-remark @below {{proved associative, up to rounding}}
  %y = scan.associative ins(%x : tensor<?x4xf32>) dim = 0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<4xf32>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> tensor<4xf32> {
      %p = tensor.extract %a[%i] : tensor<4xf32>
      %q = tensor.extract %b[%i] : tensor<4xf32>
      %r = arith.addf %p, %q : f32
      %u = tensor.insert %r into %t[%i] : tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    }
    scan.yield %s : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// An element that nobody wrote has no value: of no state is anything proved.
func.func @unwritten(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-remark @below {{it is not known whether the combine region is associative: for no states that fulfil what is assumed are results defined}}
  %y = scan.associative ins(%x : tensor<?x2xf32>) dim = 0 {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %c0 = arith.constant 0 : index
    %e = tensor.empty() : tensor<2xf32>
    %p = tensor.extract %a[%c0] : tensor<2xf32>
    %q = tensor.extract %b[%c0] : tensor<2xf32>
    %r = arith.addf %p, %q : f32
    %s = tensor.insert %r into %e[%c0] : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// What has no translation is named. Then triples are evaluated.
func.func @bits_of_floats(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{it is not known whether the combine region is associative: 'arith.bitcast' between bits and a float has no translation for the solver}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %p = arith.bitcast %a : f32 to i32
    %q = arith.bitcast %b : f32 to i32
    %t = arith.andi %p, %q : i32
    %s = arith.bitcast %t : i32 to f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @infinite(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{'arith.addf' computes with an infinity, and floats that are computed with are treated as real numbers}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %inf = arith.constant 0x7F800000 : f32
    %t = arith.addf %a, %inf : f32
    %s = arith.addf %t, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// What is assumed has to hold of partial results, too.
func.func @not_closed(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-warning-re @below {{what is assumed of the leaves does not hold of combined values: with a = {{.+}}, b = {{.+}}: a∘b = {{.+}}}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, le = 1>]} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
