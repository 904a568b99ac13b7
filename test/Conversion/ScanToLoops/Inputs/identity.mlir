func.func @sum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @product_reverse(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @extremes(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y, %z = scan.associative ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.maximumf %a, %b : f32
    %t = arith.minimumf %c, %d : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @both_directions(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %z = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}
