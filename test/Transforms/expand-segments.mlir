// RUN: scan-opt %s --scan-expand-segments --split-input-file | FileCheck %s
// RUN: scan-opt %s --scan-expand-segments=check-offsets=false --split-input-file | FileCheck %s --check-prefix=UNCHECKED
// RUN: scan-opt %s --scan-expand-segments=check-in-kernels --split-input-file | FileCheck %s --check-prefix=KERNELS

// UNCHECKED-NOT: cf.assert
// UNCHECKED-NOT: scan.check_offsets

// Kernels are to check the offsets; the mark says which dimension is scanned.
// KERNELS-NOT:   cf.assert
// KERNELS-LABEL: func.func @sum(
// KERNELS:         scan.head_flags %{{.+}} extent(%{{.+}}) {scan.check_offsets = 0 : i64, scan.covers_steps} : tensor<?xi32> -> tensor<?xi1>
// KERNELS-NOT:   cf.assert

// Where segments start is said in one go.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf32>, %[[S:.+]]: tensor<?xi32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[S]] : tensor<?xi32>)
// CHECK:         cf.assert %{{.+}}, "scan: expected the offsets of segments to start with 0, not to decrease, and to end with the extent of dimension 0, which is scanned"
// CHECK:         %[[F:.+]] = scan.head_flags %[[S]] extent(%{{.+}}) {scan.covers_steps} : tensor<?xi32> -> tensor<?xi1>
// CHECK:         scan.associative ins(%[[X]] : tensor<?x4xf32>) segments(%[[F]] : tensor<?xi1>) dim = 0 {
// CHECK:         } -> tensor<?x4xf32>
func.func @sum(%x: tensor<?x4xf32>, %s: tensor<?xi32>) -> tensor<?x4xf32> {
  %y = scan.associative ins(%x : tensor<?x4xf32>) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Backwards a walk starts at the last step of a segment. Attributes stay.
// CHECK-LABEL: func.func @reverse(
// CHECK:         %[[F:.+]] = scan.head_flags %{{.+}} reverse {scan.covers_steps} : tensor<?xindex> -> tensor<8xi1>
// CHECK:         scan.linear_recurrence {{.*}} segments(%[[F]] : tensor<8xi1>) dim = 0 reverse attributes {order = #scan.order<sequential>} -> tensor<8xf32>
func.func @reverse(%x: tensor<8xf32>, %s: tensor<?xindex>) -> tensor<8xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) segments(%s : tensor<?xindex>) dim = 0 reverse
      attributes {order = #scan.order<sequential>} -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Inits are gathered to the steps at which segments start, final states from the last steps: one step
// more than an exclusive scan has. An empty segment keeps its init.
// CHECK-LABEL: func.func @states(
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf32>, %[[I:.+]]: tensor<2x4xf32>, %[[S:.+]]: tensor<3xi64>)
// CHECK:         %[[F:.+]] = scan.head_flags %[[S]] extent(%{{.+}}) {scan.covers_steps} : tensor<3xi64> -> tensor<?xi1>
// CHECK:         %[[N:.+]] = scan.head_flags %[[S]] extent(%{{.+}}) {scan.covers_steps} : tensor<3xi64> -> tensor<?xi64>
// CHECK:         %[[G:.+]] = linalg.generic {{.*}} ins(%[[N]] : tensor<?xi64>)
// CHECK:           %[[K:.+]] = arith.index_cast
// CHECK:           %[[H:.+]] = arith.cmpi ult, %[[K]]
// CHECK:           scf.if %[[H]]
// CHECK:             tensor.extract %[[I]][%[[K]],
// CHECK:           else
// CHECK:         %[[Y:.+]] = scan.linear_recurrence ins(%[[X]], %[[X]] : {{.*}}) init(%[[G]] : tensor<?x4xf32>) segments(%[[F]] : tensor<?xi1>) dim = 0 exclusive -> tensor<?x4xf32>
// CHECK:         %[[L:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK:           scf.if
// CHECK:             tensor.extract %[[I]]
// CHECK:           else
// CHECK:             %[[H:.+]] = tensor.extract %[[Y]]
// CHECK:             arith.mulf %{{.+}}, %[[H]]
// CHECK:         return %[[Y]], %[[L]]
func.func @states(%x: tensor<?x4xf32>, %i: tensor<2x4xf32>, %s: tensor<3xi64>) -> (tensor<?x4xf32>, tensor<2x4xf32>) {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) init(%i : tensor<2x4xf32>)
      segments(%s : tensor<3xi64>) dim = 0 exclusive -> tensor<?x4xf32>, tensor<2x4xf32>
  return %y, %last : tensor<?x4xf32>, tensor<2x4xf32>
}

// -----

// Where a step on rounded states would be off, the scan is inclusive, and shifted.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME:    %[[X:.+]]: tensor<?xbf16>, %[[I:.+]]: bf16
// CHECK:         %[[Y:.+]] = scan.linear_recurrence {{.*}} init(%[[I]] : bf16) segments(%[[F:.+]] : tensor<?xi1>) dim = 0 -> tensor<?xbf16>
// CHECK:         %[[B:.+]] = scan.shift %[[Y]]
// CHECK:         linalg.generic {{.*}} ins(%[[F]], %[[I]], %[[B]] : tensor<?xi1>, bf16, tensor<?xbf16>)
// CHECK:           arith.select
func.func @wide(%x: tensor<?xbf16>, %i: bf16, %s: tensor<?xi32>) -> (tensor<?xbf16>, tensor<?xbf16>) {
  %y, %last = scan.linear_recurrence ins(%x, %x : tensor<?xbf16>, tensor<?xbf16>) init(%i : bf16)
      segments(%s : tensor<?xi32>) dim = 0 exclusive -> tensor<?xbf16>, tensor<?xbf16>
  return %y, %last : tensor<?xbf16>, tensor<?xbf16>
}

// -----

// Flags are what they are.
// CHECK-LABEL: func.func @flags(
// CHECK-NEXT:    scan.linear_recurrence
// CHECK-NEXT:    return
func.func @flags(%x: tensor<8xf32>, %s: tensor<8xi1>) -> tensor<8xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<8xf32>, tensor<8xf32>) segments(%s : tensor<8xi1>) dim = 0 -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A step that divides is not done on zeros: all steps of a segment have its init.
// CHECK-LABEL: func.func @division(
// CHECK:         scan.head_flags {{.*}} -> tensor<8xi1>
// CHECK-NOT:     scan.head_flags
// CHECK:         %[[N:.+]] = linalg.generic {{.*}} outs({{.*}} : tensor<8xi64>)
// CHECK:           scf.while
// CHECK:         linalg.generic {{.*}} ins(%[[N]] : tensor<8xi64>)
func.func @division(%x: tensor<8xi32>, %i: tensor<?xi32>, %s: tensor<?xindex>) -> tensor<8xi32> {
  %y = scan.associative ins(%x : tensor<8xi32>) init(%i : tensor<?xi32>) segments(%s : tensor<?xindex>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %q = arith.divui %new, %acc : i32
    %r = arith.maxui %q, %new : i32
    scan.yield %r : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}
