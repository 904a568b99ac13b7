//===- ExtentRequirements.h - What a call's extents have to be --*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_EXECUTION_EXTENTREQUIREMENTS_H
#define SCAN_LIB_EXECUTION_EXTENTREQUIREMENTS_H

#include "Launcher/ManifestReader.h"
#include "Scan/Execution/ArrayView.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeRange.h"

namespace mlir::scan {

/// What --scan-require-extents has found that the arguments of one function
/// have to be like, looked at as a launcher does that has it from a manifest,
/// in the same words.
class ExtentRequirements {
public:
  ExtentRequirements() = default;
  /// Of `function`, in any form that has kept the pass's attribute, whose
  /// arguments were of `types` once.
  ExtentRequirements(Operation *function, StringRef name, TypeRange types);

  /// Emits an error at `loc` unless they hold of `inputs`, one per argument.
  LogicalResult check(Location loc, ArrayRef<ArrayView> inputs) const;

private:
  launcher::FunctionDescription description;
};

} // namespace mlir::scan

#endif // SCAN_LIB_EXECUTION_EXTENTREQUIREMENTS_H
