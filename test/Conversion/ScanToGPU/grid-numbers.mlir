// Rows that many blocks share, in the emulator, agree with the interpreter, races
// looked for: flag and state in 8 bytes, in 16, in several words of 16 bytes, and
// apart; tiles of 192 steps,
// few and many (more than 32, which is what a warp looks at together), full and
// partial; few and many blocks side by side, in any order. With one block at
// a time each finds a prefix at once; with many, aggregates.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference %{inputs} --output=%t.0.npy
// DEFINE: %{finals} = --output=%t.1.npy --output=%t.2.npy --output=%t.3.npy
//
// REDEFINE: %{entry} = affine
// REDEFINE: %{inputs} = --input=random:i32:2x0:1 --input=random:i32:2x0:2 --input=random:i32:2:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:0x500:1 --input=random:i32:0x500:2 --input=random:i32:0:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:3x1:1 --input=random:i32:3x1:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:3x191:1 --input=random:i32:3x191:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:3x384:1 --input=random:i32:3x384:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:3x7001:1 --input=random:i32:3x7001:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=3 --resident-blocks=1
// RUN: %{run} %{finals} --seed=4 --resident-blocks=100
// RUN: %{run} %{finals} --schedule=adversarial --resident-blocks=5
// RUN: %{run} %{finals} --schedule=in-order --resident-blocks=40
//
// REDEFINE: %{entry} = sum
// REDEFINE: %{inputs} = --input=random:i32:13441:1
// RUN: %{run} --seed=5 --resident-blocks=80
// RUN: %{run} --schedule=adversarial --resident-blocks=80
//
// REDEFINE: %{entry} = wide
// REDEFINE: %{inputs} = --input=random:i64:2x7001:1 --input=random:i64:2x7001:2
// RUN: %{run} %{finals} --seed=6 --resident-blocks=1
// RUN: %{run} %{finals} --seed=7 --resident-blocks=80
// RUN: %{run} %{finals} --schedule=adversarial --resident-blocks=80
//
// REDEFINE: %{entry} = widest
// REDEFINE: %{inputs} = --input=random:i64:1300x3x2:1 --input=random:i64:1300x3x2:2
// RUN: %{run} --output=%t.1.npy --seed=6 --resident-blocks=3
// RUN: %{run} --output=%t.1.npy --schedule=adversarial --resident-blocks=30
//
// Three tiles are looked at first, as more would be too much for such tiles.
//
// REDEFINE: %{entry} = narrow
// REDEFINE: %{inputs} = --input=random:i32:2x14001:1 --input=random:i32:2x14001:2
// RUN: %{run} --output=%t.1.npy --seed=12 --resident-blocks=1
// RUN: %{run} --output=%t.1.npy --seed=13 --resident-blocks=90
// RUN: %{run} --output=%t.1.npy --schedule=adversarial --resident-blocks=90
// REDEFINE: %{entry} = narrow_fold
// RUN: %{run} --output=%t.1.npy --seed=14 --resident-blocks=1
// RUN: %{run} --output=%t.1.npy --seed=15 --resident-blocks=90
// RUN: %{run} --output=%t.1.npy --schedule=adversarial --resident-blocks=90
//
// REDEFINE: %{entry} = packed
// REDEFINE: %{inputs} = --input=random:i1:2x3000:1 --input=random:i8:2x3000:2 --input=random:i16:2x3000:3
// RUN: %{run} --output=%t.1.npy --output=%t.2.npy --seed=8 --resident-blocks=20
//
// REDEFINE: %{entry} = in_place
// REDEFINE: %{inputs} = --input=random:i32:1000:1
// RUN: %{run} --seed=9 --resident-blocks=6
//
// REDEFINE: %{entry} = small_blocks
// REDEFINE: %{inputs} = --input=random:i32:2x2000:1
// RUN: %{run} --seed=10 --resident-blocks=90
//
// REDEFINE: %{entry} = static
// REDEFINE: %{inputs} = --input=random:i32:2x384:1
// RUN: %{run} --output=%t.1.npy --seed=11

#grid = #scan.schedule<strategy = row, threads = 64, items = 3, scope = grid>

// Does not commute; backwards, exclusive, with inits and final states.
func.func @affine(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: tensor<?xi32>, %j: i32)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p, %q, %fp, %fq = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : tensor<?xi32>, i32) dim = 1 reverse exclusive attributes {schedule = #grid} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %x = arith.muli %a0, %a1 : i32
    %m = arith.muli %b0, %a1 : i32
    %y = arith.addi %m, %b1 : i32
    scan.yield %x, %y : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p, %q, %fp, %fq : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}

func.func @sum(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// The state is larger than 16 bytes. Without an init the first tile has nothing
// before it.
func.func @wide(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>)
    -> (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %p, %q, %fp, %fq = scan.associative ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) dim = 1
      attributes {schedule = #grid} {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %x = arith.muli %a0, %a1 : i64
    %m = arith.muli %b0, %a1 : i64
    %y = arith.addi %m, %b1 : i64
    scan.yield %x, %y : i64, i64
  } -> tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
  return %p, %q, %fp, %fq : tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
}

// The state is larger than eight words of 16 bytes.
func.func @widest(%a: tensor<?x3x2xi64>, %b: tensor<?x3x2xi64>) -> (tensor<?x3x2xi64>, tensor<?x3x2xi64>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?x3x2xi64>, tensor<?x3x2xi64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 1, scope = grid>} {
  ^bb0(%a0: tensor<3x2xi64>, %b0: tensor<3x2xi64>, %a1: tensor<3x2xi64>, %b1: tensor<3x2xi64>):
    %x = arith.muli %a0, %a1 : tensor<3x2xi64>
    %m = arith.muli %b0, %a1 : tensor<3x2xi64>
    %y = arith.addi %m, %b1 : tensor<3x2xi64>
    scan.yield %x, %y : tensor<3x2xi64>, tensor<3x2xi64>
  } -> tensor<?x3x2xi64>, tensor<?x3x2xi64>
  return %p, %q : tensor<?x3x2xi64>, tensor<?x3x2xi64>
}

func.func @narrow(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 5, scope = grid>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %x = arith.muli %a0, %a1 : i32
    %m = arith.muli %b0, %a1 : i32
    %y = arith.addi %m, %b1 : i32
    scan.yield %x, %y : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  return %p, %q : tensor<?x?xi32>, tensor<?x?xi32>
}

func.func @narrow_fold(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 reverse
      attributes {order = #scan.order<deterministic>, schedule = #scan.schedule<strategy = row, threads = 64, items = 8, scope = grid>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %x = arith.muli %a0, %a1 : i32
    %m = arith.muli %b0, %a1 : i32
    %y = arith.addi %m, %b1 : i32
    scan.yield %x, %y : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  return %p, %q : tensor<?x?xi32>, tensor<?x?xi32>
}

// Narrow leaves are packed by their bits, into one word of 8 bytes.
func.func @packed(%a: tensor<?x?xi1>, %b: tensor<?x?xi8>, %c: tensor<?x?xi16>)
    -> (tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>) {
  %p, %q, %r = scan.associative ins(%a, %b, %c : tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>) dim = 1
      attributes {schedule = #grid} {
  ^bb0(%a0: i1, %b0: i8, %c0: i16, %a1: i1, %b1: i8, %c1: i16):
    %x = arith.xori %a0, %a1 : i1
    %y = arith.addi %b0, %b1 : i8
    %z = arith.addi %c0, %c1 : i16
    scan.yield %x, %y, %z : i1, i8, i16
  } -> tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>
  return %p, %q, %r : tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>
}

// The result of the first takes the place of its input, which is a temporary.
func.func @in_place(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  %z = scan.associative ins(%y : tensor<?xi32>) dim = 0 reverse attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.xori %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %z : tensor<?xi32>
}

// One warp, one item: no shared memory but for the carry.
func.func @small_blocks(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1, scope = grid>} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// All tiles are full.
func.func @static(%x: tensor<2x384xi32>) -> (tensor<2x384xi32>, tensor<2xi32>) {
  %y, %f = scan.associative ins(%x : tensor<2x384xi32>) dim = 1 reverse attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<2x384xi32>, tensor<2xi32>
  return %y, %f : tensor<2x384xi32>, tensor<2xi32>
}
