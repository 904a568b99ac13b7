//===- RecurrenceSchedule.cpp - Schedules of steps ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan/IR/RecurrenceSchedule.h"
#include "Syntax.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::scan;

/// More only takes time to compile.
static constexpr unsigned kMostUnrolledSteps = 64, kMostVectorElements = 64;

//===----------------------------------------------------------------------===//
// The attributes
//===----------------------------------------------------------------------===//

LogicalResult LoopsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                unsigned unroll) {
  if (unroll == 0 || unroll > kMostUnrolledSteps)
    return emitError() << "expected unroll to be between 1 and "
                       << kMostUnrolledSteps << ", found " << unroll;
  return success();
}

LogicalResult StageAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<unsigned> split, unsigned vector,
                                bool inside) {
  if (!split.empty() && llvm::all_of(split, [](unsigned n) { return n == 0; }))
    return emitError() << "expected a split by a factor of 1 or more, found 0 "
                          "for each dimension; leave split out";
  if (!llvm::isPowerOf2_32(vector) || vector > kMostVectorElements)
    return emitError() << "expected vector to be a power of two up to "
                       << kMostVectorElements << ", found " << vector;
  if (inside && (!split.empty() || vector != 1))
    return emitError()
           << "expected no split and no vector of a stage inside of "
              "its reader's loops, which divide it";
  return success();
}

Attribute StageAttr::parse(AsmParser &parser, Type) {
  SmallVector<unsigned> split;
  unsigned vector = 1;
  bool inside = false;
  auto parseFactor = [&] {
    return impl::parseCount(parser, split.emplace_back());
  };
  auto parsePart = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (failed(parser.parseOptionalKeyword(&keyword,
                                           {"split", "vector", "inside"}))) {
      InFlightDiagnostic diagnostic =
          parser.emitError(loc) << "expected one of split, vector or inside";
      if (succeeded(parser.parseOptionalKeyword(&keyword)))
        diagnostic << ", found '" << keyword << "'";
      return diagnostic;
    }
    if (keyword == "inside") {
      inside = true;
      return success();
    }
    if (parser.parseEqual())
      return failure();
    if (keyword == "vector")
      return impl::parseCount(parser, vector);
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          parseFactor);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parsePart))
    return {};
  return parser.getChecked<StageAttr>(
      parser.getContext(), ArrayRef<unsigned>(split), vector, inside);
}

void StageAttr::print(AsmPrinter &printer) const {
  StringRef separator = "<";
  auto next = [&]() -> raw_ostream & {
    return printer.getStream() << std::exchange(separator, ", ");
  };
  if (!getSplit().empty()) {
    next() << "split = [";
    llvm::interleaveComma(getSplit(), printer);
    printer << ']';
  }
  if (getVector() != 1)
    next() << "vector = " << getVector();
  if (getInside())
    next() << "inside";
  if (separator == "<")
    printer << '<';
  printer << '>';
}

LoopsAttr scan::getLoops(RecurrenceOp op) {
  return op->getAttrOfType<LoopsAttr>(kLoopsName);
}

StageAttr scan::getStage(Operation *op) {
  return op->getAttrOfType<StageAttr>(kStageName);
}

bool scan::hasLoopSchedule(RecurrenceOp op) {
  return op->hasAttr(kLoopsName) ||
         llvm::any_of(op.getBody().front(), [](Operation &inner) {
           return inner.hasAttr(kStageName);
         });
}

void scan::dropLoopSchedule(RecurrenceOp op) {
  op->removeAttr(kLoopsName);
  op.getBody().walk([](Operation *inner) { inner->removeAttr(kStageName); });
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Where `op` writes its result, as a map from its loops; null for what is no
/// stage.
static AffineMap getResultMap(Operation *op) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || type.getRank() == 0)
    return {};
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getIndexingMapMatchingResult(op->getResult(0));
  if (OpTrait::hasElementwiseMappableTraits(op))
    return AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  return {};
}

/// Whether `reader` reads, for a part of its result, the same part of `value`.
static bool readsLaneByLane(Operation *reader, Value value) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(reader);
  if (!linalgOp)
    return OpTrait::hasElementwiseMappableTraits(reader);
  AffineMap result = getResultMap(reader);
  for (OpOperand &operand : reader->getOpOperands())
    if (operand.get() == value &&
        (!linalgOp.isDpsInput(&operand) ||
         linalgOp.getMatchingIndexingMap(&operand) != result))
      return false;
  return true;
}

static std::string quote(Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

static std::string checkInside(Operation *op) {
  SetVector<Operation *> readers(op->user_begin(), op->user_end());
  if (readers.size() != 1)
    return ("a stage inside of its only reader's loops, found " +
            Twine(readers.size()) + " readers")
        .str();
  Operation *reader = readers.front();
  StageAttr stage = getStage(reader);
  if (reader->getBlock() != op->getBlock() || !getResultMap(reader))
    return "a stage inside of the loops of the stage that reads it, found " +
           quote(reader) + " as its reader, which is no stage";
  if (!stage || !(stage.hasLoops() || stage.getInside()))
    return "a stage inside of its reader's loops, found the reader " +
           quote(reader) + " without a split or vector";
  if (!readsLaneByLane(reader, op->getResult(0)))
    return "a stage inside of loops over the lanes that it computes, found "
           "the reader " +
           quote(reader) +
           ", which reads across lanes: a part of it needs all "
           "of the stage";
  return {};
}

std::string scan::checkStage(Operation *op, StageAttr stage) {
  if (!isa_and_present<RecurrenceOp>(op->getParentOp()) ||
      isa<scan::YieldOp>(op))
    return "a stage in the body of a scan.recurrence, found " + quote(op) +
           (op->getParentOp() ? " in " + quote(op->getParentOp()) : "");
  AffineMap result = getResultMap(op);
  if (!result)
    return "a stage that is elementwise code or an operation of linalg and "
           "computes one tensor of one dimension or more, found " +
           quote(op);
  if (!result.isProjectedPermutation())
    return "a stage that writes each element of its result once";
  unsigned rank = result.getNumResults();
  if (stage.getSplit().size() > rank)
    return ("no more factors than what the stage computes has dimensions, " +
            Twine(rank) + ", found " + Twine(stage.getSplit().size()))
        .str();
  if (stage.getSplit().size() == rank && stage.getSplit().back() != 0 &&
      stage.getSplit().back() % stage.getVector() != 0)
    return ("the last dimension's factor to be a multiple of the vector of " +
            Twine(stage.getVector()) + " elements, found " +
            Twine(stage.getSplit().back()))
        .str();
  return stage.getInside() ? checkInside(op) : std::string();
}

LogicalResult scan::checkLoopSchedule(RecurrenceOp op) {
  if (Attribute loops = op->getAttr(kLoopsName); loops && !getLoops(op))
    return op.emitOpError()
           << "expected " << kLoopsName
           << " to be as #scan.loops<unroll = 4>, found " << loops;
  for (Operation &inner : op.getBody().front()) {
    Attribute found = inner.getAttr(kStageName);
    if (!found)
      continue;
    StageAttr stage = getStage(&inner);
    if (!stage)
      return inner.emitOpError()
             << "expected " << kStageName
             << " to be as #scan.stage<split = [32]>, found " << found;
    if (std::string why = checkStage(&inner, stage); !why.empty())
      return inner.emitOpError() << "expected " << why;
  }
  return success();
}
