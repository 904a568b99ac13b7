// The forward algorithm of a hidden Markov model with two states, as a product of 2x2 matrices (Sarkka and
// Garcia-Fernandez, 2021), each scaled by its sum; what comes out is the probability of the first state.

#emit = affine_map<(b, t, i, j) -> (b, t, j)>
#matrix = affine_map<(b, t, i, j) -> (i, j)>
#matrices = affine_map<(b, t, i, j) -> (b, t, i, j)>

func.func @hmm_forward(%transition: tensor<2x2xf32>, %emission: tensor<?x?x2xf32>, %start: tensor<2xf32>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %emission, %c0 : tensor<?x?x2xf32>
  %time = tensor.dim %emission, %c1 : tensor<?x?x2xf32>
  %empty = tensor.empty(%batch, %time) : tensor<?x?x2x2xf32>
  %m = linalg.generic {indexing_maps = [#matrix, #emit, #matrices],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%transition, %emission : tensor<2x2xf32>, tensor<?x?x2xf32>) outs(%empty : tensor<?x?x2x2xf32>) {
  ^bb0(%p: f32, %e: f32, %out: f32):
    %r = arith.mulf %p, %e : f32
    linalg.yield %r : f32
  } -> tensor<?x?x2x2xf32>
  %p = scan.associative ins(%m : tensor<?x?x2x2xf32>) dim = 1 {
  ^bb0(%m0: tensor<2x2xf32>, %m1: tensor<2x2xf32>):
    %none = arith.constant dense<0.0> : tensor<2x2xf32>
    %product = linalg.matmul ins(%m0, %m1 : tensor<2x2xf32>, tensor<2x2xf32>)
        outs(%none : tensor<2x2xf32>) -> tensor<2x2xf32>
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %e00 = tensor.extract %product[%i0, %i0] : tensor<2x2xf32>
    %e01 = tensor.extract %product[%i0, %i1] : tensor<2x2xf32>
    %e10 = tensor.extract %product[%i1, %i0] : tensor<2x2xf32>
    %e11 = tensor.extract %product[%i1, %i1] : tensor<2x2xf32>
    %s0 = arith.addf %e00, %e01 : f32
    %s1 = arith.addf %e10, %e11 : f32
    %s = arith.addf %s0, %s1 : f32
    %all = tensor.from_elements %s, %s, %s, %s : tensor<2x2xf32>
    %scaled = arith.divf %product, %all : tensor<2x2xf32>
    scan.yield %scaled : tensor<2x2xf32>
  } -> tensor<?x?x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%batch, %time) : tensor<?x?x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %alpha = linalg.generic {
      indexing_maps = [affine_map<(b, t, j, i) -> (i)>, affine_map<(b, t, j, i) -> (b, t, i, j)>,
                       affine_map<(b, t, j, i) -> (b, t, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%start, %p : tensor<2xf32>, tensor<?x?x2x2xf32>) outs(%zeros : tensor<?x?x2xf32>) {
  ^bb0(%s: f32, %e: f32, %acc: f32):
    %q = arith.mulf %s, %e : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?x2xf32>
  %first = tensor.extract_slice %alpha[0, 0, 0] [%batch, %time, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  %second = tensor.extract_slice %alpha[0, 0, 1] [%batch, %time, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  %sum = arith.addf %first, %second : tensor<?x?xf32>
  %y = arith.divf %first, %sum : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
