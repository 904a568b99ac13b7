// Arguments whose extents have to agree.
func.func @recurrence(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = scan.linear_recurrence ins(%a, %b : tensor<?x8xf32>, tensor<?x8xf32>) dim = 0 -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
// One that has to be a number, one that is computed, and an operand that was
// fused into a scan that does not commute, in reverse.
func.func @fused(%x: tensor<?x?xf32>, %gate: tensor<?xf32>) -> tensor<?x4xf32> {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %gated = arith.mulf %flat, %gate : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %fours = tensor.expand_shape %gated [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  %y = scan.associative ins(%fours : tensor<?x4xf32>) dim = 0 reverse {
  ^bb0(%l: f32, %r: f32):
    %last = scan.clone %r : f32
    scan.yield %last : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @scatter(%x: tensor<?x?xf32>, %dest: tensor<?x?xf32>, %index: tensor<?x?xi64>) -> tensor<?x?xf32> {
  %y = scan.scatter %x into %dest at %index dim = 1
      : tensor<?x?xf32> into tensor<?x?xf32> at tensor<?x?xi64>
  return %y : tensor<?x?xf32>
}
