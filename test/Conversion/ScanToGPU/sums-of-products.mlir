// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

// Sums that may be reordered and contracted (test/Transforms/fuse-contracts.mlir makes
// them, and compares numbers): of a complex product only one part is computed, as two
// products, and the factor two of all terms is taken once.

#all = affine_map<(d0) -> (d0)>

// CHECK-LABEL: gpu.func @conjugate_pairs_scan0(
// CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NOT: complex.mul
// CHECK: %[[TWICE:.*]] = arith.mulf %{{.*}}, %[[TWO]] fastmath<contract> : f32
// CHECK-NOT: arith.mulf
// CHECK: arith.addf %{{.*}}, %[[TWICE]] fastmath<contract> : f32
// CHECK: gpu.return
func.func @conjugate_pairs(%x: memref<?xf32>, %c: memref<?xcomplex<f32>>, %d: memref<?xcomplex<f32>>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x, %c, %d : memref<?xf32>, memref<?xcomplex<f32>>, memref<?xcomplex<f32>>)
      outs(%y : memref<?xf32>) maps [#all, #all, #all, #all]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%ex: f32, %ec: complex<f32>, %ed: complex<f32>):
        scan.yield %ex : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %ex: f32, %ec: complex<f32>, %ed: complex<f32>):
        %two = arith.constant 2.0 : f32
        %p = complex.mul %ec, %ed fastmath<contract> : complex<f32>
        %re = complex.re %p : complex<f32>
        %re2 = arith.mulf %re, %two fastmath<contract> : f32
        %s1 = arith.addf %inclusive, %re2 fastmath<reassoc,contract> : f32
        %q = complex.mul %ed, %ed fastmath<contract> : complex<f32>
        %im = complex.im %q : complex<f32>
        %im2 = arith.mulf %im, %two fastmath<contract> : f32
        %s2 = arith.addf %s1, %im2 fastmath<reassoc,contract> : f32
        scan.yield %s2 : f32
      }
  return
}

// What nothing allows is left as it is.

// CHECK-LABEL: gpu.func @kept_scan0(
// CHECK: complex.mul
// CHECK: arith.mulf
// CHECK-NOT: contract
// CHECK: gpu.return
func.func @kept(%x: memref<?xf32>, %c: memref<?xcomplex<f32>>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x, %c : memref<?xf32>, memref<?xcomplex<f32>>)
      outs(%y : memref<?xf32>) maps [#all, #all, #all]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%ex: f32, %ec: complex<f32>):
        scan.yield %ex : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %ex: f32, %ec: complex<f32>):
        %two = arith.constant 2.0 : f32
        %p = complex.mul %ec, %ec : complex<f32>
        %re = complex.re %p : complex<f32>
        %re2 = arith.mulf %re, %two : f32
        %s1 = arith.addf %inclusive, %re2 : f32
        scan.yield %s1 : f32
      }
  return
}
