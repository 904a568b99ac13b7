//===- ScanAttributes.cpp - Attributes of the scan dialect
//-------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::scan;

#include "Scan/IR/ScanEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Scan/IR/ScanAttributes.cpp.inc"

void ScanDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Scan/IR/ScanAttributes.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Strategy strategy, unsigned threads,
                                   unsigned items) {
  if (threads == 0 || threads % 32 != 0 || threads > 1024)
    return emitError() << "expected threads to be a multiple of 32 between 32 "
                          "and 1024, found "
                       << threads;
  if (items == 0 || items > 64)
    return emitError() << "expected items to be between 1 and 64, found "
                       << items;
  return success();
}
