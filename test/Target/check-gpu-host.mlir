// RUN: scan-opt %s --scan-check-gpu-host --split-input-file --verify-diagnostics | FileCheck %s

// Addresses and sizes are fine, whether on tensors or on memrefs.

// CHECK-LABEL: func.func @fine
func.func @fine(%x: tensor<?x4xf32>, %m: memref<?xf32>, %i: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %d = memref.dim %m, %c0 : memref<?xf32>
  %t = arith.minsi %n, %d : index
  %u = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%t)[%i]
  %e = tensor.empty(%u) : tensor<?x4xf32>
  %s = tensor.extract_slice %x[0, 0] [%u, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

func.func private @declared(tensor<4xf32>)

// -----

// So are operations that become kernels.

// CHECK-LABEL: func.func @kernels
func.func @kernels(%x: tensor<4x4xf32>, %v: f32) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
                     outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
  %z = tensor.insert_slice %r into %y[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
  %w = tensor.insert %v into %z[%c0, %c0] : tensor<4x4xf32>
  return %w : tensor<4x4xf32>
}

// -----

func.func @extract(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tensor.extract' op cannot become part of a GPU kernel: expected only scans, elementwise and linalg operations on tensors, and slices of them in a function that is compiled to PTX; compute it outside and pass it in or out}}
  %v = tensor.extract %x[%c0] : tensor<4xf32>
  %y = linalg.fill ins(%v : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scalar(%x: f32) -> tensor<f32> {
  // expected-error @below {{'arith.addf' op cannot become part of a GPU kernel}}
  %y = arith.addf %x, %x : f32
  // A second error would be one too many.
  %z = tensor.from_elements %y : tensor<f32>
  return %z : tensor<f32>
}

// -----

func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op cannot become part of a GPU kernel}}
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}

// -----

// expected-error @below {{expected a function without control flow to be compiled to PTX}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @stack(%x: memref<4xf32>) {
  // expected-error @below {{'memref.alloca' op cannot become part of a GPU kernel: a GPU cannot reach the stack of the host; make the buffer with memref.alloc or gpu.alloc, or pass it in}}
  %y = memref.alloca() : memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// As loops on buffers that have become scans do.
func.func @read(%x: memref<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a function on tensors to be compiled to PTX, found code on a buffer of type 'memref<4xf32>'; take the tensor as an argument, and return what becomes of it}}
  %y = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @written(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{expected a function on tensors to be compiled to PTX, found code on a buffer of type 'memref<4xf32>'; take the tensor as an argument, and return what becomes of it}}
  bufferization.materialize_in_destination %x in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
