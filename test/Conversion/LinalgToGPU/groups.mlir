// Threads with several neighbouring elements. (numbers.test runs these programs: the lines
// `run:` are their inputs.)

// RUN: scan-opt %s --scan-to-gpu=dispatch=false --canonicalize --cse --split-input-file | FileCheck %s

// A thread has four elements of a row: it loads and stores them by vectors where they are
// aligned, one by one elsewhere, and computes the root of the row once. At the end of a
// row it takes one element after the other.
// CHECK: #[[$GRID:.*]] = affine_map<()[s0, s1] -> (((s0 * (s1 ceildiv 4)) ceildiv 256) ceildiv
// CHECK-LABEL: gpu.func @rows_map0(
// CHECK-SAME:      scan.grid = #[[$GRID]], scan.items = 4 : i64, scan.strategy = "elementwise"
// CHECK:           %[[GROUP:.*]] = arith.remui %{{.*}}, %{{.*}} : index
// CHECK:           %[[FIRST:.*]] = arith.muli %[[GROUP]], %c4
// CHECK:           %[[END:.*]] = arith.addi %[[FIRST]], %c4
// CHECK:           %[[FULL:.*]] = arith.cmpi ule, %[[END]], %{{.*}}
// CHECK:           scf.if %[[FULL]] {
// CHECK-COUNT-2:     arith.remui %{{.*}}, %c16 : index
// CHECK:             scf.if %[[ALIGNED:.*]] -> (f32, f32, f32, f32) {
// CHECK-NEXT:          llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:             } else {
// CHECK-COUNT-4:       memref.load
// CHECK-COUNT-1:     math.rsqrt
// CHECK-NOT:         math.rsqrt
// CHECK-COUNT-4:     arith.mulf
// CHECK:             scf.if %[[ALIGNED]] {
// CHECK:               llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:             } else {
// CHECK-COUNT-4:       memref.store
// CHECK:           } else {
// CHECK:             scf.for
// CHECK:               math.rsqrt
// CHECK:               memref.store
// run: random:f32:5xN:1 random:f32:5:2:0.5:2
func.func @rows(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %r = math.rsqrt %t : f32
    %e = arith.mulf %a, %r : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Of elements of different sizes the largest decides. Flags are bytes.
// CHECK-LABEL: gpu.func @sizes_map0(
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xbf16>
// CHECK:           llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:           llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr<1>
// run: random:bf16:N:1
func.func @sizes(%x: tensor<?xbf16>) -> (tensor<?xf32>, tensor<?xi1>) {
  %w = arith.extf %x : tensor<?xbf16> to tensor<?xf32>
  %z = arith.subf %w, %w : tensor<?xf32>
  %p = arith.cmpf ogt, %w, %z : tensor<?xf32>
  return %w, %p : tensor<?xf32>, tensor<?xi1>
}

// -----

// CHECK-LABEL: gpu.func @complex_map0(
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-2:   complex.mul
// CHECK:           llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// run: random:c64:3xN:1
func.func @complex(%x: tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xcomplex<f32>>) outs(%x : tensor<?x?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    %e = complex.mul %a, %a : complex<f32>
    linalg.yield %e : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  return %y : tensor<?x?xcomplex<f32>>
}

// -----

// What is transposed is loaded one by one; what begins behind the first element of something
// is not aligned.
// CHECK-LABEL: gpu.func @orders_map0(
// CHECK:           llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-4:   memref.load %{{.*}} : memref<?x?xi32, strided<[?, 1], offset: 1>>
// CHECK:           llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<1>
// run: random:i32:6xN:1 random:i32:Nx6:2
func.func @orders(%x: tensor<?x?xi32>, %t: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %rows = arith.subi %m, %c1 : index
  %rest = tensor.extract_slice %x[1, 0] [%rows, %n] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %other = tensor.extract_slice %t[0, 1] [%n, %rows] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %e = tensor.empty(%rows, %n) : tensor<?x?xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rest, %other : tensor<?x?xi32>, tensor<?x?xi32>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %d = arith.subi %a, %b : i32
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %s = arith.addi %d, %j : i32
    linalg.yield %s : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// -----

// Outputs that are added to: one from what is there, one from a number.
// CHECK-LABEL: gpu.func @sums_map0(
// CHECK-COUNT-3:   llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-2:   llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// run: random:f32:N:1 random:f32:N:2
func.func @sums(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%k : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
                         iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y, %f : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %a : f32
    %d = arith.mulf %p, %a : f32
    linalg.yield %s, %d : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Rows of an odd number of elements, most of which are not aligned, and few elements.
// CHECK-LABEL: gpu.func @odd_map0(
// CHECK-NOT:       vector<
// CHECK:           gpu.return
// run: random:f32:8000x9:1 random:f32:9:2
func.func @odd(%x: tensor<8000x9xf32>, %w: tensor<9xf32>) -> tensor<8000x9xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<8000x9xf32>, tensor<9xf32>) outs(%x : tensor<8000x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %e = arith.mulf %a, %b : f32
    linalg.yield %e : f32
  } -> tensor<8000x9xf32>
  return %y : tensor<8000x9xf32>
}

// -----

// CHECK-LABEL: gpu.func @few_map0(
// CHECK-NOT:       vector<
// CHECK:           gpu.return
// run: random:f32:64:1
func.func @few(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = math.absf %x : tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// As many static elements as two to a thread leave threads for: no end, and no loop.
// CHECK-LABEL: gpu.func @many_map0(
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT:       scf.for
// CHECK:           gpu.return
// run: random:f32:65536:1
func.func @many(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %y = math.absf %x : tensor<65536xf32>
  return %y : tensor<65536xf32>
}
