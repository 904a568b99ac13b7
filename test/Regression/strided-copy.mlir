// Copies between arrays with other layouts than row-major called a function of
// MLIR's run-time library, which is not there.

// RUN: scan-run %s --input=random:f32:4x6:1 --input=random:f32:4x6:2 --target=cpu --compare=reference --tolerance=0
// RUN: scan-run %s --input=random:f32:4x6:1 --input=random:f32:4x6:2 --target=emulator --compare=reference --tolerance=1e-6

func.func @column(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %part = tensor.extract_slice %x[0, 1] [%n, 3] [1, 2] : tensor<?x6xf32> to tensor<?x3xf32>
  %copy = tensor.insert_slice %part into %y[0, 2] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x6xf32>
  %h = scan.linear_recurrence ins(%x, %copy : tensor<?x6xf32>, tensor<?x6xf32>) dim = 0 reverse -> tensor<?x6xf32>
  return %h : tensor<?x6xf32>
}
