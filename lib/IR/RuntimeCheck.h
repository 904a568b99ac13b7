//===- RuntimeCheck.h - What a check says when it fails ---------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_IR_RUNTIMECHECK_H
#define SCAN_LIB_IR_RUNTIMECHECK_H

#include "mlir/IR/Operation.h"

namespace mlir::scan {

/// "file:line:column: 'arith.divsi' op " and `what`, as a diagnostic says it.
inline std::string describeFailure(Operation *op, const Twine &what) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    out << file.getFilename().strref() << ":" << file.getLine() << ":"
        << file.getColumn() << ": ";
  out << "'" << op->getName() << "' op " << what;
  return text;
}

} // namespace mlir::scan

#endif // SCAN_LIB_IR_RUNTIMECHECK_H
