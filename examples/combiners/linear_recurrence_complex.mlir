// h_t = a_t h_{t-1} + b_t with complex numbers: diagonal state space models (Smith,
// Warrington and Linderman, S5, arXiv:2208.04933).
//
// VERDICT: proved up to rounding

func.func @linear_recurrence_complex(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>)
    -> (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) {
  %y_a, %y_b = scan.associative
      ins(%a, %b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) dim = 0 {
  ^bb0(%a0: complex<f32>, %b0: complex<f32>, %a1: complex<f32>, %b1: complex<f32>):
    %r = complex.mul %a1, %a0 : complex<f32>
    %t = complex.mul %a1, %b0 : complex<f32>
    %s = complex.add %t, %b1 : complex<f32>
    scan.yield %r, %s : complex<f32>, complex<f32>
  } -> tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>
  return %y_a, %y_b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>
}
