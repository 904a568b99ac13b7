// What --check-memory finds, on memrefs as passes leave them.

// RUN: scan-run %s --entry=good --input=ones:f32:4 --target=cpu --check-memory | FileCheck %s --check-prefix=GOOD
// GOOD: result 0: 4xf32
// GOOD-NEXT: [2, 2, 2, 2]
// RUN: not scan-run %s --entry=leak --input=ones:f32:4 --target=cpu --check-memory 2>&1 | FileCheck %s --check-prefix=LEAK
// LEAK: scan-run: error: {{.*}}: 'leak' does not free 1 arrays of 16 bytes together
// RUN: not scan-run %s --entry=twice --input=ones:f32:4 --target=cpu --check-memory 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: scan-run: error: {{.*}}: 'twice' frees 1 times what it has not allocated or has freed before
// RUN: not scan-run %s --entry=argument --input=ones:f32:4 --target=cpu --check-memory 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: scan-run: error: {{.*}}: 'argument' does not free 1 arrays of 16 bytes together, and frees 1 times what it has not allocated or has freed before

// What is read after it was freed, or before it was written, is no number.
// RUN: scan-run %s --entry=late --input=ones:f32:4 --target=cpu --check-memory | FileCheck %s --check-prefix=NAN
// RUN: scan-run %s --entry=unwritten --input=ones:f32:4 --target=cpu --check-memory | FileCheck %s --check-prefix=NAN
// NAN: [{{-?nan, -?nan, -?nan, -?nan}}]

// Without the option all of them run.
// RUN: scan-run %s --entry=leak --input=ones:f32:4 --target=cpu | FileCheck %s --check-prefix=GOOD
// RUN: scan-run %s --entry=argument --input=ones:f32:4 --target=cpu | FileCheck %s --check-prefix=GOOD

// RUN: not scan-run %s --entry=good --input=ones:f32:4 --target=emulator --check-memory 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: scan-run: error: option '--check-memory' needs '--target=cpu'

// The input is a copy; layouts that no array has are refused, those that results
// may have are not.
// RUN: scan-run %s --entry=inout --input=ones:f32:4 --target=cpu --check-memory | FileCheck %s --check-prefix=GOOD
// RUN: scan-run %s --entry=layouts --input=random:i32:2x3:1:0:9 --target=cpu --check-memory --compare=cpu | FileCheck %s --check-prefix=LAYOUTS
// LAYOUTS: 0       3x2xi32 0
// RUN: not scan-run %s --entry=refused --input=ones:f32:4 --target=cpu 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: scan-run: error: {{.*}}: expected a ranked tensor or a scalar as argument #0 of 'refused', found 'memref<4xf32, strided<[2]>>'
// RUN: not scan-run %s --entry=good --input=ones:f32:4 --target=reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: scan-run: error: {{.*}}memref

func.func @add(%x: memref<4xf32>, %y: memref<4xf32>) {
  linalg.map { arith.addf } ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

func.func @good(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  call @add(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return %y : memref<4xf32>
}

func.func @leak(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  %u = memref.alloc() : memref<4xf32>
  call @add(%x, %u) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %u, %y : memref<4xf32> to memref<4xf32>
  return %y : memref<4xf32>
}

func.func @twice(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  call @add(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return %y : memref<4xf32>
}

func.func @argument(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  call @add(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %x : memref<4xf32>
  return %y : memref<4xf32>
}

func.func @late(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  call @add(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %t : memref<4xf32>
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  return %y : memref<4xf32>
}

func.func @unwritten(%x: memref<4xf32>) -> memref<4xf32> {
  %y = memref.alloc() : memref<4xf32>
  return %y : memref<4xf32>
}

func.func @inout(%x: memref<4xf32>) -> memref<4xf32> {
  call @add(%x, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  return %x : memref<4xf32>
}

func.func @layouts(%x: memref<?x3xi32, strided<[3, ?], offset: ?>>) -> memref<3x?xi32, strided<[?, ?], offset: ?>> {
  %y = memref.transpose %x (i, j) -> (j, i) : memref<?x3xi32, strided<[3, ?], offset: ?>> to memref<3x?xi32, strided<[?, 3], offset: ?>>
  %z = memref.cast %y : memref<3x?xi32, strided<[?, 3], offset: ?>> to memref<3x?xi32, strided<[?, ?], offset: ?>>
  return %z : memref<3x?xi32, strided<[?, ?], offset: ?>>
}

func.func @refused(%x: memref<4xf32, strided<[2]>>) {
  return
}
