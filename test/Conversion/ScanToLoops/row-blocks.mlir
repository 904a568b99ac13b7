// RUN: scan-opt %s --split-input-file --convert-scan-to-loops="threads vector-bits=128 streaming-bytes=0 thread-work=4096" --canonicalize --cse | FileCheck %s

// Threads take the blocks of few long rows in order. What is cheap is computed twice: the
// sum of a block by a tree over each tile, while the block before is scanned, and then, from
// the state before the block on, the sums of all steps.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @cut(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK:         %[[NEXT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
// CHECK:         memref.alloca() : memref<1025xi64>
// CHECK:         %[[KNOWN:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
// CHECK:         %[[T:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge
// CHECK:         %[[COUNT:.*]] = arith.ceildivui %[[T]], %[[C128]]
// CHECK-NEXT:    %[[LONG:.*]] = arith.cmpi ugt, %[[T]], %[[C128]]
// CHECK-NEXT:    %[[CUT:.*]] = arith.andi %[[LARGE]], %[[LONG]]
// CHECK-NEXT:    scf.if %[[CUT]] {
// CHECK-NEXT:      scf.for %[[ROUND:.*]] = %[[C0]] to %[[COUNT]] step %[[C1024:.*]] {
// CHECK-NEXT:      %[[REST:.*]] = arith.subi %[[COUNT]], %[[ROUND]]
// CHECK-NEXT:      %[[BLOCKS:.*]] = arith.minui %[[REST]], %[[C1024]]
// CHECK:           %[[WORKERS:.*]] = arith.minui %[[BLOCKS]], %c256
// CHECK-NEXT:      scf.parallel (%{{.*}}) = (%[[C0]]) to (%[[WORKERS]]) step (%[[C1]]) {
// CHECK:             %[[TAKEN:.*]] = memref.atomic_rmw addi %{{.*}}, %[[NEXT]][%[[C0]]]
// CHECK-NEXT:        %[[FIRST_TAKEN:.*]] = arith.index_cast %[[TAKEN]]
// CHECK-NEXT:        scf.while (%{{.*}} = %[[BLOCKS]], %{{.*}} = %false, %{{.*}} = %[[FIRST_TAKEN]])
// CHECK:             ^bb0(%[[CURRENT:.*]]: index, %[[USABLE:.*]]: i1, %[[NUMBER:.*]]: index):
// CHECK-NEXT:          %[[IS_CURRENT:.*]] = arith.cmpi ult, %[[CURRENT]], %[[BLOCKS]]
// CHECK-NEXT:          %[[IS_NEXT:.*]] = arith.cmpi ult, %[[NUMBER]], %[[BLOCKS]]
// CHECK-NEXT:          scf.while (%[[TARGET:.*]] = %[[NUMBER]], %[[IS_FIRST:.*]] = %true) : (index, i1) -> () {
// CHECK-NEXT:            %[[ANY:.*]] = arith.select %[[IS_NEXT]], %[[TARGET]], %[[CURRENT]]
// CHECK-NEXT:            %[[OF_ALL:.*]] = arith.addi %[[ROUND]], %[[ANY]]
// CHECK-NEXT:            %[[BEGIN:.*]] = arith.muli %[[OF_ALL]], %[[C128]]
// CHECK:                 %[[END:.*]] = arith.select %[[IS_NEXT]], %{{.*}}, %[[BEGIN]]
// CHECK-NEXT:            %[[WALKS:.*]] = arith.andi %[[IS_CURRENT]], %[[IS_FIRST]]
// CHECK-NEXT:            %[[WALKED:.*]] = arith.select %[[WALKS]], %[[CURRENT]], %[[ANY]]
// CHECK-NEXT:            %[[WALKED_OF_ALL:.*]] = arith.addi %[[ROUND]], %[[WALKED]]
// CHECK-NEXT:            %[[WALKED_BEGIN:.*]] = arith.muli %[[WALKED_OF_ALL]], %[[C128]]
// CHECK:                 arith.select %[[WALKS]], %{{.*}}, %[[WALKED_BEGIN]]

// The total of the next block: steps in front of the tiles.

// CHECK:                 %[[FRONT:.*]] = scf.for %{{.*}} = %[[BEGIN]] to {{.*}} step %[[C1]] iter_args

// The current block, as along a whole row, and a tile of the next one with each of its own;
// then the tiles of which the next one has more.

// CHECK:                 llvm.load %{{.*}} atomic monotonic
// CHECK:                 scf.for %{{.*}} = %[[WALKED_BEGIN]] to
// CHECK:                 %[[LAST:.*]] = arith.maxui
// CHECK-NEXT:            %[[TILES:.*]]:2 = scf.for %[[STEP:.*]] = %{{.*}} to %[[LAST]] step %c16 iter_args(%[[STATE:.*]] = %{{.*}}, %[[ACC:.*]] = %[[FRONT]])
// CHECK-NEXT:              %[[SOON:.*]] = arith.addi %[[STEP]], %c512
// CHECK-NEXT:              memref.prefetch %[[X]][%[[SOON]]], read
// CHECK:                   %[[OTHER:.*]] = arith.addi
// CHECK-NEXT:              %[[THERE:.*]] = arith.cmpi ult, %[[OTHER]]
// CHECK-NEXT:              %[[SAFE:.*]] = arith.select %[[THERE]], %[[OTHER]], %[[STEP]]
// CHECK-NEXT:              %[[LATER:.*]] = arith.addi %[[SAFE]], %c2048
// CHECK-NEXT:              memref.prefetch %[[X]][%[[LATER]]], read
// CHECK:                   vector.load %[[X]][%[[SAFE]]]
// CHECK-COUNT-3:           vector.load %[[X]]
// CHECK-NEXT:              %[[EVEN:.*]] = vector.shuffle %{{.*}} [0, 2, 4, 6]
// CHECK-NEXT:              %[[ODD:.*]] = vector.shuffle %{{.*}} [1, 3, 5, 7]
// CHECK-NEXT:              arith.addf %[[EVEN]], %[[ODD]] : vector<4xf32>
// CHECK:                   %[[SHIFTED:.*]] = vector.shuffle %{{.*}} [1, 2, 3, 0]
// CHECK-NEXT:              arith.addf %{{.*}}, %[[SHIFTED]] : vector<4xf32>
// CHECK-NEXT:              %[[TWO:.*]] = vector.shuffle %{{.*}} [2, 3, 0, 1]
// CHECK-NEXT:              %[[ALL:.*]] = arith.addf %{{.*}}, %[[TWO]] : vector<4xf32>
// CHECK-NEXT:              %[[TILE:.*]] = vector.extract %[[ALL]][0]
// CHECK-NEXT:              %[[SUM:.*]] = arith.addf %[[ACC]], %[[TILE]]
// CHECK-NEXT:              %[[NONE:.*]] = arith.cmpi eq, %[[OTHER]], %[[BEGIN]]
// CHECK-NEXT:              %[[NEW:.*]] = arith.select %[[NONE]], %[[TILE]], %[[SUM]]
// CHECK-NEXT:              arith.select %[[THERE]], %[[NEW]], %[[ACC]]
// CHECK-NEXT:              %[[IS_WALKED:.*]] = arith.cmpi ult, %[[STEP]], %{{.*}} : index
// CHECK-NEXT:              scf.if %[[IS_WALKED]]
// CHECK:                     vector.load %[[X]][%[[STEP]]]
// CHECK-COUNT-4:             vector.store {{.*}}, %[[Y]]
// CHECK:                   } else {
// CHECK-NEXT:                scf.yield %[[STATE]]

// Until the state before the next block is known, a thread does what that lacks, in the same
// loop: it computes the total of the first block behind which none is known.

// CHECK:                 %[[TOTAL:.*]] = scf.for {{.*}} to %[[END]] step %[[C1]] iter_args(%{{.*}} = %[[TILES]]#1)
// CHECK:                 scf.if %[[IS_NEXT]] {
// CHECK:                   scf.while (%{{.*}} = %{{.*}}) : (i64) -> i64 {
// CHECK-NEXT:                llvm.load %{{.*}} atomic acquire
// CHECK:                   %[[FOUND:.*]] = memref.atomic_rmw addi %{{.*}}, %[[KNOWN]][%[[C0]]]
// CHECK-NEXT:              %[[FOUND_INDEX:.*]] = arith.index_cast %[[FOUND]]
// CHECK-NEXT:              %[[OTHER:.*]] = arith.cmpi ne, %[[ANY]], %[[NUMBER]]
// CHECK-NEXT:              %[[MISSING:.*]] = arith.cmpi eq, %[[FOUND_INDEX]], %[[ANY]]

// The state behind that block is handed on where nobody else has done so.

// CHECK-NEXT:              %[[TURN:.*]] = arith.andi %[[IS_NEXT]], %[[MISSING]]
// CHECK-NEXT:              scf.if %[[TURN]] {
// CHECK:                     llvm.load %{{.*}} atomic monotonic
// CHECK:                     arith.addf %{{.*}}, %[[TOTAL]]
// CHECK:                     llvm.store %{{.*}} atomic monotonic
// CHECK-NEXT:                memref.atomic_rmw maxu %{{.*}}, %[[KNOWN]][%[[C0]]]
// CHECK:                   %[[UNKNOWN:.*]] = arith.cmpi ult, %[[FOUND_INDEX]], %[[NUMBER]]
// CHECK-NEXT:              %[[ON:.*]] = arith.ori %[[OTHER]], %[[UNKNOWN]]
// CHECK-NEXT:              %[[AGAIN:.*]] = arith.andi %[[IS_NEXT]], %[[ON]]
// CHECK-NEXT:              scf.condition(%[[AGAIN]])
// CHECK:                   %[[LATE:.*]] = arith.minui %{{.*}}, %[[NUMBER]]
// CHECK-NEXT:              scf.yield %[[LATE]], %false
// CHECK:               %[[MORE:.*]] = memref.atomic_rmw addi %{{.*}}, %[[NEXT]][%[[C0]]]
// CHECK-NEXT:          %[[NEXT_TAKEN:.*]] = arith.index_cast %[[MORE]]
// CHECK-NEXT:          scf.yield %[[NUMBER]], %true, %[[NEXT_TAKEN]]
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
// and no exp is computed twice.

// CHECK-LABEL: func.func @saved(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4096xf32>, %[[Y:[^:]*]]: memref<4096xf32>)
// CHECK:         scf.parallel
// CHECK-NEXT:      %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64, scan.scratch} : memref<128xi8>
// CHECK:           %[[SAVED:.*]] = memref.view %[[SCRATCH]]{{.*}} to memref<20xf32>
// CHECK:           scf.for {{.*}} step %c16
// CHECK-COUNT-4:     vector.load %[[X]]
// CHECK-COUNT-4:     math.exp
// CHECK-NOT:         math.exp
// CHECK-COUNT-5:     vector.store {{.*}}, %[[SAVED]]
// CHECK:             memref.atomic_rmw maxu
// CHECK:           scf.for {{.*}} step %c16
// CHECK-COUNT-5:     vector.load %[[SAVED]]
// CHECK-NOT:         math.exp
// CHECK-COUNT-4:     vector.store {{.*}}, %[[Y]]
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
