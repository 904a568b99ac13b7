// RUN: scan-opt %s -split-input-file -scan-to-cpu | FileCheck %s
// RUN: scan-opt %s -split-input-file -scan-to-cpu="vector-bits=0 rows=1" | FileCheck %s --check-prefix=SCALAR
// RUN: scan-opt %s -split-input-file -scan-to-cpu | FileCheck %s --check-prefix=ONLY

// Nothing but the LLVM dialect is left.
// ONLY-NOT: {{(^|[^.a-z])(scan|scf|cf|arith|math|memref|vector|tensor|linalg|complex|bufferization|affine|func)\.[a-z]}}
// ONLY-NOT: unrealized_conversion_cast

// One buffer for the result, none for anything else; 16-bit floats are widened
// and rounded in integer arithmetic, without a call of a run-time library.

// CHECK-LABEL: llvm.func @sum(
// CHECK-COUNT-1: llvm.call @malloc(
// CHECK-NOT:     llvm.call
// CHECK-DAG:     llvm.load {{.*}} -> vector<16xi16>
// CHECK-DAG:     llvm.fadd {{.*}} : vector<16xf32>
// CHECK-NOT:     llvm.fptrunc
// CHECK-NOT:     llvm.fpext
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return

// SCALAR-LABEL: llvm.func @sum(
// SCALAR-NOT:     vector<
// SCALAR:         llvm.return
func.func @sum(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = scan.associative ins(%x : tensor<?x?xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.addf %acc, %new : bf16
    scan.yield %s : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// -----

// The second scan works in place.

// CHECK-LABEL: llvm.func @twice(
// CHECK-COUNT-1: llvm.call @malloc(
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return
func.func @twice(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %z = scan.associative ins(%y : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.mulf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// Of two intermediate arrays one becomes the result, the other one is freed.

// CHECK-LABEL: llvm.func @freed(
// CHECK-COUNT-2: llvm.call @malloc(
// CHECK:         llvm.call @free(
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return
func.func @freed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = scan.associative ins(%x : tensor<8x8xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8x8xf32>
  %z = scan.associative ins(%y : tensor<8x8xf32>) dim = 1 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.mulf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8x8xf32>
  %h = scan.linear_recurrence ins(%y, %z : tensor<8x8xf32>, tensor<8x8xf32>) dim = 0 -> tensor<8x8xf32>
  return %h : tensor<8x8xf32>
}

// -----

// Extents that differ stop the program with a message.

// CHECK:       llvm.mlir.global private constant @assert_msg
// CHECK-LABEL: llvm.func @recurrence(
// CHECK:         llvm.icmp "eq"
// CHECK:         llvm.cond_br %{{.*}}, ^{{.*}}, ^[[FAIL:.*]]
// CHECK:       ^[[FAIL]]:
// CHECK:         llvm.call @puts(
// CHECK:         llvm.call @abort()
// CHECK:         llvm.unreachable
func.func @recurrence(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) dim = 0 -> tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// -----

// Complex numbers, and functions that LLVM has no accurate form of.

// CHECK-LABEL: llvm.func @complex(
// CHECK-NOT:     llvm.intr.exp
// CHECK:         llvm.call @erf(
// CHECK:         llvm.return
func.func @complex(%a: tensor<?xcomplex<f64>>, %x: tensor<?xf64>) -> (tensor<?xcomplex<f64>>, tensor<?xf64>) {
  %h = scan.linear_recurrence ins(%a, %a : tensor<?xcomplex<f64>>, tensor<?xcomplex<f64>>) dim = 0 reverse -> tensor<?xcomplex<f64>>
  %e = math.erf %x : tensor<?xf64>
  %y = scan.associative ins(%e : tensor<?xf64>) dim = 0 {
  ^bb0(%acc: f64, %new: f64):
    %s = arith.maximumf %acc, %new : f64
    scan.yield %s : f64
  } -> tensor<?xf64>
  return %h, %y : tensor<?xcomplex<f64>>, tensor<?xf64>
}
