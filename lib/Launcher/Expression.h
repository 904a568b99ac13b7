//===- Expression.h - The numbers of a manifest -----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_LAUNCHER_EXPRESSION_H
#define SCAN_LIB_LAUNCHER_EXPRESSION_H

#include "Scan/Launcher/Launcher.h"
#include <map>

namespace mlir::scan::launcher {

using Names = std::map<std::string, int64_t>;

/// Evaluates an expression of docs/manifest.md. Fails where the text is not
/// one, where a name is unknown, or for a division by zero or a number of more
/// than 64 bits.
Status evaluate(const std::string &text, const Names &names, int64_t &value);

/// Evaluates a comparison of two expressions; fails likewise.
Status holds(const std::string &text, const Names &names, bool &value);

} // namespace mlir::scan::launcher

#endif // SCAN_LIB_LAUNCHER_EXPRESSION_H
