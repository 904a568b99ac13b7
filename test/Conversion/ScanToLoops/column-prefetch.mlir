// One thread that walks few columns prefetches the steps of the next pass, if the outputs
// exceed the caches; not where steps are long, nor where everything stays in the caches.
// What is computed so is compared with numpy in streaming-numbers.test.

// RUN: scan-opt %s -convert-scan-to-loops="vector-bits=128 streaming-bytes=4096" -canonicalize -cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func @dynamic(
// CHECK-SAME:    %[[X:.+]]: memref<?x?xf32>, %{{.+}}: memref<?x?xf32>)
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c4096
// CHECK:         %[[NARROW:.*]] = arith.cmpi ule, %{{.*}}, %c512
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[NARROW]], %[[LARGE]]
// CHECK:         scf.for %[[STEP:.*]] = %c1 to {{.*}} step %c4
// CHECK:           %[[NEXT:.*]] = arith.addi %[[STEP]], %c4
// CHECK:           scf.for {{.*}} = %c0 to {{.*}} step %c4
// CHECK:             %[[COLUMN:.*]] = arith.addi
// CHECK-COUNT-4:     vector.load %[[X]]
// CHECK:             scf.if %[[BOTH]] {
// CHECK-NEXT:          memref.prefetch %[[X]][%[[NEXT]], %[[COLUMN]]], read, locality<2>, data
// CHECK-COUNT-3:       memref.prefetch %[[X]]
// CHECK-NEXT:        }
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 0 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// Down in memory, to the first level.

// CHECK-LABEL: func @large(
// CHECK-NOT:     scf.if
// CHECK:         memref.prefetch {{.*}}, read, locality<3>, data
// CHECK-LABEL: func @wide(
// CHECK-NOT:     memref.prefetch
// CHECK-LABEL: func @small(
// CHECK-NOT:     memref.prefetch
func.func @large(%x: memref<64x256xf32>, %y: memref<64x256xf32>) {
  scan.kernel dim = 0 reverse ins(%x : memref<64x256xf32>) outs(%y : memref<64x256xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
func.func @wide(%x: memref<64x516xf32>, %y: memref<64x516xf32>) {
  scan.kernel dim = 0 ins(%x : memref<64x516xf32>) outs(%y : memref<64x516xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
func.func @small(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  scan.kernel dim = 0 ins(%x : memref<4x64xf32>) outs(%y : memref<4x64xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
