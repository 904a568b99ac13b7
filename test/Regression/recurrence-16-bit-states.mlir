// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --input=random:f16:11x9:1 --input=random:f16:1x9:2 --input=random:f16:9:3
// RUN: scan-run %s --target=emulator --compare=reference --tolerance=0 --input=random:f16:11x9:1 --input=random:f16:1x9:2 --input=random:f16:9:3

// The scan that took the steps in order on the CPU had its states in f32 between them.
func.func @main(%x: tensor<11x9xf16>, %i: tensor<1x9xf16>, %w: tensor<9xf16>) -> (tensor<11x9xf16>, tensor<11x9xf16>) {
  %g, %h = scan.recurrence ins(%x : tensor<11x9xf16>) init(%i, %i : tensor<1x9xf16>, tensor<1x9xf16>) captures(%w : tensor<9xf16>)
      dim = 0 attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %g1: tensor<9xf16>, %h1: tensor<9xf16>, %row: tensor<9xf16>, %weight: tensor<9xf16>):
    %product = arith.mulf %h1, %weight : tensor<9xf16>
    %least = arith.minimumf %product, %row : tensor<9xf16>
    scan.yield %h1, %least : tensor<9xf16>, tensor<9xf16>
  } -> tensor<11x9xf16>, tensor<11x9xf16>
  return %g, %h : tensor<11x9xf16>, tensor<11x9xf16>
}
