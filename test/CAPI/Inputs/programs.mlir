// What the C programs run.

// h_t = a_t * h_{t+1} + b_t, and the final state.
func.func @recurrence(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %h0: tensor<?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%h0 : tensor<?x?xf32>) dim = 1 reverse -> tensor<?x?x?xf32>, tensor<?x?xf32>
  return %h, %last : tensor<?x?x?xf32>, tensor<?x?xf32>
}

// Compositions of x -> a * x + b: the operands do not commute.
func.func @affine(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %p, %q, %r, %s = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) init(%one, %zero : i32, i32) dim = 1 reverse exclusive {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %m = arith.muli %a0, %a1 : i32
    %t = arith.muli %a1, %b0 : i32
    %n = arith.addi %t, %b1 : i32
    scan.yield %m, %n : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p, %q, %s : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>
}

// Sums that begin anew where a flag is set.
func.func @segments(%f: tensor<?xi1>, %x: tensor<?xbf16>) -> (tensor<?xi1>, tensor<?xbf16>) {
  %g, %y = scan.associative ins(%f, %x : tensor<?xi1>, tensor<?xbf16>) dim = 0 {
  ^bb0(%f0: i1, %x0: bf16, %f1: i1, %x1: bf16):
    %s = arith.addf %x0, %x1 : bf16
    %r = arith.select %f1, %x1, %s : bf16
    %o = arith.ori %f0, %f1 : i1
    scan.yield %o, %r : i1, bf16
  } -> tensor<?xi1>, tensor<?xbf16>
  return %g, %y : tensor<?xi1>, tensor<?xbf16>
}

// Products of matrices, and views of what is returned as well.
func.func @matrices(%m: tensor<3x5x2x2xf64>) -> (tensor<3x5x2x2xf64>, tensor<2x2x2x2xf64>, tensor<3x5x2x2xf64>) {
  %y = scan.associative ins(%m : tensor<3x5x2x2xf64>) dim = 1 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<3x5x2x2xf64>
  %v = tensor.extract_slice %y[1, 0, 0, 0] [2, 2, 2, 2] [1, 2, 1, 1] : tensor<3x5x2x2xf64> to tensor<2x2x2x2xf64>
  return %y, %v, %m : tensor<3x5x2x2xf64>, tensor<2x2x2x2xf64>, tensor<3x5x2x2xf64>
}

// The same array three times, a part of it, and the argument.
func.func @shared(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<1xi32>, tensor<?xi32>, tensor<3xi32>) {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  %v = tensor.extract_slice %y[1] [1] [1] : tensor<?xi32> to tensor<1xi32>
  %c = arith.constant dense<[5, 6, 7]> : tensor<3xi32>
  return %y, %y, %v, %x, %c : tensor<?xi32>, tensor<?xi32>, tensor<1xi32>, tensor<?xi32>, tensor<3xi32>
}

func.func @scalars(%x: f32, %n: index, %t: tensor<f32>, %b: i1) -> (f32, index, tensor<f32>, i1) {
  %u = tensor.extract %t[] : tensor<f32>
  %y = arith.addf %x, %u : f32
  %m = arith.addi %n, %n : index
  %s = arith.addf %t, %t : tensor<f32>
  %true = arith.constant true
  %c = arith.xori %b, %true : i1
  return %y, %m, %s, %c : f32, index, tensor<f32>, i1
}

// As many elements as the caller says.
func.func @prefix(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %v = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %y = scan.associative ins(%v : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @indices(%x: tensor<?xindex>) -> tensor<?xindex> {
  %y = arith.muli %x, %x : tensor<?xindex>
  return %y : tensor<?xindex>
}

func.func @first(%x: tensor<?xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<?xi8>
  return %v : i8
}

func.func @sums(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @static(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = func.call @static_sums(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func private @static_sums(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = scan.associative ins(%x : tensor<4x8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @nothing() {
  return
}

func.func @flag(%f: i1) -> i1 {
  return %f : i1
}

func.func @huge() -> tensor<?xf32> {
  %n = arith.constant 1152921504606846976 : index
  %c = arith.constant 1.0 : f32
  %s = tensor.splat %c[%n] : tensor<?xf32>
  return %s : tensor<?xf32>
}

// What has no counterpart in C, or cannot be compiled.
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>

func.func @unknown_callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = func.call @declared(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

func.func @nibbles(%x: tensor<8xi4>) -> tensor<8xi4> {
  return %x : tensor<8xi4>
}

func.func @unsigned(%x: f32) -> ui32 {
  %y = builtin.unrealized_conversion_cast %x : f32 to ui32
  return %y : ui32
}

func.func @unranked(%x: tensor<*xf32>) {
  return
}
