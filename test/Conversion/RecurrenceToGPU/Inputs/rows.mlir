// Recurrences whose blocks compute several indices of the batch dimensions together (rows.test).

// The same weights for all indices, in registers; four of these in a block, in reverse.
func.func @shared(%x: tensor<?x?x8xf32>, %h0: tensor<?x1x8xf32>, %u: tensor<8x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x1x8xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x8xf32>) init(%h0 : tensor<?x1x8xf32>) captures(%u : tensor<8x8xf32>)
      dim = 1 reverse attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2, rows = 4>} {
  ^bb0(%t: index, %h1: tensor<?x8xf32>, %row: tensor<?x8xf32>, %w: tensor<8x8xf32>):
    %sum = linalg.matmul ins(%h1, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%row : tensor<?x8xf32>) -> tensor<?x8xf32>
    %next = math.absf %sum : tensor<?x8xf32>
    scan.yield %next : tensor<?x8xf32>
  } -> tensor<?x?x8xf32>, tensor<?x1x8xf32>
  return %h, %last : tensor<?x?x8xf32>, tensor<?x1x8xf32>
}

// Weights for which there is no room: each step reads them once for both indices of a block.
func.func @streamed(%x: tensor<?x2x3xi64>, %h0: tensor<?x1x3xi64>, %u: tensor<40001xi64>) -> tensor<?x2x3xi64> {
  %h = scan.recurrence ins(%x : tensor<?x2x3xi64>) init(%h0 : tensor<?x1x3xi64>) captures(%u : tensor<40001xi64>)
      dim = 1 attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 32, rows = 2>} {
  ^bb0(%t: index, %h1: tensor<?x3xi64>, %row: tensor<?x3xi64>, %w: tensor<40001xi64>):
    %start = arith.subi %row, %h1 : tensor<?x3xi64>
    %next = linalg.generic {
        indexing_maps = [affine_map<(b, j, k) -> (k)>, affine_map<(b, j, k) -> (b, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%w : tensor<40001xi64>) outs(%start : tensor<?x3xi64>) {
    ^bb0(%e: i64, %acc: i64):
      %s = arith.addi %acc, %e : i64
      linalg.yield %s : i64
    } -> tensor<?x3xi64>
    scan.yield %next : tensor<?x3xi64>
  } -> tensor<?x2x3xi64>
  return %h : tensor<?x2x3xi64>
}

// Each head has weights of its own, so that tiles lie along the batch; a batch has a bias of
// its own, which is read in front of the steps; two rows back; an output; the histories with
// the rows of the init. In shared memory, of an integer type.
func.func @heads(%x: tensor<5x?x3x40xi32>, %h0: tensor<5x2x3x40xi32>, %u: tensor<3x40x40xi32>, %b: tensor<5x40xi32>)
    -> (tensor<5x?x3x40xi32>, tensor<5x?x3x40xi1>) {
  %h, %o = scan.recurrence ins(%x : tensor<5x?x3x40xi32>) init(%h0 : tensor<5x2x3x40xi32>)
      captures(%u, %b : tensor<3x40x40xi32>, tensor<5x40xi32>) dim = 1 init_rows
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 32, items = 1, rows = 2>} {
  ^bb0(%t: index, %h1: tensor<5x3x40xi32>, %h2: tensor<5x3x40xi32>, %row: tensor<5x3x40xi32>, %w: tensor<3x40x40xi32>, %bias: tensor<5x40xi32>):
    %start = linalg.generic {
        indexing_maps = [affine_map<(b, n, j) -> (b, n, j)>, affine_map<(b, n, j) -> (b, j)>, affine_map<(b, n, j) -> (b, n, j)>, affine_map<(b, n, j) -> (b, n, j)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%row, %bias, %h2 : tensor<5x3x40xi32>, tensor<5x40xi32>, tensor<5x3x40xi32>) outs(%row : tensor<5x3x40xi32>) {
    ^bb0(%e: i32, %c: i32, %d: i32, %old: i32):
      %f = arith.addi %e, %c : i32
      %g = arith.subi %f, %d : i32
      linalg.yield %g : i32
    } -> tensor<5x3x40xi32>
    %next = linalg.generic {
        indexing_maps = [affine_map<(b, n, j, k) -> (b, n, k)>, affine_map<(b, n, j, k) -> (n, k, j)>, affine_map<(b, n, j, k) -> (b, n, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%h1, %w : tensor<5x3x40xi32>, tensor<3x40x40xi32>) outs(%start : tensor<5x3x40xi32>) {
    ^bb0(%e: i32, %f: i32, %acc: i32):
      %p = arith.muli %e, %f : i32
      %s = arith.addi %acc, %p : i32
      linalg.yield %s : i32
    } -> tensor<5x3x40xi32>
    %isLess = arith.cmpi slt, %next, %h1 : tensor<5x3x40xi32>
    scan.yield %next, %isLess : tensor<5x3x40xi32>, tensor<5x3x40xi1>
  } -> tensor<5x?x3x40xi32>, tensor<5x?x3x40xi1>
  return %h, %o : tensor<5x?x3x40xi32>, tensor<5x?x3x40xi1>
}

// A matrix of each index of the batch (an encoder's states) beside the weights of all; an
// element of the row chosen by an element; rows whose extent is dynamic, in global memory.
func.func @attention(%x: tensor<?x?x?xi32>, %h0: tensor<?x1x?xi32>, %u: tensor<?x?xi32>, %m: tensor<?x?x?xi32>) -> tensor<?x?x?xi32> {
  %h = scan.recurrence ins(%x : tensor<?x?x?xi32>) init(%h0 : tensor<?x1x?xi32>) captures(%u, %m : tensor<?x?xi32>, tensor<?x?x?xi32>)
      dim = 1 attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64, rows = 2>} {
  ^bb0(%t: index, %h1: tensor<?x?xi32>, %row: tensor<?x?xi32>, %w: tensor<?x?xi32>, %memory: tensor<?x?x?xi32>):
    %own = linalg.generic {
        indexing_maps = [affine_map<(b, j, k) -> (b, k)>, affine_map<(b, j, k) -> (b, k, j)>, affine_map<(b, j, k) -> (b, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h1, %memory : tensor<?x?xi32>, tensor<?x?x?xi32>) outs(%row : tensor<?x?xi32>) {
    ^bb0(%e: i32, %f: i32, %acc: i32):
      %p = arith.muli %e, %f : i32
      %s = arith.subi %acc, %p : i32
      linalg.yield %s : i32
    } -> tensor<?x?xi32>
    %next = linalg.matmul ins(%h1, %w : tensor<?x?xi32>, tensor<?x?xi32>) outs(%own : tensor<?x?xi32>) -> tensor<?x?xi32>
    scan.yield %next : tensor<?x?xi32>
  } -> tensor<?x?x?xi32>
  return %h : tensor<?x?x?xi32>
}

// The same matrix of each index, of static extents: in registers, with one copy for each index.
func.func @own(%x: tensor<3x?x6xf64>, %h0: tensor<3x1x6xf64>, %u: tensor<6x6xf64>, %m: tensor<3x5x6xf64>) -> tensor<3x?x6xf64> {
  %h = scan.recurrence ins(%x : tensor<3x?x6xf64>) init(%h0 : tensor<3x1x6xf64>) captures(%u, %m : tensor<6x6xf64>, tensor<3x5x6xf64>)
      dim = 1 attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2, rows = 2>} {
  ^bb0(%t: index, %h1: tensor<3x6xf64>, %row: tensor<3x6xf64>, %w: tensor<6x6xf64>, %memory: tensor<3x5x6xf64>):
    %own = linalg.generic {
        indexing_maps = [affine_map<(b, j, k) -> (b, k, j)>, affine_map<(b, j, k) -> (b, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%memory : tensor<3x5x6xf64>) outs(%row : tensor<3x6xf64>) {
    ^bb0(%e: f64, %acc: f64):
      %s = arith.subf %e, %acc : f64
      linalg.yield %s : f64
    } -> tensor<3x6xf64>
    %next = linalg.matmul ins(%h1, %w : tensor<3x6xf64>, tensor<6x6xf64>) outs(%own : tensor<3x6xf64>) -> tensor<3x6xf64>
    scan.yield %next : tensor<3x6xf64>
  } -> tensor<3x?x6xf64>
  return %h : tensor<3x?x6xf64>
}

// More indices than multiprocessors have blocks, and no schedule: 128 weights of each thread
// leave a multiprocessor room for one block.
func.func @chosen(%x: tensor<600x?x128xf32>, %h0: tensor<600x1x128xf32>, %u: tensor<128x512xf32>, %v: tensor<512x128xf32>) -> tensor<600x?x128xf32> {
  %h = scan.recurrence ins(%x : tensor<600x?x128xf32>) init(%h0 : tensor<600x1x128xf32>) captures(%u, %v : tensor<128x512xf32>, tensor<512x128xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<600x128xf32>, %row: tensor<600x128xf32>, %w: tensor<128x512xf32>, %z: tensor<512x128xf32>):
    %zero = arith.constant dense<0.0> : tensor<600x512xf32>
    %wide = linalg.matmul ins(%h1, %w : tensor<600x128xf32>, tensor<128x512xf32>) outs(%zero : tensor<600x512xf32>) -> tensor<600x512xf32>
    %active = math.absf %wide : tensor<600x512xf32>
    %next = linalg.matmul ins(%active, %z : tensor<600x512xf32>, tensor<512x128xf32>) outs(%row : tensor<600x128xf32>) -> tensor<600x128xf32>
    scan.yield %next : tensor<600x128xf32>
  } -> tensor<600x?x128xf32>
  return %h : tensor<600x?x128xf32>
}

// As many blocks as fit at a time.
func.func @few(%x: tensor<600x?x8xf32>, %h0: tensor<600x1x8xf32>, %u: tensor<8x8xf32>) -> tensor<600x?x8xf32> {
  %h = scan.recurrence ins(%x : tensor<600x?x8xf32>) init(%h0 : tensor<600x1x8xf32>) captures(%u : tensor<8x8xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<600x8xf32>, %row: tensor<600x8xf32>, %w: tensor<8x8xf32>):
    %next = linalg.matmul ins(%h1, %w : tensor<600x8xf32>, tensor<8x8xf32>) outs(%row : tensor<600x8xf32>) -> tensor<600x8xf32>
    scan.yield %next : tensor<600x8xf32>
  } -> tensor<600x?x8xf32>
  return %h : tensor<600x?x8xf32>
}

// Fewer steps than are loaded ahead.
func.func @ahead(%x: tensor<3x2x4xf32>, %init: tensor<3x1x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x2x4xf32> {
  %h = scan.recurrence ins(%x : tensor<3x2x4xf32>) init(%init : tensor<3x1x4xf32>) captures(%w : tensor<4x4xf32>) dim = 1
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 32, items = 3, rows = 2>} {
  ^bb0(%t: index, %h1: tensor<3x4xf32>, %row: tensor<3x4xf32>, %u: tensor<4x4xf32>):
    %s = linalg.matmul ins(%h1, %u : tensor<3x4xf32>, tensor<4x4xf32>) outs(%row : tensor<3x4xf32>) -> tensor<3x4xf32>
    scan.yield %s : tensor<3x4xf32>
  } -> tensor<3x2x4xf32>
  return %h : tensor<3x2x4xf32>
}
