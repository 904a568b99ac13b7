//===- ScanTransformOps.h - Transform ops for scans -------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations transform.scan.*, with which a transform script drives the
// passes of this project one operation at a time. Their reference is the text
// in ScanTransformOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMOPS_SCANTRANSFORMOPS_H
#define SCAN_TRANSFORMOPS_SCANTRANSFORMOPS_H

#include "Scan/IR/ScanDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "Scan/TransformOps/ScanTransformOps.h.inc"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::scan {

/// Adds the operations transform.scan.* to the transform dialect.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace mlir::scan

#endif // SCAN_TRANSFORMOPS_SCANTRANSFORMOPS_H
