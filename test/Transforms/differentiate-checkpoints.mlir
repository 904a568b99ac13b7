// RUN: scan-opt %s --scan-differentiate="function=layer arguments=1,2 checkpoint=32" | FileCheck %s
// RUN: scan-opt %s --scan-differentiate="function=layer arguments=1,2 checkpoint=32" --symbol-privatize="exclude=layer_vjp" --symbol-dce --scan-to-fused=target=cpu --scan-split-destinations --eliminate-empty-tensors --scan-bufferize --cse --canonicalize | FileCheck %s --check-prefix=MEMORY
// RUN: scan-opt %s --scan-differentiate="function=layer arguments=1,2 checkpoint=960" | FileCheck %s --check-prefix=ALL
// RUN: scan-opt %s --scan-differentiate="function=layer arguments=1,2 checkpoint=100" | FileCheck %s --check-prefix=REST

// 960 steps in 30 parts of 32: the forward pass keeps the 30 states between them, and the
// backward pass walks each part again before it goes back through it.
// CHECK-LABEL: func.func @layer_vjp
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0, 1], [2]] output_shape [30, 32, 8] : tensor<960x8xf32> into tensor<30x32x8xf32>
// CHECK:         %[[PARTS:.+]]:2 = scan.recurrence ins({{.*}} : tensor<30x32x8xf32>) init({{.*}} : tensor<1x1x8xf32>) {{.*}} dim = 0 init_rows {
// CHECK:           scan.recurrence ins({{.*}} : tensor<32x8xf32>) init({{.*}} : tensor<1x8xf32>) {{.*}} dim = 0 init_rows {
// CHECK:           scan.yield %{{.+}} : tensor<1x8xf32>
// CHECK:         } -> tensor<31x1x8xf32>, tensor<1x1x8xf32>
// CHECK:         tensor.extract_slice %[[PARTS]]#0[0, 0, 0] [30, 1, 8] [1, 1, 1]
// CHECK:         scan.recurrence ins({{.*}}) init({{.*}}) {{.*}} dim = 0 reverse {
// CHECK:           scan.recurrence {{.*}} dim = 0 init_rows {
// CHECK:           } -> tensor<33x8xf32>, tensor<1x8xf32>
// CHECK:           scan.recurrence {{.*}} dim = 0 reverse {

// Nothing has a row per step but the input: 31 states, and 33 of a part.
// MEMORY-LABEL: func.func @layer_vjp(%{{.+}}: memref<960x8xf32
// MEMORY-NOT:     memref.alloc{{.*}}<96{{[01]}}x
// MEMORY:         memref.alloc{{.*}} : memref<31x1x8xf32>
// MEMORY-NOT:     memref.alloc{{.*}}<96{{[01]}}x
// MEMORY:         memref.alloc{{.*}} : memref<33x8xf32>
// MEMORY-NOT:     memref.alloc{{.*}}<96{{[01]}}x
// MEMORY:         return

// One part is no part.
// ALL-LABEL: func.func @layer_vjp
// ALL:         scan.recurrence {{.*}} dim = 0 init_rows {
// ALL:         } -> tensor<961x8xf32>, tensor<1x8xf32>
// ALL-NOT:     init_rows

// What is left over is walked as it is, from the state behind the parts.
// REST-LABEL: func.func @layer_vjp
// REST:         scan.recurrence ins({{.*}} : tensor<9x100x8xf32>)
// REST:         scan.recurrence ins({{.*}} : tensor<60x8xf32>)
func.func @layer(%x: tensor<960x8xf32>, %h0: tensor<1x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x8xf32> {
  %h, %last = scan.recurrence ins(%x : tensor<960x8xf32>) init(%h0 : tensor<1x8xf32>) captures(%w : tensor<8x8xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<8xf32>, %row: tensor<8xf32>, %weights: tensor<8x8xf32>):
    %sum = linalg.matvec ins(%weights, %h1 : tensor<8x8xf32>, tensor<8xf32>) outs(%row : tensor<8xf32>) -> tensor<8xf32>
    %next = math.tanh %sum : tensor<8xf32>
    scan.yield %next : tensor<8xf32>
  } -> tensor<960x8xf32>, tensor<1x8xf32>
  return %last : tensor<1x8xf32>
}
