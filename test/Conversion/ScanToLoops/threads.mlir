// RUN: scan-opt %s --split-input-file --convert-scan-to-loops="threads vector-bits=0 rows=2 thread-work=1000" --canonicalize --cse | FileCheck %s

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Pairs of rows are divided into 256 parts at most, or one where there is little
// to do: 3 operations per point.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>,
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG:     %[[C1000:.*]] = arith.constant 1000 : index
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK-DAG:     %[[T:.*]] = memref.dim %[[X]], %[[C1]]
// CHECK:         %[[ALL:.*]] = arith.muli %[[N]], %[[C3]]
// CHECK-NEXT:    %[[WORK:.*]] = arith.muli %[[ALL]], %[[T]]
// CHECK-NEXT:    %[[LARGE:.*]] = arith.cmpi uge, %[[WORK]], %[[C1000]]
// CHECK-NEXT:    %[[PAIRS:.*]] = arith.ceildivui %[[N]], %[[C2]]
// CHECK-NEXT:    %[[MOST:.*]] = arith.minui %[[PAIRS]], %[[C256]]
// CHECK-NEXT:    %[[PARTS:.*]] = arith.select %[[LARGE]], %[[MOST]], %[[C1]]
// CHECK:         scf.parallel (%[[P:.*]]) = (%[[C0]]) to (%[[PARTS]]) step (%[[C1]]) {
// CHECK:           scf.for %[[PAIR:.*]] = %{{.*}} to %{{.*}} step %[[C1]] {
// CHECK-NEXT:        %[[BEGIN:.*]] = arith.muli %[[PAIR]], %[[C2]]
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[C2]]
// CHECK-NEXT:        %[[END:.*]] = arith.minui %[[NEXT]], %[[N]]
// CHECK-NEXT:        %[[REST:.*]] = arith.remui %[[END]], %[[C2]]
// CHECK-NEXT:        %[[WHOLE:.*]] = arith.subi %[[END]], %[[REST]]
// CHECK-NEXT:        scf.for %{{.*}} = %[[BEGIN]] to %[[WHOLE]] step %[[C2]] {
// CHECK:             scf.for %{{.*}} = %[[WHOLE]] to %[[END]] step %[[C1]] {
// CHECK:           scf.reduce
// CHECK-NEXT:    } {scan.threads}
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id2, #id2]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}

// -----

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2)>

// Blocks of columns, with scratch memory of their own. A sum over d0 stays in one
// part: it is a loop in there.

// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?x?xf32>
// CHECK:         scf.parallel
// CHECK-NEXT:      %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64, scan.scratch} : memref<16384xi8>
// CHECK:           memref.view %[[SCRATCH]]
// CHECK:           scf.for %[[BLOCK:.*]] =
// CHECK-NEXT:        %[[BEGIN:.*]] = arith.muli %[[BLOCK]], %[[STEP:.*]] : index
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %dim step
// CHECK:         } {scan.threads}
func.func @sums(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %s: memref<?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?x?xf32>) outs(%y, %s : memref<?x?x?xf32>, memref<?xf32>) maps [#id3, #id3, #columns]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s1 = arith.addf %acc, %new : f32
        scan.yield %s1 : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in, %in : f32, f32
      }
  return
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>

// One sum over everything, what is known to be small, and a kernel in a parallel loop
// stay on one thread.

// CHECK-LABEL: func.func @total(
// CHECK-NOT:     scf.parallel
// CHECK-LABEL: func.func @small(
// CHECK-NOT:     scf.parallel
// CHECK-LABEL: func.func @inside(
// CHECK:         scf.parallel
// CHECK-NOT:     scan.threads
func.func @total(%x: memref<?x?xf32>, %s: memref<f32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%s : memref<f32>) maps [#id2, #one]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s1 = arith.addf %acc, %new : f32
        scan.yield %s1 : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}

func.func @small(%x: memref<3x111xf32>, %y: memref<3x111xf32>) {
  scan.kernel dim = 1 ins(%x : memref<3x111xf32>) outs(%y : memref<3x111xf32>) maps [#id2, #id2]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      }
  return
}

func.func @inside(%n: index, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id2, #id2]
        load {
        ^bb0(%e: f32):
          scan.yield %e : f32
        } combine {
        ^bb0(%acc: f32, %new: f32):
          %s = arith.addf %acc, %new : f32
          scan.yield %s : f32
        } store {
        ^bb0(%in: f32, %ex: f32, %e: f32):
          scan.yield %in : f32
        }
    scf.reduce
  }
  return
}

// -----

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#first = affine_map<(d0, d1, d2) -> (d0, d1)>
#last = affine_map<(d0, d1, d2) -> (d2)>

// Sums over columns beside sums over everything else: at most 16 blocks of a multiple of 64
// columns, each with a copy of the outputs that leave the columns out. These are zero at first, and are
// added up in order. What varies with the columns is divided with them.

// CHECK-LABEL: func.func @copies(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?x?xf32>, %[[Y:[^:]*]]: memref<?x?xf32>, %[[Z:[^:]*]]: memref<?xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = memref.dim %[[X]], %c2
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge
// CHECK-NEXT:    %[[UNITS:.*]] = arith.ceildivui %[[COLUMNS]], %c1024
// CHECK-NEXT:    %[[BLOCK:.*]] = arith.muli %[[UNITS]], %c64
// CHECK-NEXT:    %[[CHOSEN:.*]] = arith.select %[[LARGE]], %[[BLOCK]], %[[COLUMNS]]
// CHECK-NEXT:    %[[STEP:.*]] = arith.maxui %[[CHOSEN]], %c1
// CHECK-NEXT:    %[[BLOCKS:.*]] = arith.ceildivui %[[COLUMNS]], %[[STEP]]
// CHECK:         %[[COPIES:.*]] = memref.alloc(%[[BLOCKS]], %{{.*}}, %{{.*}}) {alignment = 64 : i64, bufferization.manual_deallocation} : memref<?x?x?xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.parallel (%[[I:.*]]) = (%c0) to (%[[BLOCKS]]) step (%c1) {
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[I]], %[[STEP]]
// CHECK-NEXT:      %[[REST:.*]] = arith.subi %[[COLUMNS]], %[[BEGIN]]
// CHECK-NEXT:      %[[COUNT:.*]] = arith.minui %[[REST]], %[[STEP]]
// CHECK:           memref.subview %[[X]][0, 0, %[[BEGIN]]] [%{{.*}}, %{{.*}}, %[[COUNT]]] [1, 1, 1]
// CHECK:           %[[COPY:.*]] = memref.subview %[[COPIES]][%[[I]], 0, 0] [1, %{{.*}}, %{{.*}}] [1, 1, 1]
// CHECK-NEXT:      linalg.fill ins(%{{.*}} : f32) outs(%[[COPY]]
// CHECK:           memref.subview %[[Z]][%[[BEGIN]]] [%[[COUNT]]] [1]
// CHECK:         } {scan.threads}
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to %[[BLOCKS]] step %c1 {
// CHECK-NEXT:      %[[ADDED:.*]] = memref.subview %[[COPIES]][%[[J]], 0, 0]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[ADDED]] {{.*}} outs(%[[Y]] : memref<?x?xf32>)
// CHECK:         memref.dealloc %[[COPIES]] {bufferization.manual_deallocation}
func.func @copies(%x: memref<?x?x?xf32>, %y: memref<?x?xf32>, %z: memref<?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?xf32>) maps [#id3, #first, #last]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in, %e : f32, f32
      }
  return
}

// Columns have other numbers in a block: where those are read, one thread takes them all.

// CHECK-LABEL: func.func @numbers(
// CHECK-NOT:     scf.parallel
func.func @numbers(%x: memref<?x?x?xf32>, %y: memref<?x?xf32>, %z: memref<?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?xf32>) maps [#id3, #first, #last]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        %c = scan.index 2 : index
        %i = arith.index_cast %c : index to i32
        %f = arith.sitofp %i : i32 to f32
        scan.yield %f, %e : f32, f32
      }
  return
}
