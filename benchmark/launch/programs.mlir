// What the benchmark of launches compiles, with --dispatch.

// One kernel, one array.
func.func @rows(%x: tensor<?x1000xf32>) -> tensor<?x1000xf32> {
  %y = scan.associative ins(%x : tensor<?x1000xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x1000xf32>
  return %y : tensor<?x1000xf32>
}

// Several variants, of which long rows take the one with a workspace.
func.func @variants(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Three arrays and two results.
func.func @recurrence(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %h: tensor<?x?xf32>)
    -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %y, %last = scan.linear_recurrence
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) init(%h : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4>}
      -> tensor<?x?x?xf32>, tensor<?x?xf32>
  return %y, %last : tensor<?x?x?xf32>, tensor<?x?xf32>
}

// Two kernels, a number.
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
