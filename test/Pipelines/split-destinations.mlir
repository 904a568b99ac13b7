// RUN: scan-opt %s --scan-split-destinations="max-uses=2" | FileCheck %s
// RUN: scan-opt %s --scan-split-destinations | FileCheck %s --check-prefix=WHOLE
// RUN: not scan-opt %s --scan-split-destinations="max-uses=0" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: scan-split-destinations: expected max-uses of at least 1, found 0

// Uses that follow each other share a destination, of the same extents.
// CHECK-LABEL: func @in_order
// CHECK-SAME: %[[N:.*]]: index
// CHECK:      %[[E0:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E0]] :
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E0]] :
// CHECK-NEXT: %[[E1:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E1]] :
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E1]] :
// CHECK-NEXT: %[[E2:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E2]] :
// CHECK-NEXT: return

// WHOLE-LABEL: func @in_order
// WHOLE-COUNT-1: tensor.empty
// WHOLE-NOT: tensor.empty
// WHOLE: return
func.func @in_order(%n: index, %v: f32)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %4 = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Uses inside of one operation stay together, before which the copy stands.
// CHECK-LABEL: func @nested
// CHECK:      %[[E0:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E0]] :
// CHECK-NEXT: %[[E1:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: scf.if
// CHECK-NEXT:   linalg.fill {{.*}} outs(%[[E1]] :
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[E1]]
// CHECK:      return
func.func @nested(%c: i1, %v: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    %2 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %e : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Uses in other blocks of the region keep the first one.
// CHECK-LABEL: func @blocks
// CHECK:      %[[E0:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:      linalg.fill {{.*}} outs(%[[E0]] :
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E0]] :
// CHECK-NEXT: %[[E1:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E1]] :
// CHECK:      ^bb1:
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[E0]] :
func.func @blocks(%v: f32)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  cf.br ^bb1
^bb1:
  %3 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3
      : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Results of a choice get a destination each, which both branches write; what is used in the branches otherwise stays.
// CHECK-LABEL: func @choice
// CHECK-DAG:  %[[E0:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-DAG:  %[[E1:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:      scf.if
// CHECK-NEXT:   linalg.fill {{.*}} outs(%[[E1]] :
// CHECK-NEXT:   linalg.fill {{.*}} outs(%[[E0]] :
// CHECK:      } else {
// CHECK-NEXT:   linalg.fill {{.*}} outs(%[[E1]] :
// CHECK-NEXT:   linalg.fill {{.*}} outs(%[[E0]] :
func.func @choice(%c: i1, %v: f32, %w: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %r:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.fill ins(%w : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
  } else {
    %2 = linalg.fill ins(%w : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %3 = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Where one branch hands on what is there already, the other one writes there; not into arguments.
// CHECK-LABEL: func @in_place
// CHECK:      %[[X:.*]] = linalg.fill ins(%arg1
// CHECK:      scf.if
// CHECK:        %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:        linalg.fill {{.*}} outs(%[[X]] :
// CHECK-NEXT:   linalg.fill {{.*}} outs(%[[E]] :
// CHECK:      } else {
// CHECK-NEXT:   scf.yield %[[X]], %arg3
func.func @in_place(%c: i1, %v: f32, %w: f32, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
    %own = tensor.empty() : tensor<8xf32>
    %0 = linalg.fill ins(%w : f32) outs(%own : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.fill ins(%w : f32) outs(%own : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
  } else {
    scf.yield %x, %y : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// So do results of one fill, which is repeated with its destination.
// CHECK-LABEL: func @filled_choice
// CHECK:      %[[F0:.*]] = linalg.fill
// CHECK:      %[[E1:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[F1:.*]] = linalg.fill {{.*}} outs(%[[E1]] :
// CHECK:      scf.if
// CHECK-NEXT:   linalg.add {{.*}} outs(%[[F1]] :
// CHECK-NEXT:   linalg.mul {{.*}} outs(%[[F0]] :
// CHECK:      } else {
// CHECK-NEXT:   linalg.mul {{.*}} outs(%[[F1]] :
// CHECK-NEXT:   linalg.add {{.*}} outs(%[[F0]] :
func.func @filled_choice(%c: i1, %v: f32, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.mul ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
  } else {
    %2 = linalg.mul ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    %3 = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
