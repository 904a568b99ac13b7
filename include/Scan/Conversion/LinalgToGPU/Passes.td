//===- Passes.td - What no scan swallows to gpu kernels ----*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_LINALGTOGPU_PASSES_TD
#define SCAN_CONVERSION_LINALGTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanLinalgToGPU : Pass<"scan-linalg-to-gpu", "::mlir::ModuleOp"> {
  let summary = "turn linalg operations on memrefs into GPU kernels and their launches";
  let description = [{
    What no scan kernel has swallowed runs on the GPU, too: every linalg
    operation on memrefs of a function, every `memref.copy`, and every
    `memref.store` outside loops and branches becomes a `gpu.func` in the module's one
    `gpu.module @scan_kernels` and a `gpu.launch_func` in its place.

    One thread computes one point of the dimensions that all outputs have; it
    walks the other dimensions (the reductions) one after the other, in the order
    of the loops that define the operation, so that results are those of these
    loops to the bit. Neighbouring threads own neighbouring elements of the
    dimension along which most is contiguous. Neighbouring dimensions that are
    one in memory become one before. A `linalg.fill` in front of an operation
    that overwrites all that it has filled becomes the value that the threads
    start from. Any other that sets all bits of a whole buffer of the function to
    zero becomes a `gpu.memset`, which takes no kernel. (Upstream's `--gpu-to-llvm`
    wants `--gpu-async-region` before it, and knows elements of 16 and 32 bits.)

    The arguments of the `gpu.func` and its attributes are those that
    `--convert-scan-to-gpu` writes, with two differences: there is no
    `scan.schedule` but `scan.strategy = "elementwise"`, and the roles are
    `"input"` (also of what the region reads from outside) and `"output"`.

    What stays: operations in device code, in regions of others than loops and
    branches, and on memrefs without strides; and, for the manifest, the copy of
    a whole buffer into a result (`scan.result`) at the end of a function, which
    says that this buffer is the result.

    Before:

    ```mlir
    func.func @rows(%x: memref<?x64xf32>, %y: memref<?xf32>) {
      linalg.reduce { arith.addf } ins(%x : memref<?x64xf32>) outs(%y : memref<?xf32>)
        dimensions = [1]
      return
    }
    ```

    After `--scan-linalg-to-gpu`:

    ```mlir
    #map = affine_map<()[s0] -> (...)>
    module attributes {gpu.container_module} {
      func.func @rows(%arg0: memref<?x64xf32>, %arg1: memref<?xf32>) {
        // ...
        gpu.launch_func  @scan_kernels::@rows_map0 blocks in (...) threads in (...)  args(... : memref<f32>, ... : memref<f32>, ... : index)
        return
      }
      gpu.module @scan_kernels {
        gpu.func @rows_map0(%arg0: memref<f32>, %arg1: memref<f32>, %arg2: index) kernel attributes {..., scan.args = [{kind = "pointer", name = "x0", operand = 0 : i64, role = "input", type = f32}, {kind = "pointer", name = "y0", ...}, ...], scan.block = array<i64: 256, 1, 1>, scan.grid = #map, scan.strategy = "elementwise"} {
          // ...
          gpu.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "operations-lowered", "Operations lowered">,
    Statistic<"numFills", "fills-folded",
              "Fills that became the start of another kernel">,
    Statistic<"numMemsets", "fills-as-memsets",
              "Fills with zero that need no kernel">
  ];
}

#endif // SCAN_CONVERSION_LINALGTOGPU_PASSES_TD
