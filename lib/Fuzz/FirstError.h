//===- FirstError.h - What a run said went wrong ----------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_FUZZ_FIRSTERROR_H
#define SCAN_LIB_FUZZ_FIRSTERROR_H

#include "ProgramRunner.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::scan::fuzz {

/// Keeps the first error among the diagnostics.
class FirstError {
public:
  explicit FirstError(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              text.empty())
            text = diagnostic.str();
        }) {}
  /// The first error, after which the next one counts as the first.
  std::string take() { return std::exchange(text, std::string()); }
  Outcome fail(StringRef target, StringRef what) {
    return {Outcome::Error, target.str(),
            what.str() + (text.empty() ? "" : ": " + text)};
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::scan::fuzz

#endif // SCAN_LIB_FUZZ_FIRSTERROR_H
