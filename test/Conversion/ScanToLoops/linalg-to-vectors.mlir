// RUN: scan-opt %s --scan-linalg-to-vectors=vector-bits=256 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-linalg-to-vectors="vector-bits=256 fused-multiply-add" --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=FUSED
// RUN: scan-opt %s --scan-linalg-to-vectors=vector-bits=0 --split-input-file | FileCheck %s --check-prefix=ALONE
// RUN: not scan-opt %s --scan-linalg-to-vectors=vector-bits=3 --split-input-file 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: scan-linalg-to-vectors: expected the bits of vectors to be 0, or a power of two from 8 to 4096, found 3

// Element by element: vectors, and what is left over one by one. What is the same for
// all lanes is loaded once.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:      %[[X:.+]]: memref<4x?xf32>, %[[S:.+]]: memref<4xf32>
// CHECK:         scf.for %[[I:.+]] = %c0 to %c4 step %c1 {
// CHECK:           %[[N:.+]] = memref.dim %[[X]]
// CHECK:           %[[REST:.+]] = arith.remui %[[N]], %c8
// CHECK:           %[[WHOLE:.+]] = arith.subi %[[N]], %[[REST]]
// CHECK:           scf.for %[[J:.+]] = %c0 to %[[WHOLE]] step %c8 {
// CHECK-DAG:         %[[E:.+]] = vector.load %[[X]][%[[I]], %[[J]]]
// CHECK-DAG:         %[[B:.+]] = memref.load %[[S]][%[[I]]]
// CHECK-DAG:         %[[W:.+]] = vector.broadcast %[[B]] : f32 to vector<8xf32>
// CHECK:             %[[P:.+]] = arith.mulf %[[E]], %[[W]] : vector<8xf32>
// CHECK:             %[[T:.+]] = math.tanh %[[P]] : vector<8xf32>
// CHECK:             vector.store %[[T]]
// CHECK:           scf.for %{{.+}} = %[[WHOLE]] to %[[N]] step %c1 {
// CHECK:             math.tanh %{{.+}} : f32
// CHECK:             memref.store
// ALONE-LABEL: func.func @elementwise(
// ALONE:         linalg.generic
func.func @elementwise(%x: memref<4x?xf32>, %s: memref<4xf32>, %y: memref<4x?xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<4x?xf32>, memref<4xf32>) outs(%y : memref<4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = math.tanh %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A product: four rows of two vectors are added up in registers; then two rows of four,
// a row of eight, and the columns that are left over.

// CHECK-LABEL: func.func @product(
// CHECK-SAME:      %[[A:.+]]: memref<7x?xf32>, %[[B:.+]]: memref<?x20xf32>, %[[C:.+]]: memref<7x20xf32>
// CHECK:         vector.load %[[C]][%c0, %c0]
// CHECK-COUNT-7: vector.load %[[C]]
// CHECK:         scf.for %{{.+}} = %c0 to %{{.+}} step %c1 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-COUNT-4:   memref.load %[[A]]
// CHECK-COUNT-2:   vector.load %[[B]]
// CHECK-COUNT-8:   arith.mulf {{.*}} : vector<8xf32>
// CHECK-COUNT-8:   arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT:       vector.store
// CHECK:           scf.yield
// CHECK-COUNT-8: vector.store
// FUSED-LABEL: func.func @product(
// FUSED:         scf.for
// FUSED-NOT:     arith.mulf
// FUSED-NOT:     arith.addf
// FUSED-COUNT-8: math.fma {{.*}} : vector<8xf32>
// FUSED:         math.fma {{.*}} : f32
func.func @product(%a: memref<7x?xf32>, %b: memref<?x20xf32>, %c: memref<7x20xf32>) {
  linalg.matmul ins(%a, %b : memref<7x?xf32>, memref<?x20xf32>) outs(%c : memref<7x20xf32>)
  return
}

// -----

// Which of two inputs is read is found out once.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#none = affine_map<(m, n, k) -> ()>
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME:      %[[FLAG:.+]]: i1, %[[X:.+]]: memref<4x512xf32, strided<[?, 1], offset: ?>>, %[[Y:.+]]: memref<4x512xf32, strided<[512, 1], offset: 12>>
// CHECK:         %[[YES:.+]] = memref.cast %[[Y]] : {{.*}} to memref<4x512xf32, strided<[?, 1], offset: ?>>
// CHECK:         %[[H:.+]] = arith.select %[[FLAG]], %[[X]], %[[YES]]
// CHECK:         scf.for
// CHECK-NOT:       memref.load %[[X]]
// CHECK-COUNT-4:   memref.load %[[H]]
// CHECK-NOT:       arith.select
func.func @chosen(%flag: i1, %x: memref<4x512xf32, strided<[?, 1], offset: ?>>, %y: memref<4x512xf32, strided<[512, 1], offset: 12>>,
                  %w: memref<512x8xf32>, %z: memref<4x8xf32>) {
  linalg.generic {indexing_maps = [#none, #a, #a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%flag, %x, %y, %w : i1, memref<4x512xf32, strided<[?, 1], offset: ?>>, memref<4x512xf32, strided<[512, 1], offset: 12>>, memref<512x8xf32>)
      outs(%z : memref<4x8xf32>) {
  ^bb0(%f: i1, %e0: f32, %e1: f32, %v: f32, %o: f32):
    %h = arith.select %f, %e0, %e1 : f32
    %p = arith.mulf %h, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Indices are vectors along the lanes only.

// CHECK-LABEL: func.func @indices(
// CHECK:         %[[LANES:.+]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK:         vector.broadcast
// CHECK:         arith.addi %{{.+}}, %[[LANES]] : vector<4xindex>
// CHECK:         arith.index_cast %{{.+}} : vector<4xindex> to vector<4xi64>
func.func @indices(%y: memref<3x8xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<3x8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %n = arith.index_cast %s : index to i64
    linalg.yield %n : i64
  }
  return
}

// -----

// What has no vectors stays: gaps along the lanes, flags and other elements that vectors
// pack, divisions that may have no result, branches, sums of all elements, a single column.

// CHECK-LABEL: func.func @refused(
// CHECK-COUNT-7: linalg.{{[a-x]}}
// CHECK-NOT:     vector
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
func.func @refused(%x: memref<8x8xi32>, %y: memref<8x8xi32>, %f: memref<8x8xi1>, %s: memref<i32>, %one: memref<8x1xi32>, %nibbles: memref<8x8xi4>) {
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi32>) outs(%y : memref<8x8xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi32>) outs(%f : memref<8x8xi1>) {
  ^bb0(%a: i32, %o: i1):
    %c = arith.trunci %a : i32 to i1
    linalg.yield %c : i1
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi32>) outs(%y : memref<8x8xi32>) {
  ^bb0(%a: i32, %o: i32):
    %q = arith.divsi %o, %a : i32
    linalg.yield %q : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi32>) outs(%y : memref<8x8xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c = arith.cmpi slt, %a, %o : i32
    %q = scf.if %c -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %o : i32
    }
    linalg.yield %q : i32
  }
  linalg.reduce { arith.addi } ins(%x : memref<8x8xi32>) outs(%s : memref<i32>) dimensions = [0, 1]
  %c0 = arith.constant 0 : i32
  linalg.fill ins(%c0 : i32) outs(%one : memref<8x1xi32>)
  %c1 = arith.constant 1 : i4
  linalg.fill ins(%c1 : i4) outs(%nibbles : memref<8x8xi4>)
  return
}
