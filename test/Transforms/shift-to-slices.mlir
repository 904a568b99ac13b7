// RUN: scan-opt %s --scan-shift-to-slices --canonicalize | FileCheck %s

// Extents that are known: so are the slices.
// CHECK-LABEL: func.func @static(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[B:.+]]: tensor<4xf32>)
// CHECK: %[[E:.+]] = tensor.empty() : tensor<4x8xf32>
// CHECK: %[[S:.+]] = tensor.extract_slice %[[E]][0, 5] [4, 3] [1, 1]
// CHECK: %[[F:.+]] = linalg.broadcast ins(%[[B]] : tensor<4xf32>) outs(%[[S]] : tensor<4x3xf32>) dimensions = [1]
// CHECK: %[[I:.+]] = tensor.insert_slice %[[F]] into %[[E]][0, 5] [4, 3] [1, 1]
// CHECK: %[[M:.+]] = tensor.extract_slice %[[X]][0, 3] [4, 5] [1, 1]
// CHECK: %[[R:.+]] = tensor.insert_slice %[[M]] into %[[I]][0, 0] [4, 5] [1, 1]
// CHECK: return %[[R]]
func.func @static(%x: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = scan.shift %x boundary(%b : tensor<4xf32>) dim = 1 by = -3 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Nothing stays within the extent.
// CHECK-LABEL: func.func @all_boundary(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[B:.+]]: f32)
// CHECK: %[[F:.+]] = linalg.fill ins(%[[B]] : f32)
// CHECK-NOT: %[[X]]
// CHECK: return
func.func @all_boundary(%x: tensor<4x8xf32>, %b: f32) -> tensor<4x8xf32> {
  %y = scan.shift %x boundary(%b : f32) dim = 1 by = -9223372036854775808 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %{{.+}}: f32)
// CHECK-NEXT: return %[[X]]
func.func @nothing(%x: tensor<4x8xf32>, %b: f32) -> tensor<4x8xf32> {
  %y = scan.shift %x boundary(%b : f32) dim = 1 by = 0 : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A dynamic extent may be smaller than the distance.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.+]]: tensor<?x4xf32>, %[[B:.+]]: tensor<?xf32>)
// CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[N:.+]] = tensor.dim %[[X]]
// CHECK-DAG: %[[K:.+]] = arith.minui %[[N]], %[[TWO]]
// CHECK-DAG: %[[L:.+]] = arith.subi %[[N]], %[[K]]
// CHECK: linalg.broadcast ins(%{{.+}} : tensor<4xf32>) outs(%{{.+}} : tensor<?x4xf32>) dimensions = [0]
// CHECK: tensor.insert_slice {{.*}}[0, 0] [%[[K]], 4] [1, 1]
// CHECK: tensor.extract_slice %[[X]][0, 0] [%[[L]], 4] [1, 1]
// CHECK: tensor.insert_slice {{.*}}[%[[K]], 0] [%[[L]], 4] [1, 1]
func.func @dynamic(%x: tensor<?x4xf32>, %b: tensor<?xf32>) -> tensor<?x4xf32> {
  %y = scan.shift %x boundary(%b : tensor<?xf32>) dim = 0 by = 2 : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// There are no slices of dimensions of extent 0.
// CHECK-LABEL: func.func @no_elements(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x0xf32>, %{{.+}}: f32)
// CHECK-NEXT: return %[[X]]
func.func @no_elements(%x: tensor<?x?x0xf32>, %b: f32) -> tensor<?x?x0xf32> {
  %y = scan.shift %x boundary(%b : f32) dim = 0 by = -3 : tensor<?x?x0xf32>
  return %y : tensor<?x?x0xf32>
}
