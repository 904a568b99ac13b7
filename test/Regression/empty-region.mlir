// RUN: scan-opt %s -split-input-file -verify-diagnostics

// A region without any block, which the parser used to look into.

func.func @associative(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.associative' op region #0 ('combine') failed to verify constraint: region with 1 blocks}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  } -> tensor<8xf32>
  return
}

// -----

func.func @kernel(%x: memref<8xf32>) {
  scan.kernel dim = 0
      ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      // expected-error@+1 {{custom op 'scan.kernel' expected a non-empty region 'combine'}}
      load {} combine {} store {}
  return
}
