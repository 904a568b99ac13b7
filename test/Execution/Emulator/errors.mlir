// What a GPU would hang on, or compute differently, is an error that names the
// block and the thread.
//
// RUN: not scan-run %s --entry=exited --target=emulator 2>&1 | FileCheck %s --check-prefix=EXITED
// RUN: not scan-run %s --entry=two_barriers --target=emulator 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not scan-run %s --entry=divergent_shuffle --target=emulator 2>&1 | FileCheck %s --check-prefix=SHUFFLE
// RUN: not scan-run %s --entry=shuffle_and_barrier --target=emulator 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not scan-run %s --entry=lane_beyond --target=emulator 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not scan-run %s --entry=offset --target=emulator 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not scan-run %s --entry=width --target=emulator 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not scan-run %s --entry=widths --target=emulator 2>&1 | FileCheck %s --check-prefix=WIDTHS
// RUN: not scan-run %s --entry=up --target=emulator 2>&1 | FileCheck %s --check-prefix=UP
// RUN: not scan-run %s --entry=spin --target=emulator --step-budget=100000 2>&1 | FileCheck %s --check-prefix=SPIN
// RUN: not scan-run %s --entry=spin --target=emulator --step-budget=100000 --schedule=in-order 2>&1 | FileCheck %s --check-prefix=SPIN
// RUN: not scan-run %s --entry=known --target=emulator 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: not scan-run %s --entry=empty_grid --target=emulator 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not scan-run %s --entry=large_block --target=emulator 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not scan-run %s --entry=large_shared --target=emulator 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not scan-run %s --entry=large_dynamic --target=emulator 2>&1 | FileCheck %s --check-prefix=DYNAMIC

// EXITED: kernel 'kernels::exited': block ({{[0-9]}}, 0, 0), thread ({{[0-9]+}}, 0, 0) waits at gpu.barrier at {{.*}}errors.mlir:[[#@LINE+24]]:9, but thread (3, 0, 0) has exited; all threads of a block have to execute the same barrier
// TWO: kernel 'kernels::two_barriers': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0) waits at gpu.barrier at {{.*}}, but thread ({{[0-9]+}}, 0, 0) waits at gpu.barrier at {{.*}}; all threads of a block have to execute the same barrier
// SHUFFLE: kernel 'kernels::divergent_shuffle': block (0, 0, 0), thread ({{(3[2-9]|[45][0-9]|6[0-3])}}, 0, 0) waits at gpu.shuffle at {{.*}}, but thread (40, 0, 0) has exited (lane 8 of the same warp); all lanes below the width of a shuffle have to execute it
// MIXED: kernel 'kernels::shuffle_and_barrier': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0) waits at gpu.shuffle at {{.*}}, but thread ({{[0-9]+}}, 0, 0) waits at gpu.barrier at {{.*}} (lane {{[0-9]+}} of the same warp)
// BEYOND: kernel 'kernels::lane_beyond': block (0, 0, 0), thread ({{(1[6-9]|2[0-9]|3[01])}}, 0, 0): gpu.shuffle at {{.*}}: a lane that is not below the width of a shuffle must not execute it
// OFFSET: kernel 'kernels::general': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): gpu.shuffle at {{.*}}: the offset of a shuffle has to be from 0 to 31
// WIDTH: kernel 'kernels::general': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): gpu.shuffle at {{.*}}: the width of a shuffle has to be from 1 to 32
// WIDTHS: kernel 'kernels::widths': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0) waits at gpu.shuffle at {{.*}}, but thread ({{[0-9]+}}, 0, 0) asks for the width {{16|32}} instead of {{16|32}}; all lanes of a shuffle have to agree on its width
// UP: kernel 'kernels::up': block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): gpu.shuffle at {{.*}}: a shuffle up of a width other than 32 finds no lane in range on NVIDIA hardware
// SPIN: kernel 'kernels::spin': block ({{[0-9]}}, 0, 0), thread (0, 0, 0) was at {{the loop|memref.atomic_rmw}} at {{.*}} when the launch had used up its budget of 100000 steps, after memref.atomic_rmw at {{.*}}errors.mlir:141:16 had read argument #0, element 5 (byte 20), which holds 0x1abc; raise the step budget if the kernel does not loop for ever
// KNOWN: kernel 'kernels::known': the block (64, 1, 1) is not the kernel's known_block_size (32, 1, 1)
// GRID: kernel 'kernels::known': the grid (0, 1, 1) is out of range: expected 1 to (2147483647, 65535, 65535)
// BLOCK: kernel 'kernels::exited': the block (2, 513, 1) is out of range: expected 1 to 1024 threads, and at most 64 along z
// SHARED: kernel 'kernels::large': the kernel declares 49156 bytes of workgroup memory; at most 49152 can be declared
// DYNAMIC: kernel 'kernels::known': the launch asks for 232449 bytes of dynamic workgroup memory beside 0 declared ones; expected at most 232448 in sum

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @exited() kernel {
      %c3 = arith.constant 3 : index
      %t = gpu.thread_id x
      %leaves = arith.cmpi eq, %t, %c3 : index
      cf.cond_br %leaves, ^end, ^wait
      ^wait:
        gpu.barrier
        cf.br ^end
      ^end:
        gpu.return
    }

    // The branches differ, or they would be made one.
    gpu.func @two_barriers(%y: memref<64xi32>) kernel {
      %c1 = arith.constant 1 : i32
      %c17 = arith.constant 17 : index
      %t = gpu.thread_id x
      %low = arith.cmpi slt, %t, %c17 : index
      scf.if %low {
        gpu.barrier
      } else {
        memref.store %c1, %y[%t] : memref<64xi32>
        gpu.barrier
      }
      gpu.return
    }

    gpu.func @divergent_shuffle(%y: memref<64xi32>) kernel {
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %c40 = arith.constant 40 : index
      %t = gpu.thread_id x
      %stays = arith.cmpi ne, %t, %c40 : index
      scf.if %stays {
        %r, %valid = gpu.shuffle xor %c1, %c1, %c32 : i32
        memref.store %r, %y[%t] : memref<64xi32>
      }
      gpu.return
    }

    gpu.func @shuffle_and_barrier(%y: memref<64xi32>) kernel {
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %c8 = arith.constant 8 : index
      %t = gpu.thread_id x
      %low = arith.cmpi slt, %t, %c8 : index
      scf.if %low {
        %r, %valid = gpu.shuffle xor %c1, %c1, %c32 : i32
        memref.store %r, %y[%t] : memref<64xi32>
      } else {
        gpu.barrier
      }
      gpu.return
    }

    gpu.func @lane_beyond(%y: memref<64xi32>) kernel {
      %c1 = arith.constant 1 : i32
      %c16 = arith.constant 16 : i32
      %t = gpu.thread_id x
      %r, %valid = gpu.shuffle xor %c1, %c1, %c16 : i32
      memref.store %r, %y[%t] : memref<64xi32>
      gpu.return
    }

    gpu.func @general(%y: memref<64xi32>, %offset: i32, %width: i32) kernel {
      %t = gpu.thread_id x
      %r, %valid = gpu.shuffle down %offset, %offset, %width : i32
      memref.store %r, %y[%t] : memref<64xi32>
      gpu.return
    }

    gpu.func @widths(%y: memref<64xi32>) kernel {
      %c1 = arith.constant 1 : i32
      %c16 = arith.constant 16 : i32
      %c32 = arith.constant 32 : i32
      %c3 = arith.constant 3 : index
      %t = gpu.thread_id x
      %low = arith.cmpi slt, %t, %c3 : index
      %width = arith.select %low, %c16, %c32 : i32
      %r, %valid = gpu.shuffle xor %c1, %c1, %width : i32
      memref.store %r, %y[%t] : memref<64xi32>
      gpu.return
    }

    gpu.func @up(%y: memref<64xi32>) kernel {
      %c1 = arith.constant 1 : i32
      %c16 = arith.constant 16 : i32
      %c16_index = arith.constant 16 : index
      %t = gpu.thread_id x
      %low = arith.cmpi slt, %t, %c16_index : index
      scf.if %low {
        %r, %valid = gpu.shuffle up %c1, %c1, %c16 : i32
        memref.store %r, %y[%t] : memref<64xi32>
      }
      gpu.return
    }

    // Each block waits for a flag that nobody sets.
    gpu.func @spin(%y: memref<64xi32>) kernel {
      %zero = arith.constant 0 : i32
      %c5 = arith.constant 5 : index
      scf.while : () -> () {
        %old = memref.atomic_rmw addi %zero, %y[%c5] : (i32, memref<64xi32>) -> i32
        %unset = arith.cmpi ne, %old, %zero : i32
        scf.condition(%unset)
      } do {
        scf.yield
      }
      gpu.return
    }

    gpu.func @known() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }

    gpu.func @large() workgroup(%s: memref<12289xi32, #gpu.address_space<workgroup>>) kernel {
      gpu.return
    }
  }

  func.func @exited() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@exited blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
    return
  }
  func.func @two_barriers() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@two_barriers blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @divergent_shuffle() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@divergent_shuffle blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @shuffle_and_barrier() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@shuffle_and_barrier blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @lane_beyond() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@lane_beyond blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @offset() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %w = arith.constant 32 : i32
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@general blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%y : memref<64xi32>, %w : i32, %w : i32)
    return %y : memref<64xi32>
  }
  func.func @width() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %w = arith.constant 33 : i32
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@general blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%y : memref<64xi32>, %one : i32, %w : i32)
    return %y : memref<64xi32>
  }
  func.func @widths() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@widths blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @up() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %y = memref.alloc() : memref<64xi32>
    gpu.launch_func @kernels::@up blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @spin() -> memref<64xi32> {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %flag = arith.constant 0x1ABC : i32
    %y = memref.alloc() : memref<64xi32>
    memref.store %flag, %y[%c5] : memref<64xi32>
    gpu.launch_func @kernels::@spin blocks in (%c3, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<64xi32>)
    return %y : memref<64xi32>
  }
  func.func @known() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@known blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
    return
  }
  func.func @empty_grid() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@known blocks in (%c0, %c1, %c1) threads in (%c32, %c1, %c1)
    return
  }
  func.func @large_block() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c513 = arith.constant 513 : index
    gpu.launch_func @kernels::@exited blocks in (%c1, %c1, %c1) threads in (%c2, %c513, %c1)
    return
  }
  func.func @large_shared() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@large blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    return
  }
  func.func @large_dynamic() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %bytes = arith.constant 232449 : i32
    gpu.launch_func @kernels::@known blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        dynamic_shared_memory_size %bytes
    return
  }
}
