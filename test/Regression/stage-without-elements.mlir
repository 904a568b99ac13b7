// A stage that is split, of a row without elements, made upstream's tiling crash.
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --input=zeros:f64:3x0 --input=zeros:f64:1x0

func.func @split(%x: tensor<3x0xf64>, %init: tensor<1x0xf64>) -> tensor<3x0xf64> {
  %h = scan.recurrence ins(%x : tensor<3x0xf64>) init(%init : tensor<1x0xf64>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<0xf64>, %row: tensor<0xf64>):
    %d = arith.subf %h1, %row {scan.stage = #scan.stage<inside>} : tensor<0xf64>
    %a = math.absf %d {scan.stage = #scan.stage<split = [32], vector = 4>} : tensor<0xf64>
    scan.yield %a : tensor<0xf64>
  } -> tensor<3x0xf64>
  return %h : tensor<3x0xf64>
}
