//===- RecurrenceLoop.cpp - What a loop computes per step -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceLoop.h"
#include "LoopPreparation.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

bool RecurrenceLoop::isInvariant(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != loop.getBody())
    return false;
  // What is carried keeps its extents.
  if (auto dim = dyn_cast<tensor::DimOp>(def)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    if (argument && argument.getOwner() == loop.getBody())
      return isInvariant(dim.getIndex());
  }
  if (!isPure(def) || def->hasAttr(kGuardedAttrName))
    return false;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(def->getRegions(), captured);
  auto isKnown = [&](Value operand) { return isInvariant(operand); };
  return llvm::all_of(def->getOperands(), isKnown) &&
         llvm::all_of(captured, isKnown);
}

Value RecurrenceLoop::getExtentsSource(Value value) {
  while (!isInvariant(value) && !isa<BlockArgument>(value)) {
    auto op = value.getDefiningOp<DestinationStyleOpInterface>();
    if (!op)
      return {};
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LogicalResult RecurrenceLoop::fail(Operation *op, const Twine &why) {
  if (reason.empty()) {
    reason = why.str();
    culprit = op;
  }
  return failure();
}

Value scan::lookThroughCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

/// The tensor that an operation inserts a scalar or a slice into, and what.
static std::pair<Value, Value> getInserted(Operation *op) {
  if (auto insert = dyn_cast_or_null<tensor::InsertOp>(op))
    return {insert.getDest(), insert.getScalar()};
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    return {insert.getDest(), insert.getSource()};
  return {};
}

bool RecurrenceLoop::matchOutput(BlockArgument argument, Value yielded,
                                 CarriedOutput &output) {
  Operation *def = yielded.getDefiningOp();
  if (!def || def->getBlock() != loop.getBody())
    return false;
  auto [dest, source] = getInserted(def);
  if (dest != argument || source == argument)
    return false;
  // It may also be read, a scalar or a slice at a time.
  auto isRead = [&](Operation *user) {
    return isa<tensor::DimOp, tensor::ExtractOp, tensor::ExtractSliceOp>(user);
  };
  for (Operation *user : argument.getUsers())
    if (user != def && !isRead(user))
      return false;
  for (Operation *user : yielded.getUsers())
    if (user != loop.getBody()->getTerminator() && !isRead(user))
      return false;
  std::optional<TimeSlice> part;
  int64_t rank = 0;
  llvm::SmallBitVector before;
  if (auto insert = dyn_cast<tensor::InsertOp>(def)) {
    SmallVector<OpFoldResult> indices = getAsOpFoldResult(insert.getIndices());
    SmallVector<OpFoldResult> ones(indices.size(),
                                   Builder(def).getIndexAttr(1));
    before.resize(indices.size(), true);
    part = getSlice(def, argument, indices, ones, ones, before);
  } else {
    auto slice = cast<tensor::InsertSliceOp>(def);
    before = slice.getDroppedDims();
    rank = slice.getSourceType().getRank();
    part = getSlice(def, argument, slice.getMixedOffsets(),
                    slice.getMixedSizes(), slice.getMixedStrides(), before);
  }
  if (!part || (def->hasAttr(kGuardedAttrName) && !isInBounds(def, *part)))
    return false;
  output.part = std::move(*part);
  output.written = source;
  output.map = AffineMap::getMultiDimIdentityMap(rank, loop.getContext());
  if (!before.test(output.part.timeDim)) {
    int64_t position = output.part.getTimePosition();
    SmallVector<AffineExpr> exprs(
        AffineMap::getMultiDimIdentityMap(rank - 1, loop.getContext())
            .getResults());
    exprs.insert(exprs.begin() + position,
                 getAffineConstantExpr(0, loop.getContext()));
    output.map = AffineMap::get(rank - 1, 0, exprs, loop.getContext());
  }
  return true;
}

/// Tells the states from the outputs.
LogicalResult RecurrenceLoop::classify() {
  for (auto [argument, yielded, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(),
                 loop.getInitArgs())) {
    CarriedOutput output;
    output.argument = argument;
    output.init = init;
    if (isa<RankedTensorType>(argument.getType()) &&
        matchOutput(argument, yielded, output)) {
      outputs.push_back(std::move(output));
      continue;
    }
    // A slice that is written, but not as an output.
    if (Operation *def = yielded.getDefiningOp(); getInserted(def).first)
      return fail(def, reason.empty()
                           ? "a tensor is not written once per step, at the "
                             "step along one dimension, and read by slices only"
                           : Twine(reason));
    CarriedState state;
    state.argument = argument;
    state.init = init;
    state.type = argument.getType();
    states.push_back(state);
  }
  reason.clear();
  culprit = nullptr;
  return classifyReads();
}

/// How many steps before the one that reads it a row was written; negative
/// for one that will be written.
static std::optional<int64_t> getDistance(const TimeSlice &read,
                                          const TimeSlice &written) {
  LinearIndex distance = written.time;
  distance.add(read.time, -1);
  if (!distance.terms.empty() || distance.ivFactor ||
      read.timeDim != written.timeDim)
    return std::nullopt;
  return distance.constant * written.time.ivFactor;
}

/// Outputs that are read: rows of earlier steps are states, rows that no step
/// has written yet are what they were before the loop.
LogicalResult RecurrenceLoop::classifyReads() {
  for (unsigned i = 0, e = outputs.size(); i < e; ++i) {
    const CarriedOutput &output = outputs[i];
    for (Operation *user : output.argument.getUsers()) {
      if (!isa<tensor::ExtractOp, tensor::ExtractSliceOp>(user))
        continue;
      std::optional<TimeSlice> read = getReadSlice(user);
      if (!read)
        return failure();
      std::optional<int64_t> distance = getDistance(*read, output.part);
      bool isSame =
          read->dropped == output.part.dropped &&
          llvm::all_of(
              llvm::seq<int64_t>(0, read->offsets.size()), [&](int64_t d) {
                return d == read->timeDim ||
                       (isEqualConstantIntOrValue(read->offsets[d],
                                                  output.part.offsets[d]) &&
                        isEqualConstantIntOrValue(read->sizes[d],
                                                  output.part.sizes[d]) &&
                        isEqualConstantIntOrValue(read->strides[d],
                                                  output.part.strides[d]));
              });
      constexpr int64_t kMaxDistance = 8;
      if (!distance || !isSame || *distance > kMaxDistance)
        return fail(user, "a tensor that the loop writes is read elsewhere "
                          "than at the row of this step, of a later one or of "
                          "one of the last " +
                              Twine(kMaxDistance) + " steps");
      if (*distance > 0)
        (void)getHiddenState(i, *distance);
    }
  }
  return success();
}

unsigned RecurrenceLoop::getHiddenState(unsigned output, unsigned distance) {
  for (auto [i, state] : llvm::enumerate(states))
    if (!state.argument && state.output == output && state.distance == distance)
      return i;
  if (distance > 1)
    (void)getHiddenState(output, distance - 1);
  CarriedState state;
  state.output = output;
  state.distance = distance;
  const CarriedOutput &from = outputs[output];
  Type element = getElementTypeOrSelf(from.argument.getType());
  state.type = element;
  if (auto written = dyn_cast<RankedTensorType>(from.written.getType())) {
    SmallVector<int64_t> shape;
    for (AffineExpr expr : from.map.getResults())
      if (isa<AffineDimExpr>(expr))
        shape.push_back(written.getDimSize(
            std::distance(from.map.getResults().begin(),
                          llvm::find(from.map.getResults(), expr))));
    state.type = RankedTensorType::get(shape, element);
  }
  states.push_back(state);
  return states.size() - 1;
}

LogicalResult RecurrenceLoop::checkDirection() {
  int64_t factor = 0;
  auto check = [&](const TimeSlice &slice) {
    bool agrees = factor == 0 || factor == slice.time.ivFactor;
    factor = slice.time.ivFactor;
    return agrees;
  };
  bool agrees = true;
  for (const TimeSlice &slice : slices)
    agrees &= check(slice);
  for (const CarriedOutput &output : outputs)
    agrees &= check(output.part);
  if (!agrees)
    return fail(loop, "some slices are walked forward and others in reverse");
  if (factor == 0)
    return fail(loop, "it walks no dimension of a tensor");
  reverse = factor < 0;
  return success();
}

LogicalResult RecurrenceLoop::checkForm() {
  if (loop.getInitArgs().empty())
    return failure();
  for (Operation &op : *loop.getBody())
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(&op))
      return fail(&op,
                  "'" + op.getName().getStringRef() + "' has side effects");
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
    return fail(loop, "expected signed bounds of type index");
  if (!isConstantIntValue(loop.getStep(), 1))
    return fail(loop, "expected a step of 1");
  return success();
}

void RecurrenceLoop::countSteps() {
  steps = *getLinear(loop.getUpperBound());
  steps.add(*getLinear(loop.getLowerBound()), -1);
}

LogicalResult RecurrenceLoop::analyzeRows(RowReads &reads) {
  if (failed(checkForm()) || failed(classify()) || states.empty())
    return failure();
  for (const CarriedOutput &output : outputs)
    for (Operation *user :
         loop.getTiedLoopYieldedValue(output.argument)->get().getUsers())
      if (user != loop.getBody()->getTerminator())
        return fail(user, "a step reads a tensor that it has written");
  for (Operation &op : *loop.getBody()) {
    if (!isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op))
      continue;
    // Others are read where they are.
    std::optional<TimeSlice> slice = getReadSlice(&op);
    reason.clear();
    culprit = nullptr;
    auto *output = llvm::find_if(outputs, [&](const CarriedOutput &output) {
      return slice && slice->tensor == output.argument;
    });
    if (output != outputs.end()) {
      std::optional<int64_t> distance = getDistance(*slice, output->part);
      if (distance.value_or(0) > 0) {
        unsigned number = output - outputs.begin();
        reads[&op] = {true, getHiddenState(number, *distance)};
        continue;
      }
      // No step has written it yet.
      slice->tensor = output->init;
    }
    if (!slice || !isInvariant(slice->tensor))
      continue;
    int64_t factor = !outputs.empty()  ? outputs.front().part.time.ivFactor
                     : !slices.empty() ? slices.front().time.ivFactor
                                       : slice->time.ivFactor;
    if (slice->time.ivFactor != factor)
      continue;
    reads[&op] = {false, static_cast<unsigned>(slices.size())};
    slices.push_back(std::move(*slice));
  }
  countSteps();
  return checkDirection();
}

LogicalResult RecurrenceLoop::analyze() {
  if (failed(checkForm()) || failed(classify()) || states.empty())
    return failure();
  auto getIdentity = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return AffineMap::getMultiDimIdentityMap(tensor ? tensor.getRank() : 0,
                                             loop.getContext());
  };
  for (auto [i, state] : llvm::enumerate(states))
    if (state.argument)
      updated.try_emplace(
          lookThroughCasts(loop.getTiedLoopYieldedValue(state.argument)->get()),
          i);
    else if (state.distance == 1 && outputs[state.output].map.isIdentity())
      updated.try_emplace(lookThroughCasts(outputs[state.output].written), i);
  for (auto [i, state] : llvm::enumerate(states)) {
    Operation *yield = loop.getBody()->getTerminator();
    if (!ScanDialect::isSupportedElementType(getElementTypeOrSelf(state.type)))
      return fail(yield, "a carried value is not of a type that scans know");
    if (!isa<RankedTensorType>(state.type) && isa<ShapedType>(state.type))
      return fail(yield, "a carried value is not a ranked tensor");
    AffineMap identity = getIdentity(state.type);
    if (!state.argument && state.distance > 1) {
      state.update =
          makeState(Expr::State,
                    getHiddenState(state.output, state.distance - 1), identity);
      continue;
    }
    Value next = lookThroughCasts(
        state.argument ? loop.getTiedLoopYieldedValue(state.argument)->get()
                       : outputs[state.output].written);
    auto same = updated.find(next);
    // Itself, not the state that it becomes.
    if (same != updated.end() && same->second == i)
      state.update = compute(next, identity);
    else
      state.update =
          get(next, state.argument ? identity : outputs[state.output].map);
    if (!state.update)
      return failure();
  }
  for (CarriedOutput &output : outputs) {
    output.stored = get(output.written, output.map);
    if (!output.stored)
      return failure();
  }
  countSteps();
  return checkDirection();
}
