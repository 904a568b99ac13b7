// RUN: scan-opt %s --convert-recurrence-to-loops --canonicalize --cse | FileCheck %s
// RUN: scan-opt %s --scan-raise-recurrence --convert-recurrence-to-scans | FileCheck %s --check-prefix=STAYS
// RUN: scan-opt %s --scan-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: scan-opt %s --scan-differentiate=function=inside | FileCheck %s --check-prefix=BACKWARD

// The second stage of te.scan's tutorial split by 32, with the first one inside.
// CHECK-LABEL: func.func @inside(
// CHECK:         scf.for %[[T:.*]] = %c0 to %c9 step %c1 iter_args(%[[ROWS:.*]] =
// CHECK:           %[[BEFORE:.*]] = tensor.extract_slice %[[ROWS]][%[[T]], 0] [1, 100]
// CHECK:           %[[PLACE:.*]] = bufferization.alloc_tensor() : tensor<100xf32>
// CHECK:           %[[ROW:.*]] = scf.for %[[I:.*]] = %c0 to %c100 step %c32 iter_args(%{{.*}} = %[[PLACE]])
// CHECK:             %[[COUNT:.*]] = affine.min {{.*}}(%[[I]])
// CHECK:             %[[PART:.*]] = tensor.extract_slice %[[BEFORE]][%[[I]]] [%[[COUNT]]]
// CHECK:             %[[TWICE:.*]] = linalg.generic {{.*}} ins(%[[PART]], %[[PART]]
// CHECK:               arith.mulf
// CHECK-NOT:             scan.stage
// CHECK:             linalg.generic {{.*}} ins(%[[TWICE]],
// CHECK:               arith.addf
// CHECK-NOT:             scan.stage
// CHECK:             tensor.insert_slice
// CHECK-NOT:       arith.mulf
// CHECK:           tensor.insert_slice %[[ROW]] into %[[ROWS]]
// CHECK:         return
// STAYS-LABEL: func.func @inside(
// STAYS:         scan.recurrence
// LLVM-LABEL:  llvm.func @inside(
// In a backward pass others read the stage, too.
// BACKWARD-LABEL: func.func @inside_vjp(
// BACKWARD:         scan.recurrence {{.*}} init_rows
// BACKWARD:           arith.mulf {{.*}}#scan.stage<inside>
// BACKWARD:         scan.recurrence {{.*}} reverse
// BACKWARD-NOT:     scan.stage
// BACKWARD:         return
func.func @inside(%x: tensor<9x100xf32>, %i: tensor<1x100xf32>) -> tensor<10x100xf32> {
  %s = scan.recurrence ins(%x : tensor<9x100xf32>) init(%i : tensor<1x100xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %before: tensor<100xf32>, %row: tensor<100xf32>):
    %twice = arith.mulf %before, %before {scan.stage = #scan.stage<inside>} : tensor<100xf32>
    %sum = arith.addf %twice, %row {scan.stage = #scan.stage<split = [32]>} : tensor<100xf32>
    scan.yield %sum : tensor<100xf32>
  } -> tensor<10x100xf32>
  return %s : tensor<10x100xf32>
}

// In front of it, each with loops of its own.
// CHECK-LABEL: func.func @in_front(
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} step %c16
// CHECK:             arith.mulf
// CHECK:           scf.for {{.*}} step %c32
// CHECK-NOT:         arith.mulf
// CHECK:             arith.addf
func.func @in_front(%x: tensor<9x100xf32>, %i: tensor<1x100xf32>) -> tensor<10x100xf32> {
  %s = scan.recurrence ins(%x : tensor<9x100xf32>) init(%i : tensor<1x100xf32>) dim = 0 init_rows {
  ^bb0(%t: index, %before: tensor<100xf32>, %row: tensor<100xf32>):
    %twice = arith.mulf %before, %before {scan.stage = #scan.stage<split = [16]>} : tensor<100xf32>
    %sum = arith.addf %twice, %row {scan.stage = #scan.stage<split = [32]>} : tensor<100xf32>
    scan.yield %sum : tensor<100xf32>
  } -> tensor<10x100xf32>
  return %s : tensor<10x100xf32>
}

// Vectors of 4, where the CPU has 16 elements: a loop over whole ones and one over the
// rest. A sum that a scan could compute, and lanes that a scan of them would have.
// CHECK-LABEL: func.func @vectors(
// CHECK:         scf.for {{.*}} step %c1
// CHECK:           scf.for {{.*}} to %c100 step %c32
// CHECK:             scf.for {{.*}} step %c4
// CHECK:               linalg.generic {{.*}} outs({{.*}} : tensor<4xf32>)
// CHECK:             scf.for {{.*}} step %c4
// CHECK:               linalg.generic {{.*}} outs({{.*}} : tensor<?xf32>)
// STAYS-LABEL: func.func @vectors(
// STAYS:         scan.recurrence
// LLVM-LABEL:  llvm.func @vectors(
// LLVM-NOT:      llvm.fadd {{.*}}vector<16xf32>
// LLVM:          llvm.fadd {{.*}} : vector<4xf32>
func.func @vectors(%x: tensor<9x100xf32>, %i: tensor<1x100xf32>) -> tensor<9x100xf32> {
  %s = scan.recurrence ins(%x : tensor<9x100xf32>) init(%i : tensor<1x100xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<100xf32>, %row: tensor<100xf32>):
    %sum = arith.addf %before, %row {scan.stage = #scan.stage<split = [32], vector = 4>} : tensor<100xf32>
    scan.yield %sum : tensor<100xf32>
  } -> tensor<9x100xf32>
  return %s : tensor<9x100xf32>
}

// Two steps per iteration, of which the second reads what the first one has computed, and
// a loop for the ninth step.
// CHECK-LABEL: func.func @unrolled(
// CHECK:         scf.for {{.*}} to %c8 step %c2
// CHECK:           %[[FIRST:.*]] = arith.addf
// CHECK:           arith.addf
// CHECK:         %[[LAST:.*]] = tensor.extract_slice
// CHECK:         arith.addf
// CHECK-NOT:     scf.for
// CHECK:         return
// STAYS-LABEL: func.func @unrolled(
// STAYS:         scan.recurrence
func.func @unrolled(%x: tensor<9x100xf32>, %i: tensor<1x100xf32>) -> tensor<9x100xf32> {
  %s = scan.recurrence ins(%x : tensor<9x100xf32>) init(%i : tensor<1x100xf32>) dim = 0
      attributes {scan.loops = #scan.loops<unroll = 2>} {
  ^bb0(%t: index, %before: tensor<100xf32>, %row: tensor<100xf32>):
    %sum = arith.addf %before, %row : tensor<100xf32>
    scan.yield %sum : tensor<100xf32>
  } -> tensor<9x100xf32>
  return %s : tensor<9x100xf32>
}

// More than there are steps.
// CHECK-LABEL: func.func @few_steps(
// CHECK-NOT:     scf.for
// CHECK-COUNT-2: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         return
func.func @few_steps(%x: tensor<2x4xf32>, %i: tensor<1x4xf32>) -> tensor<2x4xf32> {
  %s = scan.recurrence ins(%x : tensor<2x4xf32>) init(%i : tensor<1x4xf32>) dim = 0
      attributes {scan.loops = #scan.loops<unroll = 2>} {
  ^bb0(%t: index, %before: tensor<4xf32>, %row: tensor<4xf32>):
    %sum = arith.addf %before, %row : tensor<4xf32>
    scan.yield %sum : tensor<4xf32>
  } -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// The outer of two dimensions; a product of matrices, whose sums stay whole.
// CHECK-LABEL: func.func @product(
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} to %c6 step %c2
// CHECK-NOT:         scf.for
// CHECK:             linalg.matmul ins({{.*}} : tensor<2x8xf32>, tensor<8x8xf32>)
// CHECK:           scf.for {{.*}} to %c6 step %c3
// CHECK:             scf.for {{.*}} to %c8 step %c4
// CHECK:               math.tanh
func.func @product(%x: tensor<9x6x8xf32>, %i: tensor<1x6x8xf32>, %w: tensor<8x8xf32>) -> tensor<9x6x8xf32> {
  %s = scan.recurrence ins(%x : tensor<9x6x8xf32>) init(%i : tensor<1x6x8xf32>) captures(%w : tensor<8x8xf32>) dim = 0 {
  ^bb0(%t: index, %before: tensor<6x8xf32>, %row: tensor<6x8xf32>, %weights: tensor<8x8xf32>):
    %sum = linalg.matmul {scan.stage = #scan.stage<split = [2]>} ins(%before, %weights : tensor<6x8xf32>, tensor<8x8xf32>)
        outs(%row : tensor<6x8xf32>) -> tensor<6x8xf32>
    %next = math.tanh %sum {scan.stage = #scan.stage<split = [3, 4]>} : tensor<6x8xf32>
    scan.yield %next : tensor<6x8xf32>
  } -> tensor<9x6x8xf32>
  return %s : tensor<9x6x8xf32>
}
