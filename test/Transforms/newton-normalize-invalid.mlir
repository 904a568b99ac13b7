// RUN: scan-opt %s --scan-normalize-recurrence --verify-diagnostics

// A kernel walks: what is to be solved has to be solved before.
func.func @walk(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  // expected-error @+1 {{found #scan.newton<iterations = 4, tolerance = 5.0e-01>: --scan-newton-recurrence comes first}}
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 0.5>} {
  ^bb0(%t: index, %h1: tensor<5xf32>, %row: tensor<5xf32>):
    %s = arith.addf %h1, %row : tensor<5xf32>
    scan.yield %s : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}
