//===- Passes.td - Passes around GPU targets ---------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TARGET_PASSES_TD
#define SCAN_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckGPUHostPass : Pass<"scan-check-gpu-host", "::mlir::func::FuncOp"> {
  let summary = "reject what is left outside of the kernels of a function";
  let description = [{
    A function that is compiled to PTX consists of kernels and of the address
    and size computations between them: there is nobody to run anything else.
    Run on tensors, after fusion, this pass emits an error at the first
    operation that is neither a `scan.kernel`, nor one that
    `--scan-linalg-to-gpu` makes a kernel of, nor such a computation.

    Before:

    ```mlir
    func.func @fill(%a: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %v = tensor.extract %a[%c0] : tensor<4xf32>
      %y = linalg.fill ins(%v : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```

    After `--scan-check-gpu-host`:

    ```
    error: 'tensor.extract' op cannot become part of a GPU kernel: expected only
    scans, elementwise and linalg operations on tensors, and slices of them ...
    ```
  }];
}

def ScanRequireExtents : Pass<"scan-require-extents", "::mlir::func::FuncOp"> {
  let summary = "note which extents of a function's arguments have to agree";
  let description = [{
    Kernels take an extent from one operand, and cannot stop where another one is
    shorter. What launches them knows the shapes of all arguments. Run on
    tensors, this pass gives the function the attribute `scan.requires`: an array
    of comparisons of extents of arguments (`"arg0_d1"` is dimension 1 of
    argument 0), all of which have to hold in a call. They follow from scans,
    shifts and scatters, operations of `linalg`, elementwise ones on tensors,
    and `tensor.concat`, `tensor.insert_slice`, `tensor.cast` and
    `tensor.expand_shape`; slices whose ends are known have to be inside. What is in a loop or a branch is left out, and what
    does not follow from extents and integer arguments alone.

    The manifest has them as `requires`, which launchers look at; the emulator
    looks at the attribute.

    Before:

    ```mlir
    func.func @sum(%a: tensor<?x8xf32>, %b: tensor<?x?xf32>) -> tensor<?x8xf32> {
      %c = tensor.cast %b : tensor<?x?xf32> to tensor<?x8xf32>
      %y = arith.addf %a, %c : tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    }
    ```

    After `--scan-require-extents`:

    ```mlir
    func.func @sum(%a: tensor<?x8xf32>, %b: tensor<?x?xf32>) -> tensor<?x8xf32>
        attributes {scan.requires = [["==", "arg1_d1", 8], ["==", "arg0_d0", "arg1_d0"]]} {
      %c = tensor.cast %b : tensor<?x?xf32> to tensor<?x8xf32>
      %y = arith.addf %a, %c : tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    }
    ```
  }];
}

def ScalarResultsToTensorsPass
    : Pass<"scan-scalar-results-to-tensors", "::mlir::ModuleOp"> {
  let summary = "return scalars as tensors without dimensions";
  let description = [{
    What a kernel computes is in memory, and nobody is there to read it: a function
    that is compiled to PTX returns arrays only. Every result of a function that is an
    integer, a real or a complex number becomes a tensor without dimensions, and
    the scalar code behind it, back to `tensor.extract`s, constants and arguments, a
    `linalg.generic` that reads the elements itself. So the gradient of a scalar
    argument, which is a sum over time, is an array of one element. Results of type
    `index` stay, and so do functions that others call.

    Before:

    ```mlir
    func.func @mean(%total: tensor<f32>, %n: f32) -> f32 {
      %sum = tensor.extract %total[] : tensor<f32>
      %mean = arith.divf %sum, %n : f32
      return %mean : f32
    }
    ```

    After `--scan-scalar-results-to-tensors`:

    ```mlir
    func.func @mean(%total: tensor<f32>, %n: f32) -> tensor<f32> {
      %empty = tensor.empty() : tensor<f32>
      %r = linalg.generic {
          indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
          ins(%total : tensor<f32>) outs(%empty : tensor<f32>) {
      ^bb0(%sum: f32, %out: f32):
        %mean = arith.divf %sum, %n : f32
        linalg.yield %mean : f32
      } -> tensor<f32>
      return %r : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ResultsToOutParamsPass
    : Pass<"scan-results-to-out-params", "::mlir::ModuleOp"> {
  let summary = "turn buffers that functions return into out-parameters";
  let description = [{
    Every memref that a function returns becomes an argument at the end of its
    argument list, with the attribute
    `scan.result = {index = k, shape = [...]}`: the number of the result and its
    extents as expressions in the extents of the arguments (`"arg0_d1"` is
    dimension 1 of argument 0, `["*", "arg0_d1", 2]` twice that), which tell the
    caller how much to allocate. An
    allocation that is returned, perhaps with fewer dimensions
    (`memref.collapse_shape`), is replaced by the argument; anything else that is
    returned (an argument, one buffer twice, another view) is copied into it. The
    argument has no layout map.

    Functions that others call keep their results. Upstream's
    `buffer-results-to-out-params` does neither say the extents of dynamic
    results nor accept that one buffer is returned twice.

    Before:

    ```mlir
    func.func @copy(%x: memref<?x8xf32>) -> memref<?x8xf32> {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x8xf32>
      %y = memref.alloc(%n) : memref<?x8xf32>
      memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
      return %y : memref<?x8xf32>
    }
    ```

    After `--scan-results-to-out-params --canonicalize`:

    ```mlir
    func.func @copy(%x: memref<?x8xf32>,
                    %y: memref<?x8xf32> {scan.result = {index = 0, shape = ["arg0_d0", 8]}}) {
      memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def MergeGPUModulesPass : Pass<"scan-merge-gpu-modules", "::mlir::ModuleOp"> {
  let summary = "move all kernels into one gpu.module, with names for PTX";
  let description = [{
    One PTX file is made of one GPU module. Where symbols clash the later one is
    renamed, and so is a kernel whose name is no identifier in PTX;
    `gpu.launch_func` follows.

    Before:

    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @a {
        gpu.func @k() kernel {
          gpu.return
        }
      }
      gpu.module @b {
        gpu.func @k() kernel {
          gpu.return
        }
      }
      func.func @main() {
        %c1 = arith.constant 1 : index
        gpu.launch_func @a::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        gpu.launch_func @b::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        return
      }
    }
    ```

    After `--scan-merge-gpu-modules`:

    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @a {
        gpu.func @k() kernel {
          gpu.return
        }
        gpu.func @k_0() kernel {
          gpu.return
        }
      }
      func.func @main() {
        %c1 = arith.constant 1 : index
        gpu.launch_func @a::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        gpu.launch_func @a::@k_0 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        return
      }
    }
    ```
  }];
}

def VectorizedAccessesToPTXPass
    : Pass<"scan-vectorized-accesses-to-ptx", "::mlir::gpu::GPUModuleOp"> {
  let summary = "write relaxed accesses of 16 bytes as PTX";
  let description = [{
    Relaxed atomic loads and stores of 16 bytes in global memory, in the scope of
    the device, become inline PTX: `ld.relaxed.gpu.global.b128` and
    `st.relaxed.gpu.global.b128`. LLVM would make a compare-and-swap and an
    exchange of them. They need PTX ISA 8.3: targets of the module with an older
    version get that one.

    Before:

    ```mlir
    gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80">] {
      llvm.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) {
        %word = llvm.load %from atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
        llvm.store %word, %to atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
        llvm.return
      }
    }
    ```

    After `--scan-vectorized-accesses-to-ptx`:

    ```mlir
    gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx83">] {
      llvm.func @copy(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>) {
        %0 = llvm.inline_asm has_side_effects "ld.relaxed.gpu.global.b128 $0, [$1];", "=q,l,~{memory}" %arg0 : (!llvm.ptr<1>) -> i128
        llvm.inline_asm has_side_effects "st.relaxed.gpu.global.b128 [$0], $1;", "l,q,~{memory}" %arg1, %0 : (!llvm.ptr<1>, i128) -> ()
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def ScanPredicateLaunches
    : Pass<"scan-predicate-launches", "::mlir::ModuleOp"> {
  let summary = "let kernels ask conditions that only memory knows";
  let description = [{
    Launches in an `scf.if` whose condition is computed from a number that a kernel has
    written cannot be left out by a host that reads no memory. They are made in any case,
    and the kernel gets the condition as a predicate: one more argument, the buffer, of which
    each thread loads the number first; where the condition does not hold it is done. A kernel
    that others launch, too, is copied for that, once for all launches that ask the same. So
    Newton's method (`--scan-newton-recurrence`) has an end on a GPU when it has converged, and a
    recurrence that it has not solved is walked.

    The buffers have no dimensions, and the `scf.if` no results and no `else`, which
    bufferization leaves where the branch writes in place. Others stay.

    Before:

    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @clear(%y: memref<f32>) kernel attributes {scan.args = []} {
          %zero = arith.constant 0.0 : f32
          memref.store %zero, %y[] : memref<f32>
          gpu.return
        }
      }
      func.func @main(%x: memref<f32>, %y: memref<f32>) {
        %c1 = arith.constant 1 : index
        %limit = arith.constant 1.0 : f32
        %number = memref.load %x[] : memref<f32>
        %isAbove = arith.cmpf ugt, %number, %limit : f32
        scf.if %isAbove {
          gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>)
        }
        return
      }
    }
    ```

    After `--scan-predicate-launches`:

    ```mlir
    module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @clear(%y: memref<f32>, %x: memref<f32>) kernel attributes {scan.args = [
            {kind = "pointer", name = "predicate", operand = 1 : i64, role = "input", type = f32} ]} {
          %number = memref.load %x[] : memref<f32>
          %limit = arith.constant 1.0 : f32
          %isAbove = arith.cmpf ugt, %number, %limit : f32
          scf.if %isAbove {
            %zero = arith.constant 0.0 : f32
            memref.store %zero, %y[] : memref<f32>
          }
          gpu.return
        }
      }
      func.func @main(%x: memref<f32>, %y: memref<f32>) {
        %c1 = arith.constant 1 : index
        gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>, %x : memref<f32>)
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numPredicated", "launches-predicated",
              "Launches whose kernels ask a condition">];
}

#endif // SCAN_TARGET_PASSES_TD
