// RUN: scan-opt %s --scan-linalg-to-gpu --split-input-file --verify-diagnostics

// The stack of the host is no place for what kernels write.

func.func @fill() {
  // expected-note @below {{the buffer is made here}}
  %y = memref.alloca() : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'linalg.fill' op expected buffers that the GPU can reach, found one of a 'memref.alloca': a GPU cannot reach the stack of the host; make the buffer with memref.alloc or gpu.alloc, or pass it in}}
  linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @copy(%x: memref<4xf32>) {
  // expected-note @below {{the buffer is made here}}
  %all = memref.alloca() : memref<8xf32>
  %y = memref.subview %all[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  // expected-error @below {{found one of a 'memref.alloca'}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  return
}

// -----

func.func @store(%v: f32) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{the buffer is made here}}
  %y = memref.alloca() : memref<1xf32>
  // expected-error @below {{found one of a 'memref.alloca'}}
  memref.store %v, %y[%c0] : memref<1xf32>
  return
}
