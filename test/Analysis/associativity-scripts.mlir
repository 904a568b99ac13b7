// What combine regions are in SMT-LIB: one definition per term, the operation that it
// comes from behind it. No solver is needed to write it.

// RUN: rm -rf %t && env -u VIRTUAL_ENV PATH=%t %build/bin/scan-opt %s -o /dev/null \
// RUN:   --scan-prove-associativity="refuted=warning emit-smt=%t" 2>/dev/null \
// RUN:   --mlir-disable-threading
// RUN: FileCheck %s --check-prefix=INTEGERS < %t/scan-0-associative.smt2
// RUN: FileCheck %s --check-prefix=FLAGS < %t/scan-1-associative.smt2
// RUN: FileCheck %s --check-prefix=SHIFT < %t/scan-2-associative.smt2
// RUN: FileCheck %s --check-prefix=DIVIDE < %t/scan-3-associative.smt2
// RUN: FileCheck %s --check-prefix=CASTS < %t/scan-4-associative.smt2
// RUN: FileCheck %s --check-prefix=FRACTION < %t/scan-5-associative.smt2
// RUN: FileCheck %s --check-prefix=SOFTMAX < %t/scan-6-associative.smt2
// RUN: FileCheck %s --check-prefix=LOG < %t/scan-7-associative.smt2
// RUN: FileCheck %s --check-prefix=COMPLEX < %t/scan-8-associative.smt2
// RUN: FileCheck %s --check-prefix=MATRIX < %t/scan-9-associative.smt2
// RUN: FileCheck %s --check-prefix=ORDER < %t/scan-10-associative.smt2
// RUN: FileCheck %s --check-prefix=OTHER < %t/scan-11-associative.smt2
// RUN: FileCheck %s --check-prefix=ROOT < %t/scan-12-associative.smt2
// RUN: FileCheck %s --check-prefix=CLOSED < %t/scan-13-closed.smt2

// INTEGERS:      ; Is there a counterexample? Is (a f b) f c other than a f (b f c)?
// INTEGERS-NEXT: ; sat: yes, with the values below; unsat: there is none.
// INTEGERS-NEXT: ; Run by hand: z3 FILE
// INTEGERS-NEXT: (declare-const a0 (_ BitVec 32))
// INTEGERS-NEXT: (declare-const b0 (_ BitVec 32))
// INTEGERS-NEXT: (declare-const c0 (_ BitVec 32))
// INTEGERS-NEXT: ; --- a f b
// INTEGERS-NEXT: (define-fun [[AB:t[0-9]+]] () (_ BitVec 32) (bvadd a0 b0)) ; arith.addi
// INTEGERS-NEXT: ; --- b f c
// INTEGERS-NEXT: (define-fun [[BC:t[0-9]+]] () (_ BitVec 32) (bvadd b0 c0)) ; arith.addi
// INTEGERS-NEXT: ; --- (a f b) f c
// INTEGERS-NEXT: (define-fun [[LEFT:t[0-9]+]] () (_ BitVec 32) (bvadd [[AB]] c0)) ; arith.addi
// INTEGERS-NEXT: ; --- a f (b f c)
// INTEGERS-NEXT: (define-fun [[RIGHT:t[0-9]+]] () (_ BitVec 32) (bvadd a0 [[BC]])) ; arith.addi
// INTEGERS-NEXT: ; --- the question
// INTEGERS-NEXT: (define-fun [[EQUAL:t[0-9]+]] () Bool (= [[LEFT]] [[RIGHT]]))
// INTEGERS:      (define-fun [[NOT:t[0-9]+]] () Bool (not [[EQUAL]]))
// INTEGERS:      ; not: (a f b) f c = a f (b f c)
// INTEGERS-NEXT: (assert [[NOT]])
// INTEGERS-NEXT: (check-sat)
// INTEGERS-NEXT: (get-value (a0 b0 c0))
func.func @integers(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// A flag: the sum in one more bit is the sum.
// FLAGS: (define-fun [[SUM:t[0-9]+]] () (_ BitVec 8) (bvadd a0 b0)) ; arith.addi
// FLAGS: (define-fun [[A:t[0-9]+]] () (_ BitVec 9) ((_ sign_extend 1) a0))
// FLAGS: (define-fun [[B:t[0-9]+]] () (_ BitVec 9) ((_ sign_extend 1) b0))
// FLAGS: (define-fun [[WIDE:t[0-9]+]] () (_ BitVec 9) (bvadd [[A]] [[B]]))
// FLAGS: (define-fun [[EXTENDED:t[0-9]+]] () (_ BitVec 9) ((_ sign_extend 1) [[SUM]]))
// FLAGS: (define-fun [[HOLDS:t[0-9]+]] () Bool (= [[WIDE]] [[EXTENDED]]))
// FLAGS: ; a f b is defined
// FLAGS-NEXT: (assert [[HOLDS]])
func.func @flags(%x: tensor<?xi8>, %z: tensor<?xi32>) -> (tensor<?xi8>, tensor<?xi32>) {
  %y:2 = scan.associative ins(%x, %z : tensor<?xi8>, tensor<?xi32>) dim = 0 {
  ^bb0(%a: i8, %p: i32, %b: i8, %q: i32):
    %s = arith.addi %a, %b overflow<nsw> : i8
    %t = arith.addi %p, %q : i32
    scan.yield %s, %t : i8, i32
  } -> tensor<?xi8>, tensor<?xi32>
  return %y#0, %y#1 : tensor<?xi8>, tensor<?xi32>
}

// SHIFT: (define-fun {{t[0-9]+}} () (_ BitVec 32) (bvashr a0 b0)) ; arith.shrsi
// SHIFT: (define-fun [[WITHIN:t[0-9]+]] () Bool (bvult b0 (_ bv32 32))) ; arith.shrsi
// SHIFT: ; a f b is defined
// SHIFT-NEXT: (assert [[WITHIN]])
func.func @shift(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.shrsi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// DIVIDE: (define-fun [[ZERO:t[0-9]+]] () Bool (= b0 (_ bv0 32)))
// DIVIDE: (define-fun [[NONZERO:t[0-9]+]] () Bool (not [[ZERO]]))
// DIVIDE: (= a0 (_ bv2147483648 32))
// DIVIDE: (= b0 (_ bv4294967295 32))
// DIVIDE: (bvsdiv a0 b0)
// DIVIDE: (bvsrem a0 b0)
// DIVIDE: ; nothing undefined is executed
// DIVIDE-NEXT: (assert
func.func @divide(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.floordivsi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// CASTS: ((_ zero_extend 16) a0)) ; arith.extui
// CASTS: ((_ sign_extend 16) b0)) ; arith.extsi
// CASTS: (bvmul
// CASTS: ((_ extract 15 0) {{t[0-9]+}})) ; arith.trunci
func.func @casts(%x: tensor<?xi16>) -> tensor<?xi16> {
  %y = scan.associative ins(%x : tensor<?xi16>) dim = 0 {
  ^bb0(%a: i16, %b: i16):
    %p = arith.extui %a : i16 to i32
    %q = arith.extsi %b : i16 to i32
    %t = arith.muli %p, %q : i32
    %s = arith.trunci %t : i32 to i16
    scan.yield %s : i16
  } -> tensor<?xi16>
  return %y : tensor<?xi16>
}

// A quotient is a pair of terms: no division is written, and the divisor is not 0.
// FRACTION-NOT: (/ {{t|a|b|c}}
// FRACTION: (define-fun [[P:t[0-9]+]] () Real (* a0 b0)) ; arith.mulf
// FRACTION: (define-fun [[S:t[0-9]+]] () Real (+ a0 b0)) ; arith.addf
// FRACTION: (define-fun {{t[0-9]+}} () Bool (= [[S]] 0.0)) ; arith.divf
// FRACTION-NOT: (/ {{t|a|b|c}}
func.func @fraction(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %a, %b : f32
    %s = arith.divf %p, %q : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// exp(m - max(m, n)) is exp(m) over the exponential of whichever is larger.
// SOFTMAX: (declare-const exp_0 Real)
// SOFTMAX-NEXT: ; e^(a0): positive, and ordered as the exponents are
// SOFTMAX-NEXT: (assert (> exp_0 0.0))
// SOFTMAX: (assert (= (<= a0 b0) (<= exp_0 exp_1)))
// SOFTMAX: (define-fun [[LESS:t[0-9]+]] () Bool (< a0 b0)) ; arith.maximumf
// SOFTMAX: (define-fun {{t[0-9]+}} () Real (ite [[LESS]] exp_1 exp_0)) ; arith.maximumf
// SOFTMAX: (define-fun {{t[0-9]+}} () Real (* a1 exp_0)) ; arith.mulf
func.func @softmax(%x: tensor<?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y:2 = scan.associative ins(%x, %z : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%m0: f32, %l0: f32, %m1: f32, %l1: f32):
    %m = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %m : f32
    %d1 = arith.subf %m1, %m : f32
    %e0 = math.exp %d0 : f32
    %e1 = math.exp %d1 : f32
    %p0 = arith.mulf %l0, %e0 : f32
    %p1 = arith.mulf %l1, %e1 : f32
    %l = arith.addf %p0, %p1 : f32
    scan.yield %m, %l : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

// Logarithms are compared under the exponential function: none is left.
// LOG-NOT: log_
// LOG: (define-fun [[LAB:t[0-9]+]] () Real (+ exp_0 exp_1)) ; arith.addf
// LOG: (define-fun [[LBC:t[0-9]+]] () Real (+ exp_1 exp_2)) ; arith.addf
// LOG: (+ exp_2 [[LAB]])) ; arith.addf
// LOG: (+ exp_0 [[LBC]])) ; arith.addf
func.func @log(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %p = math.exp %a : f32
    %q = math.exp %b : f32
    %t = arith.addf %p, %q : f32
    %s = math.log %t : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// COMPLEX: (declare-const a0_re Real)
// COMPLEX: (declare-const a0_im Real)
// COMPLEX: (* a0_re b0_re)
// COMPLEX: (* a0_im b0_im)
func.func @complex(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %y = scan.associative ins(%x : tensor<?xcomplex<f32>>) dim = 0 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %s = complex.mul %a, %b : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}

// MATRIX: (declare-const a0_0 Real)
// MATRIX: (declare-const a0_3 Real)
// MATRIX: (define-fun [[P:t[0-9]+]] () Real (* a0_0 b0_0)) ; arith.mulf
// MATRIX: (define-fun [[Q:t[0-9]+]] () Real (* a0_1 b0_2)) ; arith.mulf
// MATRIX: (define-fun {{t[0-9]+}} () Real (+ [[P]] [[Q]])) ; arith.addf
func.func @matrix(%x: tensor<?x2x2xf64>) -> tensor<?x2x2xf64> {
  %y = scan.associative ins(%x : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %s = linalg.matmul ins(%a, %b : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %s : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  return %y : tensor<?x2x2xf64>
}

// Floats that are only ordered are integers: NaN is the one behind infinity.
// ORDER: (declare-const a0 Int)
// ORDER-DAG: (define-fun {{t[0-9]+}} () Bool (= a0 2139095041)) ; arith.maximumf
// ORDER-DAG: (define-fun {{t[0-9]+}} () Bool (< a0 b0)) ; arith.maximumf
func.func @order(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// OTHER: (declare-fun math_erf (Real) Real)
// OTHER: (define-fun {{t[0-9]+}} () Real (math_erf a0)) ; math.erf
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %t = math.erf %a : f32
    %s = arith.addf %t, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// ROOT: (declare-const root_0 Real)
// ROOT: (assert (=> (<= 0.0 [[SUM:t[0-9]+]]) (and (>= root_0 0.0) (= {{t[0-9]+}} [[SUM]]))))
func.func @root(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.addf %p, %b : f32
    %s = math.sqrt %q : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CLOSED: ; Is there a counterexample? Do a and b fulfil what is assumed, and a f b not?
// CLOSED: (declare-const a0 Real)
// CLOSED-NEXT: (assert (>= a0 0.0))
// CLOSED: ; what is assumed of a
// CLOSED-NEXT: (assert
// CLOSED: ; not: what is assumed holds of a f b
func.func @closed(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, le = 1>]} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
