// RUN: scan-opt %s --scan-to-fused | FileCheck %s
// RUN: scan-run %s --entry=mixed --target=emulator --compare=reference --input=random:f32:3x70x4:1:-1:1 --input=random:f32:3x70x4:2 --input=random:f32:4x2:3 --input=random:f32:3x70x2:4
// RUN: scan-run %s --entry=mixed --target=cpu --compare=reference --input=random:f32:3x70x4:1:-1:1 --input=random:f32:3x70x4:2 --input=random:f32:4x2:3 --input=random:f32:3x70x2:4
// RUN: scan-run %s --entry=conjugate_pairs --target=emulator --compare=reference --input=random:c64:2x90x2:1:-0.7:0.7 --input=random:c64:2x90x2:2 --input=random:c64:2:3
// RUN: scan-run %s --entry=conjugate_pairs --target=cpu --compare=reference --input=random:c64:2x90x2:1:-0.7:0.7 --input=random:c64:2x90x2:2 --input=random:c64:2:3
// RUN: scan-run %s --entry=in_order --target=cpu --compare=reference --tolerance=0 --input=random:f32:3x70x2:1:-1:1 --input=random:f32:3x70x2:2 --input=random:f32:2:3

// Sums over the states of a scan, of which bracketing and roundings are free, become
// fused multiply-adds, those that are added to what there was before as well.

#bts = affine_map<(b, t, m, s) -> (b, t, s)>
#mixed = affine_map<(b, t, m, s) -> (s, m)>
#btm = affine_map<(b, t, m, s) -> (b, t, m)>
#state = affine_map<(b, t, s) -> (b, t, s)>
#weight = affine_map<(b, t, s) -> (s)>
#bt = affine_map<(b, t, s) -> (b, t)>

// CHECK-LABEL: func.func @mixed
// CHECK: store
// CHECK-COUNT-8: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK-NOT: arith.mulf
// CHECK: scan.yield
func.func @mixed(%a: tensor<3x?x4xf32>, %b: tensor<3x?x4xf32>, %c: tensor<4x2xf32>,
                 %u: tensor<3x?x2xf32>) -> tensor<3x?x2xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<3x?x4xf32>, tensor<3x?x4xf32>) dim = 1
      -> tensor<3x?x4xf32>
  %y = linalg.generic {indexing_maps = [#bts, #mixed, #btm],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<3x?x4xf32>, tensor<4x2xf32>) outs(%u : tensor<3x?x2xf32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<3x?x2xf32>
  return %y : tensor<3x?x2xf32>
}

// Of a complex product only the real part is needed, twice: x + x is 2 x, to the bit.

// CHECK-LABEL: func.func @conjugate_pairs
// CHECK: store
// CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: %[[PRODUCT:.*]] = complex.mul %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: %[[RE:.*]] = complex.re %[[PRODUCT]]
// CHECK: %[[BOTH:.*]] = arith.mulf %[[RE]], %[[TWO]] fastmath<contract>
// CHECK: %[[SUM:.*]] = arith.addf %[[BOTH]], %{{.*}} fastmath<reassoc,contract>
// CHECK: complex.mul %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: %[[BOTH:.*]] = arith.mulf %{{.*}}, %[[TWO]] fastmath<contract>
// CHECK: arith.addf %[[SUM]], %[[BOTH]] fastmath<reassoc,contract>
func.func @conjugate_pairs(%a: tensor<2x?x2xcomplex<f32>>, %b: tensor<2x?x2xcomplex<f32>>,
                           %c: tensor<2xcomplex<f32>>) -> tensor<2x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %time = tensor.dim %a, %c1 : tensor<2x?x2xcomplex<f32>>
  %x = scan.linear_recurrence
      ins(%a, %b : tensor<2x?x2xcomplex<f32>>, tensor<2x?x2xcomplex<f32>>) dim = 1
      -> tensor<2x?x2xcomplex<f32>>
  %empty = tensor.empty(%time) : tensor<2x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x?xf32>) -> tensor<2x?xf32>
  %y = linalg.generic {indexing_maps = [#state, #weight, #bt],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<2x?x2xcomplex<f32>>, tensor<2xcomplex<f32>>) outs(%none : tensor<2x?xf32>) {
  ^bb0(%xt: complex<f32>, %ct: complex<f32>, %acc: f32):
    %p = complex.mul %ct, %xt : complex<f32>
    %re = complex.re %p : complex<f32>
    %both = arith.addf %re, %re : f32
    %s = arith.addf %acc, %both : f32
    linalg.yield %s : f32
  } -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// Who asks for the left fold gets its roundings, and who asks for the same bits with
// any number of threads gets them.

// CHECK-LABEL: func.func @in_order
// CHECK-NOT: contract
func.func @in_order(%a: tensor<3x?x2xf32>, %b: tensor<3x?x2xf32>, %c: tensor<2xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %time = tensor.dim %a, %c1 : tensor<3x?x2xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<3x?x2xf32>, tensor<3x?x2xf32>) dim = 1
      attributes {order = #scan.order<sequential>} -> tensor<3x?x2xf32>
  %empty = tensor.empty(%time) : tensor<3x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x?xf32>) -> tensor<3x?xf32>
  %y = linalg.generic {indexing_maps = [#state, #weight, #bt],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<3x?x2xf32>, tensor<2xf32>) outs(%none : tensor<3x?xf32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}

// CHECK-LABEL: func.func @deterministic
// CHECK-NOT: contract
func.func @deterministic(%a: tensor<3x?x2xf32>, %b: tensor<3x?x2xf32>, %c: tensor<2xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %time = tensor.dim %a, %c1 : tensor<3x?x2xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<3x?x2xf32>, tensor<3x?x2xf32>) dim = 1
      attributes {order = #scan.order<deterministic>} -> tensor<3x?x2xf32>
  %empty = tensor.empty(%time) : tensor<3x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x?xf32>) -> tensor<3x?xf32>
  %y = linalg.generic {indexing_maps = [#state, #weight, #bt],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<3x?x2xf32>, tensor<2xf32>) outs(%none : tensor<3x?xf32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}
