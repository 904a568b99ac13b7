// RUN: scan-opt %s --scan-recurrence-to-blocks --canonicalize --cse --split-input-file | FileCheck %s

// Batches and heads are divided among blocks: what a step reads of the first two dimensions
// it reads at its own indices, weights of the heads included. Of the rest, a product and
// slices, a block computes all.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x?x6xf32>, %{{.*}}: tensor<?x1x?x3xf32>, %[[U:.*]]: tensor<?x3x6xf32>)
// CHECK:         scf.forall (%[[N:.*]], %[[H:.*]]) in (%{{.*}}, %{{.*}}) shared_outs(
// CHECK-DAG:       %[[OWN:.*]] = tensor.extract_slice %[[X]][%[[N]], 0, %[[H]], 0] [1, %{{.*}}, 1, 6]
// CHECK-DAG:       %[[WEIGHTS:.*]] = tensor.extract_slice %[[U]][%[[H]], 0, 0] [1, 3, 6]
// CHECK-DAG:       %[[START:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<1x1x3xf32>
// CHECK:           %[[LOOP:.*]]:2 = scf.for %[[T:.*]] = %{{.*}} iter_args(%[[HISTORY:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[START]])
// CHECK:             tensor.extract_slice %[[OWN]][0, %[[T]], 0, 0]
// CHECK:             bufferization.alloc_tensor() copy(
// CHECK:             linalg.generic {{.*}} ins(%[[BEFORE]], %[[WEIGHTS]] : tensor<1x1x3xf32>, tensor<1x3x6xf32>)
// CHECK:             %[[NEXT:.*]] = linalg.generic
// CHECK:             %[[ROW:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[BEFORE]]
// CHECK:             %[[ROWS:.*]] = tensor.insert_slice %[[ROW]] into %[[HISTORY]][0, %[[T]], 0, 0]
// CHECK:             scf.yield %[[ROWS]], %[[ROW]]
// CHECK:           tensor.parallel_insert_slice
// CHECK:         mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]
func.func @heads(%x: tensor<?x?x?x6xf32>, %h0: tensor<?x1x?x3xf32>, %u: tensor<?x3x6xf32>) -> tensor<?x?x?x3xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?x?x6xf32>) init(%h0 : tensor<?x1x?x3xf32>)
      captures(%u : tensor<?x3x6xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x?x3xf32>, %row: tensor<?x?x6xf32>, %rec: tensor<?x3x6xf32>):
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %batch = tensor.dim %h1, %i0 : tensor<?x?x3xf32>
    %heads = tensor.dim %h1, %i1 : tensor<?x?x3xf32>
    %z = linalg.generic {
        indexing_maps = [affine_map<(n, h, j, k) -> (n, h, k)>, affine_map<(n, h, j, k) -> (h, k, j)>, affine_map<(n, h, j, k) -> (n, h, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%h1, %rec : tensor<?x?x3xf32>, tensor<?x3x6xf32>) outs(%row : tensor<?x?x6xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x?x6xf32>
    %i = tensor.extract_slice %z[0, 0, 0] [%batch, %heads, 3] [1, 1, 1] : tensor<?x?x6xf32> to tensor<?x?x3xf32>
    %f = tensor.extract_slice %z[0, 0, 3] [%batch, %heads, 3] [1, 1, 1] : tensor<?x?x6xf32> to tensor<?x?x3xf32>
    %next = arith.mulf %i, %f : tensor<?x?x3xf32>
    scan.yield %next : tensor<?x?x3xf32>
  } -> tensor<?x?x?x3xf32>
  return %h : tensor<?x?x?x3xf32>
}

// -----

// What is read across, at a place of its own, computed with, or has no index in a result
// is no batch: one block.
// CHECK-LABEL: func.func @across(
// CHECK-COUNT-4: scf.forall (%{{.*}}) in (1) shared_outs
func.func @across(%x: tensor<9x4x5xf32>, %i: tensor<1x4x5xf32>)
    -> (tensor<9x4x5xf32>, tensor<9x4x5xf32>, tensor<9x4x5xf32>, tensor<9x4x5xf32>, tensor<9xf32>) {
  %lane = scan.recurrence ins(%x : tensor<9x4x5xf32>) init(%i : tensor<1x4x5xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4x5xf32>, %row: tensor<4x5xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0, %c0] : tensor<4x5xf32>
    %all = tensor.splat %first : tensor<4x5xf32>
    %s = arith.addf %all, %row : tensor<4x5xf32>
    scan.yield %s : tensor<4x5xf32>
  } -> tensor<9x4x5xf32>
  %shifted = scan.recurrence ins(%x : tensor<9x4x5xf32>) init(%i : tensor<1x4x5xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4x5xf32>, %row: tensor<4x5xf32>):
    %part = tensor.extract_slice %h1[1, 1] [3, 4] [1, 1] : tensor<4x5xf32> to tensor<3x4xf32>
    %s = tensor.insert_slice %part into %row[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<4x5xf32>
    scan.yield %s : tensor<4x5xf32>
  } -> tensor<9x4x5xf32>
  %indexed = scan.recurrence ins(%x : tensor<9x4x5xf32>) init(%i : tensor<1x4x5xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4x5xf32>, %row: tensor<4x5xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%h1 : tensor<4x5xf32>) outs(%row : tensor<4x5xf32>) {
    ^bb0(%a: f32, %b: f32):
      %r = linalg.index 0 : index
      %c = linalg.index 1 : index
      %place = arith.addi %r, %c : index
      %w = arith.index_cast %place : index to i32
      %f = arith.sitofp %w : i32 to f32
      %s = arith.mulf %a, %f : f32
      linalg.yield %s : f32
    } -> tensor<4x5xf32>
    scan.yield %s : tensor<4x5xf32>
  } -> tensor<9x4x5xf32>
  %h, %total = scan.recurrence ins(%x : tensor<9x4x5xf32>) init(%i : tensor<1x4x5xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<4x5xf32>, %row: tensor<4x5xf32>):
    %zero = arith.constant 0.0 : f32
    %scalar = tensor.empty() : tensor<f32>
    %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
    %sum = linalg.reduce ins(%h1 : tensor<4x5xf32>) outs(%start : tensor<f32>) dimensions = [0, 1]
      (%e: f32, %acc: f32) {
        %s = arith.addf %acc, %e : f32
        linalg.yield %s : f32
      }
    %total = tensor.extract %sum[] : tensor<f32>
    scan.yield %row, %total : tensor<4x5xf32>, f32
  } -> tensor<9x4x5xf32>, tensor<9xf32>
  return %lane, %shifted, %indexed, %h, %total : tensor<9x4x5xf32>, tensor<9x4x5xf32>, tensor<9x4x5xf32>, tensor<9x4x5xf32>, tensor<9xf32>
}

// -----

// A history that nobody asks for is none of the loop's results.
// CHECK-LABEL: func.func @last(
// CHECK:         scf.forall (%{{.+}}) in (1) shared_outs(%{{[^,]+}}) -> (tensor<1x1xf32>) {
func.func @last(%x: tensor<1x11xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<1x11xf32>) init(%init : tensor<1x1xf32>) dim = 1 {
  ^bb0(%t: index, %before: tensor<1xf32>, %row: tensor<1xf32>):
    %next = arith.mulf %before, %row : tensor<1xf32>
    scan.yield %next : tensor<1xf32>
  } -> tensor<1x11xf32>, tensor<1x1xf32>
  return %last : tensor<1x1xf32>
}
