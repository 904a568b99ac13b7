//===- PatternFamilies.h - Reduction patterns by what they remove ---------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_REDUCTIONPATTERNS_PATTERNFAMILIES_H
#define SCAN_LIB_REDUCTIONPATTERNS_PATTERNFAMILIES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::scan::impl {

/// A pattern makes one rewrite of an operation, so that where one of several
/// things may go there is a pattern for each of the first ones. Of more, later
/// ones go when earlier ones have gone.
inline constexpr unsigned kMaxAlternatives = 8;

/// Such a pattern, for alternative `which`.
template <typename OpTy> struct NumberedPattern : OpRewritePattern<OpTy> {
  NumberedPattern(MLIRContext *context, unsigned which)
      : OpRewritePattern<OpTy>(context), which(which) {}
  unsigned which;
};

/// Adds a pattern under the name that users know it by.
template <typename Pattern, typename... Arguments>
void addNamed(RewritePatternSet &patterns, StringRef name,
              Arguments... arguments) {
  auto pattern = std::make_unique<Pattern>(patterns.getContext(), arguments...);
  pattern->setDebugName(name);
  patterns.add(std::move(pattern));
}

/// Adds a pattern for each of the leaves of scan.associative.
void addDropLeafPatterns(RewritePatternSet &patterns);

/// Adds patterns for inits, inputs, outputs and finals of scan.kernel.
void addKernelPatterns(RewritePatternSet &patterns);

} // namespace mlir::scan::impl

#endif // SCAN_LIB_REDUCTIONPATTERNS_PATTERNFAMILIES_H
