//===- RecurrenceEmitter.cpp - Scans instead of a loop --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceEmitter.h"
#include "IR/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::scan;

RecurrenceEmitter::RecurrenceEmitter(RewriterBase &rewriter,
                                     RecurrenceLoop &loop,
                                     ArrayRef<RecurrenceUpdate> updates,
                                     Order order)
    : rewriter(rewriter), loop(loop), updates(updates), order(order),
      loc(loop.loop.getLoc()), scanned(loop.states.size()),
      needsInclusive(loop.states.size()), needsExclusive(loop.states.size()) {
  lower = *loop.getLinear(loop.loop.getLowerBound());
  upper = *loop.getLinear(loop.loop.getUpperBound());
}

//===----------------------------------------------------------------------===//
// Values that are the same in every step
//===----------------------------------------------------------------------===//

Value RecurrenceEmitter::hoist(Value value) {
  if (loop.loop.isDefinedOutsideOfLoop(value))
    return value;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  for (const CarriedOutput &output : loop.outputs)
    if (output.argument == value)
      return output.init;
  Operation *op = value.getDefiningOp();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  captured.insert(op->operand_begin(), op->operand_end());
  for (Value operand : captured)
    if (Value before = hoist(operand); before != operand)
      hoisted.map(operand, before);
  rewriter.clone(*op, hoisted);
  return hoisted.lookup(value);
}

SmallVector<OpFoldResult>
RecurrenceEmitter::hoist(ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    auto dynamic = dyn_cast<Value>(value);
    return dynamic ? OpFoldResult(hoist(dynamic)) : value;
  });
}

Value RecurrenceEmitter::emitIndex(const LinearIndex &index) {
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(rewriter, loc, sum, value).getResult()
              : value;
  };
  for (auto [term, factor] : index.terms) {
    Value value = hoist(term);
    if (factor != 1)
      value = arith::MulIOp::create(
          rewriter, loc, value,
          arith::ConstantIndexOp::create(rewriter, loc, factor));
    add(value);
  }
  if (!sum || index.constant != 0)
    add(arith::ConstantIndexOp::create(rewriter, loc, index.constant));
  return sum;
}

OpFoldResult RecurrenceEmitter::emitSteps() {
  const LinearIndex &count = loop.steps;
  if (count.terms.empty())
    return rewriter.getIndexAttr(std::max<int64_t>(count.constant, 0));
  Value value = emitIndex(count);
  if (Value single = count.getSingleValue())
    if (isa_and_nonnull<ShapedDimOpInterface>(single.getDefiningOp()))
      return value;
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return arith::MaxSIOp::create(rewriter, loc, value, zero).getResult();
}

//===----------------------------------------------------------------------===//
// What all steps read and write
//===----------------------------------------------------------------------===//

LinearIndex RecurrenceEmitter::getStart(const TimeSlice &slice) {
  // The last step has the first place in reverse.
  LinearIndex start = slice.time;
  start.ivFactor = 0;
  start.add(loop.reverse ? upper : lower, slice.time.ivFactor);
  if (loop.reverse)
    start.constant += 1;
  return start;
}

bool RecurrenceEmitter::isWhole(const TimeSlice &slice) {
  auto type = cast<RankedTensorType>(slice.tensor.getType());
  for (int64_t d = 0, rank = type.getRank(); d < rank; ++d) {
    if (d == slice.timeDim)
      continue;
    if (slice.dropped.test(d) || !isConstantIntValue(slice.offsets[d], 0) ||
        !isConstantIntValue(slice.strides[d], 1) ||
        !isExtentOf(slice.sizes[d], slice.tensor, d))
      return false;
  }
  if (!getStart(slice).isConstant(0))
    return false;
  if (loop.steps.terms.empty())
    return type.getDimSize(slice.timeDim) ==
           std::max<int64_t>(loop.steps.constant, 0);
  Value count = loop.steps.getSingleValue();
  return count && isExtentOf(count, slice.tensor, slice.timeDim);
}

std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
RecurrenceEmitter::getRange(const TimeSlice &slice) {
  SmallVector<OpFoldResult> offsets = slice.offsets, sizes = slice.sizes;
  LinearIndex start = getStart(slice);
  offsets[slice.timeDim] = rewriter.getIndexAttr(start.constant);
  if (!start.terms.empty())
    offsets[slice.timeDim] = emitIndex(start);
  sizes[slice.timeDim] = steps;
  return {hoist(offsets), hoist(sizes)};
}

/// The type of a tensor of these sizes without the dimensions in `dropped`.
static RankedTensorType getTypeOf(ArrayRef<OpFoldResult> sizes,
                                  const llvm::SmallBitVector &dropped,
                                  Type elementType) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      shape.push_back(isa<Attribute>(size)
                          ? *getConstantIntValue(size)
                          : static_cast<int64_t>(ShapedType::kDynamic));
  return RankedTensorType::get(shape, elementType);
}

Value RecurrenceEmitter::emitPart(const TimeSlice &slice) {
  Value tensor = hoist(slice.tensor);
  if (isWhole(slice))
    return tensor;
  auto [offsets, sizes] = getRange(slice);
  llvm::SmallBitVector dropped = slice.dropped;
  dropped.reset(slice.timeDim);
  RankedTensorType type =
      getTypeOf(sizes, dropped, getElementTypeOrSelf(tensor.getType()));
  return tensor::ExtractSliceOp::create(rewriter, loc, type, tensor, offsets,
                                        sizes, hoist(slice.strides));
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

RecurrenceEmitter::Box RecurrenceEmitter::getBox(unsigned number) {
  Box box;
  const CarriedState &state = loop.states[number];
  if (isa<RankedTensorType>(state.argument.getType()))
    box.sizes = tensor::getMixedSizes(rewriter, loc, state.init);
  // Where the outputs have the time or, without them, what is read.
  box.time = 0;
  bool isKnown = false;
  for (const CarriedOutput &output : loop.outputs)
    if (!isKnown && output.stored->states.test(number)) {
      box.time = output.part.getTimePosition();
      isKnown = true;
    }
  if (!isKnown && !loop.slices.empty())
    box.time = loop.slices.front().getTimePosition();
  box.time = std::min<int64_t>(box.time, box.sizes.size());
  box.sizes.insert(box.sizes.begin() + box.time, steps);
  return box;
}

int64_t RecurrenceEmitter::getUpdatedState(const Expr *expr) const {
  for (auto [i, state] : llvm::enumerate(loop.states))
    if (state.update == expr)
      return i;
  return -1;
}

void RecurrenceEmitter::findUses(const Expr *expr) {
  int64_t updated = getUpdatedState(expr);
  if (updated >= 0) {
    needsInclusive.set(updated);
    return;
  }
  if (expr->kind == Expr::State)
    needsExclusive.set(expr->number);
  for (const Expr *operand : expr->operands)
    findUses(operand);
}

void RecurrenceEmitter::setNumerics(Operation *scan, Type elementType,
                                    unsigned leaves) {
  MLIRContext *context = rewriter.getContext();
  if (order != Order::Any)
    scan->setAttr("order", OrderAttr::get(context, order));
  // The loop rounds each step to the type that it carries.
  if (order != Order::Sequential ||
      !(elementType.isF16() || elementType.isBF16()))
    return;
  SmallVector<Attribute> types(leaves, TypeAttr::get(elementType));
  if (isa<LinearRecurrenceOp>(scan))
    scan->setAttr("accumulator", types.front());
  else
    scan->setAttr("accumulators", rewriter.getArrayAttr(types));
}

/// (a, b) as affine maps: the scan composes them.
AssociativeOp RecurrenceEmitter::createAffineScan(Value a, Value b,
                                                  ValueRange inits,
                                                  const Box &box,
                                                  bool isExclusive,
                                                  bool wantsLast) {
  Type type = getElementTypeOrSelf(b.getType());
  auto scan = AssociativeOp::create(
      rewriter, loc, ValueRange{a, b}, inits, box.time, loop.reverse,
      isExclusive, wantsLast, TypeRange{type, type},
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        Value p0 = arguments[0], h0 = arguments[1], p1 = arguments[2],
              h1 = arguments[3];
        Value p = createProduct(builder, loc, p1, p0);
        Value moved = createProduct(builder, loc, p1, h0);
        return SmallVector<Value>{p, createSum(builder, loc, moved, h1)};
      });
  setNumerics(scan, type, 2);
  return scan;
}

std::pair<Value, Value> RecurrenceEmitter::createScan(unsigned number, Value a,
                                                      Value b, const Box &box,
                                                      bool isExclusive,
                                                      bool wantsLast) {
  const RecurrenceUpdate &update = updates[number];
  Value init = loop.states[number].init;
  Type elementType = getElementTypeOrSelf(b.getType());
  if (update.kind == RecurrenceUpdate::Linear && isExclusive) {
    Value one = createOne(rewriter, loc, elementType);
    AssociativeOp scan =
        createAffineScan(a, b, {one, init}, box, isExclusive, wantsLast);
    return {scan.getResult(1), wantsLast ? scan.getResult(3) : Value()};
  }
  Operation *scan;
  if (update.kind == RecurrenceUpdate::Linear) {
    scan = LinearRecurrenceOp::create(rewriter, loc, a, b, init, box.time,
                                      loop.reverse, isExclusive, wantsLast);
  } else {
    scan = AssociativeOp::create(
        rewriter, loc, b, init, box.time, loop.reverse, isExclusive, wantsLast,
        ArrayRef<Type>(elementType),
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          if (update.b.negated)
            return SmallVector<Value>{
                createSum(builder, loc, arguments[0], arguments[1])};
          Operation *copy = update.combine->clone();
          copy->setOperand(update.stateOperand, arguments[0]);
          copy->setOperand(1 - update.stateOperand, arguments[1]);
          copy->getResult(0).setType(elementType);
          builder.insert(copy);
          return SmallVector<Value>{copy->getResult(0)};
        });
  }
  setNumerics(scan, elementType, 1);
  return {scan->getResult(0), wantsLast ? scan->getResult(1) : Value()};
}

bool RecurrenceEmitter::isResultUsed(unsigned number) {
  return !loop.loop.getTiedLoopResult(loop.states[number].argument).use_empty();
}

void RecurrenceEmitter::emitScans(unsigned number) {
  Scanned &results = scanned[number];
  if (results.inclusive || results.exclusive || results.last)
    return;
  const CarriedState &state = loop.states[number];
  bool wantsLast = isResultUsed(number);
  if (!wantsLast && !needsInclusive.test(number) &&
      !needsExclusive.test(number))
    return;
  for (unsigned other = 0; other < updates.size(); ++other) {
    if (other == number || needsExclusive.test(other) ||
        needsExclusive.test(number) ||
        !(needsInclusive.test(other) || isResultUsed(other)) ||
        loop.states[other].argument.getType() != state.argument.getType())
      continue;
    if (isAffinePair(updates[number], updates[other]))
      return emitAffinePair(number, other);
    if (isAffinePair(updates[other], updates[number]))
      return emitAffinePair(other, number);
  }
  results.box = getBox(number);
  const RecurrenceUpdate &update = updates[number];
  Type type = state.update->type;
  Value b = lift(update.b, results.box, type), a;
  if (update.kind == RecurrenceUpdate::Linear)
    a = lift(update.a, results.box, type);
  if (needsInclusive.test(number) || !needsExclusive.test(number)) {
    std::tie(results.inclusive, results.last) =
        createScan(number, a, b, results.box, /*isExclusive=*/false, wantsLast);
    wantsLast = false;
  }
  if (needsExclusive.test(number)) {
    auto [exclusive, last] = createScan(number, a, b, results.box,
                                        /*isExclusive=*/true, wantsLast);
    results.exclusive = exclusive;
    if (wantsLast)
      results.last = last;
  }
}

/// (p, h) <- (a * p, a * h + b) is one scan.
void RecurrenceEmitter::emitAffinePair(unsigned product, unsigned offset) {
  Box box = getBox(offset);
  Type type = loop.states[offset].update->type;
  Value a = lift(updates[offset].a, box, type);
  Value b = lift(updates[offset].b, box, type);
  bool wantsLast = isResultUsed(product) || isResultUsed(offset);
  AssociativeOp scan = createAffineScan(
      a, b, {loop.states[product].init, loop.states[offset].init}, box,
      /*isExclusive=*/false, wantsLast);
  scanned[product] = {box, scan.getResult(0), {}, {}};
  scanned[offset] = {box, scan.getResult(1), {}, {}};
  if (wantsLast) {
    scanned[product].last = scan.getResult(2);
    scanned[offset].last = scan.getResult(3);
  }
}

//===----------------------------------------------------------------------===//
// The results of the loop
//===----------------------------------------------------------------------===//

/// `value` as a tensor of type `type`, which has the same extents.
static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  return value.getType() == type
             ? value
             : tensor::CastOp::create(builder, loc, type, value).getResult();
}

SmallVector<Value> RecurrenceEmitter::emit() {
  rewriter.setInsertionPoint(loop.loop);
  steps = emitSteps();
  for (const CarriedOutput &output : loop.outputs)
    findUses(output.stored);
  for (unsigned i = 0, e = loop.states.size(); i < e; ++i)
    emitScans(i);
  scansExist = true;

  llvm::DenseMap<Value, Value> results;
  for (auto [state, scan] : llvm::zip(loop.states, scanned)) {
    Type type = state.argument.getType();
    Value last = scan.last;
    if (last)
      last = isa<RankedTensorType>(type)
                 ? castTo(rewriter, loc, type, last)
                 : tensor::ExtractOp::create(rewriter, loc, last, ValueRange())
                       .getResult();
    // A result that nobody uses may be anything.
    results[state.argument] = last ? last : state.init;
  }
  for (const CarriedOutput &output : loop.outputs) {
    auto type = cast<RankedTensorType>(output.init.getType());
    auto [offsets, sizes] = getRange(output.part);
    llvm::SmallBitVector dropped = output.part.dropped;
    dropped.reset(output.part.timeDim);
    Box box;
    box.time = output.part.getTimePosition();
    for (auto [d, size] : llvm::enumerate(sizes))
      if (!dropped.test(d))
        box.sizes.push_back(size);
    Value value = lift({output.stored, false}, box, type.getElementType());
    if (isWhole(output.part)) {
      results[output.argument] = castTo(rewriter, loc, type, value);
      continue;
    }
    value = castTo(rewriter, loc,
                   getTypeOf(sizes, dropped, type.getElementType()), value);
    results[output.argument] = tensor::InsertSliceOp::create(
        rewriter, loc, value, output.init, offsets, sizes,
        hoist(output.part.strides));
  }
  return llvm::map_to_vector(
      loop.loop.getRegionIterArgs(),
      [&](BlockArgument argument) { return results[argument]; });
}
