// RUN: scan-opt %s --scan-newton-recurrence=residuals --verify-diagnostics --split-input-file

func.func @loop(%x: tensor<9xf32>, %init: tensor<1xf32>, %n: index) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<9xf32> {
    // expected-error @+1 {{expected a recurrence in the only block of a function, whose result its residual is to be, found it in 'scf.for'}}
    %h = scan.recurrence ins(%a : tensor<9xf32>) init(%init : tensor<1xf32>) dim = 0
        attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 0.5, chunk = 4>} {
    ^bb0(%t: index, %h1: f32, %row: f32):
      %s = arith.mulf %h1, %row : f32
      scan.yield %s : f32
    } -> tensor<9xf32>
    scf.yield %h : tensor<9xf32>
  }
  return %y : tensor<9xf32>
}

// -----

func.func @called(%x: tensor<9xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{expected a function that no other calls, for the residual to be one more result of it, found 'called'}}
  %h = scan.recurrence ins(%x : tensor<9xf32>) init(%init : tensor<1xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 4, tolerance = 0.5, chunk = 4>} {
  ^bb0(%t: index, %h1: f32, %row: f32):
    %s = arith.mulf %h1, %row : f32
    scan.yield %s : f32
  } -> tensor<9xf32>
  return %h : tensor<9xf32>
}

func.func @caller(%x: tensor<9xf32>, %init: tensor<1xf32>) -> tensor<9xf32> {
  %h = func.call @called(%x, %init) : (tensor<9xf32>, tensor<1xf32>) -> tensor<9xf32>
  return %h : tensor<9xf32>
}
