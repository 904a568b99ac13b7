// In programs on memrefs, operations share a launch where they do not access the same
// memory.

// RUN: scan-opt %s --scan-linalg-to-gpu --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @buffers(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
func.func @buffers(%x: memref<?xf32>, %n: index) -> (memref<?xf32>, memref<?x?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n, %n) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.broadcast ins(%x : memref<?xf32>) outs(%b : memref<?x?xf32>) dimensions = [0]
  return %a, %b : memref<?xf32>, memref<?x?xf32>
}

// -----

// Arguments may be the same memory, so that what one operation writes may be what the
// other one reads or writes.

// CHECK-LABEL: func.func @arguments(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
func.func @arguments(%x: memref<?xf32>, %y: memref<?xf32>, %u: memref<?x?xf32>, %v: memref<?x?xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.exp ins(%u : memref<?x?xf32>) outs(%v : memref<?x?xf32>)
  return
}

// -----

// What is read first is written later, and what is written twice keeps the second.

// CHECK-LABEL: func.func @order(
// CHECK-COUNT-3: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
func.func @order(%n: index, %x: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.abs ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.log ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  return
}

// -----

// Into parts of one buffer; which parts, nobody looks at.

// CHECK-LABEL: func.func @views(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
func.func @views(%x: memref<4xf32>, %y: memref<3xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  %p = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %q = memref.subview %a[4] [3] [1] : memref<8xf32> to memref<3xf32, strided<[1], offset: 4>>
  linalg.exp ins(%x : memref<4xf32>) outs(%p : memref<4xf32, strided<[1]>>)
  linalg.exp ins(%y : memref<3xf32>) outs(%q : memref<3xf32, strided<[1], offset: 4>>)
  return %a : memref<8xf32>
}

// -----

// A launch takes no more than 32 operands: two times 12, and the rest.

// CHECK-LABEL: func.func @many(
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func
func.func @many(%x0: memref<?xf32>, %x1: memref<?xf32>, %x2: memref<?xf32>, %x3: memref<?xf32>, %x4: memref<?xf32>, %x5: memref<?xf32>, %x6: memref<?xf32>, %x7: memref<?xf32>, %x8: memref<?xf32>, %x9: memref<?xf32>, %x10: memref<?xf32>, %n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10 : memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %5: f32, %6: f32, %7: f32, %8: f32, %9: f32, %10: f32, %11: f32):
    linalg.yield %10 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10 : memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %5: f32, %6: f32, %7: f32, %8: f32, %9: f32, %10: f32, %11: f32):
    linalg.yield %10 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10 : memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %5: f32, %6: f32, %7: f32, %8: f32, %9: f32, %10: f32, %11: f32):
    linalg.yield %10 : f32
  }
  return
}
