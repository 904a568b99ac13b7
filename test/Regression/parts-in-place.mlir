// A kernel whose states threads share stored an element for each of them where it read one:
// threads without a scan, which read the elements of the last one, raced with that one.
// Found by scan-fuzz --graphs --seed=21.

// RUN: scan-run %s --target=emulator --compare=reference --tolerance=1e-5 --input=random:f32:1x1:1:-1:1 --input=random:f32:1x8:2 --input=random:f32:1x8:3 --input=random:f32:1x8:4 --input=random:f32:1x8:5 | FileCheck %s
// CHECK: emulator against reference

func.func @f(%v0: tensor<?x?xf32>, %v9: tensor<?x8xf32>, %v11: tensor<?x8xf32>, %v15: tensor<?x8xf32>, %v18: tensor<?x8xf32>)
    -> (tensor<?x?xf32>, tensor<?x?x8xf32>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %v0, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %v0, %c1 : tensor<?x?xf32>
  %t0 = tensor.empty(%d0, %d1) : tensor<?x?x8xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<?x?xf32>) outs(%t0 : tensor<?x?x8xf32>) dimensions = [2]
  %t1 = tensor.empty(%d0, %d1) : tensor<?x?x8xf32>
  %v4 = linalg.broadcast ins(%v0 : tensor<?x?xf32>) outs(%t1 : tensor<?x?x8xf32>) dimensions = [2]
  %v10, %v10_1 = scan.associative ins(%v4 : tensor<?x?x8xf32>) init(%v9 : tensor<?x8xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %t2 = arith.addf %l, %r : f32
    scan.yield %t2 : f32
  } -> tensor<?x?x8xf32>, tensor<?x8xf32>
  %t3 = tensor.empty(%d0, %d1) : tensor<?x?x8xf32>
  %v12 = linalg.broadcast ins(%v11 : tensor<?x8xf32>) outs(%t3 : tensor<?x?x8xf32>) dimensions = [0]
  %v16, %v16_1 = scan.linear_recurrence ins(%v1, %v12 : tensor<?x?x8xf32>, tensor<?x?x8xf32>) init(%v15 : tensor<?x8xf32>) dim = 0 attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4, lanes = 8>} -> tensor<?x?x8xf32>, tensor<?x8xf32>
  %v17 = arith.mulf %v10, %v16 : tensor<?x?x8xf32>
  %t5 = tensor.empty(%d0, %d1) : tensor<?x?x8xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v17, %v18 : tensor<?x?x8xf32>, tensor<?x8xf32>) outs(%t5 : tensor<?x?x8xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %t6 = arith.mulf %b0, %b1 : f32
    linalg.yield %t6 : f32
  } -> tensor<?x?x8xf32>
  %t7 = arith.constant 0.0 : f32
  %t8 = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %t9 = linalg.fill ins(%t7 : f32) outs(%t8 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v20 = linalg.reduce { arith.addf } ins(%v19 : tensor<?x?x8xf32>) outs(%t9 : tensor<?x?xf32>) dimensions = [2]
  return %v20, %v17 : tensor<?x?xf32>, tensor<?x?x8xf32>
}
