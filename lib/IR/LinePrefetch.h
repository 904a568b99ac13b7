//===- LinePrefetch.h - The hint to fetch a line of a cache -----*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_LINEPREFETCH_H
#define SCAN_LIB_IR_LINEPREFETCH_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::scan {

/// The second-level cache of a GPU fetches lines of so many bytes.
inline constexpr int64_t kCacheLineBytes = 128;

/// The text of the `llvm.inline_asm` that has it fetch the line of an address.
/// PTX has this instruction for all chips; LLVM 22 selects its intrinsic, and
/// so `nvvm.prefetch`, from sm_90 on only.
inline constexpr llvm::StringLiteral kLinePrefetch = "prefetch.global.L2 [$0];";

inline bool isLinePrefetch(Operation *op) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && text.getAsmString() == kLinePrefetch;
}

} // namespace mlir::scan

#endif // SCAN_LIB_IR_LINEPREFETCH_H
