// RUN: scan-opt %s --convert-scan-to-gpu --canonicalize --cse | FileCheck %s
// RUN: sed 's/threads = 64, items = 2/threads = 64, items = 8/' %s | scan-opt - --convert-scan-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=FIRST
// RUN: sed 's/threads = 64, items = 2/threads = 64, items = 8/; s/memref<?x?xf32>/memref<1x32768xf32>/g' %s | scan-opt - --convert-scan-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=SHORT
// RUN: sed 's/threads = 64, items = 2/threads = 64, items = 8/; s/memref<?x?xf32>/memref<2x16896xf32>/g' %s | scan-opt - --convert-scan-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=FIRST

#m = affine_map<(d0, d1) -> (d0, d1)>
#f = affine_map<(d0, d1) -> (d0)>
#v = affine_map<(d0) -> (d0)>

// On the host: a workspace of 128 bytes and 8 for each tile, cleared by a loop
// that is marked, and freed behind the launch; nobody else inserts that.

// CHECK-DAG: #[[$BYTES:.*]] = affine_map<()[s0, s1] -> ((s0 * (s1 ceildiv 128)) * 8 + 128)>
// CHECK-DAG: #[[$GRID:.*]] = affine_map<()[s0, s1] -> ((s0 * (s1 ceildiv 128)) ceildiv ((s0 * (s1 ceildiv 128)) floordiv 2147483648 + 1), (s0 * (s1 ceildiv 128)) floordiv 2147483648 + 1, 1)>
// With finals there is a tile in rows without elements.
// CHECK-DAG: #[[$PAIRS:.*]] = affine_map<()[s0, s1] -> ((s0 * (s1 ceildiv 64 + 1 floordiv (s1 + 1))) * 16 + 128)>
// CHECK-DAG: #[[$STATIC:.*]] = affine_map<() -> (704)>
// CHECK-DAG: #[[$LARGEST:.*]] = affine_map<() -> (3152)>

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:[^ ]*]]: memref<?x?xf32>
// CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[STEPS:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[STEPS]], %c128
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[ROWS]], %[[TILES]]
// CHECK: %[[SPACE:.*]] = memref.alloc(%{{.*}}) {alignment = 16 : i64, bufferization.manual_deallocation} : memref<?xi64>
// CHECK: linalg.fill {scan.workspace} ins(%c0_i64 : i64) outs(%[[SPACE]] : memref<?xi64>)
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SPACE]]
// CHECK: gpu.launch_func @scan_kernels::@sum_scan0
// CHECK-SAME: %[[ROWS]] : index, %[[STEPS]] : index, %[[BASE]] : memref<i64>)
// CHECK-NEXT: memref.dealloc %[[SPACE]] {bufferization.manual_deallocation}

// CHECK-LABEL: gpu.func @sum_scan0(
// CHECK-SAME: %[[ARG:[^ ]*]]: memref<i64>) workgroup(%[[TICKET:.*]] : memref<1xi64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[CARRY:.*]] : memref<1xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<4xf32,
// CHECK-SAME: {bytes = #[[$BYTES]], kind = "workspace", name = "workspace", zeroed = true}
// CHECK-SAME: scan.grid = #[[$GRID]]
// CHECK: %[[TID:.*]] = gpu.thread_id x
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[ARG]]
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[POINTER]] : index to i64

// One thread draws the ticket, and counts the launch if that is the last one of it. The lower
// half is the block's number, and flags follow from the upper half.
// CHECK: %[[DRAWN:.*]] = scf.if
// CHECK: %[[COUNTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<1>
// CHECK: llvm.atomicrmw add %[[COUNTER]], %c1_i64 syncscope("device") monotonic
// CHECK: memref.store %[[DRAWN]], %[[TICKET]][%c0]
// CHECK: %[[ALL:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[NUMBER:.*]] = arith.andi %[[DRAWN]], %c4294967295_i64
// CHECK: %[[DRAWN_BEFORE:.*]] = arith.addi %[[NUMBER]], %c1_i64
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[DRAWN_BEFORE]], %[[ALL]]
// CHECK: scf.if %[[LAST]] {
// CHECK-NEXT: %[[REST:.*]] = arith.subi %c4294967296_i64, %[[ALL]]
// CHECK: llvm.atomicrmw add %{{.*}}, %[[REST]] syncscope("device") monotonic
// CHECK: gpu.barrier
// CHECK: %[[OF_BLOCK:.*]] = memref.load %[[TICKET]][%c0]
// CHECK-NOT: gpu.block_id
// CHECK: arith.andi %[[OF_BLOCK]], %c4294967295_i64
// CHECK: %[[LAUNCH:.*]] = arith.shrui %[[OF_BLOCK]], %c32_i64
// CHECK: %[[EPOCH:.*]] = arith.trunci %[[LAUNCH]] : i64 to i32
// CHECK: %[[TWICE:.*]] = arith.shli %[[EPOCH]], %c1_i32
// CHECK: %[[AGGREGATE:.*]] = arith.addi %[[TWICE]], %c1_i32
// CHECK: %[[PREFIX:.*]] = arith.addi %[[TWICE]], %c2_i32

// The tile is loaded and scanned before anything is waited for.
// CHECK: %{{.*}}:2 = scf.if %{{.*}} -> (f32, f32)
// CHECK: memref.load
// CHECK: gpu.shuffle up

// The first tile publishes a prefix.
// CHECK: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>
// The others publish an aggregate: flag and bits in one word.
// CHECK: %[[FLAG:.*]] = arith.extui %[[AGGREGATE]] : i32 to i64
// CHECK: arith.shli %{{.*}}, %c32_i64
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>
// They look back, a warp at a time, the first one by itself, with older states on
// the left; nobody else than the first lane needs these.
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK-COUNT-10: gpu.shuffle down
// CHECK: %[[SEEN:.*]], %{{.*}} = gpu.shuffle idx
// CHECK: %[[COMPLETE:.*]] = arith.trunci %[[SEEN]] : i32 to i1
// CHECK-NOT: gpu.shuffle
// CHECK: arith.subi %{{.*}}, %c33 : index
// CHECK: scf.while (%{{.*}} = %{{.*}}, %[[DONE:.*]] = %[[COMPLETE]], %{{.*}} = %{{.*}}) :
// CHECK: %[[GOES_ON:.*]] = arith.xori %[[DONE]], %true
// CHECK: scf.condition(%[[GOES_ON]])
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK-COUNT-10: gpu.shuffle down
// CHECK: gpu.shuffle idx
// ... and publish the prefix, which others wait for, before they leave the carry to the block.
// CHECK: arith.extui %[[PREFIX]] : i32 to i64
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>
// CHECK: memref.store %{{.*}}, %[[CARRY]][%c0]
// CHECK: gpu.barrier
// CHECK: memref.load %[[CARRY]][%c0]
// CHECK: gpu.return
// Of tiles with 4 KB five are looked at first; those of 1 KB above would be worth
// none, and are looked at by all lanes.
// FIRST-LABEL: gpu.func @sum_scan0(
// FIRST: %[[LOOKS:.*]] = arith.cmpi ult, %[[LANE:.*]], %c5 : index
// FIRST: arith.subi %{{.*}}, %[[LANE]]
// FIRST: else
// FIRST-NEXT: scf.yield %{{.*}}, %[[LOOKS]] : f32, i1
// Five lanes take three steps.
// FIRST: gpu.shuffle down %{{.*}}, %c1_i32
// FIRST: arith.cmpi ult, %[[LANE]], %c4
// FIRST: gpu.shuffle down %{{.*}}, %c2_i32
// FIRST: arith.cmpi ult, %[[LANE]], %c3
// FIRST: gpu.shuffle down %{{.*}}, %c4_i32
// FIRST: arith.cmpi ult, %[[LANE]], %c1
// FIRST-NOT: gpu.shuffle down
// FIRST: %[[NEXT:.*]] = arith.subi %{{.*}}, %c6 : index
// FIRST: scf.while (%{{.*}} = %[[NEXT]],
// All lanes look where there are known to be no more than 64 tiles. (Two rows of 33 are more.)
// SHORT-LABEL: gpu.func @sum_scan0(
// SHORT-COUNT-5: gpu.shuffle down
// SHORT: %[[NEXT:.*]] = arith.subi %{{.*}}, %c33 : index
// SHORT: scf.while (%{{.*}} = %[[NEXT]],
func.func @sum(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 2, scope = grid>}
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

// Flag and pair in one word of 16 bytes; a tile for a row without elements.
// CHECK-LABEL: gpu.func @pairs_scan0(
// CHECK-SAME: bytes = #[[$PAIRS]]
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
func.func @pairs(%x: memref<?x?xi32>, %y: memref<?x?xi32>, %p: memref<?xi32>, %q: memref<?xi32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xi32>) outs(%y : memref<?x?xi32>) finals(%p, %q : memref<?xi32>, memref<?xi32>) maps [#m, #m, #f, #f]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2, scope = grid>}
      load {
      ^bb0(%e: i32):
        scan.yield %e, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
        %a = arith.muli %a0, %a1 : i32
        %m = arith.muli %b0, %a1 : i32
        %b = arith.addi %m, %b1 : i32
        scan.yield %a, %b : i32, i32
      } store {
      ^bb0(%a: i32, %b: i32, %a_before: i32, %b_before: i32, %e: i32):
        scan.yield %b : i32
      } finalize {
      ^bb0(%a: i32, %b: i32):
        scan.yield %a, %b : i32, i32
      }
  return
}

// Larger states are several words of 16 bytes, each with the flag, which are waited
// for together; 18 tiles. In the order deterministic the states are folded from
// the left, one after the other.
// CHECK-LABEL: gpu.func @doubles_scan0(
// CHECK-SAME: bytes = #[[$STATIC]]
// CHECK: %[[AGGREGATE:.*]] = arith.addi %{{.*}}, %c1_i32
// CHECK: %[[PREFIX:.*]] = arith.addi %{{.*}}, %c2_i32
// CHECK: arith.extui %[[PREFIX]] : i32 to i128
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
// CHECK: arith.extui %[[AGGREGATE]] : i32 to i128
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
// CHECK-COUNT-2: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
// CHECK: %[[ONE:.*]] = arith.trunci %[[WORD:.*]] : i128 to i32
// CHECK: %[[NOAGGREGATE:.*]] = arith.cmpi ne, %[[ONE]], %[[AGGREGATE]]
// CHECK: %[[NOPREFIX:.*]] = arith.cmpi ne, %[[ONE]], %[[PREFIX]]
// CHECK: %[[UNSET:.*]] = arith.andi %[[NOAGGREGATE]], %[[NOPREFIX]]
// CHECK: %[[OTHER:.*]] = arith.trunci %{{.*}} : i128 to i32
// CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[OTHER]], %[[ONE]]
// CHECK: %[[WAITS:.*]] = arith.ori %[[UNSET]], %[[DIFFERS]]
// CHECK: scf.condition(%[[WAITS]])
// CHECK: arith.cmpi eq, %{{.*}}, %[[PREFIX]] : i32
// CHECK-NOT: gpu.shuffle down
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
// CHECK: arith.cmpi eq, %{{.*}}, %[[PREFIX]] : i32
// CHECK-NOT: gpu.shuffle down
// CHECK: scf.for
// CHECK: gpu.shuffle idx
// CHECK: arith.mulf
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
func.func @doubles(%x: memref<1100xf64>, %y: memref<1100xf64>) {
  scan.kernel dim = 0 ins(%x : memref<1100xf64>) outs(%y : memref<1100xf64>) maps [#v, #v]
      attributes {order = #scan.order<deterministic>, schedule = #scan.schedule<strategy = row, threads = 32, items = 2, scope = grid>}
      load {
      ^bb0(%e: f64):
        scan.yield %e, %e : f64, f64
      } combine {
      ^bb0(%a0: f64, %b0: f64, %a1: f64, %b1: f64):
        %a = arith.mulf %a0, %a1 : f64
        %m = arith.mulf %b0, %a1 : f64
        %b = arith.addf %m, %b1 : f64
        scan.yield %a, %b : f64, f64
      } store {
      ^bb0(%a: f64, %b: f64, %a_before: f64, %b_before: f64, %e: f64):
        scan.yield %b : f64
      }
  return
}

// The largest ones lie beside the flag, the prefix apart from the aggregate: 8
// bytes for the flag and 2 x 80 for the states; 18 tiles.
// CHECK-LABEL: gpu.func @largest_scan0(
// CHECK-SAME: bytes = #[[$LARGEST]]
// CHECK: %[[AGGREGATE:.*]] = arith.addi %{{.*}}, %c1_i32
// CHECK: %[[PREFIX:.*]] = arith.addi %{{.*}}, %c2_i32
// CHECK-COUNT-10: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
// CHECK: llvm.store %[[PREFIX]], %{{.*}} atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-COUNT-10: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<1>
// CHECK: llvm.store %[[AGGREGATE]], %{{.*}} atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: scf.condition
// CHECK: %[[ISPREFIX:.*]] = arith.cmpi eq, %{{.*}}, %[[PREFIX]] : i32
// CHECK: arith.select %[[ISPREFIX]], %c88_i64, %c8_i64
// CHECK-COUNT-10: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
func.func @largest(%x: memref<1100xcomplex<f64>>, %y: memref<1100xcomplex<f64>>) {
  scan.kernel dim = 0 ins(%x : memref<1100xcomplex<f64>>) outs(%y : memref<1100xcomplex<f64>>) maps [#v, #v]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2, scope = grid>}
      load {
      ^bb0(%e: complex<f64>):
        scan.yield %e, %e, %e, %e, %e : complex<f64>, complex<f64>, complex<f64>, complex<f64>, complex<f64>
      } combine {
      ^bb0(%a0: complex<f64>, %b0: complex<f64>, %c0: complex<f64>, %d0: complex<f64>, %e0: complex<f64>,
           %a1: complex<f64>, %b1: complex<f64>, %c1: complex<f64>, %d1: complex<f64>, %e1: complex<f64>):
        %a = complex.add %a0, %a1 : complex<f64>
        %b = complex.add %b0, %b1 : complex<f64>
        %c = complex.add %c0, %c1 : complex<f64>
        %d = complex.add %d0, %d1 : complex<f64>
        %e = complex.add %e0, %e1 : complex<f64>
        scan.yield %a, %b, %c, %d, %e : complex<f64>, complex<f64>, complex<f64>, complex<f64>, complex<f64>
      } store {
      ^bb0(%a: complex<f64>, %b: complex<f64>, %c: complex<f64>, %d: complex<f64>, %e: complex<f64>, %a_before: complex<f64>,
           %b_before: complex<f64>, %c_before: complex<f64>, %d_before: complex<f64>, %e_before: complex<f64>, %element: complex<f64>):
        scan.yield %b : complex<f64>
      }
  return
}
