//===- TransformOpSupport.h - What transform ops share ----------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_LIB_TRANSFORMOPS_TRANSFORMOPSUPPORT_H
#define SCAN_LIB_TRANSFORMOPS_TRANSFORMOPSUPPORT_H

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include <algorithm>
#include <cstdint>

namespace mlir::scan {

/// Numbers below 0 and those of more than 32 bits become the largest one, which
/// options refuse.
inline unsigned saturate(uint64_t value) {
  return static_cast<unsigned>(std::min<uint64_t>(value, UINT32_MAX));
}

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

#endif // SCAN_LIB_TRANSFORMOPS_TRANSFORMOPSUPPORT_H
