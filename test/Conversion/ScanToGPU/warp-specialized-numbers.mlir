// Rows of persistent blocks whose warps have roles, in the emulator, agree with the
// interpreter, races looked for: no element, one, parts of a tile, whole tiles, and one
// element more; as few tiles as blocks, and many times as many as stages; rows that begin
// at addresses which bulk copies cannot have; few and many blocks side by side, in any
// order.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference %{inputs} --output=%t.0.npy
// DEFINE: %{finals} = --output=%t.1.npy --output=%t.2.npy --output=%t.3.npy
//
// Tiles of 256 steps.
//
// REDEFINE: %{entry} = affine
// REDEFINE: %{inputs} = --input=random:i32:2x0:1 --input=random:i32:2x0:2 --input=random:i32:2:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:0x500:1 --input=random:i32:0x500:2 --input=random:i32:0:3 --input=const:i32::7
// RUN: %{run} %{finals}
// REDEFINE: %{inputs} = --input=random:i32:3x1:1 --input=random:i32:3x1:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:3x256:1 --input=random:i32:3x256:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:3x257:1 --input=random:i32:3x257:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=3
// REDEFINE: %{inputs} = --input=random:i32:3x4100:1 --input=random:i32:3x4100:2 --input=random:i32:3:3 --input=const:i32::7
// RUN: %{run} %{finals} --seed=4 --resident-blocks=1
// RUN: %{run} %{finals} --seed=5 --resident-blocks=3
// RUN: %{run} %{finals} --schedule=in-order --resident-blocks=2
// RUN: %{run} %{finals} --schedule=adversarial --resident-blocks=3
//
// REDEFINE: %{entry} = sum
// REDEFINE: %{inputs} = --input=random:i32:255:1
// RUN: %{run} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:256:1
// RUN: %{run} --seed=2
// REDEFINE: %{inputs} = --input=random:i32:257:1
// RUN: %{run} --seed=3
// REDEFINE: %{inputs} = --input=random:i32:20481:1
// RUN: %{run} --seed=4 --resident-blocks=40
// RUN: %{run} --schedule=adversarial --resident-blocks=40
//
// Tiles of 64 steps, and a state that is larger than 16 bytes.
//
// REDEFINE: %{entry} = matrices
// REDEFINE: %{inputs} = --input=random:i32:2x1500x2x2:1
// RUN: %{run} --output=%t.1.npy --seed=6 --resident-blocks=1
// RUN: %{run} --output=%t.1.npy --seed=7 --resident-blocks=7
// RUN: %{run} --output=%t.1.npy --schedule=adversarial --resident-blocks=7
//
// Tiles of 1024 steps, of two types of one byte.
//
// REDEFINE: %{entry} = bytes
// REDEFINE: %{inputs} = --input=random:i1:2x4111:1 --input=random:i8:2x4111:2
// RUN: %{run} --seed=8 --resident-blocks=2
// RUN: %{run} --schedule=in-order --resident-blocks=1
//
// All inputs begin one element behind where bulk copies can.
//
// REDEFINE: %{entry} = behind
// REDEFINE: %{inputs} = --input=random:i32:3000:1
// RUN: %{run} --seed=9 --resident-blocks=2
// RUN: %{run} --schedule=adversarial --resident-blocks=3
//
// One of the inputs does.
//
// REDEFINE: %{entry} = one_behind
// REDEFINE: %{inputs} = --input=random:i32:3000:1 --input=random:i32:2999:2
// RUN: %{run} --seed=10 --resident-blocks=2
//
// Outputs that have buffers of their own.
//
// REDEFINE: %{entry} = more_outputs
// REDEFINE: %{inputs} = --input=random:i32:2x2600:1
// RUN: %{run} --output=%t.1.npy --output=%t.2.npy --seed=11 --resident-blocks=2
// RUN: %{run} --output=%t.1.npy --output=%t.2.npy --schedule=adversarial --resident-blocks=3
//
// REDEFINE: %{entry} = static
// REDEFINE: %{inputs} = --input=random:i32:2x1536:1
// RUN: %{run} --output=%t.1.npy --seed=12 --resident-blocks=2

#roles = #scan.schedule<strategy = row, threads = 160, items = 4, scope = grid, blocks = 3, stages = 4>

// Does not commute; backwards, exclusive, with inits and final states.
func.func @affine(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %i: tensor<?xi32>, %j: i32)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %p, %q, %fp, %fq = scan.associative ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
      init(%i, %j : tensor<?xi32>, i32) dim = 1 reverse exclusive attributes {schedule = #roles} {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %x = arith.muli %a0, %a1 : i32
    %m = arith.muli %b0, %a1 : i32
    %y = arith.addi %m, %b1 : i32
    scan.yield %x, %y : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p, %q, %fp, %fq : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
}

// More blocks than the three that others have.
func.func @sum(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 4, scope = grid, blocks = 40, stages = 3>} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// Does not commute. Without an init the first tile has nothing before it.
func.func @matrices(%x: tensor<?x?x2x2xi32>) -> (tensor<?x?x2x2xi32>, tensor<?x2x2xi32>) {
  %y, %last = scan.associative ins(%x : tensor<?x?x2x2xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 1, scope = grid, blocks = 7, stages = 6>} {
  ^bb0(%acc: tensor<2x2xi32>, %new: tensor<2x2xi32>):
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %product = linalg.matmul ins(%acc, %new : tensor<2x2xi32>, tensor<2x2xi32>)
        outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
    scan.yield %product : tensor<2x2xi32>
  } -> tensor<?x?x2x2xi32>, tensor<?x2x2xi32>
  return %y, %last : tensor<?x?x2x2xi32>, tensor<?x2x2xi32>
}

// A sum that starts anew where the flag is set.
func.func @bytes(%starts: tensor<?x?xi1>, %x: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %f, %y = scan.associative ins(%starts, %x : tensor<?x?xi1>, tensor<?x?xi8>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 160, items = 16, scope = grid, blocks = 2, stages = 3>} {
  ^bb0(%f0: i1, %x0: i8, %f1: i1, %x1: i8):
    %any = arith.ori %f0, %f1 : i1
    %sum = arith.addi %x0, %x1 : i8
    %value = arith.select %f1, %x1, %sum : i8
    scan.yield %any, %value : i1, i8
  } -> tensor<?x?xi1>, tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @behind(%all: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %all, %c0 : tensor<?xi32>
  %rest = arith.subi %n, %c1 : index
  %x = tensor.extract_slice %all[1] [%rest] [1] : tensor<?xi32> to tensor<?xi32>
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 reverse attributes {schedule = #roles} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @one_behind(%all: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xi32>
  %a = tensor.extract_slice %all[1] [%n] [1] : tensor<?xi32> to tensor<?xi32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xi32>, tensor<?xi32>) dim = 0 attributes {schedule = #roles}
      -> tensor<?xi32>
  return %h : tensor<?xi32>
}

// Two results of one input, and one of wider elements.
func.func @more_outputs(%x: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi64>) {
  %s, %m = scan.associative ins(%x, %x : tensor<?x?xi32>, tensor<?x?xi32>) dim = 1 attributes {schedule = #roles} {
  ^bb0(%s0: i32, %m0: i32, %s1: i32, %m1: i32):
    %sum = arith.addi %s0, %s1 : i32
    %most = arith.maxsi %m0, %m1 : i32
    scan.yield %sum, %most : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>
  %w = arith.extsi %s : tensor<?x?xi32> to tensor<?x?xi64>
  return %s, %m, %w : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi64>
}

// Whole tiles only, as all extents say.
func.func @static(%x: tensor<2x1536xi32>) -> (tensor<2x1536xi32>, tensor<2xi32>) {
  %y, %last = scan.associative ins(%x : tensor<2x1536xi32>) dim = 1 reverse attributes {schedule = #roles} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<2x1536xi32>, tensor<2xi32>
  return %y, %last : tensor<2x1536xi32>, tensor<2xi32>
}
