// HGRN without its gates, in bf16: h_t = exp(g_t) h_{t-1} + x_t, from nothing.

func.func @hgrn(%g: tensor<?x?x?xbf16>, %x: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %wide_g = arith.extf %g : tensor<?x?x?xbf16> to tensor<?x?x?xf32>
  %wide_x = arith.extf %x : tensor<?x?x?xbf16> to tensor<?x?x?xf32>
  %a = math.exp %wide_g : tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%a, %wide_x : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  %narrow = arith.truncf %h : tensor<?x?x?xf32> to tensor<?x?x?xbf16>
  return %narrow : tensor<?x?x?xbf16>
}
