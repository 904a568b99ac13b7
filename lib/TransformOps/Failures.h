//===- Failures.h - Failures of transform ops -------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMOPS_FAILURES_H
#define SCAN_LIB_TRANSFORMOPS_FAILURES_H

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace mlir::scan {

/// A failure of `transform` on `target`, which is as it was.
inline DiagnosedSilenceableFailure
refuse(transform::TransformOpInterface transform, Operation *target,
       const Twine &why) {
  DiagnosedSilenceableFailure failure = transform.emitSilenceableError(why);
  failure.attachNote(target->getLoc()) << "when applied to this op";
  return failure;
}

inline DiagnosedSilenceableFailure
refuseKind(transform::TransformOpInterface transform, Operation *target,
           StringRef kinds) {
  return refuse(transform, target,
                "expected " + kinds + ", found '" +
                    target->getName().getStringRef() + "'");
}

} // namespace mlir::scan

#endif // SCAN_LIB_TRANSFORMOPS_FAILURES_H
