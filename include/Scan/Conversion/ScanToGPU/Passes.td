//===- Passes.td - Scans to GPU kernels --------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOGPU_PASSES_TD
#define SCAN_CONVERSION_SCANTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertScanToGPU : Pass<"convert-scan-to-gpu", "::mlir::ModuleOp"> {
  let summary = "turn scan.kernel on memrefs into GPU kernels and their launches";
  let description = [{
    Every `scan.kernel` becomes a `gpu.func` in the module's one
    `gpu.module @scan_kernels` and a `gpu.launch_func` in its place. The kernel
    needs a schedule (`--scan-assign-schedule` writes one) and memref operands
    with a strided layout.

    The `sequential` strategy gives each of the independent scans one thread,
    which walks the scan dimension and prefetches `items` steps; neighbouring
    threads own neighbouring scans. The `row` strategy gives `rows` of them (1 by
    default) one block of `threads` threads. The `threads / rows` threads of a
    scan, a power of two or a multiple of 32, walk tiles of
    `threads / rows * items` steps with a carry. Operands that are contiguous
    along the scan dimension are moved in vectors of up to 16 bytes, where all
    rows of the block are aligned to them (each kernel looks when it runs), else
    element by element, and pass through shared memory, which has no bank
    conflicts there. The vectors are as long as `items` (times the elements
    of a step) allows: multiples of 16 bytes are best. Where registers allow,
    the next tile is prefetched while one is computed.
    With `scope = grid`, `row` gives each tile of a scan a block of its own, which
    looks back at what the blocks before it have published (decoupled look-back):
    rows are read and written once whatever their length, and few rows fill the
    GPU.

    The `column` strategy gives `lanes * vector` neighbouring scans along the
    innermost dimension outside the scan, of which more bytes lie side by side
    than along any other, one block: `lanes` threads side by side own `vector`
    of them each, and the `threads / lanes` groups of so many threads split tiles
    of `threads / lanes * items` steps between them. A thread accesses its
    `vector` scans at once, up to 16 bytes in one access, if all pointers and
    strides are multiples of that many bytes and the extent of that dimension one
    of `vector`: the kernel tests it at its start and accesses single elements
    otherwise. With `scope = grid` each tile has a block of its own here, too,
    for few long columns; it publishes the state of each of its columns,
    so that tiles should have many steps: low `lanes`, high `threads` and `items`.

    Reduction outputs (which leave dimensions out) are added to memory by atomic
    additions, each thread having added up what it can before. What leaves the scan
    dimension out it adds up over its whole walk, then over those lanes of its
    warp that share it: one addition per warp. In `column`, what there is one of
    for each step and for all scans along the innermost dimension is added up over
    the lanes, by as many shuffles as there are values. Anything else is added
    element by element; in `row` and `sequential` that is slow. With
    `scope = grid` each tile adds what it has. The hardware adds subnormal `f32`
    numbers to global memory as zeros.

    The arguments of the `gpu.func` are flat. For each operand of the kernel, in
    order: a scalar operand is passed as it is; a shaped one as a pointer
    (`memref<T>`), its offset in elements if that is dynamic, and each dynamic
    stride in elements. After them follows the extent of each domain dimension
    that is dynamic. Kernels with `scope = grid` have a pointer to a workspace
    after that: 128 bytes and 8, 16 or more per tile and column of it, aligned
    to 16, which have to be zero before the first launch and are left alone afterwards; launches
    with one workspace have the same grid and do not overlap. So do bidirectional kernels whose
    `lanes` share the states of a scan: 128 bytes, and for each scan and `items` steps the
    states before these, which the walk back starts from when it computes the others again. On the host it is
    allocated and freed around the launch; the `linalg.fill` that clears it has
    the attribute `scan.workspace`, so that a launcher can do it once instead.
    Attributes of the `gpu.func` say how to launch it:

    *   `scan.args`: one dictionary per argument: `name`; `kind` (`"pointer"`,
        `"offset"`, `"stride"`, `"scalar"`, `"size"` or
        `"workspace"`); `role` (`"input"`, `"init"`, `"output"` or `"final"`) and
        `operand`, the number of the operand of the `scan.kernel` (both not for
        sizes and workspaces); `dim`, the dimension of the operand for a stride
        and of the domain for a size; `type`, the element type of a pointer or
        the type of a scalar; `bytes` of a workspace, a map from the sizes as
        `scan.grid`, and whether it has to be `zeroed`.
    *   `scan.grid`: a map from the sizes, in the order of their arguments, to
        the three dimensions of the grid. More than 2147483647 blocks are laid
        out in two dimensions. Where an extent is 0 the grid may be empty: then
        there is nothing to launch.
    *   `scan.block`: the threads per block.
    *   `scan.schedule`: the schedule.
    *   `scan.plan`: what follows from kernel and schedule, as `plan` in
        [the manifest](../manifest.md#kernels).

    Before:

    ```mlir
    func.func @cumsum(%x: memref<64x?xf32>, %y: memref<64x?xf32>) {
      scan.kernel dim = 1
          ins(%x : memref<64x?xf32>) outs(%y : memref<64x?xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {
            schedule = #scan.schedule<strategy = row, threads = 256, items = 8>}
          load {
          ^bb0(%e: f32):
            scan.yield %e : f32
          } combine {
          ^bb0(%acc: f32, %new: f32):
            %s = arith.addf %acc, %new : f32
            scan.yield %s : f32
          } store {
          ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
            scan.yield %inclusive : f32
          }
      return
    }
    ```

    After `--convert-scan-to-gpu`:

    ```mlir
    #map = affine_map<()[s0] -> (64, 1, 1)>
    module attributes {gpu.container_module} {
      func.func @cumsum(%arg0: memref<64x?xf32>, %arg1: memref<64x?xf32>) {
        // ...
        gpu.launch_func  @scan_kernels::@cumsum_scan0 blocks in (...) threads in (...)  args(... : memref<f32>, ... : index, ... : memref<f32>, ... : index, ... : index)
        return
      }
      gpu.module @scan_kernels {
        gpu.func @cumsum_scan0(%arg0: memref<f32>, %arg1: index, %arg2: memref<f32>, %arg3: index, %arg4: index) workgroup(...) kernel attributes {..., scan.args = [{kind = "pointer", name = "x0", operand = 0 : i64, role = "input", type = f32}, {dim = 0 : i64, kind = "stride", name = "x0_stride0", ...}, ...], scan.block = array<i64: 256, 1, 1>, scan.grid = #map, scan.plan = {...}, scan.schedule = #scan.schedule<strategy = row, threads = 256, items = 8>} {
          // ...
          gpu.return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::complex::ComplexDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "kernels-lowered", "Kernels lowered">
  ];
}

#endif // SCAN_CONVERSION_SCANTOGPU_PASSES_TD
