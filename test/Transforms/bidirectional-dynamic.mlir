// Where the extent of the scanned dimension is dynamic, the host chooses between one kernel and two.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional=max-extent=40 | FileCheck %s --check-prefix=LIMIT
// Nothing is left to do the second time.
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional -o %t.once
// RUN: scan-opt %t.once --scan-bidirectional --remarks-filter-missed=scan-bidirectional 2>&1 | diff %t.once -
// RUN: scan-opt %t.once --scan-fuse-elementwise | diff %t.once -
// What is merged can be split again.
// RUN: scan-opt %t.once --scan-bidirectional=split | FileCheck %s --check-prefix=SPLIT
// SPLIT-NOT: bidirectional =
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --remarks-filter-passed=scan-bidirectional -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The last one that is not zero, which does not commute, without initial states.
// CHECK-LABEL: @last_set(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xi16>)
// CHECK:         %[[T:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         %[[P:.*]] = arith.cmpi ule, %{{.*}}, %c4096
// CHECK-NEXT:    %[[R:.*]]:4 = scf.if %[[P]]
// CHECK-NEXT:      %[[K:.*]]:4 = scan.kernel dim = 1 reverse
// CHECK:             {bidirectional = 1 : i64, scan.steps_range = array<i64: 0, 4096>}
// CHECK:           scf.yield %[[K]]#0, %[[K]]#2, %[[K]]#1, %[[K]]#3
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[F:.*]]:2 = scan.kernel dim = 1 reverse
// CHECK:             {scan.steps_range = array<i64: 4097>}
// CHECK:           %[[G:.*]]:2 = scan.kernel dim = 1{{$}}
// CHECK:             {scan.steps_range = array<i64: 4097>}
// CHECK:           scf.yield %[[F]]#0, %[[F]]#1, %[[G]]#0, %[[G]]#1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3
// LIMIT-LABEL: @last_set(
// LIMIT:         scan.steps_range = array<i64: 0, 40>
// LIMIT:         scan.steps_range = array<i64: 41>
// REMARK: Function=last_set | Remark="a scan and one in the opposite direction become one where the scanned dimension has 4096 elements at most"
// run: random:i16:3xN:1:-1:2
func.func @last_set(%x: tensor<?x?xi16>) -> (tensor<?x?xi16>, tensor<?xi16>, tensor<?x?xi16>, tensor<?xi16>) {
  %f, %fl = scan.associative ins(%x : tensor<?x?xi16>) dim = 1 reverse {
  ^bb0(%a: i16, %b: i16):
    %zero = arith.constant 0 : i16
    %c = arith.cmpi eq, %b, %zero : i16
    %r = arith.select %c, %a, %b : i16
    scan.yield %r : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  %g, %gl = scan.associative ins(%x : tensor<?x?xi16>) dim = 1 {
  ^bb0(%a: i16, %b: i16):
    %zero = arith.constant 0 : i16
    %c = arith.cmpi eq, %b, %zero : i16
    %r = arith.select %c, %a, %b : i16
    scan.yield %r : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  return %f, %fl, %g, %gl : tensor<?x?xi16>, tensor<?xi16>, tensor<?x?xi16>, tensor<?xi16>
}

// The sum of both: what one scan computes is in memory for long rows only. The more a step takes, the
// shorter are the rows that a tile holds.
// CHECK-LABEL: @gated(
// CHECK:         scf.if
// CHECK-NEXT:      scan.kernel dim = 1
// CHECK-NEXT:        ins(%{{.*}}, %{{.*}} : tensor<?x?xbf16>, tensor<?x?xbf16>) init(
// CHECK-NEXT:        maps {{.*}} attributes {bidirectional = 2 : i64, scan.steps_range = array<i64: 0, 2048>}
// CHECK:         } else {
// CHECK-NEXT:      %[[F:.*]]:2 = scan.kernel dim = 1{{$}}
// CHECK:           scan.kernel dim = 1 reverse
// CHECK-NEXT:        ins(%{{.*}}, %{{.*}}, %[[F]]#0
// run: random:bf16:3xN:1 random:bf16:3xN:2 random:bf16:3:3
func.func @gated(%x: tensor<?x?xbf16>, %g: tensor<?x?xbf16>, %h: tensor<?xbf16>) -> (tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>) {
  %n = arith.negf %g : tensor<?x?xbf16>
  %a = math.exp %n : tensor<?x?xbf16>
  %f, %fl = scan.linear_recurrence ins(%a, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) init(%h : tensor<?xbf16>) dim = 1 -> tensor<?x?xbf16>, tensor<?xbf16>
  %b, %bl = scan.linear_recurrence ins(%a, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) init(%h : tensor<?xbf16>) dim = 1 reverse -> tensor<?x?xbf16>, tensor<?xbf16>
  %y = arith.addf %f, %b : tensor<?x?xbf16>
  return %y, %fl, %bl : tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>
}

// Matrices; the scanned dimension is all there is.
// CHECK-LABEL: @matrices(
// CHECK:         bidirectional = 4 : i64
// run: random:f64:Nx2x2:1 random:f64:2x2:2
func.func @matrices(%m: tensor<?x2x2xf64>, %i: tensor<2x2xf64>) -> (tensor<?x2x2xf64>, tensor<2x2xf64>) {
  %id = arith.constant dense<[[1.0, 0.5], [0.0, 1.0]]> : tensor<2x2xf64>
  %p = scan.associative ins(%m : tensor<?x2x2xf64>) init(%id : tensor<2x2xf64>) dim = 0 reverse exclusive {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  %q, %l = scan.associative ins(%m : tensor<?x2x2xf64>) init(%i : tensor<2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%new, %acc : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>, tensor<2x2xf64>
  return %p, %l : tensor<?x2x2xf64>, tensor<2x2xf64>
}

// Affine maps as pairs, without initial states; both scans have final states only in part.
// CHECK-LABEL: @pairs(
// CHECK:         bidirectional = 2 : i64
// run: random:i64:3xN:1 random:i64:3xN:2
func.func @pairs(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>) -> (tensor<?x?xi64>, tensor<?xi64>, tensor<?x?xi64>) {
  %p, %q, %pl, %ql = scan.associative ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) dim = 1 {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %n = arith.addi %t, %b1 : i64
    scan.yield %m, %n : i64, i64
  } -> tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
  %r, %s, %rl, %sl = scan.associative ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) dim = 1 reverse {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %n = arith.addi %t, %b1 : i64
    scan.yield %m, %n : i64, i64
  } -> tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
  return %q, %sl, %s : tensor<?x?xi64>, tensor<?xi64>, tensor<?x?xi64>
}

// Complex numbers, and an operator of which a state may be combined with itself.
// CHECK-LABEL: @complex(
// CHECK:         bidirectional = 1 : i64
// run: random:c64:3xN:1
func.func @complex(%x: tensor<?x?xcomplex<f32>>) -> (tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) {
  %f = scan.associative ins(%x : tensor<?x?xcomplex<f32>>) dim = 1 {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %r = complex.mul %a, %b : complex<f32>
    scan.yield %r : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  %g = scan.associative ins(%x : tensor<?x?xcomplex<f32>>) dim = 1 reverse {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %r = complex.add %a, %b : complex<f32>
    scan.yield %r : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  return %f, %g : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>
}
// CHECK-LABEL: @range(
// CHECK:         bidirectional = 1 : i64
// run: random:i8:3xN:1
func.func @range(%x: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %f = scan.associative ins(%x : tensor<?x?xi8>) dim = 1 {
  ^bb0(%a: i8, %b: i8):
    %r = arith.maxsi %a, %b : i8
    scan.yield %r : i8
  } -> tensor<?x?xi8>
  %g = scan.associative ins(%x : tensor<?x?xi8>) dim = 1 reverse {
  ^bb0(%a: i8, %b: i8):
    %r = arith.minsi %a, %b : i8
    scan.yield %r : i8
  } -> tensor<?x?xi8>
  %y = arith.subi %f, %g : tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

// What a bidirectional model takes, as its derivative is computed.
// CHECK-LABEL: @weighted(
// CHECK:         bidirectional = 2 : i64
// run: random:f32:3xN:1:0:0.9 random:f32:3xN:2
func.func @weighted(%a: tensor<?x?xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %f = scan.linear_recurrence ins(%a, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  %g = scan.linear_recurrence ins(%a, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 reverse -> tensor<?x?xf32>
  %y = arith.addf %f, %g : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
