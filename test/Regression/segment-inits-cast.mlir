// Inits of segments whose trailing extents are known only behind a cast became gathered
// inputs without them, which no kernel may have.
// Found by scan-fuzz --targets=cuda --seed=9011 --only-program=59 and made smaller.
// RUN: scan-run %s --target=reference --input=values:i32:3x2:1,2,3,4,5,6 --input=values:i32:2x2:10,20,30,40 | FileCheck %s
// RUN: scan-run %s --target=cpu --input=values:i32:3x2:1,2,3,4,5,6 --input=values:i32:2x2:10,20,30,40 | FileCheck %s
// RUN: scan-run %s --target=emulator --input=values:i32:3x2:1,2,3,4,5,6 --input=values:i32:2x2:10,20,30,40 | FileCheck %s
// CHECK{LITERAL}: [[11, 22],
// CHECK-NEXT{LITERAL}: [14, 26],
// CHECK-NEXT{LITERAL}: [35, 46]]

func.func @f(%x: tensor<?x?xi32>, %inits: tensor<2x?xi32>) -> tensor<?x2xi32> {
  %pairs = tensor.cast %x : tensor<?x?xi32> to tensor<?x2xi32>
  %states = tensor.cast %inits : tensor<2x?xi32> to tensor<2x2xi32>
  %offsets = arith.constant dense<[0, 2, 3]> : tensor<3xi32>
  %sums = scan.associative ins(%pairs : tensor<?x2xi32>) init(%states : tensor<2x2xi32>)
      segments(%offsets : tensor<3xi32>) dim = 0 {
  ^bb0(%acc: tensor<2xi32>, %new: tensor<2xi32>):
    %s = arith.addi %acc, %new : tensor<2xi32>
    scan.yield %s : tensor<2xi32>
  } -> tensor<?x2xi32>
  return %sums : tensor<?x2xi32>
}
