// What is expensive and the same at every step is computed once per block of columns
// and kept beside the states: in front of the loop over the steps there is one over the
// columns.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --one-shot-bufferize="bufferize-function-boundaries" --convert-scan-to-loops="vector-bits=0" --split-input-file | FileCheck %s
// RUN: split-file %s %t
// RUN: scan-run %t/decay.mlir --entry=decay --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:3x7x1400:1 --input=random:f32:1400:2
// RUN: scan-run %t/decay.mlir --entry=decay --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:2x1x5:1 --input=random:f32:5:2
// RUN: scan-run %t/decay.mlir --entry=decay --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:2x0x5:1 --input=random:f32:5:2
// RUN: scan-run %t/rotation.mlir --entry=rotation --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:37:1 --input=random:c64:9x37:2
// RUN: scan-run %t/store.mlir --entry=store --target=cpu --check-memory --compare=reference --tolerance=1e-6 --input=random:f32:9x37:1 --input=random:f32:37:2
// RUN: scan-run %t/integers.mlir --entry=integers --target=cpu --check-memory --compare=reference --tolerance=0 --input=random:i32:9x37:1 --input=random:i32:37:2:1:9

//--- decay.mlir
// Also in vectors. What is cheap to compute from the decay is not kept: there is one
// buffer for it and one for the state.
// CHECK-LABEL: func @decay(
// CHECK:         memref.alloca() {{.*}} : memref<[[#]]xi8>
// CHECK:         %[[STATES:.+]] = memref.view
// CHECK-NEXT:    {{.*}} = arith.constant
// CHECK-NEXT:    %[[FIXED:.+]] = memref.view
// CHECK-NOT:     memref.view
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               math.exp
// CHECK:               %[[DECAY:.+]] = arith.divf
// CHECK-NEXT:          memref.store %[[DECAY]], %[[FIXED]]
// CHECK-NOT:       {{math.exp|arith.divf}}
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               memref.load %[[FIXED]]
// CHECK:         return
func.func @decay(%x: tensor<?x?x?xf32>, %p: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %t, %d) : tensor<?x?x?xf32>
  %a, %in = linalg.generic {
      indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (d)>,
                       affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %p : tensor<?x?x?xf32>, tensor<?xf32>) outs(%e, %e : tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %q: f32, %o0: f32, %o1: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %q : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %decay = arith.divf %one, %sum : f32
    %rest = arith.subf %one, %decay : f32
    %w = arith.mulf %rest, %v : f32
    linalg.yield %decay, %w : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  %h = scan.linear_recurrence ins(%a, %in : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// -----

//--- rotation.mlir
// CHECK-LABEL: func @rotation(
// CHECK:         %[[SIN:.+]] = math.sin
// CHECK:         memref.store
// CHECK-NOT:     math.
// CHECK:         return
func.func @rotation(%theta: tensor<?xf32>, %x: tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xcomplex<f32>>
  %n = tensor.dim %x, %c1 : tensor<?x?xcomplex<f32>>
  %e = tensor.empty(%t, %n) : tensor<?x?xcomplex<f32>>
  %a = linalg.generic {
      indexing_maps = [affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%theta : tensor<?xf32>) outs(%e : tensor<?x?xcomplex<f32>>) {
  ^bb0(%angle: f32, %out: complex<f32>):
    %re = math.cos %angle : f32
    %im = math.sin %angle : f32
    %z = complex.create %re, %im : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) dim = 0 reverse -> tensor<?x?xcomplex<f32>>
  return %h : tensor<?x?xcomplex<f32>>
}

// -----

//--- store.mlir
// What results are made of counts, too, and a truth value is kept in a byte.
// CHECK-LABEL: func @store(
// CHECK:         %[[EXP:.+]] = math.exp
// CHECK:         %[[LARGE:.+]] = arith.cmpf ogt, %[[EXP]],
// CHECK:         %[[BYTE:.+]] = arith.extui %[[LARGE]] : i1 to i8
// CHECK:         memref.store %[[BYTE]]
// CHECK-NOT:     {{math.exp|arith.cmpf}}
// CHECK:         return
func.func @store(%x: tensor<?x?xf32>, %scale: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%t, %n) : tensor<?x?xf32>
  %h = scan.associative ins(%x : tensor<?x?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (t, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%h, %scale : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %p: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %exp = math.exp %p : f32
    %large = arith.cmpf ogt, %exp, %one : f32
    %w = arith.mulf %v, %p : f32
    %r = arith.select %large, %w, %v : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

//--- integers.mlir
// There may be no step, and then nothing divides by 0.
// CHECK-LABEL: func @integers(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.divsi
// CHECK:         return
func.func @integers(%x: tensor<?x?xi32>, %by: tensor<?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%t, %n) : tensor<?x?xi32>
  %q = linalg.generic {
      indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (t, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %by : tensor<?x?xi32>, tensor<?xi32>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%v: i32, %p: i32, %out: i32):
    %thousand = arith.constant 1000 : i32
    %r = arith.divsi %thousand, %p : i32
    %s = arith.addi %r, %v : i32
    linalg.yield %s : i32
  } -> tensor<?x?xi32>
  %h = scan.associative ins(%q : tensor<?x?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}
