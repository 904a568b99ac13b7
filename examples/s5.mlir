// The state of an S5 layer (Smith et al., 2023, arXiv:2208.04933): a diagonal
// linear system with complex eigenvalues,
//
//   x_t = lambda_t * x_{t-1} + bu_t      for each of the states by itself,
//
// over tensors [time, state]. A pair (lambda, bu) stands for the map
// x -> lambda * x + bu, and the scan composes these maps: first the accumulated
// one, then the new one. Composition is associative but not commutative, so the
// order of the two arguments matters.
//
// A scan over several tensors has as many *leaves*; the region gets all the
// accumulated values first, then all the new ones. The composed lambdas are
// needed on the way but not asked for: they are never written to memory.
//
//   scan-run examples/s5.mlir --entry=s5 --target=cpu \
//       --input=random:c64:1000x8:1:-0.7:0.7 --input=random:c64:1000x8:2 \
//       --output=x.npy

func.func @s5(%lambda: tensor<?x?xcomplex<f32>>, %bu: tensor<?x?xcomplex<f32>>)
    -> tensor<?x?xcomplex<f32>> {
  %lambdas, %x = scan.associative
      ins(%lambda, %bu : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) dim = 0 {
  ^bb0(%l0: complex<f32>, %b0: complex<f32>, %l1: complex<f32>, %b1: complex<f32>):
    %l = complex.mul %l1, %l0 : complex<f32>
    %t = complex.mul %l1, %b0 : complex<f32>
    %b = complex.add %t, %b1 : complex<f32>
    scan.yield %l, %b : complex<f32>, complex<f32>
  } -> tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>
  return %x : tensor<?x?xcomplex<f32>>
}

// What the layer returns for one output channel, y_t = Re(sum over states of
// c * x_t), here before the sum, and the same scan in its short form. Elementwise
// code after a scan is inlined into it: the states need not be written either.
func.func @s5_output(%lambda: tensor<?x?xcomplex<f32>>, %bu: tensor<?x?xcomplex<f32>>,
                     %c: tensor<?xcomplex<f32>>) -> tensor<?x?xf32> {
  %x = scan.linear_recurrence
      ins(%lambda, %bu : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) dim = 0
      -> tensor<?x?xcomplex<f32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %time = tensor.dim %bu, %c0 : tensor<?x?xcomplex<f32>>
  %states = tensor.dim %bu, %c1 : tensor<?x?xcomplex<f32>>
  %empty = tensor.empty(%time, %states) : tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, s) -> (t, s)>, affine_map<(t, s) -> (s)>,
                       affine_map<(t, s) -> (t, s)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<?x?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      outs(%empty : tensor<?x?xf32>) {
  ^bb0(%xt: complex<f32>, %cs: complex<f32>, %out: f32):
    %p = complex.mul %cs, %xt : complex<f32>
    %re = complex.re %p : complex<f32>
    linalg.yield %re : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
