// RUN: scan-opt %s --scan-reductions-to-kernels | FileCheck %s
// RUN: scan-opt %s --scan-reductions-to-kernels -o %t.once && scan-opt %t.once --scan-reductions-to-kernels | diff %t.once -
// RUN: scan-opt %s --scan-reductions-to-kernels=reassociate-floats=1 | FileCheck %s --check-prefix=FREE
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: scan-run %s --entry=sums --target=emulator --compare=reference --tolerance=0 --input=random:i32:5x300:1 --input=random:i32:5:2
// RUN: scan-run %s --entry=sums --target=emulator --compare=reference --tolerance=0 --input=random:i32:3x0:1 --input=random:i32:3:2
// RUN: scan-run %s --entry=sums --target=emulator --compare=reference --tolerance=0 --input=random:i32:0x3:1 --input=random:i32:0:2
// RUN: scan-run %s --entry=least --target=emulator --compare=reference --tolerance=0 --seed=3 --input=random:i8:7x65x3:1
// RUN: scan-run %s --entry=least --target=emulator --compare=reference --tolerance=0 --input=random:i8:0x5x3:1
// RUN: scan-run %s --entry=columns --target=emulator --compare=reference --tolerance=0 --input=random:f32:70x9:1
// RUN: scan-run %s --entry=allowed --target=emulator --compare=reference --tolerance=1e-6 --input=random:f32:1000:1
// RUN: scan-run %s --entry=ordered --target=emulator --compare=reference --tolerance=0 --input=random:f32:1000:1

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// What is computed of the elements goes along.

// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%arg0 : tensor<?x?xi32>) init(%arg1 : tensor<?xi32>) finals(%{{.*}} : tensor<?xi32>)
// CHECK:           arith.muli
// CHECK:         combine
// CHECK:           arith.addi
// GPU-LABEL:   func.func @sums(
// GPU:           gpu.launch_func @scan_kernels::@sums_scan0
func.func @sums(%x: tensor<?x?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %s = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %q = arith.muli %a, %a : i32
    %t = arith.addi %acc, %q : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  return %s : tensor<?xi32>
}

// The innermost dimension is short; the others go one after the other, the first
// from the neutral element.

// CHECK-LABEL: func.func @least(
// CHECK-DAG:     %[[MAX:.*]] = arith.constant 127 : i8
// CHECK-DAG:     %[[START:.*]] = arith.constant 7 : i8
// CHECK:         scan.kernel dim = 2
// CHECK-NEXT:      init(%[[MAX]] : i8)
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      init(%[[START]] : i8)
func.func @least(%x: tensor<?x?x3xi8>) -> tensor<3xi8> {
  %c = arith.constant 7 : i8
  %e = tensor.empty() : tensor<3xi8>
  %f = linalg.fill ins(%c : i8) outs(%e : tensor<3xi8>) -> tensor<3xi8>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>],
                       iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<?x?x3xi8>) outs(%f : tensor<3xi8>) {
  ^bb0(%a: i8, %acc: i8):
    %t = arith.minsi %a, %acc : i8
    linalg.yield %t : i8
  } -> tensor<3xi8>
  return %s : tensor<3xi8>
}

// CHECK-LABEL: func.func @columns(
// CHECK:         scan.kernel dim = 1
// CHECK:           arith.maximumf
func.func @columns(%x: tensor<?x9xf32>) -> tensor<9xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x9xf32>) outs(%f : tensor<9xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = arith.maximumf %a, %acc : f32
    linalg.yield %t : f32
  } -> tensor<9xf32>
  return %s : tensor<9xf32>
}

// A sum of floating-point numbers only where that is allowed.

// CHECK-LABEL: func.func @allowed(
// CHECK:         scan.kernel
func.func @allowed(%x: tensor<?xf32>) -> tensor<f32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = arith.addf %a, %acc fastmath<reassoc> : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// CHECK-LABEL: func.func @ordered(
// CHECK-NOT:     scan.kernel
// CHECK:         linalg.generic
// FREE-LABEL:  func.func @ordered(
// FREE:          scan.kernel
// GPU-LABEL:   func.func @ordered(
// GPU:           gpu.launch_func @scan_kernels::@ordered_map0
func.func @ordered(%x: tensor<?xf32>) -> tensor<f32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = arith.addf %a, %acc : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// Short ones, a combiner that does not bracket, and two of them stay.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     scan.kernel
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:     scan.kernel
// CHECK:         return
func.func @others(%x: tensor<?x8xi32>, %z: tensor<?x?xi32>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %s = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %t = arith.addi %a, %acc : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  %u = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<?x?xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %t = arith.subi %acc, %a : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  %v = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<?x?xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %t = arith.muli %acc, %a : i32
    %w = arith.addi %t, %a : i32
    linalg.yield %w : i32
  } -> tensor<?xi32>
  return %s, %u, %v : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// What a scan combines stays: it is computed on scalars.

// CHECK-LABEL: func.func @combined(
// CHECK:         scan.associative
// CHECK-NOT:     scan.kernel
// CHECK:           linalg.generic
// CHECK:         return
func.func @combined(%x: tensor<?x2x64xi32>) -> tensor<?x2x64xi32> {
  %y = scan.associative ins(%x : tensor<?x2x64xi32>) dim = 0 {
  ^bb0(%a: tensor<2x64xi32>, %b: tensor<2x64xi32>):
    %e = tensor.empty() : tensor<2xi32>
    %c = arith.constant 0 : i32
    %f = linalg.fill ins(%c : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
    %s = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<2x64xi32>) outs(%f : tensor<2xi32>) {
    ^bb0(%v: i32, %acc: i32):
      %t = arith.addi %v, %acc : i32
      linalg.yield %t : i32
    } -> tensor<2xi32>
    %w = linalg.broadcast ins(%s : tensor<2xi32>) outs(%a : tensor<2x64xi32>) dimensions = [1]
    %r = arith.addi %w, %b : tensor<2x64xi32>
    scan.yield %r : tensor<2x64xi32>
  } -> tensor<?x2x64xi32>
  return %y : tensor<?x2x64xi32>
}
