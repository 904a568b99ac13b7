// What a sum is added to is also the next row of a window of several, chosen at the start of a segment: its
// buffer was that of a row which was still read.

// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
// RUN: scan-run %s --target=emulator --compare=reference --tolerance=0 --input=random:i64:3x1:1 --input=random:i64:1x1:2 --input=random:i64:6x1:3 --input=random:i64:1x1:4 --input=values:i32:4:0,2,2,6

// CHECK: gpu.launch_func
func.func @f(%init0: tensor<3x1xi64>, %init1: tensor<1x1xi64>, %x: tensor<?x1xi64>, %m: tensor<1x1xi64>, %offsets: tensor<?xi32>) -> tensor<?x1xi64> {
  %r:2 = scan.recurrence ins(%x : tensor<?x1xi64>) init(%init0, %init1 : tensor<3x1xi64>, tensor<1x1xi64>) captures(%m : tensor<1x1xi64>) segments(%offsets : tensor<?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<1xi64>, %h2: tensor<1xi64>, %h3: tensor<1xi64>, %g: tensor<1xi64>, %row: tensor<1xi64>, %w: tensor<1x1xi64>):
    %next = linalg.matvec ins(%w, %h1 : tensor<1x1xi64>, tensor<1xi64>) outs(%h2 : tensor<1xi64>) -> tensor<1xi64>
    scan.yield %next, %h1 : tensor<1xi64>, tensor<1xi64>
  } -> tensor<?x1xi64>, tensor<?x1xi64>
  return %r#1 : tensor<?x1xi64>
}
