// Behind a cast that adds static extents, kernels lost them again when they were
// folded, and with them their trailing and broadcast dimensions. All of these have
// dynamic arguments.

// RUN: scan-run %s --entry=sums --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:67x2:1
// RUN: scan-run %s --entry=sums --target=emulator --compare=reference --tolerance=1e-6 --input=random:f32:67x2:1

// RUN: scan-run %s --entry=products --target=cpu --check-memory --compare=reference --tolerance=1e-12 --input=random:f64:67x2x2:2:-1:0.5
// RUN: scan-run %s --entry=products --target=emulator --compare=reference --tolerance=1e-12 --input=random:f64:67x2x2:2:-1:0.5

// RUN: scan-run %s --entry=broadcast --target=cpu --check-memory --compare=reference --tolerance=1e-12 --input=random:f64:1x67x1:3 --input=random:f64:3x67x4:4
// RUN: scan-run %s --entry=broadcast --target=emulator --compare=reference --tolerance=1e-12 --input=random:f64:1x67x1:3 --input=random:f64:3x67x4:4

// RUN: scan-run %s --entry=projected --target=cpu --check-memory --compare=reference --tolerance=1e-12 --input=random:f64:67x9:5 --input=random:f64:9x4:6
// RUN: scan-run %s --entry=projected --target=emulator --compare=reference --tolerance=1e-12 --input=random:f64:67x9:5 --input=random:f64:9x4:6

// RUN: scan-translate --scan-to-ptx %s -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// PTX-DAG: .entry sums
// PTX-DAG: .entry products
// PTX-DAG: .entry broadcast
// PTX-DAG: .entry projected

// A sum of terms that the kernel computes from trailing elements.
func.func @sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %pairs = tensor.cast %x : tensor<?x?xf32> to tensor<?x2xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %terms = linalg.reduce { arith.addf } ins(%pairs : tensor<?x2xf32>) outs(%fill : tensor<?xf32>) dimensions = [1]
  %y = scan.associative ins(%terms : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Products of matrices do not commute.
func.func @products(%x: tensor<?x?x?xf64>) -> tensor<?x2x2xf64> {
  %m = tensor.cast %x : tensor<?x?x?xf64> to tensor<?x2x2xf64>
  %p = scan.associative ins(%m : tensor<?x2x2xf64>) dim = 0 reverse {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  return %p : tensor<?x2x2xf64>
}

// Coefficients that all sequences share.
func.func @broadcast(%a: tensor<?x?x?xf64>, %b: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %m = tensor.cast %a : tensor<?x?x?xf64> to tensor<1x?x1xf64>
  %p = scan.linear_recurrence ins(%m, %b : tensor<1x?x1xf64>, tensor<?x?x?xf64>) dim = 1 -> tensor<?x?x?xf64>
  return %p : tensor<?x?x?xf64>
}

// A product by a small matrix in front of the scan, a reduction behind it.
func.func @projected(%x: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %rows = tensor.cast %x : tensor<?x?xf64> to tensor<?x9xf64>
  %matrix = tensor.cast %w : tensor<?x?xf64> to tensor<9x4xf64>
  %empty = tensor.empty(%m) : tensor<?x4xf64>
  %fill = linalg.fill ins(%zero : f64) outs(%empty : tensor<?x4xf64>) -> tensor<?x4xf64>
  %p = linalg.matmul ins(%rows, %matrix : tensor<?x9xf64>, tensor<9x4xf64>) outs(%fill : tensor<?x4xf64>) -> tensor<?x4xf64>
  %y = scan.associative ins(%p : tensor<?x4xf64>) dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %s = arith.addf %a, %b : f64
    scan.yield %s : f64
  } -> tensor<?x4xf64>
  %e4 = tensor.empty() : tensor<4xf64>
  %f4 = linalg.fill ins(%least : f64) outs(%e4 : tensor<4xf64>) -> tensor<4xf64>
  %r = linalg.reduce { arith.maximumf } ins(%y : tensor<?x4xf64>) outs(%f4 : tensor<4xf64>) dimensions = [0]
  %z = tensor.cast %y : tensor<?x4xf64> to tensor<?x?xf64>
  %t = tensor.cast %r : tensor<4xf64> to tensor<?xf64>
  return %z, %t : tensor<?x?xf64>, tensor<?xf64>
}

// A result that is an argument behind casts is that buffer, and was refused as a part
// of one.
// PTX-DAG: .entry returned
// RUN: FileCheck %s --check-prefix=RETURNED --input-file=%t.json
// RETURNED:      "name": "returned"
// RETURNED:      "results": [
// RETURNED-NEXT: {
// RETURNED-NEXT:   "buffer": "arg0",
// RETURNED-NEXT:   "element": "f32",
// RETURNED-NEXT:   "shape": [
// RETURNED-NEXT:     "arg0_d0",
// RETURNED-NEXT:     4
// RETURNED:      {
// RETURNED-NEXT:   "buffer": "arg0",
// RUN: scan-run %s --entry=returned --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:67x4:1
// RUN: scan-run %s --entry=returned --target=emulator --compare=reference --tolerance=1e-6 --input=random:f32:67x4:1
func.func @returned(%x: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<67x?xf32>, tensor<?x2xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.cast %x : tensor<?x?xf32> to tensor<?x4xf32>
  %b = tensor.cast %x : tensor<?x?xf32> to tensor<67x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %part = tensor.extract_slice %a[0, 1] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x4xf32>, tensor<67x?xf32>) dim = 0 reverse -> tensor<67x?xf32>
  %c = tensor.cast %h : tensor<67x?xf32> to tensor<?x?xf32>
  return %a, %b, %part, %c : tensor<?x4xf32>, tensor<67x?xf32>, tensor<?x2xf32>, tensor<?x?xf32>
}

// So one that loses static extents.
// RUN: scan-run %s --entry=forgotten --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:5x4:1
// RUN: scan-run %s --entry=forgotten --target=emulator --compare=reference --tolerance=1e-6 --input=random:f32:5x4:1
func.func @forgotten(%x: tensor<5x4xf32>) -> (tensor<?x4xf32>, tensor<?x?xf32>) {
  %a = tensor.cast %x : tensor<5x4xf32> to tensor<?x4xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x4xf32>, tensor<5x4xf32>) dim = 1 -> tensor<5x4xf32>
  %b = tensor.cast %h : tensor<5x4xf32> to tensor<?x?xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x?xf32>
}
