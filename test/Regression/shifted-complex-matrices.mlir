// A complex scalar is the boundary of all elements of a matrix: on CPUs, which split complex
// numbers into parts, the imaginary ones got its real part.

// RUN: scan-run %s --target=reference --input=values:c128:2x2x2:1,0,0,1,2,0,0,-1,0,0,0,0,0,0,0,0 | FileCheck %s
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=1e-15 --input=values:c128:2x2x2:1,0,0,1,2,0,0,-1,0,0,0,0,0,0,0,0 > %t
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=1e-15 --input=random:c128:37x2x2:1:-0.5:0.5 > %t

// CHECK{LITERAL}: result 0: 2x2x2xcomplex<f64>
// CHECK-NEXT{LITERAL}: [[[0.25+0.5j, 0.25+0.5j],

func.func @f(%x: tensor<?x2x2xcomplex<f64>>) -> tensor<?x2x2xcomplex<f64>> {
  %begin = complex.constant [0.25 : f64, 0.5 : f64] : complex<f64>
  %before = scan.shift %x boundary(%begin : complex<f64>) dim = 0 by = 1 : tensor<?x2x2xcomplex<f64>>
  %y = scan.associative ins(%before : tensor<?x2x2xcomplex<f64>>) dim = 0 {
  ^bb0(%a: tensor<2x2xcomplex<f64>>, %b: tensor<2x2xcomplex<f64>>):
    %zero = complex.constant [0.0 : f64, 0.0 : f64] : complex<f64>
    %zeros = tensor.splat %zero : tensor<2x2xcomplex<f64>>
    %p = linalg.matmul ins(%a, %b : tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) outs(%zeros : tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
    scan.yield %p : tensor<2x2xcomplex<f64>>
  } -> tensor<?x2x2xcomplex<f64>>
  return %y : tensor<?x2x2xcomplex<f64>>
}
