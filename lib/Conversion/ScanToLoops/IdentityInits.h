//===- IdentityInits.h - Rows that begin at an identity ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_CONVERSION_SCANTOLOOPS_IDENTITYINITS_H
#define SCAN_LIB_CONVERSION_SCANTOLOOPS_IDENTITYINITS_H

#include "Scan/IR/ScanDialect.h"

namespace mlir::scan {

/// Gives a kernel without initial states those that change nothing, to the bit,
/// if its combine region has such an identity and nothing reads the state
/// behind no steps. Returns what has taken the place of the kernel, or the
/// kernel, which a bidirectional one is left as.
KernelOp beginRowsAtIdentity(RewriterBase &rewriter, KernelOp kernel);

} // namespace mlir::scan

#endif // SCAN_LIB_CONVERSION_SCANTOLOOPS_IDENTITYINITS_H
