//===- ScanAttributes.cpp - Attributes of the scan dialect ----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/RecurrenceSchedule.h"
#include "Syntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

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
                         stringifyStrategy(Strategy::Row),
                         stringifyStrategy(Strategy::Column)},
                        strategy);
}
static void printStrategyKeyword(AsmPrinter &printer, Strategy strategy) {
  printer << stringifyStrategy(strategy);
}

static ParseResult parseScopeKeyword(AsmParser &parser, Scope &scope) {
  return parseKeywordOf(
      parser, "scope",
      {stringifyScope(Scope::Block), stringifyScope(Scope::Grid)}, scope);
}
static void printScopeKeyword(AsmPrinter &printer, Scope scope) {
  printer << stringifyScope(scope);
}

static void printCount(AsmPrinter &printer, unsigned count) {
  printer << count;
}

static ParseResult parseTolerance(AsmParser &parser, FloatAttr &tolerance) {
  double number;
  if (parser.parseFloat(number))
    return failure();
  tolerance = parser.getBuilder().getF64FloatAttr(number);
  return success();
}
/// With as few digits as bring the number back.
static void printTolerance(AsmPrinter &printer, FloatAttr tolerance) {
  double number = tolerance.getValueAsDouble();
  SmallString<32> text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_svector_ostream(text) << llvm::format("%.*e", digits, number);
    double read = 0;
    if (!StringRef(text).getAsDouble(read) && read == number)
      break;
  }
  printer << text;
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
                                   unsigned items, unsigned rows,
                                   unsigned lanes, unsigned vector, Scope scope,
                                   unsigned blocks, unsigned stages,
                                   unsigned warps) {
  if (threads == 0 || threads % 32 != 0 || threads > 1024)
    return emitError() << "expected threads to be a multiple of 32 between 32 "
                          "and 1024, found "
                       << threads;
  if (items == 0 || items > 64)
    return emitError() << "expected items to be between 1 and 64, found "
                       << items;
  if (!llvm::isPowerOf2_32(rows) || threads % rows != 0)
    return emitError() << "expected rows to be a power of two that divides "
                          "threads, "
                       << threads << ", found " << rows;
  if (!llvm::isPowerOf2_32(lanes) || lanes > 32)
    return emitError() << "expected lanes to be a power of two up to 32, found "
                       << lanes;
  if (!llvm::isPowerOf2_32(vector) || vector > 16)
    return emitError() << "expected vector to be a power of two up to 16, "
                          "found "
                       << vector;
  auto expectStrategy = [&](StringRef parameter, StringRef strategies) {
    return emitError() << "expected " << parameter << " only with the strategy "
                       << strategies << ", found it with "
                       << stringifyStrategy(strategy);
  };
  if (strategy == Strategy::Column && rows != 1)
    return expectStrategy("rows", "row or sequential");
  if (strategy == Strategy::Row && lanes != 32)
    return expectStrategy("lanes", "column or sequential");
  if (strategy == Strategy::Sequential && items % (32 / lanes) != 0)
    return emitError() << "expected items to be a multiple of the "
                       << 32 / lanes << " threads that share a scan with "
                       << lanes << " lanes, found " << items;
  if (strategy != Strategy::Column && vector != 1)
    return expectStrategy("vector", "column");
  bool isGridWide = scope == Scope::Grid;
  if (strategy == Strategy::Sequential && isGridWide &&
      (lanes == 32 || blocks < 2))
    return emitError() << "expected scope = grid with the strategy sequential "
                          "only where threads share the states of a scan, with "
                          "fewer than 32 lanes, and at least 2 blocks its "
                          "steps; found "
                       << lanes << " lanes and " << blocks << " blocks";
  bool isColumn = strategy == Strategy::Column;
  if (blocks != 0 && isColumn == isGridWide)
    return expectStrategy("blocks", "row or sequential and scope = grid, or "
                                    "column and scope = block");
  if (isColumn && blocks != 0 && (blocks < 2 || blocks > kMostChunks))
    return emitError() << "expected blocks to be 0 or between 2 and "
                       << kMostChunks
                       << " with the strategy column, of blocks that share the "
                          "steps of packed sequences, found "
                       << blocks;
  // Far more than any GPU holds at a time; the others would only wait.
  if (blocks > 65535)
    return emitError() << "expected blocks to be at most 65535, found "
                       << blocks;
  if (rows != 1 && scope != Scope::Block)
    return emitError() << "expected one row per block with scope = grid, found "
                       << rows;
  if (warps != 1 &&
      (strategy != Strategy::Sequential || lanes == 32 || isGridWide))
    return emitError() << "expected warps only with the strategy sequential "
                          "and scope = block, where threads share the states "
                          "of a scan, with fewer than 32 lanes; found "
                       << warps << " warps with " << stringifyStrategy(strategy)
                       << ", " << lanes
                       << " lanes and scope = " << stringifyScope(scope);
  if (warps != 1 && warps != threads / 32)
    return emitError() << "expected warps to be 1 or all " << threads / 32
                       << " of a block of " << threads << " threads, found "
                       << warps;
  if (stages == 0)
    return success();
  if (blocks == 0)
    return emitError() << "expected stages only with blocks, of a persistent "
                          "kernel, found them without";
  if (isColumn)
    return expectStrategy("stages", "row");
  if (stages < kFewestStages || stages > kMostStages)
    return emitError() << "expected stages to be between " << kFewestStages
                       << " and " << kMostStages << ", found " << stages;
  if (threads < kRoleThreads + 2 * 32)
    return emitError() << "expected at least " << kRoleThreads + 2 * 32
                       << " threads with stages, of which " << kRoleThreads
                       << " scan no tiles, found " << threads;
  return success();
}

int64_t ScheduleAttr::getThreadsPerScan() const {
  switch (getStrategy()) {
  case Strategy::Sequential:
    return 1;
  case Strategy::Row:
    if (isWarpSpecialized())
      return getThreads() - kRoleThreads;
    return getThreads() / getRows();
  case Strategy::Column:
    return getThreads() / getLanes();
  }
  llvm_unreachable("unknown strategy");
}

int64_t ScheduleAttr::getScansPerBlock() const {
  switch (getStrategy()) {
  case Strategy::Sequential:
    return int64_t(getThreads()) / 32 / getWarps() * getLanes();
  case Strategy::Row:
    return getRows();
  case Strategy::Column:
    return int64_t(getLanes()) * getVector();
  }
  llvm_unreachable("unknown strategy");
}

LogicalResult NewtonAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 unsigned iterations, FloatAttr tolerance,
                                 unsigned chunk) {
  if (iterations == 0)
    return emitError() << "expected iterations to be 1 or more, found 0";
  if (iterations > kMaxIterations)
    return emitError() << "expected iterations to be at most " << kMaxIterations
                       << ", found " << iterations;
  if (!tolerance || !tolerance.getType().isF64())
    return emitError() << "expected tolerance to be a number of f64";
  if (!tolerance.getValue().isFinite() || !(tolerance.getValueAsDouble() > 0))
    return emitError() << "expected tolerance to be a positive finite number, "
                          "found "
                       << tolerance.getValueAsDouble();
  if (chunk == 0)
    return emitError() << "expected chunk to be 1 or more, found 0";
  return success();
}
