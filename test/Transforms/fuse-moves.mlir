// What programs read at other steps, and components of states that they take apart and put
// together, become shifted inputs and outputs of one kernel: nothing in between exists.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --canonicalize --cse --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-fuse-elementwise | FileCheck %s

// What they compute, on the CPU and in the emulator. A window may be longer than time is.
// RUN: scan-run %s --entry=convolution --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x37x5:1 --input=random:f32:4x5:2 --input=random:f32:2x37x5:3:0:0.9
// RUN: scan-run %s --entry=convolution --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x2x5:1 --input=random:f32:4x5:2 --input=random:f32:2x2x5:3:0:0.9
// RUN: scan-run %s --entry=convolution --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:2x37x5:1 --input=random:f32:4x5:2 --input=random:f32:2x37x5:3:0:0.9
// RUN: scan-run %s --entry=convolution_innermost --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x5x37:1 --input=random:f32:5x3:2 --input=random:f32:2x5x37:3:0:0.9
// RUN: scan-run %s --entry=convolution_innermost --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:2x5x37:1 --input=random:f32:5x3:2 --input=random:f32:2x5x37:3:0:0.9
// RUN: scan-run %s --entry=window_ahead --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:64x3:1 --input=random:f32:2:2
// RUN: scan-run %s --entry=window_ahead --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:64x3:1 --input=random:f32:2:2
// RUN: scan-run %s --entry=joined_row --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x37x5:1 --input=random:f32:2x5:2
// RUN: scan-run %s --entry=joined_row --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:2x37x5:1 --input=random:f32:2x5:2
// RUN: scan-run %s --entry=joined_behind --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:4x37:1 --input=random:f32:4x1:2
// RUN: scan-run %s --entry=joined_behind --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:4x37:1 --input=random:f32:4x1:2
// RUN: scan-run %s --entry=components --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:3x37x2x2:1:0:0.5 --input=random:f32:3x37:2
// RUN: scan-run %s --entry=components --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:3x37x2x2:1:0:0.5 --input=random:f32:3x37:2
// RUN: scan-run %s --entry=stacked --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:3x37:1 --input=random:f32:3x37:2
// RUN: scan-run %s --entry=inserted --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:3x37:1
// RUN: scan-run %s --entry=computed --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x37x5:1 --input=random:f32:2x37x5:2:0:0.9
// RUN: scan-run %s --entry=computed --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:2x37x5:1 --input=random:f32:2x37x5:2:0:0.9
// RUN: scan-run %s --entry=apart --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:3x37x2:1:0:0.9 --input=random:f32:3x37x2:2
// RUN: scan-run %s --entry=apart --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:3x37x2:1:0:0.9 --input=random:f32:3x37x2:2
// RUN: scan-run %s --entry=together --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:3x37:1:0:0.9 --input=random:f32:3x37:2 --input=random:f32:3x37x2:3
// RUN: scan-run %s --entry=together --target=emulator --dispatch=off --compare=reference --tolerance=1e-5 --input=random:f32:3x37:1:0:0.9 --input=random:f32:3x37:2 --input=random:f32:3x37x2:3
// RUN: scan-run %s --entry=other_extents --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x37:1
// RUN: scan-run %s --entry=two_values --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:2x37:1

// A causal convolution of width 4.
// CHECK-LABEL: func.func @convolution(
// CHECK-NOT: tensor.pad
// CHECK-NOT: linalg
// CHECK: scan.kernel dim = 1{{$}}
// CHECK: shifts = array<i64: 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0>
// CHECK-NOT: scan.kernel
// CHECK-NOT: linalg
// CHECK: return
func.func @convolution(%x: tensor<?x?x?xf32>, %w: tensor<4x?xf32>, %a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %p = tensor.pad %x low[0, 3, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %e = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %c = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%p, %w : tensor<?x?x?xf32>, tensor<4x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%a, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// With time innermost, and steps two apart.
// CHECK-LABEL: func.func @convolution_innermost(
// CHECK-NOT: tensor.pad
// CHECK-NOT: linalg
// CHECK: scan.kernel dim = 2 reverse{{$}}
// CHECK: shifts = array<i64: 0, 0, 0, 2, 0, 0, 4, 0, 0>
// CHECK-NOT: scan.kernel
// CHECK: return
func.func @convolution_innermost(%x: tensor<2x5x37xf32>, %w: tensor<5x3xf32>, %a: tensor<2x5x37xf32>) -> tensor<2x5x37xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 4] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x5x37xf32> to tensor<2x5x41xf32>
  %e = tensor.empty() : tensor<2x5x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x37xf32>) -> tensor<2x5x37xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(b, c, t, k) -> (b, c, t + 2 * k)>, affine_map<(b, c, t, k) -> (c, k)>,
                       affine_map<(b, c, t, k) -> (b, c, t)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<2x5x41xf32>, tensor<5x3xf32>) outs(%f : tensor<2x5x37xf32>) {
  ^bb0(%xe: f32, %we: f32, %acc: f32):
    %m = arith.mulf %xe, %we : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x5x37xf32>
  %h = scan.linear_recurrence ins(%a, %c : tensor<2x5x37xf32>, tensor<2x5x37xf32>) dim = 2 reverse -> tensor<2x5x37xf32>
  return %h : tensor<2x5x37xf32>
}

// Sums of shifted slices, of a pad at both ends.
// CHECK-LABEL: func.func @window_ahead(
// CHECK-NOT: tensor.pad
// CHECK-NOT: tensor.extract_slice
// CHECK: scan.kernel dim = 0{{$}}
// CHECK: shifts = array<i64: {{.*}}1{{.*}}-1
// CHECK-NOT: scan.kernel
// CHECK: return
func.func @window_ahead(%x: tensor<64x3xf32>, %w: tensor<2xf32>) -> tensor<64x3xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<64x3xf32> to tensor<66x3xf32>
  %before = tensor.extract_slice %p[0, 0] [64, 3] [1, 1] : tensor<66x3xf32> to tensor<64x3xf32>
  %behind = tensor.extract_slice %p[2, 0] [64, 3] [1, 1] : tensor<66x3xf32> to tensor<64x3xf32>
  %s = arith.addf %before, %behind : tensor<64x3xf32>
  %t = arith.mulf %s, %x : tensor<64x3xf32>
  %h = scan.associative ins(%t : tensor<64x3xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<64x3xf32>
  return %h : tensor<64x3xf32>
}

// An initial row, and all rows but the last.
// CHECK-LABEL: func.func @joined_row(
// CHECK-NOT: tensor.concat
// CHECK-NOT: tensor.extract_slice
// CHECK: scan.kernel dim = 1{{$}}
// CHECK: shifts = array<i64: {{.*}}1
// CHECK-NOT: scan.kernel
// CHECK: return
func.func @joined_row(%x: tensor<?x?x?xf32>, %first: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %less = arith.subi %d1, %c1 : index
  %row = tensor.expand_shape %first [[0, 1], [2]] output_shape [%d0, 1, %d2] : tensor<?x?xf32> into tensor<?x1x?xf32>
  %rest = tensor.extract_slice %x[0, 0, 0] [%d0, %less, %d2] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %previous = tensor.concat dim(1) %row, %rest : (tensor<?x1x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %d = arith.subf %x, %previous : tensor<?x?x?xf32>
  %h = scan.associative ins(%d : tensor<?x?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.maximumf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// All rows but the first, and one more.
// CHECK-LABEL: func.func @joined_behind(
// CHECK-NOT: tensor.concat
// CHECK: scan.kernel dim = 1 reverse{{$}}
// CHECK: shifts = array<i64: {{.*}}-1
// CHECK-NOT: scan.kernel
// CHECK: return
func.func @joined_behind(%x: tensor<4x37xf32>, %last: tensor<4x1xf32>) -> tensor<4x37xf32> {
  %rest = tensor.extract_slice %x[0, 1] [4, 36] [1, 1] : tensor<4x37xf32> to tensor<4x36xf32>
  %next = tensor.concat dim(1) %rest, %last : (tensor<4x36xf32>, tensor<4x1xf32>) -> tensor<4x37xf32>
  %a = arith.constant dense<0.5> : tensor<4x37xf32>
  %b = arith.mulf %x, %next : tensor<4x37xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<4x37xf32>, tensor<4x37xf32>) dim = 1 reverse -> tensor<4x37xf32>
  return %h : tensor<4x37xf32>
}

// One component of a state of two, which is made of two tensors. Matrices do not commute.
// CHECK-LABEL: func.func @components(
// CHECK-NOT: tensor.concat
// CHECK: scan.kernel dim = 1
// CHECK: } -> tensor<?x?xf32>
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @components(%m: tensor<?x?x2x2xf32>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %column = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d0, %d1, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %double = arith.addf %column, %column : tensor<?x?x1xf32>
  %v = tensor.concat dim(2) %column, %double : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x2xf32>
  %p, %s = scan.associative ins(%m, %v : tensor<?x?x2x2xf32>, tensor<?x?x2xf32>) dim = 1 {
  ^bb0(%m0: tensor<2x2xf32>, %v0: tensor<2xf32>, %m1: tensor<2x2xf32>, %v1: tensor<2xf32>):
    %none = arith.constant dense<0.0> : tensor<2x2xf32>
    %product = linalg.matmul ins(%m1, %m0 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%none : tensor<2x2xf32>) -> tensor<2x2xf32>
    %state = linalg.matvec ins(%m1, %v0 : tensor<2x2xf32>, tensor<2xf32>) outs(%v1 : tensor<2xf32>) -> tensor<2xf32>
    scan.yield %product, %state : tensor<2x2xf32>, tensor<2xf32>
  } -> tensor<?x?x2x2xf32>, tensor<?x?x2xf32>
  %y = tensor.extract_slice %s[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Two results side by side.
// CHECK-LABEL: func.func @stacked(
// CHECK: scan.kernel dim = 1 reverse
// CHECK: } -> tensor<3x37x2xf32>
// CHECK-NOT: tensor.concat
// CHECK: return
func.func @stacked(%a: tensor<3x37xf32>, %b: tensor<3x37xf32>) -> tensor<3x37x2xf32> {
  %p, %h = scan.associative ins(%a, %b : tensor<3x37xf32>, tensor<3x37xf32>) dim = 1 reverse {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a1, %a0 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<3x37xf32>, tensor<3x37xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [3, 37, 1] : tensor<3x37xf32> into tensor<3x37x1xf32>
  %y = tensor.expand_shape %h [[0], [1, 2]] output_shape [3, 37, 1] : tensor<3x37xf32> into tensor<3x37x1xf32>
  %r = tensor.concat dim(2) %y, %x : (tensor<3x37x1xf32>, tensor<3x37x1xf32>) -> tensor<3x37x2xf32>
  return %r : tensor<3x37x2xf32>
}

// CHECK-LABEL: func.func @inserted(
// CHECK: scan.kernel dim = 1
// CHECK: } -> tensor<3x37x2xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @inserted(%x: tensor<3x37xf32>) -> tensor<3x37x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<3x37x2xf32>
  %y = scan.associative ins(%x : tensor<3x37xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<3x37xf32>
  %r = tensor.insert_slice %y into %zeros[0, 0, 1] [3, 37, 1] [1, 1, 1] : tensor<3x37xf32> into tensor<3x37x2xf32>
  return %r : tensor<3x37x2xf32>
}

// What is shifted is computed: it is at each of the steps that are read.
// CHECK-LABEL: func.func @computed(
// CHECK-NOT: tensor.pad
// CHECK-NOT: linalg
// CHECK-NOT: arith.mulf
// CHECK: scan.kernel dim = 1{{$}}
// CHECK-NOT: scan.kernel
// CHECK: return
func.func @computed(%x: tensor<?x?x?xf32>, %a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %square = arith.mulf %x, %x : tensor<?x?x?xf32>
  %p = tensor.pad %square low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %two : f32
  } : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %previous = tensor.extract_slice %p[0, 0, 0] [%d0, %d1, %d2] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %b = arith.addf %previous, %square : tensor<?x?x?xf32>
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

// These stay: the slice has other extents than what was padded.
// CHECK-LABEL: func.func @other_extents(
// CHECK: tensor.pad
// CHECK: scan.kernel
// CHECK: return
func.func @other_extents(%x: tensor<2x37xf32>) -> tensor<2x39xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 3] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x37xf32> to tensor<2x40xf32>
  %s = tensor.extract_slice %p[0, 1] [2, 39] [1, 1] : tensor<2x40xf32> to tensor<2x39xf32>
  %y = scan.associative ins(%s : tensor<2x39xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<2x39xf32>
  return %y : tensor<2x39xf32>
}

// Two different values at the two ends.
// CHECK-LABEL: func.func @two_values(
// CHECK: tensor.concat
// CHECK: scan.kernel
// CHECK: return
func.func @two_values(%x: tensor<2x37xf32>) -> tensor<2x37xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x1xf32>
  %ones = arith.constant dense<1.0> : tensor<2x1xf32>
  %p = tensor.concat dim(1) %zeros, %x, %ones : (tensor<2x1xf32>, tensor<2x37xf32>, tensor<2x1xf32>) -> tensor<2x39xf32>
  %s = tensor.extract_slice %p[0, 2] [2, 37] [1, 1] : tensor<2x39xf32> to tensor<2x37xf32>
  %y = scan.associative ins(%s : tensor<2x37xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<2x37xf32>
  return %y : tensor<2x37xf32>
}

// Components that are points of the domain: the kernel is unrolled over them.
// CHECK-LABEL: func.func @apart(
// CHECK: scan.kernel dim = 1 reverse
// CHECK: } -> tensor<?x?xf32>
// CHECK-NOT: arith.subf
// CHECK: return
func.func @apart(%a: tensor<?x?x2xf32>, %x: tensor<?x?x2xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x2xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?x2xf32>, tensor<?x?x2xf32>) dim = 1 reverse -> tensor<?x?x2xf32>
  %p = tensor.extract_slice %h[0, 0, 0] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  %q = tensor.extract_slice %h[0, 0, 1] [%d0, %d1, 1] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?xf32>
  %r = arith.subf %p, %q : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @together(
// CHECK-NOT: tensor.concat
// CHECK: scan.kernel dim = 1
// CHECK: } -> tensor<?x?x2xf32>
// CHECK: return
func.func @together(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %x: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
  %p = tensor.expand_shape %a [[0], [1, 2]] output_shape [%d0, %d1, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %q = tensor.expand_shape %b [[0], [1, 2]] output_shape [%d0, %d1, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %g = tensor.concat dim(2) %p, %q : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x2xf32>
  %h = scan.linear_recurrence ins(%g, %x : tensor<?x?x2xf32>, tensor<?x?x2xf32>) dim = 1 -> tensor<?x?x2xf32>
  return %h : tensor<?x?x2xf32>
}

// A whole that is needed, too, stays as it is.
// CHECK-LABEL: func.func @needed(
// CHECK: scan.kernel dim = 1
// CHECK: } -> tensor<4x37x2xf32>
// CHECK: tensor.extract_slice
// CHECK: return
func.func @needed(%a: tensor<4x37x2xf32>, %x: tensor<4x37x2xf32>) -> (tensor<4x37x2xf32>, tensor<4x37xf32>) {
  %h = scan.linear_recurrence ins(%a, %x : tensor<4x37x2xf32>, tensor<4x37x2xf32>) dim = 1 -> tensor<4x37x2xf32>
  %p = tensor.extract_slice %h[0, 0, 0] [4, 37, 1] [1, 1, 1] : tensor<4x37x2xf32> to tensor<4x37xf32>
  return %h, %p : tensor<4x37x2xf32>, tensor<4x37xf32>
}
