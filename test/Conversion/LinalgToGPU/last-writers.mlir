// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
// RUN: scan-opt %s --scan-to-gpu=dispatch=false | FileCheck %s --check-prefix=UNIQUE
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
// CHECK:         memref.load %{{.+}} : memref<?xi64
// CHECK:         %[[HAS:.+]] = arith.cmpi ne, %{{.+}}, %c0_i64
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
// CHECK:         gpu.return

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

// Places of a stream compaction differ, since each counts the flags before it: steps write by themselves. In 64 bits they
// do for any number of steps; a count of 32 bits comes around, and the host chooses.
// UNIQUE-LABEL: func @compacted(
// UNIQUE:         gpu.launch_func @scan_kernels::@compacted_scan0
// UNIQUE:         gpu.memset
// UNIQUE:         %[[FEW:.+]] = arith.cmpi ule, %{{.+}}, %c4294967296
// UNIQUE-NEXT:    scf.if %[[FEW]]
// UNIQUE:           gpu.launch_func @scan_kernels::@compacted_map0
// UNIQUE-NOT:       gpu.launch_func
// UNIQUE:         } else {
// UNIQUE-COUNT-3:   gpu.launch_func
// UNIQUE-NOT:     gpu.launch_func
// UNIQUE-LABEL: func @compacted_lines(
// UNIQUE-NOT:     scf.if
// UNIQUE:         return
// UNIQUE-LABEL: gpu.func @compacted_map0(
// UNIQUE-NOT:     llvm.atomicrmw
// UNIQUE:         %[[AT:.+]] = arith.index_cast %{{.+}} : i32 to index
// UNIQUE:         %[[IS:.+]] = arith.cmpi ult, %[[AT]], %{{.+}} : index
// UNIQUE-NEXT:    scf.if %[[IS]] {
// UNIQUE-NEXT:      memref.store %{{.+}}, %{{.+}}[%[[AT]]]
// UNIQUE-NEXT:    }
// UNIQUE-LABEL: gpu.func @other_flags_map0(
// UNIQUE:         llvm.atomicrmw max
// run: random:f32:N:1 random:i1:N:2
func.func @compacted(%x: tensor<?xf32>, %flags: tensor<?xi1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i32
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xi32>
  %ones = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%flags : tensor<?xi1>) outs(%e : tensor<?xi32>) {
  ^bb0(%f: i1, %o: i32):
    %w = arith.extui %f : i1 to i32
    linalg.yield %w : i32
  } -> tensor<?xi32>
  %at = scan.associative ins(%ones : tensor<?xi32>) init(%zero : i32) dim = 0 exclusive {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  %where = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%flags, %at : tensor<?xi1>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%f: i1, %p: i32, %o: i32):
    %w = arith.select %f, %p, %none : i32
    linalg.yield %w : i32
  } -> tensor<?xi32>
  %d = tensor.empty(%n) : tensor<?xf32>
  %dest = linalg.fill ins(%f0 : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %y = scan.scatter %x into %dest at %where dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  return %y : tensor<?xf32>
}

// Lines, from their ends, into what was there before; the count is that of the flags from here on.
// run: random:f64:4xN:1 random:i1:4xN:2 random:f64:4x20:3
func.func @compacted_lines(%x: tensor<?x?xf64>, %flags: tensor<?x?xi1>, %dest: tensor<?x20xf64>) -> tensor<?x20xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?xf64>
  %none = arith.constant -5 : i64
  %e = tensor.empty(%b, %n) : tensor<?x?xi64>
  %ones = linalg.generic {indexing_maps = [affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b, i)>], iterator_types = ["parallel", "parallel"]} ins(%flags : tensor<?x?xi1>) outs(%e : tensor<?x?xi64>) {
  ^bb0(%f: i1, %o: i64):
    %w = arith.extui %f : i1 to i64
    linalg.yield %w : i64
  } -> tensor<?x?xi64>
  %at = scan.associative ins(%ones : tensor<?x?xi64>) dim = 1 reverse {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %r, %l : i64
    scan.yield %s : i64
  } -> tensor<?x?xi64>
  %where = linalg.generic {indexing_maps = [affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b, i)>], iterator_types = ["parallel", "parallel"]} ins(%flags, %at : tensor<?x?xi1>, tensor<?x?xi64>) outs(%e : tensor<?x?xi64>) {
  ^bb0(%f: i1, %p: i64, %o: i64):
    %w = arith.select %f, %p, %none : i64
    linalg.yield %w : i64
  } -> tensor<?x?xi64>
  %y = scan.scatter %x into %dest at %where dim = 1 : tensor<?x?xf64> into tensor<?x20xf64> at tensor<?x?xi64>
  return %y : tensor<?x20xf64>
}

// The flags that are counted are others than those that are looked at: places may be equal.
// run: random:f32:N:1 random:i1:N:2 random:i1:N:3
func.func @other_flags(%x: tensor<?xf32>, %flags: tensor<?xi1>, %others: tensor<?xi1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %zero = arith.constant 0 : i64
  %none = arith.constant -1 : i64
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xi64>
  %ones = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%flags : tensor<?xi1>) outs(%e : tensor<?xi64>) {
  ^bb0(%f: i1, %o: i64):
    %w = arith.extui %f : i1 to i64
    linalg.yield %w : i64
  } -> tensor<?xi64>
  %at = scan.associative ins(%ones : tensor<?xi64>) init(%zero : i64) dim = 0 exclusive {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %l, %r : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  %where = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%others, %at : tensor<?xi1>, tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%f: i1, %p: i64, %o: i64):
    %w = arith.select %f, %p, %none : i64
    linalg.yield %w : i64
  } -> tensor<?xi64>
  %d = tensor.empty(%n) : tensor<?xf32>
  %dest = linalg.fill ins(%f0 : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %y = scan.scatter %x into %dest at %where dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi64>
  return %y : tensor<?xf32>
}
