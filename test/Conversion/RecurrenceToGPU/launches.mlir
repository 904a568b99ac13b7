// RUN: scan-opt %s --split-input-file --scan-recurrence-to-blocks --canonicalize --cse | FileCheck %s --check-prefix=LOOP
// RUN: scan-opt %s --split-input-file --scan-to-gpu | FileCheck %s --check-prefix=GPU

// An element that all lanes read is read by each thread. The history has the row of the init in
// front, so that no step chooses where its row is.
// LOOP-LABEL: func.func @cross(
// LOOP:         %[[INIT:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
// LOOP:         %[[H:.*]] = scf.for %[[T:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[OLD:.*]] = %[[INIT]]) -> (tensor<?x8xf32>)
// LOOP:           %[[BEFORE:.*]] = tensor.extract_slice %[[OLD]][%[[T]], 0] [1, 8] [1, 1]
// LOOP-NOT:       tensor.splat
// LOOP:           %[[NEXT:.*]] = linalg.generic
// LOOP-SAME:        ins(%[[BEFORE]], %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// LOOP:             tensor.extract %[[BEFORE]][%c0]
// LOOP:           %[[AT:.*]] = arith.addi %[[T]], %c1
// LOOP:           tensor.insert_slice %[[NEXT]] into %[[OLD]][%[[AT]], 0] [1, 8] [1, 1]
// LOOP:         tensor.extract_slice %[[H]][1, 0]

// Each step is one launch, which reads a row of the history and writes the next one. What all
// threads read is no element that the host reads.
// GPU-LABEL: func.func @cross(
// GPU:         %[[HISTORY:.*]] = memref.alloc
// GPU:         scf.for %[[T:.*]] = %c0 to %{{.*}} step %c1 {
// GPU-NOT:       memref.alloc
// GPU-NOT:       memref.load
// GPU:           gpu.launch_func @scan_kernels::@cross_map1
// GPU-NOT:       gpu.launch_func
// GPU:         }
func.func @cross(%x: tensor<?x8xf32>, %i: tensor<1x8xf32>) -> tensor<?x8xf32> {
  %h = scan.recurrence ins(%x : tensor<?x8xf32>) init(%i : tensor<1x8xf32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<8xf32>, %row: tensor<8xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0] : tensor<8xf32>
    %all = tensor.splat %first : tensor<8xf32>
    %scaled = arith.mulf %h1, %row : tensor<8xf32>
    %next = arith.addf %scaled, %all : tensor<8xf32>
    scan.yield %next : tensor<8xf32>
  } -> tensor<?x8xf32>
  return %h : tensor<?x8xf32>
}

// -----

// Rows that are scalars, of two states that change places; what follows from the step is
// computed by the threads. In reverse, the rows of the init are behind the others.
// LOOP-LABEL: func.func @scalars(
// LOOP:         scf.for %[[T:.*]] = %c0 to %c5 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<6xf32>, tensor<6xf32>)
// LOOP-DAG:       %[[STEP:.*]] = arith.subi %c4, %[[T]]
// LOOP:           tensor.extract_slice %[[A]]
// LOOP-SAME:        [1] [1] : tensor<6xf32> to tensor<f32>
// LOOP:           linalg.generic
// LOOP:             tensor.extract
// LOOP:             arith.index_cast %[[STEP]]
// LOOP:             arith.sitofp

// GPU-LABEL: func.func @scalars(
// GPU:         scf.for
// GPU-NOT:       memref.load
// GPU-NOT:       memref.store
// GPU-NOT:       memref.alloc
// GPU:         }
func.func @scalars(%i: tensor<1xf32>, %j: tensor<1xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %steps = arith.constant 5 : index
  %a, %b = scan.recurrence init(%i, %j : tensor<1xf32>, tensor<1xf32>) steps(%steps : index) dim = 0 reverse
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %a1: f32, %b1: f32):
    %n = arith.index_cast %t : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %b1, %f : f32
    scan.yield %s, %a1 : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// -----

// Without steps there is no loop.
// LOOP-LABEL: func.func @none(
// LOOP-NOT:     scf.for
func.func @none(%x: tensor<0x8xf32>, %i: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<0x8xf32>) init(%i : tensor<1x8xf32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<8xf32>, %row: tensor<8xf32>):
    %next = arith.mulf %h1, %row : tensor<8xf32>
    scan.yield %next : tensor<8xf32>
  } -> tensor<0x8xf32>, tensor<1x8xf32>
  return %last : tensor<1x8xf32>
}
