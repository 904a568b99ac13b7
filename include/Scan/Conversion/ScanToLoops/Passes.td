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
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"512",
           "Size of the vectors of the inner loop in bits; 0 gives scalar code">,
    Option<"stateBytes", "state-bytes", "unsigned", /*default=*/"16384",
           "Size in bytes of the state of one block of neighbouring scans; "
           "should fit the first-level data cache with room to spare">,
    Option<"rows", "rows", "unsigned", /*default=*/"4",
           "How many neighbouring rows are walked at a time where the scan "
           "dimension is innermost">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::complex::ComplexDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // SCAN_CONVERSION_SCANTOLOOPS_PASSES_TD
