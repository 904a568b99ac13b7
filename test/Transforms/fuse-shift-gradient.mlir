// The gradient of a short convolution: the gradient of its result times each tap, read at other steps.

// RUN: scan-opt %s --scan-normalize --scan-split-results --scan-fuse-elementwise --scan-fuse-reduction-outputs --canonicalize --cse | FileCheck %s
// RUN: scan-run %s --entry=taps --target=emulator --compare=reference --tolerance=1e-5 --input=random:f32:2x9x5:1 --input=random:f32:5:2 --input=random:f32:5:3 | FileCheck %s --check-prefix=AGREES
// RUN: scan-run %s --entry=taps --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x9x5:1 --input=random:f32:5:2 --input=random:f32:5:3 | FileCheck %s --check-prefix=AGREES
// AGREES: against reference

#id = affine_map<(b, t, c) -> (b, t, c)>
#tap = affine_map<(b, t, c) -> (c)>

// The kernel stores what it computes once, and no product with a tap; the sum reads shifts of that, and taps.

// CHECK-LABEL: func.func @taps(
// CHECK-SAME:    %{{[^:]+}}: tensor<?x?x?xf32>, %[[W0:[^:]+]]: tensor<?xf32>, %[[W1:[^:]+]]: tensor<?xf32>)
// CHECK:         %[[H:.+]] = scan.kernel
// CHECK:           store {
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:        scan.yield %{{[^,]+}} : f32
// CHECK:         linalg.generic {{.*}} ins(%[[H]], %[[W0]] :
// CHECK:         %[[S:.+]] = scan.shift %[[H]] {{.*}} by = -1
// CHECK:         linalg.generic {{.*}} ins(%[[S]], %[[W1]] :
// CHECK-NOT:     scan.shift
// CHECK:         return
func.func @taps(%x: tensor<?x?x?xf32>, %w0: tensor<?xf32>, %w1: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %channels = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %h = scan.associative ins(%x : tensor<?x?x?xf32>) dim = 1 reverse {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?x?x?xf32>
  %e = tensor.empty(%batch, %time, %channels) : tensor<?x?x?xf32>
  %p0, %p1 = linalg.generic {indexing_maps = [#id, #tap, #tap, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %w0, %w1 : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%e, %e : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%he: f32, %w0e: f32, %w1e: f32, %out0: f32, %out1: f32):
    %a = arith.mulf %he, %w0e : f32
    %b = arith.mulf %he, %w1e : f32
    linalg.yield %a, %b : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %moved = scan.shift %p1 boundary(%zero : f32) dim = 1 by = -1 : tensor<?x?x?xf32>
  %y = arith.addf %p0, %moved : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Zeros stay zeros in a wider type: what is shifted is read in the narrower one, and no index is asked for.

// CHECK-LABEL: func.func @widened(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x?xbf16>)
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[X]], %[[X]], %{{.+}} : tensor<4x?xbf16>, tensor<4x?xbf16>, bf16)
// CHECK-NOT:     scan.index
// CHECK:         return
func.func @widened(%x: tensor<4x?xbf16>) -> tensor<4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %wide = arith.extf %x : tensor<4x?xbf16> to tensor<4x?xf32>
  %before = scan.shift %wide boundary(%zero : f32) dim = 1 by = 1 : tensor<4x?xf32>
  %sum = arith.addf %wide, %before : tensor<4x?xf32>
  %h = scan.associative ins(%sum : tensor<4x?xf32>) dim = 1 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<4x?xf32>
  return %h : tensor<4x?xf32>
}
