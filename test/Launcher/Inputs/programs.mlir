// What the launcher's tests compile: dynamic shapes, several kernels with a
// temporary, scalars, an init, a result that is an argument, one that is a constant.

func.func @cumsum(%x: tensor<?x1000xf32>) -> tensor<?x1000xf32> {
  %y = scan.associative ins(%x : tensor<?x1000xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x1000xf32>
  return %y : tensor<?x1000xf32>
}

func.func @twice(%x: tensor<?x?xi64>, %start: i64) -> (tensor<?x?xi64>, tensor<?xi64>) {
  %y, %last = scan.associative ins(%x : tensor<?x?xi64>) init(%start : i64) dim = 0
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4>} {
  ^bb0(%a: i64, %b: i64):
    %s = arith.addi %a, %b : i64
    scan.yield %s : i64
  } -> tensor<?x?xi64>, tensor<?xi64>
  %z = scan.associative ins(%y : tensor<?x?xi64>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4>} {
  ^bb0(%a: i64, %b: i64):
    %s = arith.maxsi %a, %b : i64
    scan.yield %s : i64
  } -> tensor<?x?xi64>
  return %z, %last : tensor<?x?xi64>, tensor<?xi64>
}

func.func @same(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>) {
  %c = arith.constant dense<[-1, 1000]> : tensor<2xi32>
  %y = scan.associative ins(%x : tensor<4xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<4xf32>
  return %x, %y, %c : tensor<4xf32>, tensor<4xf32>, tensor<2xi32>
}
