// Recurrences whose bodies are more than arithmetic on rows (numbers.test).

func.func @layer(%x: tensor<2x?x8xf32>, %h0: tensor<2x1x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<2x?x8xf32>, tensor<2x?xf32>, tensor<2x1x8xf32>) {
  %h, %y, %last = scan.recurrence ins(%x : tensor<2x?x8xf32>) init(%h0 : tensor<2x1x8xf32>)
      captures(%w : tensor<8x8xf32>) dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<2x8xf32>, %row: tensor<2x8xf32>, %weights: tensor<8x8xf32>):
    %sum = linalg.matmul ins(%h1, %weights : tensor<2x8xf32>, tensor<8x8xf32>) outs(%row : tensor<2x8xf32>) -> tensor<2x8xf32>
    %next = math.absf %sum : tensor<2x8xf32>
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %total = linalg.reduce ins(%next : tensor<2x8xf32>) outs(%zero : tensor<2xf32>) dimensions = [1]
      (%e: f32, %acc: f32) {
        %s = arith.addf %acc, %e : f32
        linalg.yield %s : f32
      }
    scan.yield %next, %total : tensor<2x8xf32>, tensor<2xf32>
  } -> tensor<2x?x8xf32>, tensor<2x?xf32>, tensor<2x1x8xf32>
  return %h, %y, %last : tensor<2x?x8xf32>, tensor<2x?xf32>, tensor<2x1x8xf32>
}

// Two states of different widths; one reads an element of the other.
func.func @across(%x: tensor<?x?xf64>, %i: tensor<1x?xf64>, %j: tensor<1x?xf64>)
    -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %g, %h = scan.recurrence ins(%x : tensor<?x?xf64>) init(%i, %j : tensor<1x?xf64>, tensor<1x?xf64>)
      dim = 0 init_rows {
  ^bb0(%t: index, %g1: tensor<?xf64>, %h1: tensor<?xf64>, %row: tensor<?xf64>):
    %c0 = arith.constant 0 : index
    %s = arith.addf %g1, %row : tensor<?xf64>
    %first = tensor.extract %g1[%c0] : tensor<?xf64>
    %n = tensor.dim %h1, %c0 : tensor<?xf64>
    %empty = tensor.empty(%n) : tensor<?xf64>
    %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%h1, %first : tensor<?xf64>, f64) outs(%empty : tensor<?xf64>) {
    ^bb0(%a: f64, %b: f64, %out: f64):
      %c = arith.addf %a, %b : f64
      linalg.yield %c : f64
    } -> tensor<?xf64>
    scan.yield %s, %u : tensor<?xf64>, tensor<?xf64>
  } -> tensor<?x?xf64>, tensor<?x?xf64>
  return %g, %h : tensor<?x?xf64>, tensor<?x?xf64>
}

func.func @swap(%i: tensor<1x5xi32>, %j: tensor<1x5xi32>, %n: index)
    -> (tensor<?x5xi32>, tensor<?x5xi32>, tensor<1x5xi32>, tensor<1x5xi32>) {
  %r:4 = scan.recurrence init(%i, %j : tensor<1x5xi32>, tensor<1x5xi32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %g1: tensor<5xi32>, %h1: tensor<5xi32>):
    scan.yield %h1, %g1 : tensor<5xi32>, tensor<5xi32>
  } -> tensor<?x5xi32>, tensor<?x5xi32>, tensor<1x5xi32>, tensor<1x5xi32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x5xi32>, tensor<?x5xi32>, tensor<1x5xi32>, tensor<1x5xi32>
}

// A state that one of the branches passes on, and one that is a part of itself.
func.func @branches(%x: tensor<?x4xi32>, %i: tensor<1x4xi32>) -> (tensor<?x4xi32>, tensor<?x4xi32>) {
  %r:2 = scan.recurrence ins(%x : tensor<?x4xi32>) init(%i, %i : tensor<1x4xi32>, tensor<1x4xi32>) dim = 0 {
  ^bb0(%t: index, %g1: tensor<4xi32>, %h1: tensor<4xi32>, %row: tensor<4xi32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %first = tensor.extract %row[%c0] : tensor<4xi32>
    %negative = arith.cmpi slt, %first, %zero : i32
    %g = scf.if %negative -> tensor<4xi32> {
      scf.yield %h1 : tensor<4xi32>
    } else {
      %s = arith.subi %row, %g1 : tensor<4xi32>
      scf.yield %s : tensor<4xi32>
    }
    %part = tensor.extract_slice %h1[1] [3] [1] : tensor<4xi32> to tensor<3xi32>
    %h = tensor.insert_slice %part into %g1[0] [3] [1] : tensor<3xi32> into tensor<4xi32>
    scan.yield %g, %h : tensor<4xi32>, tensor<4xi32>
  } -> tensor<?x4xi32>, tensor<?x4xi32>
  return %r#0, %r#1 : tensor<?x4xi32>, tensor<?x4xi32>
}

// The rows of the table of edit distances of two texts: within a row a loop, as each
// element depends on the one before it.
func.func @edit_distance(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?xi32>
  %columns = arith.addi %n, %c1 : index
  %row0 = tensor.generate %columns {
  ^bb0(%z: index, %j: index):
    %v = arith.index_cast %j : index to i32
    tensor.yield %v : i32
  } : tensor<1x?xi32>
  %table = scan.recurrence ins(%a : tensor<?xi32>) init(%row0 : tensor<1x?xi32>)
      captures(%b : tensor<?xi32>) dim = 0 init_rows {
  ^bb0(%t: index, %above: tensor<?xi32>, %letter: i32, %text: tensor<?xi32>):
    %z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %width = tensor.dim %above, %z : tensor<?xi32>
    %number = arith.addi %t, %o : index
    %start = arith.index_cast %number : index to i32
    %begun = tensor.insert %start into %above[%z] : tensor<?xi32>
    %row = scf.for %j = %o to %width step %o iter_args(%r = %begun) -> tensor<?xi32> {
      %before = arith.subi %j, %o : index
      %other = tensor.extract %text[%before] : tensor<?xi32>
      %differ = arith.cmpi ne, %letter, %other : i32
      %cost = arith.select %differ, %one, %zero : i32
      %diagonal = tensor.extract %above[%before] : tensor<?xi32>
      %up = tensor.extract %above[%j] : tensor<?xi32>
      %left = tensor.extract %r[%before] : tensor<?xi32>
      %replaced = arith.addi %diagonal, %cost : i32
      %nearest = arith.minsi %up, %left : i32
      %moved = arith.addi %nearest, %one : i32
      %least = arith.minsi %replaced, %moved : i32
      %next = tensor.insert %least into %r[%j] : tensor<?xi32>
      scf.yield %next : tensor<?xi32>
    }
    scan.yield %row : tensor<?xi32>
  } -> tensor<?x?xi32>
  return %table : tensor<?x?xi32>
}

// A scan and a recurrence inside of a step.
func.func @nested(%x: tensor<?x4xi64>, %i: tensor<1x4xi64>) -> tensor<?x4xi64> {
  %h = scan.recurrence ins(%x : tensor<?x4xi64>) init(%i : tensor<1x4xi64>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4xi64>, %row: tensor<4xi64>):
    %sums = scan.associative ins(%h1 : tensor<4xi64>) dim = 0 reverse {
    ^bb0(%acc: i64, %new: i64):
      %s = arith.addi %acc, %new : i64
      scan.yield %s : i64
    } -> tensor<4xi64>
    %one = arith.constant dense<1> : tensor<2xi64>
    %inner = scan.recurrence ins(%row : tensor<4xi64>) init(%one : tensor<2xi64>)
        captures(%sums : tensor<4xi64>) dim = 0 reverse {
    ^bb0(%j: index, %p: i64, %q: i64, %e: i64, %all: tensor<4xi64>):
      %mine = tensor.extract %all[%j] : tensor<4xi64>
      %product = arith.muli %q, %e : i64
      %difference = arith.subi %product, %p : i64
      %next = arith.addi %difference, %mine : i64
      scan.yield %next : i64
    } -> tensor<4xi64>
    scan.yield %inner : tensor<4xi64>
  } -> tensor<?x4xi64>
  return %h : tensor<?x4xi64>
}

// One walk after the other, in the other direction, from where the first ended; and
// again over a part of it.
func.func @chain(%x: tensor<?x3xf32>, %i: tensor<2x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x3xf32>) init(%i : tensor<2x3xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<3xf32>, %h2: tensor<3xf32>, %row: tensor<3xf32>):
    %d = arith.subf %row, %h2 : tensor<3xf32>
    scan.yield %d : tensor<3xf32>
  } -> tensor<?x3xf32>, tensor<2x3xf32>
  %c5 = arith.constant 5 : index
  %g, %end = scan.recurrence ins(%h : tensor<?x3xf32>) init(%last : tensor<2x3xf32>) steps(%c5 : index) dim = 0 reverse {
  ^bb0(%t: index, %h1: tensor<3xf32>, %h2: tensor<3xf32>, %row: tensor<3xf32>):
    %d = arith.subf %row, %h1 : tensor<3xf32>
    %e = arith.mulf %d, %h2 : tensor<3xf32>
    scan.yield %e : tensor<3xf32>
  } -> tensor<?x3xf32>, tensor<2x3xf32>
  return %h, %g, %end : tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>
}

// Final states become inits: a walk in parts.
func.func @in_loop(%x: tensor<?x3xf32>, %i: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%state = %i, %rows = %empty) -> (tensor<1x3xf32>, tensor<?x3xf32>) {
    %h, %last = scan.recurrence ins(%x : tensor<?x3xf32>) init(%state : tensor<1x3xf32>) dim = 0 {
    ^bb0(%t: index, %h1: tensor<3xf32>, %row: tensor<3xf32>):
      %d = arith.subf %row, %h1 : tensor<3xf32>
      scan.yield %d : tensor<3xf32>
    } -> tensor<?x3xf32>, tensor<1x3xf32>
    scf.yield %last, %h : tensor<1x3xf32>, tensor<?x3xf32>
  }
  return %r#0, %r#1 : tensor<1x3xf32>, tensor<?x3xf32>
}

// Inputs, captures and constants as rows; the same tensor as input, init and capture.
func.func @returned_rows(%x: tensor<?x3xf32>, %i: tensor<1x3xf32>)
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<1x3xf32>) {
  %c = tensor.collapse_shape %i [[0, 1]] : tensor<1x3xf32> into tensor<3xf32>
  %r:6 = scan.recurrence ins(%x : tensor<?x3xf32>) init(%i, %i, %i : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
      captures(%c : tensor<3xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %f1: tensor<3xf32>, %g1: tensor<3xf32>, %h1: tensor<3xf32>, %row: tensor<3xf32>, %w: tensor<3xf32>):
    %two = arith.constant dense<2.0> : tensor<3xf32>
    scan.yield %row, %w, %two : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  } -> tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<1x3xf32>
}

func.func @flags(%x: tensor<?x5xi1>, %i: tensor<2x5xi1>) -> (tensor<?x5xi1>, tensor<2x5xi1>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x5xi1>) init(%i : tensor<2x5xi1>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<5xi1>, %h2: tensor<5xi1>, %row: tensor<5xi1>):
    %d = arith.xori %row, %h2 : tensor<5xi1>
    %e = arith.ori %d, %h1 : tensor<5xi1>
    scan.yield %e : tensor<5xi1>
  } -> tensor<?x5xi1>, tensor<2x5xi1>
  return %h, %last : tensor<?x5xi1>, tensor<2x5xi1>
}

func.func @complex(%x: tensor<?x?xcomplex<f32>>, %i: tensor<?x1xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %h = scan.recurrence ins(%x : tensor<?x?xcomplex<f32>>) init(%i : tensor<?x1xcomplex<f32>>) dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<?xcomplex<f32>>, %row: tensor<?xcomplex<f32>>):
    %next = linalg.map { complex.sub } ins(%row, %h1 : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) outs(%row : tensor<?xcomplex<f32>>)
    scan.yield %next : tensor<?xcomplex<f32>>
  } -> tensor<?x?xcomplex<f32>>
  return %h : tensor<?x?xcomplex<f32>>
}

// Rows with an extent of 1 beside time, which has one, too: from the types of a slice
// either could be the dimension that is dropped.
func.func @unit_extents(%i: tensor<4x1x2x2xf32>, %x: tensor<4x1x2x1xf32>) -> (tensor<4x1x2x1xf32>, tensor<4x1x2x2xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<4x1x2x1xf32>) init(%i : tensor<4x1x2x2xf32>) dim = 3 {
  ^bb0(%t: index, %h1: tensor<4x1x2xf32>, %h2: tensor<4x1x2xf32>, %row: tensor<4x1x2xf32>):
    %p = arith.mulf %h1, %row : tensor<4x1x2xf32>
    %d = arith.subf %p, %h2 : tensor<4x1x2xf32>
    scan.yield %d : tensor<4x1x2xf32>
  } -> tensor<4x1x2x1xf32>, tensor<4x1x2x2xf32>
  return %h, %last : tensor<4x1x2x1xf32>, tensor<4x1x2x2xf32>
}
