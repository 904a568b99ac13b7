// Scatters to places that a scan counts become outputs of it.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-scatter --canonicalize --split-input-file | FileCheck %s

// Each step writes one element: those without a flag the zeros, from the end on. Nothing fills the result.
// CHECK-LABEL: @compact(
// CHECK-NOT:     linalg.fill
// CHECK:         %[[N:.+]] = tensor.empty(%{{.+}}) : tensor<?xf32>
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%arg0, %arg1 : tensor<?xi1>, tensor<?xf32>) init(%{{.+}} : i64) outs(%[[N]] : tensor<?xf32>)
// CHECK-NEXT:      maps [#map, #map, #map1, #map2]
// CHECK:           store {
// CHECK:             arith.select {{.*}} : f32
// CHECK:             arith.select {{.*}} : index
// CHECK-NEXT:        scan.yield {{.*}} : f32, index
// CHECK-NOT:     scan.scatter
// run: random:i1:N:1 random:f32:N:2
func.func @compact(%keep: tensor<?xi1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i64
  %from = arith.constant 0 : i64
  %n = tensor.dim %keep, %c0 : tensor<?xi1>
  %e = tensor.empty(%n) : tensor<?xi64>
  %one = linalg.map ins(%keep : tensor<?xi1>) outs(%e : tensor<?xi64>) (%k: i1, %o: i64) {
    %w = arith.extui %k : i1 to i64
    linalg.yield %w : i64
  }
  %before = scan.associative ins(%one : tensor<?xi64>) init(%from : i64) dim = 0 exclusive {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %l, %r : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  %place = linalg.map ins(%keep, %before : tensor<?xi1>, tensor<?xi64>) outs(%e : tensor<?xi64>) (%k: i1, %b: i64, %o: i64) {
    %w = arith.select %k, %b, %none : i64
    linalg.yield %w : i64
  }
  %d = tensor.empty(%n) : tensor<?xf32>
  %dest = linalg.fill ins(%zero : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %y = scan.scatter %x into %dest at %place dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi64>
  return %y : tensor<?xf32>
}

// -----

// A count of 32 bits comes around: the host chooses. The flag is computed, how many there are is a result, too, and
// what fills the rest is an argument.
// CHECK-LABEL: @positive(
// CHECK:         %[[FEW:.+]] = arith.cmpi ule, %{{.+}}, %c2147483648 : index
// CHECK:         scf.if %[[FEW]] -> (tensor<3xi32>, tensor<?x3xbf16>) {
// CHECK:           scan.kernel dim = 0 reverse
// CHECK-NEXT:        ins(%arg0, %arg1 : tensor<?x3xbf16>, bf16)
// CHECK-NEXT:        maps {{.*}} attributes {scan.steps_range = array<i64: 0, 2147483648>}
// CHECK-NOT:       scan.scatter
// CHECK:         } else {
// CHECK:           scan.kernel dim = 0 reverse
// CHECK:           scan.scatter
// CHECK:         }
// run: random:bf16:Nx3:1 random:bf16::2
func.func @positive(%x: tensor<?x3xbf16>, %fill: bf16) -> (tensor<?x3xbf16>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant -7 : i32
  %from = arith.constant dense<0> : tensor<3xi32>
  %n = tensor.dim %x, %c0 : tensor<?x3xbf16>
  %e = tensor.empty(%n) : tensor<?x3xi32>
  %one = linalg.map ins(%x : tensor<?x3xbf16>) outs(%e : tensor<?x3xi32>) (%v: bf16, %o: i32) {
    %k = arith.cmpf ogt, %v, %zero : bf16
    %w = arith.extui %k : i1 to i32
    linalg.yield %w : i32
  }
  %before, %count = scan.associative ins(%one : tensor<?x3xi32>) init(%from : tensor<3xi32>) dim = 0 reverse exclusive {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %r, %l : i32
    scan.yield %s : i32
  } -> tensor<?x3xi32>, tensor<3xi32>
  %place = linalg.map ins(%x, %before : tensor<?x3xbf16>, tensor<?x3xi32>) outs(%e : tensor<?x3xi32>) (%v: bf16, %b: i32, %o: i32) {
    %k = arith.cmpf ogt, %v, %zero : bf16
    %w = arith.select %k, %b, %none : i32
    linalg.yield %w : i32
  }
  %dest = tensor.splat %fill[%n] : tensor<?x3xbf16>
  %y = scan.scatter %x into %dest at %place dim = 0 : tensor<?x3xbf16> into tensor<?x3xbf16> at tensor<?x3xi32>
  return %y, %count : tensor<?x3xbf16>, tensor<3xi32>
}

// -----

// The result keeps what was there, and places begin at 1: the last one may be outside. The source is a result of the
// scan, and rows are scanned along the inner dimension.
// CHECK-LABEL: @kept(
// CHECK-COUNT-1: scan.kernel
// CHECK-NOT:     scan.scatter
// run: random:i1:2x37:1 random:f64:2x37:2
func.func @kept(%keep: tensor<2x37xi1>, %dest: tensor<2x37xf64>) -> (tensor<2x37xf64>, tensor<2x37xi8>) {
  %none = arith.constant -1 : i8
  %e = tensor.empty() : tensor<2x37xi8>
  %one = linalg.map ins(%keep : tensor<2x37xi1>) outs(%e : tensor<2x37xi8>) (%k: i1, %o: i8) {
    %w = arith.extui %k : i1 to i8
    linalg.yield %w : i8
  }
  %upto = scan.associative ins(%one : tensor<2x37xi8>) dim = 1 {
  ^bb0(%l: i8, %r: i8):
    %s = arith.addi %l, %r : i8
    scan.yield %s : i8
  } -> tensor<2x37xi8>
  %place = linalg.map ins(%keep, %upto : tensor<2x37xi1>, tensor<2x37xi8>) outs(%e : tensor<2x37xi8>) (%k: i1, %b: i8, %o: i8) {
    %w = arith.select %k, %b, %none : i8
    linalg.yield %w : i8
  }
  %s = arith.constant 2.5 : f64
  %y = scan.scatter %s into %dest at %place dim = 1 : f64 into tensor<2x37xf64> at tensor<2x37xi8>
  %z = scan.scatter %upto into %one at %place dim = -1 : tensor<2x37xi8> into tensor<2x37xi8> at tensor<2x37xi8>
  return %y, %z : tensor<2x37xf64>, tensor<2x37xi8>
}

// -----

// More steps than a count of 8 bits has places for: the last writer wins, which only a scatter by itself knows.
// CHECK-LABEL: @overflows(
// CHECK:         scan.kernel
// CHECK:         scan.scatter
// run: ones:i1:300 random:i32:300:1
func.func @overflows(%keep: tensor<300xi1>, %x: tensor<300xi32>) -> tensor<300xi32> {
  %none = arith.constant -1 : i8
  %from = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<300xi8>
  %one = linalg.map ins(%keep : tensor<300xi1>) outs(%e : tensor<300xi8>) (%k: i1, %o: i8) {
    %w = arith.extui %k : i1 to i8
    linalg.yield %w : i8
  }
  %before = scan.associative ins(%one : tensor<300xi8>) init(%from : i8) dim = 0 exclusive {
  ^bb0(%l: i8, %r: i8):
    %s = arith.addi %l, %r : i8
    scan.yield %s : i8
  } -> tensor<300xi8>
  %place = linalg.map ins(%keep, %before : tensor<300xi1>, tensor<300xi8>) outs(%e : tensor<300xi8>) (%k: i1, %b: i8, %o: i8) {
    %w = arith.select %k, %b, %none : i8
    linalg.yield %w : i8
  }
  %d = tensor.empty() : tensor<300xi32>
  %dest = linalg.fill ins(%zero : i32) outs(%d : tensor<300xi32>) -> tensor<300xi32>
  %y = scan.scatter %x into %dest at %place dim = 0 : tensor<300xi32> into tensor<300xi32> at tensor<300xi8>
  return %y : tensor<300xi32>
}

// -----

// As many steps as there are places for, but half of the counts are negative, and no places: the result is filled first.
// CHECK-LABEL: @signed_counts(
// CHECK:         linalg.fill
// CHECK-COUNT-1: scan.kernel
// CHECK-NOT:     scan.scatter
// run: ones:i1:200 random:i32:200:1
func.func @signed_counts(%keep: tensor<200xi1>, %x: tensor<200xi32>) -> tensor<200xi32> {
  %none = arith.constant -1 : i8
  %from = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<200xi8>
  %one = linalg.map ins(%keep : tensor<200xi1>) outs(%e : tensor<200xi8>) (%k: i1, %o: i8) {
    %w = arith.extui %k : i1 to i8
    linalg.yield %w : i8
  }
  %before = scan.associative ins(%one : tensor<200xi8>) init(%from : i8) dim = 0 exclusive {
  ^bb0(%l: i8, %r: i8):
    %s = arith.addi %l, %r : i8
    scan.yield %s : i8
  } -> tensor<200xi8>
  %place = linalg.map ins(%keep, %before : tensor<200xi1>, tensor<200xi8>) outs(%e : tensor<200xi8>) (%k: i1, %b: i8, %o: i8) {
    %w = arith.select %k, %b, %none : i8
    linalg.yield %w : i8
  }
  %d = tensor.empty() : tensor<200xi32>
  %dest = linalg.fill ins(%zero : i32) outs(%d : tensor<200xi32>) -> tensor<200xi32>
  %y = scan.scatter %x into %dest at %place dim = 0 : tensor<200xi32> into tensor<200xi32> at tensor<200xi8>
  return %y : tensor<200xi32>
}
