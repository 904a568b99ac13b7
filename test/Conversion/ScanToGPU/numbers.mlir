// The kernels of both strategies run on the emulator and agree with the
// reference interpreter: exactly where there is no rounding. Extents lie below,
// at and above the sizes of warps, chunks and tiles. The emulator draws the
// order of the threads from the seed.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{tolerance} = 0
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference --tolerance=%{tolerance} %{inputs}

// REDEFINE: %{entry} = affine_row
// REDEFINE: %{inputs} = --input=random:i32:2x0:1 --input=random:i32:2x0:2 --input=random:i32:2:3 --input=random:i32:2:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:3x1:1 --input=random:i32:3x1:2 --input=random:i32:3:3 --input=random:i32:3:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:3x33:1 --input=random:i32:3x33:2 --input=random:i32:3:3 --input=random:i32:3:4
// RUN: %{run} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:3x192:1 --input=random:i32:3x192:2 --input=random:i32:3:3 --input=random:i32:3:4
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:3x1000:1 --input=random:i32:3x1000:2 --input=random:i32:3:3 --input=random:i32:3:4
// RUN: %{run} --seed=3
// RUN: %{run} --schedule=in-order --resident-blocks=1
// REDEFINE: %{inputs} = --input=random:i32:0x5:1 --input=random:i32:0x5:2 --input=random:i32:0:3 --input=random:i32:0:4
// RUN: %{run}
//
// REDEFINE: %{entry} = affine_sequential
// REDEFINE: %{inputs} = --input=random:i32:0x37:1 --input=random:i32:0x37:2 --input=random:i32:37:3 --input=random:i32:37:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:3x37:1 --input=random:i32:3x37:2 --input=random:i32:37:3 --input=random:i32:37:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:8x37:1 --input=random:i32:8x37:2 --input=random:i32:37:3 --input=random:i32:37:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:101x37:1 --input=random:i32:101x37:2 --input=random:i32:37:3 --input=random:i32:37:4
// RUN: %{run}
//
// REDEFINE: %{entry} = matrices
// REDEFINE: %{inputs} = --input=random:i64:0x2x2:1
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i64:2x2x2:1
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i64:64x2x2:1
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i64:201x2x2:1
// RUN: %{run}
//
// REDEFINE: %{entry} = segments
// REDEFINE: %{inputs} = --input=random:i1:2x5x3:1 --input=random:i32:2x5x3:2
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i1:2x700x3:1 --input=random:i32:2x700x3:2
// RUN: %{run}
//
// REDEFINE: %{entry} = parity_of_many_warps
// REDEFINE: %{inputs} = --input=random:i1:2100:1
// RUN: %{run}
//
// REDEFINE: %{entry} = argmax
// REDEFINE: %{inputs} = --input=random:f32:2x333:1 --input=random:i64:2x333:2
// RUN: %{run}
//
// REDEFINE: %{tolerance} = 1e-2
// REDEFINE: %{entry} = sum_of_halves
// REDEFINE: %{inputs} = --input=random:bf16:3x1000:1:0:1
// RUN: %{run}
// REDEFINE: %{tolerance} = 1e-4
// REDEFINE: %{entry} = rotations
// REDEFINE: %{inputs} = --input=random:c64:3x70:1 --input=random:c64:3x70:2
// RUN: %{run}

// Exclusive, reverse, with inits and final states; operands do not commute.
func.func @affine_row(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: tensor<?xi32>, %j: tensor<?xi32>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p:4 = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : tensor<?xi32>, tensor<?xi32>) dim = 1 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p#0, %p#1, %p#2, %p#3 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}

func.func @affine_sequential(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: tensor<?xi32>, %j: tensor<?xi32>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p:4 = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : tensor<?xi32>, tensor<?xi32>) dim = 0 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p#0, %p#1, %p#2, %p#3 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}

// One warp, four values per step, transposed through shared memory.
func.func @matrices(%m: tensor<?x2x2xi64>) -> (tensor<?x2x2xi64>, tensor<2x2xi64>) {
  %p:2 = scan.associative ins(%m : tensor<?x2x2xi64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>} {
  ^bb0(%acc: tensor<2x2xi64>, %new: tensor<2x2xi64>):
    %zero = arith.constant dense<0> : tensor<2x2xi64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xi64>, tensor<2x2xi64>)
                       outs(%zero : tensor<2x2xi64>) -> tensor<2x2xi64>
    scan.yield %c : tensor<2x2xi64>
  } -> tensor<?x2x2xi64>, tensor<2x2xi64>
  return %p#0, %p#1 : tensor<?x2x2xi64>, tensor<2x2xi64>
}

// Leaves of two types along a dimension that is not contiguous.
func.func @segments(%f: tensor<?x?x?xi1>, %x: tensor<?x?x?xi32>) -> (tensor<?x?x?xi1>, tensor<?x?x?xi32>) {
  %p:2 = scan.associative ins(%f, %x : tensor<?x?x?xi1>, tensor<?x?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 4>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %g = arith.ori %f0, %f1 : i1
    %s = arith.addi %x0, %x1 : i32
    %r = arith.select %f1, %x1, %s : i32
    scan.yield %g, %r : i1, i32
  } -> tensor<?x?x?xi1>, tensor<?x?x?xi32>
  return %p#0, %p#1 : tensor<?x?x?xi1>, tensor<?x?x?xi32>
}

func.func @parity_of_many_warps(%x: tensor<?xi1>) -> tensor<?xi1> {
  %y = scan.associative ins(%x : tensor<?xi1>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 1024>} {
  ^bb0(%a: i1, %b: i1):
    %r = arith.xori %a, %b : i1
    scan.yield %r : i1
  } -> tensor<?xi1>
  return %y : tensor<?xi1>
}

// Control flow in the combine region; a number of items that is no power of two.
func.func @argmax(%x: tensor<?x?xf32>, %at: tensor<?x?xi64>) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %p:2 = scan.associative ins(%x, %at : tensor<?x?xf32>, tensor<?x?xi64>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 96, items = 5>} {
  ^bb0(%x0: f32, %i0: i64, %x1: f32, %i1: i64):
    %greater = arith.cmpf ogt, %x1, %x0 : f32
    %r:2 = scf.if %greater -> (f32, i64) {
      scf.yield %x1, %i1 : f32, i64
    } else {
      scf.yield %x0, %i0 : f32, i64
    }
    scan.yield %r#0, %r#1 : f32, i64
  } -> tensor<?x?xf32>, tensor<?x?xi64>
  return %p#0, %p#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

func.func @sum_of_halves(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.addf %a, %b : bf16
    scan.yield %s : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @rotations(%a: tensor<?x?xcomplex<f32>>, %b: tensor<?x?xcomplex<f32>>)
    -> (tensor<?x?xcomplex<f32>>, tensor<?xcomplex<f32>>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 32>}
      -> tensor<?x?xcomplex<f32>>, tensor<?xcomplex<f32>>
  return %h, %last : tensor<?x?xcomplex<f32>>, tensor<?xcomplex<f32>>
}
