// Kernels that share blocks of columns have vectors of their own numbers of lanes: 680 columns, which is a
// multiple of 8, were a block of one with vectors of 16, and the last 8 of each block were left out.

// RUN: scan-run %s --entry=f --target=cpu --compare=reference --tolerance=1e-12 --input=random:f32:5x1376:1 --input=random:f64:5x1376:2 --input=random:f64:5x1376:3
// The same in blocks of 8 columns, of 48.
// RUN: scan-run %s --entry=small --target=cpu --state-bytes=100 --compare=reference --tolerance=1e-12 --input=random:f32:5x48:1

func.func @f(%x: tensor<5x1376xf32>, %p: tensor<5x1376xf64>, %q: tensor<5x1376xf64>) -> (tensor<5x1376xf64>, tensor<5x1376xf64>, tensor<5x1376xf64>) {
  %h = scan.associative ins(%x : tensor<5x1376xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<5x1376xf32>
  %wide = arith.extf %h : tensor<5x1376xf32> to tensor<5x1376xf64>
  %0:3 = scan.associative ins(%wide, %p, %q : tensor<5x1376xf64>, tensor<5x1376xf64>, tensor<5x1376xf64>) dim = 0 reverse {
  ^bb0(%a0: f64, %a1: f64, %a2: f64, %b0: f64, %b1: f64, %b2: f64):
    %s0 = arith.addf %a0, %b0 : f64
    %s1 = arith.addf %a1, %b1 : f64
    %s2 = arith.addf %a2, %b2 : f64
    scan.yield %s0, %s1, %s2 : f64, f64, f64
  } -> tensor<5x1376xf64>, tensor<5x1376xf64>, tensor<5x1376xf64>
  return %0#0, %0#1, %0#2 : tensor<5x1376xf64>, tensor<5x1376xf64>, tensor<5x1376xf64>
}

func.func @small(%x: tensor<5x48xf32>) -> tensor<5x48xf64> {
  %h = scan.associative ins(%x : tensor<5x48xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<5x48xf32>
  %wide = arith.extf %h : tensor<5x48xf32> to tensor<5x48xf64>
  %y = scan.associative ins(%wide : tensor<5x48xf64>) dim = 0 reverse {
  ^bb0(%a: f64, %b: f64):
    %s = arith.addf %a, %b : f64
    scan.yield %s : f64
  } -> tensor<5x48xf64>
  return %y : tensor<5x48xf64>
}
