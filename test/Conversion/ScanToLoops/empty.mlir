// A scan over no elements is over at once, however many rows it has.

// RUN: scan-opt %s --convert-scan-to-loops | FileCheck %s
// RUN: timeout 60 scan-run %S/Inputs/empty.mlir --target=cpu --entry=rows --input=zeros:f32:4611686018427387904x0 --output=%t.npy
// RUN: timeout 60 scan-run %S/Inputs/empty.mlir --target=cpu --entry=columns --input=zeros:f32:4611686018427387904x0x3 --output=%t.npy
// RUN: timeout 60 scan-run %S/Inputs/empty.mlir --target=cpu --entry=columns --input=zeros:f32:4611686018427387904x3x0 --output=%t.npy

// But the final state of no steps is the initial one.
// RUN: scan-run %S/Inputs/empty.mlir --target=cpu --compare=reference --tolerance=0 --entry=totals --input=zeros:f32:5x0 --input=random:f32:5:1
// RUN: scan-run %S/Inputs/empty.mlir --target=cpu --compare=reference --tolerance=0 --entry=totals --input=random:f32:5x1:2 --input=random:f32:5:1

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: @dynamic
// CHECK: %[[SIZE:.*]] = memref.dim %{{.*}}, %c1
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[SIZE]], %{{.*}} : index
// CHECK: scf.if %[[SOME]] {
// CHECK: scf.for
func.func @dynamic(%x: memref<?x?xi32>, %y: memref<?x?xi32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xi32>) outs(%y : memref<?x?xi32>) maps [#id, #id]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%p: i32, %q: i32):
        %s = arith.addi %p, %q : i32
        scan.yield %s : i32
      } store {
      ^bb0(%i: i32, %e: i32, %a: i32):
        scan.yield %i : i32
      }
  return
}

// One loop ends by itself, and so do those of extents that are known.
// CHECK-LABEL: @single
// CHECK-NOT: scf.if %{{[^ ]*}} {
// CHECK: return
func.func @single(%x: memref<8x4xi32>, %y: memref<8x4xi32>) {
  scan.kernel dim = 1 ins(%x : memref<8x4xi32>) outs(%y : memref<8x4xi32>) maps [#id, #id]
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%p: i32, %q: i32):
        %s = arith.addi %p, %q : i32
        scan.yield %s : i32
      } store {
      ^bb0(%i: i32, %e: i32, %a: i32):
        scan.yield %i : i32
      }
  return
}
