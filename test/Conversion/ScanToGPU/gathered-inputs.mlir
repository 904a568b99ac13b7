// Gathered inputs in kernels: a step loads its elements only where its place is one.

// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (0, d1)>

// How many places there are is a size behind those of the domain.
// CHECK-LABEL: func.func @columns(
// CHECK:         %[[P:.+]] = memref.dim %arg1, %{{.+}} : memref<?x64xf32>
// CHECK:         gpu.launch_func {{.*}}@columns_scan0 {{.*}}, %[[P]] : index)
// CHECK-LABEL: gpu.func @columns_scan0(
// CHECK-SAME:    %[[PLACES:[a-z0-9]+]]: index) kernel
// CHECK-SAME:    {dim = 2 : i64, kind = "size", name = "n2"}
// CHECK:         %[[H:.+]] = memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [%[[PLACES]], 64]
// CHECK:         scf.for
// CHECK:           %[[X:.+]] = llvm.load %{{.+}} : !llvm.ptr<1> -> f32
// CHECK:           %[[N:.+]] = llvm.load %{{.+}} : !llvm.ptr<1> -> i32
// CHECK:           %[[I:.+]] = arith.index_cast %[[N]] : i32 to index
// CHECK:           %[[IN:.+]] = arith.cmpi ult, %[[I]], %[[PLACES]] : index
// CHECK:           %[[G:.+]] = scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:        %[[E:.+]] = memref.load %[[H]][%[[I]], %{{.+}}]
// CHECK-NEXT:        scf.yield %[[E]] : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %{{.+}} : f32
// CHECK:           arith.addf %[[X]], %[[G]] : f32
func.func @columns(%x: memref<?x64xf32>, %h: memref<?x64xf32>, %n: memref<?xi32>, %y: memref<?x64xf32>) {
  scan.kernel dim = 0
      ins(%x, %h, %n : memref<?x64xf32>, memref<?x64xf32>, memref<?xi32>) outs(%y : memref<?x64xf32>)
      maps [#tc, #c, #t, #tc]
      attributes {gathers = array<i64: -1, 2, -1>, schedule = #scan.schedule<strategy = sequential, threads = 32, items = 1>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      }
  return
}

// Tiles: everything else is loaded before.
// CHECK-LABEL: gpu.func @tiles_scan0(
// CHECK:         %[[I:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK-NEXT:    %[[IN:.+]] = arith.cmpi ult, %[[I]], %c3 : index
// CHECK-NEXT:    scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:      memref.load %{{.+}}[%[[I]], %{{.+}}]
func.func @tiles(%x: memref<8x64xf32>, %h: memref<3x64xf32>, %n: memref<8xi32>, %y: memref<8x64xf32>) {
  scan.kernel dim = 0
      ins(%x, %h, %n : memref<8x64xf32>, memref<3x64xf32>, memref<8xi32>) outs(%y : memref<8x64xf32>)
      maps [#tc, #c, #t, #tc]
      attributes {gathers = array<i64: -1, 2, -1>, schedule = #scan.schedule<strategy = column, threads = 64, items = 1, lanes = 32>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      }
  return
}
