func.func @pairs(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %p, %q, %u, %v = scan.associative ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
    %r = arith.mulf %a0, %b0 : f32
    %s = arith.mulf %b0, %a1 : f32
    %t = arith.addf %s, %b1 : f32
    scan.yield %r, %t : f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
  return %p, %q, %u, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @before(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %h0: tensor<?xf64>)
    -> (tensor<?x?xf64>, tensor<?xf64>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>)
      init(%h0 : tensor<?xf64>) dim = 1 exclusive reverse -> tensor<?x?xf64>, tensor<?xf64>
  return %h, %last : tensor<?x?xf64>, tensor<?xf64>
}

#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @sums(%x: tensor<?x?xi16>) -> (tensor<?xi16>, tensor<?xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i16
  %y = scan.associative ins(%x : tensor<?x?xi16>) dim = 1 reverse {
  ^bb0(%a: i16, %b: i16):
    %s = arith.addi %a, %b : i16
    scan.yield %s : i16
  } -> tensor<?x?xi16>
  %rows = tensor.dim %x, %c0 : tensor<?x?xi16>
  %steps = tensor.dim %x, %c1 : tensor<?x?xi16>
  %of_rows = tensor.empty(%rows) : tensor<?xi16>
  %of_steps = tensor.empty(%steps) : tensor<?xi16>
  %e0 = linalg.fill ins(%zero : i16) outs(%of_rows : tensor<?xi16>) -> tensor<?xi16>
  %e1 = linalg.fill ins(%zero : i16) outs(%of_steps : tensor<?xi16>) -> tensor<?xi16>
  %r:2 = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<?x?xi16>) outs(%e0, %e1 : tensor<?xi16>, tensor<?xi16>) {
  ^bb0(%e: i16, %s: i16, %t: i16):
    %u = arith.addi %s, %e : i16
    %v = arith.addi %t, %e : i16
    linalg.yield %u, %v : i16, i16
  } -> (tensor<?xi16>, tensor<?xi16>)
  return %r#0, %r#1 : tensor<?xi16>, tensor<?xi16>
}

func.func @recurrence(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 1 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @narrow(%x: tensor<2x17xi32>) -> tensor<2x17xi32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<2x17xi32>, tensor<2x17xi32>) dim = 1 reverse
      attributes {accumulator = i64} -> tensor<2x17xi32>
  return %y : tensor<2x17xi32>
}

func.func @single(%x: tensor<2x33xbf16>) -> tensor<2x33xbf16> {
  %y = scan.associative ins(%x : tensor<2x33xbf16>) dim = 1 {
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.addf %a, %b : bf16
    scan.yield %s : bf16
  } -> tensor<2x33xbf16>
  return %y : tensor<2x33xbf16>
}
