// RUN: scan-opt %s --scan-normalize --split-input-file | FileCheck %s

// One more leaf: whether there is a start among the elements. An element at a start
// takes the init in, and the combine step then does not look back.
// CHECK-DAG:     #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:     #[[$STEP:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:     #[[$CHANNEL:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @flags(
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xbf16>, %[[I:.+]]: tensor<4xbf16>, %[[S:.+]]: tensor<?xi1>)
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:        ins(%[[X]], %[[S]], %[[I]] : tensor<?x4xbf16>, tensor<?xi1>, tensor<4xbf16>) init(%[[I]] : tensor<4xbf16>)
// CHECK:             maps [#[[$ALL]], #[[$STEP]], #[[$CHANNEL]], #[[$CHANNEL]], #[[$ALL]]]
// CHECK:         load {
// CHECK-NEXT:    ^bb0(%[[E:.+]]: bf16, %[[F:.+]]: i1, %[[H:.+]]: bf16):
// CHECK-DAG:       %[[HW:.+]] = arith.extf %[[H]] : bf16 to f32
// CHECK-DAG:       %[[EW:.+]] = arith.extf %[[E]] : bf16 to f32
// CHECK:           %[[SUM:.+]] = arith.addf %[[HW]], %[[EW]]
// CHECK:           %[[L:.+]] = arith.select %[[F]], %[[SUM]], %[[EW]] : f32
// CHECK:           scan.yield %[[L]], %[[F]] : f32, i1
// CHECK:         initialize {
// CHECK:           %[[NO:.+]] = arith.constant false
// CHECK:           scan.yield %{{.+}}, %[[NO]] : f32, i1
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[X0:.+]]: f32, %[[P:.+]]: i1, %[[X1:.+]]: f32, %[[Q:.+]]: i1):
// CHECK:           %[[XS:.+]] = arith.addf %[[X0]], %[[X1]]
// CHECK:           %[[XN:.+]] = arith.select %[[Q]], %[[X1]], %[[XS]] : f32
// CHECK:           %[[OR:.+]] = arith.ori %[[P]], %[[Q]] : i1
// CHECK:           scan.yield %[[XN]], %[[OR]] : f32, i1
func.func @flags(%x: tensor<?x4xbf16>, %i: tensor<4xbf16>, %s: tensor<?xi1>) -> tensor<?x4xbf16> {
  %y = scan.associative ins(%x : tensor<?x4xbf16>) init(%i : tensor<4xbf16>) segments(%s : tensor<?xi1>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %r = arith.addf %acc, %new : bf16
    scan.yield %r : bf16
  } -> tensor<?x4xbf16>
  return %y : tensor<?x4xbf16>
}

// -----

// Flags that are repeated; before a start there is the init.
// CHECK-DAG:     #[[$ALL2:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:     #[[$REPEATED:.+]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-DAG:     #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @exclusive(
// CHECK:         maps [#[[$ALL2]], #[[$ALL2]], #[[$REPEATED]], #[[$NONE]], #[[$NONE]], #[[$ALL2]]]
// CHECK:         store {
// CHECK-NEXT:    ^bb0(%{{[^,]+}}: f32, %{{[^,]+}}: f32, %{{[^,]+}}: i1, %{{[^,]+}}: f32, %[[B:.+]]: f32, %{{[^,]+}}: i1, %{{[^,]+}}: f32, %{{[^,]+}}: f32, %[[F:.+]]: i1, %[[H:.+]]: f32):
// CHECK:           %[[Y:.+]] = arith.select %[[F]], %[[H]], %[[B]] : f32
// CHECK:           scan.yield %[[Y]] : f32
func.func @exclusive(%x: tensor<4x?xf32>, %i: f32, %s: tensor<1x?xi1>) -> tensor<4x?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<4x?xf32>, tensor<4x?xf32>) init(%i : f32) segments(%s : tensor<1x?xi1>) dim = 1 exclusive -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// One init per step, backwards: the first step, of the highest index, starts from its
// own whatever the flag says, so that the kernel has no init of its own.
// CHECK-LABEL: func.func @per_step(
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[I:.+]]: tensor<?xf32>, %[[S:.+]]: tensor<?xi1>)
// CHECK:         %[[LAST:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NEXT:        ins(%[[X]], %[[X]], %[[S]], %[[I]], %[[LAST]] : tensor<?xf32>, tensor<?xf32>, tensor<?xi1>, tensor<?xf32>, i64) outs(
// CHECK:         load {
// CHECK:           %[[T:.+]] = scan.index 0
// CHECK:           arith.cmpi eq, %[[T]]
// CHECK:           arith.ori
// CHECK-NOT:     initialize
// CHECK:         combine
func.func @per_step(%x: tensor<?xf32>, %i: tensor<?xf32>, %s: tensor<?xi1>) -> tensor<?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) init(%i : tensor<?xf32>) segments(%s : tensor<?xi1>) dim = 0 reverse -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Offsets, unchecked.
// CHECK-LABEL: func.func @offsets(
// CHECK-NOT:     cf.assert
// CHECK:         %[[F:.+]] = scan.head_flags %{{.+}} extent(%{{.+}}) {scan.covers_steps} : tensor<?xi32> -> tensor<?xi1>
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:        ins(%{{.+}}, %{{.+}}, %[[F]] :
// CHECK-NOT:     cf.assert
func.func @offsets(%x: tensor<?xf32>, %s: tensor<?xi32>) -> tensor<?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) segments(%s : tensor<?xi32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}
