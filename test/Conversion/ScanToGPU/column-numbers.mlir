// Column kernels run on the emulator and agree with the reference interpreter:
// exactly where there is no rounding. Extents of the scan dimension lie below, at
// and above the sizes of tiles, those of the innermost one below, at and above
// what a block has, and are odd and even: then columns are accessed at once.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{tolerance} = 0
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference --tolerance=%{tolerance} %{inputs}

// REDEFINE: %{entry} = affine
// REDEFINE: %{inputs} = --input=random:i32:0x5:1 --input=random:i32:0x5:2 --input=random:i32:5:3 --input=random:i32:5:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:5x0:1 --input=random:i32:5x0:2 --input=random:i32:0:3 --input=random:i32:0:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:1x1:1 --input=random:i32:1x1:2 --input=random:i32:1:3 --input=random:i32:1:4
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:23x16:1 --input=random:i32:23x16:2 --input=random:i32:16:3 --input=random:i32:16:4
// RUN: %{run} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:24x34:1 --input=random:i32:24x34:2 --input=random:i32:34:3 --input=random:i32:34:4
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:25x37:1 --input=random:i32:25x37:2 --input=random:i32:37:3 --input=random:i32:37:4
// RUN: %{run} --seed=3
// REDEFINE: %{inputs} = --input=random:i32:101x18:1 --input=random:i32:101x18:2 --input=random:i32:18:3 --input=random:i32:18:4
// RUN: %{run} --seed=4
// RUN: %{run} --schedule=in-order --resident-blocks=1
// RUN: %{run} --schedule=adversarial
//
// Pointers and strides that are no multiples of an access, though the extents
// are.
// REDEFINE: %{entry} = unaligned
// REDEFINE: %{inputs} = --input=random:i32:2x70x17:1 --input=random:i32:2x70x18:2
// RUN: %{run}
//
// The same where only the kernel knows when it runs: first all is well, then
// the offset is odd, then neighbouring columns are two apart.
// REDEFINE: %{entry} = views
// REDEFINE: %{inputs} = --input=random:i32:60x40:1 --input=random:i1:2:2 --input=random:i1:1:3
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:60x40:1 --input=random:i1:1:2 --input=random:i1:1:3
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:60x40:1 --input=random:i1:2:2 --input=random:i1:2:3
// RUN: %{run}
//
// Of narrow elements single accesses come behind the prefetch of others.
// REDEFINE: %{entry} = narrow
// REDEFINE: %{inputs} = --input=random:i16:101x36:1 --input=random:i16:101x36:2 --input=random:i16:36:3
// RUN: %{run} --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy --seed=5
// REDEFINE: %{inputs} = --input=random:i16:101x35:1 --input=random:i16:101x35:2 --input=random:i16:35:3
// RUN: %{run} --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy --seed=6
// RUN: %{run} --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy --schedule=adversarial
//
// REDEFINE: %{entry} = matrices
// REDEFINE: %{inputs} = --input=random:i64:0x3x2x2:1
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i64:201x3x2x2:1
// RUN: %{run}
//
// REDEFINE: %{entry} = segments
// REDEFINE: %{inputs} = --input=random:i1:2x37x12:1 --input=random:i32:2x37x12:2
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i1:2x300x7:1 --input=random:i32:2x300x7:2
// RUN: %{run}
//
// REDEFINE: %{entry} = parity_of_one
// REDEFINE: %{inputs} = --input=random:i1:300:1
// RUN: %{run}
//
// REDEFINE: %{entry} = argmax
// REDEFINE: %{inputs} = --input=random:f32:333x10:1 --input=random:i64:333x10:2
// RUN: %{run}
//
// REDEFINE: %{entry} = many_warps
// REDEFINE: %{inputs} = --input=random:i16:600x6:1 --input=random:i16:600x6:2
// RUN: %{run}
//
// REDEFINE: %{tolerance} = 2e-2
// REDEFINE: %{entry} = decay
// REDEFINE: %{inputs} = --input=random:bf16:2x130x1:1:0:1 --input=random:bf16:2x130x64:2:0:1
// RUN: %{run}
// REDEFINE: %{tolerance} = 1e-4
// REDEFINE: %{entry} = rotations
// REDEFINE: %{inputs} = --input=random:c64:70x5:1 --input=random:c64:70x5:2
// RUN: %{run}
//
// An elementwise product is fused into the kernel; it divides: what is computed
// for columns and steps that are not there must not.
// REDEFINE: %{tolerance} = 0
// REDEFINE: %{entry} = quotients
// REDEFINE: %{inputs} = --input=random:i32:50x13:1 --input=random:i32:50x13:2:1:9
// RUN: %{run}

// Exclusive, reverse, with inits and final states; operands do not commute.
// Four groups of a warp, two warps.
func.func @affine(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: tensor<?xi32>, %j: tensor<?xi32>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p:4 = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : tensor<?xi32>, tensor<?xi32>) dim = 0 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 3, lanes = 8, vector = 2>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p#0, %p#1, %p#2, %p#3 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}

func.func @unaligned(%a: tensor<2x70x17xi32>, %b: tensor<2x70x18xi32>) -> (tensor<2x70x16xi32>, tensor<2x70x16xi32>) {
  %c = tensor.extract_slice %a[0, 0, 0] [2, 70, 16] [1, 1, 1] : tensor<2x70x17xi32> to tensor<2x70x16xi32>
  %d = tensor.extract_slice %b[0, 0, 1] [2, 70, 16] [1, 1, 1] : tensor<2x70x18xi32> to tensor<2x70x16xi32>
  %p:2 = scan.associative ins(%c, %d : tensor<2x70x16xi32>, tensor<2x70x16xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 4, vector = 2>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  } -> tensor<2x70x16xi32>, tensor<2x70x16xi32>
  return %p#0, %p#1 : tensor<2x70x16xi32>, tensor<2x70x16xi32>
}

// The extents of %o and %s say where the view begins and how far its columns
// are apart.
func.func @views(%a: tensor<?x40xi32>, %o: tensor<?xi1>, %s: tensor<?xi1>) -> tensor<?x16xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x40xi32>
  %offset = tensor.dim %o, %c0 : tensor<?xi1>
  %stride = tensor.dim %s, %c0 : tensor<?xi1>
  %v = tensor.extract_slice %a[0, %offset] [%n, 16] [1, %stride] : tensor<?x40xi32> to tensor<?x16xi32>
  %p = scan.associative ins(%v : tensor<?x16xi32>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 3, lanes = 4, vector = 2>} {
  ^bb0(%x: i32, %y: i32):
    %t = arith.addi %x, %y : i32
    scan.yield %t : i32
  } -> tensor<?x16xi32>
  return %p : tensor<?x16xi32>
}

// Four values per step, 32 bytes in two accesses.
func.func @matrices(%m: tensor<?x3x2x2xi64>) -> (tensor<?x3x2x2xi64>, tensor<3x2x2xi64>) {
  %p:2 = scan.associative ins(%m : tensor<?x3x2x2xi64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 2>} {
  ^bb0(%acc: tensor<2x2xi64>, %new: tensor<2x2xi64>):
    %zero = arith.constant dense<0> : tensor<2x2xi64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xi64>, tensor<2x2xi64>)
                       outs(%zero : tensor<2x2xi64>) -> tensor<2x2xi64>
    scan.yield %c : tensor<2x2xi64>
  } -> tensor<?x3x2x2xi64>, tensor<3x2x2xi64>
  return %p#0, %p#1 : tensor<?x3x2x2xi64>, tensor<3x2x2xi64>
}

// Leaves of two types; a warp has one group.
func.func @segments(%f: tensor<?x?x?xi1>, %x: tensor<?x?x?xi32>) -> (tensor<?x?x?xi1>, tensor<?x?x?xi32>) {
  %p:2 = scan.associative ins(%f, %x : tensor<?x?x?xi1>, tensor<?x?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = column, threads = 128, items = 4, vector = 4>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %g = arith.ori %f0, %f1 : i1
    %s = arith.addi %x0, %x1 : i32
    %r = arith.select %f1, %x1, %s : i32
    scan.yield %g, %r : i1, i32
  } -> tensor<?x?x?xi1>, tensor<?x?x?xi32>
  return %p#0, %p#1 : tensor<?x?x?xi1>, tensor<?x?x?xi32>
}

// One column, which one lane has; one warp.
func.func @parity_of_one(%x: tensor<?xi1>) -> (tensor<?xi1>, tensor<i1>) {
  %p:2 = scan.associative ins(%x : tensor<?xi1>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 5, lanes = 2, vector = 2>} {
  ^bb0(%a: i1, %b: i1):
    %s = arith.xori %a, %b : i1
    scan.yield %s : i1
  } -> tensor<?xi1>, tensor<i1>
  return %p#0, %p#1 : tensor<?xi1>, tensor<i1>
}

// 4-byte and 8-byte elements.
func.func @argmax(%x: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %p:2 = scan.associative ins(%x, %i : tensor<?x?xf32>, tensor<?x?xi64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 96, items = 8, lanes = 16, vector = 2>} {
  ^bb0(%a0: f32, %b0: i64, %a1: f32, %b1: i64):
    %c = arith.cmpf ogt, %a1, %a0 : f32
    %s = arith.select %c, %a1, %a0 : f32
    %t = arith.select %c, %b1, %b0 : i64
    scan.yield %s, %t : f32, i64
  } -> tensor<?x?xf32>, tensor<?x?xi64>
  return %p#0, %p#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

// So many warps and columns that the walk over their totals is a loop.
func.func @many_warps(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>) -> (tensor<?x?xi16>, tensor<?x?xi16>) {
  %p:2 = scan.associative ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi16>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 1024, items = 1, lanes = 4, vector = 4>} {
  ^bb0(%a0: i16, %b0: i16, %a1: i16, %b1: i16):
    %q = arith.muli %a1, %a0 : i16
    %t = arith.muli %a1, %b0 : i16
    %r = arith.addi %t, %b1 : i16
    scan.yield %q, %r : i16, i16
  } -> tensor<?x?xi16>, tensor<?x?xi16>
  return %p#0, %p#1 : tensor<?x?xi16>, tensor<?x?xi16>
}

// Does not commute; backwards, with inits, final states, and more than two tiles.
func.func @narrow(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>, %i: tensor<?xi16>)
    -> (tensor<?x?xi16>, tensor<?x?xi16>, tensor<?xi16>) {
  %p, %q, %fp, %fq = scan.associative ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi16>)
      init(%i, %i : tensor<?xi16>, tensor<?xi16>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 3, lanes = 8, vector = 2>} {
  ^bb0(%a0: i16, %b0: i16, %a1: i16, %b1: i16):
    %x = arith.muli %a0, %a1 : i16
    %m = arith.muli %b0, %a1 : i16
    %y = arith.addi %m, %b1 : i16
    scan.yield %x, %y : i16, i16
  } -> tensor<?x?xi16>, tensor<?x?xi16>, tensor<?xi16>, tensor<?xi16>
  return %p, %q, %fq : tensor<?x?xi16>, tensor<?x?xi16>, tensor<?xi16>
}

// The coefficients are the same for all columns.
func.func @decay(%a: tensor<2x130x1xbf16>, %b: tensor<2x130x64xbf16>) -> (tensor<2x130x64xbf16>, tensor<2x64xbf16>) {
  %h:2 = scan.linear_recurrence ins(%a, %b : tensor<2x130x1xbf16>, tensor<2x130x64xbf16>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, vector = 8>}
      -> tensor<2x130x64xbf16>, tensor<2x64xbf16>
  return %h#0, %h#1 : tensor<2x130x64xbf16>, tensor<2x64xbf16>
}

func.func @rotations(%a: tensor<?x5xcomplex<f32>>, %b: tensor<?x5xcomplex<f32>>) -> tensor<?x5xcomplex<f32>> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x5xcomplex<f32>>, tensor<?x5xcomplex<f32>>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 16>}
      -> tensor<?x5xcomplex<f32>>
  return %h : tensor<?x5xcomplex<f32>>
}

func.func @quotients(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xi32>
  %m = tensor.dim %a, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xi32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %d = arith.divsi %x, %y : i32
    linalg.yield %d : i32
  } -> tensor<?x?xi32>
  %s = scan.associative ins(%q : tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 3, lanes = 8, vector = 1>} {
  ^bb0(%x: i32, %y: i32):
    %d = arith.addi %x, %y : i32
    scan.yield %d : i32
  } -> tensor<?x?xi32>
  return %s : tensor<?x?xi32>
}
