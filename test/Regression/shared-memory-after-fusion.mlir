// Two equal scans are given a schedule each before they are merged and take in a
// reduction: together they want more shared memory than that schedule leaves, which the
// verdict on the schedule once called an error.
// Found by scan-fuzz --mixes --seed=6001 --only-program=11789 and made smaller.
// RUN: scan-opt %s --pass-pipeline='builtin.module(scan-normalize,scan-assign-schedule{dispatch=1})' -o %t.mlir
// RUN: scan-run %s --entry=f --input=values:f64:1x0: --input=values:f64:1:-1 > %t.before
// RUN: scan-run %t.mlir --entry=f --target=emulator --input=values:f64:1x0: --input=values:f64:1:-1 > %t.after
// RUN: diff %t.before %t.after
// RUN: scan-run %t.mlir --entry=f --target=emulator --input=random:f64:1x0:1 --input=random:f64:5000:2 --compare=reference --tolerance=1e-12

module {
  func.func @f(%arg0: tensor<?x?xf64>, %arg1: tensor<?xf64>) -> (tensor<f64>, tensor<?xf64>) {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf64>
    %c1 = arith.constant 1 : index
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf64>
    %0 = scan.associative ins(%arg1 : tensor<?xf64>) dim = 0 reverse {
    ^bb0(%arg2: f64, %arg3: f64):
      %4 = arith.addf %arg2, %arg3 : f64
      scan.yield %4 : f64
    } -> tensor<?xf64>
    %cst = arith.constant 1.000000e+00 : f64
    %1 = tensor.empty() : tensor<f64>
    %2 = linalg.fill ins(%cst : f64) outs(%1 : tensor<f64>) -> tensor<f64>
    %reduced = linalg.reduce { arith.minimumf } ins(%0 : tensor<?xf64>) outs(%2 : tensor<f64>) dimensions = [0] 
    %3 = scan.associative ins(%arg1 : tensor<?xf64>) dim = 0 reverse {
    ^bb0(%arg2: f64, %arg3: f64):
      %4 = arith.addf %arg2, %arg3 : f64
      scan.yield %4 : f64
    } -> tensor<?xf64>
    return %reduced, %3 : tensor<f64>, tensor<?xf64>
  }
}
