// A tridiagonal system by the algorithm of Thomas: a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i. The pivots are quotients of
// components of a product of 2x2 matrices, scaled by the largest element; elimination and substitution are recurrences.
// Each needs all of the one before or its results at other steps: three loops over time.

#bt = affine_map<(b, t) -> (b, t)>

func.func @tridiagonal(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %d: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %a, %c0 : tensor<?x?xf32>
  %time = tensor.dim %a, %c1 : tensor<?x?xf32>
  %none = tensor.splat %zero[%batch, %time] : tensor<?x?xf32>
  %minus = arith.negf %a : tensor<?x?xf32>
  %e00 = tensor.expand_shape %none [[0], [1, 2, 3]] output_shape [%batch, %time, 1, 1]
      : tensor<?x?xf32> into tensor<?x?x1x1xf32>
  %e01 = tensor.expand_shape %c [[0], [1, 2, 3]] output_shape [%batch, %time, 1, 1]
      : tensor<?x?xf32> into tensor<?x?x1x1xf32>
  %e10 = tensor.expand_shape %minus [[0], [1, 2, 3]] output_shape [%batch, %time, 1, 1]
      : tensor<?x?xf32> into tensor<?x?x1x1xf32>
  %e11 = tensor.expand_shape %b [[0], [1, 2, 3]] output_shape [%batch, %time, 1, 1]
      : tensor<?x?xf32> into tensor<?x?x1x1xf32>
  %row0 = tensor.concat dim(3) %e00, %e01
      : (tensor<?x?x1x1xf32>, tensor<?x?x1x1xf32>) -> tensor<?x?x1x2xf32>
  %row1 = tensor.concat dim(3) %e10, %e11
      : (tensor<?x?x1x1xf32>, tensor<?x?x1x1xf32>) -> tensor<?x?x1x2xf32>
  %m = tensor.concat dim(2) %row0, %row1
      : (tensor<?x?x1x2xf32>, tensor<?x?x1x2xf32>) -> tensor<?x?x2x2xf32>
  %p = scan.associative ins(%m : tensor<?x?x2x2xf32>) dim = 1 {
  ^bb0(%m0: tensor<2x2xf32>, %m1: tensor<2x2xf32>):
    %empty = arith.constant dense<0.0> : tensor<2x2xf32>
    %product = linalg.matmul ins(%m1, %m0 : tensor<2x2xf32>, tensor<2x2xf32>)
        outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %p01 = tensor.extract %product[%i0, %i1] : tensor<2x2xf32>
    %p11 = tensor.extract %product[%i1, %i1] : tensor<2x2xf32>
    %s0 = math.absf %p01 : f32
    %s1 = math.absf %p11 : f32
    %s = arith.maximumf %s0, %s1 : f32
    %all = tensor.from_elements %s, %s, %s, %s : tensor<2x2xf32>
    %scaled = arith.divf %product, %all : tensor<2x2xf32>
    scan.yield %scaled : tensor<2x2xf32>
  } -> tensor<?x?x2x2xf32>
  // Of the product's second column, from the vector (0, 1).
  %top = tensor.extract_slice %p[0, 0, 0, 1] [%batch, %time, 1, 1] [1, 1, 1, 1]
      : tensor<?x?x2x2xf32> to tensor<?x?xf32>
  %bottom = tensor.extract_slice %p[0, 0, 1, 1] [%batch, %time, 1, 1] [1, 1, 1, 1]
      : tensor<?x?x2x2xf32> to tensor<?x?xf32>
  %ratio = arith.divf %top, %bottom : tensor<?x?xf32>
  %before = scan.shift %ratio boundary(%zero : f32) dim = 1 by = 1 : tensor<?x?xf32>
  %f, %g = linalg.generic {indexing_maps = [#bt, #bt, #bt, #bt, #bt, #bt], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %d, %before : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%a, %a : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%ai: f32, %bi: f32, %di: f32, %ci: f32, %out0: f32, %out1: f32):
    %ac = arith.mulf %ai, %ci : f32
    %pivot = arith.subf %bi, %ac : f32
    %q = arith.divf %ai, %pivot : f32
    %factor = arith.negf %q : f32
    %r = arith.divf %di, %pivot : f32
    linalg.yield %factor, %r : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %eliminated = scan.linear_recurrence ins(%f, %g : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  %back = arith.negf %ratio : tensor<?x?xf32>
  %x = scan.linear_recurrence ins(%back, %eliminated : tensor<?x?xf32>, tensor<?x?xf32>)
      dim = 1 reverse -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}
