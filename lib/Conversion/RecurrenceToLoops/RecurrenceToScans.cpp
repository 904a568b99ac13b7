//===- RecurrenceToScans.cpp - Pointwise recurrences to scans -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recurrence whose steps compute each lane from the same lane of one row back
// is a scan: not an associative one, but one whose steps are taken in order,
// which `order = sequential` says. Scans have loops that keep states in
// registers over all of time, and vectors and threads over lanes.
//
// Each state is a leaf. What a step reads are the new values of leaves; those
// beyond the states, and outputs, are leaves whose accumulated value nobody
// reads.
//
//===----------------------------------------------------------------------===//

#include "IR/ElementwiseView.h"
#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/RuntimeCheck.h"
#include "PointwiseRecurrence.h"
#include "Scan/Conversion/RecurrenceToLoops/Passes.h"
#include "Scan/IR/RecurrenceSchedule.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_CONVERTRECURRENCETOSCANS
#include "Scan/Conversion/RecurrenceToLoops/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

class PointwiseRecurrence {
public:
  PointwiseRecurrence(RewriterBase &builder, RecurrenceOp op)
      : builder(builder), op(op), loc(op.getLoc()), dim(op.getDim()) {}

  void replace();

private:
  void checkExtents();
  void collectSizes();
  void require(OpFoldResult extent, Value shaped, int64_t d, const Twine &what);
  Value makeInput(Value tensor);
  Value makeCapture(Value capture);
  Value makeInit(Value init);
  Value makeFinal(Value last, Type type);
  /// A tensor of zeros, or a scalar: for what is not read.
  Value makeZeros(Type element, bool isScalar);
  void addLeaf(Type element, Value init);
  void placeReads();
  SmallVector<Value> emitStep(OpBuilder &inner, ValueRange arguments);

  RewriterBase &builder;
  RecurrenceOp op;
  Location loc;
  int64_t dim;
  /// The extents of all leaves, and their static shape.
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;

  struct Leaf {
    Type element;
    /// What is read in it, and as which argument of the body.
    Value input, argument;
    Value init;
  };
  SmallVector<Leaf> leaves;
};

} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void PointwiseRecurrence::require(OpFoldResult extent, Value shaped, int64_t d,
                                  const Twine &what) {
  if (isExtentOf(extent, shaped, d))
    return;
  Value same = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq,
      getValueOrCreateConstantIndexOp(builder, loc, extent),
      getValueOrCreateConstantIndexOp(builder, loc,
                                      createExtent(builder, loc, shaped, d)));
  cf::AssertOp::create(builder, loc, same, describeFailure(op, what));
}

/// The number of steps, and the lanes of the first state, which all others have
/// to have.
void PointwiseRecurrence::collectSizes() {
  Value first = op.getInits().front();
  sizes = tensor::getMixedSizes(builder, loc, first);
  Value steps = op.getInputs().front();
  for (Value input : op.getInputs())
    if (!cast<RankedTensorType>(input.getType()).isDynamicDim(dim))
      steps = input;
  sizes[dim] = createExtent(builder, loc, steps, dim);
  for (OpFoldResult &size : sizes)
    size = isa<Value>(size) ? getAsOpFoldResult(cast<Value>(size)) : size;
  auto take = [&](Value tensor, bool hasTime) {
    for (auto [d, extent] :
         llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
      if (!ShapedType::isDynamic(extent) &&
          (hasTime || static_cast<int64_t>(d) != dim))
        sizes[d] = builder.getIndexAttr(extent);
  };
  for (Value init : op.getInits())
    take(init, false);
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), op.getInputArguments()))
    if (!argument.use_empty())
      take(input, true);
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
}

void PointwiseRecurrence::checkExtents() {
  for (Value extent : op.getExtents())
    cf::AssertOp::create(
        builder, loc,
        builder.createOrFold<arith::CmpIOp>(
            loc, arith::CmpIPredicate::sge, extent,
            Value(arith::ConstantIndexOp::create(builder, loc, 0))),
        describeFailure(op, "expected extents of 0 or more"));
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    require(sizes[dim], input, dim,
            "input #" + Twine(i) + " has other rows than there are steps");
  auto requireLanes = [&](Value value, bool hasTime, const Twine &what) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (int64_t d = 0, rank = type ? type.getRank() : 0; d < rank; ++d)
      if (!hasTime || d != dim)
        require(sizes[d + (!hasTime && d >= dim)], value, d, what);
  };
  for (auto [i, init] : llvm::enumerate(op.getInits()))
    requireLanes(init, true,
                 "the row of state #" + Twine(i) +
                     " has other extents than its init");
  // What is not read may have any.
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), op.getInputArguments()))
    if (!argument.use_empty())
      requireLanes(input, true,
                   "the row of state #0 has other extents than its init");
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (!op.getCaptureArguments()[i].use_empty())
      requireLanes(capture, false,
                   "capture #" + Twine(i) + " has other extents than rows");
  for (unsigned i = 0, e = op.getNumOutputs(); i < e; ++i)
    for (auto [d, size] : llvm::enumerate(op.getOutputRowSizes(i)))
      if (auto extent = dyn_cast<Value>(size)) {
        Value same = builder.createOrFold<arith::CmpIOp>(
            loc, arith::CmpIPredicate::eq, extent,
            getValueOrCreateConstantIndexOp(
                builder, loc, sizes[d + (static_cast<int64_t>(d) >= dim)]));
        cf::AssertOp::create(
            builder, loc, same,
            describeFailure(op, "the row of output #" + Twine(i) +
                                    " has other extents than 'extents' says"));
      }
}

Value PointwiseRecurrence::makeInput(Value tensor) {
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(tensor));
  return type == tensor.getType()
             ? tensor
             : tensor::CastOp::create(builder, loc, type, tensor);
}

Value PointwiseRecurrence::makeCapture(Value capture) {
  Value all = tensor::EmptyOp::create(builder, loc, sizes,
                                      getElementTypeOrSelf(capture.getType()));
  if (!isa<RankedTensorType>(capture.getType()))
    return linalg::FillOp::create(builder, loc, capture, all).getResult(0);
  return linalg::BroadcastOp::create(builder, loc, capture, all, dim)
      ->getResult(0);
}

static SmallVector<ReassociationIndices> getRowGroups(int64_t rank,
                                                      int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      groups.push_back({d});
  if (groups.empty())
    return groups;
  if (dim == 0)
    groups.front().insert(groups.front().begin(), 0);
  else
    groups[dim - 1].push_back(dim);
  return groups;
}

Value PointwiseRecurrence::makeInit(Value init) {
  if (sizes.size() == 1)
    return tensor::ExtractOp::create(
        builder, loc, init,
        Value(arith::ConstantIndexOp::create(builder, loc, 0)));
  SmallVector<int64_t> row(shape);
  row[dim] = 1;
  Type element = getElementTypeOrSelf(init.getType());
  auto type = RankedTensorType::get(row, element);
  if (init.getType() != type)
    init = tensor::CastOp::create(builder, loc, type, init);
  return tensor::CollapseShapeOp::create(builder, loc, init,
                                         getRowGroups(sizes.size(), dim));
}

Value PointwiseRecurrence::makeFinal(Value last, Type type) {
  SmallVector<OpFoldResult> rowSizes(sizes);
  rowSizes[dim] = builder.getIndexAttr(1);
  SmallVector<int64_t> row(shape);
  row[dim] = 1;
  auto full = RankedTensorType::get(row, getElementTypeOrSelf(type));
  Value expanded = tensor::ExpandShapeOp::create(
      builder, loc, full, last, getRowGroups(sizes.size(), dim), rowSizes);
  return full == type ? expanded
                      : tensor::CastOp::create(builder, loc, type, expanded);
}

Value PointwiseRecurrence::makeZeros(Type element, bool isScalar) {
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(element)));
  if (isScalar)
    return zero;
  Value all = tensor::EmptyOp::create(builder, loc, sizes, element);
  return linalg::FillOp::create(builder, loc, zero, all).getResult(0);
}

//===----------------------------------------------------------------------===//
// The scan
//===----------------------------------------------------------------------===//

void PointwiseRecurrence::addLeaf(Type element, Value init) {
  leaves.push_back({element, {}, {}, init});
}

/// What a step reads goes to the first leaf of its type that has room.
void PointwiseRecurrence::placeReads() {
  auto place = [&](Value argument, Value input) {
    Type element = getElementTypeOrSelf(argument.getType());
    auto *leaf = llvm::find_if(leaves, [&](const Leaf &leaf) {
      return leaf.element == element && !leaf.argument;
    });
    if (leaf == leaves.end()) {
      addLeaf(element, makeZeros(element, /*isScalar=*/true));
      leaf = &leaves.back();
    }
    leaf->argument = argument;
    leaf->input = input;
  };
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), op.getInputArguments()))
    if (!argument.use_empty())
      place(argument, makeInput(input));
  for (auto [capture, argument] :
       llvm::zip(op.getCaptures(), op.getCaptureArguments()))
    if (!argument.use_empty() && !argument.getType().isIndex())
      place(argument, makeCapture(capture));
  for (Leaf &leaf : leaves)
    if (!leaf.input)
      leaf.input = makeZeros(leaf.element, /*isScalar=*/false);
}

SmallVector<Value> PointwiseRecurrence::emitStep(OpBuilder &inner,
                                                 ValueRange arguments) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  for (unsigned i = 0, e = op.getNumStates(); i < e; ++i)
    mapping.map(op.getWindowArguments(i).front(), arguments[i]);
  for (auto [i, leaf] : llvm::enumerate(leaves))
    if (leaf.argument)
      mapping.map(leaf.argument, arguments[leaves.size() + i]);
  for (Operation &operation : body.without_terminator()) {
    if (isa<tensor::EmptyOp, tensor::DimOp>(operation))
      continue;
    if (llvm::none_of(operation.getResultTypes(), llvm::IsaPred<ShapedType>)) {
      inner.clone(operation, mapping);
      continue;
    }
    std::string why;
    std::optional<ElementwiseView> view = ElementwiseView::get(&operation, why);
    SmallVector<Value> elements;
    for (const ElementwiseView::Operand &operand : view->getOperands())
      elements.push_back(operand.value ? mapping.lookup(operand.value)
                                       : materializeScalar(inner, loc,
                                                           operand.elementType,
                                                           operand.constant));
    SmallVector<Value> values =
        view->inlineBody(inner, elements, [](unsigned) { return Value(); });
    mapping.map(operation.getResults(), values);
  }
  SmallVector<Value> yields;
  ValueRange rows = body.getTerminator()->getOperands();
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    Value value = i < rows.size() ? mapping.lookup(rows[i])
                                  : arguments[leaves.size() + i];
    // A value of its own.
    if (isa<BlockArgument>(value) || llvm::is_contained(yields, value))
      value = CloneOp::create(inner, loc, value);
    yields.push_back(value);
  }
  return yields;
}

void PointwiseRecurrence::replace() {
  builder.setInsertionPoint(op);
  collectSizes();
  checkExtents();
  for (Value init : op.getInits())
    addLeaf(getElementTypeOrSelf(init.getType()), makeInit(init));
  for (Value output : op.getOutputs()) {
    Type element = getElementTypeOrSelf(output.getType());
    addLeaf(element, makeZeros(element, /*isScalar=*/true));
  }
  placeReads();
  SmallVector<Value> inputs, inits;
  SmallVector<Type> types;
  for (const Leaf &leaf : leaves) {
    inputs.push_back(leaf.input);
    inits.push_back(leaf.init);
    types.push_back(leaf.element);
  }
  auto scan = AssociativeOp::create(
      builder, loc, inputs, inits, dim, op.getReverse(), /*exclusive=*/false,
      op.getFinalStates(), types,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        return emitStep(inner, arguments);
      });
  scan.setOrderAttr(OrderAttr::get(op.getContext(), Order::Sequential));
  // A step reads rows as they are, rounded, and not what they were rounded
  // from.
  if (llvm::any_of(types,
                   [](Type type) { return type.isF16() || type.isBF16(); }))
    scan.setAccumulatorsAttr(builder.getTypeArrayAttr(types));

  SmallVector<Value> results;
  for (unsigned i = 0, e = op.getNumStates() + op.getNumOutputs(); i < e; ++i) {
    Value rows = scan.getResult(i);
    if (i < op.getNumStates() && op.getInitRows()) {
      SmallVector<OpFoldResult> all(sizes), init(sizes);
      all[dim] = getAsOpFoldResult(builder.createOrFold<arith::AddIOp>(
          loc, getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]),
          arith::ConstantIndexOp::create(builder, loc, 1)));
      init[dim] = builder.getIndexAttr(1);
      SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1)),
          atInit(sizes.size(), builder.getIndexAttr(0)), atRows(atInit);
      (op.getReverse() ? atInit : atRows)[dim] =
          op.getReverse() ? sizes[dim] : OpFoldResult(builder.getIndexAttr(1));
      Value history = tensor::EmptyOp::create(
          builder, loc, all, getElementTypeOrSelf(rows.getType()));
      history = tensor::InsertSliceOp::create(builder, loc, op.getInits()[i],
                                              history, atInit, init, ones);
      rows = tensor::InsertSliceOp::create(builder, loc, rows, history, atRows,
                                           sizes, ones);
    }
    if (rows.getType() != op.getResult(i).getType())
      rows =
          tensor::CastOp::create(builder, loc, op.getResult(i).getType(), rows);
    results.push_back(rows);
  }
  for (auto [i, last] : llvm::enumerate(op.getFinalResults()))
    results.push_back(
        makeFinal(scan.getResult(leaves.size() + i), last.getType()));
  builder.replaceOp(op, results);
}

namespace {

struct ConvertRecurrenceToScans final
    : scan::impl::ConvertRecurrenceToScansBase<ConvertRecurrenceToScans> {
  using ConvertRecurrenceToScansBase::ConvertRecurrenceToScansBase;

  void runOnOperation() override {
    // In a body there is no memory for leaves beside the states.
    SmallVector<RecurrenceOp> recurrences;
    getOperation()->walk<WalkOrder::PreOrder>([&](RecurrenceOp op) {
      recurrences.push_back(op);
      return WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    uint64_t count = 0;
    for (RecurrenceOp op : recurrences) {
      if (hasLoopSchedule(op) || !isPointwise(op))
        continue;
      PointwiseRecurrence(rewriter, op).replace();
      ++count;
    }
    numConverted += count;
    addMatchCounts(getOperation(), getArgument(),
                   {{"recurrences-converted", count}});
  }
};

} // namespace
