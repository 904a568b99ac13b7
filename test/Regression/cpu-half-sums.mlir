// Beside scans that it is fused with, this sum over the middle dimension is a loop of f16 of which LLVM
// 22's SLP vectorizer made shuffles that are operands of each other, on processors with f16
// arithmetic: what came next looked at them forever.

// RUN: scan-translate --scan-to-object %s --cpu=sapphirerapids -o %t.o --header=%t.h
// RUN: FileCheck %s --input-file=%t.h
// CHECK: f(
// RUN: scan-run %s --entry=f --target=cpu --compare=reference --tolerance=0.02 --input=random:f16:2x70x33:1 --input=random:f16:2x70x33:2

func.func @f(%v0: tensor<?x?x33xf16>, %v4: tensor<?x?x33xf16>)
    -> (tensor<?x33xf16>, tensor<?x?x33xf16>, tensor<?x?xf16>, tensor<?x?x33xf16>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %v0, %c0 : tensor<?x?x33xf16>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %v0, %c1 : tensor<?x?x33xf16>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %v0, %c2 : tensor<?x?x33xf16>
  %d3 = arith.constant 2 : index
  %t0 = tensor.cast %v0 : tensor<?x?x33xf16> to tensor<?x?x?xf16>
  %t1 = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf16>
  %v1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t0 : tensor<?x?x?xf16>) outs(%t1 : tensor<?x?x?xf16>) {
  ^bb0(%b0: f16, %o: f16):
    %t2 = arith.constant -3.0 : f16
    %t3 = arith.maximumf %b0, %t2 : f16
    %t4 = arith.constant 3.0 : f16
    %t5 = arith.minimumf %t3, %t4 : f16
    linalg.yield %t5 : f16
  } -> tensor<?x?x?xf16>
  %t6 = tensor.cast %v0 : tensor<?x?x33xf16> to tensor<?x?x?xf16>
  %v2 = arith.mulf %v1, %t6 : tensor<?x?x?xf16>
  %t8 = tensor.cast %v2 : tensor<?x?x?xf16> to tensor<?x?x33xf16>
  %t9 = arith.constant 0.0 : f16
  %t10 = tensor.empty(%d0) : tensor<?x33xf16>
  %t11 = linalg.fill ins(%t9 : f16) outs(%t10 : tensor<?x33xf16>) -> tensor<?x33xf16>
  %v3 = linalg.reduce { arith.addf } ins(%t8 : tensor<?x?x33xf16>) outs(%t11 : tensor<?x33xf16>) dimensions = [1]
  %t12 = tensor.cast %v4 : tensor<?x?x33xf16> to tensor<?x?x?xf16>
  %v5, %v5_1 = scan.associative ins(%v1, %t12 : tensor<?x?x?xf16>, tensor<?x?x?xf16>) dim = 2 {
  ^bb0(%la: f16, %lb: f16, %ra: f16, %rb: f16):
    %t13 = arith.mulf %ra, %la : f16
    %t14 = arith.mulf %ra, %lb : f16
    %t15 = arith.addf %t14, %rb : f16
    scan.yield %t13, %t15 : f16, f16
  } -> tensor<?x?x?xf16>, tensor<?x?x?xf16>
  %v6, %v6_1 = scan.associative ins(%v5_1 : tensor<?x?x?xf16>) dim = 2 reverse {
  ^bb0(%l: f16, %r: f16):
    %t16 = arith.minimumf %l, %r : f16
    scan.yield %t16 : f16
  } -> tensor<?x?x?xf16>, tensor<?x?xf16>
  %t17 = tensor.cast %v6 : tensor<?x?x?xf16> to tensor<?x?x33xf16>
  %v7 = scan.associative ins(%t17 : tensor<?x?x33xf16>) dim = 2 {
  ^bb0(%l: f16, %r: f16):
    %t18 = arith.addf %l, %r : f16
    scan.yield %t18 : f16
  } -> tensor<?x?x33xf16>
  %t19 = tensor.cast %v5 : tensor<?x?x?xf16> to tensor<?x?x33xf16>
  return %v3, %t19, %v6_1, %v7 : tensor<?x33xf16>, tensor<?x?x33xf16>, tensor<?x?xf16>, tensor<?x?x33xf16>
}
