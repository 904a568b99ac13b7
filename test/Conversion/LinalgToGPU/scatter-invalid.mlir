// RUN: scan-opt %s --scan-to-gpu --verify-diagnostics

func.func @points(%x: tensor<3x1x1xf32>, %d: tensor<4x5xf32>, %i: tensor<3x2xindex>) -> tensor<4x5xf32> {
  // expected-error@+1 {{'tensor.scatter' op cannot become a GPU kernel: its coordinates may be along several dimensions, and which of several writes to one element is the last one is not said; expected scan.scatter, whose indices are along one dimension, or a scatter of a scalar into a constant tensor (see --scan-scatter-to-select); or compute it outside and pass it in}}
  %r = tensor.scatter %x into %d[%i] scatter_dims([0, 1]) unique : (tensor<3x1x1xf32>, tensor<4x5xf32>, tensor<3x2xindex>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
