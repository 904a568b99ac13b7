// RUN: scan-opt %s | FileCheck %s
// RUN: scan-opt %s | scan-opt | FileCheck %s
// RUN: scan-opt %s --mlir-print-op-generic | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode | scan-opt | FileCheck %s

// Every element type, in the syntax of the reference.

// CHECK-LABEL: func.func @sum_i1(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xi1>) init(%{{.*}} : i1) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xi1>, tensor<3xi1>
func.func @sum_i1(%x: tensor<?x3xi1>, %i: i1) -> (tensor<?x3xi1>, tensor<3xi1>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xi1>) init(%i : i1) dim = 0 reverse exclusive {
  ^bb0(%acc: i1, %new: i1):
    %s = arith.addi %acc, %new : i1
    scan.yield %s : i1
  } -> tensor<?x3xi1>, tensor<3xi1>
  return %y, %last : tensor<?x3xi1>, tensor<3xi1>
}

// CHECK-LABEL: func.func @sum_i8(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xi8>) init(%{{.*}} : i8) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xi8>, tensor<3xi8>
func.func @sum_i8(%x: tensor<?x3xi8>, %i: i8) -> (tensor<?x3xi8>, tensor<3xi8>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xi8>) init(%i : i8) dim = 0 reverse exclusive {
  ^bb0(%acc: i8, %new: i8):
    %s = arith.addi %acc, %new : i8
    scan.yield %s : i8
  } -> tensor<?x3xi8>, tensor<3xi8>
  return %y, %last : tensor<?x3xi8>, tensor<3xi8>
}

// CHECK-LABEL: func.func @recurrence_i8(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xi8>, tensor<3x?xi8>) init(%{{.*}} : tensor<3xi8>) dim = 1 reverse -> tensor<3x?xi8>, tensor<3xi8>
func.func @recurrence_i8(%a: tensor<1x?xi8>, %b: tensor<3x?xi8>, %h0: tensor<3xi8>) -> (tensor<3x?xi8>, tensor<3xi8>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xi8>, tensor<3x?xi8>) init(%h0 : tensor<3xi8>) dim = 1 reverse -> tensor<3x?xi8>, tensor<3xi8>
  return %h, %last : tensor<3x?xi8>, tensor<3xi8>
}

// CHECK-LABEL: func.func @sum_i16(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xi16>) init(%{{.*}} : i16) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xi16>, tensor<3xi16>
func.func @sum_i16(%x: tensor<?x3xi16>, %i: i16) -> (tensor<?x3xi16>, tensor<3xi16>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xi16>) init(%i : i16) dim = 0 reverse exclusive {
  ^bb0(%acc: i16, %new: i16):
    %s = arith.addi %acc, %new : i16
    scan.yield %s : i16
  } -> tensor<?x3xi16>, tensor<3xi16>
  return %y, %last : tensor<?x3xi16>, tensor<3xi16>
}

// CHECK-LABEL: func.func @recurrence_i16(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xi16>, tensor<3x?xi16>) init(%{{.*}} : tensor<3xi16>) dim = 1 reverse -> tensor<3x?xi16>, tensor<3xi16>
func.func @recurrence_i16(%a: tensor<1x?xi16>, %b: tensor<3x?xi16>, %h0: tensor<3xi16>) -> (tensor<3x?xi16>, tensor<3xi16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xi16>, tensor<3x?xi16>) init(%h0 : tensor<3xi16>) dim = 1 reverse -> tensor<3x?xi16>, tensor<3xi16>
  return %h, %last : tensor<3x?xi16>, tensor<3xi16>
}

// CHECK-LABEL: func.func @sum_i32(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xi32>) init(%{{.*}} : i32) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xi32>, tensor<3xi32>
func.func @sum_i32(%x: tensor<?x3xi32>, %i: i32) -> (tensor<?x3xi32>, tensor<3xi32>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xi32>) init(%i : i32) dim = 0 reverse exclusive {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x3xi32>, tensor<3xi32>
  return %y, %last : tensor<?x3xi32>, tensor<3xi32>
}

// CHECK-LABEL: func.func @recurrence_i32(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xi32>, tensor<3x?xi32>) init(%{{.*}} : tensor<3xi32>) dim = 1 reverse -> tensor<3x?xi32>, tensor<3xi32>
func.func @recurrence_i32(%a: tensor<1x?xi32>, %b: tensor<3x?xi32>, %h0: tensor<3xi32>) -> (tensor<3x?xi32>, tensor<3xi32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xi32>, tensor<3x?xi32>) init(%h0 : tensor<3xi32>) dim = 1 reverse -> tensor<3x?xi32>, tensor<3xi32>
  return %h, %last : tensor<3x?xi32>, tensor<3xi32>
}

// CHECK-LABEL: func.func @sum_i64(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xi64>) init(%{{.*}} : i64) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xi64>, tensor<3xi64>
func.func @sum_i64(%x: tensor<?x3xi64>, %i: i64) -> (tensor<?x3xi64>, tensor<3xi64>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xi64>) init(%i : i64) dim = 0 reverse exclusive {
  ^bb0(%acc: i64, %new: i64):
    %s = arith.addi %acc, %new : i64
    scan.yield %s : i64
  } -> tensor<?x3xi64>, tensor<3xi64>
  return %y, %last : tensor<?x3xi64>, tensor<3xi64>
}

// CHECK-LABEL: func.func @recurrence_i64(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xi64>, tensor<3x?xi64>) init(%{{.*}} : tensor<3xi64>) dim = 1 reverse -> tensor<3x?xi64>, tensor<3xi64>
func.func @recurrence_i64(%a: tensor<1x?xi64>, %b: tensor<3x?xi64>, %h0: tensor<3xi64>) -> (tensor<3x?xi64>, tensor<3xi64>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xi64>, tensor<3x?xi64>) init(%h0 : tensor<3xi64>) dim = 1 reverse -> tensor<3x?xi64>, tensor<3xi64>
  return %h, %last : tensor<3x?xi64>, tensor<3xi64>
}

// CHECK-LABEL: func.func @sum_f16(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xf16>) init(%{{.*}} : f16) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xf16>, tensor<3xf16>
func.func @sum_f16(%x: tensor<?x3xf16>, %i: f16) -> (tensor<?x3xf16>, tensor<3xf16>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xf16>) init(%i : f16) dim = 0 reverse exclusive {
  ^bb0(%acc: f16, %new: f16):
    %s = arith.addf %acc, %new : f16
    scan.yield %s : f16
  } -> tensor<?x3xf16>, tensor<3xf16>
  return %y, %last : tensor<?x3xf16>, tensor<3xf16>
}

// CHECK-LABEL: func.func @recurrence_f16(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xf16>, tensor<3x?xf16>) init(%{{.*}} : tensor<3xf16>) dim = 1 reverse -> tensor<3x?xf16>, tensor<3xf16>
func.func @recurrence_f16(%a: tensor<1x?xf16>, %b: tensor<3x?xf16>, %h0: tensor<3xf16>) -> (tensor<3x?xf16>, tensor<3xf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xf16>, tensor<3x?xf16>) init(%h0 : tensor<3xf16>) dim = 1 reverse -> tensor<3x?xf16>, tensor<3xf16>
  return %h, %last : tensor<3x?xf16>, tensor<3xf16>
}

// CHECK-LABEL: func.func @sum_bf16(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xbf16>) init(%{{.*}} : bf16) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xbf16>, tensor<3xbf16>
func.func @sum_bf16(%x: tensor<?x3xbf16>, %i: bf16) -> (tensor<?x3xbf16>, tensor<3xbf16>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xbf16>) init(%i : bf16) dim = 0 reverse exclusive {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.addf %acc, %new : bf16
    scan.yield %s : bf16
  } -> tensor<?x3xbf16>, tensor<3xbf16>
  return %y, %last : tensor<?x3xbf16>, tensor<3xbf16>
}

// CHECK-LABEL: func.func @recurrence_bf16(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xbf16>, tensor<3x?xbf16>) init(%{{.*}} : tensor<3xbf16>) dim = 1 reverse -> tensor<3x?xbf16>, tensor<3xbf16>
func.func @recurrence_bf16(%a: tensor<1x?xbf16>, %b: tensor<3x?xbf16>, %h0: tensor<3xbf16>) -> (tensor<3x?xbf16>, tensor<3xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xbf16>, tensor<3x?xbf16>) init(%h0 : tensor<3xbf16>) dim = 1 reverse -> tensor<3x?xbf16>, tensor<3xbf16>
  return %h, %last : tensor<3x?xbf16>, tensor<3xbf16>
}

// CHECK-LABEL: func.func @sum_f32(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xf32>) init(%{{.*}} : f32) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xf32>, tensor<3xf32>
func.func @sum_f32(%x: tensor<?x3xf32>, %i: f32) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xf32>) init(%i : f32) dim = 0 reverse exclusive {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x3xf32>, tensor<3xf32>
  return %y, %last : tensor<?x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @recurrence_f32(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xf32>, tensor<3x?xf32>) init(%{{.*}} : tensor<3xf32>) dim = 1 reverse -> tensor<3x?xf32>, tensor<3xf32>
func.func @recurrence_f32(%a: tensor<1x?xf32>, %b: tensor<3x?xf32>, %h0: tensor<3xf32>) -> (tensor<3x?xf32>, tensor<3xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xf32>, tensor<3x?xf32>) init(%h0 : tensor<3xf32>) dim = 1 reverse -> tensor<3x?xf32>, tensor<3xf32>
  return %h, %last : tensor<3x?xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @sum_f64(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xf64>) init(%{{.*}} : f64) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xf64>, tensor<3xf64>
func.func @sum_f64(%x: tensor<?x3xf64>, %i: f64) -> (tensor<?x3xf64>, tensor<3xf64>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xf64>) init(%i : f64) dim = 0 reverse exclusive {
  ^bb0(%acc: f64, %new: f64):
    %s = arith.addf %acc, %new : f64
    scan.yield %s : f64
  } -> tensor<?x3xf64>, tensor<3xf64>
  return %y, %last : tensor<?x3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @recurrence_f64(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xf64>, tensor<3x?xf64>) init(%{{.*}} : tensor<3xf64>) dim = 1 reverse -> tensor<3x?xf64>, tensor<3xf64>
func.func @recurrence_f64(%a: tensor<1x?xf64>, %b: tensor<3x?xf64>, %h0: tensor<3xf64>) -> (tensor<3x?xf64>, tensor<3xf64>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xf64>, tensor<3x?xf64>) init(%h0 : tensor<3xf64>) dim = 1 reverse -> tensor<3x?xf64>, tensor<3xf64>
  return %h, %last : tensor<3x?xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @sum_complex_f32(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xcomplex<f32>>) init(%{{.*}} : complex<f32>) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xcomplex<f32>>, tensor<3xcomplex<f32>>
func.func @sum_complex_f32(%x: tensor<?x3xcomplex<f32>>, %i: complex<f32>) -> (tensor<?x3xcomplex<f32>>, tensor<3xcomplex<f32>>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xcomplex<f32>>) init(%i : complex<f32>) dim = 0 reverse exclusive {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %s = complex.add %acc, %new : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?x3xcomplex<f32>>, tensor<3xcomplex<f32>>
  return %y, %last : tensor<?x3xcomplex<f32>>, tensor<3xcomplex<f32>>
}

// CHECK-LABEL: func.func @recurrence_complex_f32(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xcomplex<f32>>, tensor<3x?xcomplex<f32>>) init(%{{.*}} : tensor<3xcomplex<f32>>) dim = 1 reverse -> tensor<3x?xcomplex<f32>>, tensor<3xcomplex<f32>>
func.func @recurrence_complex_f32(%a: tensor<1x?xcomplex<f32>>, %b: tensor<3x?xcomplex<f32>>, %h0: tensor<3xcomplex<f32>>) -> (tensor<3x?xcomplex<f32>>, tensor<3xcomplex<f32>>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xcomplex<f32>>, tensor<3x?xcomplex<f32>>) init(%h0 : tensor<3xcomplex<f32>>) dim = 1 reverse -> tensor<3x?xcomplex<f32>>, tensor<3xcomplex<f32>>
  return %h, %last : tensor<3x?xcomplex<f32>>, tensor<3xcomplex<f32>>
}

// CHECK-LABEL: func.func @sum_complex_f64(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x3xcomplex<f64>>) init(%{{.*}} : complex<f64>) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x3xcomplex<f64>>, tensor<3xcomplex<f64>>
func.func @sum_complex_f64(%x: tensor<?x3xcomplex<f64>>, %i: complex<f64>) -> (tensor<?x3xcomplex<f64>>, tensor<3xcomplex<f64>>) {
  %y, %last = scan.associative ins(%x : tensor<?x3xcomplex<f64>>) init(%i : complex<f64>) dim = 0 reverse exclusive {
  ^bb0(%acc: complex<f64>, %new: complex<f64>):
    %s = complex.add %acc, %new : complex<f64>
    scan.yield %s : complex<f64>
  } -> tensor<?x3xcomplex<f64>>, tensor<3xcomplex<f64>>
  return %y, %last : tensor<?x3xcomplex<f64>>, tensor<3xcomplex<f64>>
}

// CHECK-LABEL: func.func @recurrence_complex_f64(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xcomplex<f64>>, tensor<3x?xcomplex<f64>>) init(%{{.*}} : tensor<3xcomplex<f64>>) dim = 1 reverse -> tensor<3x?xcomplex<f64>>, tensor<3xcomplex<f64>>
func.func @recurrence_complex_f64(%a: tensor<1x?xcomplex<f64>>, %b: tensor<3x?xcomplex<f64>>, %h0: tensor<3xcomplex<f64>>) -> (tensor<3x?xcomplex<f64>>, tensor<3xcomplex<f64>>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xcomplex<f64>>, tensor<3x?xcomplex<f64>>) init(%h0 : tensor<3xcomplex<f64>>) dim = 1 reverse -> tensor<3x?xcomplex<f64>>, tensor<3xcomplex<f64>>
  return %h, %last : tensor<3x?xcomplex<f64>>, tensor<3xcomplex<f64>>
}

// CHECK-LABEL: func.func @attributes(
// CHECK: scan.associative ins(%{{.*}} : tensor<8xf32>) dim = 0 attributes {accumulators = [f64], compensated, order = #scan.order<deterministic>, schedule = #scan.schedule<strategy = row, threads = 256, items = 4>} {
// CHECK: scan.linear_recurrence ins({{.*}}) dim = 0 attributes {accumulator = f64, order = #scan.order<sequential>, schedule = #scan.schedule<strategy = sequential>} -> tensor<8xf32>
func.func @attributes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 attributes {order = #scan.order<deterministic>, compensated, accumulators = [f64], schedule = #scan.schedule<strategy = row, threads = 256, items = 4>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<8xf32>
  %h = scan.linear_recurrence ins(%x, %y : tensor<8xf32>, tensor<8xf32>) dim = 0 attributes {order = #scan.order<sequential>, accumulator = f64, schedule = #scan.schedule<strategy = sequential>} -> tensor<8xf32>
  return %h : tensor<8xf32>
}

// What has its default is not printed.
// CHECK-LABEL: func.func private @schedules(
// CHECK-SAME: {scan.schedule = #scan.schedule<strategy = row, threads = 256, items = 4, rows = 8>}
// CHECK-SAME: {scan.schedule = #scan.schedule<strategy = column, items = 8, lanes = 16, vector = 2, scope = grid>}
// CHECK-SAME: {scan.schedule = #scan.schedule<strategy = column>}
func.func private @schedules(
    f32 {scan.schedule = #scan.schedule<strategy = row, threads = 256, items = 4, rows = 8>},
    f32 {scan.schedule = #scan.schedule<strategy = column, scope = grid, vector = 2, items = 8, lanes = 16, threads = 128>},
    f32 {scan.schedule = #scan.schedule<strategy = column, lanes = 32, vector = 1, scope = block>})

// CHECK-LABEL: func.func @shared_yields(
// CHECK: scan.associative {{.*}} dim = 0 shared_yields {
func.func @shared_yields(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 shared_yields {
  ^bb0(%acc: f32, %new: f32):
    scan.yield %new : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @exclusive_recurrence(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<3x?xf32>, tensor<3x?xf32>) init(%{{.*}} : f32) dim = 1 reverse exclusive -> tensor<3x?xf32>, tensor<3xf32>
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<3x?xf32>, tensor<3x?xf32>) init(%{{.*}} : f32) dim = 1 exclusive attributes {order = #scan.order<sequential>} -> tensor<3x?xf32>
func.func @exclusive_recurrence(%a: tensor<3x?xf32>, %b: tensor<3x?xf32>, %i: f32) -> (tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<3x?xf32>, tensor<3x?xf32>) init(%i : f32) dim = 1 reverse exclusive -> tensor<3x?xf32>, tensor<3xf32>
  %g = scan.linear_recurrence ins(%a, %b : tensor<3x?xf32>, tensor<3x?xf32>) init(%i : f32) dim = 1 exclusive attributes {order = #scan.order<sequential>} -> tensor<3x?xf32>
  return %h, %last, %g : tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xf32>
}

// CHECK-LABEL: func.func @shifts(
// CHECK: scan.shift %{{.*}} boundary(%{{.*}} : tensor<2x64xbf16>) dim = 1 by = 1 : tensor<2x?x64xbf16>
// CHECK: scan.shift %{{.*}} boundary(%{{.*}} : bf16) dim = 0 by = -9223372036854775808 {note = "kept"} : tensor<2x?x64xbf16>
func.func @shifts(%h: tensor<2x?x64xbf16>, %h0: tensor<2x64xbf16>, %i: bf16) -> (tensor<2x?x64xbf16>, tensor<2x?x64xbf16>) {
  %p = scan.shift %h boundary(%h0 : tensor<2x64xbf16>) dim = 1 by = 1 : tensor<2x?x64xbf16>
  %q = scan.shift %h boundary(%i : bf16) dim = 0 by = -9223372036854775808 {note = "kept"} : tensor<2x?x64xbf16>
  return %p, %q : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>
}

// A kernel with shifted inputs, one of whose boundaries is a scalar for all
// elements of a trailing block, and with indices in every region that may have
// them, nested ones included.
// CHECK-LABEL: func.func @shifted_kernel(
// CHECK: scan.kernel dim = 0
// CHECK-NEXT: ins(
// CHECK-NEXT: maps [{{.*}}] attributes {boundaries = array<i64: 1, -1, -1, 1>, shifts = array<i64: 2, 0, 0, -1>}
// CHECK-NEXT: load
// CHECK: scan.index 0 : index
// CHECK: initialize
// CHECK: scan.index 1 : index
// CHECK: store
// CHECK: scf.if
// CHECK-NEXT: scan.index 1 : index
// CHECK: finalize
// CHECK: scan.index 1 : index
func.func @shifted_kernel(%x: tensor<?x8x2xi64>, %edge: i64, %y: tensor<?x8xi64>, %i: tensor<8xi64>, %o: tensor<?x8xi64>, %l: tensor<8xi64>) -> (tensor<?x8xi64>, tensor<8xi64>) {
  %0:2 = scan.kernel dim = 0
      ins(%x, %edge, %y, %y : tensor<?x8x2xi64>, i64, tensor<?x8xi64>, tensor<?x8xi64>) init(%i : tensor<8xi64>) outs(%o : tensor<?x8xi64>) finals(%l : tensor<8xi64>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
            affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
      attributes {shifts = array<i64: 2, 0, 0, -1>, boundaries = array<i64: 1, -1, -1, 1>}
      load {
      ^bb0(%x0: i64, %x1: i64, %e: i64, %y0: i64, %y1: i64):
        %t = scan.index 0 : index
        %u = arith.index_cast %t : index to i64
        %v = arith.muli %u, %x0 : i64
        scan.yield %v : i64
      } initialize {
      ^bb0(%h: i64):
        %d = scan.index 1 : index
        %e = arith.index_cast %d : index to i64
        %f = arith.addi %e, %h : i64
        scan.yield %f : i64
      } combine {
      ^bb0(%acc: i64, %new: i64):
        %s = arith.addi %acc, %new : i64
        scan.yield %s : i64
      } store {
      ^bb0(%in: i64, %ex: i64, %x0: i64, %x1: i64, %e: i64, %y0: i64, %y1: i64):
        %c = arith.cmpi slt, %in, %y1 : i64
        %r = scf.if %c -> i64 {
          %d = scan.index 1 : index
          %f = arith.index_cast %d : index to i64
          scf.yield %f : i64
        } else {
          scf.yield %x1 : i64
        }
        scan.yield %r : i64
      } finalize {
      ^bb0(%last: i64):
        %d = scan.index 1 : index
        %e = arith.index_cast %d : index to i64
        %f = arith.muli %e, %last : i64
        scan.yield %f : i64
      } -> tensor<?x8xi64>, tensor<8xi64>
  return %0#0, %0#1 : tensor<?x8xi64>, tensor<8xi64>
}

// CHECK-LABEL: func.func @kernel_opposite(
// CHECK:         scan.kernel dim = 1 reverse
// CHECK:           attributes {bidirectional = 1 : i64}
func.func @kernel_opposite(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0:2 = scan.kernel dim = 1 reverse
      ins(%x : tensor<8x64xf32>) outs(%y, %y : tensor<8x64xf32>, tensor<8x64xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.subf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%up_to: f32, %from: f32, %before: f32, %behind: f32, %e: f32):
        scan.yield %up_to, %from : f32, f32
      } -> tensor<8x64xf32>, tensor<8x64xf32>
  return %0#0, %0#1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// Segments: offsets, with one init and one final state per segment.

// CHECK-LABEL: func.func @offsets(
// CHECK: scan.associative ins(%{{.*}} : tensor<?x4xf32>) init(%{{.*}} : tensor<2x4xf32>) segments(%{{.*}} : tensor<3xi32>) dim = 0 reverse exclusive {
// CHECK: } -> tensor<?x4xf32>, tensor<2x4xf32>
func.func @offsets(%x: tensor<?x4xf32>, %i: tensor<2x4xf32>, %s: tensor<3xi32>) -> (tensor<?x4xf32>, tensor<2x4xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x4xf32>) init(%i : tensor<2x4xf32>) segments(%s : tensor<3xi32>) dim = 0 reverse exclusive {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x4xf32>, tensor<2x4xf32>
  return %y, %last : tensor<?x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @offsets_of_recurrence(
// CHECK: scan.linear_recurrence ins(%{{.*}}, %{{.*}} : tensor<1x?xbf16>, tensor<?x?xbf16>) segments(%{{.*}} : tensor<?xindex>) dim = 1 attributes {order = #scan.order<sequential>} -> tensor<?x?xbf16>, tensor<?x?xbf16>
func.func @offsets_of_recurrence(%a: tensor<1x?xbf16>, %b: tensor<?x?xbf16>, %s: tensor<?xindex>) -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xbf16>, tensor<?x?xbf16>) segments(%s : tensor<?xindex>) dim = 1
      attributes {order = #scan.order<sequential>} -> tensor<?x?xbf16>, tensor<?x?xbf16>
  return %h, %last : tensor<?x?xbf16>, tensor<?x?xbf16>
}

// Flags: one per step, or per point, repeated along some dimensions; with one init
// for all walks, or one per step.

// CHECK-LABEL: func.func @flags(
// CHECK: scan.linear_recurrence {{.*}} init(%{{.*}} : f32) segments(%{{.*}} : tensor<?xi1>) dim = 0 -> tensor<?x4xf32>, tensor<4xf32>
// CHECK: scan.linear_recurrence {{.*}} init(%{{.*}} : tensor<?x4xf32>) segments(%{{.*}} : tensor<?x1xi1>) dim = 0 exclusive -> tensor<?x4xf32>
func.func @flags(%x: tensor<?x4xf32>, %i: f32, %s: tensor<?xi1>, %p: tensor<?x1xi1>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>) {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) init(%i : f32) segments(%s : tensor<?xi1>) dim = 0 -> tensor<?x4xf32>, tensor<4xf32>
  %z = scan.linear_recurrence ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) init(%x : tensor<?x4xf32>) segments(%p : tensor<?x1xi1>) dim = 0 exclusive -> tensor<?x4xf32>
  return %y, %last, %z : tensor<?x4xf32>, tensor<4xf32>, tensor<?x4xf32>
}
