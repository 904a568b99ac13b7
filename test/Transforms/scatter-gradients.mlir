// RUN: scan-opt %s --scan-scatter-to-select --scan-normalize --scan-fuse-elementwise --canonicalize --cse | FileCheck %s
// RUN: scan-run %s --entry=take_state --target=emulator --seed=3 --compare=reference --input=random:f32:2x40x3:1 --input=random:i64:2x1x3:2:0:40 --input=const:f32::2 --tolerance=1e-5 --output=%t.npy | FileCheck %s --check-prefix=RAN
// RUN: scan-run %s --entry=loss_of_scan --target=emulator --seed=4 --compare=reference --input=random:f32:33x5:1:0:1 --input=random:i64:33x1:2:-1:5 --input=const:f32::0.25 --tolerance=1e-5 --output=%t.npy | FileCheck %s --check-prefix=RAN
// (scatter-numbers.test runs these programs: the lines `run:` are their inputs.)

// RAN: emulator against reference

// The gradient of "take state t of each row": a gradient of the states that is
// zero but for one state, and the adjoint of the recurrence. One kernel, which
// reads the coefficients and the indices: no tensor of zeros.
// CHECK-LABEL: func @take_state
// CHECK-SAME:    (%[[A:.+]]: tensor<2x?x3xf32>, %[[I:.+]]: tensor<2x1x3xi64>, %[[W:.+]]: f32)
// CHECK-NOT:     linalg
// CHECK-NOT:     scan.scatter
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins({{.*}}%[[I]]{{.*}}) outs(%{{[^,]+}} : tensor<2x?x3xf32>)
// CHECK:           load {
// CHECK:             arith.select
// CHECK-NOT:     linalg
// CHECK:         return
// roughly: random:f32:2xNx3:1 random:i64:2x1x3:2:-1:N const:f32::2
func.func @take_state(%a: tensor<2x?x3xf32>, %i: tensor<2x1x3xi64>, %w: f32) -> tensor<2x?x3xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c1 : tensor<2x?x3xf32>
  %empty = tensor.empty(%n) : tensor<2x?x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
  %dh = scan.scatter %w into %zeros at %i dim = 1 : f32 into tensor<2x?x3xf32> at tensor<2x1x3xi64>
  %u = scan.linear_recurrence ins(%a, %dh : tensor<2x?x3xf32>, tensor<2x?x3xf32>) dim = 1 reverse -> tensor<2x?x3xf32>
  return %u : tensor<2x?x3xf32>
}

// The gradient of a cross-entropy loss, (softmax - onehot(target)) * scale. What
// is left besides the softmax is elementwise; nothing is scattered.
// CHECK-LABEL: func @cross_entropy
// CHECK-NOT:     scan.scatter
// CHECK:         arith.select
// CHECK-NOT:     scan.scatter
// CHECK:         return
// roughly: random:f32:Nx7:1 random:i64:Nx1:2:-1:7 const:f32::0.25
func.func @cross_entropy(%x: tensor<?x7xf32>, %target: tensor<?x1xi64>, %scale: f32) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %m = tensor.dim %target, %c0 : tensor<?x1xi64>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %all = tensor.empty(%m) : tensor<?x7xf32>
  %max0 = linalg.fill ins(%least : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<?x7xf32>) outs(%max0 : tensor<?xf32>) dimensions = [1]
  %maxes = linalg.broadcast ins(%max : tensor<?xf32>) outs(%all : tensor<?x7xf32>) dimensions = [1]
  %shifted = arith.subf %x, %maxes : tensor<?x7xf32>
  %exp = math.exp %shifted : tensor<?x7xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<?x7xf32>) outs(%sum0 : tensor<?xf32>) dimensions = [1]
  %sums = linalg.broadcast ins(%sum : tensor<?xf32>) outs(%all : tensor<?x7xf32>) dimensions = [1]
  %softmax = arith.divf %exp, %sums : tensor<?x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%all : tensor<?x7xf32>) -> tensor<?x7xf32>
  %onehot = scan.scatter %one into %zeros at %target dim = -1 : f32 into tensor<?x7xf32> at tensor<?x1xi64>
  %difference = arith.subf %softmax, %onehot : tensor<?x7xf32>
  %scales = tensor.splat %scale[%m] : tensor<?x7xf32>
  %dx = arith.mulf %difference, %scales : tensor<?x7xf32>
  return %dx : tensor<?x7xf32>
}

// The same loss behind a sum over time, given the softmax: its gradient is
// scanned back. One kernel.
// CHECK-LABEL: func @loss_of_scan
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NOT:     scan.kernel dim
// CHECK-NOT:     linalg
// CHECK:         return
// roughly: random:f32:Nx5:1:0:1 random:i64:Nx1:2:-1:5 const:f32::0.25
func.func @loss_of_scan(%softmax: tensor<?x5xf32>, %target: tensor<?x1xi64>, %scale: f32) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %target, %c0 : tensor<?x1xi64>
  %zeros = tensor.splat %zero[%m] : tensor<?x5xf32>
  %onehot = scan.scatter %one into %zeros at %target dim = 1 : f32 into tensor<?x5xf32> at tensor<?x1xi64>
  %difference = arith.subf %softmax, %onehot : tensor<?x5xf32>
  %scales = tensor.splat %scale[%m] : tensor<?x5xf32>
  %dx = arith.mulf %difference, %scales : tensor<?x5xf32>
  %du = scan.associative ins(%dx : tensor<?x5xf32>) dim = 0 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x5xf32>
  return %du : tensor<?x5xf32>
}
