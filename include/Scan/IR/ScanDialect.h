//===- ScanDialect.h - The scan dialect -------------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the scan dialect, its attributes and its operations. The reference
// is the ODS text in ScanDialect.td, ScanAttributes.td and ScanOps.td. Who
// works with scan.recurrence includes ScanRecurrence.h, too.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANDIALECT_H
#define SCAN_IR_SCANDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Scan/IR/ScanDialect.h.inc"
#include "Scan/IR/ScanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Scan/IR/ScanAttributes.h.inc"

namespace mlir::scan {
// A parent of scan.yield, declared in ScanRecurrence.h.
class RecurrenceOp;
} // namespace mlir::scan

#define GET_OP_CLASSES
#include "Scan/IR/ScanOps.h.inc"

#endif // SCAN_IR_SCANDIALECT_H
