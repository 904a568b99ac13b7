//===- ExpressionText.h - Numbers of older manifests ------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_EXPRESSIONTEXT_H
#define SCAN_LIB_LAUNCHER_EXPRESSIONTEXT_H

#include "Expression.h"

namespace mlir::scan::launcher {

/// Reads an expression as manifests of versions 1 to 3 have it, in the grammar
/// at the end of docs/manifest.md. Fails where the text is none.
Status parseExpressionText(const std::string &text, Expression &expression);

/// Reads a comparison of two expressions; fails likewise.
Status parseComparisonText(const std::string &text, Expression &comparison);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_EXPRESSIONTEXT_H
