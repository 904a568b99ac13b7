// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint on what a scan assumes of its leaves, broken once.

// C19: no array.
func.func @c19_no_array(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C19: expected 'scan.assume' to be an array of #scan.invariant, found "x > 0"}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {scan.assume = "x > 0"} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C19: an array of something else.
func.func @c19_elements(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C19: expected 'scan.assume' to be an array of #scan.invariant, found [0]}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {scan.assume = [0 : i64]} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C19: the name without the dialect.
func.func @c19_name(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C19: expected the invariants of leaves in 'scan.assume', found 'assume'}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {assume = [#scan.invariant<leaf = 0, finite>]} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C20: a leaf that is not there.
func.func @c20_leaf(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op C20: expected an invariant of a leaf in [0, 1), found #scan.invariant<leaf = 1, finite>}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 1, finite>]} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  return
}

// -----

// C21: integers are always finite.
func.func @c21_finite(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C21: expected an invariant of leaf #0, of 'i32', to have bounds only (gt, ge, lt or le), found #scan.invariant<leaf = 0, finite>}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, finite>]} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return
}

// -----

// C21: integers are always numbers.
func.func @c21_not_nan(%x: tensor<8xi1>) {
  // expected-error@+1 {{'scan.associative' op C21: expected an invariant of leaf #0, of 'i1', to have bounds only (gt, ge, lt or le), found #scan.invariant<leaf = 0, not_nan>}}
  %y = scan.associative ins(%x : tensor<8xi1>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, not_nan>]} {
  ^bb0(%acc: i1, %new: i1):
    %s = arith.addi %acc, %new : i1
    scan.yield %s : i1
  } -> tensor<8xi1>
  return
}

// -----

// C21: the magnitude of an integer.
func.func @c21_abs(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C21: expected an invariant of leaf #0, of 'i32', to have bounds only (gt, ge, lt or le), found #scan.invariant<leaf = 0, abs, le = 1>}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, abs, le = 1>]} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return
}

// -----

// C21: complex numbers are not ordered.
func.func @c21_complex(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'scan.associative' op C21: expected bounds of leaf #0, of 'complex<f32>', to be those of the magnitude ('abs'), found #scan.invariant<leaf = 0, le = 1>}}
  %y = scan.associative ins(%x : tensor<8xcomplex<f32>>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, le = 1>]} {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %s = complex.add %acc, %new : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<8xcomplex<f32>>
  return
}

// -----

// C22: a bound that is no integer.
func.func @c22_fraction(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a bound of leaf #0 to be a number of 'i32', found 0.5}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0.5>]} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return
}

// -----

// C22: a bound that the type cannot hold.
func.func @c22_large(%x: tensor<8xi8>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a bound of leaf #0 to be a number of 'i8', found 128}}
  %y = scan.associative ins(%x : tensor<8xi8>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, lt = 128>]} {
  ^bb0(%acc: i8, %new: i8):
    %s = arith.addi %acc, %new : i8
    scan.yield %s : i8
  } -> tensor<8xi8>
  return
}

// -----

// C22: i1 is 0 or 1.
func.func @c22_flag(%x: tensor<8xi1>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a bound of leaf #0 to be a number of 'i1', found -1}}
  %y = scan.associative ins(%x : tensor<8xi1>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, ge = -1>]} {
  ^bb0(%acc: i1, %new: i1):
    %s = arith.addi %acc, %new : i1
    scan.yield %s : i1
  } -> tensor<8xi1>
  return
}

// -----

// C22: a bound that would be infinite.
func.func @c22_infinite(%x: tensor<8xf16>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a bound of leaf #0 to be a number of 'f16', found 100000}}
  %y = scan.associative ins(%x : tensor<8xf16>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, le = 1.0e5>]} {
  ^bb0(%acc: f16, %new: f16):
    %s = arith.addf %acc, %new : f16
    scan.yield %s : f16
  } -> tensor<8xf16>
  return
}

// -----

// C22: no integer is between neighbours.
func.func @c22_between(%x: tensor<8xi32>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a number of 'i32' within the bounds of leaf #0, found none: #scan.invariant<leaf = 0, gt = 0, lt = 1>}}
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, gt = 0, lt = 1>]} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<8xi32>
  return
}

// -----

// C22: no integer is beyond the last one.
func.func @c22_beyond(%x: tensor<8xi8>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a number of 'i8' within the bounds of leaf #0, found none: #scan.invariant<leaf = 0, gt = 127>}}
  %y = scan.associative ins(%x : tensor<8xi8>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, gt = 127>]} {
  ^bb0(%acc: i8, %new: i8):
    %s = arith.addi %acc, %new : i8
    scan.yield %s : i8
  } -> tensor<8xi8>
  return
}

// -----

// C22: bounds that differ, but not once they are rounded.
func.func @c22_rounded(%x: tensor<8xbf16>) {
  // expected-error@+1 {{'scan.associative' op C22: expected a number of 'bf16' within the bounds of leaf #0, found none: #scan.invariant<leaf = 0, gt = 1, lt = 1.0001>}}
  %y = scan.associative ins(%x : tensor<8xbf16>) dim = 0 attributes {scan.assume = [#scan.invariant<leaf = 0, gt = 1.0, lt = 1.0001>]} {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.addf %acc, %new : bf16
    scan.yield %s : bf16
  } -> tensor<8xbf16>
  return
}

// -----

// Only scans have leaves.
// expected-error@+1 {{'func.func' op expected 'scan.assume' on a 'scan.associative' only}}
func.func private @elsewhere() attributes {scan.assume = []}

// -----

// The attribute: nothing is said.
// expected-error@+1 {{expected the invariant of leaf #3 to say something: a bound (gt, ge, lt or le), finite or not_nan, found neither}}
func.func private @nothing() attributes {test.invariant = #scan.invariant<leaf = 3>}

// -----

// The attribute: the magnitude without a bound.
// expected-error@+1 {{expected abs only with a bound (gt, ge, lt or le), found none}}
func.func private @magnitude() attributes {test.invariant = #scan.invariant<leaf = 0, abs, finite>}

// -----

// The attribute: a magnitude that there is not.
// expected-error@+1 {{expected a magnitude within the bounds, found lt = 0}}
func.func private @negative() attributes {test.invariant = #scan.invariant<leaf = 0, abs, lt = 0>}

// -----

// The attribute: bounds that exclude all.
// expected-error@+1 {{expected a number within the bounds, found none: ge = 1 and le = -1}}
func.func private @bounds() attributes {test.invariant = #scan.invariant<leaf = 0, ge = 1, le = -1>}

// -----

// The attribute: bounds that exclude each other.
// expected-error@+1 {{expected a number within the bounds, found none: ge = 1 and lt = 1}}
func.func private @strict() attributes {test.invariant = #scan.invariant<leaf = 0, ge = 1, lt = 1.0>}

// -----

// The attribute: a bound that is not a number.
// expected-error@+1 {{expected a bound to be a finite number of f64, found 0x7FF8000000000000 : f64; not_nan is there for what may be infinite, finite for what may not}}
func.func private @nan() attributes {test.invariant = #scan.invariant<leaf = 0, le = 0x7FF8000000000000 : f64>}

// -----

// The attribute: two upper bounds.
// expected-error@+1 {{expected one upper bound, found a second one}}
func.func private @twice() attributes {test.invariant = #scan.invariant<leaf = 0, le = 1, lt = 2>}

// -----

// The attribute: a bound that f64 does not hold.
// expected-error@+1 {{expected a bound that an f64 can hold, found 9007199254740993 : i64}}
func.func private @large() attributes {test.invariant = #scan.invariant<leaf = 0, le = 9007199254740993>}

// -----

// The attribute: a bound that is no number.
// expected-error@+1 {{expected a number, found "one"}}
func.func private @text() attributes {test.invariant = #scan.invariant<leaf = 0, le = "one">}

// -----

// The attribute: an unknown word.
// expected-error@+1 {{expected one of abs, finite, not_nan, gt, ge, lt or le, found 'positive'}}
func.func private @word() attributes {test.invariant = #scan.invariant<leaf = 0, positive>}
