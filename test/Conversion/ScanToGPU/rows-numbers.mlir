// Rows whose tiles go through shared memory in vectors, one or several to a
// block, run on the emulator with its race detector and agree with the reference
// interpreter, integers bit for bit: extents shorter than, as long as and longer than the
// tile, multiples of a vector and odd ones, rows that fill the last block and
// ones that do not.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference %{inputs}

// Tiles of 64 steps of eight rows. Non-commutative, reverse, exclusive, init and
// finals.
//
// REDEFINE: %{entry} = affine
// REDEFINE: %{inputs} = --input=random:i32:9x63:1 --input=random:i32:9x63:2 --input=random:i32:9:3 --input=random:i32:9:4
// RUN: %{run} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:16x64:1 --input=random:i32:16x64:2 --input=random:i32:16:3 --input=random:i32:16:4
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:7x132:1 --input=random:i32:7x132:2 --input=random:i32:7:3 --input=random:i32:7:4
// RUN: %{run} --seed=3
// RUN: %{run} --schedule=adversarial --resident-blocks=1
// REDEFINE: %{inputs} = --input=random:i32:3x0:1 --input=random:i32:3x0:2 --input=random:i32:3:3 --input=random:i32:3:4
// RUN: %{run}
//
// A row for each thread; rows of two warps; both of 16-bit numbers, of which a
// chunk holds eight.
// REDEFINE: %{entry} = of_a_thread
// REDEFINE: %{inputs} = --input=random:i16:70x11:1
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i16:3x16:1
// RUN: %{run}
// REDEFINE: %{entry} = of_two_warps
// REDEFINE: %{inputs} = --input=random:i16:5x700:1
// RUN: %{run} --seed=4
// REDEFINE: %{inputs} = --input=random:i16:4x1024:1
// RUN: %{run} --seed=5
//
// Views that begin and end anywhere: rows that are not aligned, and some that
// are (a row of 16 elements begins at every fourth of 17).
// REDEFINE: %{entry} = view
// REDEFINE: %{inputs} = --input=random:i32:9x264:1
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:11x21:1
// RUN: %{run}
// REDEFINE: %{entry} = view_of_one
// REDEFINE: %{inputs} = --input=random:i32:9x581:1
// RUN: %{run}
//
// Outputs in the place of inputs.
// REDEFINE: %{entry} = in_place
// REDEFINE: %{inputs} = --input=random:i32:6x100:1 --input=random:i32:6:2
// RUN: %{run} --seed=6
// REDEFINE: %{inputs} = --input=random:i32:6x31:1 --input=random:i32:6:2
// RUN: %{run} --schedule=adversarial
//
// Flags, which are bytes there, and complex numbers.
// REDEFINE: %{entry} = mixed
// REDEFINE: %{inputs} = --input=random:i1:5x77:1 --input=random:i32:5x77:2
// RUN: %{run}
// REDEFINE: %{entry} = complex
// REDEFINE: %{inputs} = '--input=random:complex<f32>:5x77:1' --tolerance=1e-4
// RUN: %{run}
// REDEFINE: %{inputs} = '--input=random:complex<f32>:4x32:1' --tolerance=1e-4
// RUN: %{run}
//
// Elements of 2x2 matrices, of which a tile has more than is prefetched: one loop walks
// full and partial tiles. Rows of one warp and of two, alone and two to a block; reverse;
// exclusive, with an init, and finals, also where the last tile is full and where there is
// none.
// REDEFINE: %{entry} = matrices
// REDEFINE: %{inputs} = --input=random:i32:3x331x2x2:1:-2:2
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:2x256x2x2:1:-2:2
// RUN: %{run} --schedule=adversarial
// REDEFINE: %{inputs} = --input=random:i32:3x5x2x2:1:-2:2
// RUN: %{run} --seed=7
// REDEFINE: %{inputs} = --input=random:i32:3x0x2x2:1:-2:2
// RUN: %{run}
//
// Nothing is divided by what lies beyond the end.
// REDEFINE: %{entry} = quotients
// REDEFINE: %{inputs} = --input=random:i32:5x77:1:1:100
// RUN: %{run}
// REDEFINE: %{entry} = quotients_of_rows
// RUN: %{run}
// REDEFINE: %{inputs} = --input=random:i32:6x3:1:1:100
// RUN: %{run}

#rt = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

func.func @affine(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: tensor<?xi32>, %j: tensor<?xi32>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p:4 = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : tensor<?xi32>, tensor<?xi32>) dim = 1 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, rows = 8>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %q = arith.muli %a1, %a0 : i32
    %t = arith.muli %a1, %b0 : i32
    %r = arith.addi %t, %b1 : i32
    scan.yield %q, %r : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p#0, %p#1, %p#2, %p#3 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}

func.func @matrices(%m: tensor<?x?x2x2xi32>)
    -> (tensor<?x?x2x2xi32>, tensor<?x?x2x2xi32>, tensor<?x2x2xi32>, tensor<?x?x2x2xi32>) {
  %init = arith.constant dense<[[1, 2], [-1, 1]]> : tensor<2x2xi32>
  %y = scan.associative ins(%m : tensor<?x?x2x2xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 8>} {
  ^bb0(%m0: tensor<2x2xi32>, %m1: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %r = linalg.matmul ins(%m0, %m1 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x?x2x2xi32>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %m, %c0 : tensor<?x?x2x2xi32>
  %empty = tensor.empty(%rows) : tensor<?x2x2xi32>
  %inits = linalg.broadcast ins(%init : tensor<2x2xi32>) outs(%empty : tensor<?x2x2xi32>) dimensions = [0]
  %e:2 = scan.associative ins(%m : tensor<?x?x2x2xi32>) init(%inits : tensor<?x2x2xi32>) dim = 1 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8>} {
  ^bb0(%m0: tensor<2x2xi32>, %m1: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %r = linalg.matmul ins(%m0, %m1 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x?x2x2xi32>, tensor<?x2x2xi32>
  %t = scan.associative ins(%m : tensor<?x?x2x2xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 8, rows = 2>} {
  ^bb0(%m0: tensor<2x2xi32>, %m1: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %r = linalg.matmul ins(%m0, %m1 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %r : tensor<2x2xi32>
  } -> tensor<?x?x2x2xi32>
  return %y, %e#0, %e#1, %t : tensor<?x?x2x2xi32>, tensor<?x?x2x2xi32>, tensor<?x2x2xi32>, tensor<?x?x2x2xi32>
}

func.func @of_a_thread(%x: tensor<?x?xi16>) -> (tensor<?x?xi16>, tensor<?xi16>) {
  %p:2 = scan.associative ins(%x : tensor<?x?xi16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 8, rows = 32>} {
  ^bb0(%acc: i16, %new: i16):
    %r = arith.addi %acc, %new : i16
    scan.yield %r : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  return %p#0, %p#1 : tensor<?x?xi16>, tensor<?xi16>
}

func.func @of_two_warps(%x: tensor<?x?xi16>) -> (tensor<?x?xi16>, tensor<?xi16>) {
  %p:2 = scan.associative ins(%x : tensor<?x?xi16>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 8, rows = 2>} {
  ^bb0(%acc: i16, %new: i16):
    %r = arith.addi %acc, %new : i16
    scan.yield %r : i16
  } -> tensor<?x?xi16>, tensor<?xi16>
  return %p#0, %p#1 : tensor<?x?xi16>, tensor<?xi16>
}

func.func @view(%x: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xi32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xi32>
  %n = arith.subi %d0, %c2 : index
  %t = arith.subi %d1, %c5 : index
  %s = tensor.extract_slice %x[1, 3] [%n, %t] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %p:2 = scan.associative ins(%s : tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, rows = 4>} {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>, tensor<?xi32>
  return %p#0, %p#1 : tensor<?x?xi32>, tensor<?xi32>
}

func.func @view_of_one(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xi32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xi32>
  %n = arith.subi %d0, %c2 : index
  %t = arith.subi %d1, %c5 : index
  %s = tensor.extract_slice %x[1, 3] [%n, %t] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %p = scan.associative ins(%s : tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}

func.func @in_place(%x: tensor<?x?xi32>, %i: tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %y = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>
  %j = scan.associative ins(%i : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %r = arith.addi %acc, %new : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  %k:2 = scan.kernel dim = 1 ins(%y : tensor<?x?xi32>) init(%j : tensor<?xi32>)
      outs(%y : tensor<?x?xi32>) finals(%j : tensor<?xi32>)
      maps [#rt, #r, #rt, #r]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, rows = 4>}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } initialize {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %r = arith.addi %acc, %new : i32
        scan.yield %r : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } finalize {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } -> tensor<?x?xi32>, tensor<?xi32>
  return %k#0, %k#1 : tensor<?x?xi32>, tensor<?xi32>
}

func.func @mixed(%f: tensor<?x?xi1>, %x: tensor<?x?xi32>) -> (tensor<?x?xi1>, tensor<?x?xi32>) {
  %p:2 = scan.associative ins(%f, %x : tensor<?x?xi1>, tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 16, rows = 16>} {
  ^bb0(%f0: i1, %x0: i32, %f1: i1, %x1: i32):
    %f2 = arith.ori %f0, %f1 : i1
    %s = arith.addi %x0, %x1 : i32
    %r = arith.select %f1, %x1, %s : i32
    scan.yield %f2, %r : i1, i32
  } -> tensor<?x?xi1>, tensor<?x?xi32>
  return %p#0, %p#1 : tensor<?x?xi1>, tensor<?x?xi32>
}

func.func @complex(%x: tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %p = scan.associative ins(%x : tensor<?x?xcomplex<f32>>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, rows = 8>} {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %r = complex.add %acc, %new : complex<f32>
    scan.yield %r : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  return %p : tensor<?x?xcomplex<f32>>
}

func.func @quotients(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %k = scan.kernel dim = 1 ins(%x : tensor<?x?xi32>) outs(%x : tensor<?x?xi32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>}
      load {
      ^bb0(%e: i32):
        %t = arith.constant 1000 : i32
        %q = arith.divsi %t, %e : i32
        scan.yield %q : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %r = arith.addi %acc, %new : i32
        scan.yield %r : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } -> tensor<?x?xi32>
  return %k : tensor<?x?xi32>
}

func.func @quotients_of_rows(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %k = scan.kernel dim = 1 ins(%x : tensor<?x?xi32>) outs(%x : tensor<?x?xi32>)
      maps [#rt, #rt]
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, rows = 4>}
      load {
      ^bb0(%e: i32):
        %t = arith.constant 1000 : i32
        %q = arith.divsi %t, %e : i32
        scan.yield %q : i32
      } combine {
      ^bb0(%acc: i32, %new: i32):
        %r = arith.addi %acc, %new : i32
        scan.yield %r : i32
      } store {
      ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
        scan.yield %inclusive : i32
      } -> tensor<?x?xi32>
  return %k : tensor<?x?xi32>
}
