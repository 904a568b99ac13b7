// RUN: scan-opt %s | FileCheck %s
// RUN: scan-opt %s | scan-opt | FileCheck %s
// RUN: scan-opt %s --mlir-print-op-generic | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode --emit-bytecode-version=5 | scan-opt | FileCheck %s
// RUN: scan-opt %s --emit-bytecode --emit-bytecode-version=4 | scan-opt | FileCheck %s

// Every part of the syntax.

// CHECK-LABEL: func.func @everything(
// CHECK:         %{{.+}}:6 = scan.recurrence ins(%{{.+}}, %{{.+}} : tensor<?x?x4xf32>, tensor<2x8xi32>)
// CHECK-SAME:      init(%{{.+}}, %{{.+}} : tensor<?x2x4xf32>, tensor<3x1xbf16>)
// CHECK-SAME:      captures(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4x4xf32>, index, f64) steps(%{{.+}} : index)
// CHECK-SAME:      dim = 1 reverse init_rows attributes {test.note = "kept"} {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %{{.+}}: tensor<?x4xf32>, %{{.+}}: tensor<?x4xf32>, %{{.+}}: tensor<3xbf16>, %{{.+}}: tensor<?x4xf32>, %{{.+}}: tensor<2xi32>, %{{.+}}: tensor<4x4xf32>, %{{.+}}: index, %{{.+}}: f64):
// CHECK:           scan.yield %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<?x4xf32>, tensor<3xbf16>, tensor<2xi32>, tensor<5x6xf64>
// CHECK:         } -> tensor<?x?x4xf32>, tensor<3x?xbf16>, tensor<2x?xi32>, tensor<5x?x6xf64>, tensor<?x2x4xf32>, tensor<3x1xbf16>
func.func @everything(%x: tensor<?x?x4xf32>, %y: tensor<2x8xi32>, %i: tensor<?x2x4xf32>, %j: tensor<3x1xbf16>,
                      %w: tensor<4x4xf32>, %k: index, %s: f64, %n: index)
    -> (tensor<?x?x4xf32>, tensor<3x1xbf16>) {
  %r:6 = scan.recurrence ins(%x, %y : tensor<?x?x4xf32>, tensor<2x8xi32>)
      init(%i, %j : tensor<?x2x4xf32>, tensor<3x1xbf16>)
      captures(%w, %k, %s : tensor<4x4xf32>, index, f64) steps(%n : index)
      dim = 1 init_rows reverse attributes {test.note = "kept"} {
  ^bb0(%t: index, %g1: tensor<?x4xf32>, %g2: tensor<?x4xf32>, %h1: tensor<3xbf16>, %rx: tensor<?x4xf32>,
       %ry: tensor<2xi32>, %cw: tensor<4x4xf32>, %ck: index, %cs: f64):
    %g = linalg.matmul ins(%g2, %cw : tensor<?x4xf32>, tensor<4x4xf32>) outs(%rx : tensor<?x4xf32>) -> tensor<?x4xf32>
    %all = tensor.splat %cs : tensor<5x6xf64>
    scan.yield %g, %h1, %ry, %all : tensor<?x4xf32>, tensor<3xbf16>, tensor<2xi32>, tensor<5x6xf64>
  } -> tensor<?x?x4xf32>, tensor<3x?xbf16>, tensor<2x?xi32>, tensor<5x?x6xf64>, tensor<?x2x4xf32>, tensor<3x1xbf16>
  return %r#0, %r#5 : tensor<?x?x4xf32>, tensor<3x1xbf16>
}

// Neither inputs nor captures; rows that are scalars.
// CHECK-LABEL: func.func @fibonacci(
// CHECK:         scan.recurrence init(%{{.+}} : tensor<2xi32>) steps(%{{.+}} : index) dim = 0 {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %{{.+}}: i32, %{{.+}}: i32):
// CHECK:         } -> tensor<?xi32>
func.func @fibonacci(%i: tensor<2xi32>, %n: index) -> tensor<?xi32> {
  %f = scan.recurrence init(%i : tensor<2xi32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %f1: i32, %f2: i32):
    %s = arith.addi %f1, %f2 : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %f : tensor<?xi32>
}

// Extents that are known: of one input, of the histories with and without the rows
// of the init.
// CHECK-LABEL: func.func @extents(
// CHECK:         init(%{{.+}} : tensor<3xi32>) dim = 0 {
// CHECK:         } -> tensor<9xi32>
// CHECK:         init(%{{.+}} : tensor<3xi32>) dim = 0 init_rows {
// CHECK:         } -> tensor<12xi32>
func.func @extents(%x: tensor<?xi32>, %y: tensor<9xi32>, %i: tensor<3xi32>) -> (tensor<9xi32>, tensor<12xi32>) {
  %f = scan.recurrence ins(%x, %y : tensor<?xi32>, tensor<9xi32>) init(%i : tensor<3xi32>) dim = 0 {
  ^bb0(%t: index, %f1: i32, %f2: i32, %f3: i32, %a: i32, %b: i32):
    scan.yield %f3 : i32
  } -> tensor<9xi32>
  %g = scan.recurrence ins(%x, %y : tensor<?xi32>, tensor<9xi32>) init(%i : tensor<3xi32>) dim = 0 init_rows {
  ^bb0(%t: index, %f1: i32, %f2: i32, %f3: i32, %a: i32, %b: i32):
    scan.yield %f3 : i32
  } -> tensor<12xi32>
  return %f, %g : tensor<9xi32>, tensor<12xi32>
}

// Outputs of dynamic extents, time in front of them, between and behind.
// CHECK-LABEL: func.func @outputs(
// CHECK:         init(%{{.+}} : tensor<?x1xf32>) extents(%{{.+}}, %{{.+}}, %{{.+}} : index, index, index) dim = 1 {
// CHECK:         } -> tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9x3x?xf32>
func.func @outputs(%x: tensor<?x9xf32>, %i: tensor<?x1xf32>, %n: index, %m: index)
    -> (tensor<?x9xf32>, tensor<?x9x3x?xf32>) {
  %h, %y, %z = scan.recurrence ins(%x : tensor<?x9xf32>) init(%i : tensor<?x1xf32>)
      extents(%n, %m, %n : index, index, index) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %all = tensor.empty(%t, %t) : tensor<?x3x?xf32>
    scan.yield %h1, %row, %all : tensor<?xf32>, tensor<?xf32>, tensor<?x3x?xf32>
  } -> tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9x3x?xf32>
  return %y, %z : tensor<?x9xf32>, tensor<?x9x3x?xf32>
}

// CHECK-LABEL: func.func @order(
// CHECK:         scan.recurrence
// CHECK-SAME:    attributes {order = #scan.order<deterministic>}
func.func @order(%x: tensor<9xi32>, %i: tensor<1xi32>) -> tensor<9xi32> {
  %h = scan.recurrence ins(%x : tensor<9xi32>) init(%i : tensor<1xi32>) dim = 0
      attributes {order = #scan.order<deterministic>} {
  ^bb0(%t: index, %h1: i32, %row: i32):
    scan.yield %row : i32
  } -> tensor<9xi32>
  return %h : tensor<9xi32>
}

// CHECK-LABEL: func.func @sequential(
// CHECK:         scan.recurrence
// CHECK-SAME:    attributes {order = #scan.order<sequential>}
func.func @sequential(%x: tensor<9xi32>, %i: tensor<1xi32>) -> tensor<9xi32> {
  %h = scan.recurrence ins(%x : tensor<9xi32>) init(%i : tensor<1xi32>) dim = 0
      attributes {order = #scan.order<sequential>} {
  ^bb0(%t: index, %h1: i32, %row: i32):
    scan.yield %row : i32
  } -> tensor<9xi32>
  return %h : tensor<9xi32>
}

// CHECK-LABEL: func.func @segments(
// CHECK:         scan.recurrence ins({{.+}}) init({{.+}}) extents(%{{.+}} : index) segments(%{{.+}} : tensor<?xi32>) dim = 0 {
// CHECK:         } -> tensor<9xi32>, tensor<9x?xi32>, tensor<?xi32>
func.func @segments(%x: tensor<9xi32>, %i: tensor<2xi32>, %n: index, %s: tensor<?xi32>) -> tensor<?xi32> {
  %h, %y, %l = scan.recurrence ins(%x : tensor<9xi32>) init(%i : tensor<2xi32>) extents(%n : index)
      segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%t: index, %h1: i32, %h2: i32, %row: i32):
    %rows = tensor.splat %row[%t] : tensor<?xi32>
    scan.yield %h2, %rows : i32, tensor<?xi32>
  } -> tensor<9xi32>, tensor<9x?xi32>, tensor<?xi32>
  return %l : tensor<?xi32>
}
