// A forward and a reverse scan along a dimension that is not innermost in memory become one kernel where a block holds
// all steps of some neighbouring columns.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional | FileCheck %s
// Nothing is left to do the second time.
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional -o %t.once
// RUN: scan-opt %t.once --scan-bidirectional | diff %t.once -
// What is merged can be split again.
// RUN: scan-opt %t.once --scan-bidirectional=split | FileCheck %s --check-prefix=SPLIT
// SPLIT-NOT: bidirectional =
// RUN: scan-opt %s --scan-to-gpu=dispatch=false | FileCheck %s --check-prefix=GPU
// A CPU's loops hold columns in the cache; of static extents, and where the second scan does not read the first one's
// results.
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional=target=cpu | FileCheck %s --check-prefix=CPU
// CPU-NOT: bidirectional =
// CPU:     @vectors(
// CPU:       bidirectional = 1 : i64

// The extent is static: no choice.
// CHECK-LABEL: @fixed(
// CHECK-NOT:     scf.if
// CHECK:         scan.kernel dim = 1
// CHECK:           {bidirectional = 2 : i64}
// CHECK-NOT:     scan.kernel
// GPU-LABEL: @fixed(
// GPU-COUNT-1: gpu.launch_func
// GPU-NOT:     gpu.launch_func
// run: random:f32:2x64x19:1:0:0.9 random:f32:2x64x19:2
func.func @fixed(%a: tensor<?x64x?xf32>, %x: tensor<?x64x?xf32>) -> tensor<?x64x?xf32> {
  %f = scan.linear_recurrence ins(%a, %x : tensor<?x64x?xf32>, tensor<?x64x?xf32>) dim = 1 -> tensor<?x64x?xf32>
  %g = scan.linear_recurrence ins(%a, %x : tensor<?x64x?xf32>, tensor<?x64x?xf32>) dim = 1 reverse -> tensor<?x64x?xf32>
  %y = arith.addf %f, %g : tensor<?x64x?xf32>
  return %y : tensor<?x64x?xf32>
}

// The host chooses; up to 2,048 steps of a recurrence are one tile.
// CHECK-LABEL: @recurrence(
// CHECK:         scf.if
// CHECK:           {bidirectional = 2 : i64, scan.steps_range = array<i64: 0, 2048>}
// CHECK:         } else {
// CHECK-COUNT-2:   {scan.steps_range = array<i64: 2049>}
// GPU-LABEL: @recurrence(
// GPU:         scf.if
// GPU-COUNT-1:   gpu.launch_func
// GPU:         } else {
// GPU-COUNT-2:   gpu.launch_func
// run: random:f32:2xNx19:1:0:0.9 random:f32:2xNx19:2
func.func @recurrence(%a: tensor<?x?x?xf32>, %x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %f = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %g = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 reverse -> tensor<?x?x?xf32>
  %y = arith.addf %f, %g : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// The last one that is not zero, which does not commute, without initial states, with finals, time first.
// CHECK-LABEL: @last_set(
// CHECK:         bidirectional = 1 : i64
// run: random:i16:Nx35:1:-1:2
func.func @last_set(%x: tensor<?x?xi16>) -> (tensor<?x?xi16>, tensor<?xi16>, tensor<?x?xi16>, tensor<?xi16>) {
  %f, %fl = scan.associative ins(%x : tensor<?x?xi16>) dim = 0 reverse {
  ^bb0(%a: i16, %b: i16):
    %zero = arith.constant 0 : i16
    %c = arith.cmpi eq, %b, %zero : i16
    %r = arith.select %c, %a, %b : i16
    scan.yield %r : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  %g, %gl = scan.associative ins(%x : tensor<?x?xi16>) dim = 0 {
  ^bb0(%a: i16, %b: i16):
    %zero = arith.constant 0 : i16
    %c = arith.cmpi eq, %b, %zero : i16
    %r = arith.select %c, %a, %b : i16
    scan.yield %r : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  return %f, %fl, %g, %gl : tensor<?x?xi16>, tensor<?xi16>, tensor<?x?xi16>, tensor<?xi16>
}

// Gates, initial states, finals of both directions; what is read is narrower than what is accumulated.
// CHECK-LABEL: @gated(
// CHECK:         bidirectional = 2 : i64
// run: random:bf16:2xNx17:1 random:bf16:2xNx17:2 random:bf16:2x17:3
func.func @gated(%x: tensor<?x?x?xbf16>, %g: tensor<?x?x?xbf16>, %h: tensor<?x?xbf16>) -> (tensor<?x?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %n = arith.negf %g : tensor<?x?x?xbf16>
  %a = math.exp %n : tensor<?x?x?xbf16>
  %f, %fl = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) init(%h : tensor<?x?xbf16>) dim = 1 -> tensor<?x?x?xbf16>, tensor<?x?xbf16>
  %b, %bl = scan.linear_recurrence ins(%a, %x : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) init(%h : tensor<?x?xbf16>) dim = 1 reverse -> tensor<?x?x?xbf16>, tensor<?x?xbf16>
  %y = arith.addf %f, %b : tensor<?x?x?xbf16>
  return %y, %fl, %bl : tensor<?x?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>
}

// Affine maps as pairs; both scans have final states only in part.
// CHECK-LABEL: @pairs(
// CHECK:         bidirectional = 2 : i64
// run: random:i64:Nx9:1 random:i64:Nx9:2
func.func @pairs(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>) -> (tensor<?x?xi64>, tensor<?xi64>, tensor<?x?xi64>) {
  %p, %q, %pl, %ql = scan.associative ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) dim = 0 {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %n = arith.addi %t, %b1 : i64
    scan.yield %m, %n : i64, i64
  } -> tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
  %r, %s, %rl, %sl = scan.associative ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) dim = 0 reverse {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %m = arith.muli %a1, %a0 : i64
    %t = arith.muli %a1, %b0 : i64
    %n = arith.addi %t, %b1 : i64
    scan.yield %m, %n : i64, i64
  } -> tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
  return %q, %sl, %s : tensor<?x?xi64>, tensor<?xi64>, tensor<?x?xi64>
}

// Small matrices, which do not commute, one per column and step: each operand has trailing elements.
// CHECK-LABEL: @matrices(
// CHECK:         bidirectional = 4 : i64
// run: random:f64:Nx5x2x2:1 random:f64:5x2x2:2
func.func @matrices(%m: tensor<?x?x2x2xf64>, %i: tensor<?x2x2xf64>) -> (tensor<?x?x2x2xf64>, tensor<?x2x2xf64>) {
  %p = scan.associative ins(%m : tensor<?x?x2x2xf64>) init(%i : tensor<?x2x2xf64>) dim = 0 reverse exclusive {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x?x2x2xf64>
  %q, %l = scan.associative ins(%m : tensor<?x?x2x2xf64>) init(%i : tensor<?x2x2xf64>) dim = 0 {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%new, %acc : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x?x2x2xf64>, tensor<?x2x2xf64>
  return %p, %l : tensor<?x?x2x2xf64>, tensor<?x2x2xf64>
}

// An operator of which a state may be combined with itself; and one that nothing is known of, on bytes: a step of 16
// columns is half a sector.
// CHECK-LABEL: @range(
// CHECK:         bidirectional = 1 : i64
// run: random:i8:3xNx20:1
func.func @range(%x: tensor<?x?x?xi8>) -> tensor<?x?x?xi8> {
  %f = scan.associative ins(%x : tensor<?x?x?xi8>) dim = 1 {
  ^bb0(%a: i8, %b: i8):
    %r = arith.maxsi %a, %b : i8
    scan.yield %r : i8
  } -> tensor<?x?x?xi8>
  %g = scan.associative ins(%x : tensor<?x?x?xi8>) dim = 1 reverse {
  ^bb0(%a: i8, %b: i8):
    %r = arith.minsi %a, %b : i8
    scan.yield %r : i8
  } -> tensor<?x?x?xi8>
  %y = arith.subi %f, %g : tensor<?x?x?xi8>
  return %y : tensor<?x?x?xi8>
}

// Coefficients that all columns share, and weights per column.
// CHECK-LABEL: @shared(
// CHECK:         bidirectional = 2 : i64
// run: random:f32:N:1:0:0.9 random:f32:2xNx21:2 random:f32:21:3
func.func @shared(%a: tensor<?xf32>, %x: tensor<?x?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %empty = tensor.empty(%b, %t, %c) : tensor<?x?x?xf32>
  %as = linalg.broadcast ins(%a : tensor<?xf32>) outs(%empty : tensor<?x?x?xf32>) dimensions = [0, 2]
  %f = scan.linear_recurrence ins(%as, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %g = scan.linear_recurrence ins(%as, %x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 reverse -> tensor<?x?x?xf32>
  %ws = linalg.broadcast ins(%w : tensor<?xf32>) outs(%empty : tensor<?x?x?xf32>) dimensions = [0, 1]
  %s = arith.addf %f, %g : tensor<?x?x?xf32>
  %y = arith.mulf %s, %ws : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// With a schedule of neighbouring columns in one access, which are tested when the kernel runs: 24 columns are, 19 not.
// CHECK-LABEL: @vectors(
// CHECK:         bidirectional = 1 : i64
// run: random:f16:2x24x24:1
func.func @vectors(%x: tensor<?x24x?xf16>) -> (tensor<?x24x?xf16>, tensor<?x24x?xf16>) {
  %f = scan.associative ins(%x : tensor<?x24x?xf16>) dim = 1 attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 4>} {
  ^bb0(%a: f16, %b: f16):
    %zero = arith.constant 0.0 : f16
    %c = arith.cmpf olt, %b, %zero : f16
    %r = arith.select %c, %a, %b : f16
    scan.yield %r : f16
  } -> tensor<?x24x?xf16>
  %g = scan.associative ins(%x : tensor<?x24x?xf16>) dim = 1 reverse attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 4>} {
  ^bb0(%a: f16, %b: f16):
    %r = arith.maximumf %a, %b : f16
    scan.yield %r : f16
  } -> tensor<?x24x?xf16>
  return %f, %g : tensor<?x24x?xf16>, tensor<?x24x?xf16>
}
