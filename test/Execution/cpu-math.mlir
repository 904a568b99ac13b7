// Functions in compiled code against the reference interpreter, in the vectors
// of a scan, in the columns left over and outside of scans.

// RUN: scan-run %s --entry=gates --target=cpu --compare=reference --tolerance=1e-6 --input=random:f32:7x37:1 --input=random:f32:7x37:2
// RUN: scan-run %s --entry=elementwise --target=cpu --compare=reference --tolerance=1e-6 --input=random:f32:33:1
// RUN: scan-run %s --entry=wide --target=cpu --compare=reference --tolerance=1e-6 --input=random:f64:33:1
// RUN: scan-run %s --entry=narrow --target=cpu --compare=reference --tolerance=1e-2 --input=random:bf16:33:1 --input=random:f16:33:2
// RUN: scan-run %s --entry=small --target=cpu --compare=reference --tolerance=1e-6 --input=random:f32:8:1
// RUN: scan-run %s --entry=special --target=cpu --compare=reference --tolerance=0 --input=random:f32:20:1

// A fold in order has the same bits for one row, for rows side by side and for columns, in
// vectors and in what is left over.

// RUN: scan-run %s --entry=in_order --target=cpu --compare=reference --tolerance=0 --input=random:f32:300:1 --input=random:f32:300:2 | FileCheck %s --check-prefix=ORDER
// ORDER: 0 19x300xi32 0 0 0 0
// ORDER: 1 300x19xi32 0 0 0 0

func.func @gates(%g: tensor<?x?xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = math.tanh %g : tensor<?x?xf32>
  %d = math.expm1 %a : tensor<?x?xf32>
  %h = scan.linear_recurrence ins(%a, %d : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 -> tensor<?x?xf32>
  %e = math.exp %h : tensor<?x?xf32>
  %y = arith.mulf %e, %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @elementwise(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %p = math.absf %x : tensor<?xf32>
  %0 = math.exp %x : tensor<?xf32>
  %1 = math.expm1 %x : tensor<?xf32>
  %2 = math.tanh %x : tensor<?xf32>
  %3 = math.log1p %p : tensor<?xf32>
  %4 = math.sqrt %p : tensor<?xf32>
  %5 = math.erf %x : tensor<?xf32>
  %6 = math.sin %x : tensor<?xf32>
  %7 = math.log %p : tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @wide(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %0 = math.exp %x : tensor<?xf64>
  %1 = math.expm1 %x : tensor<?xf64>
  %2 = math.tanh %x : tensor<?xf64>
  return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

func.func @narrow(%x: tensor<?xbf16>, %y: tensor<?xf16>) -> (tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>) {
  %0 = math.exp %x : tensor<?xbf16>
  %1 = math.expm1 %y : tensor<?xf16>
  %2 = arith.mulf %x, %0 : tensor<?xbf16>
  return %0, %1, %2 : tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>
}

// Results below the normal numbers, scaled up to be compared. Here and below the
// input only keeps constants from being folded.
func.func @small(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %nothing = arith.mulf %x, %zero : tensor<8xf32>
  %values = arith.constant dense<[-87.5, -88.0, -89.0, -90.0, -95.0, -100.0, -103.0, -104.5]> : tensor<8xf32>
  %v = arith.addf %values, %nothing : tensor<8xf32>
  %y = math.exp %v : tensor<8xf32>
  %scale = arith.constant dense<0x7E800000> : tensor<8xf32>
  %z = arith.mulf %y, %scale : tensor<8xf32>
  return %z : tensor<8xf32>
}

// Which results are NaN, infinite, zero or of which sign.
func.func @special(%x: tensor<20xf32>) -> (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) {
  %zero = arith.constant dense<0.0> : tensor<20xf32>
  %nothing = arith.mulf %x, %zero : tensor<20xf32>
  %values = arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 0.0, 1.0e-30, -1.0e-10, -87.0, -88.0, -100.0, -103.5, -104.5, -1.0e38, 88.5, 88.8, 29.9, 30.1, 1.0e-40, -1.0, -0.99999, 3.0e38]> : tensor<20xf32>
  %v = arith.addf %values, %nothing : tensor<20xf32>
  %0 = math.exp %v : tensor<20xf32>
  %c0 = func.call @class(%0) : (tensor<20xf32>) -> tensor<20xi32>
  %1 = math.expm1 %v : tensor<20xf32>
  %c1 = func.call @class(%1) : (tensor<20xf32>) -> tensor<20xi32>
  %2 = math.tanh %v : tensor<20xf32>
  %c2 = func.call @class(%2) : (tensor<20xf32>) -> tensor<20xi32>
  %3 = math.log %v : tensor<20xf32>
  %c3 = func.call @class(%3) : (tensor<20xf32>) -> tensor<20xi32>
  %4 = math.log1p %v : tensor<20xf32>
  %c4 = func.call @class(%4) : (tensor<20xf32>) -> tensor<20xi32>
  return %c0, %c1, %c2, %c3, %c4 : tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>, tensor<20xi32>
}

func.func private @class(%y: tensor<20xf32>) -> tensor<20xi32> {
  %zero = arith.constant dense<0.0> : tensor<20xf32>
  %infinity = arith.constant dense<0x7F800000> : tensor<20xf32>
  %c0 = arith.constant dense<0> : tensor<20xi32>
  %c1 = arith.constant dense<1> : tensor<20xi32>
  %c2 = arith.constant dense<2> : tensor<20xi32>
  %c4 = arith.constant dense<4> : tensor<20xi32>
  %c8 = arith.constant dense<8> : tensor<20xi32>
  %abs = math.absf %y : tensor<20xf32>
  %is_nan = arith.cmpf uno, %y, %y : tensor<20xf32>
  %is_infinite = arith.cmpf oeq, %abs, %infinity : tensor<20xf32>
  %is_zero = arith.cmpf oeq, %y, %zero : tensor<20xf32>
  %is_negative = arith.cmpf olt, %y, %zero : tensor<20xf32>
  %n = arith.select %is_nan, %c1, %c0 : tensor<20xi1>, tensor<20xi32>
  %i = arith.select %is_infinite, %c2, %c0 : tensor<20xi1>, tensor<20xi32>
  %z = arith.select %is_zero, %c4, %c0 : tensor<20xi1>, tensor<20xi32>
  %s = arith.select %is_negative, %c8, %c0 : tensor<20xi1>, tensor<20xi32>
  %ni = arith.addi %n, %i : tensor<20xi32>
  %nz = arith.addi %ni, %z : tensor<20xi32>
  %class = arith.addi %nz, %s : tensor<20xi32>
  return %class : tensor<20xi32>
}

func.func @in_order(%m: tensor<?xf32>, %s: tensor<?xf32>) -> (tensor<19x?xi32>, tensor<?x19xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %m, %c0 : tensor<?xf32>
  %er = tensor.empty(%n) : tensor<19x?xf32>
  %ec = tensor.empty(%n) : tensor<?x19xf32>
  %mr = linalg.broadcast ins(%m : tensor<?xf32>) outs(%er : tensor<19x?xf32>) dimensions = [0]
  %sr = linalg.broadcast ins(%s : tensor<?xf32>) outs(%er : tensor<19x?xf32>) dimensions = [0]
  %mc = linalg.broadcast ins(%m : tensor<?xf32>) outs(%ec : tensor<?x19xf32>) dimensions = [1]
  %sc = linalg.broadcast ins(%s : tensor<?xf32>) outs(%ec : tensor<?x19xf32>) dimensions = [1]
  %one:2 = scan.associative ins(%m, %s : tensor<?xf32>, tensor<?xf32>) dim = 0 attributes {order = #scan.order<sequential>} {
  ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
    %max = arith.maximumf %a0, %b0 : f32
    %u = arith.subf %a0, %max : f32
    %v = arith.subf %b0, %max : f32
    %e = math.exp %u : f32
    %f = math.exp %v : f32
    %p = arith.mulf %a1, %e : f32
    %q = arith.mulf %b1, %f : f32
    %t = arith.addf %p, %q : f32
    scan.yield %max, %t : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  %rows:2 = scan.associative ins(%mr, %sr : tensor<19x?xf32>, tensor<19x?xf32>) dim = 1 attributes {order = #scan.order<sequential>} {
  ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
    %max = arith.maximumf %a0, %b0 : f32
    %u = arith.subf %a0, %max : f32
    %v = arith.subf %b0, %max : f32
    %e = math.exp %u : f32
    %f = math.exp %v : f32
    %p = arith.mulf %a1, %e : f32
    %q = arith.mulf %b1, %f : f32
    %t = arith.addf %p, %q : f32
    scan.yield %max, %t : f32, f32
  } -> tensor<19x?xf32>, tensor<19x?xf32>
  %columns:2 = scan.associative ins(%mc, %sc : tensor<?x19xf32>, tensor<?x19xf32>) dim = 0 attributes {order = #scan.order<sequential>} {
  ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
    %max = arith.maximumf %a0, %b0 : f32
    %u = arith.subf %a0, %max : f32
    %v = arith.subf %b0, %max : f32
    %e = math.exp %u : f32
    %f = math.exp %v : f32
    %p = arith.mulf %a1, %e : f32
    %q = arith.mulf %b1, %f : f32
    %t = arith.addf %p, %q : f32
    scan.yield %max, %t : f32, f32
  } -> tensor<?x19xf32>, tensor<?x19xf32>
  %one_r = linalg.broadcast ins(%one#1 : tensor<?xf32>) outs(%er : tensor<19x?xf32>) dimensions = [0]
  %one_c = linalg.broadcast ins(%one#1 : tensor<?xf32>) outs(%ec : tensor<?x19xf32>) dimensions = [1]
  %dra = arith.bitcast %rows#1 : tensor<19x?xf32> to tensor<19x?xi32>
  %drb = arith.bitcast %one_r : tensor<19x?xf32> to tensor<19x?xi32>
  %dr = arith.xori %dra, %drb : tensor<19x?xi32>
  %dca = arith.bitcast %columns#1 : tensor<?x19xf32> to tensor<?x19xi32>
  %dcb = arith.bitcast %one_c : tensor<?x19xf32> to tensor<?x19xi32>
  %dc = arith.xori %dca, %dcb : tensor<?x19xi32>
  return %dr, %dc : tensor<19x?xi32>, tensor<?x19xi32>
}
