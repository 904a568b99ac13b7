//===- RecurrenceSegments.cpp - Recurrences that start anew ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Head flags become an input. A state that looks back k steps becomes k states
// that look back one: at a start all of them are the rows of the init at once,
// so that one flag per step is all that a step has to know.
//
//===----------------------------------------------------------------------===//

#include "IR/OffsetsCheck.h"
#include "IR/RecurrenceRows.h"
#include "IR/RecurrenceSteps.h"
#include "Scan/Transforms/Segments/Passes.h"
#include "Segments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPANDRECURRENCESEGMENTS
#include "Scan/Transforms/Segments/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

using Sizes = SmallVector<OpFoldResult>;

class RecurrenceSegments {
public:
  RecurrenceSegments(RewriterBase &rewriter, RecurrenceOp op,
                     OffsetsChecking checking, bool scatters)
      : rewriter(rewriter), op(op), checking(checking), scatters(scatters),
        loc(op.getLoc()), dim(op.getDim()),
        rows(rewriter, loc, dim, /*dropsUnitExtents=*/true) {}

  void expand();

private:
  Value createFlags();
  void collectRows();
  RecurrenceOp createRecurrence(Value flags);
  Value createFinalState(RecurrenceOp flagged, unsigned state);
  Value gather(RecurrenceOp flagged, unsigned state, int64_t back);
  Value scatter(RecurrenceOp flagged, unsigned state, int64_t back);
  Value createPlaces(Value history);
  /// Where the row `back` steps before a start, or the end, is among k.
  int64_t getPlace(unsigned state, int64_t back) {
    return op.getReverse() ? back - 1 : op.getWindow(state) - back;
  }

  RewriterBase &rewriter;
  RecurrenceOp op;
  OffsetsChecking checking;
  bool scatters;
  Location loc;
  int64_t dim;
  RecurrenceRows rows;
  OpFoldResult steps;
  /// For each state and each row that it looks back: the first of the states
  /// that it becomes, the rows of the init with the time as a dimension, and
  /// as captures without.
  SmallVector<unsigned> firsts;
  SmallVector<Value> inits, starts;
};

} // namespace

Value RecurrenceSegments::createFlags() {
  Value flags = op.getSegments();
  if (op.hasSegmentOffsets()) {
    if (checking == OffsetsChecking::Stop)
      stopAtWrongOffsets(rewriter, loc, op.getSegments(), steps, dim);
    flags = createStepFlags(rewriter, loc, op.getSegments(), steps,
                            op.getReverse());
    if (checking == OffsetsChecking::InKernels)
      flags.getDefiningOp()->setAttr(checkOffsetsAttrName,
                                     rewriter.getI64IntegerAttr(dim));
  }
  if (dim == 0)
    return flags;
  // Time is dimension `dim` of inputs.
  auto type = cast<RankedTensorType>(flags.getType());
  SmallVector<int64_t> shape(dim, 1);
  shape.push_back(type.getDimSize(0));
  Sizes sizes(dim, rewriter.getIndexAttr(1));
  sizes.push_back(tensor::getMixedSize(rewriter, loc, flags, 0));
  SmallVector<ReassociationIndices> groups = {
      llvm::to_vector<2>(llvm::seq<int64_t>(0, dim + 1))};
  return tensor::ExpandShapeOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()), flags,
      groups, sizes);
}

void RecurrenceSegments::collectRows() {
  OpFoldResult one = rewriter.getIndexAttr(1);
  for (auto [state, init] : llvm::enumerate(op.getInits())) {
    firsts.push_back(inits.size());
    auto type = cast<RankedTensorType>(init.getType());
    Sizes sizes = tensor::getMixedSizes(rewriter, loc, init);
    for (int64_t back = 1, k = op.getWindow(state); back <= k; ++back) {
      OpFoldResult place = rewriter.getIndexAttr(getPlace(state, back));
      inits.push_back(k == 1 ? init
                             : rows.extractSome(init, sizes, place, one));
      starts.push_back(type.getRank() > 1 ? rows.extract(init, sizes, place)
                                          : tensor::ExtractSliceOp::create(
                                                rewriter, loc,
                                                RankedTensorType::get(
                                                    {}, type.getElementType()),
                                                init, place, one, one)
                                                .getResult());
    }
  }
}

RecurrenceOp RecurrenceSegments::createRecurrence(Value flags) {
  OperationState state(loc, RecurrenceOp::getOperationName());
  auto &properties = state.getOrAddProperties<RecurrenceOp::Properties>();
  properties = op.getProperties();
  SmallVector<Value> inputs(op.getInputs()), captures(op.getCaptures());
  inputs.push_back(flags);
  llvm::append_range(captures, starts);
  auto count = [](ValueRange group) {
    return static_cast<int32_t>(group.size());
  };
  properties.operandSegmentSizes = {
      count(inputs),         count(inits),           count(captures),
      op.getSteps() ? 1 : 0, count(op.getExtents()), 0};
  for (ValueRange group :
       {ValueRange(inputs), ValueRange(inits), ValueRange(captures)})
    state.addOperands(group);
  if (op.getSteps())
    state.addOperands(op.getSteps());
  state.addOperands(op.getExtents());
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));

  Region *region = state.addRegion();
  Block &body = region->emplaceBlock();
  body.addArgument(rewriter.getIndexType(), loc);
  for (ValueRange group : {ValueRange(inits), ValueRange(inputs)})
    for (Value value : group)
      body.addArgument(RecurrenceOp::getRowType(
                           cast<RankedTensorType>(value.getType()), dim),
                       loc);
  for (Value value : captures)
    body.addArgument(value.getType(), loc);

  // The types of the histories follow from what is yielded.
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&body);
  ValueRange arguments = body.getArguments();
  ValueRange previous = arguments.slice(1, inits.size());
  ValueRange inputRows = arguments.slice(1 + inits.size(), inputs.size());
  ValueRange captured = arguments.take_back(captures.size());
  Value flag = inputRows.back();
  if (isa<RankedTensorType>(flag.getType())) {
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    flag = tensor::ExtractOp::create(rewriter, loc, flag,
                                     SmallVector<Value>(dim, zero));
  }
  SmallVector<Value> window;
  for (auto [row, start] :
       llvm::zip(previous, captured.take_back(starts.size()))) {
    Value fresh =
        isa<RankedTensorType>(row.getType())
            ? start
            : tensor::ExtractOp::create(rewriter, loc, start, ValueRange());
    if (fresh.getType() != row.getType())
      fresh = tensor::CastOp::create(rewriter, loc, row.getType(), fresh);
    window.push_back(arith::SelectOp::create(rewriter, loc, flag, fresh, row));
  }
  IRMapping mapping;
  mapping.map(op.getBody().getArgument(0), arguments.front());
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    for (auto [back, argument] : llvm::enumerate(op.getWindowArguments(i)))
      mapping.map(argument, window[firsts[i] + back]);
  for (auto [from, to] : llvm::zip(op.getInputArguments(), inputRows))
    mapping.map(from, to);
  for (auto [from, to] : llvm::zip(op.getCaptureArguments(), captured))
    mapping.map(from, to);
  Block &old = op.getBody().front();
  for (Operation &inner : old.without_terminator())
    rewriter.clone(inner, mapping);
  SmallVector<Value> yields;
  ValueRange yielded = old.getTerminator()->getOperands();
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i) {
    yields.push_back(mapping.lookup(yielded[i]));
    for (int64_t back = 1; back < op.getWindow(i); ++back)
      yields.push_back(window[firsts[i] + back - 1]);
  }
  for (Value output : yielded.drop_front(op.getNumStates()))
    yields.push_back(mapping.lookup(output));
  YieldOp::create(rewriter, loc, yields);

  rewriter.setInsertionPoint(op);
  LogicalResult inferred = RecurrenceOp::inferReturnTypes(
      op.getContext(), loc, state.operands,
      state.attributes.getDictionary(op.getContext()), state.getRawProperties(),
      state.regions, state.types);
  assert(succeeded(inferred) && "rows are made of rows");
  (void)inferred;
  return cast<RecurrenceOp>(rewriter.create(state));
}

/// The rows `back` steps before the ends of segments.
Value RecurrenceSegments::gather(RecurrenceOp flagged, unsigned state,
                                 int64_t back) {
  Value history = flagged.getHistories()[firsts[state] + back - 1];
  Value init = op.getInits()[state];
  FinalStates finals{op.getSegments(), steps,   {}, dim,
                     op.getReverse(),  checking};
  finals.sizes = tensor::getMixedSizes(rewriter, loc, init);
  return gatherFinalStates(
      rewriter, loc, finals, getElementTypeOrSelf(init.getType()),
      [&](OpBuilder &inner, ArrayRef<Value> at) -> Value {
        return tensor::ExtractOp::create(inner, loc, history, at);
      },
      [&](OpBuilder &inner, ArrayRef<Value> point) -> Value {
        SmallVector<Value> at(point);
        at[dim] =
            arith::ConstantIndexOp::create(inner, loc, getPlace(state, back));
        return tensor::ExtractOp::create(inner, loc, init, at);
      });
}

/// For each element of `history` the number of the segment whose last step it
/// is of; -1 for all other steps.
Value RecurrenceSegments::createPlaces(Value history) {
  Value numbers = createStepNumbers(rewriter, loc, op.getSegments(), steps);
  int64_t rank = cast<RankedTensorType>(history.getType()).getRank();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, history),
      getElementTypeOrSelf(numbers.getType()));
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, rewriter.getAffineDimExpr(dim)),
      rewriter.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), numbers, empty, maps, iterators,
             [&](OpBuilder &b, Location, ValueRange args) {
               Value step = linalg::IndexOp::create(b, loc, dim), place = step;
               Value number = arith::IndexCastOp::create(
                   b, loc, b.getIndexType(), args[0]);
               if (!op.getReverse()) {
                 Value one = arith::ConstantIndexOp::create(b, loc, 1);
                 number = arith::AddIOp::create(b, loc, number, one);
                 place = arith::AddIOp::create(b, loc, step, one);
               }
               Value isLast = arith::CmpIOp::create(
                   b, loc, arith::CmpIPredicate::eq, place,
                   extractOffset(b, loc, op.getSegments(), number));
               Value nowhere = arith::ConstantOp::create(
                   b, loc, b.getIntegerAttr(args[0].getType(), -1));
               Value chosen =
                   arith::SelectOp::create(b, loc, isLast, args[0], nowhere);
               linalg::YieldOp::create(b, loc, chosen);
             })
      .getResult(0);
}

/// The same as an operation that has a derivative: rows of the init, into which
/// those at the ends are put.
Value RecurrenceSegments::scatter(RecurrenceOp flagged, unsigned state,
                                  int64_t back) {
  unsigned number = firsts[state] + back - 1;
  Value history = flagged.getHistories()[number];
  Sizes sizes = tensor::getMixedSizes(rewriter, loc, op.getInits()[state]);
  sizes[dim] =
      getAsOpFoldResult(countSegments(rewriter, loc, op.getSegments()));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(history.getType()));
  Value all =
      linalg::BroadcastOp::create(rewriter, loc, starts[number], empty, dim)
          ->getResult(0);
  return ScatterOp::create(rewriter, loc, all.getType(), history, all,
                           createPlaces(history), dim);
}

Value RecurrenceSegments::createFinalState(RecurrenceOp flagged,
                                           unsigned state) {
  int64_t window = op.getWindow(state);
  if (!op.hasSegmentOffsets() && window == 1)
    return flagged.getFinalResults()[firsts[state]];
  Sizes sizes = tensor::getMixedSizes(rewriter, loc, op.getInits()[state]);
  OpFoldResult count = rewriter.getIndexAttr(1);
  if (op.hasSegmentOffsets())
    count = getAsOpFoldResult(countSegments(rewriter, loc, op.getSegments()));
  auto type = cast<RankedTensorType>(op.getInits()[state].getType());
  Value last;
  for (int64_t back = 1; back <= window; ++back) {
    Value part = !op.hasSegmentOffsets()
                     ? flagged.getFinalResults()[firsts[state] + back - 1]
                 : scatters ? scatter(flagged, state, back)
                            : gather(flagged, state, back);
    if (window == 1)
      return part;
    if (!last) {
      Value factor = arith::ConstantIndexOp::create(rewriter, loc, window);
      sizes[dim] = getAsOpFoldResult(rewriter.createOrFold<arith::MulIOp>(
          loc, getValueOrCreateConstantIndexOp(rewriter, loc, count), factor));
      last = tensor::EmptyOp::create(rewriter, loc, sizes,
                                     getElementTypeOrSelf(part.getType()));
      sizes[dim] = count;
    }
    // Every k-th row; no slice is in bounds of what has no element.
    if (llvm::is_contained(type.getShape(), 0))
      continue;
    Sizes offsets(sizes.size(), rewriter.getIndexAttr(0));
    Sizes strides(sizes.size(), rewriter.getIndexAttr(1));
    offsets[dim] = rewriter.getIndexAttr(getPlace(state, back));
    strides[dim] = rewriter.getIndexAttr(window);
    last = tensor::InsertSliceOp::create(rewriter, loc, part, last, offsets,
                                         sizes, strides);
  }
  return last;
}

void RecurrenceSegments::expand() {
  rewriter.setInsertionPoint(op);
  steps = createRecurrenceSteps(rewriter, op);
  Value flags = createFlags();
  collectRows();
  RecurrenceOp flagged = createRecurrence(flags);
  SmallVector<Value> results;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    results.push_back(flagged.getHistories()[firsts[i]]);
  llvm::append_range(results, flagged.getOutputs());
  for (unsigned i = 0, e = op.getFinalStates() ? op.getNumStates() : 0; i < e;
       ++i)
    results.push_back(createFinalState(flagged, i));
  for (auto [value, type] : llvm::zip_equal(results, op.getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
  rewriter.replaceOp(op, results);
}

void scan::expandRecurrenceSegments(Operation *root, OffsetsChecking checking,
                                    bool scatters) {
  SmallVector<RecurrenceOp> recurrences;
  root->walk([&](RecurrenceOp op) {
    if (op.getSegments())
      recurrences.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (RecurrenceOp op : recurrences)
    RecurrenceSegments(rewriter, op, checking, scatters).expand();
}

namespace {

struct ScanExpandRecurrenceSegmentsPass
    : scan::impl::ScanExpandRecurrenceSegmentsBase<
          ScanExpandRecurrenceSegmentsPass> {
  using ScanExpandRecurrenceSegmentsBase::ScanExpandRecurrenceSegmentsBase;

  void runOnOperation() override {
    expandRecurrenceSegments(getOperation(),
                             checkInKernels ? OffsetsChecking::InKernels
                             : checkOffsets ? OffsetsChecking::Stop
                                            : OffsetsChecking::None);
  }
};

} // namespace
