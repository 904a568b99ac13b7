// RUN: scan-translate --scan-to-ptx %s -o %t.ptx --manifest=%t.json
// RUN: %python %S/Inputs/print_manifest.py %t.json %t.ptx | FileCheck %s

// What docs/manifest.md says, for programs with several kernels, scalars, views,
// constants and buffers that are shared. print_manifest.py checks the manifest
// against the PTX and prints it in short.

// CHECK-NOT: problem

// The call is inlined. The same buffer is returned twice, an argument is returned,
// and the buffer between two kernels is a result. The scalars are an argument and
// a constant.

func.func private @helper(%x: tensor<?x?xf32>, %i: f32) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) init(%i : f32) dim = 1 exclusive
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 4>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
// CHECK-LABEL: function chain
// CHECK-NEXT:    arg0 tensor f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    arg1 scalar f32
// CHECK-NEXT:    returns result0 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    returns result0 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    returns arg0 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    returns result3 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    buffer result0 0 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    buffer arg0 0 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    buffer result3 3 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    kernel chain_scan0 ['max(n0 ceildiv ((n0 floordiv 2147483648) + 1), 1)', 'max((n0 floordiv 2147483648) + 1, 1)', 1] [128, 1, 1] {'strategy': 'row', 'threads': 128, 'items': 4, 'rows': 1, 'scope': 'block'}
// CHECK-NEXT:      x0 pointer input 0 float * = arg0
// CHECK-NEXT:      x0_stride0 stride input 0 0 int64_t = arg0_d1
// CHECK-NEXT:      init0 scalar init 1 float = arg1
// CHECK-NEXT:      y0 pointer output 2 float * = result3
// CHECK-NEXT:      y0_stride0 stride output 2 0 int64_t = arg0_d1
// CHECK-NEXT:      n0 size 0 int64_t = arg0_d0
// CHECK-NEXT:      n1 size 1 int64_t = arg0_d1
// CHECK-NEXT:    kernel chain_scan1 ['max((n1 ceildiv 64) ceildiv (((n1 ceildiv 64) floordiv 2147483648) + 1), 1)', 'max(((n1 ceildiv 64) floordiv 2147483648) + 1, 1)', 1] [64, 1, 1] {'strategy': 'sequential', 'threads': 64, 'items': 2}
// CHECK-NEXT:      x0 pointer input 0 float * = result3
// CHECK-NEXT:      x0_stride0 stride input 0 0 int64_t = arg0_d1
// CHECK-NEXT:      init0 scalar init 1 float = constant 00002040
// CHECK-NEXT:      y0 pointer output 2 float * = result0
// CHECK-NEXT:      y0_stride0 stride output 2 0 int64_t = arg0_d1
// CHECK-NEXT:      n0 size 0 int64_t = arg0_d0
// CHECK-NEXT:      n1 size 1 int64_t = arg0_d1
func.func @chain(%x: tensor<?x?xf32>, %i: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %y = call @helper(%x, %i) : (tensor<?x?xf32>, f32) -> tensor<?x?xf32>
  %c = arith.constant 2.5 : f32
  %z = scan.associative ins(%y : tensor<?x?xf32>) init(%c : f32) dim = 0 exclusive
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 64, items = 2>} {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %z, %z, %x, %y : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// A view into an argument, whose place depends on a scalar.

// CHECK-LABEL: function view
// CHECK-NEXT:    arg0 tensor f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    arg1 scalar index
// CHECK-NEXT:    arg2 scalar i32
// CHECK-NEXT:    returns result0 f32 ['arg1']
// CHECK-NEXT:    buffer result0 0 f32 ['arg1']
// CHECK-NEXT:    buffer arg0 0 f32 ['arg0_d0', 'arg0_d1']
// CHECK-NEXT:    kernel view_scan0 [1, 1, 1]
// CHECK-NEXT:      x0 pointer input 0 float * = arg0
// CHECK-NEXT:      x0_offset offset input 0 int64_t = arg0_d1 * arg1
// CHECK-NEXT:      y0 pointer output 1 float * = result0
// CHECK-NEXT:      n0 size 0 int64_t = arg1
func.func @view(%x: tensor<?x?xf32>, %n: index, %m: i32) -> tensor<?xf32> {
  %s = tensor.extract_slice %x[%n, 0] [1, %n] [1, 2] : tensor<?x?xf32> to tensor<?xf32>
  %z = scan.associative ins(%s : tensor<?xf32>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%acc: f32, %new: f32):
    %t = arith.addf %acc, %new : f32
    scan.yield %t : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// What is returned in another shape than it was allocated with is a result, no temporary.

// CHECK-LABEL: function reshaped
// CHECK-NEXT:    arg0 tensor f32 ['arg0_d0', 6]
// CHECK-NEXT:    returns result0 f32 ['arg0_d0', 2, 3]
// CHECK-NEXT:    buffer result0 0 f32 ['arg0_d0', 2, 3]
// CHECK:         kernel reshaped_scan0
// CHECK:           y0 pointer output 1 float * = result0
func.func @reshaped(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> {
  %y = scan.associative ins(%x : tensor<?x6xf32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x6xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %z = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 2, 3]
      : tensor<?x6xf32> into tensor<?x2x3xf32>
  return %z : tensor<?x2x3xf32>
}

// A buffer that is no result, of a size that is none of the arguments', and a
// tensor of constants.

// CHECK-LABEL: function constant
// CHECK-NEXT:    arg0 tensor complex<f32> ['arg0_d0', 3]
// CHECK-NEXT:    returns result0 complex<f32> ['arg0_d0 * 3']
// CHECK-NEXT:    buffer result0 0 complex<f32> ['arg0_d0 * 3']
// CHECK-DAG:     buffer temporary0 0 complex<f32> ['arg0_d0', 3]
// CHECK-DAG:     buffer constant0 0 complex<f32> [3] 0000803f000000400000003f000000bf00000000000080bf
// CHECK:         kernel constant_scan0
// CHECK-NEXT:      x0 pointer input 0 float _Complex * = arg0
// CHECK-NEXT:      init0 pointer init 1 float _Complex * = constant0
// CHECK-NEXT:      y0 pointer output 2 float _Complex * = temporary0
// CHECK-NEXT:      n0 size 0 int64_t = arg0_d0
// CHECK-NEXT:    kernel constant_scan1
// CHECK-NEXT:      x0 pointer input 0 float _Complex * = temporary0
// CHECK-NEXT:      y0 pointer output 1 float _Complex * = result0
// CHECK-NEXT:      n0 size 0 int64_t = arg0_d0 * 3
func.func @constant(%b: tensor<?x3xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %a = arith.constant dense<[(1.0, 2.0), (0.5, -0.5), (0.0, -1.0)]> : tensor<3xcomplex<f32>>
  %z = scan.associative ins(%b : tensor<?x3xcomplex<f32>>) init(%a : tensor<3xcomplex<f32>>) dim = 0 exclusive
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4>} {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %t = complex.mul %acc, %new : complex<f32>
    scan.yield %t : complex<f32>
  } -> tensor<?x3xcomplex<f32>>
  %flat = tensor.collapse_shape %z [[0, 1]] : tensor<?x3xcomplex<f32>> into tensor<?xcomplex<f32>>
  %y = scan.associative ins(%flat : tensor<?xcomplex<f32>>) dim = 0 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%acc: complex<f32>, %new: complex<f32>):
    %t = complex.add %acc, %new : complex<f32>
    scan.yield %t : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}

// A result that is another buffer, in another shape. The name of the function is
// none that PTX accepts.

// CHECK-LABEL: function my.function-1
// CHECK-NEXT:    arg0 tensor f32 ['arg0_d0', 3]
// CHECK-NEXT:    returns result0 f32 ['arg0_d0', 3]
// CHECK-NEXT:    returns result0 f32 ['arg0_d0 * 3']
// CHECK:         kernel my_function_1_scan0
func.func @"my.function-1"(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %y = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?x3xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %y, %flat : tensor<?x3xf32>, tensor<?xf32>
}
