// Recurrences as their papers define them, written as loops over time before the
// matcher of --scan-raise-recurrence was looked at. loops.py has the same in NumPy.

// minGRU (Feng et al., Were RNNs All We Needed?, 2024): z = sigmoid(k),
// h = (1 - z) h + z g.
// roughly: random:f32:Nx6:1 random:f32:Nx6:2 random:f32:6:3
func.func @min_gru(%k: tensor<?x6xf32>, %g: tensor<?x6xf32>, %h0: tensor<6xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<6xf32>
  %n = tensor.dim %k, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %ys = %e) -> (tensor<6xf32>, tensor<?x6xf32>) {
    %kt = tensor.extract_slice %k[%t, 0] [1, 6] [1, 1] : tensor<?x6xf32> to tensor<6xf32>
    %gt = tensor.extract_slice %g[%t, 0] [1, 6] [1, 1] : tensor<?x6xf32> to tensor<6xf32>
    %neg = arith.negf %kt : tensor<6xf32>
    %ex = math.exp %neg : tensor<6xf32>
    %den = arith.addf %one, %ex : tensor<6xf32>
    %z = arith.divf %one, %den : tensor<6xf32>
    %keep = arith.subf %one, %z : tensor<6xf32>
    %p = arith.mulf %keep, %h : tensor<6xf32>
    %q = arith.mulf %z, %gt : tensor<6xf32>
    %next = arith.addf %p, %q : tensor<6xf32>
    %w = tensor.insert_slice %next into %ys[%t, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<?x6xf32>
    scf.yield %next, %w : tensor<6xf32>, tensor<?x6xf32>
  }
  return %r#1 : tensor<?x6xf32>
}

// minLSTM (the same paper): the gates f and i are normalised to sum to one.
// roughly: random:f32:Nx5:1 random:f32:Nx5:2 random:f32:Nx5:3 random:f32:5:4
func.func @min_lstm(%kf: tensor<?x5xf32>, %ki: tensor<?x5xf32>, %g: tensor<?x5xf32>, %h0: tensor<5xf32>) -> (tensor<5xf32>, tensor<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %kf, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %ys = %e) -> (tensor<5xf32>, tensor<?x5xf32>) {
    %a = tensor.extract_slice %kf[%t, 0] [1, 5] [1, 1] : tensor<?x5xf32> to tensor<5xf32>
    %b = tensor.extract_slice %ki[%t, 0] [1, 5] [1, 1] : tensor<?x5xf32> to tensor<5xf32>
    %c = tensor.extract_slice %g[%t, 0] [1, 5] [1, 1] : tensor<?x5xf32> to tensor<5xf32>
    %o = tensor.empty() : tensor<5xf32>
    %next = linalg.map ins(%a, %b, %c, %h : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%o : tensor<5xf32>)
      (%af: f32, %bi: f32, %cg: f32, %s: f32, %unused: f32) {
        %one = arith.constant 1.0 : f32
        %na = arith.negf %af : f32
        %ea = math.exp %na : f32
        %da = arith.addf %ea, %one : f32
        %f = arith.divf %one, %da : f32
        %nb = arith.negf %bi : f32
        %eb = math.exp %nb : f32
        %db = arith.addf %eb, %one : f32
        %i = arith.divf %one, %db : f32
        %sum = arith.addf %f, %i : f32
        %ff = arith.divf %f, %sum : f32
        %ii = arith.divf %i, %sum : f32
        %p = arith.mulf %ff, %s : f32
        %q = arith.mulf %ii, %cg : f32
        %r = arith.addf %p, %q : f32
        linalg.yield %r : f32
      }
    %w = tensor.insert_slice %next into %ys[%t, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<?x5xf32>
    scf.yield %next, %w : tensor<5xf32>, tensor<?x5xf32>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<?x5xf32>
}

// RG-LRU (De et al., Griffin, 2024): log a = -8 softplus(lambda) sigmoid(r),
// h = a h + sqrt(1 - a^2) (sigmoid(i) x); time is the middle dimension.
// roughly: random:f32:2xNx4:1 random:f32:2xNx4:2 random:f32:2xNx4:3 random:f32:4:4 random:f32:2x4:5
func.func @rg_lru(%x: tensor<2x?x4xf32>, %rg: tensor<2x?x4xf32>, %ig: tensor<2x?x4xf32>, %lambda: tensor<4xf32>, %h0: tensor<2x4xf32>) -> tensor<2x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
  %e = tensor.empty(%n) : tensor<2x?x4xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %ys = %e) -> (tensor<2x4xf32>, tensor<2x?x4xf32>) {
    %xt = tensor.extract_slice %x[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x4xf32>
    %rt = tensor.extract_slice %rg[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x4xf32>
    %it = tensor.extract_slice %ig[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x4xf32>
    %o = tensor.empty() : tensor<2x4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %rt, %it, %lambda, %h : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<2x4xf32>) outs(%o : tensor<2x4xf32>) {
    ^bb0(%xv: f32, %rv: f32, %iv: f32, %l: f32, %s: f32, %unused: f32):
      %one = arith.constant 1.0 : f32
      %m8 = arith.constant -8.0 : f32
      %nr = arith.negf %rv : f32
      %er = math.exp %nr : f32
      %dr = arith.addf %er, %one : f32
      %sr = arith.divf %one, %dr : f32
      %ni = arith.negf %iv : f32
      %ei = math.exp %ni : f32
      %di = arith.addf %ei, %one : f32
      %si = arith.divf %one, %di : f32
      %el = math.exp %l : f32
      %sp = math.log1p %el : f32
      %u = arith.mulf %m8, %sp : f32
      %loga = arith.mulf %u, %sr : f32
      %a = math.exp %loga : f32
      %a2 = arith.mulf %a, %a : f32
      %d = arith.subf %one, %a2 : f32
      %sq = math.sqrt %d : f32
      %ix = arith.mulf %si, %xv : f32
      %b = arith.mulf %sq, %ix : f32
      %ah = arith.mulf %a, %s : f32
      %v = arith.addf %ah, %b : f32
      linalg.yield %v : f32
    } -> tensor<2x4xf32>
    %w = tensor.insert_slice %next into %ys[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x4xf32> into tensor<2x?x4xf32>
    scf.yield %next, %w : tensor<2x4xf32>, tensor<2x?x4xf32>
  }
  return %r#1 : tensor<2x?x4xf32>
}

// HGRN2 (Qin et al., 2024): S = diag(f) S + (1 - f) v^T, o = S^T q.
// roughly: random:f32:Nx3:1:0:1 random:f32:Nx4:2 random:f32:Nx3:3 random:f32:3x4:4
func.func @hgrn2(%f: tensor<?x3xf32>, %v: tensor<?x4xf32>, %q: tensor<?x3xf32>, %s0: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %f, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %s0, %os = %e) -> (tensor<3x4xf32>, tensor<?x4xf32>) {
    %ft = tensor.extract_slice %f[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %vt = tensor.extract_slice %v[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %qt = tensor.extract_slice %q[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %b = tensor.empty() : tensor<3x4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ft, %vt, %s : tensor<3xf32>, tensor<4xf32>, tensor<3x4xf32>) outs(%b : tensor<3x4xf32>) {
    ^bb0(%fi: f32, %vj: f32, %sij: f32, %unused: f32):
      %one = arith.constant 1.0 : f32
      %k = arith.subf %one, %fi : f32
      %kv = arith.mulf %k, %vj : f32
      %fs = arith.mulf %fi, %sij : f32
      %sum = arith.addf %fs, %kv : f32
      linalg.yield %sum : f32
    } -> tensor<3x4xf32>
    %ob = tensor.empty() : tensor<4xf32>
    %oz = linalg.fill ins(%zero : f32) outs(%ob : tensor<4xf32>) -> tensor<4xf32>
    %ot = linalg.vecmat ins(%qt, %next : tensor<3xf32>, tensor<3x4xf32>) outs(%oz : tensor<4xf32>) -> tensor<4xf32>
    %w = tensor.insert_slice %ot into %os[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %w : tensor<3x4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<3x4xf32>, tensor<?x4xf32>
}

// RWKV-4 (Peng et al., 2023), the numerically safe form of its appendix: numerator aa and
// denominator bb relative to exp(pp).
// roughly: random:f32:Nx4:1:-2:2 random:f32:Nx4:2 random:f32:4:3:-1:0 random:f32:4:4
func.func @rwkv4(%k: tensor<?x4xf32>, %v: tensor<?x4xf32>, %w: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %low = arith.constant dense<-1.0e+38> : tensor<4xf32>
  %n = tensor.dim %k, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:4 = scf.for %t = %c0 to %n step %c1 iter_args(%aa = %z, %bb = %z, %pp = %low, %ys = %e) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) {
    %kt = tensor.extract_slice %k[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %vt = tensor.extract_slice %v[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %ww = arith.addf %u, %kt : tensor<4xf32>
    %p = arith.maximumf %pp, %ww : tensor<4xf32>
    %d1 = arith.subf %pp, %p : tensor<4xf32>
    %e1 = math.exp %d1 : tensor<4xf32>
    %d2 = arith.subf %ww, %p : tensor<4xf32>
    %e2 = math.exp %d2 : tensor<4xf32>
    %a1 = arith.mulf %e1, %aa : tensor<4xf32>
    %a2 = arith.mulf %e2, %vt : tensor<4xf32>
    %a = arith.addf %a1, %a2 : tensor<4xf32>
    %b1 = arith.mulf %e1, %bb : tensor<4xf32>
    %b = arith.addf %b1, %e2 : tensor<4xf32>
    %y = arith.divf %a, %b : tensor<4xf32>
    %ys1 = tensor.insert_slice %y into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    %wp = arith.addf %w, %pp : tensor<4xf32>
    %q = arith.maximumf %wp, %kt : tensor<4xf32>
    %d3 = arith.subf %wp, %q : tensor<4xf32>
    %e3 = math.exp %d3 : tensor<4xf32>
    %d4 = arith.subf %kt, %q : tensor<4xf32>
    %e4 = math.exp %d4 : tensor<4xf32>
    %a3 = arith.mulf %e3, %aa : tensor<4xf32>
    %a4 = arith.mulf %e4, %vt : tensor<4xf32>
    %an = arith.addf %a3, %a4 : tensor<4xf32>
    %b3 = arith.mulf %e3, %bb : tensor<4xf32>
    %bn = arith.addf %b3, %e4 : tensor<4xf32>
    scf.yield %an, %bn, %q, %ys1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#3 : tensor<?x4xf32>
}

// RWKV-6 (Peng et al., 2024): o = r (S + (u k) v^T), then S = diag(w) S + k v^T.
// roughly: random:f32:Nx3:1 random:f32:Nx3:2 random:f32:Nx4:3 random:f32:Nx3:4:0:1 random:f32:3:5
func.func @rwkv6(%r: tensor<?x3xf32>, %k: tensor<?x3xf32>, %v: tensor<?x4xf32>, %w: tensor<?x3xf32>, %u: tensor<3xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s0 = arith.constant dense<0.0> : tensor<3x4xf32>
  %n = tensor.dim %r, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %l:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %s0, %os = %e) -> (tensor<3x4xf32>, tensor<?x4xf32>) {
    %rt = tensor.extract_slice %r[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %kt = tensor.extract_slice %k[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %vt = tensor.extract_slice %v[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %wt = tensor.extract_slice %w[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %ob = tensor.empty() : tensor<4xf32>
    %oz = linalg.fill ins(%zero : f32) outs(%ob : tensor<4xf32>) -> tensor<4xf32>
    %o = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (j)>, affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%rt, %u, %kt, %vt, %s : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3x4xf32>) outs(%oz : tensor<4xf32>) {
    ^bb0(%ri: f32, %ui: f32, %ki: f32, %vj: f32, %sij: f32, %acc: f32):
      %kv = arith.mulf %ki, %vj : f32
      %ukv = arith.mulf %ui, %kv : f32
      %sum = arith.addf %sij, %ukv : f32
      %rs = arith.mulf %ri, %sum : f32
      %a = arith.addf %acc, %rs : f32
      linalg.yield %a : f32
    } -> tensor<4xf32>
    %b = tensor.empty() : tensor<3x4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%wt, %kt, %vt, %s : tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3x4xf32>) outs(%b : tensor<3x4xf32>) {
    ^bb0(%wi: f32, %ki: f32, %vj: f32, %sij: f32, %unused: f32):
      %kv = arith.mulf %ki, %vj : f32
      %ws = arith.mulf %wi, %sij : f32
      %sum = arith.addf %ws, %kv : f32
      linalg.yield %sum : f32
    } -> tensor<3x4xf32>
    %ow = tensor.insert_slice %o into %os[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %ow : tensor<3x4xf32>, tensor<?x4xf32>
  }
  return %l#1 : tensor<?x4xf32>
}

// S4D (Gu et al., 2022) with a complex diagonal state in two real halves:
// h = exp(i theta) r h + x, y = 2 Re(c h), as kernels without complex numbers write it.
// roughly: random:f32:Nx4:1 random:f32:4:2:-1:1 random:f32:4:3:-1:1
func.func @s4d_halves(%x: tensor<?x4xf32>, %ar: tensor<4xf32>, %ai: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:4 = scf.for %t = %c0 to %n step %c1 iter_args(%re = %z, %im = %z, %ys = %e, %zs = %e) -> (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %rr = arith.mulf %ar, %re : tensor<4xf32>
    %ii = arith.mulf %ai, %im : tensor<4xf32>
    %ri = arith.mulf %ar, %im : tensor<4xf32>
    %ir = arith.mulf %ai, %re : tensor<4xf32>
    %d = arith.subf %rr, %ii : tensor<4xf32>
    %re1 = arith.addf %d, %xt : tensor<4xf32>
    %im1 = arith.addf %ri, %ir : tensor<4xf32>
    %y = arith.addf %re1, %re1 : tensor<4xf32>
    %w = tensor.insert_slice %y into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    %w2 = tensor.insert_slice %im1 into %zs[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %re1, %im1, %w, %w2 : tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  }
  return %r#2, %r#3 : tensor<?x4xf32>, tensor<?x4xf32>
}

// LRU (Orvieto et al., 2023): a complex state, its real part read.
// roughly: random:c64:Nx4:1 random:c64:4:2:-0.7:0.7
func.func @lru_complex(%x: tensor<?x4xcomplex<f32>>, %a: tensor<4xcomplex<f32>>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %he = tensor.empty() : tensor<4xcomplex<f32>>
  %hz = linalg.fill ins(%h0 : complex<f32>) outs(%he : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %n = tensor.dim %x, %c0 : tensor<?x4xcomplex<f32>>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %hz, %ys = %e) -> (tensor<4xcomplex<f32>>, tensor<?x4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xcomplex<f32>> to tensor<4xcomplex<f32>>
    %b = tensor.empty() : tensor<4xcomplex<f32>>
    %next = linalg.map ins(%a, %h, %xt : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) outs(%b : tensor<4xcomplex<f32>>)
      (%av: complex<f32>, %hv: complex<f32>, %xv: complex<f32>, %unused: complex<f32>) {
        %p = complex.mul %av, %hv : complex<f32>
        %s = complex.add %p, %xv : complex<f32>
        linalg.yield %s : complex<f32>
      }
    %rb = tensor.empty() : tensor<4xf32>
    %y = linalg.map ins(%next : tensor<4xcomplex<f32>>) outs(%rb : tensor<4xf32>)
      (%hv: complex<f32>, %unused: f32) {
        %re = complex.re %hv : complex<f32>
        linalg.yield %re : f32
      }
    %w = tensor.insert_slice %y into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %w : tensor<4xcomplex<f32>>, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}

// Mamba (Gu and Dao, 2023), its reference loop: h = exp(delta A) h + delta B x,
// y = sum over the states of C h, inside the loop.
// roughly: random:f32:2xNx3:1 random:f32:2xNx3:2:0:1 random:f32:3x4:3:-1:0 random:f32:2xNx4:4 random:f32:2xNx4:5
func.func @mamba(%x: tensor<2x?x3xf32>, %delta: tensor<2x?x3xf32>, %A: tensor<3x4xf32>, %B: tensor<2x?x4xf32>, %C: tensor<2x?x4xf32>) -> tensor<2x?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %h0 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %n = tensor.dim %x, %c1 : tensor<2x?x3xf32>
  %e = tensor.empty(%n) : tensor<2x?x3xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %ys = %e) -> (tensor<2x3x4xf32>, tensor<2x?x3xf32>) {
    %xt = tensor.extract_slice %x[0, %t, 0] [2, 1, 3] [1, 1, 1] : tensor<2x?x3xf32> to tensor<2x3xf32>
    %dt = tensor.extract_slice %delta[0, %t, 0] [2, 1, 3] [1, 1, 1] : tensor<2x?x3xf32> to tensor<2x3xf32>
    %bt = tensor.extract_slice %B[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x4xf32>
    %ct = tensor.extract_slice %C[0, %t, 0] [2, 1, 4] [1, 1, 1] : tensor<2x?x4xf32> to tensor<2x4xf32>
    %hb = tensor.empty() : tensor<2x3x4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(b, d, n) -> (b, d)>, affine_map<(b, d, n) -> (b, d)>, affine_map<(b, d, n) -> (d, n)>, affine_map<(b, d, n) -> (b, n)>, affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, d, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%xt, %dt, %A, %bt, %h : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>) outs(%hb : tensor<2x3x4xf32>) {
    ^bb0(%xv: f32, %dv: f32, %av: f32, %bv: f32, %hv: f32, %unused: f32):
      %da = arith.mulf %dv, %av : f32
      %ea = math.exp %da : f32
      %db = arith.mulf %dv, %bv : f32
      %dbx = arith.mulf %db, %xv : f32
      %ah = arith.mulf %ea, %hv : f32
      %s = arith.addf %ah, %dbx : f32
      linalg.yield %s : f32
    } -> tensor<2x3x4xf32>
    %yb = tensor.empty() : tensor<2x3xf32>
    %yz = linalg.fill ins(%zero : f32) outs(%yb : tensor<2x3xf32>) -> tensor<2x3xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, n)>, affine_map<(b, d, n) -> (b, d)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%next, %ct : tensor<2x3x4xf32>, tensor<2x4xf32>) outs(%yz : tensor<2x3xf32>) {
    ^bb0(%hv: f32, %cv: f32, %acc: f32):
      %m = arith.mulf %hv, %cv : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<2x3xf32>
    %w = tensor.insert_slice %y into %ys[0, %t, 0] [2, 1, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<2x?x3xf32>
    scf.yield %next, %w : tensor<2x3x4xf32>, tensor<2x?x3xf32>
  }
  return %r#1 : tensor<2x?x3xf32>
}

// Mamba-2 (Dao and Gu, 2024): one decay per head, S = a S + b x^T, y = C S by linalg.matvec.
// roughly: random:f32:N:1:0:1 random:f32:Nx3:2 random:f32:Nx4:3 random:f32:Nx4:4
func.func @ssd(%a: tensor<?xf32>, %x: tensor<?x3xf32>, %B: tensor<?x4xf32>, %C: tensor<?x4xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s0 = arith.constant dense<0.0> : tensor<3x4xf32>
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %s0, %ys = %e) -> (tensor<3x4xf32>, tensor<?x3xf32>) {
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %xt = tensor.extract_slice %x[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %bt = tensor.extract_slice %B[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %ct = tensor.extract_slice %C[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %as = tensor.splat %at : tensor<3x4xf32>
    %decayed = arith.mulf %as, %s : tensor<3x4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(p, n) -> (p)>, affine_map<(p, n) -> (n)>, affine_map<(p, n) -> (p, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%xt, %bt : tensor<3xf32>, tensor<4xf32>) outs(%decayed : tensor<3x4xf32>) {
    ^bb0(%xv: f32, %bv: f32, %sv: f32):
      %p = arith.mulf %xv, %bv : f32
      %q = arith.addf %sv, %p : f32
      linalg.yield %q : f32
    } -> tensor<3x4xf32>
    %yb = tensor.empty() : tensor<3xf32>
    %yz = linalg.fill ins(%zero : f32) outs(%yb : tensor<3xf32>) -> tensor<3xf32>
    %y = linalg.matvec ins(%next, %ct : tensor<3x4xf32>, tensor<4xf32>) outs(%yz : tensor<3xf32>) -> tensor<3xf32>
    %w = tensor.insert_slice %y into %ys[%t, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<?x3xf32>
    scf.yield %next, %w : tensor<3x4xf32>, tensor<?x3xf32>
  }
  return %r#1 : tensor<?x3xf32>
}

// SRU (Lei et al., 2018): c = f c + (1 - f) x, h = r tanh(c) + (1 - r) x.
// roughly: random:f32:Nx4:1 random:f32:Nx4:2:0:1 random:f32:Nx4:3:0:1 random:f32:4:4
func.func @sru(%x: tensor<?x4xf32>, %f: tensor<?x4xf32>, %rg: tensor<?x4xf32>, %c_0: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%c = %c_0, %hs = %e) -> (tensor<4xf32>, tensor<?x4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %ft = tensor.extract_slice %f[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %rt = tensor.extract_slice %rg[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %d = arith.subf %c, %xt : tensor<4xf32>
    %fd = arith.mulf %ft, %d : tensor<4xf32>
    %next = arith.addf %fd, %xt : tensor<4xf32>
    %th = math.tanh %next : tensor<4xf32>
    %g = arith.mulf %rt, %th : tensor<4xf32>
    %kr = arith.subf %one, %rt : tensor<4xf32>
    %hw = arith.mulf %kr, %xt : tensor<4xf32>
    %h = arith.addf %g, %hw : tensor<4xf32>
    %w = tensor.insert_slice %h into %hs[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %w : tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<?x4xf32>
}

// Linear attention (Katharopoulos et al., 2020): S += k v^T, z += k, o = (q S) / (q z).
// roughly: random:f32:Nx3:1:0.1:1 random:f32:Nx3:2:0.1:1 random:f32:Nx4:3
func.func @linear_attention(%q: tensor<?x3xf32>, %k: tensor<?x3xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s0 = arith.constant dense<0.0> : tensor<3x4xf32>
  %z0 = arith.constant dense<0.0> : tensor<3xf32>
  %n = tensor.dim %q, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %s0, %z = %z0, %os = %e) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<?x4xf32>) {
    %qt = tensor.extract_slice %q[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %kt = tensor.extract_slice %k[%t, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
    %vt = tensor.extract_slice %v[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%kt, %vt : tensor<3xf32>, tensor<4xf32>) outs(%s : tensor<3x4xf32>) {
    ^bb0(%kv: f32, %vv: f32, %sv: f32):
      %p = arith.mulf %kv, %vv : f32
      %a = arith.addf %sv, %p : f32
      linalg.yield %a : f32
    } -> tensor<3x4xf32>
    %zn = arith.addf %z, %kt : tensor<3xf32>
    %ob = tensor.empty() : tensor<4xf32>
    %oz = linalg.fill ins(%zero : f32) outs(%ob : tensor<4xf32>) -> tensor<4xf32>
    %num = linalg.vecmat ins(%qt, %next : tensor<3xf32>, tensor<3x4xf32>) outs(%oz : tensor<4xf32>) -> tensor<4xf32>
    %db = tensor.empty() : tensor<f32>
    %dz = linalg.fill ins(%zero : f32) outs(%db : tensor<f32>) -> tensor<f32>
    %den = linalg.dot ins(%qt, %zn : tensor<3xf32>, tensor<3xf32>) outs(%dz : tensor<f32>) -> tensor<f32>
    %b = tensor.empty() : tensor<4xf32>
    %o = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%num, %den : tensor<4xf32>, tensor<f32>) outs(%b : tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32, %unused: f32):
      %d = arith.divf %x, %y : f32
      linalg.yield %d : f32
    } -> tensor<4xf32>
    %w = tensor.insert_slice %o into %os[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %zn, %w : tensor<3x4xf32>, tensor<3xf32>, tensor<?x4xf32>
  }
  return %r#2 : tensor<?x4xf32>
}
