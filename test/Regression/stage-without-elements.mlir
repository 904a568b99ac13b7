// A stage that is split, of a row without elements, made upstream's tiling crash.
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --input=values:f64:1x1x0: --input=values:f64:1x3x0:

func.func @split(%init: tensor<1x1x0xf64>, %x: tensor<1x3x0xf64>) -> tensor<1x3x0xf64> {
  %h = scan.recurrence ins(%x : tensor<1x3x0xf64>) init(%init : tensor<1x1x0xf64>) dim = 1 attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %h1: tensor<1x0xf64>, %row: tensor<1x0xf64>):
    %d = arith.subf %h1, %row {scan.stage = #scan.stage<split = [32]>} : tensor<1x0xf64>
    %a = math.absf %d {scan.stage = #scan.stage<split = [32]>} : tensor<1x0xf64>
    scan.yield %a : tensor<1x0xf64>
  } -> tensor<1x3x0xf64>
  return %h : tensor<1x3x0xf64>
}
