// RUN: scan-opt %s --scan-to-gpu --verify-diagnostics

func.func @points(%x: tensor<3x1x1xf32>, %d: tensor<4x5xf32>, %i: tensor<3x2xindex>) -> tensor<4x5xf32> {
  // expected-error@+1 {{'tensor.scatter' op cannot become a GPU kernel: expected one list of coordinates along one dimension, found scatter_dims(0, 1) and coordinates of type 'tensor<3x2xindex>'; collapse the dimensions into one and compute an index in it, or compute it outside and pass it in}}
  %r = tensor.scatter %x into %d[%i] scatter_dims([0, 1]) unique : (tensor<3x1x1xf32>, tensor<4x5xf32>, tensor<3x2xindex>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
