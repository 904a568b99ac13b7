// What has no result is an error at the operation, on one line, with exit code 1.

// RUN: not scan-run %s --entry=unknown_op 2>&1 | FileCheck %s --check-prefix=UNKNOWN-OP
// RUN: not scan-run %s --entry=unknown_type 2>&1 | FileCheck %s --check-prefix=UNKNOWN-TYPE
// RUN: not scan-run %s --entry=blocks 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not scan-run %s --entry=external 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not scan-run %s --entry=endless 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not scan-run %s --entry=divsi --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=DIVSI
// RUN: not scan-run %s --entry=divui --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=DIVUI
// RUN: not scan-run %s --entry=remsi --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=REMSI
// RUN: not scan-run %s --entry=remui --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=REMUI
// RUN: not scan-run %s --entry=floordivsi --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=FLOORDIVSI
// RUN: not scan-run %s --entry=ceildivsi --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=CEILDIVSI
// RUN: not scan-run %s --entry=ceildivui --input=const:i8::1 --input=zeros:i8: 2>&1 | FileCheck %s --check-prefix=CEILDIVUI
// RUN: not scan-run %s --entry=overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not scan-run %s --entry=shli --input=const:i8::1 --input=const:i8::8 2>&1 | FileCheck %s --check-prefix=SHLI
// RUN: not scan-run %s --entry=shrsi --input=const:i8::1 --input=const:i8::8 2>&1 | FileCheck %s --check-prefix=SHRSI
// RUN: not scan-run %s --entry=shrui --input=const:i8::1 --input=const:i8::8 2>&1 | FileCheck %s --check-prefix=SHRUI
// RUN: not scan-run %s --entry=fptosi --input=const:f32::nan 2>&1 | FileCheck %s --check-prefix=FPTOSI
// RUN: not scan-run %s --entry=fptoui --input=const:f32::256 2>&1 | FileCheck %s --check-prefix=FPTOUI
// RUN: not scan-run %s --entry=power 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not scan-run %s --entry=extract --input=ones:f32:2x3 --input=const:index::3 2>&1 | FileCheck %s --check-prefix=EXTRACT
// RUN: not scan-run %s --entry=insert --input=ones:f32:2 --input=const:index::-1 2>&1 | FileCheck %s --check-prefix=INSERT
// RUN: not scan-run %s --entry=dim --input=ones:f32:2 --input=const:index::1 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not scan-run %s --entry=slice --input=ones:f32:4 --input=const:index::3 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not scan-run %s --entry=slice_overflow --input=ones:f32:4 --input=const:index::9223372036854775807 2>&1 | FileCheck %s --check-prefix=SLICE-OVERFLOW
// RUN: not scan-run %s --entry=insert_slice --input=ones:f32:3 --input=ones:f32:4 2>&1 | FileCheck %s --check-prefix=INSERT-SLICE
// RUN: not scan-run %s --entry=wrong_cast --input=ones:f32:3 2>&1 | FileCheck %s --check-prefix=WRONG-CAST
// RUN: not scan-run %s --entry=reshape --input=ones:f32:6 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not scan-run %s --entry=expand --input=ones:f32:7 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not scan-run %s --entry=concat --input=ones:f32:2x3 --input=ones:f32:3x3 2>&1 | FileCheck %s --check-prefix=CONCAT
// RUN: not scan-run %s --entry=negative_extent --input=const:index::-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE-EXTENT
// RUN: not scan-run %s --entry=too_large 2>&1 | FileCheck %s --check-prefix=TOO-LARGE
// RUN: not scan-run %s --entry=overflowing_size --input=const:index::9223372036854775807 2>&1 | FileCheck %s --check-prefix=OVERFLOWING-SIZE
// RUN: not scan-run %s --entry=elementwise --input=ones:f32:2x3 --input=ones:f32:2x4 2>&1 | FileCheck %s --check-prefix=ELEMENTWISE
// RUN: not scan-run %s --entry=structured --input=ones:f32:2x3 --input=ones:f32:4x5 --input=ones:f32:2x5 2>&1 | FileCheck %s --check-prefix=STRUCTURED
// RUN: not scan-run %s --entry=window --input=ones:f32:4 --input=ones:f32:3 --input=ones:f32:3 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not scan-run %s --entry=loop_step --input=const:index::0 2>&1 | FileCheck %s --check-prefix=LOOP-STEP
// RUN: not scan-run %s --entry=leaves --input=ones:f32:2x3 --input=ones:f32:2x4 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not scan-run %s --entry=init --input=ones:f32:2x3 --input=ones:f32:2 2>&1 | FileCheck %s --check-prefix=INIT
// RUN: not scan-run %s --entry=compensated_init --input=ones:f32:2x3 --input=ones:f32:2 2>&1 | FileCheck %s --check-prefix=COMPENSATED-INIT
// RUN: not scan-run %s --entry=recurrence --input=ones:f32:2x1 --input=ones:f32:2x3 2>&1 | FileCheck %s --check-prefix=RECURRENCE
// RUN: not scan-run %s --entry=combine_error --input=zeros:i32:4 2>&1 | FileCheck %s --check-prefix=COMBINE-ERROR
// RUN: not scan-run %s --entry=kernel --input=ones:f32:4 --input=ones:f32:5 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not scan-run %s --entry=buffers 2>&1 | FileCheck %s --check-prefix=BUFFERS

// UNKNOWN-OP: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: op 'bufferization.alloc_tensor' is not supported by the reference interpreter
// UNKNOWN-OP-NOT: {{.}}
func.func @unknown_op() -> tensor<?xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = bufferization.alloc_tensor() copy(%e) : tensor<4xf32>
  %c = tensor.cast %r : tensor<4xf32> to tensor<?xf32>
  return %c : tensor<?xf32>
}

// UNKNOWN-TYPE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: type 'f8E4M3FN' is not supported by the reference interpreter
// UNKNOWN-TYPE-NOT: {{.}}
func.func @unknown_type() -> f32 {
  %v = arith.constant 1.0 : f8E4M3FN
  %r = arith.extf %v : f8E4M3FN to f32
  return %r : f32
}

// BLOCKS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'func.func' op control flow between blocks is not supported by the reference interpreter; use scf.if, scf.for or scf.while
// BLOCKS-NOT: {{.}}
func.func @blocks() -> f32 {
  %v = arith.constant 1.0 : f32
  cf.br ^next
^next:
  return %v : f32
}

// EXTERNAL: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: function 'somewhere_else' has no body to interpret
// EXTERNAL-NOT: {{.}}
func.func private @somewhere_else() -> f32
func.func @external() -> f32 {
  %v = func.call @somewhere_else() : () -> f32
  return %v : f32
}

// ENDLESS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: calls and regions nest deeper than 1000 levels in 'endless'
// ENDLESS-NOT: {{.}}
func.func @endless() -> f32 {
  %v = func.call @endless() : () -> f32
  return %v : f32
}

// DIVSI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.divsi' op division by zero
// DIVSI-NOT: {{.}}
func.func @divsi(%a: i8, %b: i8) -> i8 {
  %r = arith.divsi %a, %b : i8
  return %r : i8
}

// DIVUI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.divui' op division by zero
// DIVUI-NOT: {{.}}
func.func @divui(%a: i8, %b: i8) -> i8 {
  %r = arith.divui %a, %b : i8
  return %r : i8
}

// REMSI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.remsi' op division by zero
// REMSI-NOT: {{.}}
func.func @remsi(%a: i8, %b: i8) -> i8 {
  %r = arith.remsi %a, %b : i8
  return %r : i8
}

// REMUI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.remui' op division by zero
// REMUI-NOT: {{.}}
func.func @remui(%a: i8, %b: i8) -> i8 {
  %r = arith.remui %a, %b : i8
  return %r : i8
}

// FLOORDIVSI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.floordivsi' op division by zero
// FLOORDIVSI-NOT: {{.}}
func.func @floordivsi(%a: i8, %b: i8) -> i8 {
  %r = arith.floordivsi %a, %b : i8
  return %r : i8
}

// CEILDIVSI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.ceildivsi' op division by zero
// CEILDIVSI-NOT: {{.}}
func.func @ceildivsi(%a: i8, %b: i8) -> i8 {
  %r = arith.ceildivsi %a, %b : i8
  return %r : i8
}

// CEILDIVUI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.ceildivui' op division by zero
// CEILDIVUI-NOT: {{.}}
func.func @ceildivui(%a: i8, %b: i8) -> i8 {
  %r = arith.ceildivui %a, %b : i8
  return %r : i8
}

// OVERFLOW: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.divsi' op signed division overflows: the smallest integer over -1
// OVERFLOW-NOT: {{.}}
func.func @overflow() -> tensor<2xi8> {
  %a = arith.constant dense<[1, -128]> : tensor<2xi8>
  %b = arith.constant dense<-1> : tensor<2xi8>
  %r = arith.divsi %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// SHLI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.shli' op shift amount is not less than the bit width
// SHLI-NOT: {{.}}
func.func @shli(%a: i8, %b: i8) -> i8 {
  %r = arith.shli %a, %b : i8
  return %r : i8
}

// SHRSI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.shrsi' op shift amount is not less than the bit width
// SHRSI-NOT: {{.}}
func.func @shrsi(%a: i8, %b: i8) -> i8 {
  %r = arith.shrsi %a, %b : i8
  return %r : i8
}

// SHRUI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.shrui' op shift amount is not less than the bit width
// SHRUI-NOT: {{.}}
func.func @shrui(%a: i8, %b: i8) -> i8 {
  %r = arith.shrui %a, %b : i8
  return %r : i8
}

// FPTOSI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.fptosi' op the integer type cannot hold the value
// FPTOSI-NOT: {{.}}
func.func @fptosi(%a: f32) -> i32 {
  %r = arith.fptosi %a : f32 to i32
  return %r : i32
}

// FPTOUI: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.fptoui' op the integer type cannot hold the value
// FPTOUI-NOT: {{.}}
func.func @fptoui(%a: f32) -> i8 {
  %r = arith.fptoui %a : f32 to i8
  return %r : i8
}

// POWER: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'math.ipowi' op zero to a negative power
// POWER-NOT: {{.}}
func.func @power() -> i32 {
  %a = arith.constant 0 : i32
  %b = arith.constant -1 : i32
  %r = math.ipowi %a, %b : i32
  return %r : i32
}

// EXTRACT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.extract' op index 3 is out of bounds: dimension 1 has extent 3
// EXTRACT-NOT: {{.}}
func.func @extract(%x: tensor<?x?xf32>, %i: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = tensor.extract %x[%c1, %i] : tensor<?x?xf32>
  return %r : f32
}

// INSERT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.insert' op index -1 is out of bounds: dimension 0 has extent 2
// INSERT-NOT: {{.}}
func.func @insert(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %v = arith.constant 1.0 : f32
  %r = tensor.insert %v into %x[%i] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// DIM: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.dim' op dimension 1 is out of bounds: the tensor has rank 1
// DIM-NOT: {{.}}
func.func @dim(%x: tensor<?xf32>, %i: index) -> index {
  %r = tensor.dim %x, %i : tensor<?xf32>
  return %r : index
}

// SLICE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.extract_slice' op slice is out of bounds in dimension 0: offset 3, size 2 and stride 1 do not fit into extent 4
// SLICE-NOT: {{.}}
func.func @slice(%x: tensor<?xf32>, %i: index) -> tensor<2xf32> {
  %r = tensor.extract_slice %x[%i] [2] [1] : tensor<?xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}

// SLICE-OVERFLOW: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.extract_slice' op slice is out of bounds in dimension 0: offset 9223372036854775807, size 2 and stride 9223372036854775807 do not fit into extent 4
// SLICE-OVERFLOW-NOT: {{.}}
func.func @slice_overflow(%x: tensor<?xf32>, %i: index) -> tensor<2xf32> {
  %r = tensor.extract_slice %x[%i] [2] [%i] : tensor<?xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}

// INSERT-SLICE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.insert_slice' op source has other extents than the slice: expected 2, found 3
// INSERT-SLICE-NOT: {{.}}
func.func @insert_slice(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  %r = tensor.insert_slice %x into %y[1] [%c2] [1] : tensor<?xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}

// WRONG-CAST: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.cast' op result #0 has extents that contradict its type: expected 4, found 3
// WRONG-CAST-NOT: {{.}}
func.func @wrong_cast(%x: tensor<?xf32>) -> tensor<4xf32> {
  %r = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// RESHAPE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.reshape' op shapes have different numbers of elements: expected 2x2, found 6
// RESHAPE-NOT: {{.}}
func.func @reshape(%x: tensor<?xf32>) -> tensor<2x2xf32> {
  %s = arith.constant dense<2> : tensor<2xi32>
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// EXPAND: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.expand_shape' op dimension 0 cannot be expanded: expected 3x2, found extent 7
// EXPAND-NOT: {{.}}
func.func @expand(%x: tensor<?xf32>) -> tensor<?x2xf32> {
  %c3 = arith.constant 3 : index
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%c3, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// CONCAT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.concat' op operand #1 does not fit: expected 2x3, found 3x3
// CONCAT-NOT: {{.}}
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// NEGATIVE-EXTENT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'tensor.empty' op expected an extent of 0 or more, found -2
// NEGATIVE-EXTENT-NOT: {{.}}
func.func @negative_extent(%n: index) -> tensor<?xf32> {
  %r = tensor.empty(%n) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// TOO-LARGE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: a tensor of 1000000000000000 elements of 4 bytes exceeds the {{[0-9]+}} bytes that are left of the memory limit
// TOO-LARGE-NOT: {{.}}
func.func @too_large() -> f32 {
  %v = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1000000000000000xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1000000000000000xf32>) -> tensor<1000000000000000xf32>
  return %v : f32
}

// OVERFLOWING-SIZE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: a tensor of 9223372036854775807x9223372036854775807 elements of 4 bytes exceeds {{.*}}
// OVERFLOWING-SIZE-NOT: {{.}}
func.func @overflowing_size(%n: index) -> f32 {
  %v = arith.constant 1.0 : f32
  %e = tensor.splat %v[%n, %n] : tensor<?x?xf32>
  return %v : f32
}

// ELEMENTWISE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.addf' op operand #1 has other extents than operand #0: expected 2x3, found 2x4
// ELEMENTWISE-NOT: {{.}}
func.func @elementwise(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = arith.addf %x, %y : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// STRUCTURED: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'linalg.matmul' op operand #1 does not fit operand #0: dimension 0 expected extent 3, found 4
// STRUCTURED-NOT: {{.}}
func.func @structured(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// WINDOW: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'linalg.conv_1d' op index 4 is out of bounds: dimension 0 of an operand has extent 4
// WINDOW-NOT: {{.}}
func.func @window(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// LOOP-STEP: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'scf.for' op expected a step of 1 or more, found 0
// LOOP-STEP-NOT: {{.}}
func.func @loop_step(%s: index) -> f32 {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %s iter_args(%a = %v) -> f32 {
    scf.yield %a : f32
  }
  return %r : f32
}

// LEAVES: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'scan.associative' op leaf #1 has other extents than leaf #0: expected 2x3, found 2x4
// LEAVES-NOT: {{.}}
func.func @leaves(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r, %s = scan.associative ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %u = arith.addf %a, %c : f32
    %v = arith.addf %b, %d : f32
    scan.yield %u, %v : f32, f32
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// INIT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'scan.associative' op init #0 does not fit its leaf: expected 3, found 2
// INIT-NOT: {{.}}
func.func @init(%x: tensor<?x?xf32>, %i: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = scan.associative ins(%x : tensor<?x?xf32>) init(%i : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %u = arith.addf %a, %b : f32
    scan.yield %u : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// COMPENSATED-INIT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'scan.associative' op init does not fit: expected 3, found 2
// COMPENSATED-INIT-NOT: {{.}}
func.func @compensated_init(%x: tensor<?x?xf32>, %i: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = scan.associative ins(%x : tensor<?x?xf32>) init(%i : tensor<?xf32>) dim = 0 attributes {compensated} {
  ^bb0(%a: f32, %b: f32):
    %u = arith.addf %a, %b : f32
    scan.yield %u : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// RECURRENCE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'scan.linear_recurrence' op a does not fit b in dimension 1: expected extent 3, found 1
// RECURRENCE-NOT: {{.}}
func.func @recurrence(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// COMBINE-ERROR: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'arith.divsi' op division by zero
// COMBINE-ERROR-NOT: {{.}}
func.func @combine_error(%x: tensor<?xi32>) -> tensor<?xi32> {
  %r = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %u = arith.divsi %a, %b : i32
    scan.yield %u : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// KERNEL: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'scan.kernel' op operand #1 does not fit in its dimension 0: expected extent 4, found 5
// KERNEL-NOT: {{.}}
func.func @kernel(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scan.kernel dim = 0 ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// BUFFERS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: type 'memref<4xf32>' is not supported by the reference interpreter
// BUFFERS-NOT: {{.}}
func.func @buffers() {
  %m = memref.alloc() : memref<4xf32>
  return
}

// An index that divides by zero has no value.
// RUN: not scan-run %s --entry=division_of_indices --input=ones:f32:4 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+:[0-9]+}}: 'linalg.generic' op index -1 is out of bounds: dimension 0 of an operand has extent 4
func.func @division_of_indices(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 0)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
