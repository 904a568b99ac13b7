//===- ContractProducts.h - Products and sums become one operation -*- C++ -*-//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TARGET_CONTRACTPRODUCTS_H
#define SCAN_LIB_TARGET_CONTRACTPRODUCTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::scan {

/// Makes one llvm.fma of a product and the sum or difference that is all that
/// uses it, in one block and both with the flag `contract`, of f32 and f64: as
/// the backend for GPUs does. That for the host, of which the emulator's
/// kernels are compiled, would do so in some of the copies of a computation,
/// and not at all on processors without such an instruction.
void contractProducts(llvm::Module &module);

} // namespace mlir::scan

#endif // SCAN_LIB_TARGET_CONTRACTPRODUCTS_H
