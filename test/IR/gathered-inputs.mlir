// Gathered inputs of scan.kernel: as text, as bytecode, and what rewrites leave of them.

// RUN: scan-opt %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: scan-opt %t.mlir | diff %t.mlir -
// RUN: scan-opt %t.mlir --emit-bytecode | scan-opt | diff %t.mlir -
// RUN: scan-opt %t.mlir --emit-bytecode --emit-bytecode-version=5 | scan-opt | diff %t.mlir -
// RUN: scan-opt %t.mlir --emit-bytecode --emit-bytecode-version=4 | scan-opt | diff %t.mlir -
// RUN: scan-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: scan-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @inits
// CHECK:         attributes {gathers = array<i64: -1, 2, -1>}

// Places are read though no region looks at them.
// CANON-LABEL: func.func @inits
// CANON-SAME:    %[[X:.+]]: tensor<8x4xf32>, %[[H:.+]]: tensor<3x4xf32>, %[[N:.+]]: tensor<8xi32>
// CANON:         ins(%[[X]], %[[H]], %[[N]] :
// CANON:         attributes {gathers = array<i64: -1, 2, -1>}
func.func @inits(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %h, %n : tensor<8x4xf32>, tensor<3x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>,
            affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// An input that is not looked at goes, and places that nothing needs any more;
// the same input at the same places is read once, at others twice.
// CANON-LABEL: func.func @simpler
// CANON-SAME:    %[[X:.+]]: tensor<8x4xf32>, %[[H:.+]]: tensor<3x4xf32>, %[[N:.+]]: tensor<8xi32>, %[[M:.+]]: tensor<8xi32>
// CANON:         ins(%[[N]], %[[X]], %[[H]], %[[H]], %[[M]] :
// CANON:         attributes {gathers = array<i64: -1, -1, 0, 4, -1>}
// CANON:         ^bb0(%{{.+}}: i32, %[[E:.+]]: f32, %[[I:.+]]: f32, %[[J:.+]]: f32, %{{.+}}: i32):
// CANON:           %[[A:.+]] = arith.addf %[[I]], %[[I]]
// CANON:           %[[B:.+]] = arith.subf %[[A]], %[[J]]
func.func @simpler(%x: tensor<8x4xf32>, %h: tensor<3x4xf32>, %n: tensor<8xi32>, %m: tensor<8xi32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %n, %x, %h, %h, %n, %h, %m : tensor<8x4xf32>, tensor<8xi32>, tensor<8x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>,
          tensor<8xi32>, tensor<3x4xf32>, tensor<8xi32>) outs(%y : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>,
            affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>,
            affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, -1, -1, 1, 5, -1, 7, -1>}
      load {
      ^bb0(%u: f32, %n0: i32, %e: f32, %i: f32, %j: f32, %n1: i32, %k: f32, %n2: i32):
        %a = arith.addf %i, %j : f32
        %b = arith.subf %a, %k : f32
        %l = arith.addf %e, %b : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %u: f32, %n0: i32, %e: f32, %i: f32, %j: f32, %n1: i32, %k: f32, %n2: i32):
        scan.yield %inclusive : f32
      } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// What is written elsewhere is not what is read there: the result has other memory
// than the input that is gathered, even where their extents are the same.
// BUFFERS-LABEL: func.func @in_place
// BUFFERS-SAME:    %[[X:.+]]: memref<8x4xf32, {{.*}}>, %[[N:.+]]: memref<8xi32, {{.*}}>
// BUFFERS:         memref.alloc
// BUFFERS:         scan.kernel
func.func @in_place(%x: tensor<8x4xf32> {bufferization.writable = true}, %n: tensor<8xi32>) -> tensor<8x4xf32> {
  %0 = scan.kernel dim = 0
      ins(%x, %x, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xi32>) outs(%x : tensor<8x4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>,
            affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: f32, %init: f32, %place: i32):
        %l = arith.addf %e, %init : f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
