//===- Passes.td - Scans to loops --------------------------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD
#define SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertScanToLoops : Pass<"convert-scan-to-loops"> {
  let summary = "lower scan.kernel on memrefs to scf loops";
  let description = [{
    Each `scan.kernel` on memrefs becomes a nest of `scf.for` loops that walks
    the scan dimension one step after the other, so that results are bitwise
    equal to the left fold.

    Where a dimension other than the scan dimension is the innermost one of most
    operands, a step of the scan dimension handles a block of it: the carried
    state of the block is a small buffer on the stack that stays in the
    first-level cache, and memory is streamed through in its own order. The
    inner loop works on vectors where element types and regions allow it, with a
    scalar loop for what is left over. Otherwise each row is walked on its own,
    several at a time, with the state in registers.

    Extents that have to agree and are not static are checked first, with
    `cf.assert`.

    Before:

    ```mlir
    func.func @cumsum(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
      scan.kernel dim = 1
          ins(%x : memref<64x100xf32>) outs(%y : memref<64x100xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
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

    After `--convert-scan-to-loops=rows=1 --canonicalize --cse`:

    ```mlir
    func.func @cumsum(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
      %c64 = arith.constant 64 : index
      %c100 = arith.constant 100 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %c64 step %c1 {
        %first = memref.load %x[%i, %c0] : memref<64x100xf32>
        memref.store %first, %y[%i, %c0] : memref<64x100xf32>
        %last = scf.for %t = %c1 to %c100 step %c1 iter_args(%acc = %first) -> (f32) {
          %new = memref.load %x[%i, %t] : memref<64x100xf32>
          %s = arith.addf %acc, %new : f32
          memref.store %s, %y[%i, %t] : memref<64x100xf32>
          scf.yield %s : f32
        }
      }
      return
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"512",
           "Size of the vectors of the inner loop in bits, a power of two from 8 "
           "to 4096; 0 gives scalar code">,
    Option<"stateBytes", "state-bytes", "unsigned", /*default=*/"16384",
           "Size in bytes of the state of one block of neighbouring scans; "
           "should fit the first-level data cache with room to spare">,
    Option<"rows", "rows", "unsigned", /*default=*/"4",
           "How many neighbouring rows are walked at a time where the scan "
           "dimension is innermost, 64 at most">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::complex::ComplexDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let statistics = [
    Statistic<"numLowered", "kernels-lowered", "Kernels lowered">
  ];
}

#endif // SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD
