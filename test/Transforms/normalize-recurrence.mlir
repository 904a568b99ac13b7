// RUN: scan-opt %s --scan-normalize | FileCheck %s

// CHECK-DAG: #[[$SHARED:.+]] = affine_map<(d0, d1, d2) -> (0, d1, d2)>
// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$STATE:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$ONE:.+]] = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @rnn
// CHECK-SAME:  (%[[A:.+]]: tensor<1x?x64xbf16>, %[[B:.+]]: tensor<?x?x64xbf16>, %[[H0:.+]]: tensor<?x64xbf16>)
// CHECK:         %[[D0:.+]] = tensor.dim %[[B]], %{{.+}}
// CHECK:         %[[D1:.+]] = tensor.dim %[[B]], %{{.+}}
// CHECK:         %[[OUT:.+]] = tensor.empty(%[[D0]], %[[D1]]) : tensor<?x?x64xbf16>
// CHECK:         %[[D2:.+]] = tensor.dim %[[B]], %{{.+}}
// CHECK:         %[[FINAL:.+]] = tensor.empty(%[[D2]]) : tensor<?x64xbf16>
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[A]], %[[B]] : {{.+}}) init(%[[H0]] : {{.+}}) outs(%[[OUT]] : {{.+}}) finals(%[[FINAL]] : {{.+}})
// CHECK-NEXT:      maps [#[[$SHARED]], #[[$ID]], #[[$STATE]], #[[$ID]], #[[$STATE]]]
// CHECK-NEXT:      load {
// CHECK-NEXT:      ^bb0(%[[EA:.+]]: bf16, %[[EB:.+]]: bf16):
// CHECK-NEXT:        %[[XA:.+]] = arith.extf %[[EA]] : bf16 to f32
// CHECK-NEXT:        %[[XB:.+]] = arith.extf %[[EB]] : bf16 to f32
// CHECK-NEXT:        scan.yield %[[XA]], %[[XB]] : f32, f32
// CHECK-NEXT:      } initialize {
// CHECK-NEXT:      ^bb0(%[[E:.+]]: bf16):
// CHECK-NEXT:        %[[UNIT:.+]] = arith.constant 1.0{{.*}} : f32
// CHECK-NEXT:        %[[X:.+]] = arith.extf %[[E]] : bf16 to f32
// CHECK-NEXT:        scan.yield %[[UNIT]], %[[X]] : f32, f32
// CHECK-NEXT:      } combine {
// CHECK-NEXT:      ^bb0(%[[A0:.+]]: f32, %[[B0:.+]]: f32, %[[A1:.+]]: f32, %[[B1:.+]]: f32):
// CHECK-NEXT:        %[[Q:.+]] = arith.mulf %[[A1]], %[[A0]] : f32
// CHECK-NEXT:        %[[T:.+]] = arith.mulf %[[A1]], %[[B0]] : f32
// CHECK-NEXT:        %[[R:.+]] = arith.addf %[[T]], %[[B1]] : f32
// CHECK-NEXT:        scan.yield %[[Q]], %[[R]] : f32, f32
// CHECK-NEXT:      } store {
// CHECK-NEXT:      ^bb0(%{{.+}}: f32, %[[H:.+]]: f32, %{{.+}}: f32, %{{.+}}: f32, %{{.+}}: bf16, %{{.+}}: bf16):
// CHECK-NEXT:        %[[Y:.+]] = arith.truncf %[[H]] : f32 to bf16
// CHECK-NEXT:        scan.yield %[[Y]] : bf16
// CHECK-NEXT:      } finalize {
// CHECK-NEXT:      ^bb0(%{{.+}}: f32, %[[H:.+]]: f32):
// CHECK-NEXT:        %[[Y:.+]] = arith.truncf %[[H]] : f32 to bf16
// CHECK-NEXT:        scan.yield %[[Y]] : bf16
func.func @rnn(%a: tensor<1x?x64xbf16>, %b: tensor<?x?x64xbf16>, %h0: tensor<?x64xbf16>)
    -> (tensor<?x?x64xbf16>, tensor<?x64xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?x64xbf16>, tensor<?x?x64xbf16>)
      init(%h0 : tensor<?x64xbf16>) dim = 1 -> tensor<?x?x64xbf16>, tensor<?x64xbf16>
  return %h, %last : tensor<?x?x64xbf16>, tensor<?x64xbf16>
}

// Extent 1 on both sides is no broadcast, and neither is the scan dimension.
// CHECK-LABEL: func @extents_one
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins
// CHECK-NEXT:      maps [#[[$ID]], #[[$ID]], #[[$ID]]]
// CHECK-NOT:       initialize
// CHECK-NOT:       finalize
func.func @extents_one(%a: tensor<1x1x4xf32>, %b: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<1x1x4xf32>, tensor<1x1x4xf32>) dim = 1 reverse
      -> tensor<1x1x4xf32>
  return %h : tensor<1x1x4xf32>
}

// CHECK-LABEL: func @complex
// CHECK:         initialize {
// CHECK-NEXT:    ^bb0(%[[E:.+]]: complex<f32>):
// CHECK-NEXT:      %[[ONE:.+]] = complex.constant [1.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
// CHECK-NEXT:      scan.yield %[[ONE]], %[[E]]
// CHECK:         combine {
// CHECK-NEXT:    ^bb0(%[[A0:.+]]: complex<f32>, %[[B0:.+]]: complex<f32>, %[[A1:.+]]: complex<f32>, %[[B1:.+]]: complex<f32>):
// CHECK-NEXT:      complex.mul %[[A1]], %[[A0]]
// CHECK-NEXT:      %[[T:.+]] = complex.mul %[[A1]], %[[B0]]
// CHECK-NEXT:      complex.add %[[T]], %[[B1]]
func.func @complex(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>, %h0: complex<f32>)
    -> tensor<?xcomplex<f32>> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      init(%h0 : complex<f32>) dim = 0 -> tensor<?xcomplex<f32>>
  return %h : tensor<?xcomplex<f32>>
}

// CHECK-LABEL: func @integer
// CHECK:         maps [#[[$ONE]], #[[$ONE]], #[[$ONE]]] attributes {order = #scan.order<sequential>}
// CHECK:         load {
// CHECK:           arith.extsi %{{.+}} : i8 to i32
// CHECK:         combine {
// CHECK:           arith.muli {{.+}} : i32
// CHECK-NEXT:      arith.muli {{.+}} : i32
// CHECK-NEXT:      arith.addi {{.+}} : i32
// CHECK:         store {
// CHECK:           arith.trunci %{{.+}} : i32 to i8
func.func @integer(%a: tensor<?xi8>, %b: tensor<?xi8>) -> tensor<?xi8> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?xi8>, tensor<?xi8>) dim = 0
      attributes {accumulator = i32, order = #scan.order<sequential>} -> tensor<?xi8>
  return %h : tensor<?xi8>
}
