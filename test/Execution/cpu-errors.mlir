// What the compiled code refuses, and how it says so: one line, exit code 1.

// RUN: not scan-run %s --entry=recurrence --target=cpu --input=random:f32:2x3x4:1 --input=random:f32:2x3x5:2 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: {{.*}}'recurrence' failed: {{.*}}cpu-errors.mlir:[[#EXTENT_LINE:]]: scan: expected dimension 2 of input #1 to have the extent of dimension 2 of input #0

// RUN: not scan-run %s --entry=recurrence --target=cpu --input=random:f32:2x3x4:1 --input=random:f32:2x0x4:2 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: error: {{.*}}'recurrence' failed: {{.*}}: scan: expected dimension 1 of input #1 to have the extent of dimension 1 of input #0

// RUN: not scan-run %s --entry=recurrence --target=cpu --input=random:f32:2x3x4:1 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: {{.*}}2{{.*}}1

// RUN: not scan-run %s --entry=recurrence --target=cpu --input=random:f32:2x3x4:1 --input=random:f64:2x3x4:1 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: {{.*}}f32{{.*}}f64

// RUN: not scan-run %s --entry=static --target=cpu --input=random:f32:7:1 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: {{.*}}8xf32{{.*}}7xf32

// RUN: not scan-run %s --entry=huge --target=cpu 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: {{.*}}'huge' failed: out of memory: {{[0-9]+}} bytes requested

// RUN: not scan-run %s --entry=overflow --target=cpu --input=random:f32:8:1 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not scan-run %s --entry=negative --target=cpu --input=random:f32:8:1 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: {{.*}} failed: expected an array of extents that are not negative and of a size that can be addressed

// RUN: not scan-run %s --entry=static_overflow --target=cpu 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: error: {{.*}} expected an array of a size that can be addressed, found 'memref<1152921504606846976x4xf32>'

// RUN: not scan-run %s --entry=unknown_callee --target=cpu --input=random:f32:8:1 2>&1 | FileCheck %s --check-prefix=CALLEE
// CALLEE-NOT: session
// CALLEE: error: {{.*}}'unknown_callee' cannot be linked: Symbols not found: [ declared ]

func.func @recurrence(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32>) dim = 1 -> tensor<?x?x?xf32>
  return %h : tensor<?x?x?xf32>
}

func.func @static(%a: tensor<8xf32>) -> tensor<8xf32> {
  %h = scan.linear_recurrence ins(%a, %a : tensor<8xf32>, tensor<8xf32>) dim = 0 -> tensor<8xf32>
  return %h : tensor<8xf32>
}

func.func @huge() -> tensor<?xf32> {
  %n = arith.constant 1152921504606846976 : index
  %c = arith.constant 1.0 : f32
  %s = tensor.splat %c[%n] : tensor<?xf32>
  return %s : tensor<?xf32>
}

func.func @static_overflow() -> tensor<1152921504606846976x4xf32> {
  %c = arith.constant 1.0 : f32
  %s = tensor.splat %c : tensor<1152921504606846976x4xf32>
  return %s : tensor<1152921504606846976x4xf32>
}

func.func @overflow(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %f = arith.constant 144115188075855872 : index
  %n = arith.muli %d, %f : index
  %c = arith.constant 1.0 : f32
  %s = tensor.splat %c[%n] : tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

func.func @negative(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.subi %c0, %d : index
  %c = arith.constant 1.0 : f32
  %s = tensor.splat %c[%n] : tensor<?xf32>
  return %s : tensor<?xf32>
}

func.func private @declared(tensor<8xf32>) -> tensor<8xf32>

func.func @unknown_callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = func.call @declared(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}
