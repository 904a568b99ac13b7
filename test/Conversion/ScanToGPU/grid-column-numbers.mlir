// Columns that many blocks share, in the emulator, agree with the interpreter, races
// looked for: flag and state in 8 bytes, in 16, and apart; one tile of a column at
// a time, two, four or eight looked at together; few and many tiles, full and partial,
// columns that are not there; few and many blocks side by side, in any order. With
// one block at a time each finds prefixes at once; with many, aggregates.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference %{inputs} --output=%t.0.npy
// DEFINE: %{finals} = --output=%t.1.npy --output=%t.2.npy --output=%t.3.npy
//
// REDEFINE: %{entry} = affine
// REDEFINE: %{inputs} = --input=random:i32:2x0x37:1 --input=random:i32:2x0x37:2 --input=random:i32:2x37:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:2x50x0:1 --input=random:i32:2x50x0:2 --input=random:i32:2x0:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:2x1x37:1 --input=random:i32:2x1x37:2 --input=random:i32:2x37:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:2x12x16:1 --input=random:i32:2x12x16:2 --input=random:i32:2x16:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:2x301x37:1 --input=random:i32:2x301x37:2 --input=random:i32:2x37:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=1 --resident-blocks=1
// RUN: %{run} %{finals} --seed=2 --resident-blocks=40
// RUN: %{run} %{finals} --schedule=adversarial --resident-blocks=7
// RUN: %{run} %{finals} --schedule=in-order --resident-blocks=30
//
// REDEFINE: %{entry} = wide
// REDEFINE: %{inputs} = --input=random:i64:200x64:1 --input=random:i64:200x64:2
// RUN: %{run} %{finals} --seed=3 --resident-blocks=1
// RUN: %{run} %{finals} --seed=4 --resident-blocks=30
// REDEFINE: %{inputs} = --input=random:i64:200x63:1 --input=random:i64:200x63:2
// RUN: %{run} %{finals} --schedule=adversarial --resident-blocks=30
//
// REDEFINE: %{entry} = sum
// REDEFINE: %{inputs} = --input=random:i32:601x16:1
// RUN: %{run} --seed=5 --resident-blocks=80
// RUN: %{run} --schedule=adversarial --resident-blocks=80
//
// Fewer columns than a block has, with and without vectors.
// REDEFINE: %{inputs} = --input=random:i32:601x1:1
// RUN: %{run} --seed=6 --resident-blocks=30
// REDEFINE: %{inputs} = --input=random:i32:601x6:1
// RUN: %{run} --seed=7 --resident-blocks=30
// REDEFINE: %{inputs} = --input=random:i32:601x11:1
// RUN: %{run} --schedule=adversarial --resident-blocks=30
// REDEFINE: %{entry} = affine
// REDEFINE: %{inputs} = --input=random:i32:3x301x2:1 --input=random:i32:3x301x2:2 --input=random:i32:3x2:3 --input=const:i32::7
// RUN: %{run} %{finals} --schedule=adversarial --resident-blocks=20
//
// REDEFINE: %{entry} = packed
// REDEFINE: %{inputs} = --input=random:i1:300x40:1 --input=random:i8:300x40:2 --input=random:i16:300x40:3
// RUN: %{run} --output=%t.1.npy --output=%t.2.npy --seed=6 --resident-blocks=20
//
// REDEFINE: %{entry} = in_place
// REDEFINE: %{inputs} = --input=random:i32:101x33:1
// RUN: %{run} --seed=7 --resident-blocks=6
//
// REDEFINE: %{entry} = deterministic
// REDEFINE: %{inputs} = --input=random:i32:260x40:1 --input=random:i32:260x40:2
// RUN: %{run} --output=%t.1.npy --seed=8 --resident-blocks=50
// RUN: %{run} --output=%t.1.npy --schedule=adversarial --resident-blocks=20
//
// REDEFINE: %{entry} = static
// REDEFINE: %{inputs} = --input=random:i32:96x64:1
// RUN: %{run} --output=%t.1.npy --seed=9

// Does not commute; backwards, exclusive, with inits and final states.
func.func @affine(%a: tensor<?x?x?xi32>, %b: tensor<?x?x?xi32>, %i: tensor<?x?xi32>, %j: i32)
    -> (tensor<?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %p, %q, %fp, %fq = scan.associative ins(%a, %b : tensor<?x?x?xi32>, tensor<?x?x?xi32>)
      init(%i, %j : tensor<?x?xi32>, i32) dim = 1 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 3, lanes = 16, scope = grid>} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %x = arith.muli %a0, %a1 : i32
    %m = arith.muli %b0, %a1 : i32
    %y = arith.addi %m, %b1 : i32
    scan.yield %x, %y : i32, i32
  } -> tensor<?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
  return %p, %q, %fp, %fq : tensor<?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// Two columns a thread; the states lie beside the flags; nothing before the first.
func.func @wide(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>)
    -> (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %p, %q, %fp, %fq = scan.associative ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 2, lanes = 8, vector = 2, scope = grid>} {
  ^bb0(%a0: i64, %b0: i64, %a1: i64, %b1: i64):
    %x = arith.muli %a0, %a1 : i64
    %m = arith.muli %b0, %a1 : i64
    %y = arith.addi %m, %b1 : i64
    scan.yield %x, %y : i64, i64
  } -> tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
  return %p, %q, %fp, %fq : tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>
}

// Eight tiles are looked at together; all of the rows of 16 elements are one block's.
func.func @sum(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 32, items = 1, lanes = 4, vector = 4, scope = grid>} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

#grid = #scan.schedule<strategy = column, threads = 64, items = 3, lanes = 8, vector = 2, scope = grid>

// Narrow leaves are packed by their bits, into one word of 8 bytes.
func.func @packed(%a: tensor<?x?xi1>, %b: tensor<?x?xi8>, %c: tensor<?x?xi16>)
    -> (tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>) {
  %p, %q, %r = scan.associative ins(%a, %b, %c : tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>) dim = 0
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
func.func @in_place(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  %z = scan.associative ins(%y : tensor<?x?xi32>) dim = 0 reverse attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.xori %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  return %z : tensor<?x?xi32>
}

func.func @deterministic(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0
      attributes {order = #scan.order<deterministic>, schedule = #grid} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %x = arith.muli %a0, %a1 : i32
    %m = arith.muli %b0, %a1 : i32
    %y = arith.addi %m, %b1 : i32
    scan.yield %x, %y : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  return %p, %q : tensor<?x?xi32>, tensor<?x?xi32>
}

// All tiles are full, all columns there.
func.func @static(%x: tensor<96x64xi32>) -> (tensor<96x64xi32>, tensor<64xi32>) {
  %y, %f = scan.associative ins(%x : tensor<96x64xi32>) dim = 0 reverse attributes {schedule = #grid} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<96x64xi32>, tensor<64xi32>
  return %y, %f : tensor<96x64xi32>, tensor<64xi32>
}
