// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint of scan.shift and scan.index, broken once.

// C1: rank 0.
func.func @c1_rank(%x: tensor<f32>, %b: f32) {
  // expected-error@+1 {{'scan.shift' op C1: expected a tensor of rank 1 at least, of i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<f32>'}}
  %y = scan.shift %x boundary(%b : f32) dim = 0 by = 1 : tensor<f32>
  return
}

// -----

// C1: element type.
func.func @c1_element(%x: tensor<4xi24>, %b: i24) {
  // expected-error@+1 {{'scan.shift' op C1: expected a tensor of rank 1 at least, of i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<4xi24>'}}
  %y = scan.shift %x boundary(%b : i24) dim = 0 by = 1 : tensor<4xi24>
  return
}

// -----

// C2: beyond the last dimension.
func.func @c2_dim(%x: tensor<4x?xf32>, %b: f32) {
  // expected-error@+1 {{'scan.shift' op C2: expected dim to be in [0, 2), found 2}}
  %y = scan.shift %x boundary(%b : f32) dim = 2 by = 1 : tensor<4x?xf32>
  return
}

// -----

// C2: below zero.
func.func @c2_negative(%x: tensor<4x?xf32>, %b: f32) {
  // expected-error@+1 {{'scan.shift' op C2: expected dim to be in [0, 2), found -1}}
  %y = scan.shift %x boundary(%b : f32) dim = -1 by = 1 : tensor<4x?xf32>
  return
}

// -----

// C3: a scalar of another type.
func.func @c3_scalar(%x: tensor<4x?xf32>, %b: f64) {
  // expected-error@+1 {{'scan.shift' op C3: expected the boundary to be 'f32' or 'tensor<4xf32>', found 'f64'}}
  %y = scan.shift %x boundary(%b : f64) dim = 1 by = 1 : tensor<4x?xf32>
  return
}

// -----

// C3: a tensor of another shape.
func.func @c3_shape(%x: tensor<4x?xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'scan.shift' op C3: expected the boundary to be 'f32' or 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %y = scan.shift %x boundary(%b : tensor<5xf32>) dim = 1 by = 1 : tensor<4x?xf32>
  return
}

// -----

// C3: a memref is no tensor.
func.func @c3_memref(%x: tensor<4x?xf32>, %b: memref<4xf32>) {
  // expected-error@+1 {{'scan.shift' op C3: expected the boundary to be 'f32' or 'tensor<4xf32>', found 'memref<4xf32>'}}
  %y = scan.shift %x boundary(%b : memref<4xf32>) dim = 1 by = 1 : tensor<4x?xf32>
  return
}

// -----

// The result has the type of the source.
func.func @result_type(%x: tensor<4xf32>, %b: f32) {
  // expected-error@+1 {{'scan.shift' op failed to verify that all of {source, result} have same type}}
  %y = "scan.shift"(%x, %b) <{dim = 0 : i64, by = 1 : i64}> : (tensor<4xf32>, f32) -> tensor<5xf32>
  return
}

// -----

// scan.index, C1: outside of a kernel.
func.func @index_c1_outside() -> index {
  // expected-error@+1 {{'scan.index' op C1: expected to be in a region of scan.kernel other than 'combine', found it outside}}
  %i = scan.index 0 : index
  return %i : index
}

// -----

// scan.index, C1: in `combine`.
func.func @index_c1_combine(%x: tensor<8xi64>, %o: tensor<8xi64>) -> tensor<8xi64> {
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xi64>) outs(%o : tensor<8xi64>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: i64):
        scan.yield %e : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        // expected-error@+1 {{'scan.index' op C1: expected to be in a region of scan.kernel other than 'combine', found it in 'combine'}}
        %i = scan.index 0 : index
        %j = arith.index_cast %i : index to i64
        %s = arith.addi %acc, %j : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %e: i64):
        scan.yield %in : i64
      } -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// -----

// scan.index, C2.
func.func @index_c2(%x: tensor<8xi64>, %o: tensor<8xi64>) -> tensor<8xi64> {
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xi64>) outs(%o : tensor<8xi64>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: i64):
        // expected-error@+1 {{'scan.index' op C2: expected a dimension of the domain, in [0, 1), found 1}}
        %i = scan.index 1 : index
        %j = arith.index_cast %i : index to i64
        scan.yield %j : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        %s = arith.addi %acc, %new : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %e: i64):
        scan.yield %in : i64
      } -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// -----

// scan.index, C3: `initialize` is at no step.
func.func @index_c3_initialize(%x: tensor<4x8xi64>, %h: tensor<4xi64>, %o: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %y = scan.kernel dim = 1
      ins(%x : tensor<4x8xi64>) init(%h : tensor<4xi64>) outs(%o : tensor<4x8xi64>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e: i64):
        scan.yield %e : i64
      } initialize {
      ^bb0(%i: i64):
        // expected-error@+1 {{'scan.index' op C3: expected a dimension other than the scan dimension in 'initialize' and 'finalize', found 1}}
        %t = scan.index 1 : index
        %j = arith.index_cast %t : index to i64
        scan.yield %j : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        %s = arith.addi %acc, %new : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %e: i64):
        scan.yield %in : i64
      } -> tensor<4x8xi64>
  return %y : tensor<4x8xi64>
}

// -----

// scan.index, C3: neither is `finalize`.
func.func @index_c3_finalize(%x: tensor<4x8xi64>, %l: tensor<4xi64>) -> tensor<4xi64> {
  %y = scan.kernel dim = 1
      ins(%x : tensor<4x8xi64>) finals(%l : tensor<4xi64>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: i64):
        scan.yield %e : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        %s = arith.addi %acc, %new : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %e: i64):
        scan.yield
      } finalize {
      ^bb0(%in: i64):
        // expected-error@+1 {{'scan.index' op C3: expected a dimension other than the scan dimension in 'initialize' and 'finalize', found 1}}
        %t = scan.index 1 : index
        %j = arith.index_cast %t : index to i64
        scan.yield %j : i64
      } -> tensor<4xi64>
  return %y : tensor<4xi64>
}
