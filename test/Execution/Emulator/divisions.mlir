// A division that has no result is an error of the thread that divides, whatever
// the processor that runs the emulator makes of it; a GPU would go on with any
// number.
//
// DEFINE: %{run} = scan-run %s --target=emulator
//
// Each thread divides by a number of its own; that of one is zero, or -1.
// DEFINE: %{zero} = --input=values:i32:4:7,8,9,10 --input=values:i32:4:1,2,0,4
// DEFINE: %{overflow} = --input=values:i32:4:7,-2147483648,9,10 --input=values:i32:4:1,-1,3,4
// RUN: not %{run} --entry=divsi %{zero} 2>&1 | FileCheck %s --check-prefix=DIVSI
// DIVSI: error: {{.*}}: 'divsi' failed: kernel 'kernels::divsi': block (0, 0, 0), thread (2, 0, 0): arith.divsi at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=divsi %{overflow} 2>&1 | FileCheck %s --check-prefix=DIVSI-OVERFLOW
// DIVSI-OVERFLOW: thread (1, 0, 0): arith.divsi at {{.*}}: signed division overflows: the smallest integer over -1{{$}}
// RUN: not %{run} --entry=divui %{zero} 2>&1 | FileCheck %s --check-prefix=DIVUI
// DIVUI: error: {{.*}}: 'divui' failed: kernel 'kernels::divui': block (0, 0, 0), thread (2, 0, 0): arith.divui at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=remsi %{zero} 2>&1 | FileCheck %s --check-prefix=REMSI
// REMSI: error: {{.*}}: 'remsi' failed: kernel 'kernels::remsi': block (0, 0, 0), thread (2, 0, 0): arith.remsi at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=remui %{zero} 2>&1 | FileCheck %s --check-prefix=REMUI
// REMUI: error: {{.*}}: 'remui' failed: kernel 'kernels::remui': block (0, 0, 0), thread (2, 0, 0): arith.remui at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=ceildivsi %{zero} 2>&1 | FileCheck %s --check-prefix=CEILDIVSI
// CEILDIVSI: error: {{.*}}: 'ceildivsi' failed: kernel 'kernels::ceildivsi': block (0, 0, 0), thread (2, 0, 0): arith.ceildivsi at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=ceildivsi %{overflow} 2>&1 | FileCheck %s --check-prefix=CEILDIVSI-OVERFLOW
// CEILDIVSI-OVERFLOW: thread (1, 0, 0): arith.ceildivsi at {{.*}}: signed division overflows: the smallest integer over -1{{$}}
// RUN: not %{run} --entry=ceildivui %{zero} 2>&1 | FileCheck %s --check-prefix=CEILDIVUI
// CEILDIVUI: error: {{.*}}: 'ceildivui' failed: kernel 'kernels::ceildivui': block (0, 0, 0), thread (2, 0, 0): arith.ceildivui at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=floordivsi %{zero} 2>&1 | FileCheck %s --check-prefix=FLOORDIVSI
// FLOORDIVSI: error: {{.*}}: 'floordivsi' failed: kernel 'kernels::floordivsi': block (0, 0, 0), thread (2, 0, 0): arith.floordivsi at {{.*}}divisions.mlir:{{[0-9]+}}:12: division by zero{{$}}
// RUN: not %{run} --entry=floordivsi %{overflow} 2>&1 | FileCheck %s --check-prefix=FLOORDIVSI-OVERFLOW
// FLOORDIVSI-OVERFLOW: thread (1, 0, 0): arith.floordivsi at {{.*}}: signed division overflows: the smallest integer over -1{{$}}
//
// Those that have a result have it, also with checks of memory off.
// DEFINE: %{fine} = --input=values:i32:4:-2147483648,-7,7,-1 --input=values:i32:4:-2147483648,2,-2,-1
// RUN: %{run} --entry=divsi %{fine} | FileCheck %s --check-prefix=QUOTIENTS
// RUN: %{run} --entry=divsi --races=off %{fine} | FileCheck %s --check-prefix=QUOTIENTS
// RUN: not %{run} --entry=divsi --races=off %{zero} 2>&1 | FileCheck %s --check-prefix=DIVSI
// RUN: %{run} --entry=remsi %{fine} | FileCheck %s --check-prefix=REMAINDERS
// RUN: %{run} --entry=remsi --input=values:i32:4:-2147483648,-7,7,-1 --input=values:i32:4:-1,2,-2,-1 | FileCheck %s --check-prefix=REMAINDERS
// RUN: %{run} --entry=floordivsi %{fine} | FileCheck %s --check-prefix=FLOORS
// RUN: %{run} --entry=ceildivsi %{fine} | FileCheck %s --check-prefix=CEILINGS
// QUOTIENTS: [1, -3, -3, 1]
// REMAINDERS: [0, -1, 1, 0]
// FLOORS: [1, -4, -4, 1]
// CEILINGS: [1, -3, -3, 1]
//
// Other dialects, vectors, functions, and where nothing else may have an effect:
// RUN: not %{run} --entry=indices %{zero} 2>&1 | FileCheck %s --check-prefix=INDICES
// RUN: not %{run} --entry=llvm %{overflow} 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: not %{run} --entry=vector %{zero} 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not %{run} --entry=vector %{overflow} 2>&1 | FileCheck %s --check-prefix=VECTOR-OVERFLOW
// RUN: %{run} --entry=vector %{fine} | FileCheck %s --check-prefix=QUOTIENTS
// RUN: not %{run} --entry=callee %{zero} 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not %{run} --entry=update %{zero} 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: not %{run} --entry=constant %{zero} 2>&1 | FileCheck %s --check-prefix=CONSTANT
// INDICES: thread (2, 0, 0): index.ceildivs at {{.*}}: division by zero{{$}}
// LLVM: thread (1, 0, 0): llvm.srem at {{.*}}: signed division overflows: the smallest integer over -1{{$}}
// VECTOR: thread ({{[0-3]}}, 0, 0): arith.divsi at {{.*}}: division by zero{{$}}
// VECTOR-OVERFLOW: thread ({{[0-3]}}, 0, 0): arith.divsi at {{.*}}: signed division overflows: the smallest integer over -1{{$}}
// CALLEE: kernel 'kernels::callee': block (0, 0, 0), thread (2, 0, 0): arith.divui at {{.*}}: division by zero{{$}}
// UPDATE: thread (2, 0, 0): arith.divsi at {{.*}}: division by zero{{$}}
// CONSTANT: thread ({{[0-3]}}, 0, 0): arith.divsi at {{.*}}: signed division overflows: the smallest integer over -1{{$}}
//
// The host's code:
// RUN: not %{run} --entry=host --input=const:index::0 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: {{.*}}: 'host' failed: {{.*}}divisions.mlir:{{[0-9]+}}:10: 'arith.ceildivui' op division by zero{{$}}

module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func private @divide(%a: i32, %b: i32) -> i32 {
      %q = arith.divui %a, %b : i32
      return %q : i32
    }
    gpu.func @divsi(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.divsi %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @divui(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.divui %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @remsi(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.remsi %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @remui(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.remui %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @ceildivsi(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.ceildivsi %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @ceildivui(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.ceildivui %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @floordivsi(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = arith.floordivsi %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @indices(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %i = arith.index_cast %a : i32 to index
      %j = arith.index_cast %b : i32 to index
      %k = index.ceildivs %i, %j
      %q = arith.index_cast %k : index to i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @llvm(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = llvm.srem %a, %b : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @vector(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %c0 = arith.constant 0 : index
      %all = vector.load %x[%c0] : memref<4xi32>, vector<4xi32>
      %divisors = vector.load %d[%c0] : memref<4xi32>, vector<4xi32>
      %quotients = arith.divsi %all, %divisors : vector<4xi32>
      %q = vector.extract %quotients[%t] : i32 from vector<4xi32>
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @callee(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = func.call @divide(%a, %b) : (i32, i32) -> i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @update(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %q = memref.generic_atomic_rmw %x[%t] : memref<4xi32> {
      ^bb0(%old: i32):
        %new = arith.divsi %old, %b : i32
        memref.atomic_yield %new : i32
      }
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @constant(%x: memref<4xi32>, %d: memref<4xi32>, %y: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %a = memref.load %x[%t] : memref<4xi32>
      %b = memref.load %d[%t] : memref<4xi32>
      %smallest = arith.constant -2147483648 : i32
      %minusOne = arith.constant -1 : i32
      %q = arith.divsi %smallest, %minusOne : i32
      memref.store %q, %y[%t] : memref<4xi32>
      gpu.return
    }
  }
  func.func @divsi(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@divsi blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @divui(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@divui blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @remsi(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@remsi blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @remui(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@remui blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @ceildivsi(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@ceildivsi blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @ceildivui(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@ceildivui blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @floordivsi(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@floordivsi blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @indices(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@indices blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @llvm(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@llvm blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @vector(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@vector blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @callee(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@callee blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @update(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@update blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @constant(%x: memref<4xi32>, %d: memref<4xi32>) -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %y = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@constant blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%x : memref<4xi32>, %d : memref<4xi32>, %y : memref<4xi32>)
    return %y : memref<4xi32>
  }
  func.func @host(%n: index) -> index {
    %c7 = arith.constant 7 : index
    %q = arith.ceildivui %c7, %n : index
    return %q : index
  }
}
