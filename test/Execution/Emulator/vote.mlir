// What holds in all lanes of a warp, each warp by itself: in all of them, in all but one, for
// each of them, and in none. A vote that not all lanes reach is divergence.
//
// RUN: scan-run %s --entry=main --target=emulator
// RUN: scan-run %s --entry=main --target=emulator --schedule=in-order
// RUN: scan-run %s --entry=main --target=emulator --schedule=adversarial
// RUN: not scan-run %s --entry=half --target=emulator 2>&1 | FileCheck %s
// CHECK: kernel 'kernels::half': block (0, 0, 0), thread ({{[0-9]|1[0-5]}}, 0, 0) waits at nvvm.vote.sync at {{.*}}vote.mlir:{{.*}}, but thread ([[LANE:[0-9]+]], 0, 0) has exited

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // In the first warp all lanes but number `odd`, in the second one all.
    gpu.func @all(%odd: index) kernel {
      %all = arith.constant -1 : i32
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %condition = arith.cmpi ne, %t, %odd : index
      %vote = nvvm.vote.sync all %all, %condition -> i1
      %second = arith.cmpi uge, %t, %c32 : index
      %none = arith.cmpi uge, %odd, %c32 : index
      %expected = arith.ori %second, %none : i1
      %same = arith.cmpi eq, %vote, %expected : i1
      cf.assert %same, "wrong vote"
      %false = arith.constant false
      %never = nvvm.vote.sync all %all, %false -> i1
      %true = arith.constant true
      %other = arith.xori %never, %true : i1
      cf.assert %other, "a vote that nobody is for"
      gpu.return
    }

    gpu.func @half() kernel {
      %all = arith.constant -1 : i32
      %true = arith.constant true
      %c16 = arith.constant 16 : index
      %t = gpu.thread_id x
      %in = arith.cmpi ult, %t, %c16 : index
      scf.if %in {
        %vote = nvvm.vote.sync all %all, %true -> i1
        cf.assert %vote, "wrong vote"
      }
      gpu.return
    }
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c33 = arith.constant 33 : index
    %c100 = arith.constant 100 : index
    scf.for %odd = %c0 to %c33 step %c1 {
      %c32 = arith.constant 32 : index
      %is_none = arith.cmpi eq, %odd, %c32 : index
      %lane = arith.select %is_none, %c100, %odd : index
      gpu.launch_func @kernels::@all blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
          args(%lane : index)
    }
    return
  }

  func.func @half() {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@half blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    return
  }
}
