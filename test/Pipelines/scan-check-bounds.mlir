// RUN: scan-opt %s --scan-check-bounds | FileCheck %s
// RUN: scan-opt %s --scan-check-bounds > %t.once; scan-opt %s --scan-check-bounds --scan-check-bounds | grep -c cf.assert > %t.twice
// RUN: grep -c cf.assert %t.once | diff - %t.twice
// RUN: scan-opt %s --scan-check-bounds=in-loops=1 | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[T:.*]]: tensor<?x5xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:         %[[N:.*]] = tensor.dim %[[T]], %{{.*}}
// CHECK:         %[[OK:.*]] = arith.cmpi ult, %[[I]], %[[N]] : index
// CHECK:         cf.assert %[[OK]], "{{.*}}scan-check-bounds.mlir:[[#@LINE+10]]:8: 'tensor.extract' op index is out of bounds in dimension 0"
// CHECK:         %[[FIVE:.*]] = arith.constant 5 : index
// CHECK:         %[[FITS:.*]] = arith.cmpi ult, %[[J]], %[[FIVE]] : index
// CHECK:         cf.assert %[[FITS]], "{{.*}} 'tensor.extract' op index is out of bounds in dimension 1"
// CHECK:         tensor.extract
// CHECK:         cf.assert {{.*}}, "{{.*}} 'tensor.insert' op index is out of bounds in dimension 0"
// CHECK-NOT:     cf.assert
// CHECK:         tensor.insert
// CHECK-NOT:     cf.assert
func.func @elements(%t: tensor<?x5xf32>, %i: index, %j: index) -> tensor<?x5xf32> {
  %e = tensor.extract %t[%i, %j] : tensor<?x5xf32>
  %c4 = arith.constant 4 : index
  %r = tensor.insert %e into %t[%j, %c4] : tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// The whole, and what is known without running, is not checked.

// CHECK-LABEL: func.func @known(
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @known(%t: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x5xf32>, tensor<?x5x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<?x5xf32>
  %s = tensor.extract_slice %t[0, 3] [%n, 2] [1, 1] : tensor<?x5xf32> to tensor<?x2xf32>
  %c = tensor.cast %t : tensor<?x5xf32> to tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %i = tensor.insert_slice %t into %e[0, 0] [%n, 5] [1, 1] : tensor<?x5xf32> into tensor<?x5xf32>
  %x = tensor.expand_shape %t [[0], [1, 2]] output_shape [%n, 5, 1] : tensor<?x5xf32> into tensor<?x5x1xf32>
  return %s, %c, %i, %x : tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x5xf32>, tensor<?x5x1xf32>
}

// Extents are those of where a tensor comes from: checks are no uses of what is
// computed.

// CHECK-LABEL: func.func @source(
// CHECK-SAME:    %[[T:.*]]: tensor<?xf32>,
// CHECK:         %[[Y:.*]] = scan.associative
// CHECK-NOT:     tensor.dim %[[Y]]
// CHECK:         tensor.dim %[[T]]
// CHECK-NOT:     tensor.dim %[[Y]]
// CHECK:         return
func.func @source(%t: tensor<?xf32>, %o: index) -> tensor<7xf32> {
  %y = scan.associative ins(%t : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  %r = tensor.extract_slice %y[%o] [7] [1] : tensor<?xf32> to tensor<7xf32>
  return %r : tensor<7xf32>
}

// A loop over the very dimension needs no check; other indices do.

// CHECK-LABEL: func.func @loops(
// CHECK-NOT:     cf.assert
// CHECK:         return
// LOOPS-LABEL: func.func @loops(
// LOOPS-NOT:     cf.assert
// LOOPS:         tensor.extract
// LOOPS:         cf.assert {{.*}} 'tensor.extract' op index is out of bounds in dimension 0"
// LOOPS-NEXT:    tensor.extract
// LOOPS:         cf.assert {{.*}} 'tensor.extract' op index is out of bounds in dimension 0"
// LOOPS-NEXT:    tensor.extract
// LOOPS-NOT:     cf.assert
// LOOPS:         linalg.generic
// LOOPS-NOT:     cf.assert
// LOOPS:         tensor.extract
// LOOPS:         cf.assert {{.*}} 'tensor.extract' op index is out of bounds in dimension 0"
// LOOPS:         cf.assert {{.*}} 'tensor.extract' op index is out of bounds in dimension 1"
// LOOPS-NEXT:    tensor.extract
// LOOPS-NOT:     cf.assert
// LOOPS:         return
func.func @loops(%t: tensor<?xf32>, %g: tensor<?xindex>, %m: tensor<?x?xf32>) -> (f32, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> f32 {
    %e = tensor.extract %t[%i] : tensor<?xf32>
    %k = tensor.extract %g[%i] : tensor<?xindex>
    %f = tensor.extract %t[%k] : tensor<?xf32>
    %s = arith.addf %sum, %e : f32
    %u = arith.addf %s, %f : f32
    scf.yield %u : f32
  }
  %d = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%d : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %e = tensor.extract %t[%i] : tensor<?xf32>
    %f = tensor.extract %m[%i, %c0] : tensor<?x?xf32>
    %s = arith.addf %e, %f : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r, %y : f32, tensor<?xf32>
}

// A region that is unrolled is nothing to check.

// CHECK-LABEL: func.func @combined(
// CHECK-NOT:     cf.assert
// LOOPS-LABEL: func.func @combined(
// LOOPS-NOT:     cf.assert
func.func @combined(%t: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = scan.associative ins(%t : tensor<?x2xf32>) dim = 0 {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %c1 = arith.constant 1 : index
    %e = tensor.extract %a[%c1] : tensor<2xf32>
    %s = tensor.insert %e into %b[%c1] : tensor<2xf32>
    scan.yield %s : tensor<2xf32>
  } -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Slices that are put together in parallel are checked in front of that.

// LOOPS-LABEL: func.func @parallel(
// LOOPS:         scf.forall
// LOOPS:         cf.assert {{.*}} 'tensor.parallel_insert_slice' op slice is out of bounds in dimension 0"
// LOOPS:         scf.forall.in_parallel
// LOOPS-NOT:     cf.assert
func.func @parallel(%t: tensor<?xf32>, %s: tensor<4xf32>) -> tensor<?xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> tensor<?xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [4] [1] : tensor<4xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}
