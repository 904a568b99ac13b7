// Scans of rows, of columns, and of rows with initial states.

func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @columns(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @totals(%x: tensor<?x?xf32>, %init: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x?xf32>) init(%init : tensor<?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %y, %last : tensor<?x?xf32>, tensor<?xf32>
}
