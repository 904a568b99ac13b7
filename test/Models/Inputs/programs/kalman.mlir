// A scalar Kalman filter as a scan (Sarkka and Garcia-Fernandez, 2021, equation 19), with noise q_t of the state and r_t of the
// measurement z_t: (A, b, C, eta, J) of each step, from a state of mean m0 and variance p0.

func.func @kalman(%z: tensor<?x?xf32>, %q: tensor<?x?xf32>, %r: tensor<?x?xf32>, %m0: tensor<?xf32>,
                  %p0: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %z, %c1 : tensor<?x?xf32>
  %size_b = tensor.dim %z, %c0 : tensor<?x?xf32>
  %a_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %m_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %c_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %eta_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %j_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xf32>
  %a, %m, %c, %eta, %j = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%z, %q, %r : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%a_dest, %m_dest, %c_dest, %eta_dest, %j_dest : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%e0: f32, %e1: f32, %e2: f32, %out0: f32, %out1: f32, %out2: f32, %out3: f32, %out4: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %e1, %e2 : f32
    %k = arith.divf %e1, %s : f32
    %rest = arith.subf %one, %k : f32
    %kz = arith.mulf %k, %e0 : f32
    %pc = arith.mulf %rest, %e1 : f32
    %ez = arith.divf %e0, %s : f32
    %js = arith.divf %one, %s : f32
    linalg.yield %rest, %kz, %pc, %ez, %js : f32, f32, f32, f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  %first_a = arith.constant 0.0 : f32
  %first_eta = arith.constant 0.0 : f32
  %first_j = arith.constant 0.0 : f32
  %ka, %mean, %variance, %keta, %kj = scan.associative ins(%a, %m, %c, %eta, %j : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) init(%first_a, %m0, %p0, %first_eta, %first_j : f32, tensor<?xf32>, tensor<?xf32>, f32, f32) dim = 1 {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32, %b4: f32):
    %one = arith.constant 1.0 : f32
    %cj = arith.mulf %a2, %b4 : f32
    %d = arith.addf %one, %cj : f32
    %f = arith.divf %b0, %d : f32
    %na = arith.mulf %f, %a0 : f32
    %ce = arith.mulf %a2, %b3 : f32
    %be = arith.addf %a1, %ce : f32
    %fb = arith.mulf %f, %be : f32
    %nb = arith.addf %fb, %b1 : f32
    %fc = arith.mulf %f, %b0 : f32
    %fcc = arith.mulf %fc, %a2 : f32
    %nc = arith.addf %fcc, %b2 : f32
    %g = arith.divf %a0, %d : f32
    %jb = arith.mulf %b4, %a1 : f32
    %ej = arith.subf %b3, %jb : f32
    %ge = arith.mulf %g, %ej : f32
    %ne = arith.addf %ge, %a3 : f32
    %ga = arith.mulf %g, %a0 : f32
    %gj = arith.mulf %ga, %b4 : f32
    %nj = arith.addf %gj, %a4 : f32
    scan.yield %na, %nb, %nc, %ne, %nj : f32, f32, f32, f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
  return %mean, %variance : tensor<?x?xf32>, tensor<?x?xf32>
}
