// RUN: scan-opt %s --convert-scan-to-gpu --split-input-file --verify-diagnostics

#m = affine_map<(d0) -> (d0)>
func.func @no_schedule(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a schedule to become a GPU kernel, found none; run scan-assign-schedule before convert-scan-to-gpu}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
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

// -----

#m = affine_map<(d0) -> (d0)>
func.func @tensors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'scan.kernel' op expected memref operands to become a GPU kernel, found tensors; run one-shot-bufferize before convert-scan-to-gpu}}
  %0 = scan.kernel dim = 0 ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row>}
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
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#m = affine_map<(d0) -> (d0)>
#layout = affine_map<(d0) -> (d0 floordiv 4)>
func.func @layout(%x: memref<?xf32, #layout>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected operand 0 to have a strided layout to become a GPU kernel, found 'memref<?xf32, affine_map<(d0) -> (d0 floordiv 4)>>'; copy it into a memref without a layout map}}
  scan.kernel dim = 0 ins(%x : memref<?xf32, #layout>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row>}
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

// -----

#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @shared_memory_of_columns(%x: memref<?x?xf64>, %y: memref<?x?xf64>) {
  // expected-error @+1 {{'scan.kernel' op expected a schedule with at most 49152 bytes of shared memory per block, found 1024 threads in 32 lanes with 4 columns each, which take 65536 bytes; lower threads, lanes or vector}}
  scan.kernel dim = 0 ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = column, threads = 1024, vector = 4>}
      load {
      ^bb0(%e: f64):
        scan.yield %e : f64
      } combine {
      ^bb0(%acc: f64, %new: f64):
        %s = arith.addf %acc, %new : f64
        scan.yield %s : f64
      } store {
      ^bb0(%inclusive: f64, %exclusive: f64, %e: f64):
        scan.yield %inclusive : f64
      }
  return
}

// -----

#rt = affine_map<(d0, d1) -> (d0, d1)>
func.func @thirds_of_warps(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a schedule that a GPU kernel can follow, found rows of 24 threads each, which is not supported; use threads that are a power of two}}
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 96, rows = 4>}
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

// -----

// Without tiles of a row there are no head flags to find in them.
#m = affine_map<(d0) -> (d0)>
#list = affine_map<(d0) -> (0)>
func.func @starts(%x: memref<?xf32>, %s: memref<?xi32>, %y: memref<?xf32>) {
  // expected-error @below {{'scan.kernel' op expected the strategy row for a kernel with lists of segment offsets, found sequential; read flags instead, as --scan-fuse-segment-offsets=max-scans=0 leaves them}}
  scan.kernel dim = 0 ins(%x, %s : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) maps [#m, #list, #m]
      attributes {schedule = #scan.schedule<strategy = sequential>, segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// Without tiles of a row there are no head flags to find in them.
#m = affine_map<(d0) -> (d0)>
#list = affine_map<(d0) -> (0)>
func.func @starts(%x: memref<?xf32>, %s: memref<?xi32>, %y: memref<?xf32>) {
  // expected-error @below {{'scan.kernel' op expected the strategy row for a kernel with lists of segment offsets, found column; read flags instead, as --scan-fuse-segment-offsets=max-scans=0 leaves them}}
  scan.kernel dim = 0 ins(%x, %s : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) maps [#m, #list, #m]
      attributes {schedule = #scan.schedule<strategy = column>, segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// The stack of the host, seen through views.
#m = affine_map<(d0) -> (d0)>
func.func @stack(%x: memref<?xf32>, %n: index) {
  // expected-note @+1 {{the buffer is made here}}
  %stack = memref.alloca(%n) : memref<?x1xf32>
  %y = memref.collapse_shape %stack [[0, 1]] : memref<?x1xf32> into memref<?xf32>
  // expected-error @+1 {{'scan.kernel' op expected buffers that the GPU can reach, found one of a 'memref.alloca': a GPU cannot reach the stack of the host; make the buffer with memref.alloc or gpu.alloc, or pass it in}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row>}
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

// -----

// One of two buffers.
#m = affine_map<(d0) -> (d0)>
func.func @choice(%x: memref<8xf32>, %y: memref<8xf32>, %c: i1) {
  // expected-note @+1 {{the buffer is made here}}
  %stack = memref.alloca() : memref<8xf32>
  %in = arith.select %c, %x, %stack : memref<8xf32>
  // expected-error @+1 {{found one of a 'memref.alloca'}}
  scan.kernel dim = 0 ins(%in : memref<8xf32>) outs(%y : memref<8xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row>}
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

// -----

#tc = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_parts(%x: memref<?x?xf32>, %i: memref<?xf32>, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a kernel whose states 4 threads can share, for the strategy sequential with 8 lanes: one that was unrolled over a dimension, has an init, computes the same for each index and joins the results by sums only; leave out lanes}}
  scan.kernel dim = 0 ins(%x : memref<?x?xf32>) init(%i : memref<?xf32>) outs(%y : memref<?x?xf32>)
      maps [#tc, affine_map<(d0, d1) -> (d1)>, #tc]
      attributes {schedule = #scan.schedule<strategy = sequential, items = 4, lanes = 8>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
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

// -----

// Two parts, for four threads.

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
func.func @two_parts(%x: memref<?x?xf32>, %b: memref<?x2xf32>, %i: f32, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a kernel whose states 4 threads can share, for the strategy sequential with 8 lanes, found 2 equal parts of its states; use at least 16 lanes}}
  scan.kernel dim = 0 ins(%x, %b : memref<?x?xf32>, memref<?x2xf32>) init(%i : f32) outs(%y : memref<?x?xf32>)
      maps [#tc, #t, #none, #tc]
      attributes {schedule = #scan.schedule<strategy = sequential, items = 4, lanes = 8>}
      load {
      ^bb0(%e: f32, %b0: f32, %b1: f32):
        %p0 = arith.mulf %e, %b0 : f32
        %p1 = arith.mulf %e, %b1 : f32
        scan.yield %p0, %p1 : f32, f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %a1: f32, %n0: f32, %n1: f32):
        %s0 = arith.addf %a0, %n0 : f32
        %s1 = arith.addf %a1, %n1 : f32
        scan.yield %s0, %s1 : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %e: f32, %b0: f32, %b1: f32):
        %s = arith.addf %i0, %i1 : f32
        scan.yield %s : f32
      }
  return
}

// -----

// Blocks that share the steps of such scans.

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
func.func @tiles_of_quotients(%x: memref<?x?xi32>, %b: memref<?x2xi32>, %i: i32, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected a combine region without operations that may fail, such as divisions of integers, for the strategy sequential with scope = grid; leave out scope and blocks}}
  scan.kernel dim = 0 ins(%x, %b : memref<?x?xi32>, memref<?x2xi32>) init(%i : i32) outs(%y : memref<?x?xi32>)
      maps [#tc, #t, #none, #tc]
      attributes {schedule = #scan.schedule<strategy = sequential, items = 4, lanes = 16, scope = grid, blocks = 4>}
      load {
      ^bb0(%e: i32, %b0: i32, %b1: i32):
        %p0 = arith.muli %e, %b0 : i32
        %p1 = arith.muli %e, %b1 : i32
        scan.yield %p0, %p1 : i32, i32
      } initialize {
      ^bb0(%e: i32):
        scan.yield %e, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %a1: i32, %n0: i32, %n1: i32):
        %q0 = arith.divui %a0, %n0 : i32
        %q1 = arith.divui %a1, %n1 : i32
        scan.yield %q0, %q1 : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %b0: i32, %b1: i32):
        %s = arith.addi %i0, %i1 : i32
        scan.yield %s : i32
      }
  return
}

// -----

// Warps of a block that share the steps of such scans.

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
func.func @warps_of_quotients(%x: memref<?x?xi32>, %b: memref<?x2xi32>, %i: i32, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected a combine region without operations that may fail, such as divisions of integers, for the strategy sequential with warps that share the steps of a scan; leave out warps}}
  scan.kernel dim = 0 ins(%x, %b : memref<?x?xi32>, memref<?x2xi32>) init(%i : i32) outs(%y : memref<?x?xi32>)
      maps [#tc, #t, #none, #tc]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 128, items = 4, lanes = 16, warps = 4>}
      load {
      ^bb0(%e: i32, %b0: i32, %b1: i32):
        %p0 = arith.muli %e, %b0 : i32
        %p1 = arith.muli %e, %b1 : i32
        scan.yield %p0, %p1 : i32, i32
      } initialize {
      ^bb0(%e: i32):
        scan.yield %e, %e : i32, i32
      } combine {
      ^bb0(%a0: i32, %a1: i32, %n0: i32, %n1: i32):
        %q0 = arith.divui %a0, %n0 : i32
        %q1 = arith.divui %a1, %n1 : i32
        scan.yield %q0, %q1 : i32, i32
      } store {
      ^bb0(%i0: i32, %i1: i32, %e0: i32, %e1: i32, %e: i32, %b0: i32, %b1: i32):
        %s = arith.addi %i0, %i1 : i32
        scan.yield %s : i32
      }
  return
}

// -----

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
func.func @product(%x: memref<?x?xf32>, %b: memref<?x2xf32>, %i: f32, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a kernel whose states 2 threads can share, for the strategy sequential with 16 lanes: one that was unrolled over a dimension, has an init, computes the same for each index and joins the results by sums only; leave out lanes}}
  scan.kernel dim = 0 ins(%x, %b : memref<?x?xf32>, memref<?x2xf32>) init(%i : f32) outs(%y : memref<?x?xf32>)
      maps [#tc, #t, #none, #tc]
      attributes {schedule = #scan.schedule<strategy = sequential, items = 4, lanes = 16>}
      load {
      ^bb0(%e: f32, %b0: f32, %b1: f32):
        %p0 = arith.mulf %e, %b0 : f32
        %p1 = arith.mulf %e, %b1 : f32
        scan.yield %p0, %p1 : f32, f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %a1: f32, %n0: f32, %n1: f32):
        %s0 = arith.addf %a0, %n0 : f32
        %s1 = arith.addf %a1, %n1 : f32
        scan.yield %s0, %s1 : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %e: f32, %b0: f32, %b1: f32):
        %s = arith.mulf %i0, %i1 : f32
        scan.yield %s : f32
      }
  return
}

// -----

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
func.func @in_order(%x: memref<?x?xf32>, %b: memref<?x2xf32>, %i: f32, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a kernel whose states 2 threads can share, for the strategy sequential with 16 lanes, found the order sequential, in which threads may not add up what they have; leave out lanes}}
  scan.kernel dim = 0 ins(%x, %b : memref<?x?xf32>, memref<?x2xf32>) init(%i : f32) outs(%y : memref<?x?xf32>)
      maps [#tc, #t, #none, #tc]
      attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = sequential, items = 4, lanes = 16>}
      load {
      ^bb0(%e: f32, %b0: f32, %b1: f32):
        %p0 = arith.mulf %e, %b0 : f32
        %p1 = arith.mulf %e, %b1 : f32
        scan.yield %p0, %p1 : f32, f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %a1: f32, %n0: f32, %n1: f32):
        %s0 = arith.addf %a0, %n0 : f32
        %s1 = arith.addf %a1, %n1 : f32
        scan.yield %s0, %s1 : f32, f32
      } store {
      ^bb0(%i0: f32, %i1: f32, %e0: f32, %e1: f32, %e: f32, %b0: f32, %b1: f32):
        %s = arith.addf %i0, %i1 : f32
        scan.yield %s : f32
      }
  return
}

// -----

// Gathered inputs.
#tc = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d0, 0)>
#t = affine_map<(d0, d1) -> (d1)>
func.func @gathered(%x: memref<8x64xf32>, %h: memref<8x3xf32>, %n: memref<64xi32>, %y: memref<8x64xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected no gathered inputs (input 1), for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 1 ins(%x, %h, %n : memref<8x64xf32>, memref<8x3xf32>, memref<64xi32>) outs(%y : memref<8x64xf32>)
      maps [#tc, #c, #t, #tc]
      attributes {gathers = array<i64: -1, 2, -1>, schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// Shifted inputs.
#tc = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d0)>
func.func @shifted(%x: memref<?x?xf32>, %b: memref<?xf32>, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected no shifted inputs (input 0), for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 1 ins(%x, %b : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) maps [#tc, #c, #tc]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 1, -1>, schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
      load {
      ^bb0(%e: f32, %before: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %before: f32):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// Columns.
#tc = affine_map<(d0, d1) -> (d0, d1)>
func.func @columns(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected inputs that are contiguous along the scan dimension (input 0), for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#tc, #tc]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
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

// -----

// Strides that nobody knows.
#m = affine_map<(d0) -> (d0)>
func.func @strided(%x: memref<?xf32, strided<[?], offset: ?>>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected inputs that are contiguous along the scan dimension (input 0), for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x : memref<?xf32, strided<[?], offset: ?>>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
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

// -----

// Two vectors.
#m = affine_map<(d0) -> (d0)>
func.func @two_vectors(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected an odd number of vectors of 16 bytes of each input for a thread (input 0), found 32 bytes with 8 items, for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 8, scope = grid, blocks = 2, stages = 3>}
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

// -----

// Less than a vector.
#m = affine_map<(d0) -> (d0)>
func.func @no_vector(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected an odd number of vectors of 16 bytes of each input for a thread (input 0), found 12 bytes with 3 items, for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 3, scope = grid, blocks = 2, stages = 3>}
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

// -----

// Vectors and a rest of one.
#m = affine_map<(d0) -> (d0)>
func.func @rest(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected an odd number of vectors of 16 bytes of each input for a thread (input 0), found 40 bytes with 10 items, for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 10, scope = grid, blocks = 2, stages = 3>}
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

// -----

// An odd number of vectors of one input, an even one of the other.
#m = affine_map<(d0) -> (d0)>
func.func @second_input(%x: memref<?xf32>, %w: memref<?xf64>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected an odd number of vectors of 16 bytes of each input for a thread (input 1), found 96 bytes with 12 items, for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x, %w : memref<?xf32>, memref<?xf64>) outs(%y : memref<?xf32>) maps [#m, #m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
      load {
      ^bb0(%e: f32, %v: f64):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %v: f64):
        scan.yield %inclusive : f32
      }
  return
}

// -----

// One element.
#m = affine_map<(d0) -> (d0)>
func.func @one_element(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected more than one element of each input for a thread (input 0), found one with 1 items, for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 1, scope = grid, blocks = 2, stages = 3>}
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

// -----

// Reductions.
#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1)>
func.func @reductions(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected no reduction outputs (output 0), for the bulk copies of a schedule with stages; change items or leave out stages}}
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) maps [#tc, #t]
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 12, scope = grid, blocks = 2, stages = 3>}
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

// -----

// More than any launch can ask for.
#m = affine_map<(d0) -> (d0)>
func.func @shared_memory(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'scan.kernel' op expected a schedule with at most 232448 bytes of shared memory per block, found 1024 threads with 28 items, which take 1665792 bytes; lower threads or items}}
  scan.kernel dim = 0 ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 1024, items = 28, scope = grid, blocks = 2, stages = 16>}
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

// -----

// Blocks that share the steps of packed sequences: a state that no flag
// starts anew.

func.func @no_flag(%v: memref<?x?xi32>, %flags: memref<?xi1>, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected a leaf that is the head flag of a packed sequence, at which all states start anew, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %o = arith.ori %p, %q : i1
        scan.yield %s, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: flags that differ
// from scan to scan.

func.func @flag_of_each(%v: memref<?x?xi32>, %flags: memref<?x?xi1>, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected head flags that are computed from inputs with one element for each step, which all scans share, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?x?xi1>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: flags of what the
// scans read.

func.func @computed_flag(%v: memref<?x?xi32>, %flags: memref<?xi1>, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected head flags that are computed from inputs with one element for each step, which all scans share, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        %zero = arith.constant 0 : i32
        %g = arith.cmpi eq, %e, %zero : i32
        scan.yield %e, %g : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: the state before a
// step is stored.

func.func @state_before(%v: memref<?x?xi32>, %flags: memref<?xi1>, %i: i32, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected a store region that reads no state from before a head flag, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) init(%i : i32) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> ()>,
            affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } initialize {
      ^bb0(%e: i32):
        %none = arith.constant false
        scan.yield %e, %none : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        %n = arith.addi %x, %before : i32
        scan.yield %n : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: divisions.

func.func @division(%v: memref<?x?xi32>, %flags: memref<?xi1>, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected a combine region without operations that may fail, such as divisions of integers, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.divsi %b, %a : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: sums over steps.

func.func @total(%v: memref<?x?xi32>, %flags: memref<?xi1>, %y: memref<?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected no reduction outputs, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) outs(%y : memref<?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: places of a compaction.

func.func @places(%v: memref<?x?xi32>, %flags: memref<?xi1>, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected no scattered outputs, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        %place = arith.index_cast %x : i32 to index
        scan.yield %e, %place : i32, index
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: one scan, whose results may lie in place of
// its flags.

func.func @one_scan(%v: memref<?xi32>, %flags: memref<?xi1>, %y: memref<?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected scans side by side, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?xi32>, memref<?xi1>) outs(%y : memref<?xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %s = arith.addi %a, %b : i32
        %r = arith.select %q, %b, %s : i32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}

// -----

// Blocks that share the steps of packed sequences: a state that is
// computed from that of a step at a flag, where the first step of a chunk would have that one.

func.func @square_at_flag(%v: memref<?x?xi32>, %flags: memref<?xi1>, %y: memref<?x?xi32>) {
  // expected-error @+1 {{'scan.kernel' op expected a leaf that is the head flag of a packed sequence, at which all states start anew, for the strategy column with blocks that share the steps of packed sequences; leave out blocks}}
  scan.kernel dim = 0 ins(%v, %flags : memref<?x?xi32>, memref<?xi1>) outs(%y : memref<?x?xi32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {schedule = #scan.schedule<strategy = column, blocks = 2>}
      load {
      ^bb0(%e: i32, %f: i1):
        scan.yield %e, %f : i32, i1
      } combine {
      ^bb0(%a: i32, %p: i1, %b: i32, %q: i1):
        %r = arith.select %q, %b, %a : i32
        %s = arith.muli %r, %r : i32
        %o = arith.ori %p, %q : i1
        scan.yield %s, %o : i32, i1
      } store {
      ^bb0(%x: i32, %some: i1, %before: i32, %earlier: i1, %e: i32, %f: i1):
        scan.yield %x : i32
      }
  return
}
