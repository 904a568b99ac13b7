// RUN: scan-opt %s --scan-scatter-to-linalg | FileCheck %s
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s --check-prefix=GPU
// (numbers.test runs these programs: the lines `run:` are their inputs.)

// GPU-NOT: scan.scatter
// GPU: gpu.launch_func

// Each element of the result walks the indices of its line: no two threads write
// one element, and the last of several writes to it wins.

// CHECK-DAG: #[[$POINT:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$PLACE:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func @elements(
// CHECK-SAME:    %[[X:.+]]: tensor<5x9xf32>, %[[D:.+]]: tensor<5x7xf32>, %[[I:.+]]: tensor<5x9xi32>)
// CHECK-NOT:     tensor.extract_slice
// CHECK:         linalg.generic {indexing_maps = [#[[$POINT]], #[[$POINT]], #[[$PLACE]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[I]], %[[X]] : {{.*}}) outs(%[[D]] :
// CHECK-NEXT:    ^bb0(%[[INDEX:.+]]: i32, %[[NEW:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK-NEXT:      %[[AT:.+]] = arith.index_cast %[[INDEX]] : i32 to index
// CHECK-NEXT:      %[[HERE:.+]] = linalg.index 1
// CHECK-NEXT:      %[[IS:.+]] = arith.cmpi eq, %[[HERE]], %[[AT]]
// CHECK-NEXT:      %[[E:.+]] = arith.select %[[IS]], %[[NEW]], %[[OLD]]
// CHECK-NEXT:      linalg.yield %[[E]]
// run: random:f32:5x9:1 random:f32:5x7:2 random:i32:5x9:3:-2:9
func.func @elements(%x: tensor<5x9xf32>, %d: tensor<5x7xf32>, %i: tensor<5x9xi32>) -> tensor<5x7xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<5x9xf32> into tensor<5x7xf32> at tensor<5x9xi32>
  return %r : tensor<5x7xf32>
}

// A scalar along the first dimension, at one place of each line.
// CHECK-LABEL: func @scalar(
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// run: const:f64::3 random:f64:6x4:1 random:i64:1x4:2:-1:7
func.func @scalar(%v: f64, %d: tensor<6x4xf64>, %i: tensor<1x4xi64>) -> tensor<6x4xf64> {
  %r = scan.scatter %v into %d at %i dim = -2 : f64 into tensor<6x4xf64> at tensor<1x4xi64>
  return %r : tensor<6x4xf64>
}

// Lines without indices stay: only the others are written to.
// CHECK-LABEL: func @shorter(
// CHECK:         %[[SLICE:.+]] = tensor.extract_slice %{{.*}}[0, 0, 0] [2, 5, 2] [1, 1, 1]
// CHECK:         %[[NEW:.+]] = linalg.generic {{.*}} outs(%[[SLICE]] :
// CHECK:         tensor.insert_slice %[[NEW]] into %{{.*}}[0, 0, 0] [2, 5, 2] [1, 1, 1]
// run: random:f32:2x3x2:1 random:f32:4x5x3:2 random:i8:2x3x2:3:-1:6
func.func @shorter(%x: tensor<2x3x2xf32>, %d: tensor<4x5x3xf32>, %i: tensor<2x3x2xi8>) -> tensor<4x5x3xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<2x3x2xf32> into tensor<4x5x3xf32> at tensor<2x3x2xi8>
  return %r : tensor<4x5x3xf32>
}

// CHECK-LABEL: func @dynamic(
// CHECK:         tensor.extract_slice
// run: random:f32:4x3:1 random:f32:6x5:2 random:i64:4x3:3:-1:6
func.func @dynamic(%x: tensor<?x?xf32>, %d: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<?x?xf32> into tensor<?x?xf32> at tensor<?x?xi64>
  return %r : tensor<?x?xf32>
}

// What a scan makes is scattered, and what was scattered is scanned.
// CHECK-LABEL: func @between_scans(
// roughly: random:f32:4x33:1 random:f32:4x20:2 random:i64:4x33:3:0:20
func.func @between_scans(%x: tensor<4x33xf32>, %d: tensor<4x20xf32>, %i: tensor<4x33xi64>) -> tensor<4x20xf32> {
  %h = scan.associative ins(%x : tensor<4x33xf32>) dim = 1 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x33xf32>
  %r = scan.scatter %h into %d at %i dim = 1 : tensor<4x33xf32> into tensor<4x20xf32> at tensor<4x33xi64>
  %y = scan.associative ins(%r : tensor<4x20xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<4x20xf32>
  return %y : tensor<4x20xf32>
}

// A list of coordinates along one dimension: with that dimension in the source, and
// without.

// CHECK-LABEL: func @list(
// CHECK-SAME:    %[[X:.+]]: tensor<3x5x4xf32>, %[[D:.+]]: tensor<5x7x4xf32>, %[[I:.+]]: tensor<3x1xi32>)
// CHECK:         linalg.generic {indexing_maps = [#[[$LIST:.+]], #[[$PARTS:.+]], #[[$ALL:.+]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[I]], %[[X]] : {{.*}}) outs(%[[D]] :
// run: random:f32:3x5x4:1 random:f32:5x7x4:2 values:i32:3x1:6,0,2
func.func @list(%x: tensor<3x5x4xf32>, %d: tensor<5x7x4xf32>, %i: tensor<3x1xi32>) -> tensor<5x7x4xf32> {
  %r = tensor.scatter %x into %d[%i] scatter_dims([1]) unique : (tensor<3x5x4xf32>, tensor<5x7x4xf32>, tensor<3x1xi32>) -> tensor<5x7x4xf32>
  return %r : tensor<5x7x4xf32>
}

// CHECK-LABEL: func @list_of_slices(
// CHECK:         linalg.generic
// run: random:f32:3x5x1x4:1 random:f32:5x7x4:2 values:index:3x1:6,0,2
func.func @list_of_slices(%x: tensor<?x?x1x?xf32>, %d: tensor<?x?x?xf32>, %i: tensor<?x1xindex>) -> tensor<?x?x?xf32> {
  %r = tensor.scatter %x into %d[%i] scatter_dims([1]) unique : (tensor<?x?x1x?xf32>, tensor<?x?x?xf32>, tensor<?x1xindex>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
