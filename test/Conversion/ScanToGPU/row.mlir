// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s

#rt = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

// One block a row: full tiles with a carry, each read while the one before it is
// computed. Each warp transposes what its threads take, and waits for itself;
// the barrier is that of the warps' totals. Then
// the partial tile, masked. Vectors of a thread's two items where they are
// aligned, in either tile, else single elements.

// CHECK-LABEL: gpu.func @sum_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index)
// CHECK-SAME: workgroup(%[[TOTALS:.*]] : memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[IN:.*]] : memref<128xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[OUT:.*]] : memref<128xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C31:.*]] = arith.constant 31 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[X:.*]] = memref.reinterpret_cast
// CHECK: %[[Y:.*]] = memref.reinterpret_cast
// CHECK-DAG: %[[TID:.*]] = gpu.thread_id x
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[TID]]
// CHECK-DAG: %[[WARP:.*]] = arith.divui %[[TID]]
// CHECK-DAG: %[[BX:.*]] = gpu.block_id x
// CHECK-DAG: %[[BY:.*]] = gpu.block_id y
// CHECK-DAG: %[[WIDTH:.*]] = gpu.grid_dim x
// CHECK: %[[FIRST:.*]] = arith.muli %[[BY]], %[[WIDTH]]
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[BX]]
// CHECK: %[[ISROW:.*]] = arith.cmpi ult, %[[ROW]], %[[N0]]
// CHECK: scf.if %[[ISROW]]
// CHECK: %[[ROWX:.*]] = arith.muli %[[ROW]],
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[PX:.*]] :
// CHECK: %[[RESTX:.*]] = arith.remui %{{.*}}, %[[C8]]
// CHECK: %[[ALIGNEDX:.*]] = arith.cmpi eq, %[[RESTX]], %[[C0]]
// CHECK: %[[ROWY:.*]] = arith.muli %[[ROW]],
// CHECK: llvm.ptrtoint %[[PY:.*]] :
// CHECK: %[[RESTY:.*]] = arith.remui %{{.*}}, %[[C8]]
// CHECK: %[[ALIGNEDY:.*]] = arith.cmpi eq, %[[RESTY]], %[[C0]]
// CHECK: %[[TILES:.*]] = arith.divui %[[N1]], %[[C128]]

// The first tile is read, striped.
// CHECK: %[[ISTILE:.*]] = arith.cmpi ne, %[[TILES]], %[[C0]]
// CHECK: %[[PREFETCHED:.*]] = scf.if %[[ISTILE]] -> (vector<2xf32>)
// The tile has one pointer, and the thread's chunks lie constants away.
// CHECK: scf.if %[[ALIGNEDX]]
// CHECK: %[[ORIGIN:.*]] = llvm.getelementptr %[[PX]]
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C64]]
// CHECK: %[[OFLANE:.*]] = arith.muli %[[LANE]], %[[C2]]
// CHECK: arith.addi %[[OFWARP]], %[[OFLANE]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ORIGIN]]
// CHECK-NEXT: llvm.load %[[AT]] {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK: else
// CHECK: %[[ORIGIN:.*]] = llvm.getelementptr %[[PX]]
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C64]]
// CHECK: arith.addi %[[OFWARP]], %[[LANE]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ORIGIN]]
// CHECK-NEXT: llvm.load %[[AT]] {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK-NEXT: %[[BEHIND:.*]] = llvm.getelementptr %[[AT]][128]
// CHECK-NEXT: llvm.load %[[BEHIND]] {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK: %[[STATE:.*]]:2 = scf.for %[[TILE:.*]] = %[[C0]] to %[[TILES]] step %[[C1]] iter_args(%[[CARRY:.*]] = %{{.*}}, %[[V:.*]] = %[[PREFETCHED]])

// What was read goes to shared memory; then the next tile is read.
// CHECK: %[[BASE:.*]] = arith.muli %[[TILE]], %[[C128]]
// CHECK: scf.if %[[ALIGNEDX]]
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C64]]
// CHECK: %[[OFLANE:.*]] = arith.muli %[[LANE]], %[[C2]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[OFWARP]], %[[OFLANE]]
// CHECK: vector.store %[[V]], %[[IN]][%[[SLOT]]] {alignment = 8 : i64}
// CHECK: else
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C64]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[OFWARP]], %[[LANE]]
// CHECK: vector.store %{{.*}}, %[[IN]][%[[SLOT]]] {alignment = 4 : i64}
// CHECK: %[[BEHIND:.*]] = arith.addi %[[LANE]], %[[C32]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[OFWARP]], %[[BEHIND]]
// CHECK: vector.store %{{.*}}, %[[IN]][%[[SLOT]]] {alignment = 4 : i64}
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[PAIR:.*]] = arith.muli %[[TID]], %[[C2]]
// CHECK: %[[ITEMS:.*]] = vector.load %[[IN]][%[[PAIR]]] {alignment = 8 : i64}
// CHECK: %[[E0:.*]] = vector.extract %[[ITEMS]][0]
// CHECK: %[[E1:.*]] = vector.extract %[[ITEMS]][1]
// CHECK: %[[NEXTTILE:.*]] = arith.addi %[[TILE]], %[[C1]]
// CHECK: %[[ISNEXT:.*]] = arith.cmpi ult, %[[NEXTTILE]], %[[TILES]]
// CHECK: %[[PREFETCHED:.*]] = scf.if %[[ISNEXT]] -> (vector<2xf32>)
// CHECK: llvm.load
// CHECK: else
// CHECK: scf.yield %{{.*}} : vector<2xf32>

// The scan. The carry is absent in front of the first tile.
// CHECK: %[[HASCARRY:.*]] = arith.cmpi ne, %[[TILE]], %[[C0]]
// CHECK: %[[PHASE:.*]] = arith.andi %[[TILE]], %[[C1]]
// CHECK: arith.addf %[[E0]], %[[E1]]
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: %[[ISLAST:.*]] = arith.cmpi eq, %[[LANE]], %[[C31]]
// CHECK: scf.if %[[ISLAST]]
// CHECK: %[[BUFFER:.*]] = arith.muli %[[PHASE]], %[[C2]]
// CHECK: memref.store %{{.*}}, %[[TOTALS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[TOTALS]]
// CHECK: %[[AFTER0:.*]] = arith.addf %[[CARRY]]
// CHECK: %[[RUN0:.*]] = arith.select %[[HASCARRY]], %[[AFTER0]]
// CHECK: memref.load %[[TOTALS]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[RUN0]]
// CHECK: gpu.shuffle up
// CHECK-NOT: gpu.shuffle
// CHECK: arith.select
// CHECK: %[[Y0:.*]] = arith.select %{{.*}}, %{{.*}}, %[[E0]]
// CHECK: %[[Y1:.*]] = arith.addf %[[Y0]], %[[E1]]

// The store, striped again.
// CHECK: %[[YS:.*]] = vector.from_elements %[[Y0]], %[[Y1]]
// CHECK: vector.store %[[YS]], %[[OUT]][%[[PAIR]]]
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: scf.if %[[ALIGNEDY]]
// CHECK: %[[OFWARP:.*]] = arith.muli %[[WARP]], %[[C64]]
// CHECK: %[[OFLANE:.*]] = arith.muli %[[LANE]], %[[C2]]
// CHECK: %[[SLOT:.*]] = arith.addi %[[OFWARP]], %[[OFLANE]]
// CHECK: %[[W:.*]] = vector.load %[[OUT]][%[[SLOT]]] {alignment = 8 : i64}
// CHECK: llvm.store %[[W]], %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK: else
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 4 : i64} : vector<1xf32>, !llvm.ptr<1>
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[NEXT]], %[[PREFETCHED]]

// The rest of the row, whose elements a 32-bit number counts. A vector that
// reaches beyond the end is moved element by element.
// CHECK: %[[REST:.*]] = arith.remui %[[N1]], %[[C128]]
// CHECK: %[[ISREST:.*]] = arith.cmpi ne, %[[REST]], %[[C0]]
// CHECK: scf.if %[[ISREST]]
// CHECK: %[[BASE:.*]] = arith.muli %[[TILES]], %[[C128]]
// CHECK: scf.if %[[ALIGNEDX]]
// CHECK: %[[LAST:.*]] = arith.maxui %[[BASE]], %[[N1]]
// CHECK: %[[TOEND:.*]] = arith.subi %[[LAST]], %[[BASE]]
// CHECK: arith.minui %[[TOEND]], %[[C128]]
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi sgt, %[[LEFT]], %c1_i32
// CHECK: scf.if %[[WHOLE]]
// CHECK: llvm.load %{{.*}} -> vector<2xf32>
// CHECK: else
// CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %[[LEFT]], %c0_i32
// CHECK: scf.if %[[INSIDE]]
// CHECK: llvm.load %{{.*}} -> vector<1xf32>
// CHECK: else
// CHECK: scf.yield %[[ZERO:.*]] : vector<1xf32>
// CHECK: nvvm.bar.warp.sync
// CHECK: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if %[[ALIGNEDY]]
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<1>
// CHECK: else
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<1xf32>, !llvm.ptr<1>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @sum(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// Reverse mirrors the index, nothing else: position p lies at extent - 1 - p.
// With an init the carry is always there. One warp needs no shared memory for
// its scan. Finals come from the thread that holds the last element, or from
// the carry where the last tile is full or there is none.

// CHECK-LABEL: gpu.func @reverse_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index)
// CHECK-NOT: workgroup
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-COUNT-2: memref.reinterpret_cast
// CHECK: %[[F:.*]] = memref.reinterpret_cast
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[TID]]
// CHECK: %[[ISROW:.*]] = arith.cmpi ult, %[[ROW:[^,]*]], %[[N0]]
// CHECK: scf.if %[[ISROW]]
// CHECK: arith.muli %[[ROW]]
// CHECK: %[[X:.*]] = llvm.getelementptr
// CHECK: arith.muli %[[ROW]]
// CHECK: %[[Y:.*]] = llvm.getelementptr
// CHECK: %[[TILES:.*]] = arith.divui %[[N1]]
// CHECK: %[[INIT:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X]]
// CHECK: llvm.load %[[AT]] {{.*}} -> i32
// CHECK: %[[STATE:.*]]:2 = scf.for %[[TILE:.*]] = {{.*}} iter_args(%[[CARRY:.*]] = %[[INIT]], %[[E:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: %[[BASE:.*]] = arith.muli %[[TILE]],
// CHECK: %[[PREFETCHED:.*]] = scf.if
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X]]
// CHECK: llvm.load %[[AT]]
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-5: gpu.shuffle up
// CHECK-NOT: gpu.barrier
// CHECK: %[[BEFORE:.*]], %{{.*}} = gpu.shuffle up
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[C0]]
// CHECK: %[[JOINED:.*]] = arith.subi %[[CARRY]], %[[BEFORE]]
// CHECK: %[[PREFIX:.*]] = arith.select %[[ISFIRST]], %[[CARRY]], %[[JOINED]]
// CHECK: %[[TOTAL:.*]], %{{.*}} = gpu.shuffle idx
// CHECK: %[[NEXT:.*]] = arith.subi %[[CARRY]], %[[TOTAL]]
// The output is exclusive: the prefix itself.
// CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[TID]]
// CHECK: %[[LAST:.*]] = arith.subi %[[N1]], %[[C1]]
// CHECK: %[[INDEX:.*]] = arith.subi %[[LAST]], %[[AT]]
// CHECK: arith.muli %[[INDEX]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[Y]]
// CHECK: llvm.store %[[PREFIX]], %[[AT]]
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield %[[NEXT]], %[[PREFETCHED]]
// CHECK: %[[REST:.*]] = arith.remui %[[N1]]
// CHECK: %[[ISREST:.*]] = arith.cmpi ne, %[[REST]], %[[C0]]
// CHECK: scf.if %[[ISREST]]
// Threads beyond the end read the last element; were the output the input's
// buffer, its own thread must not have written it yet.
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[X]]
// CHECK-NEXT: llvm.load %[[AT]]
// CHECK-NEXT: gpu.barrier
// CHECK: %[[INCLUSIVE:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[Y]]
// CHECK: scf.if
// CHECK: llvm.store %{{.*}}, %[[AT]]
// CHECK: %[[OWNER:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[OWNS:.*]] = arith.cmpi eq, %[[TID]], %[[OWNER]]
// CHECK: scf.if %[[OWNS]]
// CHECK: memref.store %{{.*}}, %[[F]][%[[ROW]]]
// CHECK: else
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]], %[[C0]]
// CHECK: scf.if %[[FIRST]]
// CHECK: memref.store %[[STATE]]#0, %[[F]][%[[ROW]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @reverse(%x: memref<?x?xi32>, %i: i32, %y: memref<?x?xi32>, %f: memref<?xi32>) {
  scan.kernel dim = 1 reverse
      ins(%x : memref<?x?xi32>) init(%i : i32) outs(%y : memref<?x?xi32>)
      finals(%f : memref<?xi32>)
      maps [#rt, affine_map<(d0, d1) -> ()>, #rt, #r]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } initialize {
      ^bb0(%e: i32):
        %l = arith.muli %e, %e : i32
        scan.yield %l : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %r = arith.subi %acc, %new : i32
        scan.yield %r : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %exclusive : i32
      } finalize {
      ^bb0(%last: i32):
        scan.yield %last : i32
      }
  return
}

// A known extent that tiles divide has no partial tile.

// CHECK-LABEL: gpu.func @static_scan0
// CHECK: scf.for
// CHECK: nvvm.bar.warp.sync
// CHECK: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: arith.minui
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @static(%x: memref<16x1024xf32>, %y: memref<16x1024xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<16x1024xf32>) outs(%y : memref<16x1024xf32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// Four rows a block, of 16 threads each: the shuffle scan has four steps and no
// shared memory, and threads take their chunks from all rows of the block, 16
// chunks a row. Where the block has all its rows, full tiles; else every tile is
// masked, and rows that do not exist read nothing and store nothing.

// CHECK-LABEL: gpu.func @rows_scan0
// CHECK-SAME: %[[N0:[^,]*]]: index, %[[N1:[^,]*]]: index)
// CHECK-SAME: workgroup(%[[IN:[^ ]*]] : memref<256xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{[^ ]*}} : memref<256xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %[[C4]]
// CHECK: arith.cmpi ult, %[[FIRST]], %[[N0]]
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[C4]]
// CHECK: %[[ALL:.*]] = arith.cmpi ule, %[[END]], %[[N0]]
// Vectors are aligned in all rows, at both ends, or in none.
// CHECK: llvm.ptrtoint
// CHECK: arith.ori
// CHECK: arith.remui %{{.*}}, %[[C16]]
// CHECK: %[[VECTORS:.*]] = arith.cmpi eq
// CHECK: %[[WHOLE:.*]] = arith.divui %[[N1]], %[[C64]]
// CHECK: %[[FULL:.*]] = arith.select %[[ALL]], %[[WHOLE]], %[[C0]]
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[FULL]] step %[[C1]]
// CHECK: %[[BASE:.*]] = arith.muli %{{.*}}, %[[C64]]
// Rows without a layout map lie as many elements apart as they have; where a
// thread has chunks of several, that is added from row to row.
// CHECK: scf.if %[[VECTORS]]
// CHECK: %[[ROWS:.*]] = arith.muli %[[FIRST]], %[[N1]]
// CHECK: arith.addi %[[ROWS]], %[[BASE]]
// CHECK: %[[ROW:.*]] = arith.divui %[[TID]], %[[C16]]
// CHECK: arith.muli %[[ROW]], %[[N1]]
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: else
// CHECK: llvm.load %[[AT0:[^ ]*]] {{.*}} vector<1xf32>
// CHECK: %[[AT1:.*]] = llvm.getelementptr %[[AT0]][%[[ROWBYTES:.*]]]
// CHECK: llvm.load %[[AT1]]
// CHECK: %[[AT2:.*]] = llvm.getelementptr %[[AT1]][%[[ROWBYTES]]]
// CHECK: llvm.load %[[AT2]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: gpu.shuffle up
// CHECK: gpu.shuffle up
// CHECK: %[[LAST:.*]] = arith.ori %{{.*}} : index
// CHECK: %[[LASTLANE:.*]] = arith.index_cast %[[LAST]] : index to i32
// CHECK: gpu.shuffle idx %{{.*}}, %[[LASTLANE]]
// CHECK: gpu.barrier
// CHECK: llvm.store
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[N1]], %[[C64]]
// CHECK: %[[DONE:.*]] = arith.cmpi eq, %[[FULL]], %[[TILES]]
// CHECK: scf.if %[[DONE]]
// CHECK: else
// CHECK: scf.for %{{.*}} = %[[FULL]] to %[[TILES]] step %[[C1]]
// CHECK: scf.if %[[VECTORS]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c3_i32
// CHECK: %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[EXISTS]]
// CHECK: scf.if %[[BOTH]]
// CHECK-NEXT: llvm.load {{.*}} vector<4xf32>
// CHECK: else
// CHECK-NEXT: scf.yield %{{.*}} : vector<4xf32>
// CHECK: gpu.return
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, rows = 4>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}

// What traps on some values must not meet what lies beyond the end: the last
// element takes its place.

// CHECK-LABEL: gpu.func @quotients_scan0
// CHECK-SAME: workgroup(%{{[^ ]*}} : memref<4xi32, {{[^%]*}}%[[IN:[^ ]*]] : memref<128xi32,
// CHECK: scf.for
// CHECK: nvvm.bar.warp.sync
// CHECK: arith.divsi
// CHECK: scf.yield
// CHECK: arith.remui
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// CHECK: %[[CLAMPED:.*]] = arith.select %[[INSIDE]], %[[AT:.*]], %[[LAST]]
// CHECK: %[[BACK:.*]] = arith.subi %[[CLAMPED]], %[[AT]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[BACK]], %c4
// CHECK: arith.index_cast %[[OFFSET]]
// CHECK: llvm.load {{.*}} vector<1xi32>
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[ITEMS:.*]] = vector.load %[[IN]]{{.*}} vector<2xi32>
// CHECK: %[[VALUE:.*]] = vector.extract %[[ITEMS]][0]
// CHECK-NOT: arith.select
// CHECK: arith.divsi %{{.*}}, %[[VALUE]]
func.func @quotients(%x: memref<?x?xi32>, %y: memref<?x?xi32>) {
  scan.kernel dim = 1
      ins(%x : memref<?x?xi32>) outs(%y : memref<?x?xi32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2>}
      load {
      ^bb0(%e: i32):
        %c = arith.constant 1000 : i32
        %q = arith.divsi %c, %e : i32
        scan.yield %q : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %s = arith.addi %acc, %new : i32
        scan.yield %s : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      }
  return
}
