// RUN: scan-opt %s -convert-scan-to-loops -split-input-file -verify-diagnostics

#id = affine_map<(d0) -> (d0)>

func.func @tensors(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'scan.kernel' op expected memref operands, found tensors; run --one-shot-bufferize first}}
  %0 = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>)
      maps [#id, #id]
      load {
      ^bb0(%p: f32):
        scan.yield %p : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %p: f32):
        scan.yield %in : f32
      } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Loops look nothing up.
#m = affine_map<(d0) -> (d0)>
#list = affine_map<(d0) -> (0)>
func.func @starts(%x: memref<?xf32>, %s: memref<?xi32>, %y: memref<?xf32>) {
  // expected-error @below {{'scan.kernel' op expected no lists of segment offsets to become loops, found 'segment_offsets'; read flags, as --scan-fuse-segment-offsets=max-scans=0 leaves them}}
  scan.kernel dim = 0 ins(%x, %s : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) maps [#m, #list, #m]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      }
  return
}
