// Two results of a loop that are in one array, of which one is overwritten: each
// gets its own. What the second one is without that depends on who frees the first.

// RUN: scan-opt %s --pass-pipeline='builtin.module(func.func(convert-elementwise-to-linalg),scan-bufferize)' | FileCheck %s
// RUN: scan-opt %s --pass-pipeline='builtin.module(func.func(convert-elementwise-to-linalg),scan-bufferize,buffer-deallocation-pipeline{private-function-dynamic-ownership=1})' -o %t.mlir
// RUN: scan-run %s --entry=for --input=values:f64:3:-1,-1,1 > %t.before
// RUN: scan-run %t.mlir --entry=for --target=cpu --check-memory --input=values:f64:3:-1,-1,1 > %t.after
// RUN: diff %t.before %t.after
// RUN: scan-run %s --entry=while --target=cpu --input=values:f64:3:-1,-1,1 --compare=reference

// CHECK-LABEL: func.func @for
// CHECK:         scf.for
// CHECK:           linalg.map
// CHECK:           %[[SLICE:.*]] = memref.subview
// CHECK:           %[[OWN:.*]] = memref.alloc
// CHECK:           memref.copy %[[SLICE]], %[[OWN]]
// CHECK:           scf.yield
func.func @for(%x: tensor<?xf64>) -> (tensor<2xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %s0 = tensor.extract_slice %x[0] [2] [1] : tensor<?xf64> to tensor<2xf64>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %s0) -> (tensor<?xf64>, tensor<2xf64>) {
    %e = tensor.empty(%n) : tensor<?xf64>
    %f = linalg.map { arith.addf } ins(%x, %x : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>)
    %s = tensor.extract_slice %f[0] [2] [1] : tensor<?xf64> to tensor<2xf64>
    scf.yield %f, %s : tensor<?xf64>, tensor<2xf64>
  }
  %y = arith.negf %r#0 : tensor<?xf64>
  return %r#1, %y : tensor<2xf64>, tensor<?xf64>
}

// CHECK-LABEL: func.func @while
// CHECK:         scf.while
// CHECK:           %[[FIRST:.*]] = memref.subview
// CHECK:           %[[COPY:.*]] = memref.alloc
// CHECK:           memref.copy %[[FIRST]], %[[COPY]]
// CHECK:           scf.condition
func.func @while(%x: tensor<?xf64>) -> (tensor<2xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %r:2 = scf.while (%a = %x) : (tensor<?xf64>) -> (tensor<?xf64>, tensor<2xf64>) {
    %e = tensor.empty(%n) : tensor<?xf64>
    %f = linalg.map { arith.addf } ins(%a, %a : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>)
    %s = tensor.extract_slice %f[0] [2] [1] : tensor<?xf64> to tensor<2xf64>
    %first = tensor.extract %f[%c0] : tensor<?xf64>
    %goOn = arith.cmpf ogt, %first, %zero : f64
    scf.condition(%goOn) %f, %s : tensor<?xf64>, tensor<2xf64>
  } do {
  ^bb0(%f: tensor<?xf64>, %s: tensor<2xf64>):
    scf.yield %f : tensor<?xf64>
  }
  %y = arith.negf %r#0 : tensor<?xf64>
  return %r#1, %y : tensor<2xf64>, tensor<?xf64>
}
