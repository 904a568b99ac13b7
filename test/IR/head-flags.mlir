// RUN: scan-opt %s | FileCheck %s
// RUN: scan-opt %s | scan-opt | FileCheck %s
// RUN: scan-opt %s --mlir-print-op-generic | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode | scan-opt | FileCheck %s
// RUN: scan-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=REIFY

// Where segments start, and kernels that look it up themselves.

// CHECK-LABEL: func.func @starts(
// CHECK:         scan.head_flags %{{.*}} extent(%{{.*}}) : tensor<?xi32> -> tensor<?xi1>
// CHECK:         scan.head_flags %{{.*}} extent(%{{.*}}) reverse : tensor<?xi64> -> tensor<?xi1>
// CHECK:         scan.head_flags %{{.*}} reverse {note = "kept"} : tensor<3xindex> -> tensor<8xi1>
// REIFY-LABEL: func.func @starts(
// REIFY-SAME:    %[[N:[a-z0-9]+]]: index)
// REIFY:         return %{{.*}}, %{{.*}}, %{{.*}}, %[[N]], %c8
func.func @starts(%a: tensor<?xi32>, %b: tensor<?xi64>, %c: tensor<3xindex>, %n: index) -> (tensor<?xi1>, tensor<?xi1>, tensor<8xi1>, index, index) {
  %0 = scan.head_flags %a extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %1 = scan.head_flags %b extent(%n) reverse : tensor<?xi64> -> tensor<?xi1>
  %2 = scan.head_flags %c reverse {note = "kept"} : tensor<3xindex> -> tensor<8xi1>
  %zero = arith.constant 0 : index
  %3 = tensor.dim %0, %zero : tensor<?xi1>
  %4 = tensor.dim %2, %zero : tensor<8xi1>
  return %0, %1, %2, %3, %4 : tensor<?xi1>, tensor<?xi1>, tensor<8xi1>, index, index
}

// CHECK-LABEL: func.func @dynamic_list(
// CHECK:         attributes {segment_offsets = array<i1: false, true>}
func.func @dynamic_list(%x: tensor<?xf32>, %s: tensor<?xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<?xf32>, tensor<?xi32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A list has an extent of its own, under the constant 0.
// CHECK-LABEL: func.func @static_list(
// CHECK:         scan.kernel dim = 0 reverse
// CHECK-NEXT:      ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<5xi64>)
// CHECK:         attributes {segment_offsets = array<i1: false, true>}
func.func @static_list(%x: tensor<8xf32>, %s: tensor<5xi64>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scan.kernel dim = 0 reverse
      ins(%x, %s : tensor<8xf32>, tensor<5xi64>) outs(%y : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @index_list(
// CHECK:         attributes {segment_offsets = array<i1: false, true>}
func.func @index_list(%x: tensor<8xf32>, %s: tensor<1xindex>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %s : tensor<8xf32>, tensor<1xindex>) outs(%y : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
      attributes {segment_offsets = array<i1: false, true>}
      load {
      ^bb0(%e: f32, %start: i1):
        scan.yield %e, %start : f32, i1
      } combine {
      ^bb0(%x0: f32, %p: i1, %x1: f32, %q: i1):
        %a = arith.addf %x0, %x1 : f32
        %r = arith.select %q, %x1, %a : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1):
        scan.yield %inclusive : f32
      } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
