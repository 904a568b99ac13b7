// Rows that are aligned are read and written 16 bytes at a time, whatever the
// element type, and lie in shared memory as they do in vectors; what is computed
// in f32 is not packed. Rows that are not aligned are moved element by element.
//
// RUN: scan-translate --scan-to-ptx %s --chip=sm_90 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// CHECK-LABEL: .entry floats_scan0
// CHECK: ld.global.v4.b32
// CHECK: ld.global.b32
// CHECK: st.shared.v4.b32
// CHECK: ld.shared.v4.b32
// CHECK: st.shared.v4.b32
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// CHECK: st.global.b32
func.func @floats(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 4>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// CHECK-LABEL: .entry halves_scan0
// CHECK-NOT: bf16x2
// CHECK: ld.global.v4.b32
// CHECK-NOT: bf16x2
// CHECK: st.shared.v4.b32
// CHECK-NOT: add{{.*}}bf16x2
// CHECK: add.{{(rn.)?}}f32
// CHECK-NOT: add{{.*}}bf16x2
// CHECK: st.global.v4.b32
func.func @halves(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %p = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, rows = 4>} {
  ^bb0(%acc: bf16, %new: bf16):
    %r = arith.addf %acc, %new : bf16
    scan.yield %r : bf16
  } -> tensor<?x?xbf16>
  return %p : tensor<?x?xbf16>
}

// CHECK-LABEL: .entry complexes_scan0
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
func.func @complexes(%x: tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %p = scan.associative ins(%x : tensor<?x?xcomplex<f32>>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %r = complex.mul %acc, %new : complex<f32>
    scan.yield %r : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  return %p : tensor<?x?xcomplex<f32>>
}
