// A product and the sum or difference that uses it are rounded once where both may be
// contracted, as on GPUs: x * x is 1 + 2^-11 + 2^-24, of which f32 has no last bit.
//
// RUN: scan-run %s --entry=main --target=emulator | FileCheck %s
// CHECK: [5.960464e-08, -5.960464e-08, 0, 0, 5.960464e-08]

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @differences(%x: memref<6xf32>, %out: memref<5xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %a0 = memref.load %x[%c0] : memref<6xf32>
      %a1 = memref.load %x[%c1] : memref<6xf32>
      %a2 = memref.load %x[%c2] : memref<6xf32>
      %a3 = memref.load %x[%c3] : memref<6xf32>
      %a4 = memref.load %x[%c4] : memref<6xf32>
      %rounded = memref.load %x[%c5] : memref<6xf32>
      %minus = arith.negf %rounded : f32

      // The product first, and last.
      %p0 = arith.mulf %a0, %a0 fastmath<contract> : f32
      %d0 = arith.subf %p0, %rounded fastmath<contract> : f32
      memref.store %d0, %out[%c0] : memref<5xf32>
      %p1 = arith.mulf %a1, %a1 fastmath<contract> : f32
      %d1 = arith.subf %rounded, %p1 fastmath<contract> : f32
      memref.store %d1, %out[%c1] : memref<5xf32>

      // One of the two may not.
      %p2 = arith.mulf %a2, %a2 : f32
      %d2 = arith.subf %p2, %rounded fastmath<contract> : f32
      memref.store %d2, %out[%c2] : memref<5xf32>
      %p3 = arith.mulf %a3, %a3 fastmath<contract> : f32
      %d3 = arith.subf %p3, %rounded : f32
      memref.store %d3, %out[%c3] : memref<5xf32>

      // A sum, behind which the product is.
      %p4 = arith.mulf %a4, %a4 fastmath<contract> : f32
      %d4 = arith.addf %minus, %p4 fastmath<contract> : f32
      memref.store %d4, %out[%c4] : memref<5xf32>
      gpu.return
    }
  }
  func.func @main() -> memref<5xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.alloc() : memref<6xf32>
    %out = memref.alloc() : memref<5xf32>
    %a = arith.constant 1.000244140625 : f32
    %rounded = arith.constant 1.00048828125 : f32
    %c5 = arith.constant 5 : index
    scf.for %i = %c0 to %c5 step %c1 {
      memref.store %a, %x[%i] : memref<6xf32>
    }
    memref.store %rounded, %x[%c5] : memref<6xf32>
    gpu.launch_func @kernels::@differences blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<6xf32>, %out : memref<5xf32>)
    return %out : memref<5xf32>
  }
}
