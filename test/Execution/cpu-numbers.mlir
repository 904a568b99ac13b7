// Numbers of the compiled code against the reference interpreter.

// Along an outer dimension: blocks of columns, vectors and what is left over.
// RUN: scan-run %s --entry=recurrence --target=cpu --compare=reference --tolerance=0 --input=random:f32:3x5x37:1 --input=random:f32:3x5x37:2 --input=random:f32:3x37:3
// RUN: scan-run %s --entry=recurrence --target=cpu --compare=reference --tolerance=0 --input=random:f32:2x1x16:1 --input=random:f32:2x1x16:2 --input=random:f32:2x16:3
// RUN: scan-run %s --entry=recurrence --target=cpu --compare=reference --tolerance=0 --input=random:f32:2x0x5:1 --input=random:f32:2x0x5:2 --input=random:f32:2x5:3
// RUN: scan-run %s --entry=recurrence --target=cpu --compare=reference --tolerance=0 --input=random:f32:1x3x4100:1 --input=random:f32:1x3x4100:2 --input=random:f32:1x4100:3
// RUN: scan-run %s --entry=recurrence --target=cpu --compare=reference --tolerance=0 --input=random:f32:2x7x0:1 --input=random:f32:2x7x0:2 --input=random:f32:2x0:3

// Along the innermost dimension: several rows at a time and what is left over,
// with an operator that is not associative.
// RUN: scan-run %s --entry=rows --target=cpu --compare=reference --tolerance=0 --input=random:i16:7x33:1 --input=random:i16:7:2
// RUN: scan-run %s --entry=rows --target=cpu --compare=reference --tolerance=0 --input=random:i16:4x1:1 --input=random:i16:4:2
// RUN: scan-run %s --entry=rows --target=cpu --compare=reference --tolerance=0 --input=random:i16:3x0:1 --input=random:i16:3:2

// Matrices do not commute.
// RUN: scan-run %s --entry=matrices --target=cpu --compare=reference --tolerance=0 --input=random:f64:3x9x2x2:1
// RUN: scan-run %s --entry=matrices --target=cpu --compare=reference --tolerance=0 --input=random:f64:3x0x2x2:1

// Flags in memory have a byte each, also where they are carried and returned.
// RUN: scan-run %s --entry=segments --target=cpu --compare=reference --tolerance=0 --input=random:i1:9x19:1 --input=random:bf16:9x19:2
// RUN: scan-run %s --entry=flags --target=cpu --compare=reference --tolerance=0 --input=random:i1:9x70:1
// RUN: scan-run %s --entry=complex --target=cpu --compare=reference --tolerance=0 --input=random:complex\<f32\>:6x5:1 --input=random:complex\<f32\>:6x5:2

// One scan after the other in place, results that alias and a strided one.
// RUN: scan-run %s --entry=chain --target=cpu --compare=reference --tolerance=1e-6 --input=random:f32:9x37:1
// RUN: scan-run %s --entry=views --target=cpu --compare=reference --tolerance=0 --input=random:f32:9x7:1
// RUN: scan-run %s --entry=nested --target=cpu --compare=reference --tolerance=0 --input=random:f32:3x18:1

// Inputs are not written to, whatever the function says about its arguments:
// all of the timed runs give the same.
// RUN: scan-run %s --entry=writable --target=cpu --compare=reference --tolerance=0 --time --input=random:i32:9x37:1

func.func @recurrence(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %h0: tensor<?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%h0 : tensor<?x?xf32>) dim = 1 reverse -> tensor<?x?x?xf32>, tensor<?x?xf32>
  return %h, %last : tensor<?x?x?xf32>, tensor<?x?xf32>
}

func.func @rows(%x: tensor<?x?xi16>, %i: tensor<?xi16>) -> (tensor<?x?xi16>, tensor<?xi16>) {
  %y, %last = scan.associative ins(%x : tensor<?x?xi16>) init(%i : tensor<?xi16>) dim = 1 reverse exclusive attributes {order = #scan.order<sequential>} {
  ^bb0(%acc: i16, %new: i16):
    %s = arith.subi %acc, %new : i16
    scan.yield %s : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  return %y, %last : tensor<?x?xi16>, tensor<?xi16>
}

func.func @matrices(%m: tensor<?x?x2x2xf64>) -> (tensor<?x?x2x2xf64>, tensor<?x2x2xf64>, tensor<?x?x2x2xf64>) {
  %y, %last = scan.associative ins(%m : tensor<?x?x2x2xf64>) dim = 1 reverse {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x?x2x2xf64>, tensor<?x2x2xf64>
  %z = scan.associative ins(%y : tensor<?x?x2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%new, %acc : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x?x2x2xf64>
  return %y, %last, %z : tensor<?x?x2x2xf64>, tensor<?x2x2xf64>, tensor<?x?x2x2xf64>
}

func.func @segments(%f: tensor<?x?xi1>, %x: tensor<?x?xbf16>) -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %g, %y = scan.associative ins(%f, %x : tensor<?x?xi1>, tensor<?x?xbf16>) dim = 0 {
  ^bb0(%f0: i1, %x0: bf16, %f1: i1, %x1: bf16):
    %s = arith.addf %x0, %x1 : bf16
    %r = arith.select %f1, %x1, %s : bf16
    %o = arith.ori %f0, %f1 : i1
    scan.yield %o, %r : i1, bf16
  } -> tensor<?x?xi1>, tensor<?x?xbf16>
  %g1, %z = scan.associative ins(%f, %x : tensor<?x?xi1>, tensor<?x?xbf16>) dim = 1 reverse {
  ^bb0(%f0: i1, %x0: bf16, %f1: i1, %x1: bf16):
    %s = arith.addf %x0, %x1 : bf16
    %r = arith.select %f1, %x1, %s : bf16
    %o = arith.ori %f0, %f1 : i1
    scan.yield %o, %r : i1, bf16
  } -> tensor<?x?xi1>, tensor<?x?xbf16>
  return %y, %z : tensor<?x?xbf16>, tensor<?x?xbf16>
}

func.func @flags(%f: tensor<?x?xi1>) -> (tensor<?x?xi1>, tensor<?xi1>) {
  %y, %last = scan.associative ins(%f : tensor<?x?xi1>) dim = 0 {
  ^bb0(%acc: i1, %new: i1):
    %s = arith.xori %acc, %new : i1
    scan.yield %s : i1
  } -> tensor<?x?xi1>, tensor<?xi1>
  return %y, %last : tensor<?x?xi1>, tensor<?xi1>
}

func.func @complex(%a: tensor<?x?xcomplex<f32>>, %b: tensor<?x?xcomplex<f32>>) -> (tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) dim = 0 -> tensor<?x?xcomplex<f32>>
  %g = scan.linear_recurrence ins(%a, %b : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) dim = 1 reverse -> tensor<?x?xcomplex<f32>>
  return %h, %g : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>
}

func.func @chain(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %z = scan.associative ins(%y : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%x, %z : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 reverse -> tensor<?x?xf32>
  return %h, %y : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @views(%x: tensor<9x7xf32>) -> (tensor<4x3xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<9x7xf32>) {
  %y = scan.associative ins(%x : tensor<9x7xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<9x7xf32>
  %v = tensor.extract_slice %y[1, 0] [4, 3] [2, 2] : tensor<9x7xf32> to tensor<4x3xf32>
  return %v, %y, %y, %x : tensor<4x3xf32>, tensor<9x7xf32>, tensor<9x7xf32>, tensor<9x7xf32>
}

// A scan in a loop, over rows that are set in place.
func.func @nested(%x: tensor<3x18xf32>) -> tensor<3x18xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %x) -> tensor<3x18xf32> {
    %y = func.call @column_sums(%acc) : (tensor<3x18xf32>) -> tensor<3x18xf32>
    scf.yield %y : tensor<3x18xf32>
  }
  return %r : tensor<3x18xf32>
}

func.func private @column_sums(%x: tensor<3x18xf32>) -> tensor<3x18xf32> {
  %y = scan.associative ins(%x : tensor<3x18xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.subf %new, %acc : f32
    scan.yield %s : f32
  } -> tensor<3x18xf32>
  return %y : tensor<3x18xf32>
}

func.func @writable(%x: tensor<9x37xi32> {bufferization.writable = true}) -> tensor<9x37xi32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0, %c0] : tensor<9x37xi32>
  %c = arith.constant 7 : i32
  %w = arith.addi %v, %c : i32
  %y = tensor.insert %w into %x[%c0, %c0] : tensor<9x37xi32>
  %z = scan.associative ins(%y : tensor<9x37xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<9x37xi32>
  return %z : tensor<9x37xi32>
}
