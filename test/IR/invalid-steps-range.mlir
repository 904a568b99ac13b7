// RUN: scan-opt %s --split-input-file --verify-diagnostics

// The promise of the extents that a kernel is run with.

// expected-error@+1 {{expected 'scan.steps_range' on a 'scan.kernel' only}}
func.func @elsewhere() attributes {scan.steps_range = array<i64: 0>} {
  return
}

// -----

func.func @no_array(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 'scan.steps_range' to be array<i64: LEAST, MOST> or array<i64: LEAST>, with 0 <= LEAST <= MOST, found 3 : i64}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {scan.steps_range = 3 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{with 0 <= LEAST <= MOST, found array<i64>}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {scan.steps_range = array<i64>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @three(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{with 0 <= LEAST <= MOST, found array<i64: 1, 2, 3>}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {scan.steps_range = array<i64: 1, 2, 3>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{with 0 <= LEAST <= MOST, found array<i64: -1>}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {scan.steps_range = array<i64: -1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{with 0 <= LEAST <= MOST, found array<i64: 3, 2>}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {scan.steps_range = array<i64: 3, 2>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The promise of the number of scans.

// expected-error@+1 {{expected 'scan.scans_range' on a 'scan.kernel' only}}
func.func @scans_elsewhere() attributes {scan.scans_range = array<i64: 0>} {
  return
}

// -----

func.func @scans_reversed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{expected 'scan.scans_range' to be array<i64: LEAST, MOST> or array<i64: LEAST>, with 0 <= LEAST <= MOST, found array<i64: 3, 2>}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {scan.scans_range = array<i64: 3, 2>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
