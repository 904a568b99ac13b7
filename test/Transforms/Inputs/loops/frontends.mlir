// Loops over time as front ends print them. Written by the rules of their lowerings, and for
// JAX from the StableHLO that jax.lax.scan is lowered to.

// jax.lax.scan, reverse = True, after stablehlo-legalize-to-linalg: the counter is a tensor,
// what is not changed is carried along, indices are clamped, functions are outlined.
#none = affine_map<() -> ()>
#rows = affine_map<(d) -> (d)>
// roughly: random:f32:10x8:1 random:f32:10x8:2 random:f32:8:3
func.func @jax_scan_reverse(%a: tensor<10x8xf32>, %x: tensor<10x8xf32>, %h0: tensor<8xf32>) -> (tensor<8xf32>, tensor<10x8xf32>) {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x8xf32>
  %ys0 = linalg.fill ins(%cst : f32) outs(%e : tensor<10x8xf32>) -> tensor<10x8xf32>
  %i0 = arith.constant dense<0> : tensor<i32>
  %r:5 = scf.while (%as = %a, %xs = %x, %i = %i0, %h = %h0, %ys = %ys0) : (tensor<10x8xf32>, tensor<10x8xf32>, tensor<i32>, tensor<8xf32>, tensor<10x8xf32>) -> (tensor<10x8xf32>, tensor<10x8xf32>, tensor<i32>, tensor<8xf32>, tensor<10x8xf32>) {
    %c10 = arith.constant dense<10> : tensor<i32>
    %b = tensor.empty() : tensor<i1>
    %lt = linalg.generic {indexing_maps = [#none, #none, #none], iterator_types = []} ins(%i, %c10 : tensor<i32>, tensor<i32>) outs(%b : tensor<i1>) {
    ^bb0(%l: i32, %u: i32, %unused: i1):
      %c = arith.cmpi slt, %l, %u : i32
      linalg.yield %c : i1
    } -> tensor<i1>
    %go = tensor.extract %lt[] : tensor<i1>
    scf.condition(%go) %as, %xs, %i, %h, %ys : tensor<10x8xf32>, tensor<10x8xf32>, tensor<i32>, tensor<8xf32>, tensor<10x8xf32>
  } do {
  ^bb0(%as: tensor<10x8xf32>, %xs: tensor<10x8xf32>, %i: tensor<i32>, %h: tensor<8xf32>, %ys: tensor<10x8xf32>):
    %c10 = arith.constant dense<10> : tensor<i32>
    %b = tensor.empty() : tensor<i32>
    %left = linalg.generic {indexing_maps = [#none, #none, #none], iterator_types = []} ins(%c10, %i : tensor<i32>, tensor<i32>) outs(%b : tensor<i32>) {
    ^bb0(%u: i32, %v: i32, %unused: i32):
      %d = arith.subi %u, %v : i32
      linalg.yield %d : i32
    } -> tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %b2 = tensor.empty() : tensor<i32>
    %at = linalg.generic {indexing_maps = [#none, #none, #none], iterator_types = []} ins(%left, %one : tensor<i32>, tensor<i32>) outs(%b2 : tensor<i32>) {
    ^bb0(%u: i32, %v: i32, %unused: i32):
      %d = arith.subi %u, %v : i32
      linalg.yield %d : i32
    } -> tensor<i32>
    %av = func.call @dynamic_index_in_dim(%as, %at) : (tensor<10x8xf32>, tensor<i32>) -> tensor<8xf32>
    %xv = func.call @dynamic_index_in_dim(%xs, %at) : (tensor<10x8xf32>, tensor<i32>) -> tensor<8xf32>
    %b3 = tensor.empty() : tensor<8xf32>
    %p = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel"]} ins(%av, %h : tensor<8xf32>, tensor<8xf32>) outs(%b3 : tensor<8xf32>) {
    ^bb0(%u: f32, %v: f32, %unused: f32):
      %m = arith.mulf %u, %v : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    %b4 = tensor.empty() : tensor<8xf32>
    %next = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel"]} ins(%p, %xv : tensor<8xf32>, tensor<8xf32>) outs(%b4 : tensor<8xf32>) {
    ^bb0(%u: f32, %v: f32, %unused: f32):
      %s = arith.addf %u, %v : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    %w = func.call @dynamic_update_index_in_dim(%ys, %next, %at) : (tensor<10x8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<10x8xf32>
    %b5 = tensor.empty() : tensor<i32>
    %in = linalg.generic {indexing_maps = [#none, #none, #none], iterator_types = []} ins(%i, %one : tensor<i32>, tensor<i32>) outs(%b5 : tensor<i32>) {
    ^bb0(%u: i32, %v: i32, %unused: i32):
      %s = arith.addi %u, %v : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.yield %as, %xs, %in, %next, %w : tensor<10x8xf32>, tensor<10x8xf32>, tensor<i32>, tensor<8xf32>, tensor<10x8xf32>
  }
  return %r#3, %r#4 : tensor<8xf32>, tensor<10x8xf32>
}
func.func private @dynamic_index_in_dim(%x: tensor<10x8xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %v = tensor.extract %i[] : tensor<i32>
  %s = arith.index_cast %v : i32 to index
  %lo = arith.maxsi %s, %c0 : index
  %st = arith.minsi %lo, %c9 : index
  %row = tensor.extract_slice %x[%st, 0] [1, 8] [1, 1] : tensor<10x8xf32> to tensor<1x8xf32>
  %flat = tensor.collapse_shape %row [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  return %flat : tensor<8xf32>
}
func.func private @dynamic_update_index_in_dim(%x: tensor<10x8xf32>, %v: tensor<8xf32>, %i: tensor<i32>) -> tensor<10x8xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<1x8xf32>
  %row = linalg.generic {indexing_maps = [affine_map<(u, d) -> (d)>, affine_map<(u, d) -> (u, d)>], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<8xf32>) outs(%e : tensor<1x8xf32>) {
  ^bb0(%s: f32, %unused: f32):
    linalg.yield %s : f32
  } -> tensor<1x8xf32>
  %n = tensor.extract %i[] : tensor<i32>
  %s = arith.index_cast %n : i32 to index
  %lo = arith.maxsi %s, %c0 : index
  %st = arith.minsi %lo, %c9 : index
  %w = tensor.insert_slice %row into %x[%st, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<10x8xf32>
  return %w : tensor<10x8xf32>
}

// jax.lax.fori_loop with x[i] as jnp indexes: i < 0 ? i + n : i, then clamped. Two counters,
// one of the loop and one of the program; the update comes after the store.
// roughly: random:f32:10x8:1
func.func @jax_fori(%x: tensor<10x8xf32>) -> (tensor<8xf32>, tensor<10x8xf32>) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %z0 = arith.constant 0 : i32
  %z1 = arith.constant 1 : i32
  %z10 = arith.constant 10 : i32
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %h0 = arith.constant dense<0.0> : tensor<8xf32>
  %ys0 = arith.constant dense<0.0> : tensor<10x8xf32>
  %r:5 = scf.while (%xs = %x, %k = %z0, %i = %z0, %h = %h0, %ys = %ys0) : (tensor<10x8xf32>, i32, i32, tensor<8xf32>, tensor<10x8xf32>) -> (tensor<10x8xf32>, i32, i32, tensor<8xf32>, tensor<10x8xf32>) {
    %c = arith.cmpi slt, %k, %z10 : i32
    scf.condition(%c) %xs, %k, %i, %h, %ys : tensor<10x8xf32>, i32, i32, tensor<8xf32>, tensor<10x8xf32>
  } do {
  ^bb0(%xs: tensor<10x8xf32>, %k: i32, %i: i32, %h: tensor<8xf32>, %ys: tensor<10x8xf32>):
    %neg = arith.cmpi slt, %i, %z0 : i32
    %wrapped = arith.addi %i, %z10 : i32
    %at = arith.select %neg, %wrapped, %i : i32
    %s = arith.index_cast %at : i32 to index
    %lo = arith.maxsi %s, %c0 : index
    %st = arith.minsi %lo, %c9 : index
    %row = tensor.extract_slice %xs[%st, 0] [1, 8] [1, 1] : tensor<10x8xf32> to tensor<1x8xf32>
    %xt = tensor.collapse_shape %row [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
    %p = arith.mulf %h, %half : tensor<8xf32>
    %next = arith.addf %p, %xt : tensor<8xf32>
    %hr = tensor.expand_shape %h [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
    %w = tensor.insert_slice %hr into %ys[%st, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<10x8xf32>
    %i1 = arith.addi %i, %z1 : i32
    %k1 = arith.addi %k, %z1 : i32
    scf.yield %xs, %k1, %i1, %next, %w : tensor<10x8xf32>, i32, i32, tensor<8xf32>, tensor<10x8xf32>
  }
  return %r#3, %r#4 : tensor<8xf32>, tensor<10x8xf32>
}

// torch-mlir: `for t in range(x.size(1)): h = torch.lerp(h, x[:, t], z[:, t]); out[:, t] = h`.
// An i64 trip count, negative indices wrapped, everything dynamic.
// roughly: random:f32:2xNx4:1 random:f32:2xNx4:2:0:1 random:f32:2x4:3
func.func @torch_range(%x: tensor<?x?x4xf32>, %z: tensor<?x?x4xf32>, %h0: tensor<?x4xf32>) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %cst = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %e = tensor.empty(%b, %n) : tensor<?x?x4xf32>
  %o = linalg.fill ins(%cst : f32) outs(%e : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0, %out = %o) -> (tensor<?x4xf32>, tensor<?x?x4xf32>) {
    %t = arith.index_cast %i : index to i64
    %n64 = arith.index_cast %n : index to i64
    %wrap = arith.addi %t, %n64 : i64
    %neg = arith.cmpi slt, %t, %zero : i64
    %at64 = arith.select %neg, %wrap, %t : i64
    %at = arith.index_cast %at64 : i64 to index
    %xs = tensor.extract_slice %x[0, %at, 0] [%b, 1, 4] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x1x4xf32>
    %xt = tensor.collapse_shape %xs [[0], [1, 2]] : tensor<?x1x4xf32> into tensor<?x4xf32>
    %zs = tensor.extract_slice %z[0, %at, 0] [%b, 1, 4] [1, 1, 1] : tensor<?x?x4xf32> to tensor<?x1x4xf32>
    %zt = tensor.collapse_shape %zs [[0], [1, 2]] : tensor<?x1x4xf32> into tensor<?x4xf32>
    %bb = tensor.dim %h, %c0 : tensor<?x4xf32>
    %eb = tensor.empty(%bb) : tensor<?x4xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%h, %xt, %zt : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%eb : tensor<?x4xf32>) {
    ^bb0(%hv: f32, %xv: f32, %zv: f32, %unused: f32):
      %d = arith.subf %xv, %hv : f32
      %m = arith.mulf %zv, %d : f32
      %s = arith.addf %hv, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x4xf32>
    %w = tensor.insert_slice %next into %out[0, %at, 0] [%b, 1, 4] [1, 1, 1] : tensor<?x4xf32> into tensor<?x?x4xf32>
    scf.yield %next, %w : tensor<?x4xf32>, tensor<?x?x4xf32>
  }
  return %r#1 : tensor<?x?x4xf32>
}

// Triton- and IREE-like: rows by scf.forall, in each a loop of scalars.
// roughly: random:f32:3xN:1 random:f32:3xN:2
func.func @forall_rows(%a: tensor<3x?xf32>, %x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %r = scf.forall (%i) in (3) shared_outs(%ys = %e) -> tensor<3x?xf32> {
    %y0 = tensor.extract_slice %ys[%i, 0] [1, %n] [1, 1] : tensor<3x?xf32> to tensor<?xf32>
    %l:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %z, %y = %y0) -> (f32, tensor<?xf32>) {
      %at = tensor.extract %a[%i, %t] : tensor<3x?xf32>
      %xt = tensor.extract %x[%i, %t] : tensor<3x?xf32>
      %p = arith.mulf %at, %h : f32
      %s = arith.addf %p, %xt : f32
      %w = tensor.insert %s into %y[%t] : tensor<?xf32>
      scf.yield %s, %w : f32, tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %l#1 into %ys[%i, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<3x?xf32>
    }
  }
  return %r : tensor<3x?xf32>
}

// Loops over batch and channels around the one over time, on tensors of scalars; the last
// states are kept, too.
// roughly: random:f32:2xNx3:1:-1:1 random:f32:2xNx3:2 random:f32:3:3
func.func @nest_batch_channel(%a: tensor<2x?x3xf32>, %x: tensor<2x?x3xf32>, %d: tensor<3xf32>) -> (tensor<2x?x3xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x3xf32>
  %e = tensor.empty(%n) : tensor<2x?x3xf32>
  %f = tensor.empty() : tensor<2x3xf32>
  %r:2 = scf.for %b = %c0 to %c2 step %c1 iter_args(%y0 = %e, %f0 = %f) -> (tensor<2x?x3xf32>, tensor<2x3xf32>) {
    %r1:2 = scf.for %c = %c0 to %c3 step %c1 iter_args(%y1 = %y0, %f1 = %f0) -> (tensor<2x?x3xf32>, tensor<2x3xf32>) {
      %z = arith.constant 0.0 : f32
      %dc = tensor.extract %d[%c] : tensor<3xf32>
      %r2:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %z, %y2 = %y1) -> (f32, tensor<2x?x3xf32>) {
        %av = tensor.extract %a[%b, %t, %c] : tensor<2x?x3xf32>
        %xv = tensor.extract %x[%b, %t, %c] : tensor<2x?x3xf32>
        %p = arith.mulf %av, %h : f32
        %s = arith.addf %p, %xv : f32
        %dx = arith.mulf %dc, %xv : f32
        %y = arith.addf %s, %dx : f32
        %w = tensor.insert %y into %y2[%b, %t, %c] : tensor<2x?x3xf32>
        scf.yield %s, %w : f32, tensor<2x?x3xf32>
      }
      %wf = tensor.insert %r2#0 into %f1[%b, %c] : tensor<2x3xf32>
      scf.yield %r2#1, %wf : tensor<2x?x3xf32>, tensor<2x3xf32>
    }
    scf.yield %r1#0, %r1#1 : tensor<2x?x3xf32>, tensor<2x3xf32>
  }
  return %r#0, %r#1 : tensor<2x?x3xf32>, tensor<2x3xf32>
}

// The state lies in the result: y[t] = a[t] y[t-1] + x[t] from row 1 on; row 0 is as it was.
// roughly: random:f32:Nx4:1 random:f32:Nx4:2
func.func @row_before(%a: tensor<?x4xf32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %t = %c1 to %n step %c1 iter_args(%y = %x) -> (tensor<?x4xf32>) {
    %before = arith.subi %t, %c1 : index
    %h = tensor.extract_slice %y[%before, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %at = tensor.extract_slice %a[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %p = arith.mulf %at, %h : tensor<4xf32>
    %s = arith.addf %p, %xt : tensor<4xf32>
    %w = tensor.insert_slice %s into %y[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %w : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// An rnn with tanh: no scan.
// roughly: random:f32:Nx4:1 random:f32:4:2
func.func @tanh_rnn(%x: tensor<?x4xf32>, %w: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %z, %ys = %e) -> (tensor<4xf32>, tensor<?x4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %p = arith.mulf %w, %h : tensor<4xf32>
    %s = arith.addf %p, %xt : tensor<4xf32>
    %next = math.tanh %s : tensor<4xf32>
    %o = tensor.insert_slice %next into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %o : tensor<4xf32>, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}
