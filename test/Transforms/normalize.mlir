// RUN: scan-opt %s --scan-normalize | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-normalize | FileCheck %s

// CHECK-DAG: #[[$ID2:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$NO1:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$SCALAR2:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$ID1:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$SCALAR1:.+]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func @sum
// CHECK-SAME:  (%[[X:.+]]: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[X]], %{{.+}}
// CHECK:         %[[OUT:.+]] = tensor.empty(%[[N]]) : tensor<?x8xf32>
// CHECK:         %[[Y:.+]] = scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[X]] : tensor<?x8xf32>) outs(%[[OUT]] : tensor<?x8xf32>)
// CHECK-NEXT:      maps [#[[$ID2]], #[[$ID2]]]
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[E:.+]]: f32):
// CHECK-NEXT:        scan.yield %[[E]] : f32
// CHECK-NEXT:      } combine {
// CHECK-NEXT:      ^bb0(%[[ACC:.+]]: f32, %[[NEW:.+]]: f32):
// CHECK-NEXT:        %[[S:.+]] = arith.addf %[[ACC]], %[[NEW]] fastmath<nnan> : f32
// CHECK-NEXT:        scan.yield %[[S]] : f32
// CHECK-NEXT:      } store {
// CHECK-NEXT:      ^bb0(%[[I:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-NEXT:        scan.yield %[[I]] : f32
// CHECK-NEXT:      } -> tensor<?x8xf32>
// CHECK:         return %[[Y]] : tensor<?x8xf32>
func.func @sum(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = scan.associative ins(%x : tensor<?x8xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new fastmath<nnan> : f32
    scan.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// A scalar and a tensor init, reversed, exclusive, with final states: the store
// passes on the state before the step, the final is the state after the last.
// CHECK-LABEL: func @affine
// CHECK-SAME:  (%[[A:.+]]: tensor<4x?xf32>, %[[B:.+]]: tensor<4x?xf32>, %[[I:.+]]: f32, %[[J:.+]]: tensor<4xf32>)
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[A]], %{{.+}}
// CHECK-DAG:     %[[OUT0:.+]] = tensor.empty(%[[N]]) : tensor<4x?xf32>
// CHECK-DAG:     %[[M:.+]] = tensor.dim %[[B]], %{{.+}}
// CHECK-DAG:     %[[OUT1:.+]] = tensor.empty(%[[M]]) : tensor<4x?xf32>
// CHECK:         %[[F0:.+]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:    %[[F1:.+]] = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:    %[[Y:.+]]:4 = scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%[[A]], %[[B]] : {{.+}}) init(%[[I]], %[[J]] : f32, tensor<4xf32>) outs(%[[OUT0]], %[[OUT1]] : {{.+}}) finals(%[[F0]], %[[F1]] : {{.+}})
// CHECK-NEXT:      maps [#[[$ID2]], #[[$ID2]], #[[$SCALAR2]], #[[$NO1]], #[[$ID2]], #[[$ID2]], #[[$NO1]], #[[$NO1]]]
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[E0:.+]]: f32, %[[E1:.+]]: f32):
// CHECK-NEXT:        scan.yield %[[E0]], %[[E1]]
// CHECK-NEXT:      } initialize {
// CHECK-NEXT:      ^bb0(%[[E0:.+]]: f32, %[[E1:.+]]: f32):
// CHECK-NEXT:        scan.yield %[[E0]], %[[E1]]
// CHECK-NEXT:      } combine {
// CHECK-NEXT:      ^bb0(%[[A0:.+]]: f32, %[[B0:.+]]: f32, %[[A1:.+]]: f32, %[[B1:.+]]: f32):
// CHECK-NEXT:        %[[Q:.+]] = arith.mulf %[[A1]], %[[A0]]
// CHECK-NEXT:        %[[T:.+]] = arith.mulf %[[A1]], %[[B0]]
// CHECK-NEXT:        %[[R:.+]] = arith.addf %[[T]], %[[B1]]
// CHECK-NEXT:        scan.yield %[[Q]], %[[R]]
// CHECK-NEXT:      } store {
// CHECK-NEXT:      ^bb0(%{{.+}}: f32, %{{.+}}: f32, %[[X0:.+]]: f32, %[[X1:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-NEXT:        scan.yield %[[X0]], %[[X1]]
// CHECK-NEXT:      } finalize {
// CHECK-NEXT:      ^bb0(%[[L0:.+]]: f32, %[[L1:.+]]: f32):
// CHECK-NEXT:        scan.yield %[[L0]], %[[L1]]
// CHECK:         return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2, %[[Y]]#3
func.func @affine(%a: tensor<4x?xf32>, %b: tensor<4x?xf32>, %i: f32, %j: tensor<4xf32>)
    -> (tensor<4x?xf32>, tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y:4 = scan.associative ins(%a, %b : tensor<4x?xf32>, tensor<4x?xf32>)
      init(%i, %j : f32, tensor<4xf32>) dim = 1 reverse exclusive {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<4x?xf32>, tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>
  return %y#0, %y#1, %y#2, %y#3 : tensor<4x?xf32>, tensor<4x?xf32>, tensor<4xf32>, tensor<4xf32>
}

// scan.clone vanishes; leaves may differ in type.
// CHECK-LABEL: func @newest
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[F0:.+]]: i1, %{{.+}}: f64, %[[F1:.+]]: i1, %[[X1:.+]]: f64):
// CHECK-NEXT:      %[[F:.+]] = arith.ori %[[F0]], %[[F1]] : i1
// CHECK-NEXT:      scan.yield %[[F]], %[[X1]] : i1, f64
func.func @newest(%flag: tensor<?xi1>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %f, %y = scan.associative ins(%flag, %x : tensor<?xi1>, tensor<?xf64>) dim = 0 {
  ^bb0(%f0: i1, %x0: f64, %f1: i1, %x1: f64):
    %f = arith.ori %f0, %f1 : i1
    %n = scan.clone %x1 : f64
    scan.yield %f, %n : i1, f64
  } -> tensor<?xi1>, tensor<?xf64>
  return %y : tensor<?xf64>
}

// What the scan promises, and its schedule, stay with the kernel; so do
// attributes of other dialects. What is assumed of leaves does not: the kernel's
// are others.
// CHECK-LABEL: func @attributes
// CHECK:         scan.kernel
// CHECK:         attributes {
// CHECK-SAME:      order = #scan.order<deterministic>
// CHECK-SAME:      schedule = #scan.schedule<strategy = row, threads = 64, items = 2>
// CHECK-SAME:      test.note = 1 : i64}
func.func @attributes(%x: tensor<?xi64>) -> tensor<?xi64> {
  %y = scan.associative ins(%x : tensor<?xi64>) dim = 0
      attributes {order = #scan.order<deterministic>, test.note = 1,
                  scan.assume = [#scan.invariant<leaf = 0, ge = 0>],
                  schedule = #scan.schedule<strategy = row, threads = 64, items = 2>} {
  ^bb0(%acc: i64, %new: i64):
    %s = arith.maxsi %acc, %new : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// The error of each sum is the second leaf; it starts at zero.
// CHECK-LABEL: func @compensated
// CHECK:         init(%{{.+}} : f64)
// CHECK:         maps [#[[$ID1]], #[[$SCALAR1]], #[[$ID1]], #[[$SCALAR1]]]
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[E:.+]]: f64):
// CHECK-NEXT:        %[[ZERO:.+]] = arith.constant 0.0{{.*}} : f64
// CHECK-NEXT:        scan.yield %[[E]], %[[ZERO]]
// CHECK-NEXT:      } initialize {
// CHECK-NEXT:      ^bb0(%[[E:.+]]: f64):
// CHECK-NEXT:        %[[ZERO:.+]] = arith.constant 0.0{{.*}} : f64
// CHECK-NEXT:        scan.yield %[[E]], %[[ZERO]]
// CHECK-NEXT:      } combine {
// CHECK-NEXT:      ^bb0(%[[S0:.+]]: f64, %[[C0:.+]]: f64, %[[S1:.+]]: f64, %[[C1:.+]]: f64):
// CHECK-NEXT:        %[[S:.+]] = arith.addf %[[S0]], %[[S1]] : f64
// CHECK-NEXT:        %[[V:.+]] = arith.subf %[[S]], %[[S0]] : f64
// CHECK-NEXT:        %[[U:.+]] = arith.subf %[[S]], %[[V]] : f64
// CHECK-NEXT:        %[[D0:.+]] = arith.subf %[[S0]], %[[U]] : f64
// CHECK-NEXT:        %[[D1:.+]] = arith.subf %[[S1]], %[[V]] : f64
// CHECK-NEXT:        %[[E:.+]] = arith.addf %[[D0]], %[[D1]] : f64
// CHECK-NEXT:        %[[C01:.+]] = arith.addf %[[C0]], %[[C1]] : f64
// CHECK-NEXT:        %[[C:.+]] = arith.addf %[[C01]], %[[E]] : f64
// CHECK-NEXT:        scan.yield %[[S]], %[[C]]
// CHECK-NEXT:      } store {
// CHECK-NEXT:      ^bb0(%[[S:.+]]: f64, %[[C:.+]]: f64, %{{.+}}: f64, %{{.+}}: f64, %{{.+}}: f64):
// CHECK-NEXT:        %[[ORD:.+]] = arith.cmpf ord, %[[C]], %[[C]]
// CHECK-NEXT:        %[[T:.+]] = arith.addf %[[S]], %[[C]]
// CHECK-NEXT:        %[[R:.+]] = arith.select %[[ORD]], %[[T]], %[[S]]
// CHECK-NEXT:        scan.yield %[[R]]
// CHECK-NEXT:      } finalize {
// CHECK-NEXT:      ^bb0(%[[S:.+]]: f64, %[[C:.+]]: f64):
// CHECK:             %[[R:.+]] = arith.select
// CHECK-NEXT:        scan.yield %[[R]]
func.func @compensated(%x: tensor<?xf64>, %i: f64) -> (tensor<?xf64>, tensor<f64>) {
  %y, %last = scan.associative ins(%x : tensor<?xf64>) init(%i : f64) dim = 0
      attributes {compensated} {
  ^bb0(%acc: f64, %new: f64):
    %s = arith.addf %acc, %new fastmath<fast> : f64
    scan.yield %s : f64
  } -> tensor<?xf64>, tensor<f64>
  return %y, %last : tensor<?xf64>, tensor<f64>
}

// Leaves without elements leave nothing to compute.
// CHECK-LABEL: func @no_elements
// CHECK-NOT:     scan.
// CHECK:         %[[Y:.+]] = tensor.empty(%{{.+}}) : tensor<?x0xf32>
// CHECK:         %[[L:.+]] = tensor.empty() : tensor<0xf32>
// CHECK:         return %[[Y]], %[[L]]
func.func @no_elements(%x: tensor<?x0xf32>) -> (tensor<?x0xf32>, tensor<0xf32>) {
  %y, %last = scan.associative ins(%x : tensor<?x0xf32>) dim = 0 {
  ^bb0(%acc: tensor<0xf32>, %new: tensor<0xf32>):
    %s = arith.addf %acc, %new : tensor<0xf32>
    scan.yield %s : tensor<0xf32>
  } -> tensor<?x0xf32>, tensor<0xf32>
  return %y, %last : tensor<?x0xf32>, tensor<0xf32>
}
