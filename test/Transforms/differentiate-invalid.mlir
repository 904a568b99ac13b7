// RUN: scan-opt %s --split-input-file --scan-differentiate="function=f" --verify-diagnostics

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  // expected-error@+1 {{'func.call' op calls another function, which is not differentiated; --inline puts its body here}}
  %y = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func private @g(tensor<8xf32>) -> tensor<8xf32>

// -----

func.func @f(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' op is control flow, which is not differentiated; scans, structured operations on tensors, and in the steps of a scan.recurrence short loops and branches whose sides can both be computed are}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %b = math.exp %a : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>, %edge: f32) -> tensor<10xf32> { // expected-note {{while differentiating 'f'}}
  // expected-error@+1 {{'tensor.pad' op pads with a value that depends on an argument, or differs; tensor.concat with it has a derivative}}
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %edge : f32
  } : tensor<8xf32> to tensor<10xf32>
  return %y : tensor<10xf32>
}

// -----

func.func @f(%x: complex<f32>) -> complex<f32> { // expected-note {{while differentiating 'f'}}
  // expected-error@+1 {{'complex.sign' op has no derivative that is known here}}
  %y = complex.sign %x : complex<f32>
  return %y : complex<f32>
}

// -----

// A window whose steps the result does not have.
func.func @f(%x: tensor<8xf32>, %e: tensor<1xf32>) -> tensor<1xf32> { // expected-note {{while differentiating 'f'}}
  %w = tensor.empty() : tensor<6xf32>
  %k = tensor.empty() : tensor<3xf32>
  // expected-error@+1 {{'linalg.generic' op reads an operand at indices that are not loop indices, each once; a slice before the operation (tensor.extract_slice) can be differentiated}}
  %y = linalg.generic {
      indexing_maps = [affine_map<(c, t, k) -> (t + k)>, affine_map<(c, t, k) -> (t)>, affine_map<(c, t, k) -> (k)>,
                       affine_map<(c, t, k) -> (c)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %k : tensor<8xf32>, tensor<6xf32>, tensor<3xf32>) outs(%e : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// -----

func.func @f(%x: tensor<8x4xf32>) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  %one = arith.constant dense<1.0> : tensor<8xf32>
  // expected-error@+1 {{'linalg.reduce' op is a reduction whose derivative depends on the order of its steps; only sums can be differentiated, and a scan (scan.associative, its final state) for any other associative operator}}
  %y = linalg.reduce { arith.mulf } ins(%x : tensor<8x4xf32>) outs(%one : tensor<8xf32>) dimensions = [1]
  return %y : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8x4xf32>) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error@+1 {{'linalg.generic' op is a reduction other than a sum; only sums can be differentiated, and a scan (scan.associative, its final state) for any other associative operator}}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x4xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %d = arith.subf %e, %acc : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<6xf32> { // expected-note {{while differentiating 'f'}}
  %e = tensor.empty() : tensor<6xf32>
  %w = tensor.empty() : tensor<3xf32>
  // expected-error@+1 {{'linalg.generic' op reads an operand at indices that are not loop indices, each once; a slice before the operation (tensor.extract_slice) can be differentiated}}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i + j floordiv 2)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<8xf32>, tensor<3xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @f(%x: tensor<8x4xf32>) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{'linalg.generic' op reads an operand at index 0 of a dimension whose extent is not 1; a slice before the operation (tensor.extract_slice) can be differentiated}}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  // expected-note@+1 {{in this operation}}
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    %i = arith.bitcast %s : f32 to i32
    %c = arith.cmpf oge, %s, %acc : f32
    // expected-error@+1 {{'scf.if' op has no derivative that is known here}}
    %r = scf.if %c -> f32 {
      scf.yield %s : f32
    } else {
      scf.yield %acc : f32
    }
    scan.yield %r : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> { // expected-note {{while differentiating 'f'}}
  // expected-note@+1 {{in this operation}}
  %y = scan.associative ins(%x : tensor<8xcomplex<f32>>) dim = 0 {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    // expected-error@+1 {{'complex.conj' op has no complex derivative, so that a combine region with it has no complex Jacobian matrix; leaves that hold real and imaginary parts can be differentiated}}
    %c = complex.conj %acc : complex<f32>
    %s = complex.add %c, %new : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<8xcomplex<f32>>
  return %y : tensor<8xcomplex<f32>>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { // expected-note {{while differentiating 'f'}}
  %e = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{'scan.kernel' op cannot be differentiated; --scan-differentiate comes before --scan-normalize}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%a: f32):
        scan.yield %a : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %a: f32):
        scan.yield %inclusive : f32
      } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<4xf32>) -> tensor<4xf32> { // expected-note {{while differentiating 'f'}}
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op reads a whole tensor in its body, at places that are not differentiated; an operand with an indexing map can be}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %n[%i] : tensor<4xf32>
    %m = arith.mulf %v, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Through memory a value would come back without its derivative.

func.func @f(%x: memref<4xf32>, %s: f32) -> f32 { // expected-note {{while differentiating 'f'}}
  %c = arith.constant 0 : index
  %y = memref.load %x[%c] : memref<4xf32>
  %z = arith.mulf %y, %s : f32
  // expected-error@+1 {{'memref.store' op has an effect on memory, through which values are not followed; tensors can be differentiated}}
  memref.store %z, %x[%c] : memref<4xf32>
  %u = memref.load %x[%c] : memref<4xf32>
  %r = arith.addf %u, %z : f32
  return %r : f32
}

// -----

// expected-error@+1 {{'func.func' op has no argument of floating-point or complex numbers, so that there is nothing to differentiate}}
func.func @f(%x: tensor<8xi32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}

// -----

// expected-error@+1 {{'func.func' op has no result of floating-point or complex numbers, so that there is nothing to differentiate}}
func.func @f(%x: f32) -> i32 {
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

// expected-error@+1 {{'func.func' op cannot be differentiated: expected a body of one block, found 0}}
func.func private @f(f32) -> f32

// -----

// expected-error@+1 {{'func.func' op cannot be differentiated: there is a symbol 'f_vjp' already; name=... gives the derivative another name}}
func.func @f(%x: f32) -> f32 {
  return %x : f32
}
func.func private @f_vjp()

// -----

// expected-error@below {{there is no function 'f'}}
module {
}

// -----

func.func @f(%x: tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>> { // expected-note {{while differentiating 'f'}}
  // expected-note@+1 {{in this operation}}
  %y = scan.associative ins(%x : tensor<?xcomplex<f64>>) dim = 0 {
  ^bb0(%acc: complex<f64>, %new: complex<f64>):
    // expected-error@+1 {{'complex.conj' op has no complex derivative, so that a combine region with it has no complex Jacobian matrix; leaves that hold real and imaginary parts can be differentiated}}
    %c = complex.conj %new : complex<f64>
    scan.yield %c : complex<f64>
  } -> tensor<?xcomplex<f64>>
  return %y : tensor<?xcomplex<f64>>
}

// -----

// A matrix as a leaf, with an operation that cannot be split into elements: the
// operation is the user's.

func.func @f(%x: tensor<?x2x2xf32>) -> tensor<?x2x2xf32> { // expected-note {{while differentiating 'f'}}
  // expected-note@+1 {{in this operation}}
  %y = scan.associative ins(%x : tensor<?x2x2xf32>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %zero = arith.constant 0.0 : f32
    %n = arith.addf %acc, %new : tensor<2x2xf32>
    // expected-error@+1 {{'tensor.pad' op has no rewrite to scalar operations}}
    %p = tensor.pad %n low[0, 0] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<2x2xf32> to tensor<2x2xf32>
    scan.yield %p : tensor<2x2xf32>
  } -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}

// -----

// A gather cannot be differentiated: the derivative of a scatter has one.

func.func @f(%g: tensor<4xf32>, %i: tensor<2xindex>) -> tensor<2xf32> { // expected-note {{while differentiating 'f'}}
  %e = tensor.empty() : tensor<2xf32>
  // expected-error@+1 {{'linalg.generic' op reads a whole tensor in its body, at places that are not differentiated; an operand with an indexing map can be}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<2xindex>) outs(%e : tensor<2xf32>) {
  ^bb0(%at: index, %out: f32):
    %v = tensor.extract %g[%at] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}
