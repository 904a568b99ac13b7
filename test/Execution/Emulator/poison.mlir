// What nobody has written reads as a pattern: workgroup memory at the start of
// each block, also of one that follows another in the same memory, and memory
// that the host allocates. (With checks of memory on, reading it is an error.)
//
// RUN: scan-run %s --entry=main --target=emulator --races=off
// RUN: scan-run %s --entry=main --target=emulator --resident-blocks=1 --races=off

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @shared(%y: memref<64xi32>)
        workgroup(%s: memref<32xi32, #gpu.address_space<workgroup>>) kernel {
      %poison = arith.constant 0xFFFBFFFB : i32
      %c1 = arith.constant 1 : i32
      %t = gpu.thread_id x
      %v = memref.load %s[%t] : memref<32xi32, #gpu.address_space<workgroup>>
      %ok = arith.cmpi eq, %v, %poison : i32
      cf.assert %ok, "not poisoned"
      memref.store %c1, %s[%t] : memref<32xi32, #gpu.address_space<workgroup>>
      gpu.return
    }
    gpu.func @global(%y: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %y[%t] : memref<64xf32>
      %ok = arith.cmpf uno, %v, %v : f32
      cf.assert %ok, "not a NaN"
      gpu.return
    }
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@shared blocks in (%c9, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%y : memref<64xi32>)
    %z = memref.alloc() : memref<64xf32>
    gpu.launch_func @kernels::@global blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%z : memref<64xf32>)
    return
  }
}
