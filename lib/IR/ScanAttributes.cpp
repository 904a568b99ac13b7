//===- ScanAttributes.cpp - Attributes of the scan dialect ----------------===//
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

/// Parses one of `names`. Editors offer them: what is generated for an enum
/// neither offers them nor names it but as a C++ type.
template <typename Enum>
static ParseResult parseKeywordOf(AsmParser &parser, StringRef what,
                                  ArrayRef<StringRef> names, Enum &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword, names))) {
    value = *symbolizeEnum<Enum>(keyword);
    return success();
  }
  InFlightDiagnostic diagnostic = parser.emitError(loc)
                                  << "expected " << what << " to be one of ";
  llvm::interleaveComma(names, diagnostic);
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    diagnostic << ", found '" << keyword << "'";
  return diagnostic;
}

static ParseResult parseOrderKeyword(AsmParser &parser, Order &order) {
  return parseKeywordOf(parser, "order",
                        {stringifyOrder(Order::Any),
                         stringifyOrder(Order::Deterministic),
                         stringifyOrder(Order::Sequential)},
                        order);
}
static void printOrderKeyword(AsmPrinter &printer, Order order) {
  printer << stringifyOrder(order);
}

static ParseResult parseStrategyKeyword(AsmParser &parser, Strategy &strategy) {
  return parseKeywordOf(parser, "strategy",
                        {stringifyStrategy(Strategy::Sequential),
                         stringifyStrategy(Strategy::Row)},
                        strategy);
}
static void printStrategyKeyword(AsmPrinter &printer, Strategy strategy) {
  printer << stringifyStrategy(strategy);
}

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
