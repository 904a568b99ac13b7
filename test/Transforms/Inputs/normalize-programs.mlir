// Programs whose numbers must not change under the passes. Above each stand the
// inputs to run it with: N is replaced by several extents of the scan
// dimension. `near` instead of `run` allows for rounding.

// run: random:f32:3xN:1
func.func @sum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The affine pair does not commute.
// run: random:f32:2xN:1 random:f32:2xN:2 const:f32::0.5 random:f32:2:3
func.func @affine(%a: tensor<2x?xf32>, %b: tensor<2x?xf32>, %i: f32, %j: tensor<2xf32>)
    -> (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>) {
  %y:4 = scan.associative ins(%a, %b : tensor<2x?xf32>, tensor<2x?xf32>)
      init(%i, %j : f32, tensor<2xf32>) dim = 1 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>
  return %y#0, %y#1, %y#2, %y#3 : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>
}

// run: random:f32:2xN:1 random:f32:2xN:2 const:f32::0.5 random:f32:2:3
func.func @affine_reverse_exclusive(%a: tensor<2x?xf32>, %b: tensor<2x?xf32>, %i: f32, %j: tensor<2xf32>)
    -> (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>) {
  %y:4 = scan.associative ins(%a, %b : tensor<2x?xf32>, tensor<2x?xf32>)
      init(%i, %j : f32, tensor<2xf32>) dim = 1 reverse exclusive {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>
  return %y#0, %y#1, %y#2, %y#3 : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>
}

// run: random:f64:Nx2x2:1
func.func @matrices(%m: tensor<?x2x2xf64>) -> (tensor<?x2x2xf64>, tensor<2x2xf64>) {
  %p, %last = scan.associative ins(%m : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>, tensor<2x2xf64>
  return %p, %last : tensor<?x2x2xf64>, tensor<2x2xf64>
}

// run: random:i32:3xNx2x2:1:-3:3 random:i32:3x2x2:2:-3:3
func.func @matrices_reverse_exclusive(%m: tensor<3x?x2x2xi32>, %i: tensor<3x2x2xi32>)
    -> (tensor<3x?x2x2xi32>, tensor<3x2x2xi32>) {
  %p, %last = scan.associative ins(%m : tensor<3x?x2x2xi32>) init(%i : tensor<3x2x2xi32>)
      dim = 1 reverse exclusive {
  ^bb0(%acc: tensor<2x2xi32>, %new: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xi32>, tensor<2x2xi32>)
                       outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %c : tensor<2x2xi32>
  } -> tensor<3x?x2x2xi32>, tensor<3x2x2xi32>
  return %p, %last : tensor<3x?x2x2xi32>, tensor<3x2x2xi32>
}

// run: random:bf16:Nx3:1 random:bf16:3:2
func.func @bf16(%x: tensor<?x3xbf16>, %i: tensor<3xbf16>) -> (tensor<?x3xbf16>, tensor<3xbf16>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xbf16>) init(%i : tensor<3xbf16>) dim = 0 reverse {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.addf %acc, %new : bf16
    scan.yield %s : bf16
  } -> tensor<?x3xbf16>, tensor<3xbf16>
  return %y, %last : tensor<?x3xbf16>, tensor<3xbf16>
}

// run: random:f16:Nx3:1
func.func @f16_in_f64(%x: tensor<?x3xf16>) -> tensor<?x3xf16> {
  %y = scan.associative ins(%x : tensor<?x3xf16>) dim = 0 attributes {accumulators = [f64]} {
  ^bb0(%acc: f16, %new: f16):
    %s = arith.addf %acc, %new : f16
    scan.yield %s : f16
  } -> tensor<?x3xf16>
  return %y : tensor<?x3xf16>
}

// run: random:i8:N:1
func.func @i8_in_i32(%x: tensor<?xi8>) -> (tensor<?xi8>, tensor<i8>) {
  %y, %last = scan.associative ins(%x : tensor<?xi8>) dim = 0 attributes {accumulators = [i32]} {
  ^bb0(%acc: i8, %new: i8):
    %s = arith.addi %acc, %new : i8
    scan.yield %s : i8
  } -> tensor<?xi8>, tensor<i8>
  return %y, %last : tensor<?xi8>, tensor<i8>
}

// run: random:i1:4xN:1
func.func @parity(%x: tensor<4x?xi1>) -> tensor<4x?xi1> {
  %y = scan.associative ins(%x : tensor<4x?xi1>) dim = 1 {
  ^bb0(%acc: i1, %new: i1):
    %s = arith.xori %acc, %new : i1
    scan.yield %s : i1
  } -> tensor<4x?xi1>
  return %y : tensor<4x?xi1>
}

// run: random:i1:2xN:1 random:f32:2xN:2
func.func @segmented(%f: tensor<?x?xi1>, %x: tensor<?x?xf32>) -> (tensor<?x?xi1>, tensor<?x?xf32>) {
  %g, %y = scan.associative ins(%f, %x : tensor<?x?xi1>, tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%f0: i1, %x0: f32, %f1: i1, %x1: f32):
    %f01 = arith.ori %f0, %f1 : i1
    %sum = arith.addf %x0, %x1 : f32
    %s = arith.select %f1, %x1, %sum : f32
    scan.yield %f01, %s : i1, f32
  } -> tensor<?x?xi1>, tensor<?x?xf32>
  return %g, %y : tensor<?x?xi1>, tensor<?x?xf32>
}

// run: random:i1:N:1 random:i64:N:2
func.func @newest(%flag: tensor<?xi1>, %x: tensor<?xi64>) -> tensor<?xi64> {
  %f, %y = scan.associative ins(%flag, %x : tensor<?xi1>, tensor<?xi64>) dim = 0 {
  ^bb0(%f0: i1, %x0: i64, %f1: i1, %x1: i64):
    %f = arith.ori %f0, %f1 : i1
    %n = scan.clone %x1 : i64
    scan.yield %f, %n : i1, i64
  } -> tensor<?xi1>, tensor<?xi64>
  return %y : tensor<?xi64>
}

// run: random:c64:Nx2:1 random:c64:Nx2:2 random:c64:2:3
func.func @complex_recurrence(%a: tensor<?x2xcomplex<f32>>, %b: tensor<?x2xcomplex<f32>>,
                              %h0: tensor<2xcomplex<f32>>)
    -> (tensor<?x2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x2xcomplex<f32>>, tensor<?x2xcomplex<f32>>)
      init(%h0 : tensor<2xcomplex<f32>>) dim = 0 reverse
      -> tensor<?x2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return %h, %last : tensor<?x2xcomplex<f32>>, tensor<2xcomplex<f32>>
}

// run: random:f32:1xNx4:1 random:f32:3xNx4:2 random:f32:3x4:3
func.func @shared_decay(%a: tensor<1x?x4xf32>, %b: tensor<?x?x4xf32>, %h0: tensor<?x4xf32>)
    -> (tensor<?x?x4xf32>, tensor<?x4xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?x4xf32>, tensor<?x?x4xf32>)
      init(%h0 : tensor<?x4xf32>) dim = 1 -> tensor<?x?x4xf32>, tensor<?x4xf32>
  return %h, %last : tensor<?x?x4xf32>, tensor<?x4xf32>
}

// run: random:bf16:2xNx3:1 random:bf16:2xNx3:2 const:bf16::0.5
func.func @bf16_recurrence(%a: tensor<2x?x3xbf16>, %b: tensor<2x?x3xbf16>, %h0: bf16)
    -> (tensor<2x?x3xbf16>, tensor<2x3xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<2x?x3xbf16>, tensor<2x?x3xbf16>)
      init(%h0 : bf16) dim = 1 -> tensor<2x?x3xbf16>, tensor<2x3xbf16>
  return %h, %last : tensor<2x?x3xbf16>, tensor<2x3xbf16>
}

// run: random:i16:Nx3:1 random:i16:Nx3:2
func.func @i16_recurrence(%a: tensor<?x3xi16>, %b: tensor<?x3xi16>) -> (tensor<?x3xi16>, tensor<3xi16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x3xi16>, tensor<?x3xi16>) dim = 0
      attributes {accumulator = i32} -> tensor<?x3xi16>, tensor<3xi16>
  return %h, %last : tensor<?x3xi16>, tensor<3xi16>
}

// No element at all in another dimension.
// run: random:f32:0xN:1
func.func @no_rows(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.mulf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %y, %last : tensor<?x?xf32>, tensor<?xf32>
}

// near: random:f32:3xN:1 const:f32::1e8
func.func @compensated(%x: tensor<3x?xf32>, %i: f32) -> (tensor<3x?xf32>, tensor<3xf32>) {
  %y, %last = scan.associative ins(%x : tensor<3x?xf32>) init(%i : f32) dim = 1 exclusive
      attributes {compensated} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<3x?xf32>, tensor<3xf32>
  return %y, %last : tensor<3x?xf32>, tensor<3xf32>
}

// run: random:f32:Nx0:1
func.func @no_elements(%x: tensor<?x0xf32>) -> (tensor<?x0xf32>, tensor<0xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x0xf32>) dim = 0 {
  ^bb0(%acc: tensor<0xf32>, %new: tensor<0xf32>):
    %s = arith.addf %acc, %new : tensor<0xf32>
    scan.yield %s : tensor<0xf32>
  } -> tensor<?x0xf32>, tensor<0xf32>
  return %y, %last : tensor<?x0xf32>, tensor<0xf32>
}
