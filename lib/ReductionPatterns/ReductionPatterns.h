//===- ReductionPatterns.h - Simpler scans for a reducer ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCTIONPATTERNS_REDUCTIONPATTERNS_H
#define SCAN_LIB_REDUCTIONPATTERNS_REDUCTIONPATTERNS_H

namespace mlir {
class DialectRegistry;
class RewritePatternSet;
} // namespace mlir

namespace mlir::scan {

/// Adds patterns each of which makes one scan smaller: it loses its direction,
/// an attribute, its init, a leaf, most of its combine region, or itself. They
/// keep programs valid but not their meaning. Each has a debug name, which
/// `scan-reduce --list` shows.
void populateScanReductionPatterns(RewritePatternSet &patterns);

/// Lets reducers (scan-reduce, the pass reduction-tree) find these patterns
/// through the scan dialect.
void registerReductionPatterns(DialectRegistry &registry);

} // namespace mlir::scan

#endif // SCAN_LIB_REDUCTIONPATTERNS_REDUCTIONPATTERNS_H
