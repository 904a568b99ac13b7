// The walk over the totals of the warps of a block: unrolled where states are narrow, a loop
// where they are wide, so that the totals of all warps are not in registers at a time. The
// operator does not commute. Over the grid, the first warp looks back at tiles with its threads'
// states in shared memory, where they take no registers.

// RUN: sed 's/EXTENT/5x300/g' %s > %t.mlir
// RUN: sed 's/EXTENT/2x1100/g' %s > %t.long.mlir
// RUN: scan-opt %t.mlir --scan-to-gpu | FileCheck %s
// RUN: scan-run %t.mlir --entry=wide --target=emulator --compare=reference --input=random:i32:5x300x4x4:1:-2:2
// RUN: scan-run %t.mlir --entry=reversed --target=emulator --compare=reference --input=random:i32:5x300x4x4:2:-2:2
// RUN: scan-run %t.mlir --entry=grid --target=emulator --compare=reference --input=random:i32:5x300x4x4:3:-2:2 --seed=1
// RUN: scan-run %t.long.mlir --entry=grid --target=emulator --compare=reference --input=random:i32:2x1100x4x4:5:-1:1 --schedule=adversarial --resident-blocks=9

// CHECK-LABEL: gpu.func @wide_scan0
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for
// CHECK: gpu.func @reversed_scan0
// CHECK: gpu.func @grid_scan0
// CHECK-COUNT-16: : memref<32xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}

func.func @wide(%m: tensor<EXTENTx4x4xi32>) -> tensor<EXTENTx4x4xi32> {
  %y = scan.associative ins(%m : tensor<EXTENTx4x4xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 1>} {
  ^bb0(%m0: tensor<4x4xi32>, %m1: tensor<4x4xi32>):
    %zero = arith.constant dense<0> : tensor<4x4xi32>
    %r = linalg.matmul ins(%m0, %m1 : tensor<4x4xi32>, tensor<4x4xi32>)
                       outs(%zero : tensor<4x4xi32>) -> tensor<4x4xi32>
    scan.yield %r : tensor<4x4xi32>
  } -> tensor<EXTENTx4x4xi32>
  return %y : tensor<EXTENTx4x4xi32>
}

func.func @reversed(%m: tensor<EXTENTx4x4xi32>) -> tensor<EXTENTx4x4xi32> {
  %y = scan.associative ins(%m : tensor<EXTENTx4x4xi32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 1>} {
  ^bb0(%m0: tensor<4x4xi32>, %m1: tensor<4x4xi32>):
    %zero = arith.constant dense<0> : tensor<4x4xi32>
    %r = linalg.matmul ins(%m0, %m1 : tensor<4x4xi32>, tensor<4x4xi32>)
                       outs(%zero : tensor<4x4xi32>) -> tensor<4x4xi32>
    scan.yield %r : tensor<4x4xi32>
  } -> tensor<EXTENTx4x4xi32>
  return %y : tensor<EXTENTx4x4xi32>
}

func.func @grid(%m: tensor<EXTENTx4x4xi32>) -> tensor<EXTENTx4x4xi32> {
  %y = scan.associative ins(%m : tensor<EXTENTx4x4xi32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 1, scope = grid>} {
  ^bb0(%m0: tensor<4x4xi32>, %m1: tensor<4x4xi32>):
    %zero = arith.constant dense<0> : tensor<4x4xi32>
    %r = linalg.matmul ins(%m0, %m1 : tensor<4x4xi32>, tensor<4x4xi32>)
                       outs(%zero : tensor<4x4xi32>) -> tensor<4x4xi32>
    scan.yield %r : tensor<4x4xi32>
  } -> tensor<EXTENTx4x4xi32>
  return %y : tensor<EXTENTx4x4xi32>
}
