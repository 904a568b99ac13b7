// Loops over time whose steps are anything but associative: what TVM writes as te.scan,
// with `scan.recurrence`.
//
// The body computes the row of each state at step t from its rows at t-1, t-2, ... (as
// many as its init has), from the row of each input at t, and from tensors that each
// step sees whole. With `init_rows` a result has the rows of its init in front, as that
// of te.scan does.
//
//   scan-run examples/te_scan.mlir --entry=column_sums --target=cpu \
//       --input=random:f32:10x1024:1 --output=sums.npy
//   scan-run examples/te_scan.mlir --entry=fibonacci --input=const:index::10

// s[0, i] = x[0, i], s[t, i] = s[t-1, i] + x[t, i].
func.func @column_sums(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %first, %rest = func.call @split(%x) : (tensor<?x?xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>)
  %s = scan.recurrence ins(%rest : tensor<?x?xf32>) init(%first : tensor<1x?xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %before: tensor<?xf32>, %row: tensor<?xf32>):
    %sum = arith.addf %before, %row : tensor<?xf32>
    scan.yield %sum : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// te.scan's init has the first row of x, and its update is for the others. Inputs of
// scan.recurrence have a row for each step: those rows.
func.func private @split(%x: tensor<?x?xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %steps = arith.subi %m, %c1 : index
  %first = tensor.extract_slice %x[0, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %rest = tensor.extract_slice %x[1, 0] [%steps, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %first, %rest : tensor<1x?xf32>, tensor<?x?xf32>
}

// Two stages in a step: u = 2 s[t-1, i], then s[t, i] = u + x[t, i].
func.func @two_stages(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %first, %rest = func.call @split(%x) : (tensor<?x?xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>)
  %s = scan.recurrence ins(%rest : tensor<?x?xf32>) init(%first : tensor<1x?xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %before: tensor<?xf32>, %row: tensor<?xf32>):
    %twice = arith.addf %before, %before : tensor<?xf32>
    %sum = arith.addf %twice, %row : tensor<?xf32>
    scan.yield %sum : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// Two states, n and l wide: g[t, i] = g[t-1, i] + x[t, i], and h[t, i] = h[t-1, i] +
// g[t-1, 0], which reads another lane of the other state.
func.func @two_states(%x: tensor<?x?xf32>, %l: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %first, %rest = func.call @split(%x) : (tensor<?x?xf32>) -> (tensor<1x?xf32>, tensor<?x?xf32>)
  %zero = arith.constant 0.0 : f32
  %zeros = tensor.splat %zero[%l] : tensor<1x?xf32>
  %g, %h = scan.recurrence ins(%rest : tensor<?x?xf32>) init(%first, %zeros : tensor<1x?xf32>, tensor<1x?xf32>)
      dim = 0 init_rows {
  ^bb0(%t: index, %g1: tensor<?xf32>, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %c0 = arith.constant 0 : index
    %sum = arith.addf %g1, %row : tensor<?xf32>
    %lane = tensor.extract %g1[%c0] : tensor<?xf32>
    %width = tensor.dim %h1, %c0 : tensor<?xf32>
    %lanes = tensor.splat %lane[%width] : tensor<?xf32>
    %total = arith.addf %h1, %lanes : tensor<?xf32>
    scan.yield %sum, %total : tensor<?xf32>, tensor<?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %g, %h : tensor<?x?xf32>, tensor<?x?xf32>
}

// k = 2: an init of two rows. Rows without dimensions are scalars, and without inputs
// `steps` says how many there are.
func.func @fibonacci(%steps: index) -> tensor<?xi64> {
  %init = arith.constant dense<[0, 1]> : tensor<2xi64>
  %f = scan.recurrence init(%init : tensor<2xi64>) steps(%steps : index) dim = 0 init_rows {
  ^bb0(%t: index, %f1: i64, %f2: i64):
    %sum = arith.addi %f1, %f2 : i64
    scan.yield %sum : i64
  } -> tensor<?xi64>
  return %f : tensor<?xi64>
}

// A biquad filter for each channel, y_t = b0 x_t + b1 x_{t-1} + b2 x_{t-2} - a1 y_{t-1}
// - a2 y_{t-2}. What the input was is a state, too, so that final states are all that
// the next block of samples needs: `memory` has the last two rows of y and of x.
func.func @biquad(%x: tensor<?x?xf32>, %y0: tensor<2x?xf32>, %x0: tensor<2x?xf32>, %b: tensor<3xf32>, %a: tensor<2xf32>)
    -> (tensor<?x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) {
  %y, %past, %ylast, %xlast = scan.recurrence ins(%x : tensor<?x?xf32>) init(%y0, %x0 : tensor<2x?xf32>, tensor<2x?xf32>)
      captures(%b, %a : tensor<3xf32>, tensor<2xf32>) dim = 0 {
  ^bb0(%t: index, %y1: tensor<?xf32>, %y2: tensor<?xf32>, %x1: tensor<?xf32>, %x2: tensor<?xf32>, %row: tensor<?xf32>,
       %bs: tensor<3xf32>, %as: tensor<2xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %b0 = tensor.extract %bs[%c0] : tensor<3xf32>
    %b1 = tensor.extract %bs[%c1] : tensor<3xf32>
    %b2 = tensor.extract %bs[%c2] : tensor<3xf32>
    %a1 = tensor.extract %as[%c0] : tensor<2xf32>
    %a2 = tensor.extract %as[%c1] : tensor<2xf32>
    %next = linalg.map ins(%row, %x1, %x2, %y1, %y2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
        outs(%row : tensor<?xf32>) (%e: f32, %e1: f32, %e2: f32, %f1: f32, %f2: f32, %out: f32) {
      %0 = arith.mulf %b0, %e : f32
      %1 = arith.mulf %b1, %e1 : f32
      %2 = arith.mulf %b2, %e2 : f32
      %3 = arith.mulf %a1, %f1 : f32
      %4 = arith.mulf %a2, %f2 : f32
      %5 = arith.addf %0, %1 : f32
      %6 = arith.addf %5, %2 : f32
      %7 = arith.subf %6, %3 : f32
      %8 = arith.subf %7, %4 : f32
      linalg.yield %8 : f32
    }
    scan.yield %next, %row : tensor<?xf32>, tensor<?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>
  return %y, %ylast, %xlast : tensor<?x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>
}

// h_t = tanh(x_t + u h_{t-1}) for each lane, walked from the last row to the first: the
// init is the row behind the others.
func.func @tanh_lanes(%x: tensor<?x?xf32>, %h0: tensor<1x?xf32>, %u: tensor<?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%h0 : tensor<1x?xf32>) captures(%u : tensor<?xf32>) dim = 0 reverse {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>, %weight: tensor<?xf32>):
    %product = arith.mulf %weight, %h1 : tensor<?xf32>
    %sum = arith.addf %row, %product : tensor<?xf32>
    %next = math.tanh %sum : tensor<?xf32>
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// The table of edit distances of two texts, a row per letter of the first. Within a row
// each element depends on the one before it: a step may have a loop of its own.
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
