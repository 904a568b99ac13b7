// RUN: scan-opt %s --split-input-file --convert-scan-to-loops="threads vector-bits=128 streaming-bytes=0 thread-work=4096" --canonicalize --cse | FileCheck %s

// Threads take the blocks of few long rows in order, and are two of them ahead of what they
// walk: lanes of sums, which commute, are added up one by one, while an earlier block is
// scanned.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @cut(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index

// For each block the status, its total, and the state before it.

// CHECK:         memref.alloca() : memref<1539xi64>
// CHECK:         %[[KNOWN:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
// CHECK:         %[[TURN:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
// CHECK:         %[[T:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge
// CHECK:         %[[COUNT:.*]] = arith.ceildivui %[[T]], %[[C128]]
// CHECK-NEXT:    %[[LONG:.*]] = arith.cmpi ugt, %[[T]], %[[C128]]
// CHECK-NEXT:    %[[CUT:.*]] = arith.andi %[[LARGE]], %[[LONG]]
// CHECK-NEXT:    scf.if %[[CUT]] {
// CHECK-NEXT:      scf.for %[[ROUND:.*]] = %[[C0]] to %[[COUNT]] step %[[C512:.*]] {
// CHECK-NEXT:      %[[REST:.*]] = arith.subi %[[COUNT]], %[[ROUND]]
// CHECK-NEXT:      %[[BLOCKS:.*]] = arith.minui %[[REST]], %[[C512]]
// CHECK:           %[[STATUSES:.*]] = arith.addi %[[BLOCKS]], %[[C1]]
// CHECK-NEXT:      scf.for %{{.*}} = %[[C0]] to %[[STATUSES]] step %[[C1]] {
// CHECK:             llvm.store %c0_i64, %{{.*}} atomic monotonic
// CHECK:           %[[WORKERS:.*]] = arith.minui %[[BLOCKS]], %c256
// CHECK-NEXT:      scf.parallel (%{{.*}}) = (%[[C0]]) to (%[[WORKERS]]) step (%[[C1]]) {
// CHECK-NEXT:        %[[TAKEN:.*]] = memref.atomic_rmw addi %{{.*}}, %[[TURN]][%[[C0]]]
// CHECK-NEXT:        %[[FIRST_TAKEN:.*]] = arith.index_cast %[[TAKEN]]
// CHECK-NEXT:        scf.while (%{{.*}} = %[[BLOCKS]], %{{.*}} = %[[BLOCKS]], %{{.*}} = %[[FIRST_TAKEN]], %{{.*}} = %[[C0]])
// CHECK:             ^bb0(%[[OLDEST:.*]]: index, %[[NEWER:.*]]: index, %[[TAKEN:.*]]: index, %[[SLOT:.*]]: index):
// CHECK:               %[[LATER_SLOT:.*]] = arith.remui %{{.*}}, %[[C3]]
// CHECK-NEXT:          %[[IS_CURRENT:.*]] = arith.cmpi ult, %[[OLDEST]], %[[BLOCKS]]
// CHECK-NEXT:          %[[CURRENT:.*]] = arith.select %[[IS_CURRENT]], %[[OLDEST]], %[[C0]]
// CHECK-NEXT:          %[[IS_NEXT:.*]] = arith.cmpi ult, %[[TAKEN]], %[[BLOCKS]]
// CHECK-NEXT:          %[[NEXT:.*]] = arith.select %[[IS_NEXT]], %[[TAKEN]], %[[C0]]

// Until the state before the current block is known, states are handed on by totals that
// are published, up to that behind the current one.

// CHECK-NEXT:          scf.while : () -> () {
// CHECK-NEXT:            %[[SEARCH:.*]]:3 = scf.while (%[[POLLS:.*]] = %[[C0]])
// CHECK-NEXT:              %[[WORD:.*]] = llvm.load %{{.*}} atomic acquire
// CHECK-NEXT:              %[[FOUND:.*]] = arith.index_cast %[[WORD]]
// CHECK-NEXT:              %[[IS_BEFORE:.*]] = arith.cmpi ult, %[[FOUND]], %[[CURRENT]]
// CHECK-NEXT:              %[[IS_IT:.*]] = arith.cmpi eq, %[[FOUND]], %[[CURRENT]]
// CHECK:                   %[[STATUS:.*]] = llvm.load %{{.*}} atomic acquire
// CHECK-NEXT:              %[[HAS_TOTAL:.*]] = arith.cmpi eq, %[[STATUS]], %c1_i64
// CHECK-NEXT:              %[[UP_TO_IT:.*]] = arith.ori %[[IS_BEFORE]], %[[IS_IT]]
// CHECK-NEXT:              %[[IS_USABLE:.*]] = arith.andi %[[HAS_TOTAL]], %[[UP_TO_IT]]
// CHECK-NEXT:              scf.if %[[IS_USABLE]] {
// CHECK-COUNT-2:             llvm.load %{{.*}} atomic monotonic
// CHECK:                     arith.addf
// CHECK:                     llvm.store %{{.*}} atomic monotonic
// CHECK:                     memref.atomic_rmw maxu %{{.*}}, %[[KNOWN]][%[[C0]]]
// CHECK:                   %[[IS_UNKNOWN:.*]] = arith.cmpi eq, %[[STATUS]], %c0_i64
// CHECK-NEXT:              %[[IS_TIRED:.*]] = arith.cmpi uge, %[[POLLS]], %c16384
// CHECK-NEXT:              %[[GIVES_UP:.*]] = arith.andi %[[IS_UNKNOWN]], %[[IS_TIRED]]
// CHECK:                   scf.condition(%{{.*}}) %[[FOUND]]

// If one is late, its block takes the place of the next one, and nothing is walked.

// CHECK:                 %[[IS_LATE:.*]] = arith.xori %[[SEARCH]]#1, %true
// CHECK-NEXT:            %[[IS_WALKED:.*]] = arith.andi %[[IS_CURRENT]], %[[SEARCH]]#1
// CHECK-NEXT:            %[[IS_ADDED:.*]] = arith.ori %[[IS_NEXT]], %[[IS_LATE]]
// CHECK-NEXT:            %[[ADDED:.*]] = arith.select %[[SEARCH]]#1, %[[NEXT]], %[[SEARCH]]#0
// CHECK-NEXT:            %[[OF_ALL:.*]] = arith.addi %[[ROUND]], %[[ADDED]]
// CHECK-NEXT:            %[[BEGIN:.*]] = arith.muli %[[OF_ALL]], %[[C128]]
// CHECK:                 %[[END:.*]] = arith.select %[[IS_ADDED]], %{{.*}}, %[[BEGIN]]

// The total of the next block: steps in front of the tiles.

// CHECK:                 %[[FRONT:.*]] = scf.for %{{.*}} = %[[BEGIN]] to {{.*}} step %[[C1]] iter_args
// CHECK:                 %[[WALKED_BEGIN:.*]] = arith.muli %{{.*}}, %[[C128]]
// CHECK:                 arith.select %[[IS_WALKED]], %{{.*}}, %[[WALKED_BEGIN]]

// The current block, as along a whole row, and a tile of the next one with each of its own;
// then the tiles of which the next one has more.

// CHECK:                 scf.for %{{.*}} = %[[WALKED_BEGIN]] to
// CHECK:                 %[[LAST:.*]] = arith.maxui
// CHECK-NEXT:            %[[TILES:.*]]:2 = scf.for %[[STEP:.*]] = %{{.*}} to %[[LAST]] step %c16 iter_args(%[[STATE:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}) -> (vector<4xf32>, vector<4xf32>)
// CHECK-NEXT:              %[[SOON:.*]] = arith.addi %[[STEP]], %c512
// CHECK-NEXT:              memref.prefetch %[[X]][%[[SOON]]], read
// CHECK:                   %[[OTHER:.*]] = arith.addi
// CHECK-NEXT:              %[[THERE:.*]] = arith.cmpi ult, %[[OTHER]]
// CHECK-NEXT:              %[[SAFE:.*]] = arith.select %[[THERE]], %[[OTHER]], %[[STEP]]
// CHECK-NEXT:              %[[LATER:.*]] = arith.addi %[[SAFE]], %c2048
// CHECK-NEXT:              memref.prefetch %[[X]][%[[LATER]]], read
// CHECK:                   vector.load %[[X]][%[[SAFE]]]
// CHECK-COUNT-3:           vector.load %[[X]]
// CHECK-COUNT-2:           arith.addf %{{.*}} : vector<4xf32>
// CHECK-NEXT:              %[[TILE:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK-NEXT:              %[[SUM:.*]] = arith.addf %[[ACC]], %[[TILE]] : vector<4xf32>
// CHECK-NEXT:              %[[NONE:.*]] = arith.cmpi eq, %[[OTHER]]
// CHECK-NEXT:              %[[NEW:.*]] = arith.select %[[NONE]], %[[TILE]], %[[SUM]]
// CHECK-NEXT:              arith.select %[[THERE]], %[[NEW]], %[[ACC]]
// CHECK-NEXT:              %[[IS_WALKED:.*]] = arith.cmpi ult, %[[STEP]], %{{.*}} : index
// CHECK-NEXT:              scf.if %[[IS_WALKED]]
// CHECK:                     vector.load %[[X]][%[[STEP]]]
// CHECK-COUNT-4:             vector.store {{.*}}, %[[Y]]
// CHECK:                   } else {
// CHECK-NEXT:                scf.yield %[[STATE]]

// The lanes together, then with what is in front, and the steps behind.

// CHECK:                 %[[TWO:.*]] = vector.shuffle %[[TILES]]#1, %[[TILES]]#1 [2, 3, 0, 1]
// CHECK-NEXT:            %[[HALF:.*]] = arith.addf %[[TILES]]#1, %[[TWO]]
// CHECK-NEXT:            %[[ONE:.*]] = vector.shuffle %[[HALF]], %[[HALF]] [1, 2, 3, 0]
// CHECK-NEXT:            %[[ALL:.*]] = arith.addf %[[HALF]], %[[ONE]]
// CHECK-NEXT:            %[[LANES:.*]] = vector.extract %[[ALL]][0]
// CHECK-NEXT:            arith.addf %[[FRONT]], %[[LANES]] : f32
// CHECK:                 %[[TOTAL:.*]] = scf.for {{.*}} to %[[END]] step %[[C1]] iter_args

// It is published, unless the block is another thread's, which has begun to walk it.

// CHECK:                 scf.if %[[IS_ADDED]] {
// CHECK:                   %[[IS_RIGHT:.*]] = scf.if %[[SEARCH]]#1 -> (i1) {
// CHECK-NEXT:                scf.yield %true
// CHECK-NEXT:              } else {
// CHECK-NEXT:                memref.atomic_rmw addi %{{.*}}, %[[KNOWN]][%[[C0]]]
// CHECK:                   scf.if %[[IS_RIGHT]] {
// CHECK-NEXT:                arith.bitcast %[[TOTAL]]
// CHECK:                     llvm.store %{{.*}} atomic monotonic
// CHECK:                     llvm.store %c1_i64, %{{.*}} atomic release
// CHECK:                 scf.condition(%[[IS_LATE]])
// CHECK:               %[[MORE:.*]] = memref.atomic_rmw addi %{{.*}}, %[[TURN]][%[[C0]]]
// CHECK-NEXT:          %[[NEXT_TAKEN:.*]] = arith.index_cast %[[MORE]]
// CHECK-NEXT:          scf.yield %[[NEWER]], %[[TAKEN]], %[[NEXT_TAKEN]], %[[LATER_SLOT]]
// CHECK:           } {scan.threads}
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK:           scf.for {{.*}} step %c16
// CHECK-COUNT-4:     vector.store {{.*}}, %[[Y]]
// CHECK-NOT:     scf.parallel
func.func @cut(%x: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#id, #id]
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

#id = affine_map<(d0) -> (d0)>

// Tiles of what takes long are saved, four vectors and the scan of the last one's lanes,
// and no exp is computed twice. There are slots for three blocks, and a loop for each block.

// CHECK-LABEL: func.func @saved(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4096xf32>, %[[Y:[^:]*]]: memref<4096xf32>)
// CHECK:         scf.parallel
// CHECK-NEXT:      %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64, scan.scratch} : memref<256xi8>
// CHECK:           %[[SAVED:.*]] = memref.view %[[SCRATCH]]{{.*}} to memref<60xf32>
// CHECK:           scf.while ({{.*}}, %{{.*}} = %c0)
// CHECK:           ^bb0({{.*}}, %[[SLOT:.*]]: index):
// CHECK:             %[[OLDEST:.*]] = arith.remui
// CHECK:             %[[WALKED:.*]] = arith.muli %[[OLDEST]], %c20
// CHECK:             %[[ADDED:.*]] = arith.muli %[[SLOT]], %c20
// CHECK:             scf.for {{.*}} step %c16 iter_args({{.*}}) -> (f32)
// CHECK-COUNT-4:       vector.load %[[X]]
// CHECK-COUNT-4:       math.exp
// CHECK-NOT:           math.exp
// CHECK-COUNT-5:       vector.store {{.*}}, %[[SAVED]]
// CHECK:             scf.for {{.*}} step %c16 iter_args({{.*}}) -> (vector<4xf32>)
// CHECK-COUNT-5:       vector.load %[[SAVED]]
// CHECK-NOT:           math.exp
// CHECK-COUNT-4:       vector.store {{.*}}, %[[Y]]
func.func @saved(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  scan.kernel dim = 0 ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        %p = math.exp %e : f32
        scan.yield %p : f32
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

#id = affine_map<(d0) -> (d0)>

// Of operators that do not commute the scan over the lanes is saved, a vector of each leaf for
// a tile; steps of the lanes are combined again. In reverse the total is in the first lane.

// CHECK-LABEL: func.func @lanes(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?xf32>, %[[B:[^:]*]]: memref<?xf32>, %[[Y:[^:]*]]: memref<?xf32>)
// CHECK:         scf.parallel
// CHECK:           %[[SAVED_A:.*]] = memref.view {{.*}} to memref<48xf32>
// CHECK:           %[[SAVED_B:.*]] = memref.view {{.*}} to memref<48xf32>
// CHECK:           scf.for {{.*}} step %c16 iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, f32, f32)
// CHECK-COUNT-4:     vector.load
// CHECK:             vector.store %[[LANES_A:.*]], %[[SAVED_A]]
// CHECK-NEXT:        vector.store %[[LANES_B:.*]], %[[SAVED_B]]
// CHECK-NEXT:        %[[TOTAL_A:.*]] = vector.extract %[[LANES_A]][0]
// CHECK-NEXT:        %[[TOTAL_B:.*]] = vector.extract %[[LANES_B]][0]
// CHECK-NEXT:        arith.mulf %{{.*}}, %[[TOTAL_A]] : f32
// CHECK:             scf.if
// CHECK-COUNT-4:       vector.load
// CHECK:               vector.load %[[SAVED_A]]
// CHECK-NEXT:          vector.load %[[SAVED_B]]
// CHECK-COUNT-4:       vector.store {{.*}}, %[[Y]]
func.func @lanes(%a: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>) maps [#id, #id, #id] attributes {reverse}
      load {
      ^bb0(%d: f32, %e: f32):
        scan.yield %d, %e : f32, f32
      } combine {
      ^bb0(%acc_a: f32, %acc_b: f32, %new_a: f32, %new_b: f32):
        %p = arith.mulf %acc_a, %new_a : f32
        %q = arith.mulf %acc_b, %new_a : f32
        %r = arith.addf %q, %new_b : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%in_a: f32, %in_b: f32, %ex_a: f32, %ex_b: f32, %d: f32, %e: f32):
        %s = arith.addf %in_a, %in_b : f32
        scan.yield %s : f32
      }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A product of complex numbers commutes, as the operands of its sums and products do: its
// lanes are added up one by one, and nothing is saved. That of the larger of two numbers and
// the earlier place of it does not.

// CHECK-LABEL: func.func @product(
// CHECK-NOT:     scan.scratch
// CHECK:         scf.parallel
// CHECK:           scf.for {{.*}} step %c16 iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-LABEL: func.func @argmax(
// CHECK:           memref.alloca() {{.*}} scan.scratch
func.func @product(%a: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>) maps [#id, #id, #id]
      load {
      ^bb0(%d: f32, %e: f32):
        scan.yield %d, %e : f32, f32
      } combine {
      ^bb0(%re: f32, %im: f32, %new_re: f32, %new_im: f32):
        %p = arith.mulf %re, %new_re : f32
        %q = arith.mulf %im, %new_im : f32
        %r = arith.mulf %re, %new_im : f32
        %s = arith.mulf %im, %new_re : f32
        %t = arith.subf %p, %q : f32
        %u = arith.addf %r, %s : f32
        scan.yield %t, %u : f32, f32
      } store {
      ^bb0(%in_re: f32, %in_im: f32, %ex_re: f32, %ex_im: f32, %d: f32, %e: f32):
        %v = arith.addf %in_re, %in_im : f32
        scan.yield %v : f32
      }
  return
}

func.func @argmax(%a: memref<?xf32>, %b: memref<?xi32>, %y: memref<?xi32>) {
  scan.kernel dim = 0 ins(%a, %b : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xi32>) maps [#id, #id, #id]
      load {
      ^bb0(%d: f32, %e: i32):
        scan.yield %d, %e : f32, i32
      } combine {
      ^bb0(%acc: f32, %at: i32, %new: f32, %new_at: i32):
        %p = arith.maximumf %acc, %new : f32
        %q = arith.cmpf oge, %acc, %new : f32
        %r = arith.select %q, %at, %new_at : i32
        scan.yield %p, %r : f32, i32
      } store {
      ^bb0(%in: f32, %in_at: i32, %ex: f32, %ex_at: i32, %d: f32, %e: i32):
        scan.yield %in_at : i32
      }
  return
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>

// One sum over everything: those of blocks are added up in order behind them all, however
// many rows there are.

// CHECK-LABEL: func.func @total(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?xf32>, %[[S:[^:]*]]: memref<f32>)
// CHECK:         %[[PER_ROW:.*]] = arith.ceildivui
// CHECK-NOT:     arith.cmpi ult
// CHECK:         scf.if
// CHECK:           %[[ALL:.*]] = arith.muli %{{.*}}, %[[PER_ROW]]
// CHECK-NEXT:      scf.for %[[ROUND:.*]] = %{{.*}} to %[[ALL]] step %{{.*}} {
// CHECK-NEXT:      %[[REST:.*]] = arith.subi %[[ALL]], %[[ROUND]]
// CHECK-NEXT:      %[[BLOCKS:.*]] = arith.minui %[[REST]]
// CHECK:           scf.parallel
// CHECK:             llvm.store %{{.*}} atomic monotonic
// CHECK:             memref.atomic_rmw maxu
// CHECK:             llvm.store %{{.*}} atomic monotonic
// CHECK:           } {scan.threads}
// CHECK-NEXT:      scf.for %{{.*}} = %{{.*}} to %[[BLOCKS]]
// CHECK:             %[[PART:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT:        %[[OLD:.*]] = memref.load %[[S]][]
// CHECK-NEXT:        %[[NEW:.*]] = arith.addf %[[OLD]], %[[PART]]
// CHECK-NEXT:        memref.store %[[NEW]], %[[S]][]
// CHECK:         } else {
// CHECK-NOT:       scf.parallel
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

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#time = affine_map<(d0, d1) -> (d1)>

// Rows stay whole where the order must not depend on threads, where two rows would add
// to the sum of a step, where there are many, and where they are short.

// CHECK-LABEL: func.func @deterministic(
// CHECK-NOT:     memref.atomic_rmw
// CHECK-LABEL: func.func @steps(
// CHECK-NOT:     memref.atomic_rmw
// CHECK-LABEL: func.func @many(
// CHECK-NOT:     memref.atomic_rmw
// CHECK-LABEL: func.func @short(
// CHECK-NOT:     memref.atomic_rmw
func.func @deterministic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id2, #id2] attributes {order = #scan.order<deterministic>}
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

func.func @steps(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) maps [#id2, #time]
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

func.func @many(%x: memref<64x?xf32>, %y: memref<64x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<64x?xf32>) outs(%y : memref<64x?xf32>) maps [#id2, #id2]
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

func.func @short(%x: memref<?x128xf32>, %y: memref<?x128xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x128xf32>) outs(%y : memref<?x128xf32>) maps [#id2, #id2]
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
