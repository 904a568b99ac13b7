// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint of scan.scatter, broken once.

// C1: rank 0.
func.func @c1_rank(%v: f32, %d: tensor<f32>, %i: tensor<i64>) {
  // expected-error@+1 {{'scan.scatter' op C1: expected the destination to have a rank of 1 at least and elements of type i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<f32>'}}
  %r = scan.scatter %v into %d at %i dim = 0 : f32 into tensor<f32> at tensor<i64>
  return
}

// -----

// C1: an element type that scans do not know.
func.func @c1_type(%v: i7, %d: tensor<4xi7>, %i: tensor<4xi64>) {
  // expected-error@+1 {{C1: expected the destination to have a rank of 1 at least and elements of type i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<4xi7>'}}
  %r = scan.scatter %v into %d at %i dim = 0 : i7 into tensor<4xi7> at tensor<4xi64>
  return
}

// -----

// C2: the dimension is too large.
func.func @c2_large(%v: f32, %d: tensor<4x5xf32>, %i: tensor<4x1xi64>) {
  // expected-error@+1 {{'scan.scatter' op C2: expected dim to be in [-2, 2), found 2}}
  %r = scan.scatter %v into %d at %i dim = 2 : f32 into tensor<4x5xf32> at tensor<4x1xi64>
  return
}

// -----

// C2: the dimension is too small.
func.func @c2_small(%v: f32, %d: tensor<4x5xf32>, %i: tensor<4x1xi64>) {
  // expected-error@+1 {{'scan.scatter' op C2: expected dim to be in [-2, 2), found -3}}
  %r = scan.scatter %v into %d at %i dim = -3 : f32 into tensor<4x5xf32> at tensor<4x1xi64>
  return
}

// -----

// C3: ranks.
func.func @c3_rank(%v: f32, %d: tensor<4x5xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{'scan.scatter' op C3: expected the index tensor to have the rank of the destination, 2, found 'tensor<4xi64>'}}
  %r = scan.scatter %v into %d at %i dim = 1 : f32 into tensor<4x5xf32> at tensor<4xi64>
  return
}

// -----

// C3: an index tensor that is too long.
func.func @c3_extent(%v: f32, %d: tensor<4x5xf32>, %i: tensor<6x1xi64>) {
  // expected-error@+1 {{'scan.scatter' op C3: expected the index tensor to have at most the extent of the destination, 4, in dimension 0, found 6}}
  %r = scan.scatter %v into %d at %i dim = -1 : f32 into tensor<4x5xf32> at tensor<6x1xi64>
  return
}

// -----

// C4: indices that are no integers.
func.func @c4_float(%v: f32, %d: tensor<4xf32>, %i: tensor<4xf32>) {
  // expected-error@+1 {{'scan.scatter' op C4: expected indices of type index, i8, i16, i32 or i64, found 'f32'}}
  %r = scan.scatter %v into %d at %i dim = 0 : f32 into tensor<4xf32> at tensor<4xf32>
  return
}

// -----

// C4: truth values: as signed numbers they would be 0 and -1.
func.func @c4_i1(%v: f32, %d: tensor<4xf32>, %i: tensor<4xi1>) {
  // expected-error@+1 {{'scan.scatter' op C4: expected indices of type index, i8, i16, i32 or i64, found 'i1'}}
  %r = scan.scatter %v into %d at %i dim = 0 : f32 into tensor<4xf32> at tensor<4xi1>
  return
}

// -----

// C5: a scalar of another type.
func.func @c5_scalar(%v: f64, %d: tensor<4xf32>, %i: tensor<?xi64>) {
  // expected-error@+1 {{'scan.scatter' op C5: expected the source to be 'f32' or 'tensor<?xf32>', found 'f64'}}
  %r = scan.scatter %v into %d at %i dim = 0 : f64 into tensor<4xf32> at tensor<?xi64>
  return
}

// -----

// C5: a source of another shape than the index tensor.
func.func @c5_shape(%v: tensor<3xf32>, %d: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{'scan.scatter' op C5: expected the source to be 'f32' or 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %r = scan.scatter %v into %d at %i dim = 0 : tensor<3xf32> into tensor<4xf32> at tensor<2xi64>
  return
}
