// minLSTM (Feng et al., 2024, arXiv:2410.01201): gates that are normalised to a sum of 1.
//   f = sigmoid(p), i = sigmoid(q), h_t = f / (f + i) h_{t-1} + i / (f + i) h~_t

func.func @minlstm(%p: tensor<?x?x?xf32>, %q: tensor<?x?x?xf32>, %candidate: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %p, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %p, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %p, %c2 : tensor<?x?x?xf32>
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %mp = arith.negf %p : tensor<?x?x?xf32>
  %ep = math.exp %mp : tensor<?x?x?xf32>
  %dp = arith.addf %ones, %ep : tensor<?x?x?xf32>
  %f = arith.divf %ones, %dp : tensor<?x?x?xf32>
  %mq = arith.negf %q : tensor<?x?x?xf32>
  %eq = math.exp %mq : tensor<?x?x?xf32>
  %dq = arith.addf %ones, %eq : tensor<?x?x?xf32>
  %i = arith.divf %ones, %dq : tensor<?x?x?xf32>
  %sum = arith.addf %f, %i : tensor<?x?x?xf32>
  %fn = arith.divf %f, %sum : tensor<?x?x?xf32>
  %in = arith.divf %i, %sum : tensor<?x?x?xf32>
  %b = arith.mulf %in, %candidate : tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%fn, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}
