// Private memory is checked as other memory is: the buffers of a kernel, of its
// loops, and of the functions that it calls.
//
// DEFINE: %{run} = scan-run %s --target=emulator --input=zeros:i32:64
// DEFINE: %{n} = --input=const:index:
//
// An array that a kernel indexes by what it was given:
// RUN: %{run} --entry=attribution %{n}:1 %{n}:2 | FileCheck %s --check-prefix=OTHER
// RUN: %{run} --entry=attribution %{n}:3 %{n}:3 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=attribution %{n}:1 %{n}:2 --races=off | FileCheck %s --check-prefix=OTHER
// RUN: %{run} --entry=local %{n}:1 %{n}:2 | FileCheck %s --check-prefix=OTHER
// RUN: %{run} --entry=local %{n}:0 %{n}:0 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=local %{n}:0 %{n}:0 --stats --output=%t.npy | FileCheck %s --check-prefix=STATS
// OTHER: [2, 2, 2, {{.*}} 2, 2]
// SAME: [7, 7, 7, {{.*}} 7, 7]
// It is not counted.
// STATS: global bytes read 0
// STATS: global bytes written 256
//
// RUN: not %{run} --entry=attribution %{n}:4 %{n}:0 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %{run} --entry=attribution %{n}:-1 %{n}:0 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %{run} --entry=attribution %{n}:0 %{n}:5 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not %{run} --entry=attribution %{n}:1000 %{n}:0 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not %{run} --entry=attribution %{n}:1000000000000 %{n}:0 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not %{run} --entry=local %{n}:4 %{n}:0 2>&1 | FileCheck %s --check-prefix=LOCAL
// BEHIND: error: {{.*}}: 'attribution' failed: kernel 'kernels::attribution': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): memref.store at {{.*}}private.mlir:[[#@LINE+79]]:7 writes 4 bytes out of bounds: right behind the end of private buffer #0 (16 bytes){{$}}
// BEFORE: memref.store at {{.*}} writes 4 bytes out of bounds: 4 bytes before the start of private buffer #0{{$}}
// READ: memref.load at {{.*}} reads 4 bytes out of bounds: 4 bytes behind the end of private buffer #0 (16 bytes){{$}}
// FAR: memref.store at {{.*}} writes 4 bytes out of bounds: 3984 bytes behind the end of private buffer #0 (16 bytes){{$}}
// NOWHERE: memref.store at {{.*}} writes 4 bytes out of bounds: the address 0x{{[0-9a-f]+}} is in no buffer{{$}}
// LOCAL: memref.store at {{.*}} writes 4 bytes out of bounds: right behind the end of the buffer of memref.alloca at {{.*}}private.mlir:[[#@LINE+85]]:12 (16 bytes){{$}}
//
// Two buffers, and what is out of bounds of one is not in the other:
// RUN: %{run} --entry=two %{n}:3 %{n}:0 | FileCheck %s --check-prefix=SAME
// RUN: not %{run} --entry=two %{n}:4 %{n}:0 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not %{run} --entry=two %{n}:0 %{n}:4 2>&1 | FileCheck %s --check-prefix=SECOND
// FIRST: memref.store at {{.*}} writes 4 bytes out of bounds: right behind the end of private buffer #0 (16 bytes){{$}}
// SECOND: memref.load at {{.*}} reads 4 bytes out of bounds: right behind the end of private buffer #1 (16 bytes){{$}}
//
// What nobody has written: an element, a part of a vector, what a copy reads.
// RUN: %{run} --entry=unwritten %{n}:2 %{n}:2 | FileCheck %s --check-prefix=SAME
// RUN: not %{run} --entry=unwritten %{n}:2 %{n}:3 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not %{run} --entry=unwritten_vector 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not %{run} --entry=unwritten_copy %{n}:4 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: %{run} --entry=unwritten_copy %{n}:64 | FileCheck %s --check-prefix=SAME
// RUN: not %{run} --entry=unwritten_update 2>&1 | FileCheck %s --check-prefix=UPDATE
// UNWRITTEN: error: {{.*}}: 'unwritten' failed: kernel 'kernels::unwritten': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): memref.load at {{.*}}private.mlir:{{[0-9]+}}:12 reads the buffer of memref.alloca at {{.*}}private.mlir:{{[0-9]+}}:12, element 3 (byte 12), which nobody has written before{{$}}
// VECTOR: vector.load at {{.*}} reads private buffer #0, element 3 (byte 12), which nobody has written before{{$}}
// COPY: memref.copy at {{.*}} reads private buffer #0, element 16 (byte 16), which nobody has written before{{$}}
// UPDATE: memref.atomic_rmw at {{.*}} reads private buffer #0, element 0 (byte 0), which nobody has written before{{$}}
//
// A buffer of a loop is a new one in each iteration.
// RUN: %{run} --entry=loop %{n}:0 | FileCheck %s --check-prefix=SAME
// RUN: not %{run} --entry=loop %{n}:1 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: memref.load at {{.*}} reads the buffer of memref.alloca at {{.*}}, element 0 (byte 0), which nobody has written before{{$}}
//
// Functions read and write the buffers of who calls them; theirs are gone when
// they return.
// RUN: %{run} --entry=callee %{n}:3 | FileCheck %s --check-prefix=SAME
// RUN: not %{run} --entry=callee %{n}:4 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not %{run} --entry=returned 2>&1 | FileCheck %s --check-prefix=RETURNED
// CALLEE: kernel 'kernels::callee': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): memref.store at {{.*}} writes 4 bytes out of bounds: right behind the end of private buffer #0 (16 bytes){{$}}
// RETURNED: kernel 'kernels::returned': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): memref.load at {{.*}} reads 4 bytes out of bounds: the address 0x{{[0-9a-f]+}} is in no buffer{{$}}
//
// Nobody else's:
// RUN: not %{run} --entry=foreign --input=zeros:i64:1 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: kernel 'kernels::foreign': block (0, 0, 0), thread (1, 0, 0): llvm.load at {{.*}} accesses private memory, of another thread{{$}}
//
// RUN: not %{run} --entry=misaligned 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// MISALIGNED: vector.load at {{.*}} reads 8 bytes of private buffer #0, element 1 (byte 4), at an address that is not a multiple of 8, as a GPU needs it to be{{$}}
//
// Pointers from nowhere:
// RUN: not %{run} --entry=null 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: llvm.store at {{.*}} writes 4 bytes out of bounds: the address 0x0 is in no buffer{{$}}
//
// As much as a thread may have:
// RUN: %{run} --entry=large %{n}:98303 | FileCheck %s --check-prefix=SAME
// RUN: not %{run} --entry=large %{n}:98304 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: memref.store at {{.*}} writes 4 bytes out of bounds: right behind the end of private buffer #0 (393216 bytes){{$}}

module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func private @write(%a: memref<4xi32>, %n: index) {
      %seven = arith.constant 7 : i32
      memref.store %seven, %a[%n] : memref<4xi32>
      return
    }
    func.func private @make() -> memref<4xi32> {
      %c0 = arith.constant 0 : index
      %seven = arith.constant 7 : i32
      %a = memref.alloca() : memref<4xi32>
      memref.store %seven, %a[%c0] : memref<4xi32>
      return %a : memref<4xi32>
    }
    gpu.func @attribution(%y: memref<64xi32>, %n: index, %m: index) private(%a: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %k = %c0 to %c4 step %c1 {
        %ki = arith.index_cast %k : index to i32
        memref.store %ki, %a[%k] : memref<4xi32, #gpu.address_space<private>>
      }
      memref.store %seven, %a[%n] : memref<4xi32, #gpu.address_space<private>>
      %v = memref.load %a[%m] : memref<4xi32, #gpu.address_space<private>>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @local(%y: memref<64xi32>, %n: index, %m: index) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %a = memref.alloca() : memref<4xi32>
      scf.for %k = %c0 to %c4 step %c1 {
        %ki = arith.index_cast %k : index to i32
        memref.store %ki, %a[%k] : memref<4xi32>
      }
      memref.store %seven, %a[%n] : memref<4xi32>
      %v = memref.load %a[%m] : memref<4xi32>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @two(%y: memref<64xi32>, %n: index, %m: index) private(%a: memref<4xi32, #gpu.address_space<private>>, %b: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %k = %c0 to %c4 step %c1 {
        %ki = arith.index_cast %k : index to i32
        memref.store %ki, %a[%k] : memref<4xi32, #gpu.address_space<private>>
      }
      scf.for %k = %c0 to %c4 step %c1 {
        %ki = arith.index_cast %k : index to i32
        memref.store %ki, %b[%k] : memref<4xi32, #gpu.address_space<private>>
      }
      memref.store %seven, %a[%n] : memref<4xi32, #gpu.address_space<private>>
      memref.store %seven, %b[%c0] : memref<4xi32, #gpu.address_space<private>>
      %v = memref.load %b[%m] : memref<4xi32, #gpu.address_space<private>>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @unwritten(%y: memref<64xi32>, %n: index, %m: index) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %a = memref.alloca() : memref<4xi32>
      memref.store %seven, %a[%n] : memref<4xi32>
      %v = memref.load %a[%m] : memref<4xi32>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @unwritten_vector(%y: memref<64xi32>) private(%a: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c3 = arith.constant 3 : index
      scf.for %k = %c0 to %c3 step %c1 {
        memref.store %seven, %a[%k] : memref<4xi32, #gpu.address_space<private>>
      }
      %w = vector.load %a[%c0] : memref<4xi32, #gpu.address_space<private>>, vector<4xi32>
      %v = vector.extract %w[0] : i32 from vector<4xi32>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @unwritten_copy(%y: memref<64xi32>, %n: index) private(%a: memref<64xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %k = %c0 to %n step %c1 {
        memref.store %seven, %a[%k] : memref<64xi32, #gpu.address_space<private>>
      }
      %is = arith.cmpi eq, %t, %c0 : index
      scf.if %is {
        memref.copy %a, %y : memref<64xi32, #gpu.address_space<private>> to memref<64xi32>
      }
      gpu.return
    }
    gpu.func @unwritten_update(%y: memref<64xi32>) private(%a: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %v = memref.atomic_rmw addi %seven, %a[%c0] : (i32, memref<4xi32, #gpu.address_space<private>>) -> i32
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @loop(%y: memref<64xi32>, %n: index) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %v = scf.for %k = %c0 to %c4 step %c1 iter_args(%w = %seven) -> i32 {
        %a = memref.alloca() : memref<4xi32>
        %first = arith.cmpi eq, %k, %c0 : index
        %none = arith.cmpi eq, %n, %c0 : index
        %writes = arith.ori %first, %none : i1
        scf.if %writes {
          memref.store %seven, %a[%c0] : memref<4xi32>
        }
        %r = memref.load %a[%c0] : memref<4xi32>
        scf.yield %r : i32
      }
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @callee(%y: memref<64xi32>, %n: index) private(%a: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %b = memref.memory_space_cast %a : memref<4xi32, #gpu.address_space<private>> to memref<4xi32>
      func.call @write(%b, %n) : (memref<4xi32>, index) -> ()
      %v = memref.load %a[%n] : memref<4xi32, #gpu.address_space<private>>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @returned(%y: memref<64xi32>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %a = func.call @make() : () -> memref<4xi32>
      %v = memref.load %a[%c0] : memref<4xi32>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @foreign(%y: memref<64xi32>, %p: memref<1xi64>) private(%a: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      memref.store %seven, %a[%c0] : memref<4xi32, #gpu.address_space<private>>
      %is = arith.cmpi eq, %t, %c0 : index
      scf.if %is {
        %address = memref.extract_aligned_pointer_as_index %a : memref<4xi32, #gpu.address_space<private>> -> index
        %word = arith.index_cast %address : index to i64
        memref.store %word, %p[%c0] : memref<1xi64>
      }
      gpu.barrier
      %second = arith.cmpi eq, %t, %c1 : index
      scf.if %second {
        %word = memref.load %p[%c0] : memref<1xi64>
        %pointer = llvm.inttoptr %word : i64 to !llvm.ptr
        %v = llvm.load %pointer : !llvm.ptr -> i32
        memref.store %v, %y[%t] : memref<64xi32>
      }
      gpu.barrier
      gpu.return
    }
    gpu.func @misaligned(%y: memref<64xi32>) private(%a: memref<4xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %k = %c0 to %c4 step %c1 {
        %ki = arith.index_cast %k : index to i32
        memref.store %ki, %a[%k] : memref<4xi32, #gpu.address_space<private>>
      }
      %w = vector.load %a[%c1] {alignment = 8 : i64} : memref<4xi32, #gpu.address_space<private>>, vector<2xi32>
      %v = vector.extract %w[0] : i32 from vector<2xi32>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
    gpu.func @null(%y: memref<64xi32>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i64
      %pointer = llvm.inttoptr %zero : i64 to !llvm.ptr<1>
      llvm.store %seven, %pointer : i32, !llvm.ptr<1>
      gpu.return
    }
    gpu.func @large(%y: memref<64xi32>, %n: index) private(%a: memref<98304xi32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %seven = arith.constant 7 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      memref.store %seven, %a[%n] : memref<98304xi32, #gpu.address_space<private>>
      %v = memref.load %a[%n] : memref<98304xi32, #gpu.address_space<private>>
      memref.store %v, %y[%t] : memref<64xi32>
      gpu.return
    }
  }
  func.func @attribution(%y: memref<64xi32>, %n: index, %m: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@attribution blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index, %m : index)
    return %y : memref<64xi32>
  }
  func.func @local(%y: memref<64xi32>, %n: index, %m: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@local blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index, %m : index)
    return %y : memref<64xi32>
  }
  func.func @two(%y: memref<64xi32>, %n: index, %m: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index, %m : index)
    return %y : memref<64xi32>
  }
  func.func @unwritten(%y: memref<64xi32>, %n: index, %m: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@unwritten blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index, %m : index)
    return %y : memref<64xi32>
  }
  func.func @unwritten_vector(%y: memref<64xi32>) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@unwritten_vector blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @unwritten_copy(%y: memref<64xi32>, %n: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@unwritten_copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index)
    return %y : memref<64xi32>
  }
  func.func @unwritten_update(%y: memref<64xi32>) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@unwritten_update blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @loop(%y: memref<64xi32>, %n: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@loop blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index)
    return %y : memref<64xi32>
  }
  func.func @callee(%y: memref<64xi32>, %n: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@callee blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index)
    return %y : memref<64xi32>
  }
  func.func @returned(%y: memref<64xi32>) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@returned blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @foreign(%y: memref<64xi32>, %p: memref<1xi64>) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@foreign blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %p : memref<1xi64>)
    return %y : memref<64xi32>
  }
  func.func @misaligned(%y: memref<64xi32>) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@misaligned blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @null(%y: memref<64xi32>) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@null blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @large(%y: memref<64xi32>, %n: index) -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@large blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%y : memref<64xi32>, %n : index)
    return %y : memref<64xi32>
  }
}
