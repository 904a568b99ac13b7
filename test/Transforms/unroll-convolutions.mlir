// Short convolutions of padded tensors are sums of shifts, whoever reads them.

// RUN: scan-opt %s --scan-unroll-convolutions --canonicalize --cse | FileCheck %s

// On a GPU, what a product of matrices reads, too, is one operation that reads the input alone.

// RUN: scan-opt %s --scan-to-fused | FileCheck %s --check-prefix=FUSED
// RUN: scan-run %s --entry=causal --target=emulator --compare=reference --tolerance=1e-5 \
// RUN:   --input=random:f32:2x9x5:1 --input=random:f32:4x5:2 --input=random:f32:5x3:3 | FileCheck %s --check-prefix=AGREES
// RUN: scan-run %s --entry=causal --target=emulator --compare=reference --tolerance=1e-5 \
// RUN:   --input=random:f32:2x2x5:1 --input=random:f32:4x5:2 --input=random:f32:5x3:3 | FileCheck %s --check-prefix=AGREES
// RUN: scan-run %s --entry=causal --target=cpu --compare=reference --tolerance=1e-5 \
// RUN:   --input=random:f32:2x9x5:1 --input=random:f32:4x5:2 --input=random:f32:5x3:3 | FileCheck %s --check-prefix=AGREES
// AGREES: against reference

#left = affine_map<(b, t, o, i) -> (b, t, i)>
#right = affine_map<(b, t, o, i) -> (i, o)>
#product = affine_map<(b, t, o, i) -> (b, t, o)>

// CHECK-LABEL: func.func @causal(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x?x?xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         scan.shift %[[X]] {{.*}} dim = 1 by = 3
// CHECK:         scan.shift %[[X]] {{.*}} dim = 1 by = 2
// CHECK:         scan.shift %[[X]] {{.*}} dim = 1 by = 1
// CHECK-NOT:     conv
// CHECK:         return
// FUSED-LABEL: func.func @causal(
// FUSED-SAME:    %[[X:[^:]+]]: tensor<?x?x?xf32>
// FUSED-NOT:     tensor.pad
// FUSED:         %[[U:.+]] = linalg.generic {{.*}} ins(%[[X]], %{{[^:]+}} : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
// FUSED-COUNT-3:   tensor.extract %[[X]]
// FUSED-NOT:       tensor.extract
// FUSED:         %[[P:.+]] = linalg.generic {{.*}} ins(%[[U]],
// FUSED:         scan.kernel
// FUSED-NEXT:      ins(%[[U]] :
func.func @causal(%x: tensor<?x?x?xf32>, %w: tensor<4x?xf32>, %m: tensor<?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %outs = tensor.dim %m, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 3, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %empty = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %u = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%padded, %w : tensor<?x?x?xf32>, tensor<4x?xf32>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %none = tensor.empty(%batch, %time, %outs) : tensor<?x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #product],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%u, %m : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%start : tensor<?x?x?xf32>) {
  ^bb0(%ue: f32, %me: f32, %acc: f32):
    %e = arith.mulf %ue, %me : f32
    %s = arith.addf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%u, %u : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h, %p : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}

// One that starts elsewhere than the padding ends reads no shifts of all steps.

// CHECK-LABEL: func.func @strided(
// CHECK:         linalg.depthwise_conv_1d_nwc_wc
func.func @strided(%x: tensor<2x8x4xf32>, %w: tensor<2x4xf32>, %zeros: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %y = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<2x8x4xf32>, tensor<2x4xf32>) outs(%zeros : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}
