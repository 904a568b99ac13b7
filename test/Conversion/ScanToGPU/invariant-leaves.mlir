// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

// The coefficients of a time-invariant system: what a part of a scan has of them
// follows from its length. The total of a thread's eight steps takes three
// products, and tiles publish h alone: one word of 8 bytes, with the flag.

#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-DAG: #[[$BYTES:.*]] = affine_map<()[s0, s1] -> ((s0 * (s1 ceildiv 512)) * 8 + 128)>
// CHECK-LABEL: gpu.func @decay_scan0(
// CHECK: %[[A2:.*]] = arith.mulf %[[A:.*]], %[[A]] : f32
// CHECK-NEXT: %[[A4:.*]] = arith.mulf %[[A2]], %[[A2]] : f32
// CHECK-NEXT: arith.mulf %[[A4]], %[[A4]] : f32
// CHECK: gpu.shuffle up %{{.*}}, %c1_i32
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64
// Lanes that look back take the coefficients of their own tile.
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK-NOT: i128
// CHECK: gpu.return
func.func @decay(%a: memref<?xf32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%a, %x : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#row, #all, #all]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, scope = grid>}
      load {
      ^bb0(%ea: f32, %ex: f32):
        scan.yield %ea, %ex : f32, f32
      } combine {
      ^bb0(%a1: f32, %h1: f32, %a2: f32, %h2: f32):
        %a12 = arith.mulf %a2, %a1 : f32
        %p = arith.mulf %a2, %h1 : f32
        %h12 = arith.addf %p, %h2 : f32
        scan.yield %a12, %h12 : f32, f32
      } store {
      ^bb0(%ai: f32, %hi: f32, %ae: f32, %he: f32, %ea: f32, %ex: f32):
        scan.yield %hi : f32
      }
  return
}

// A coefficient that leaves the kernel, or that depends on what varies, is published.

// CHECK-LABEL: gpu.func @visible_scan0(
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128
func.func @visible(%a: memref<?xf32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%a, %x : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#row, #all, #all]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, scope = grid>}
      load {
      ^bb0(%ea: f32, %ex: f32):
        scan.yield %ea, %ex : f32, f32
      } combine {
      ^bb0(%a1: f32, %h1: f32, %a2: f32, %h2: f32):
        %a12 = arith.mulf %a2, %a1 : f32
        %p = arith.mulf %a2, %h1 : f32
        %h12 = arith.addf %p, %h2 : f32
        scan.yield %a12, %h12 : f32, f32
      } store {
      ^bb0(%ai: f32, %hi: f32, %ae: f32, %he: f32, %ea: f32, %ex: f32):
        %s = arith.addf %ai, %hi : f32
        scan.yield %s : f32
      }
  return
}

// CHECK-LABEL: gpu.func @mixed_scan0(
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128
func.func @mixed(%a: memref<?xf32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%a, %x : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#row, #all, #all]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, scope = grid>}
      load {
      ^bb0(%ea: f32, %ex: f32):
        scan.yield %ea, %ex : f32, f32
      } combine {
      ^bb0(%a1: f32, %h1: f32, %a2: f32, %h2: f32):
        // The leaf is the same at every step, but what it is combined with is not.
        %m = arith.maximumf %a1, %h1 : f32
        %a12 = arith.maximumf %m, %a2 : f32
        %h12 = arith.maximumf %h1, %h2 : f32
        scan.yield %a12, %h12 : f32, f32
      } store {
      ^bb0(%ai: f32, %hi: f32, %ae: f32, %he: f32, %ea: f32, %ex: f32):
        scan.yield %ai : f32
      }
  return
}

// With many rows, or so many as are not known, four tiles are looked at first
// where a state takes several words.

// CHECK-LABEL: gpu.func @wide_scan0(
// CHECK: arith.cmpi ult, %{{.*}}, %c4 : index
// CHECK-COUNT-2: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
// CHECK: gpu.return
func.func @wide(%a: memref<?xcomplex<f64>>, %x: memref<?x?xcomplex<f64>>, %y: memref<?x?xcomplex<f64>>) {
  scan.kernel dim = 1 ins(%a, %x : memref<?xcomplex<f64>>, memref<?x?xcomplex<f64>>)
      outs(%y : memref<?x?xcomplex<f64>>) maps [#row, #all, #all]
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 4, scope = grid>}
      load {
      ^bb0(%ea: complex<f64>, %ex: complex<f64>):
        scan.yield %ea, %ex : complex<f64>, complex<f64>
      } combine {
      ^bb0(%a1: complex<f64>, %h1: complex<f64>, %a2: complex<f64>, %h2: complex<f64>):
        %a12 = complex.mul %a2, %a1 : complex<f64>
        %p = complex.mul %a2, %h1 : complex<f64>
        %h12 = complex.add %p, %h2 : complex<f64>
        scan.yield %a12, %h12 : complex<f64>, complex<f64>
      } store {
      ^bb0(%ai: complex<f64>, %hi: complex<f64>, %ae: complex<f64>, %he: complex<f64>, %ea: complex<f64>, %ex: complex<f64>):
        scan.yield %hi : complex<f64>
      }
  return
}
