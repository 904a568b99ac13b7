// RUN: scan-opt %s --scan-to-gpu --verify-diagnostics --split-input-file

// A scan in a step.
func.func @scan(%x: tensor<?x4xi64>, %i: tensor<1x4xi64>) -> tensor<?x4xi64> {
  %h = scan.recurrence ins(%x : tensor<?x4xi64>) init(%i : tensor<1x4xi64>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xi64>, %row: tensor<4xi64>):
    // expected-error @+1 {{'scan.kernel' op cannot be computed by a thread block for each step of a scan.recurrence: expected elementwise operations, those of linalg and tensor, branches and loops; compute it outside, or compile the program for the CPU, by --scan-to-cpu (scan-run --target=cpu)}}
    %sums = scan.associative ins(%h1 : tensor<4xi64>) dim = 0 {
    ^bb0(%acc: i64, %new: i64):
      %s = arith.addi %acc, %new : i64
      scan.yield %s : i64
    } -> tensor<4xi64>
    scan.yield %sums : tensor<4xi64>
  } -> tensor<?x4xi64>
  return %h : tensor<?x4xi64>
}

// -----

// A buffer whose extent only a step knows.
func.func @extent(%x: tensor<?x4xi64>, %i: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %h = scan.recurrence ins(%x : tensor<?x4xi64>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xf32>, %row: tensor<4xi64>):
    %c0 = arith.constant 0 : index
    %e = tensor.extract %row[%c0] : tensor<4xi64>
    %n = arith.index_cast %e : i64 to index
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{'memref.alloc' op cannot be made in front of a kernel: expected the extents of rows to be known before the first step of a scan.recurrence; give them static extents, or compile the program for the CPU, by --scan-to-cpu}}
    %part = tensor.splat %z[%n] : tensor<?xf32>
    %s = tensor.insert_slice %part into %h1[0] [%n] [1] : tensor<?xf32> into tensor<4xf32>
    scan.yield %s : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// -----

// A branch with a division, which must not be computed where it is not taken.
func.func @branch(%x: tensor<?x4xi32>, %i: tensor<1x4xi32>) -> tensor<?x4xi32> {
  %h = scan.recurrence ins(%x : tensor<?x4xi32>) init(%i : tensor<1x4xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %e = tensor.extract %row[%c0] : tensor<4xi32>
    %c = arith.cmpi slt, %e, %zero : i32
    // expected-error @+1 {{'scf.if' op cannot be computed by a thread block for each step of a scan.recurrence: expected a branch whose sides can both be computed, or a counted loop, found one that decides where a tensor is; choose elements by arith.select, or compile the program for the CPU, by --scan-to-cpu (scan-run --target=cpu)}}
    %s = scf.if %c -> tensor<4xi32> {
      %q = arith.divsi %h1, %row : tensor<4xi32>
      scf.yield %q : tensor<4xi32>
    } else {
      scf.yield %row : tensor<4xi32>
    }
    scan.yield %s : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %h : tensor<?x4xi32>
}

// -----

func.func @while(%x: tensor<?x4xi32>, %i: tensor<1x4xi32>) -> tensor<?x4xi32> {
  %h = scan.recurrence ins(%x : tensor<?x4xi32>) init(%i : tensor<1x4xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %e = tensor.extract %row[%c0] : tensor<4xi32>
    // expected-error @+1 {{'scf.while' op cannot be part of a thread block's step: expected operations of linalg, copies, loads and stores, and branches and counted loops that write tensors of static extents; compute it outside, or compile the program for the CPU, by --scan-to-cpu (scan-run --target=cpu)}}
    %w = scf.while (%a = %e) : (i32) -> i32 {
      %c = arith.cmpi slt, %a, %zero : i32
      scf.condition(%c) %a : i32
    } do {
    ^bb0(%b: i32):
      %n = arith.shrsi %b, %b : i32
      scf.yield %n : i32
    }
    %all = tensor.splat %w : tensor<4xi32>
    scan.yield %all : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %h : tensor<?x4xi32>
}

// -----

// A loop of one thread over flags, which lie in shared memory as bytes.
func.func @flags(%x: tensor<?x4xi1>, %i: tensor<1x4xi1>) -> tensor<?x4xi1> {
  %h = scan.recurrence ins(%x : tensor<?x4xi1>) init(%i : tensor<1x4xi1>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xi1>, %row: tensor<4xi1>):
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{'scf.for' op cannot be done by one thread of a block: expected loops and branches that read and write elements of rows of numbers, found slices in one, or a row of flags (i1); take slices in front of it and extend flags by arith.extui, or compile the program for the CPU, by --scan-to-cpu (scan-run --target=cpu)}}
    %r = scf.for %j = %c1 to %c4 step %c1 iter_args(%s = %h1) -> tensor<4xi1> {
      %before = arith.subi %j, %c1 : index
      %left = tensor.extract %s[%before] : tensor<4xi1>
      %e = tensor.extract %row[%j] : tensor<4xi1>
      %o = arith.xori %left, %e : i1
      %n = tensor.insert %o into %s[%j] : tensor<4xi1>
      scf.yield %n : tensor<4xi1>
    }
    scan.yield %r : tensor<4xi1>
  } -> tensor<?x4xi1>
  return %h : tensor<?x4xi1>
}

// -----

// Schedules that would change the order of the steps, or that nothing follows.
func.func @row(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  // expected-error @+1 {{'scan.recurrence' op expected scan.schedule to be a schedule of the strategy sequential, such as #scan.schedule<strategy = sequential, threads = 256>, or of the strategy row with as many rows as threads, found #scan.schedule<strategy = row, threads = 64>: its steps have one order, since --scan-raise-recurrence makes no scan of them (its remarks say why)}}
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = row, threads = 64>} {
  ^bb0(%t: index, %h1: tensor<5xf32>, %row: tensor<5xf32>):
    %f = math.tanh %h1 : tensor<5xf32>
    %s = arith.addf %f, %row : tensor<5xf32>
    scan.yield %s : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}

// -----

func.func @blocks(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  // expected-error @+1 {{'scan.recurrence' op expected items for which there are registers: 0 of each of 1024 threads, found 2, the elements of 1 inputs for as many steps ahead, which take 2; lower items or threads}}
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 1024, items = 2>} {
  ^bb0(%t: index, %h1: tensor<5xf32>, %row: tensor<5xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0] : tensor<5xf32>
    %all = tensor.splat %first : tensor<5xf32>
    %s = arith.addf %all, %row : tensor<5xf32>
    scan.yield %s : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}

// -----

func.func @lanes(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  // expected-error @+1 {{'scan.recurrence' op expected no lanes in the schedule of a recurrence, found 16: threads may not share what a step computes in order}}
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64, items = 2, lanes = 16>} {
  ^bb0(%t: index, %h1: tensor<5xf32>, %row: tensor<5xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0] : tensor<5xf32>
    %all = tensor.splat %first : tensor<5xf32>
    %s = arith.addf %all, %row : tensor<5xf32>
    scan.yield %s : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}

// -----

func.func @many_rows(%x: tensor<3x9x4xf32>, %init: tensor<3x1x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x9x4xf32> {
  // expected-error @+1 {{'scan.recurrence' op expected at most 16 rows, the code for all of which is unrolled, found 32}}
  %h = scan.recurrence ins(%x : tensor<3x9x4xf32>) init(%init : tensor<3x1x4xf32>) captures(%w : tensor<4x4xf32>) dim = 1
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64, rows = 32>} {
  ^bb0(%t: index, %h1: tensor<3x4xf32>, %row: tensor<3x4xf32>, %u: tensor<4x4xf32>):
    %s = linalg.matmul ins(%h1, %u : tensor<3x4xf32>, tensor<4x4xf32>) outs(%row : tensor<3x4xf32>) -> tensor<3x4xf32>
    scan.yield %s : tensor<3x4xf32>
  } -> tensor<3x9x4xf32>
  return %h : tensor<3x9x4xf32>
}

// -----

func.func @ahead(%x: tensor<3x9x4xf32>, %init: tensor<3x1x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x9x4xf32> {
  // expected-error @+1 {{'scan.recurrence' op expected items for which there are registers: 8 of each of 512 threads, found 9, the elements of 1 inputs for as many steps ahead of 8 rows, which take 72; lower items, rows or threads}}
  %h = scan.recurrence ins(%x : tensor<3x9x4xf32>) init(%init : tensor<3x1x4xf32>) captures(%w : tensor<4x4xf32>) dim = 1
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 512, items = 9, rows = 8>} {
  ^bb0(%t: index, %h1: tensor<3x4xf32>, %row: tensor<3x4xf32>, %u: tensor<4x4xf32>):
    %s = linalg.matmul ins(%h1, %u : tensor<3x4xf32>, tensor<4x4xf32>) outs(%row : tensor<3x4xf32>) -> tensor<3x4xf32>
    scan.yield %s : tensor<3x4xf32>
  } -> tensor<3x9x4xf32>
  return %h : tensor<3x9x4xf32>
}

// -----

func.func @fewer(%x: tensor<3x9x4xf32>, %init: tensor<3x1x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x9x4xf32> {
  // expected-error @+1 {{'scf.forall' op cannot have thread blocks with rows = 4 of the schedule of a scan.recurrence: expected at most 3, the indices of the dimensions that no step reads across and the weights do not have}}
  %h = scan.recurrence ins(%x : tensor<3x9x4xf32>) init(%init : tensor<3x1x4xf32>) captures(%w : tensor<4x4xf32>) dim = 1
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 32, rows = 4>} {
  ^bb0(%t: index, %h1: tensor<3x4xf32>, %row: tensor<3x4xf32>, %u: tensor<4x4xf32>):
    %s = linalg.matmul ins(%h1, %u : tensor<3x4xf32>, tensor<4x4xf32>) outs(%row : tensor<3x4xf32>) -> tensor<3x4xf32>
    scan.yield %s : tensor<3x4xf32>
  } -> tensor<3x9x4xf32>
  return %h : tensor<3x9x4xf32>
}

// -----

// Threads that have a lane each know no tiles.
func.func @lane_rows(%x: tensor<9x5xf32>, %init: tensor<1x5xf32>) -> tensor<9x5xf32> {
  // expected-error @+1 {{op expected a schedule that a GPU kernel can follow, found blocks of 2 rows with the strategy sequential, whose threads have a lane each, which is not supported; use one row}}
  %h = scan.recurrence ins(%x : tensor<9x5xf32>) init(%init : tensor<1x5xf32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 64, rows = 2>} {
  ^bb0(%t: index, %h1: tensor<5xf32>, %row: tensor<5xf32>):
    %f = math.tanh %h1 : tensor<5xf32>
    %s = arith.addf %f, %row : tensor<5xf32>
    scan.yield %s : tensor<5xf32>
  } -> tensor<9x5xf32>
  return %h : tensor<9x5xf32>
}

// -----

// A loop in a step, which launches have no place for.
func.func @launches(%x: tensor<?x17xi32>, %i: tensor<1x17xi32>) -> tensor<?x17xi32> {
  %h = scan.recurrence ins(%x : tensor<?x17xi32>) init(%i : tensor<1x17xi32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<17xi32>, %row: tensor<17xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c17 = arith.constant 17 : index
    // expected-error @+1 {{'scf.for' op cannot be computed by launches for each step of a scan.recurrence: expected operations of linalg and tensor and scalar code, short loops, and branches both sides of which can be computed, found a loop of more than 16 iterations, or of as many as only a run tells; give the recurrence a #scan.schedule<strategy = sequential>, for thread blocks that compute whole rows, or compile the program for the CPU, by --scan-to-cpu (scan-run --target=cpu)}}
    %s = scf.for %l = %c0 to %c17 step %c1 iter_args(%r = %row) -> (tensor<17xi32>) {
      %e = tensor.extract %h1[%l] : tensor<17xi32>
      %n = tensor.insert %e into %r[%l] : tensor<17xi32>
      scf.yield %n : tensor<17xi32>
    }
    scan.yield %s : tensor<17xi32>
  } -> tensor<?x17xi32>
  return %h : tensor<?x17xi32>
}

// -----

// A branch with a division, which must not be computed where it is not taken; and a loop that
// only ends by what it computes.
func.func @launches_branch(%x: tensor<?x4xi32>, %i: tensor<1x4xi32>) -> tensor<?x4xi32> {
  %h = scan.recurrence ins(%x : tensor<?x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %e = tensor.extract %row[%c0] : tensor<4xi32>
    %c = arith.cmpi ne, %e, %zero : i32
    // expected-error @+1 {{expected operations of linalg and tensor and scalar code, short loops, and branches both sides of which can be computed, found a branch whose sides cannot both be computed; give the recurrence}}
    %s = scf.if %c -> i32 {
      %q = arith.divsi %zero, %e : i32
      scf.yield %q : i32
    } else {
      scf.yield %e : i32
    }
    %all = tensor.splat %s : tensor<4xi32>
    %next = arith.subi %h1, %all : tensor<4xi32>
    scan.yield %next : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %h : tensor<?x4xi32>
}

// -----

func.func @launches_while(%x: tensor<?x4xi32>, %i: tensor<1x4xi32>) -> tensor<?x4xi32> {
  %h = scan.recurrence ins(%x : tensor<?x4xi32>) init(%i : tensor<1x4xi32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %e = tensor.extract %row[%c0] : tensor<4xi32>
    // expected-error @+1 {{branches both sides of which can be computed, found 'scf.while'; give the recurrence}}
    %w = scf.while (%a = %e) : (i32) -> i32 {
      %c = arith.cmpi slt, %a, %zero : i32
      scf.condition(%c) %a : i32
    } do {
    ^bb0(%b: i32):
      %n = arith.shrsi %b, %b : i32
      scf.yield %n : i32
    }
    %all = tensor.splat %w : tensor<4xi32>
    scan.yield %all : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %h : tensor<?x4xi32>
}
