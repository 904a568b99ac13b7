// Accesses out of bounds and reads of what nobody has written, each with its
// whole message.
//
// DEFINE: %{run} = not scan-run %s --target=emulator
//
// RUN: %{run} --entry=behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: kernel 'kernels::at': block (0, 0, 0), thread (0, 0, 0): memref.load at {{.*}}memory.mlir:[[#LOAD:]]:{{[0-9]+}} reads 4 bytes out of bounds: right behind the end of argument #0 (40 bytes)
// RUN: %{run} --entry=far_behind 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: memref.load at {{.*}} reads 4 bytes out of bounds: 8 bytes behind the end of argument #0 (40 bytes)
// RUN: %{run} --entry=before 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: memref.load at {{.*}} reads 4 bytes out of bounds: 4 bytes before the start of argument #0
// RUN: %{run} --entry=nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: kernel 'kernels::at': block (0, 0, 0), thread (0, 0, 0): memref.load at {{.*}} reads 4 bytes out of bounds: the address 0x{{[0-9a-f]+}} is in no buffer
//
// An input of the program, half of a vector, an argument that is in the middle:
// RUN: %{run} --entry=input --input=ones:f32:10 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: vector.load at {{.*}} reads 16 bytes out of bounds: right behind the end of argument #0 (40 bytes)
// RUN: %{run} --entry=part 2>&1 | FileCheck %s --check-prefix=PART
// PART: memref.load at {{.*}} reads 4 bytes out of bounds: right behind the end of argument #0 (24 bytes)
//
// Memory that was freed:
// RUN: %{run} --entry=freed 2>&1 | FileCheck %s --check-prefix=FREED
// FREED: memref.load at {{.*}} reads 4 bytes out of bounds
//
// Workgroup buffers, one behind the other, and dynamic workgroup memory:
// RUN: %{run} --entry=shared 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: kernel 'kernels::shared': block (0, 0, 0), thread (32, 0, 0): memref.store at {{.*}} writes 2 bytes out of bounds: right behind the end of workgroup buffer #0 (64 bytes)
// RUN: %{run} --entry=dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: kernel 'kernels::dynamic': block (0, 0, 0), thread (16, 0, 0): memref.store at {{.*}} writes 4 bytes out of bounds: right behind the end of dynamic workgroup memory (64 bytes)
//
// An access that a GPU has to make in one piece, and one that it may make in
// parts:
// RUN: %{run} --entry=misaligned 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// MISALIGNED: kernel 'kernels::wide': block (0, 0, 0), thread (0, 0, 0): vector.load at {{.*}} reads 16 bytes of argument #0, element 2 (byte 8), at an address that is not a multiple of 16, as a GPU needs it to be
// RUN: scan-run %s --target=emulator --entry=in_parts
//
// A constant in global memory:
// RUN: %{run} --entry=constant 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: memref.load at {{.*}} reads 4 bytes out of bounds: right behind the end of the variable 'kernels__table' (16 bytes)
//
// RUN: %{run} --entry=unwritten_shared 2>&1 | FileCheck %s --check-prefix=UNSHARED
// UNSHARED: kernel 'kernels::unwritten_shared': block ({{[01]}}, 0, 0), thread (31, 0, 0): memref.load at {{.*}} reads workgroup buffer #0, element 32 (byte 128), which nobody has written before
// RUN: %{run} --entry=unwritten_global 2>&1 | FileCheck %s --check-prefix=UNGLOBAL
// UNGLOBAL: kernel 'kernels::at': block (0, 0, 0), thread (0, 0, 0): memref.load at {{.*}} reads argument #0, element 3 (byte 12), which nobody has written before
// RUN: %{run} --entry=gap 2>&1 | FileCheck %s --check-prefix=GAP
// GAP: 'gap' failed: element [2, 1] of result #1 was never written
//
// What comes of it is told, too:
// RUN: %{run} --entry=consequence 2>&1 | FileCheck %s --check-prefix=THEN
// THEN: memref.load at {{.*}} reads argument #0, element 2 (byte 8), which nobody has written before; then kernel 'kernels::consequence': block (0, 0, 0), thread (0, 0, 0): memref.load at {{.*}} reads 4 bytes out of bounds: 
//
// None of it is found with checks off:
// RUN: scan-run %s --target=emulator --races=off --entry=unwritten_shared
// RUN: scan-run %s --target=emulator --races=off --entry=unwritten_global
// RUN: scan-run %s --target=emulator --races=off --entry=gap

module attributes {gpu.container_module} {
  gpu.module @kernels {
    memref.global constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>

    gpu.func @at(%x: memref<?xf32>, %i: index, %y: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%c0] : memref<1xf32>
      gpu.return
    }
    gpu.func @vector(%x: memref<?xf32>, %i: index, %y: memref<4xf32>) kernel {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
      vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
    gpu.func @wide(%x: memref<?xf32>, %i: index, %y: memref<4xf32>) kernel {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%i] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
      vector.store %v, %y[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
      gpu.return
    }
    gpu.func @shared() workgroup(%s: memref<32xi16, #gpu.address_space<workgroup>>,
                                 %r: memref<32xi16, #gpu.address_space<workgroup>>) kernel {
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i16
      memref.store %v, %s[%t] : memref<32xi16, #gpu.address_space<workgroup>>
      gpu.return
    }
    gpu.func @dynamic(%n: index) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %v = arith.index_cast %t : index to i32
      %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %view = memref.view %all[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<?xi32, #gpu.address_space<workgroup>>
      memref.store %v, %view[%t] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.return
    }
    gpu.func @constant(%i: index, %y: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %table = memref.get_global @table : memref<4xi32>
      %v = memref.load %table[%i] : memref<4xi32>
      memref.store %v, %y[%c0] : memref<1xi32>
      gpu.return
    }
    // A block that follows another one in the same memory finds nothing there.
    gpu.func @unwritten_shared(%y: memref<64xi32>)
        workgroup(%s: memref<33xi32, #gpu.address_space<workgroup>>) kernel {
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %v = arith.index_cast %t : index to i32
      memref.store %v, %s[%t] : memref<33xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %next = arith.addi %t, %c1 : index
      %w = memref.load %s[%next] : memref<33xi32, #gpu.address_space<workgroup>>
      memref.store %w, %y[%g] : memref<64xi32>
      gpu.return
    }
    // Every second element, and all but one.
    gpu.func @gap(%y: memref<4x4xf32>, %z: memref<3x3xf32>) kernel {
      %c7 = arith.constant 7 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c9 = arith.constant 9 : index
      %one = arith.constant 1.0 : f32
      %t = gpu.thread_id x
      %i = arith.divui %t, %c4 : index
      %j = arith.remui %t, %c4 : index
      memref.store %one, %y[%i, %j] : memref<4x4xf32>
      %other = arith.cmpi ne, %t, %c7 : index
      %within = arith.cmpi ult, %t, %c9 : index
      %both = arith.andi %other, %within : i1
      scf.if %both {
        %k = arith.divui %t, %c3 : index
        %l = arith.remui %t, %c3 : index
        memref.store %one, %z[%k, %l] : memref<3x3xf32>
      }
      gpu.return
    }
    gpu.func @consequence(%x: memref<?xi32>, %y: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %i = memref.load %x[%c2] : memref<?xi32>
      %at = arith.index_cast %i : i32 to index
      %v = memref.load %x[%at] : memref<?xi32>
      memref.store %v, %y[%c0] : memref<1xi32>
      gpu.return
    }
  }

  func.func private @at(%x: memref<?xf32>, %i: index) {
    %c1 = arith.constant 1 : index
    %y = memref.alloc() : memref<1xf32>
    gpu.launch_func @kernels::@at blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<?xf32>, %i : index, %y : memref<1xf32>)
    return
  }
  func.func private @make() -> memref<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %one = arith.constant 1.0 : f32
    %x = memref.alloc(%c10) {alignment = 64 : i64} : memref<?xf32>
    scf.for %i = %c0 to %c10 step %c1 {
      memref.store %one, %x[%i] : memref<?xf32>
    }
    return %x : memref<?xf32>
  }
  func.func @behind() {
    %i = arith.constant 10 : index
    %x = call @make() : () -> memref<?xf32>
    call @at(%x, %i) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @far_behind() {
    %i = arith.constant 12 : index
    %x = call @make() : () -> memref<?xf32>
    call @at(%x, %i) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @before() {
    %i = arith.constant -1 : index
    %x = call @make() : () -> memref<?xf32>
    call @at(%x, %i) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @nowhere() {
    %i = arith.constant 0x0000100000000000 : index
    %x = call @make() : () -> memref<?xf32>
    call @at(%x, %i) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @input(%tensor: tensor<?xf32>) {
    %x = bufferization.to_buffer %tensor read_only : tensor<?xf32> to memref<?xf32>
    %c1 = arith.constant 1 : index
    %i = arith.constant 8 : index
    %y = memref.alloc() : memref<4xf32>
    gpu.launch_func @kernels::@vector blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<?xf32>, %i : index, %y : memref<4xf32>)
    return
  }
  func.func @misaligned() {
    %c1 = arith.constant 1 : index
    %i = arith.constant 2 : index
    %x = call @make() : () -> memref<?xf32>
    %y = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    gpu.launch_func @kernels::@wide blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<?xf32>, %i : index, %y : memref<4xf32>)
    return
  }
  func.func @in_parts() {
    %c1 = arith.constant 1 : index
    %i = arith.constant 2 : index
    %x = call @make() : () -> memref<?xf32>
    %y = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    gpu.launch_func @kernels::@vector blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<?xf32>, %i : index, %y : memref<4xf32>)
    return
  }
  func.func @part() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %i = arith.constant 6 : index
    %x = call @make() : () -> memref<?xf32>
    // Elements 4 to 9, as a memref that starts there.
    %p = memref.extract_aligned_pointer_as_index %x : memref<?xf32> -> index
    %c16 = arith.constant 16 : index
    %q = arith.addi %p, %c16 : index
    %w = arith.index_cast %q : index to i64
    %ptr = llvm.inttoptr %w : i64 to !llvm.ptr
    %zero = llvm.mlir.constant(0 : i64) : i64
    %six = llvm.mlir.constant(6 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %d0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %d1 = llvm.insertvalue %ptr, %d0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %d2 = llvm.insertvalue %ptr, %d1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %d3 = llvm.insertvalue %zero, %d2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %d4 = llvm.insertvalue %six, %d3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %d5 = llvm.insertvalue %one, %d4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %m = builtin.unrealized_conversion_cast %d5 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf32>
    call @at(%m, %i) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @freed() {
    %i = arith.constant 1 : index
    %x = call @make() : () -> memref<?xf32>
    memref.dealloc %x : memref<?xf32>
    call @at(%x, %i) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @shared() {
    %c1 = arith.constant 1 : index
    %c33 = arith.constant 33 : index
    gpu.launch_func @kernels::@shared blocks in (%c1, %c1, %c1) threads in (%c33, %c1, %c1)
    return
  }
  func.func @dynamic() {
    %c1 = arith.constant 1 : index
    %c17 = arith.constant 17 : index
    %bytes = arith.constant 64 : i32
    gpu.launch_func @kernels::@dynamic blocks in (%c1, %c1, %c1) threads in (%c17, %c1, %c1)
        dynamic_shared_memory_size %bytes args(%c17 : index)
    return
  }
  func.func @constant() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<1xi32>
    gpu.launch_func @kernels::@constant blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%c4 : index, %y : memref<1xi32>)
    return
  }
  func.func @unwritten_shared() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@unwritten_shared blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%y : memref<64xi32>)
    return
  }
  func.func @unwritten_global() {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %x = memref.alloc(%c4) : memref<?xf32>
    call @at(%x, %c3) : (memref<?xf32>, index) -> ()
    return
  }
  func.func @gap() -> (memref<4x4xf32>, memref<3x3xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %y = memref.alloc() : memref<4x4xf32>
    %z = memref.alloc() : memref<3x3xf32>
    gpu.launch_func @kernels::@gap blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1)
        args(%y : memref<4x4xf32>, %z : memref<3x3xf32>)
    return %y, %z : memref<4x4xf32>, memref<3x3xf32>
  }
  func.func @consequence() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = memref.alloc(%c4) : memref<?xi32>
    %y = memref.alloc() : memref<1xi32>
    gpu.launch_func @kernels::@consequence blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%x : memref<?xi32>, %y : memref<1xi32>)
    return
  }
}
