// RUN: scan-opt %s --split-input-file --verify-diagnostics --convert-recurrence-to-loops
// RUN: scan-opt %s --split-input-file --verify-diagnostics --scan-normalize-recurrence

func.func @loops(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{'scan.recurrence' op expected scan.loops to be as #scan.loops<unroll = 4>, found 4 : i64}}
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 attributes {scan.loops = 4} {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    scan.yield %row : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @stage(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op expected scan.stage to be as #scan.stage<split = [32]>, found "all"}}
    %sum = arith.addf %before, %row {scan.stage = "all"} : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @scalar(%x: tensor<9xf32>, %i: tensor<1xf32>) -> tensor<9xf32> {
  %s = scan.recurrence ins(%x : tensor<9xf32>) init(%i : tensor<1xf32>) dim = 0 {
  ^bb0(%t: index, %before: f32, %row: f32):
    // expected-error @+1 {{'arith.addf' op expected a stage that is elementwise code or an operation of linalg and computes one tensor of one dimension or more, found 'arith.addf'}}
    %sum = arith.addf %before, %row {scan.stage = #scan.stage<split = [32]>} : f32
    scan.yield %sum : f32
  } -> tensor<9xf32>
  return %s : tensor<9xf32>
}

// -----

func.func @splat(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %before[%c0] : tensor<4xf32>
    // expected-error @+1 {{'tensor.splat' op expected a stage that is elementwise code or an operation of linalg and computes one tensor of one dimension or more, found 'tensor.splat'}}
    %all = tensor.splat %first {scan.stage = #scan.stage<split = [32]>} : tensor<4xf32>
    scan.yield %all : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @factors(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op expected no more factors than what the stage computes has dimensions, 1, found 2}}
    %sum = arith.addf %before, %row {scan.stage = #scan.stage<split = [2, 2]>} : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @vector(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op expected the last dimension's factor to be a multiple of the vector of 8 elements, found 12}}
    %sum = arith.addf %before, %row {scan.stage = #scan.stage<split = [12], vector = 8>} : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @readers(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op expected a stage inside of its only reader's loops, found 2 readers}}
    %a = arith.addf %before, %row {scan.stage = #scan.stage<inside>} : tensor<4xf32>
    %b = arith.mulf %a, %row {scan.stage = #scan.stage<split = [2]>} : tensor<4xf32>
    %c = arith.subf %b, %a : tensor<4xf32>
    scan.yield %c : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @yielded(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op expected a stage inside of the loops of the stage that reads it, found 'scan.yield' as its reader, which is no stage}}
    %a = arith.addf %before, %row {scan.stage = #scan.stage<inside>} : tensor<4xf32>
    scan.yield %a : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

func.func @whole(%x: tensor<9x4xf32>, %i: tensor<1x4xf32>) -> tensor<9x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4xf32>) init(%i : tensor<1x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    // expected-error @+1 {{'arith.addf' op expected a stage inside of its reader's loops, found the reader 'arith.mulf' without a split or vector}}
    %a = arith.addf %before, %row {scan.stage = #scan.stage<inside>} : tensor<4xf32>
    %b = arith.mulf %a, %row : tensor<4xf32>
    scan.yield %b : tensor<4xf32>
  } -> tensor<9x4xf32>
  return %s : tensor<9x4xf32>
}

// -----

// Each element of the product reads a whole row.
func.func @across(%x: tensor<9x4x4xf32>, %i: tensor<1x4x4xf32>, %w: tensor<4x4xf32>) -> tensor<9x4x4xf32> {
  %s = scan.recurrence ins(%x : tensor<9x4x4xf32>) init(%i : tensor<1x4x4xf32>) captures(%w : tensor<4x4xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<4x4xf32>, %row: tensor<4x4xf32>, %weights: tensor<4x4xf32>):
    // expected-error @+1 {{'math.tanh' op expected a stage inside of loops over the lanes that it computes, found the reader 'linalg.matmul', which reads across lanes: a part of it needs all of the stage}}
    %a = math.tanh %before {scan.stage = #scan.stage<inside>} : tensor<4x4xf32>
    %b = linalg.matmul {scan.stage = #scan.stage<split = [0, 2]>} ins(%a, %weights : tensor<4x4xf32>, tensor<4x4xf32>)
        outs(%row : tensor<4x4xf32>) -> tensor<4x4xf32>
    scan.yield %b : tensor<4x4xf32>
  } -> tensor<9x4x4xf32>
  return %s : tensor<9x4x4xf32>
}
