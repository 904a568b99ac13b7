// Loops on memrefs. Distinct memrefs that are arguments do not overlap.

// Polygeist, from C: rows outside, the state in iter_args.
// roughly: random:f32:3x20:1 random:f32:3x20:2 zeros:f32:3x20
func.func @affine_rows(%a: memref<3x20xf32>, %b: memref<3x20xf32>, %y: memref<3x20xf32>) -> memref<3x20xf32> {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 3 {
    %l = affine.for %t = 0 to 20 iter_args(%h = %z) -> (f32) {
      %at = affine.load %a[%i, %t] : memref<3x20xf32>
      %bt = affine.load %b[%i, %t] : memref<3x20xf32>
      %p = arith.mulf %at, %h : f32
      %n = arith.addf %p, %bt : f32
      affine.store %n, %y[%i, %t] : memref<3x20xf32>
      affine.yield %n : f32
    }
  }
  return %y : memref<3x20xf32>
}

// Polygeist, y[i][t] = a[i][t] * y[i][t-1] + b[i][t]: the state is in memory.
// roughly: random:f32:3x20:1 random:f32:3x20:2 random:f32:3x20:3
func.func @affine_memory(%a: memref<3x20xf32>, %b: memref<3x20xf32>, %y: memref<3x20xf32>) -> memref<3x20xf32> {
  affine.for %i = 0 to 3 {
    affine.for %t = 1 to 20 {
      %h = affine.load %y[%i, %t - 1] : memref<3x20xf32>
      %at = affine.load %a[%i, %t] : memref<3x20xf32>
      %bt = affine.load %b[%i, %t] : memref<3x20xf32>
      %p = arith.mulf %at, %h : f32
      %n = arith.addf %p, %bt : f32
      affine.store %n, %y[%i, %t] : memref<3x20xf32>
    }
  }
  return %y : memref<3x20xf32>
}

// The same by scf.for, over dynamic extents.
// roughly: random:f32:3xN:1 random:f32:3xN:2 random:f32:3xN:3
func.func @scf_memory(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %y: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %a, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %t = %c1 to %n step %c1 {
      %tm = arith.subi %t, %c1 : index
      %h = memref.load %y[%i, %tm] : memref<?x?xf32>
      %at = memref.load %a[%i, %t] : memref<?x?xf32>
      %bt = memref.load %b[%i, %t] : memref<?x?xf32>
      %p = arith.mulf %at, %h : f32
      %s = arith.addf %p, %bt : f32
      memref.store %s, %y[%i, %t] : memref<?x?xf32>
    }
  }
  return %y : memref<?x?xf32>
}

// The state is one cell of memory per channel, channels inside; time runs backwards, in place.
// roughly: random:f32:20x4:1 random:f32:4:2
func.func @state_rows(%x: memref<20x4xf32>, %s: memref<4xf32>) -> (memref<20x4xf32>, memref<4xf32>) {
  %k = arith.constant 0.9 : f32
  affine.for %t = 0 to 20 {
    affine.for %c = 0 to 4 {
      %h = affine.load %s[%c] : memref<4xf32>
      %v = affine.load %x[19 - %t, %c] : memref<20x4xf32>
      %p = arith.mulf %h, %k : f32
      %n = arith.addf %p, %v : f32
      affine.store %n, %s[%c] : memref<4xf32>
      affine.store %n, %x[19 - %t, %c] : memref<20x4xf32>
    }
  }
  return %x, %s : memref<20x4xf32>, memref<4xf32>
}

// flang-like: loops from 1 with i32 counters, the state in a cell on the stack.
// roughly: random:f64:N:1 random:f64:N:2 zeros:f64:N
func.func @flang_cell(%a: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %z = arith.constant 0.0 : f64
  %s = memref.alloca() : memref<f64>
  memref.store %z, %s[] : memref<f64>
  %n = memref.dim %x, %c0 : memref<?xf64>
  %end = arith.addi %n, %c1 : index
  scf.for %i = %c1 to %end step %c1 {
    %i32 = arith.index_cast %i : index to i32
    %i64 = arith.extsi %i32 : i32 to i64
    %o = arith.subi %i64, %one : i64
    %t = arith.index_cast %o : i64 to index
    %h = memref.load %s[] : memref<f64>
    %at = memref.load %a[%t] : memref<?xf64>
    %xt = memref.load %x[%t] : memref<?xf64>
    %p = arith.mulf %at, %h : f64
    %v = arith.addf %p, %xt : f64
    memref.store %v, %s[] : memref<f64>
    memref.store %v, %y[%t] : memref<?xf64>
  }
  return %y : memref<?xf64>
}

// tm_tensor.scan of torch-mlir, bufferized and lowered to loops: cumsum along dimension 0, the
// first step by scf.if, the sum also in an accumulator.
// run: random:i32:20x3:1:-9:9 zeros:i32:20x3 zeros:i32:3
func.func @tm_tensor_scan(%x: memref<20x3xi32>, %y: memref<20x3xi32>, %acc: memref<3xi32>) -> (memref<20x3xi32>, memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  scf.for %t = %c0 to %c20 step %c1 {
    scf.for %c = %c0 to %c3 step %c1 {
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        %v = memref.load %x[%t, %c] : memref<20x3xi32>
        memref.store %v, %y[%t, %c] : memref<20x3xi32>
      } else {
        %tm = arith.subi %t, %c1 : index
        %h = memref.load %y[%tm, %c] : memref<20x3xi32>
        %v = memref.load %x[%t, %c] : memref<20x3xi32>
        %s = arith.addi %h, %v : i32
        memref.store %s, %y[%t, %c] : memref<20x3xi32>
        memref.store %s, %acc[%c] : memref<3xi32>
      }
    }
  }
  return %y, %acc : memref<20x3xi32>, memref<3xi32>
}

// Rows by scf.parallel.
// roughly: random:f32:3x20:1 random:f32:3x20:2 zeros:f32:3x20
func.func @parallel_rows(%a: memref<3x20xf32>, %b: memref<3x20xf32>, %y: memref<3x20xf32>) -> memref<3x20xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %z = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c3) step (%c1) {
    %l = scf.for %t = %c0 to %c20 step %c1 iter_args(%h = %z) -> (f32) {
      %at = memref.load %a[%i, %t] : memref<3x20xf32>
      %bt = memref.load %b[%i, %t] : memref<3x20xf32>
      %p = arith.mulf %at, %h : f32
      %n = arith.addf %p, %bt : f32
      memref.store %n, %y[%i, %t] : memref<3x20xf32>
      scf.yield %n : f32
    }
    scf.reduce
  }
  return %y : memref<3x20xf32>
}

// Rows as views, updated by linalg on memrefs.
// roughly: random:f32:20x4:1 random:f32:20x4:2 random:f32:4:3
func.func @linalg_rows(%a: memref<20x4xf32>, %x: memref<20x4xf32>, %h: memref<4xf32>) -> (memref<20x4xf32>, memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  scf.for %t = %c0 to %c20 step %c1 {
    %at = memref.subview %a[%t, 0] [1, 4] [1, 1] : memref<20x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %xt = memref.subview %x[%t, 0] [1, 4] [1, 1] : memref<20x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%at, %xt : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32, strided<[1], offset: ?>>) outs(%h : memref<4xf32>) {
    ^bb0(%av: f32, %xv: f32, %hv: f32):
      %p = arith.mulf %av, %hv : f32
      %s = arith.addf %p, %xv : f32
      linalg.yield %s : f32
    }
    linalg.map ins(%h : memref<4xf32>) outs(%xt : memref<4xf32, strided<[1], offset: ?>>)
      (%v: f32, %unused: f32) {
        linalg.yield %v : f32
      }
  }
  return %x, %h : memref<20x4xf32>, memref<4xf32>
}
