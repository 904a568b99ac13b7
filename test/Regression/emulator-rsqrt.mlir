// libm has no rsqrt, which the emulator called.

// RUN: scan-run %s --target=emulator --compare=reference --tolerance=1e-6 --input=random:f32:8x100:1:0.1:4 > /dev/null
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=1e-6 --input=random:f32:8x100:1:0.1:4 > /dev/null

func.func @f(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %r = math.rsqrt %x : tensor<8x?xf32>
  %y = scan.associative ins(%r : tensor<8x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}
