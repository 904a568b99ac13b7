// RUN: scan-opt %s --scan-differentiate=function=layer | FileCheck %s
// RUN: scan-opt %s --scan-differentiate=function=lanes | FileCheck %s --check-prefix=LANES
// RUN: scan-opt %s --scan-differentiate=function=two_back | FileCheck %s --check-prefix=TWO
// RUN: scan-opt %s --scan-differentiate=function=sides | FileCheck %s --check-prefix=SIDES
// RUN: not scan-opt %s --scan-differentiate=function=branches 2>&1 | FileCheck %s --check-prefix=BRANCHES

// The backward pass is a recurrence in the other direction. What it reads of states are
// slices of the history that the forward pass has written; the gradient of the weights is
// one contraction behind it, over time and batch, and no state of it.
// CHECK-LABEL: func.func @layer_vjp
// CHECK-SAME:    (%[[X:.+]]: tensor<2x9x8xf32>, %[[I:.+]]: tensor<2x1x8xf32>, %[[W:.+]]: tensor<8x8xf32>, %[[DH:.+]]: tensor<2x9x8xf32>)
// CHECK:         %[[H:.+]]:2 = scan.recurrence ins(%[[X]] : {{.*}} dim = 1 init_rows
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[BEFORE:.+]] = tensor.extract_slice %[[H]]#0[0, 0, 0] [2, 9, 8] [1, 1, 1]
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[BACK:.+]]:3 = scan.recurrence ins({{.*}}%[[DH]] : {{.*}} captures(%[[W]] : tensor<8x8xf32>) dim = 1 reverse {
// CHECK:           arith.addf
// CHECK:           linalg.generic
// CHECK:           scan.yield
// CHECK:         } -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x1x8xf32>
// CHECK:         %[[DW:.+]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel", "parallel"]} ins(%[[BEFORE]], %[[BACK]]#1 :
// CHECK:         return %[[BACK]]#1, %[[BACK]]#2, %[[DW]]
func.func @layer(%x: tensor<2x9x8xf32>, %h0: tensor<2x1x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x9x8xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<2x9x8xf32>) init(%h0 : tensor<2x1x8xf32>) captures(%w : tensor<8x8xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<2x8xf32>, %row: tensor<2x8xf32>, %weights: tensor<8x8xf32>):
    %sum = linalg.matmul ins(%h1, %weights : tensor<2x8xf32>, tensor<8x8xf32>) outs(%row : tensor<2x8xf32>) -> tensor<2x8xf32>
    %next = math.tanh %sum : tensor<2x8xf32>
    scan.yield %next : tensor<2x8xf32>
  } -> tensor<2x9x8xf32>, tensor<2x1x8xf32>
  return %h : tensor<2x9x8xf32>
}

// A capture that is read lane by lane: a state sums its gradient up, in f32. No zero is
// kept where nothing was chosen, so that no comparison is in the body.
// LANES-LABEL: func.func @lanes_vjp
// LANES:         scan.recurrence
// LANES:         %[[BACK:.+]]:5 = scan.recurrence {{.*}} init(%{{.+}}, %{{.+}} : tensor<1x8xbf16>, tensor<1x8xf32>)
// LANES-NOT:       arith.cmpf
// LANES:           %[[TERM:.+]] = arith.extf %{{.+}} : tensor<8xbf16> to tensor<8xf32>
// LANES:           %[[SUM:.+]] = arith.addf %{{.+}}, %[[TERM]] : tensor<8xf32>
// LANES:           scan.yield %{{.+}}, %[[SUM]], %{{.+}} : tensor<8xbf16>, tensor<8xf32>, tensor<8xbf16>
// LANES:         arith.truncf %[[BACK]]#4 : tensor<1x8xf32> to tensor<1x8xbf16>
func.func @lanes(%x: tensor<9x8xbf16>, %h0: tensor<1x8xbf16>, %u: tensor<8xbf16>) -> tensor<9x8xbf16> {
  %h = scan.recurrence ins(%x : tensor<9x8xbf16>) init(%h0 : tensor<1x8xbf16>) captures(%u : tensor<8xbf16>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<8xbf16>, %row: tensor<8xbf16>, %weight: tensor<8xbf16>):
    %p = arith.mulf %weight, %h1 : tensor<8xbf16>
    %sum = arith.addf %row, %p : tensor<8xbf16>
    scan.yield %sum : tensor<8xbf16>
  } -> tensor<9x8xbf16>
  return %h : tensor<9x8xbf16>
}

// k = 2: two rows wait for what is given to them, the second one for another step. The
// rows beyond the number of steps get nothing.
// TWO-LABEL: func.func @two_back_vjp
// TWO-SAME:    (%[[X:[^ ]+]]: tensor<9xf32>, %[[I:[^ ]+]]: tensor<2xf32>, %[[N:[^ ]+]]: index, %{{.+}}: tensor<?xf32>)
// TWO:         scan.recurrence {{.*}} init(%{{.+}}, %{{.+}} : tensor<1xf32>, tensor<1xf32>) steps(%[[N]] : index) dim = 0 {
// TWO-NEXT:    ^bb0(%{{.+}}: index, %[[P1:[^ ]+]]: f32, %[[P2:[^ ]+]]: f32, {{.*}}):
// TWO:           %[[G:.+]] = arith.addf %[[P1]], %{{.+}} : f32
// TWO:           %[[NEXT:.+]] = arith.addf %{{.+}}, %[[P2]] : f32
// TWO:           scan.yield %[[NEXT]], %{{.+}}, %[[G]] : f32, f32, f32
// TWO:         tensor.insert_slice %{{.+}} into %{{.+}}[0] [%[[N]]] [1] : tensor<?xf32> into tensor<9xf32>
func.func @two_back(%x: tensor<9xf32>, %i: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %h = scan.recurrence ins(%x : tensor<9xf32>) init(%i : tensor<2xf32>) steps(%n : index) dim = 0 reverse {
  ^bb0(%t: index, %h1: f32, %h2: f32, %row: f32):
    %s = math.sin %h1 : f32
    %p = arith.mulf %s, %h2 : f32
    %sum = arith.addf %p, %row : f32
    scan.yield %sum : f32
  } -> tensor<?xf32>
  return %h : tensor<?xf32>
}

// Both sides of a branch are computed, and loops are unrolled.
// SIDES-LABEL: func.func private @sides_vjp(
// SIDES-NOT:     scf.
// SIDES-COUNT-3: math.tanh
// SIDES:         arith.select
func.func private @sides(%x: tensor<9xf32>, %i: tensor<1xf32>, %c: i1) -> tensor<9xf32> {
  %h = scan.recurrence ins(%x : tensor<9xf32>) init(%i : tensor<1xf32>) captures(%c : i1) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32, %which: i1):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %s = scf.if %which -> f32 {
      %all = scf.for %n = %c0 to %c3 step %c1 iter_args(%acc = %h1) -> f32 {
        %next = math.tanh %acc : f32
        scf.yield %next : f32
      }
      scf.yield %all : f32
    } else {
      scf.yield %row : f32
    }
    scan.yield %s : f32
  } -> tensor<9xf32>
  return %h : tensor<9xf32>
}

// What the condition may guard is not computed without it.
// BRANCHES: differentiate-time-loops.mlir:[[# @LINE + 5]]:10: error: 'scf.if' op is control flow, which is not differentiated
// BRANCHES: differentiate-time-loops.mlir:[[# @LINE + 1]]:1: note: while differentiating 'branches'
func.func @branches(%x: tensor<9x?xf32>, %i: tensor<1x?xf32>, %c: i1) -> tensor<9x?xf32> {
  %h = scan.recurrence ins(%x : tensor<9x?xf32>) init(%i : tensor<1x?xf32>) captures(%c : i1) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>, %which: i1):
    %s = scf.if %which -> f32 {
      %first = tensor.extract %h1[%t] : tensor<?xf32>
      scf.yield %first : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    %c0 = arith.constant 0 : index
    %n = tensor.dim %row, %c0 : tensor<?xf32>
    %all = tensor.splat %s[%n] : tensor<?xf32>
    %next = arith.addf %all, %row : tensor<?xf32>
    scan.yield %next : tensor<?xf32>
  } -> tensor<9x?xf32>
  return %h : tensor<9x?xf32>
}
