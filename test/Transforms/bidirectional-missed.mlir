// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --remarks-filter-missed=scan-bidirectional 2>%t.remarks | FileCheck %s --implicit-check-not=opposite
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional=target=cpu --remarks-filter-missed=scan-bidirectional 2>&1 >/dev/null | FileCheck %s --check-prefix=CPU
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional="max-extent=63" --remarks-filter-missed=scan-bidirectional 2>&1 >/dev/null | FileCheck %s --check-prefix=LIMIT
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: not scan-opt %s --scan-bidirectional=max-extent=0 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not scan-opt %s --scan-bidirectional=min-scans=0 2>&1 | FileCheck %s --check-prefix=MIN

// What stays two kernels, and why. Without the option nobody is told.
// QUIET-NOT: remark
// OPTION: error: scan-bidirectional: expected max-extent of at least 1, found 0
// MIN: error: scan-bidirectional: expected min-scans of at least 1, found 0

// Nobody knows how long a row is. (For a GPU see bidirectional-dynamic.mlir.)
// CPU: Function=dynamic | Reason="the extent of the scanned dimension is dynamic: nothing says that all of it fits where it is to be kept"
func.func @dynamic(%x: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %f = scan.associative ins(%x : tensor<4x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x?xf32>
  %g = scan.associative ins(%x : tensor<4x?xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x?xf32>
  return %f, %g : tensor<4x?xf32>, tensor<4x?xf32>
}

// The host would choose, but one kernel and two would write to different places.
// CHECK-LABEL: @destination(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=destination | Reason="destination #1 of the first scan is not new memory, which one kernel and two could write alike (tensor.empty, or a fill of one)"
func.func @destination(%x: tensor<4x?xf32>, %e: tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %f = scan.kernel dim = 1 ins(%x : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%v: f32):
        scan.yield %v : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %v: f32):
        scan.yield %inclusive : f32
      } -> tensor<4x?xf32>
  %g = scan.associative ins(%x : tensor<4x?xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x?xf32>
  return %f, %g : tensor<4x?xf32>, tensor<4x?xf32>
}

// Too long for a block, and for a cache.
// CHECK-LABEL: @long(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=long | Reason="the scanned dimension has 5000 elements: 1 to 4096 are merged (max-extent)"
// CPU: Function=long | Reason="the scanned dimension has 5000 elements: 1 to 4096 are merged (max-extent)"
// LIMIT: Function=long | Reason="the scanned dimension has 5000 elements: 1 to 63 are merged (max-extent)"
func.func @long(%x: tensor<4x5000xf32>) -> (tensor<4x5000xf32>, tensor<4x5000xf32>) {
  %f = scan.associative ins(%x : tensor<4x5000xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x5000xf32>
  %g = scan.associative ins(%x : tensor<4x5000xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x5000xf32>
  return %f, %g : tensor<4x5000xf32>, tensor<4x5000xf32>
}

// Nothing is read.
// CHECK-LABEL: @empty(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=empty | Reason="the scanned dimension has 0 elements: 1 to 4096 are merged (max-extent)"
func.func @empty(%x: tensor<4x0xf32>) -> (tensor<4x0xf32>, tensor<4x0xf32>) {
  %f = scan.associative ins(%x : tensor<4x0xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x0xf32>
  %g = scan.associative ins(%x : tensor<4x0xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<4x0xf32>
  return %f, %g : tensor<4x0xf32>, tensor<4x0xf32>
}

// Neighbours in memory belong to different scans. (See bidirectional-columns.mlir.)
// LIMIT: Function=strided | Reason="the scanned dimension has 64 elements: 1 to 63 are merged (max-extent)"
func.func @strided(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %f = scan.associative ins(%x : tensor<64x32xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<64x32xf32>
  %g = scan.associative ins(%x : tensor<64x32xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<64x32xf32>
  return %f, %g : tensor<64x32xf32>, tensor<64x32xf32>
}

// Some lie in memory along the scanned dimension, others across it.
// CHECK-LABEL: @both_ways(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=both_ways | Reason="output #0 of the first scan does not lie in memory along the scanned dimension, nor do all operands along one other"
// CPU: Function=both_ways | Reason="output #0 of the first scan does not lie in memory along the scanned dimension, nor do all operands along one other"
func.func @both_ways(%x: tensor<64x32xf32>, %e: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
  %t = scan.kernel dim = 0 ins(%e : tensor<32x64xf32>) outs(%x : tensor<64x32xf32>)
      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%v: f32):
        scan.yield %v : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %v: f32):
        scan.yield %inclusive : f32
      } -> tensor<64x32xf32>
  %u = scan.kernel dim = 0 reverse ins(%e : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>)
      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>]
      load {
      ^bb0(%v: f32):
        scan.yield %v : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %v: f32):
        scan.yield %inclusive : f32
      } -> tensor<32x64xf32>
  return %u, %t : tensor<32x64xf32>, tensor<64x32xf32>
}

// Too many steps for a block, of however few columns; and for a cache, if those of few columns are too many bytes.
// CHECK-LABEL: @tall(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=tall | Reason="a column of 4096 elements with 12 words each does not fit in one tile of a block"
// CPU: Function=tall | Reason="columns of 4096 elements are too much for the cache"
func.func @tall(%x: tensor<4096x32x2xf64>) -> (tensor<4096x32x2xf64>, tensor<4096x32x2xf64>) {
  %f = scan.associative ins(%x : tensor<4096x32x2xf64>) dim = 0 {
  ^bb0(%a: tensor<2xf64>, %b: tensor<2xf64>):
    %r = arith.addf %a, %b : tensor<2xf64>
    scan.yield %r : tensor<2xf64>
  } -> tensor<4096x32x2xf64>
  %g = scan.associative ins(%x : tensor<4096x32x2xf64>) dim = 0 reverse {
  ^bb0(%a: tensor<2xf64>, %b: tensor<2xf64>):
    %r = arith.addf %a, %b : tensor<2xf64>
    scan.yield %r : tensor<2xf64>
  } -> tensor<4096x32x2xf64>
  return %f, %g : tensor<4096x32x2xf64>, tensor<4096x32x2xf64>
}

// A schedule for rows.
// CHECK-LABEL: @row_schedule(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=row_schedule | Reason="the schedule does not hold a column in one tile of a block"
func.func @row_schedule(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %f = scan.associative ins(%x : tensor<64x32xf32>) dim = 0 attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 4>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<64x32xf32>
  %g = scan.associative ins(%x : tensor<64x32xf32>) dim = 0 reverse attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 4>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<64x32xf32>
  return %f, %g : tensor<64x32xf32>, tensor<64x32xf32>
}

// The second one scans what the first one has computed.
// CHECK-LABEL: @chain(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=chain | Reason="the second scan needs what the first one computes"
// CPU: Function=chain | Reason="the second scan needs what the first one computes"
func.func @chain(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %f = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %g = scan.associative ins(%f : tensor<8x64xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  return %f, %g : tensor<8x64xf32>, tensor<8x64xf32>
}

// The second one needs something that is made of the first one.
// CHECK-LABEL: @through(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=through | Reason="one of them depends on the other"
// CPU: Function=through | Reason="one of them depends on the other"
func.func @through(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %f = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %u = tensor.extract_slice %f[0, 1] [8, 63] [1, 1] : tensor<8x64xf32> to tensor<8x63xf32>
  %v = tensor.insert_slice %u into %x[0, 0] [8, 63] [1, 1] : tensor<8x63xf32> into tensor<8x64xf32>
  %w = arith.mulf %x, %v : tensor<8x64xf32>
  %g, %h = scan.associative ins(%x, %w : tensor<8x64xf32>, tensor<8x64xf32>) dim = 1 reverse {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %r = arith.addf %a0, %a1 : f32
    %s = arith.addf %b0, %b1 : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<8x64xf32>, tensor<8x64xf32>
  return %g, %h : tensor<8x64xf32>, tensor<8x64xf32>
}

// Only one has an initial state.
// CHECK-LABEL: @one_init(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=one_init | Reason="only one of them has initial states"
// CPU: Function=one_init | Reason="only one of them has initial states"
func.func @one_init(%x: tensor<8x64xf32>, %i: f32) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %f = scan.associative ins(%x : tensor<8x64xf32>) init(%i : f32) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %g = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  return %f, %g : tensor<8x64xf32>, tensor<8x64xf32>
}

// They may not be bracketed alike.
// CHECK-LABEL: @orders(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=orders | Reason="their attributes differ"
// CPU: Function=orders | Reason="their attributes differ"
func.func @orders(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %f = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 attributes {order = #scan.order<deterministic>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %g = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  return %f, %g : tensor<8x64xf32>, tensor<8x64xf32>
}

// One thread walks the row, and has not the row at hand. Loops on a CPU do.
// CHECK-LABEL: @sequential(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=sequential | Reason="order = sequential: one thread would have to walk each row"
func.func @sequential(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %f = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 attributes {order = #scan.order<sequential>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %g = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 reverse attributes {order = #scan.order<sequential>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  return %f, %g : tensor<8x64xf32>, tensor<8x64xf32>
}

// A schedule that somebody has chosen.
// CHECK-LABEL: @schedule(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=schedule | Reason="the schedule does not hold a row in one tile of a block"
func.func @schedule(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %f = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %g = scan.associative ins(%x : tensor<8x64xf32>) dim = 1 reverse attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  return %f, %g : tensor<8x64xf32>, tensor<8x64xf32>
}

// All that they share is a small vector.
// CHECK-LABEL: @little(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=little | Reason="together they would move about as many bytes"
// CPU: Function=little | Reason="together they would move about as many bytes"
func.func @little(%x: tensor<64xf32>, %p: tensor<8x64xf32>, %q: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %k = linalg.broadcast ins(%x : tensor<64xf32>) outs(%e : tensor<8x64xf32>) dimensions = [0]
  %u = arith.mulf %p, %k : tensor<8x64xf32>
  %v = arith.mulf %q, %k : tensor<8x64xf32>
  %f = scan.associative ins(%u : tensor<8x64xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  %g = scan.associative ins(%v : tensor<8x64xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<8x64xf32>
  return %f, %g : tensor<8x64xf32>, tensor<8x64xf32>
}

// Too many words for the registers of a block.
// CHECK-LABEL: @many_leaves(
// CHECK-COUNT-2: scan.kernel
// REMARK: Function=many_leaves | Reason="a row of 4096 elements with 56 words each does not fit in one tile of a block"
func.func @many_leaves(%x: tensor<8x4096xf64>, %y: tensor<8x4096xf64>) -> (tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>) {
  %f:6 = scan.associative ins(%x, %y, %x, %y, %x, %y : tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>) dim = 1 {
  ^bb0(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %a4: f64, %a5: f64, %a6: f64, %a7: f64, %a8: f64, %a9: f64, %a10: f64, %a11: f64):
    %r0 = arith.addf %a0, %a6 : f64
    %r1 = arith.addf %a1, %a7 : f64
    %r2 = arith.addf %a2, %a8 : f64
    %r3 = arith.addf %a3, %a9 : f64
    %r4 = arith.addf %a4, %a10 : f64
    %r5 = arith.addf %a5, %a11 : f64
    scan.yield %r0, %r1, %r2, %r3, %r4, %r5 : f64, f64, f64, f64, f64, f64
  } -> tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>
  %g:6 = scan.associative ins(%x, %y, %x, %y, %x, %y : tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>) dim = 1 reverse {
  ^bb0(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %a4: f64, %a5: f64, %a6: f64, %a7: f64, %a8: f64, %a9: f64, %a10: f64, %a11: f64):
    %r0 = arith.addf %a0, %a6 : f64
    %r1 = arith.addf %a1, %a7 : f64
    %r2 = arith.addf %a2, %a8 : f64
    %r3 = arith.addf %a3, %a9 : f64
    %r4 = arith.addf %a4, %a10 : f64
    %r5 = arith.addf %a5, %a11 : f64
    scan.yield %r0, %r1, %r2, %r3, %r4, %r5 : f64, f64, f64, f64, f64, f64
  } -> tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>
  return %f#0, %f#1, %f#2, %f#3, %f#4, %f#5, %g#0, %g#1, %g#2, %g#3, %g#4, %g#5 : tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>, tensor<8x4096xf64>
}
