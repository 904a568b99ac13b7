// RUN: scan-opt %s --scan-batch-to-threads="thread-work=2000" --split-input-file --canonicalize --cse | FileCheck %s

// The batch is in parts behind the checks of all steps; a temporary of a step, whose extent
// is that of a view of it, is there once. Operations have as many rows as they had, whatever
// others say.

// CHECK-LABEL: func @cell
// CHECK-SAME:  %[[X:.*]]: memref<?x?x8xf32>, %[[U:.*]]: memref<8x8xf32>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:   %[[STEPS:.*]] = memref.dim %[[X]], %[[C1]]
// CHECK-DAG:   %[[BATCH:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK:       %[[H:.*]] = memref.alloc(%[[M]]) : memref<?x8xf32>
// CHECK:       %[[Z:.*]] = memref.alloc(%[[BATCH]]) : memref<?x1x8xf32>
// CHECK:       scf.for %[[T:.*]] = %[[C0]] to %[[STEPS]]
// CHECK-NEXT:    %[[OK:.*]] = arith.cmpi ult, %[[T]], %[[N]]
// CHECK-NEXT:    cf.assert %[[OK]]
// CHECK-NEXT:  }
// CHECK:       %[[COUNT:.*]] = arith.maxui %{{.*}}, %{{.*}} : index
// CHECK:       %[[FEW:.*]] = arith.minui %[[COUNT]], %{{.*}}
// CHECK:       %[[QUARTER:.*]] = arith.divui %[[COUNT]], %{{.*}}
// CHECK:       %[[LEAST:.*]] = arith.maxui %[[QUARTER]], %[[FEW]]
// CHECK:       %[[MOST:.*]] = arith.minui %[[LEAST]], %{{.*}}
// CHECK:       %[[PARTS:.*]] = arith.select %{{.*}}, %[[MOST]], %[[C1]]
// CHECK:       scf.parallel (%[[P:.*]]) = (%[[C0]]) to (%[[PARTS]]) step (%[[C1]])
// CHECK-NOT:     alloc
// CHECK-NOT:     assert
// CHECK:         scf.for %{{.*}} = %[[C0]] to %[[STEPS]]
// CHECK:           %[[FROM:.*]] = memref.subview %{{.*}}[%[[B:.*]], 0, 0] [%[[S:.*]], 1, 8]
// CHECK:           %[[TO:.*]] = memref.subview %[[Z]][%[[B]], 0, 0] [%[[S]], 1, 8]
// CHECK:           memref.copy %[[FROM]], %[[TO]]
// CHECK:           linalg.matmul ins(%{{.*}}, %[[U]] :
// CHECK:       } {scan.threads}
func.func @cell(%x: memref<?x?x8xf32>, %u: memref<8x8xf32>, %n: index, %m: index) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = memref.dim %x, %c1 : memref<?x?x8xf32>
  %batch = memref.dim %x, %c0 : memref<?x?x8xf32>
  %h = memref.alloc(%m) : memref<?x8xf32>
  scf.for %t = %c0 to %steps step %c1 {
    %ok = arith.cmpi ult, %t, %n : index
    cf.assert %ok, "too many steps"
    %row = memref.subview %x[0, %t, 0] [%batch, 1, 8] [1, 1, 1] : memref<?x?x8xf32> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %wide = memref.expand_shape %row [[0], [1, 2]] output_shape [%batch, 1, 8] : memref<?x8xf32, strided<[?, 1], offset: ?>> into memref<?x1x8xf32, strided<[?, 8, 1], offset: ?>>
    %own = memref.dim %wide, %c0 : memref<?x1x8xf32, strided<[?, 8, 1], offset: ?>>
    %z = memref.alloc(%own) : memref<?x1x8xf32>
    memref.copy %wide, %z : memref<?x1x8xf32, strided<[?, 8, 1], offset: ?>> to memref<?x1x8xf32>
    %rows = memref.collapse_shape %z [[0], [1, 2]] : memref<?x1x8xf32> into memref<?x8xf32>
    linalg.matmul ins(%rows, %u : memref<?x8xf32>, memref<8x8xf32>) outs(%h : memref<?x8xf32>)
  }
  return %h : memref<?x8xf32>
}

// -----

// The outermost dimension is one that operations read across, the other one is not:
// 200 lanes are three parts of 64 or more.

#id = affine_map<(i, j) -> (i, j)>
#other = affine_map<(i, j) -> (0, j)>

// CHECK-LABEL: func @lanes
// CHECK:       scf.parallel (%{{.*}}) = (%c0) to (%c3)
// CHECK:         scf.for
// CHECK:           memref.subview %{{.*}}[0, %{{.*}}] [4, %{{.*}}]
func.func @lanes(%n: index) -> memref<4x200xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %h = memref.alloc() : memref<4x200xf32>
  scf.for %t = %c0 to %c9 step %c1 {
    linalg.generic {indexing_maps = [#other, #id], iterator_types = ["parallel", "parallel"]}
        ins(%h : memref<4x200xf32>) outs(%h : memref<4x200xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  }
  return %h : memref<4x200xf32>
}

// -----

// No part of the batch is independent of others: what an operation reads of another index,
// adds up over all, or has for each, and a buffer of one index only.

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#line = affine_map<(i) -> (i)>

// CHECK-LABEL: func @across
// CHECK-NOT:   scf.parallel
func.func @across(%n: index) -> (memref<64x64xf32>, memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<64x64xf32>
  %g = memref.alloc() : memref<64x64xf32>
  %s = memref.alloc() : memref<64xf32>
  scf.for %t = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
        ins(%g : memref<64x64xf32>) outs(%h : memref<64x64xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
    memref.copy %h, %g : memref<64x64xf32> to memref<64x64xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%h : memref<64x64xf32>) outs(%s : memref<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    }
    linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
        ins(%s : memref<64xf32>) outs(%s : memref<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      linalg.yield %f : f32
    }
  }
  scf.for %t = %c0 to %n step %c1 {
    %first = memref.subview %h[0, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1]>>
    %second = memref.subview %h[1, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1], offset: 64>>
    %column = memref.subview %h[0, 0] [64, 1] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[64]>>
    memref.copy %first, %second : memref<64xf32, strided<[1]>> to memref<64xf32, strided<[1], offset: 64>>
    memref.copy %s, %column : memref<64xf32> to memref<64xf32, strided<[64]>>
  }
  return %h, %s : memref<64x64xf32>, memref<64xf32>
}

// -----

// What may have another name, a loop that carries a value, an element that is loaded of what
// is written, a check of what memory holds, an operation that writes nothing, a call, a temporary whose extent a step decides.

// CHECK-LABEL: func @refused
// CHECK-NOT:   scf.parallel
func.func private @f()
func.func @refused(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %flags: memref<?xi1>, %n: index) -> (memref<64x64xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<64x64xf32>
  scf.for %t = %c0 to %n step %c1 {
    memref.copy %x, %y : memref<64x64xf32> to memref<64x64xf32>
  }
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%i = %c0) -> index {
    memref.copy %x, %h : memref<64x64xf32> to memref<64x64xf32>
    %next = arith.muli %i, %t : index
    scf.yield %next : index
  }
  scf.for %t = %c0 to %n step %c1 {
    %e = memref.load %h[%t, %t] : memref<64x64xf32>
    linalg.fill ins(%e : f32) outs(%h : memref<64x64xf32>)
  }
  scf.for %t = %c0 to %n step %c1 {
    %ok = memref.load %flags[%t] : memref<?xi1>
    cf.assert %ok, "a flag"
    memref.copy %x, %h : memref<64x64xf32> to memref<64x64xf32>
  }
  scf.for %t = %c0 to %n step %c1 {
    memref.copy %x, %h : memref<64x64xf32> to memref<64x64xf32>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h : memref<64x64xf32>) {
    ^bb0(%e: f32):
      linalg.yield
    }
  }
  scf.for %t = %c0 to %n step %c1 {
    memref.copy %x, %h : memref<64x64xf32> to memref<64x64xf32>
    func.call @f() : () -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    %some = memref.alloc(%t) : memref<?x64xf32>
    %part = memref.subview %x[0, 0] [%t, 64] [1, 1] : memref<64x64xf32> to memref<?x64xf32, strided<[64, 1]>>
    memref.copy %part, %some : memref<?x64xf32, strided<[64, 1]>> to memref<?x64xf32>
  }
  return %h, %last : memref<64x64xf32>, index
}

// -----

// Little work, and a loop that threads share already.

// CHECK-LABEL: func @small
// CHECK-NOT:   scan.threads
func.func @small(%x: memref<8x8xf32>, %n: index) -> memref<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %h = memref.alloc() : memref<8x8xf32>
  scf.for %t = %c0 to %c9 step %c1 {
    memref.copy %x, %h : memref<8x8xf32> to memref<8x8xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %t = %c0 to %n step %c1 {
      memref.copy %x, %h : memref<8x8xf32> to memref<8x8xf32>
    }
  }
  return %h : memref<8x8xf32>
}
