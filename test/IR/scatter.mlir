// RUN: scan-opt %s | FileCheck %s --check-prefix=ROUNDTRIP
// RUN: scan-opt %s --mlir-print-op-generic | scan-opt | FileCheck %s --check-prefix=ROUNDTRIP
// RUN: scan-opt %s --canonicalize | FileCheck %s
// RUN: scan-opt %s --emit-bytecode | scan-opt | FileCheck %s --check-prefix=ROUNDTRIP
// RUN: scan-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=REIFY

// A negative dimension counts from the last one.
// ROUNDTRIP-LABEL: func @negative
// ROUNDTRIP:         scan.scatter %{{.+}} into %{{.+}} at %{{.+}} dim = -1 {test.note = "kept"} : f32 into tensor<?x?xf32> at tensor<?x1xi64>
// CHECK-LABEL: func @negative
// CHECK:         scan.scatter %{{.+}} into %{{.+}} at %{{.+}} dim = 1 {test.note = "kept"} : f32
func.func @negative(%v: f32, %d: tensor<?x?xf32>, %i: tensor<?x1xi64>) -> tensor<?x?xf32> {
  %r = scan.scatter %v into %d at %i dim = -1 {test.note = "kept"} : f32 into tensor<?x?xf32> at tensor<?x1xi64>
  return %r : tensor<?x?xf32>
}

// No index, nothing written; unless the empty index tensor might not fit.
// CHECK-LABEL: func @empty
// CHECK-SAME:    (%{{.+}}: tensor<0x3xf32>, %[[D:.+]]: tensor<2x4xf32>
// CHECK-NEXT:    return %[[D]]
func.func @empty(%x: tensor<0x3xf32>, %d: tensor<2x4xf32>, %i: tensor<0x3xindex>) -> tensor<2x4xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<0x3xf32> into tensor<2x4xf32> at tensor<0x3xindex>
  return %r : tensor<2x4xf32>
}
// CHECK-LABEL: func @empty_maybe
// CHECK:         scan.scatter
func.func @empty_maybe(%x: tensor<?x0xf32>, %d: tensor<2x4xf32>, %i: tensor<?x0xindex>) -> tensor<2x4xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<?x0xf32> into tensor<2x4xf32> at tensor<?x0xindex>
  return %r : tensor<2x4xf32>
}

// Equal elements are one scalar, if there are as many as indices.
// CHECK-LABEL: func @splat
// CHECK-SAME:    (%[[V:.+]]: i8,
// CHECK:         scan.scatter %[[V]] into %{{.+}} : i8 into
func.func @splat(%v: i8, %d: tensor<?xi8>, %i: tensor<?xi32>) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi32>
  %x = tensor.splat %v[%n] : tensor<?xi8>
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xi8> into tensor<?xi8> at tensor<?xi32>
  return %r : tensor<?xi8>
}
// CHECK-LABEL: func @splat_maybe
// CHECK:         scan.scatter %{{.+}} : tensor<?xi8> into
func.func @splat_maybe(%v: i8, %d: tensor<?xi8>, %i: tensor<?xi32>, %n: index) -> tensor<?xi8> {
  %x = tensor.splat %v[%n] : tensor<?xi8>
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xi8> into tensor<?xi8> at tensor<?xi32>
  return %r : tensor<?xi8>
}

// Static extents come out from behind casts.
// CHECK-LABEL: func @casts
// CHECK:         %[[R:.+]] = scan.scatter %{{.+}} : f32 into tensor<4x8xf32> at tensor<4x1xi64>
// CHECK:         tensor.cast %[[R]] : tensor<4x8xf32> to tensor<?x?xf32>
func.func @casts(%v: f32, %d: tensor<4x8xf32>, %i: tensor<4x1xi64>) -> tensor<?x?xf32> {
  %e = tensor.cast %d : tensor<4x8xf32> to tensor<?x?xf32>
  %j = tensor.cast %i : tensor<4x1xi64> to tensor<?x?xi64>
  %r = scan.scatter %v into %e at %j dim = 1 : f32 into tensor<?x?xf32> at tensor<?x?xi64>
  return %r : tensor<?x?xf32>
}
// What does not fit is said when the program runs.
// CHECK-LABEL: func @casts_misfit
// CHECK:         scan.scatter %{{.+}} : f32 into tensor<?x?xf32> at tensor<?x?xi64>
func.func @casts_misfit(%v: f32, %d: tensor<4x8xf32>, %i: tensor<5x1xi64>) -> tensor<?x?xf32> {
  %e = tensor.cast %d : tensor<4x8xf32> to tensor<?x?xf32>
  %j = tensor.cast %i : tensor<5x1xi64> to tensor<?x?xi64>
  %r = scan.scatter %v into %e at %j dim = 1 : f32 into tensor<?x?xf32> at tensor<?x?xi64>
  return %r : tensor<?x?xf32>
}

// The extents are those of the destination.
// REIFY-LABEL: func @extents
// REIFY-SAME:    (%{{.+}}: f32, %[[D:.+]]: tensor<?x8xf32>,
// REIFY:         %[[N:.+]] = tensor.dim %[[D]], %c0
// REIFY:         return %[[N]], %c8
func.func @extents(%v: f32, %d: tensor<?x8xf32>, %i: tensor<?x1xi64>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scan.scatter %v into %d at %i dim = 1 : f32 into tensor<?x8xf32> at tensor<?x1xi64>
  %m = tensor.dim %r, %c0 : tensor<?x8xf32>
  %n = tensor.dim %r, %c1 : tensor<?x8xf32>
  return %m, %n : index, index
}
