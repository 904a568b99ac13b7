// Maxima and minima of vectors, of every pair of special numbers: NaN stays, and -0 is
// less than +0, which the reciprocals show.

// RUN: %python %S/Inputs/pairs.py %t.f32.npy f4 && scan-run %s --entry=f32 --target=cpu --compare=reference --input=%t.f32.npy --output=%t.a.npy --output=%t.b.npy | FileCheck %s
// RUN: %python %S/Inputs/pairs.py %t.f64.npy f8 && scan-run %s --entry=f64 --target=cpu --compare=reference --input=%t.f64.npy --output=%t.a.npy --output=%t.b.npy | FileCheck %s
// CHECK:      shape
// CHECK-NEXT: 0 2x100xf{{..}} 0
// CHECK-NEXT: 1 2x100xf{{..}} 0

// With AVX-512 one of them takes three instructions, of LLVM's own none is left.

// RUN: scan-translate %s --scan-to-object -o %t.o --header=%t.h --target-triple=x86_64-linux-gnu --cpu=znver4 && llvm-objdump -d %t.o | FileCheck %s --check-prefix=AVX512
// AVX512-LABEL: <{{.*}}f32{{.*}}>:
// AVX512-NOT:   vmaxps
// AVX512-NOT:   vminps
// AVX512:       vrangeps {{.*}}%zmm
// AVX512:       vcmpunordps {{.*}}%zmm
// AVX512:       vaddps {{.*}}%zmm{{.*}}{%k
// AVX512-NOT:   vmaxps
// AVX512-NOT:   vminps

func.func @f32(%x: tensor<2x100xf32>) -> (tensor<2x100xf32>, tensor<2x100xf32>) {
  %max = scan.associative ins(%x : tensor<2x100xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    scan.yield %m : f32
  } -> tensor<2x100xf32>
  %min = scan.associative ins(%x : tensor<2x100xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.minimumf %a, %b : f32
    scan.yield %m : f32
  } -> tensor<2x100xf32>
  %one = arith.constant dense<1.0> : tensor<2x100xf32>
  %p = arith.divf %one, %max : tensor<2x100xf32>
  %q = arith.divf %one, %min : tensor<2x100xf32>
  return %p, %q : tensor<2x100xf32>, tensor<2x100xf32>
}

func.func @f64(%x: tensor<2x100xf64>) -> (tensor<2x100xf64>, tensor<2x100xf64>) {
  %max = scan.associative ins(%x : tensor<2x100xf64>) dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %m = arith.maximumf %a, %b : f64
    scan.yield %m : f64
  } -> tensor<2x100xf64>
  %min = scan.associative ins(%x : tensor<2x100xf64>) dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %m = arith.minimumf %a, %b : f64
    scan.yield %m : f64
  } -> tensor<2x100xf64>
  %one = arith.constant dense<1.0> : tensor<2x100xf64>
  %p = arith.divf %one, %max : tensor<2x100xf64>
  %q = arith.divf %one, %min : tensor<2x100xf64>
  return %p, %q : tensor<2x100xf64>, tensor<2x100xf64>
}
