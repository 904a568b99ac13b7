//===- Passes.td - Passes of the SIMT emulator -------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_EXECUTION_EMULATOR_PASSES_TD
#define SCAN_EXECUTION_EMULATOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGPUToFibers : Pass<"convert-gpu-to-fibers", "::mlir::ModuleOp"> {
  let summary = "turn GPU kernels and their launches into calls of the SIMT emulator";
  let description = [{
    Converts a module with `gpu.module`s and the host code that launches them
    to the LLVM dialect, for the processor that the compiler runs on. Every GPU
    thread becomes a fiber of the emulator's runtime (FiberRuntime.h):

    *   A kernel becomes an ordinary function of the same flat arguments.
        Memory spaces are dropped, and attributes of arguments with them:
        `llvm.noalias` would allow to move a load across a barrier, behind which
        another fiber has stored.
    *   Ids, sizes, barriers and shuffles become calls of the runtime. Barriers
        and shuffles pass the source location of the operation for messages.
    *   Workgroup attributions lie in memory that the runtime has for each
        block, private ones on the stack of the fiber.
    *   Each loop tells the runtime about its iterations, which is how a kernel
        that waits for another block makes progress, and how one that waits in
        vain is found out.
    *   Atomic accesses and fences tell the runtime where they are, and with
        `check-memory` so do all others, with the name and the location that
        they had as operations of other dialects. Private memory is left alone.
    *   `gpu.launch_func` becomes a call of the runtime that returns after the
        last thread has exited.

    Structured control flow, affine ops and metadata ops of memrefs have to be
    lowered before (`--scan-gpu-to-fibers` does that). What the emulator does
    not know is an error: it never guesses what a GPU would do.

    Before:

    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @next(%x: memref<32xf32>, %y: memref<32xf32>) kernel {
          %one = arith.constant 1 : i32
          %width = arith.constant 32 : i32
          %t = gpu.thread_id x
          %v = memref.load %x[%t] : memref<32xf32>
          %w, %valid = gpu.shuffle down %v, %one, %width : f32
          %r = arith.select %valid, %w, %v : f32
          memref.store %r, %y[%t] : memref<32xf32>
          gpu.return
        }
      }
      func.func @main(%x: memref<32xf32>, %y: memref<32xf32>) {
        %c1 = arith.constant 1 : index
        %c32 = arith.constant 32 : index
        gpu.launch_func @kernels::@next
            blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
            args(%x : memref<32xf32>, %y : memref<32xf32>)
        return
      }
    }
    ```

    After `--convert-gpu-to-fibers`:

    ```mlir
    llvm.func @kernels__next(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes ... {
      // ...
      ... = llvm.call @scan_emulator_thread_id(...) : (i32) -> i64
      // ...
      ... = llvm.call @scan_emulator_shuffle(...) : (!llvm.ptr, i32, i64, i32, i32) -> !llvm.struct<(i64, i64)>
      // ...
      llvm.return
    }
    // ...
    llvm.func @main(...) {
      // ...
      llvm.call @scan_emulator_launch(...) : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr) -> ()
      llvm.return
    }
    ```
  }];
  let options = [
    Option<"checkMemory", "check-memory", "bool", /*default=*/"false",
           "add a call of the runtime before every access to memory, so that "
           "races, accesses out of bounds and reads of what nobody has written "
           "are found">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect"];
}

def ScanCheckStatus : Pass<"scan-check-status", "::mlir::ModuleOp"> {
  let summary = "stop the program where a kernel reports wrong segment offsets";
  let description = [{
    A kernel says in a *status*, a `memref.alloc` with the mark `scan.status`, which of the
    segment offsets that it reads is wrong. Launchers look at that later. Where launches
    return after the last thread has exited and kernels have the memory of the host, as in
    the emulator, a check at the end of the function stops the program, with the message of
    programs for the CPU. The status lives throughout the function.

    Before:

    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @report(%status: memref<i64>) kernel {
          gpu.return
        }
      }
      func.func @main() {
        %c1 = arith.constant 1 : index
        %status = memref.alloc() {scan.status = {argument = 1 : i64, dim = 0 : i64}} : memref<3xi64>
        %base, %offset, %size, %stride = memref.extract_strided_metadata %status : memref<3xi64> -> memref<i64>, index, index, index
        gpu.launch_func @kernels::@report blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%base : memref<i64>)
        return
      }
    }
    ```

    After `--scan-check-status`:

    ```mlir
    // ...
      %... = memref.alloc() {scan.status = {argument = 1 : i64, dim = 0 : i64}} : memref<3xi64>
      // ...
      memref.store %..., %...[%...] : memref<3xi64>
      // ...
      gpu.launch_func ... args(...)
      // ...
      %... = memref.load %...[%...] : memref<3xi64>
      // ...
      %... = arith.cmpi eq, %..., %... : i64
      cf.assert %..., "scan: expected the offsets of segments to start with 0, not to decrease, and to end with the extent of dimension 0, which is scanned"
      // ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // SCAN_EXECUTION_EMULATOR_PASSES_TD
