// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
// (numbers.test runs these programs: the lines `run:` are their inputs.)

// A scatter takes linear time: atomic maxima find the last step that writes to an
// element, which then looks it up. What was cleared for that takes no launch.

// CHECK-LABEL: func @stream(
// CHECK:         %[[MARKS:.+]] = memref.alloc(%{{.+}}) : memref<?xi64>
// CHECK:         gpu.memset %[[MARKS]], %{{.+}} : memref<?xi64>, i64
// CHECK:         gpu.launch_func @scan_kernels::@stream_map0
// CHECK:         gpu.launch_func @scan_kernels::@stream_map1
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
// CHECK-LABEL: gpu.func @stream_map0(
// CHECK-SAME:    %{{.+}}: memref<i32>, %{{.+}}: memref<i64>, %{{.+}}: index, %{{.+}}: index) kernel
// CHECK-SAME:    role = "input", type = i32
// CHECK-SAME:    role = "output", type = i64
// CHECK-NOT:     scf.for
// CHECK:         %[[KEY:.+]] = arith.index_cast %{{.+}} : i32 to index
// CHECK:         %[[IS:.+]] = arith.cmpi ult, %[[KEY]], %{{.+}} : index
// CHECK-NEXT:    scf.if %[[IS]] {
// CHECK:           llvm.atomicrmw max %{{.+}}, %{{.+}} syncscope("device") monotonic
// CHECK-LABEL: gpu.func @stream_map1(
// CHECK-NOT:     scf.for
// CHECK:         %[[LAST:.+]] = memref.load %{{.+}} : memref<?xi64
// CHECK:         %[[HAS:.+]] = arith.cmpi ne, %[[LAST]], %c0_i64
// CHECK-NEXT:    %[[NEW:.+]] = scf.if %[[HAS]] -> (f32) {
// CHECK:           memref.load
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %cst : f32
// CHECK:         memref.store %[[NEW]]
// CHECK:         gpu.return

// Places along which keys do not differ share their marks: `list` has one for each of
// the seven places.
// CHECK-LABEL: gpu.func @list_map0(
// CHECK-SAME:    memref<i64>
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [7], strides: [1] : memref<i64>

// A walk of one step stays one.
// CHECK-LABEL: gpu.func @one_map0(
// CHECK-NOT:     llvm.atomicrmw

// run: random:f32:N:1 random:i32:N:2:-3:N
func.func @stream(%x: tensor<?xf32>, %i: tensor<?xi32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %fill = arith.constant 3.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %d = linalg.fill ins(%fill : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  return %r : tensor<?xf32>
}

// Many steps for few places, in descending order of the positions, so that the last one
// is the first that a later block finds.
// run: random:i64:10000:1 random:i64:7:2 random:i64:10000:3:-2:9
func.func @crowded(%x: tensor<?xi64>, %d: tensor<?xi64>, %i: tensor<?xi64>) -> tensor<?xi64> {
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xi64> into tensor<?xi64> at tensor<?xi64>
  return %r : tensor<?xi64>
}

// run: random:f64:N:1 random:f64:10000:2 random:index:N:3:-5:10020
func.func @sparse(%x: tensor<?xf64>, %d: tensor<10000xf64>, %i: tensor<?xindex>) -> tensor<10000xf64> {
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xf64> into tensor<10000xf64> at tensor<?xindex>
  return %r : tensor<10000xf64>
}

// Place = extent - 1 - step: the positions in reverse order.
// run: random:f32:N:1
func.func @reversed(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n) : tensor<?xindex>
  %i = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xindex>) {
  ^bb0(%o: index):
    %step = linalg.index 0 : index
    %at = arith.subi %last, %step : index
    linalg.yield %at : index
  } -> tensor<?xindex>
  %d = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %r = scan.scatter %x into %z at %i dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xindex>
  return %r : tensor<?xf32>
}

// The dimension is in the middle, of bf16.
// run: random:bf16:3xNx2:1 random:bf16:3x6x2:2 random:i16:3xNx2:3:-1:7
func.func @middle(%x: tensor<3x?x2xbf16>, %d: tensor<3x6x2xbf16>, %i: tensor<3x?x2xi16>) -> tensor<3x6x2xbf16> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<3x?x2xbf16> into tensor<3x6x2xbf16> at tensor<3x?x2xi16>
  return %r : tensor<3x6x2xbf16>
}

// The first dimension, of i1.
// run: random:i1:Nx5:1 random:i1:4x5:2 random:i8:Nx5:3:-1:5
func.func @flags(%x: tensor<?x5xi1>, %d: tensor<4x5xi1>, %i: tensor<?x5xi8>) -> tensor<4x5xi1> {
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?x5xi1> into tensor<4x5xi1> at tensor<?x5xi8>
  return %r : tensor<4x5xi1>
}

// Lines without keys stay.
// run: random:f32:2xNx3:1 random:f32:5x4x3:2 random:i32:2xNx3:3:-1:5
func.func @fewer_lines(%x: tensor<2x?x3xf32>, %d: tensor<5x4x3xf32>, %i: tensor<2x?x3xi32>) -> tensor<5x4x3xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<2x?x3xf32> into tensor<5x4x3xf32> at tensor<2x?x3xi32>
  return %r : tensor<5x4x3xf32>
}

// run: const:i32::5 random:i32:3x9:1 random:i64:3xN:2:-2:12
func.func @scalar(%v: i32, %d: tensor<3x9xi32>, %i: tensor<3x?xi64>) -> tensor<3x9xi32> {
  %r = scan.scatter %v into %d at %i dim = 1 : i32 into tensor<3x9xi32> at tensor<3x?xi64>
  return %r : tensor<3x9xi32>
}

// Nothing to write to.
// run: random:f32:N:1 random:i32:N:2:-3:5 random:f32:0:3
func.func @nowhere(%x: tensor<?xf32>, %i: tensor<?xi32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %r = scan.scatter %x into %d at %i dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  return %r : tensor<?xf32>
}

// What scatters the destination itself reads it before it is written.
// run: random:f32:N:1 random:i32:N:2:0:N
func.func @itself(%d: tensor<?xf32>, %i: tensor<?xi32>) -> tensor<?xf32> {
  %r = scan.scatter %d into %d at %i dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  %q = scan.scatter %r into %r at %i dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  return %q : tensor<?xf32>
}

// run: random:f32:3x5x4:1 random:f32:5x7x4:2 values:i32:3x1:6,0,6
func.func @list(%x: tensor<3x5x4xf32>, %d: tensor<5x7x4xf32>, %i: tensor<3x1xi32>) -> tensor<5x7x4xf32> {
  %r = tensor.scatter %x into %d[%i] scatter_dims([1]) unique : (tensor<3x5x4xf32>, tensor<5x7x4xf32>, tensor<3x1xi32>) -> tensor<5x7x4xf32>
  return %r : tensor<5x7x4xf32>
}

// run: random:f32:4x1:1 random:f32:4x9:2 random:i32:4x1:3:-1:10
func.func @one(%x: tensor<4x1xf32>, %d: tensor<4x9xf32>, %i: tensor<4x1xi32>) -> tensor<4x9xf32> {
  %r = scan.scatter %x into %d at %i dim = 1 : tensor<4x1xf32> into tensor<4x9xf32> at tensor<4x1xi32>
  return %r : tensor<4x9xf32>
}
