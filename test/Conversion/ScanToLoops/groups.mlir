// Kernels that hand arrays on share loops: every block of columns goes through the forward pass and
// then the backward pass.

// RUN: scan-opt %s --split-input-file --convert-scan-to-loops="vector-bits=0" --canonicalize --cse | FileCheck %s
// RUN: scan-opt %s --split-input-file --convert-scan-to-loops="vector-bits=0 threads thread-work=0" --canonicalize --cse | FileCheck %s --check-prefix=THREADS

#id = affine_map<(b, t, c) -> (b, t, c)>
#none = affine_map<(b, t, c) -> ()>

// Only these two kernels access the states: all of dimension 0 share the memory of one.

// CHECK-LABEL: func.func @pass(
// CHECK:         %[[OUT:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?xf32>
// CHECK:         %[[MEMORY:.*]] = memref.alloc(%[[T:.*]], %[[C:.*]]) {alignment = 64 : i64, bufferization.manual_deallocation} : memref<1x?x?xf32>
// CHECK:         %[[H:.*]] = memref.reinterpret_cast %[[MEMORY]] to offset: [0], sizes: [%{{.*}}, %[[T]], %[[C]]], strides: [0, %{{.*}}, 1]
// CHECK:         scf.for %[[B:.*]] = %c0 to
// CHECK-NEXT:      scf.for %[[BEGIN:.*]] = %c0 to
// CHECK:             memref.store %{{.*}}, %[[H]][%[[B]], %{{.*}}, %{{.*}}]
// CHECK:             memref.load %[[H]][%[[B]], %{{.*}}, %{{.*}}]
// CHECK:             memref.store %{{.*}}, %[[OUT]][%[[B]], %{{.*}}, %{{.*}}]
// CHECK:         memref.dealloc %[[MEMORY]] {bufferization.manual_deallocation}

// Threads compute several of them at a time, each its own.

// THREADS-LABEL: func.func @pass(
// THREADS:         %[[H:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?xf32>
// THREADS-NOT:     reinterpret_cast
// THREADS:         scf.parallel
// THREADS:           memref.store %{{.*}}, %[[H]][
// THREADS:           memref.load %[[H]][
// THREADS:         } {scan.threads}
// THREADS-NOT:     scf.parallel
// THREADS:       return
func.func @pass(%a: memref<?x?x?xf32>, %x: memref<?x?x?xf32>, %g: memref<?x?x?xf32>) -> memref<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %b = memref.dim %x, %c0 : memref<?x?x?xf32>
  %t = memref.dim %x, %c1 : memref<?x?x?xf32>
  %c = memref.dim %x, %c2 : memref<?x?x?xf32>
  %h = memref.alloc(%b, %t, %c) : memref<?x?x?xf32>
  %out = memref.alloc(%b, %t, %c) : memref<?x?x?xf32>
  scan.kernel dim = 1 ins(%x : memref<?x?x?xf32>) outs(%h : memref<?x?x?xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  %d = memref.dim %a, %c0 : memref<?x?x?xf32>
  %scratch = memref.alloc(%d) : memref<?xf32>
  memref.store %zero, %scratch[%c0] : memref<?xf32>
  scan.kernel dim = 1 reverse ins(%g, %h, %zero : memref<?x?x?xf32>, memref<?x?x?xf32>, f32) outs(%out : memref<?x?x?xf32>)
      maps [#id, #id, #none, #id] attributes {boundaries = array<i64: -1, 2, -1>, shifts = array<i64: 0, 1, 0>}
      load {
      ^bb0(%e: f32, %f: f32, %z: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32, %z: f32):
        %s = arith.mulf %in, %f : f32
        scan.yield %s : f32
      }
  memref.dealloc %scratch : memref<?xf32>
  return %out : memref<?x?x?xf32>
}

// -----

#id = affine_map<(b, t, c) -> (b, t, c)>
#turned = affine_map<(b, t, c) -> (c, t, b)>

// A kernel that reads other columns than the block before has written waits for all of them; so does
// one behind code that reads them.

// CHECK-LABEL: func.func @apart(
// CHECK-DAG:     %[[OUT:.*]] = memref.alloc() : memref<8x9x8xf32>
// CHECK-DAG:     %[[H:.*]] = memref.alloc() : memref<8x9x8xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:             memref.store %{{.*}}, %[[H]][
// CHECK:           scf.for %{{.*}} = %c1 to %c9 step %c1 {
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:             memref.load %[[H]][
// CHECK-LABEL: func.func @between(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:           scf.for %{{.*}} = %c1 to %c9 step %c1 {
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:         memref.copy
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c8 step %c1 {
func.func @apart(%x: memref<8x9x8xf32>) -> memref<8x9x8xf32> {
  %out = memref.alloc() : memref<8x9x8xf32>
  %h = memref.alloc() : memref<8x9x8xf32>
  scan.kernel dim = 1 ins(%x : memref<8x9x8xf32>) outs(%h : memref<8x9x8xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  scan.kernel dim = 1 ins(%x, %h : memref<8x9x8xf32>, memref<8x9x8xf32>) outs(%out : memref<8x9x8xf32>) maps [#id, #turned, #id]
      load {
      ^bb0(%e: f32, %f: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %f: f32):
        %s = arith.mulf %in, %f : f32
        scan.yield %s : f32
      }
  return %out : memref<8x9x8xf32>
}

func.func @between(%x: memref<8x9x8xf32>, %copy: memref<8x9x8xf32>) -> memref<8x9x8xf32> {
  %out = memref.alloc() : memref<8x9x8xf32>
  %h = memref.alloc() : memref<8x9x8xf32>
  scan.kernel dim = 1 ins(%x : memref<8x9x8xf32>) outs(%h : memref<8x9x8xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  memref.copy %h, %copy : memref<8x9x8xf32> to memref<8x9x8xf32>
  scan.kernel dim = 1 ins(%h : memref<8x9x8xf32>) outs(%out : memref<8x9x8xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return %out : memref<8x9x8xf32>
}

// -----

#id = affine_map<(b, t, c) -> (b, t, c)>

// The second kernel may write to the array of which the first one reads other columns: nobody
// has said that arguments are different arrays.

// CHECK-LABEL: func.func @arguments(
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:           scf.for %{{.*}} = %c1 to %c9 step %c1 {
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK:         scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c8 step %c1 {
func.func @arguments(%x: memref<8x9x8xf32>, %out: memref<8x9x8xf32>) {
  %h = memref.alloc() : memref<8x9x8xf32>
  scan.kernel dim = 1 ins(%x : memref<8x9x8xf32>) outs(%h : memref<8x9x8xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  scan.kernel dim = 1 ins(%h : memref<8x9x8xf32>) outs(%out : memref<8x9x8xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}
