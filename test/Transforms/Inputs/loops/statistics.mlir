// Running statistics, filters and forecasts as textbooks write them, as loops over time.

// Running maximum and where it is (cummax of PyTorch: the last of equal ones).
// run: random:f32:Nx4:1
func.func @cummax_index(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %i0 = arith.constant dense<0> : tensor<4xi64>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %ei = tensor.empty(%n) : tensor<?x4xi64>
  %r:4 = scf.for %t = %c0 to %n step %c1 iter_args(%m = %low, %i = %i0, %ms = %e, %is = %ei) -> (tensor<4xf32>, tensor<4xi64>, tensor<?x4xf32>, tensor<?x4xi64>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %ti = arith.index_cast %t : index to i64
    %tt = tensor.splat %ti : tensor<4xi64>
    %ge = arith.cmpf oge, %xt, %m : tensor<4xf32>
    %m1 = arith.select %ge, %xt, %m : tensor<4xi1>, tensor<4xf32>
    %i1 = arith.select %ge, %tt, %i : tensor<4xi1>, tensor<4xi64>
    %wm = tensor.insert_slice %m1 into %ms[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    %wi = tensor.insert_slice %i1 into %is[%t, 0] [1, 4] [1, 1] : tensor<4xi64> into tensor<?x4xi64>
    scf.yield %m1, %i1, %wm, %wi : tensor<4xf32>, tensor<4xi64>, tensor<?x4xf32>, tensor<?x4xi64>
  }
  return %r#2, %r#3 : tensor<?x4xf32>, tensor<?x4xi64>
}

// Online softmax (Milakov and Gimelshein, 2018): m = max(m, x), l = l exp(m - m') + exp(x - m').
// roughly: random:f32:Nx4:1:-4:4
func.func @online_softmax(%x: tensor<?x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%m = %low, %l = %z, %ls = %e) -> (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %m1 = arith.maximumf %m, %xt : tensor<4xf32>
    %d = arith.subf %m, %m1 : tensor<4xf32>
    %s = math.exp %d : tensor<4xf32>
    %l1 = arith.mulf %l, %s : tensor<4xf32>
    %dx = arith.subf %xt, %m1 : tensor<4xf32>
    %sx = math.exp %dx : tensor<4xf32>
    %l2 = arith.addf %l1, %sx : tensor<4xf32>
    %w = tensor.insert_slice %l2 into %ls[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %m1, %l2, %w : tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#2 : tensor<4xf32>, tensor<?x4xf32>
}

// logcumsumexp by logaddexp: max(a, b) + log1p(exp(-|a - b|)); backwards in time.
// roughly: random:f32:Nx4:1:-4:4 random:f32:4:2
func.func @logcumsumexp(%x: tensor<?x4xf32>, %s0: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0, %ys = %e) -> (tensor<4xf32>, tensor<?x4xf32>) {
    %t = arith.subi %last, %i : index
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %m = arith.maximumf %s, %xt : tensor<4xf32>
    %d = arith.subf %s, %xt : tensor<4xf32>
    %ad = math.absf %d : tensor<4xf32>
    %nd = arith.negf %ad : tensor<4xf32>
    %ex = math.exp %nd : tensor<4xf32>
    %lp = math.log1p %ex : tensor<4xf32>
    %next = arith.addf %m, %lp : tensor<4xf32>
    %w = tensor.insert_slice %next into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %w : tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}

// Holt's double exponential smoothing (1957): level and trend; 2 x 2 affine.
// roughly: random:f64:N:1
func.func @holt(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %alpha = arith.constant 0.3 : f64
  %keep = arith.constant 0.7 : f64
  %beta = arith.constant 0.2 : f64
  %slow = arith.constant 0.8 : f64
  %z = arith.constant 0.0 : f64
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r:4 = scf.for %t = %c0 to %n step %c1 iter_args(%l = %z, %b = %z, %ls = %e, %bs = %e) -> (f64, f64, tensor<?xf64>, tensor<?xf64>) {
    %xt = tensor.extract %x[%t] : tensor<?xf64>
    %ax = arith.mulf %alpha, %xt : f64
    %lb = arith.addf %l, %b : f64
    %kl = arith.mulf %keep, %lb : f64
    %l1 = arith.addf %ax, %kl : f64
    %dl = arith.subf %l1, %l : f64
    %bd = arith.mulf %beta, %dl : f64
    %sb = arith.mulf %slow, %b : f64
    %b1 = arith.addf %bd, %sb : f64
    %wl = tensor.insert %l1 into %ls[%t] : tensor<?xf64>
    %wb = tensor.insert %b1 into %bs[%t] : tensor<?xf64>
    scf.yield %l1, %b1, %wl, %wb : f64, f64, tensor<?xf64>, tensor<?xf64>
  }
  return %r#2, %r#3 : tensor<?xf64>, tensor<?xf64>
}

// A biquad, transposed direct form II: y = b0 x + s1, s1 = b1 x - a1 y + s2, s2 = b2 x - a2 y.
// roughly: random:f32:N:1 values:f32:5:0.2,0.3,0.1,-0.5,0.25
func.func @biquad(%x: tensor<?xf32>, %k: tensor<5xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%s1 = %z, %s2 = %z, %ys = %e) -> (f32, f32, tensor<?xf32>) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %b0 = tensor.extract %k[%c0] : tensor<5xf32>
    %b1 = tensor.extract %k[%c1] : tensor<5xf32>
    %b2 = tensor.extract %k[%c2] : tensor<5xf32>
    %a1 = tensor.extract %k[%c3] : tensor<5xf32>
    %a2 = tensor.extract %k[%c4] : tensor<5xf32>
    %p0 = arith.mulf %b0, %xt : f32
    %y = arith.addf %p0, %s1 : f32
    %p1 = arith.mulf %b1, %xt : f32
    %q1 = arith.mulf %a1, %y : f32
    %d1 = arith.subf %p1, %q1 : f32
    %n1 = arith.addf %d1, %s2 : f32
    %p2 = arith.mulf %b2, %xt : f32
    %q2 = arith.mulf %a2, %y : f32
    %n2 = arith.subf %p2, %q2 : f32
    %w = tensor.insert %y into %ys[%t] : tensor<?xf32>
    scf.yield %n1, %n2, %w : f32, f32, tensor<?xf32>
  }
  return %r#2 : tensor<?xf32>
}

// A Kalman filter of one dimension: the variance is a fractional linear recurrence,
// the estimate an affine one with the gain as coefficient.
// roughly: random:f64:N:1 random:f64:N:2:0.5:1 random:f64:N:3:0.1:1
func.func @kalman(%z: tensor<?xf64>, %R: tensor<?xf64>, %Q: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %n = tensor.dim %z, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r:4 = scf.for %t = %c0 to %n step %c1 iter_args(%x = %zero, %P = %one, %xs = %e, %Ps = %e) -> (f64, f64, tensor<?xf64>, tensor<?xf64>) {
    %zt = tensor.extract %z[%t] : tensor<?xf64>
    %rt = tensor.extract %R[%t] : tensor<?xf64>
    %qt = tensor.extract %Q[%t] : tensor<?xf64>
    %prior = arith.addf %P, %qt : f64
    %den = arith.addf %prior, %rt : f64
    %gain = arith.divf %prior, %den : f64
    %res = arith.subf %zt, %x : f64
    %cor = arith.mulf %gain, %res : f64
    %x1 = arith.addf %x, %cor : f64
    %kg = arith.subf %one, %gain : f64
    %P1 = arith.mulf %kg, %prior : f64
    %wx = tensor.insert %x1 into %xs[%t] : tensor<?xf64>
    %wp = tensor.insert %P1 into %Ps[%t] : tensor<?xf64>
    scf.yield %x1, %P1, %wx, %wp : f64, f64, tensor<?xf64>, tensor<?xf64>
  }
  return %r#2, %r#3 : tensor<?xf64>, tensor<?xf64>
}

// Page's CUSUM (1954): s = max(0, s + x - k).
// roughly: random:f32:Nx4:1 random:f32:4:2:0:1
func.func @cusum(%x: tensor<?x4xf32>, %k: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %z, %ys = %e) -> (tensor<4xf32>, tensor<?x4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %sx = arith.addf %s, %xt : tensor<4xf32>
    %d = arith.subf %sx, %k : tensor<4xf32>
    %next = arith.maximumf %z, %d : tensor<4xf32>
    %w = tensor.insert_slice %next into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %w : tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}

// A sum that restarts where a flag is set.
// roughly: random:f32:N:1 random:i1:N:2 random:f32::3
func.func @segmented_sum(%x: tensor<?xf32>, %flag: tensor<?xi1>, %i: tensor<f32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s0 = tensor.extract %i[] : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %s0, %ys = %e) -> (f32, tensor<?xf32>) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %ft = tensor.extract %flag[%t] : tensor<?xi1>
    %sum = arith.addf %s, %xt : f32
    %next = arith.select %ft, %xt, %sum : f32
    %w = tensor.insert %next into %ys[%t] : tensor<?xf32>
    scf.yield %next, %w : f32, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}

// An autoregression of order two with both lags carried: y = a y1 + b y2 + x.
// roughly: random:f64:Nx3:1 random:f64:3:2:-0.5:0.5 random:f64:3:3:-0.4:0.4
func.func @ar2(%x: tensor<?x3xf64>, %a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<?x3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<3xf64>
  %n = tensor.dim %x, %c0 : tensor<?x3xf64>
  %e = tensor.empty(%n) : tensor<?x3xf64>
  %r:3 = scf.for %t = %c0 to %n step %c1 iter_args(%y1 = %z, %y2 = %z, %ys = %e) -> (tensor<3xf64>, tensor<3xf64>, tensor<?x3xf64>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 3] [1, 1] : tensor<?x3xf64> to tensor<3xf64>
    %p = arith.mulf %a, %y1 : tensor<3xf64>
    %q = arith.mulf %b, %y2 : tensor<3xf64>
    %s = arith.addf %p, %q : tensor<3xf64>
    %y = arith.addf %s, %xt : tensor<3xf64>
    %w = tensor.insert_slice %y into %ys[%t, 0] [1, 3] [1, 1] : tensor<3xf64> into tensor<?x3xf64>
    scf.yield %y, %y1, %w : tensor<3xf64>, tensor<3xf64>, tensor<?x3xf64>
  }
  return %r#2 : tensor<?x3xf64>
}
