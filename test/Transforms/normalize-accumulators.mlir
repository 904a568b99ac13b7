// RUN: scan-opt %s --scan-normalize | FileCheck %s

// No arithmetic in 16 bits is left in a combine region: constants and
// comparisons are retyped, conversions between the two types vanish.
// CHECK-LABEL: func @promoted
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[C:.+]] = arith.constant 1.500000e+00 : f32
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %[[E:.+]] = math.exp %[[S]] : f32
// CHECK-NEXT:      %[[G:.+]] = arith.cmpf ogt, %[[E]], %[[C]] : f32
// CHECK-NEXT:      %[[R:.+]] = arith.select %[[G]], %[[E]], %[[S]] : f32
// CHECK-NEXT:      scan.yield %[[R]] : f32
func.func @promoted(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = scan.associative ins(%x : tensor<?xf16>) dim = 0 {
  ^bb0(%acc: f16, %new: f16):
    %c = arith.constant 1.5 : f16
    %s = arith.addf %acc, %new : f16
    %w = arith.extf %s : f16 to f32
    %e = math.exp %w : f32
    %t = arith.truncf %e : f32 to f16
    %g = arith.cmpf ogt, %t, %c : f16
    %r = arith.select %g, %t, %s : f16
    scan.yield %r : f16
  } -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// Control flow passes the wide values on.
// CHECK-LABEL: func @control_flow
// CHECK:         combine {
// CHECK:           %[[R:.+]] = scf.if %{{.+}} -> (f32) {
// CHECK-NEXT:        %[[M:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:        scf.yield %[[M]] : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %{{.+}} : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      scan.yield %[[R]] : f32
func.func @control_flow(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %y = scan.associative ins(%x : tensor<?xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %g = arith.cmpf ogt, %acc, %new : bf16
    %r = scf.if %g -> bf16 {
      %m = arith.mulf %acc, %new : bf16
      scf.yield %m : bf16
    } else {
      scf.yield %new : bf16
    }
    scan.yield %r : bf16
  } -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// What looks at bits sees the bits of the original type.
// CHECK-LABEL: func @bits
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[S:.+]] = arith.maxnumf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %[[T:.+]] = arith.truncf %[[S]] : f32 to bf16
// CHECK-NEXT:      %[[I:.+]] = arith.bitcast %[[T]] : bf16 to i16
// CHECK-NEXT:      %[[F:.+]] = arith.bitcast %[[I]] : i16 to bf16
// CHECK-NEXT:      %[[W:.+]] = arith.extf %[[F]] : bf16 to f32
// CHECK-NEXT:      scan.yield %[[W]] : f32
func.func @bits(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %y = scan.associative ins(%x : tensor<?xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.maxnumf %acc, %new : bf16
    %i = arith.bitcast %s : bf16 to i16
    %f = arith.bitcast %i : i16 to bf16
    scan.yield %f : bf16
  } -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}

// CHECK-LABEL: func @f64_accumulator
// CHECK:         load {
// CHECK:           arith.extf %{{.+}} : f32 to f64
// CHECK:         combine {
// CHECK:           arith.constant 1.250000e-01 : f64
// CHECK:           arith.mulf %{{.+}}, %{{.+}} : f64
// CHECK:           arith.addf %{{.+}}, %{{.+}} : f64
// CHECK:         store {
// CHECK:           arith.truncf %{{.+}} : f64 to f32
func.func @f64_accumulator(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 attributes {accumulators = [f64]} {
  ^bb0(%acc: f32, %new: f32):
    %c = arith.constant 0.125 : f32
    %p = arith.mulf %acc, %c : f32
    %s = arith.addf %p, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Two leaves of one type with different accumulators compute in the wider one.
// CHECK-LABEL: func @mixed
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: f32, %[[B0:.+]]: f64, %[[A1:.+]]: f32, %[[B1:.+]]: f64):
// CHECK:           %[[S:.+]] = arith.addf %{{.+}}, %{{.+}} : f64
// CHECK:           arith.addf %[[B0]], %[[B1]] : f64
// CHECK:           arith.truncf %[[S]] : f64 to f32
func.func @mixed(%a: tensor<?xf16>, %b: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xf16>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?xf16>, tensor<?xf16>) dim = 0
      attributes {accumulators = [f32, f64]} {
  ^bb0(%a0: f16, %b0: f16, %a1: f16, %b1: f16):
    %s = arith.addf %a0, %a1 : f16
    %t = arith.addf %b0, %b1 : f16
    scan.yield %s, %t : f16, f16
  } -> tensor<?xf16>, tensor<?xf16>
  return %p, %q : tensor<?xf16>, tensor<?xf16>
}

// Operations that read integers as unsigned see the original width.
// CHECK-LABEL: func @integers
// CHECK:         load {
// CHECK:           arith.extsi %{{.+}} : i8 to i32
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: i32, %[[B:.+]]: i32):
// CHECK-NEXT:      %[[C:.+]] = arith.constant -3 : i32
// CHECK-NEXT:      %[[S:.+]] = arith.addi %[[A]], %[[B]] : i32
// CHECK-NEXT:      %[[M:.+]] = arith.maxsi %[[S]], %[[C]] : i32
// CHECK-NEXT:      %[[TM:.+]] = arith.trunci %[[M]] : i32 to i8
// CHECK-NEXT:      %[[TC:.+]] = arith.constant -3 : i8
// CHECK-NEXT:      %[[U:.+]] = arith.shrui %[[TM]], %[[TC]] : i8
// CHECK-NEXT:      %[[W:.+]] = arith.extsi %[[U]] : i8 to i32
// CHECK-NEXT:      scan.yield %[[W]] : i32
func.func @integers(%x: tensor<?xi8>) -> tensor<?xi8> {
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 attributes {accumulators = [i32]} {
  ^bb0(%acc: i8, %new: i8):
    %c = arith.constant -3 : i8
    %s = arith.addi %acc, %new : i8
    %m = arith.maxsi %s, %c : i8
    %u = arith.shrui %m, %c : i8
    scan.yield %u : i8
  } -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// CHECK-LABEL: func @complex
// CHECK:         load {
// CHECK:           %[[RE:.+]] = complex.re
// CHECK:           %[[IM:.+]] = complex.im
// CHECK:           %[[WRE:.+]] = arith.extf %[[RE]] : f32 to f64
// CHECK:           %[[WIM:.+]] = arith.extf %[[IM]] : f32 to f64
// CHECK:           complex.create %[[WRE]], %[[WIM]] : complex<f64>
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: complex<f64>, %[[B:.+]]: complex<f64>):
// CHECK-NEXT:      %[[C:.+]] = complex.constant [5.000000e-01, 1.000000e+00] : complex<f64>
// CHECK-NEXT:      %[[P:.+]] = complex.mul %[[A]], %[[B]] : complex<f64>
// CHECK-NEXT:      %[[N:.+]] = complex.abs %[[P]] : complex<f64>
// CHECK-NEXT:      %[[Z:.+]] = complex.create %[[N]], %[[N]] : complex<f64>
// CHECK-NEXT:      complex.add %[[Z]], %[[C]] : complex<f64>
// CHECK:         store {
// CHECK:           arith.truncf %{{.+}} : f64 to f32
// CHECK:           complex.create %{{.+}} : complex<f32>
func.func @complex(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %y = scan.associative ins(%x : tensor<?xcomplex<f32>>) dim = 0
      attributes {accumulators = [complex<f64>]} {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %c = complex.constant [0.5 : f32, 1.0 : f32] : complex<f32>
    %p = complex.mul %acc, %new : complex<f32>
    %n = complex.abs %p : complex<f32>
    %z = complex.create %n, %n : complex<f32>
    %s = complex.add %z, %c : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}
