// RUN: scan-opt %s --scan-to-gpu --split-input-file | FileCheck %s

// The weights of a thread's element are loaded once; rows of inputs two steps ahead; the
// previous row is read four elements at a time; threads meet twice in a step. The product
// writes where the row of the input was, and the next state where the previous one was.
// CHECK-LABEL: gpu.func @layer_recurrence0(
// CHECK-SAME:    workgroup(%[[H:.*]] : memref<1x64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[Z:.*]] : memref<1x64xf32, #gpu.address_space<workgroup>>
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME:    scan.plan = {kernel = "block", one_thread = 0 : i64, prefetched_rows = 1 : i64, prefetched_steps = 2 : i64, rows = 1 : i64, shared_bytes = 512 : i64, streamed_bytes = 0 : i64, streamed_weights = 0 : i64, temporaries = 0 : i64, threads = 64 : i64, weight_bytes = 0 : i64, weight_registers = 64 : i64}
// CHECK-SAME:    scan.strategy = "recurrence"
// CHECK:         memref.store %{{.*}}, %[[H]]
// CHECK-COUNT-2: scf.if %{{.*}} -> (f32)
// CHECK-COUNT-64: memref.load %{{.*}} : memref<64x64xf32, strided<[64, 1]>>
// CHECK:         scf.for %{{.*}} iter_args(%[[ROW:.*]] = %{{.*}}, %[[AFTER:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:           %[[LATER:.*]] = scf.if %{{.*}} -> (f32)
// CHECK:           gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           memref.store %[[ROW]], %[[Z]]
// CHECK-COUNT-16:  vector.load %[[H]]
// CHECK-NOT:       vector.load
// CHECK:           memref.store %{{.*}}, %[[Z]]
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           math.tanh
// CHECK:           memref.store %{{.*}}, %[[H]]
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield %[[AFTER]], %[[LATER]]
func.func @layer(%x: tensor<?x?x64xf32>, %h0: tensor<?x1x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x?x64xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?x64xf32>) init(%h0 : tensor<?x1x64xf32>) captures(%w : tensor<64x64xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x64xf32>, %row: tensor<?x64xf32>, %weights: tensor<64x64xf32>):
    %z = linalg.matmul ins(%h1, %weights : tensor<?x64xf32>, tensor<64x64xf32>) outs(%row : tensor<?x64xf32>) -> tensor<?x64xf32>
    %next = linalg.generic {
        indexing_maps = [affine_map<(n, j) -> (n, j)>, affine_map<(n, j) -> (n, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%z : tensor<?x64xf32>) outs(%h1 : tensor<?x64xf32>) {
    ^bb0(%e: f32, %out: f32):
      %s = math.tanh %e : f32
      linalg.yield %s : f32
    } -> tensor<?x64xf32>
    scan.yield %next : tensor<?x64xf32>
  } -> tensor<?x?x64xf32>
  return %h : tensor<?x?x64xf32>
}

// -----

// A loop within a row is one thread's; buffers of dynamic extents are temporaries of the
// host, which has one for each block.
// CHECK-LABEL: func.func @within(
// CHECK:         memref.alloc(%{{.*}}) : memref<1x?xi32>
// CHECK-LABEL: gpu.func @within_recurrence0(
// CHECK-NOT:     workgroup(
// CHECK-SAME:    one_thread = 1 : i64
// CHECK:         gpu.barrier
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %thread_id_x, %c0
// CHECK:         scf.if %[[FIRST]] {
// CHECK-NEXT:      scf.for
func.func @within(%a: tensor<?x?xi32>, %i: tensor<1x?xi32>) -> tensor<?x?xi32> {
  %h = scan.recurrence ins(%a : tensor<?x?xi32>) init(%i : tensor<1x?xi32>) dim = 0 {
  ^bb0(%t: index, %above: tensor<?xi32>, %row: tensor<?xi32>):
    %z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %width = tensor.dim %above, %z : tensor<?xi32>
    %next = scf.for %j = %o to %width step %o iter_args(%r = %above) -> tensor<?xi32> {
      %before = arith.subi %j, %o : index
      %left = tensor.extract %r[%before] : tensor<?xi32>
      %e = tensor.extract %row[%j] : tensor<?xi32>
      %s = arith.addi %left, %e : i32
      %n = tensor.insert %s into %r[%j] : tensor<?xi32>
      scf.yield %n : tensor<?xi32>
    }
    scan.yield %next : tensor<?xi32>
  } -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}
