// The programs of ../newton-numbers.test.

#newton = #scan.newton<iterations = 7, tolerance = 1.0e-12, chunk = 16>
#single = #scan.newton<iterations = 6, tolerance = 2.0e-6, chunk = 4>

// Scalars as rows, backwards, with the row of the init and the final state.
func.func @scalars(%x: tensor<?xf64>, %init: tensor<1xf64>) -> (tensor<?xf64>, tensor<1xf64>) {
  %h, %last = scan.recurrence ins(%x : tensor<?xf64>) init(%init : tensor<1xf64>) dim = 0 reverse init_rows
      attributes {scan.schedule = #newton} {
  ^bb0(%t: index, %before: f64, %row: f64):
    %sum = arith.addf %before, %row : f64
    %next = math.tanh %sum : f64
    scan.yield %next : f64
  } -> tensor<?xf64>, tensor<1xf64>
  return %h, %last : tensor<?xf64>, tensor<1xf64>
}

// Lanes, time in the middle, an output, final states, the numbers of the step and of the lane.
func.func @outputs(%x: tensor<2x?x3xf32>, %init: tensor<2x1x3xf32>, %w: tensor<3xf32>)
    -> (tensor<2x?x3xf32>, tensor<2x?x3xi32>, tensor<2x1x3xf32>) {
  %h, %y, %last = scan.recurrence ins(%x : tensor<2x?x3xf32>) init(%init : tensor<2x1x3xf32>)
      captures(%w : tensor<3xf32>) dim = 1 attributes {scan.schedule = #single} {
  ^bb0(%t: index, %before: tensor<2x3xf32>, %row: tensor<2x3xf32>, %weights: tensor<3xf32>):
    %space = tensor.empty() : tensor<2x3xi32>
    %next, %out = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (j)>, affine_map<(n, j) -> (n, j)>,
                         affine_map<(n, j) -> (n, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%row, %weights : tensor<2x3xf32>, tensor<3xf32>) outs(%before, %space : tensor<2x3xf32>, tensor<2x3xi32>) {
    ^bb0(%a: f32, %b: f32, %h1: f32, %unused: i32):
      %j = linalg.index 1 : index
      %number = arith.addi %j, %t : index
      %cast = arith.index_cast %number : index to i32
      %real = arith.sitofp %cast : i32 to f32
      %phase = math.sin %real : f32
      %wh = arith.mulf %b, %h1 : f32
      %sum = arith.addf %wh, %a : f32
      %all = arith.addf %sum, %phase : f32
      %n = math.tanh %all : f32
      %zero = arith.constant 0.0 : f32
      %isUp = arith.cmpf ogt, %a, %zero : f32
      %none = arith.constant 0 : i32
      %o = arith.select %isUp, %cast, %none : i32
      linalg.yield %n, %o : f32, i32
    } -> (tensor<2x3xf32>, tensor<2x3xi32>)
    scan.yield %next, %out : tensor<2x3xf32>, tensor<2x3xi32>
  } -> tensor<2x?x3xf32>, tensor<2x?x3xi32>, tensor<2x1x3xf32>
  return %h, %y, %last : tensor<2x?x3xf32>, tensor<2x?x3xi32>, tensor<2x1x3xf32>
}

// Three states, one of which the others do not change: a matrix with zeros and ones. The number of
// steps is an operand; an element of the input is read by all lanes.
func.func @states(%x: tensor<?x4xf64>, %a: tensor<1x4xf64>, %b: tensor<1x4xf64>, %c: tensor<1x4xf64>, %n: index)
    -> (tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>) {
  %r:6 = scan.recurrence ins(%x : tensor<?x4xf64>) init(%a, %b, %c : tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>)
      steps(%n : index) dim = 0 attributes {scan.schedule = #newton} {
  ^bb0(%t: index, %a1: tensor<4xf64>, %b1: tensor<4xf64>, %c1: tensor<4xf64>, %row: tensor<4xf64>):
    %c2 = arith.constant 2 : index
    %shared = tensor.extract %row[%c2] : tensor<4xf64>
    %sb = math.sin %b1 : tensor<4xf64>
    %a2 = arith.addf %c1, %row : tensor<4xf64>
    %next = linalg.generic {
        indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>, affine_map<(j) -> (j)>],
        iterator_types = ["parallel"]} ins(%a1, %sb : tensor<4xf64>, tensor<4xf64>) outs(%b1 : tensor<4xf64>) {
    ^bb0(%p: f64, %q: f64, %unused: f64):
      %half = arith.constant 0.5 : f64
      %sum = arith.addf %p, %q : f64
      %sum2 = arith.addf %sum, %shared : f64
      %tanh = math.tanh %sum2 : f64
      %small = arith.mulf %half, %tanh : f64
      linalg.yield %small : f64
    } -> tensor<4xf64>
    %c3 = math.tanh %c1 : tensor<4xf64>
    scan.yield %a2, %next, %c3 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  } -> tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>, tensor<1x4xf64>
}

// Packed sequences, each from the init.
func.func @packed(%x: tensor<?x5xf32>, %init: tensor<1x5xf32>, %offsets: tensor<?xi32>)
    -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x5xf32>) init(%init : tensor<1x5xf32>)
      segments(%offsets : tensor<?xi32>) dim = 0 attributes {scan.schedule = #single} {
  ^bb0(%t: index, %before: tensor<5xf32>, %row: tensor<5xf32>):
    %sum = arith.addf %before, %row : tensor<5xf32>
    %next = math.tanh %sum : tensor<5xf32>
    scan.yield %next : tensor<5xf32>
  } -> tensor<?x5xf32>, tensor<?x5xf32>
  return %h, %last : tensor<?x5xf32>, tensor<?x5xf32>
}

// The logistic map is chaotic: two iterations make few rows right, and the steps are walked.
// Chunks of a step, as DEER has them.
// What is computed of the result behind it is not computed in its place.
func.func @logistic(%x: tensor<?x3xf32>, %init: tensor<1x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %h = scan.recurrence ins(%x : tensor<?x3xf32>) init(%init : tensor<1x3xf32>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 2, tolerance = 1.0e-6, chunk = 1>} {
  ^bb0(%t: index, %before: tensor<3xf32>, %row: tensor<3xf32>):
    %rate = arith.constant dense<3.9> : tensor<3xf32>
    %one = arith.constant dense<1.0> : tensor<3xf32>
    %rest = arith.subf %one, %before : tensor<3xf32>
    %product = arith.mulf %before, %rest : tensor<3xf32>
    %grown = arith.mulf %rate, %product : tensor<3xf32>
    %less = arith.mulf %grown, %row : tensor<3xf32>
    scan.yield %less : tensor<3xf32>
  } -> tensor<?x3xf32>
  %twice = arith.addf %h, %h : tensor<?x3xf32>
  return %h, %twice : tensor<?x3xf32>, tensor<?x3xf32>
}

// What is not a number has no residual: the steps are walked, which have a NaN from some row on.
func.func @nan(%x: tensor<?xf64>, %init: tensor<1xf64>) -> tensor<?xf64> {
  %h = scan.recurrence ins(%x : tensor<?xf64>) init(%init : tensor<1xf64>) dim = 0
      attributes {scan.schedule = #scan.newton<iterations = 2, tolerance = 1.0e-9, chunk = 8>} {
  ^bb0(%t: index, %before: f64, %row: f64):
    %next = math.sqrt %before : f64
    %less = arith.subf %next, %row : f64
    scan.yield %less : f64
  } -> tensor<?xf64>
  return %h : tensor<?xf64>
}

// A step that reads no input, of a number of steps that is known.
func.func @alone(%x: tensor<21x3xf32>, %init: tensor<1x3xf32>) -> (tensor<21x3xf32>, tensor<1x3xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<21x3xf32>) init(%init : tensor<1x3xf32>) dim = 0 reverse
      attributes {scan.schedule = #single} {
  ^bb0(%t: index, %before: tensor<3xf32>, %row: tensor<3xf32>):
    %sum = arith.addf %before, %before : tensor<3xf32>
    %next = math.sin %sum : tensor<3xf32>
    scan.yield %next : tensor<3xf32>
  } -> tensor<21x3xf32>, tensor<1x3xf32>
  return %h, %last : tensor<21x3xf32>, tensor<1x3xf32>
}
