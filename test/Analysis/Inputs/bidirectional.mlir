// A gated recurrence in both directions over short rows, as a bidirectional model has it,
// and two reductions.

func.func @bidirectional(%x: tensor<?x256xf32>, %g: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %a = math.tanh %g : tensor<?x256xf32>
  %f = scan.linear_recurrence ins(%a, %x : tensor<?x256xf32>, tensor<?x256xf32>) dim = 1 -> tensor<?x256xf32>
  %b = scan.linear_recurrence ins(%a, %x : tensor<?x256xf32>, tensor<?x256xf32>) dim = 1 reverse -> tensor<?x256xf32>
  %y = arith.addf %f, %b : tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

func.func @sums(%x: tensor<?x512xf32>) -> (tensor<?x512xf32>, tensor<?x512xf32>) {
  %f = scan.associative ins(%x : tensor<?x512xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x512xf32>
  %g = scan.associative ins(%x : tensor<?x512xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x512xf32>
  return %f, %g : tensor<?x512xf32>, tensor<?x512xf32>
}

// The same along columns.
func.func @columns(%x: tensor<?x64x32xf32>, %g: tensor<?x64x32xf32>) -> tensor<?x64x32xf32> {
  %a = math.tanh %g : tensor<?x64x32xf32>
  %f = scan.linear_recurrence ins(%a, %x : tensor<?x64x32xf32>, tensor<?x64x32xf32>) dim = 1 -> tensor<?x64x32xf32>
  %b = scan.linear_recurrence ins(%a, %x : tensor<?x64x32xf32>, tensor<?x64x32xf32>) dim = 1 reverse -> tensor<?x64x32xf32>
  %y = arith.addf %f, %b : tensor<?x64x32xf32>
  return %y : tensor<?x64x32xf32>
}
