//===- ScanRecurrence.h - scan.recurrence -----------------------*- C++ -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares scan.recurrence. The reference is the ODS text in ScanRecurrence.td.
// It has a header of its own since few passes know the operation.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANRECURRENCE_H
#define SCAN_IR_SCANRECURRENCE_H

#include "Scan/IR/ScanDialect.h"

#define GET_OP_CLASSES
#include "Scan/IR/ScanRecurrence.h.inc"

#endif // SCAN_IR_SCANRECURRENCE_H
