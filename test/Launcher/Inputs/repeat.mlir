// A recurrence of several steps, each of which is two launches: the second one reads what the
// first one has computed of all lanes.
func.func @stages(%x: tensor<?x40xf32>, %init: tensor<1x40xf32>) -> (tensor<?x40xf32>, tensor<1x40xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x40xf32>) init(%init : tensor<1x40xf32>) dim = 0 reverse
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<40xf32>, %row: tensor<40xf32>):
    %zero = arith.constant 0.0 : f32
    %space = tensor.empty() : tensor<f32>
    %none = linalg.fill ins(%zero : f32) outs(%space : tensor<f32>) -> tensor<f32>
    %sum = linalg.reduce {arith.addf} ins(%h1 : tensor<40xf32>) outs(%none : tensor<f32>) dimensions = [0]
    %all = linalg.broadcast ins(%sum : tensor<f32>) outs(%row : tensor<40xf32>) dimensions = [0]
    %next = arith.subf %all, %row : tensor<40xf32>
    scan.yield %next : tensor<40xf32>
  } -> tensor<?x40xf32>, tensor<1x40xf32>
  return %h, %last : tensor<?x40xf32>, tensor<1x40xf32>
}

// Two rows back, of which only the last ones are results: rows lie in a ring of three.
func.func @ring(%x: tensor<?x8xf32>, %init: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<?x8xf32>) init(%init : tensor<2x8xf32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<8xf32>, %h2: tensor<8xf32>, %row: tensor<8xf32>):
    %p = arith.mulf %h2, %row : tensor<8xf32>
    %next = arith.subf %p, %h1 : tensor<8xf32>
    scan.yield %next : tensor<8xf32>
  } -> tensor<?x8xf32>, tensor<2x8xf32>
  return %last : tensor<2x8xf32>
}
