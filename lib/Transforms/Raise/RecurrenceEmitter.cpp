//===- RecurrenceEmitter.cpp - Scans instead of a loop --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::scan;

RecurrenceEmitter::RecurrenceEmitter(RewriterBase &rewriter,
                                     RecurrenceLoop &loop,
                                     ArrayRef<RecurrenceGroup> groups,
                                     Order order, Value segments)
    : rewriter(rewriter), loop(loop), groups(groups),
      updates(loop.states.size()), order(order), segments(segments),
      loc(loop.loop.getLoc()), scanned(loop.states.size()),
      hoister(rewriter, loop), lifter(hoister, scanned),
      needsInclusive(loop.states.size()), needsExclusive(loop.states.size()) {
  for (const RecurrenceGroup &group : groups)
    if (group.update)
      updates[group.states.front()] = group.update;
  for (const CarriedState &state : loop.states) {
    Value init = state.init ? state.init
                            : hoister.emitRowBefore(loop.outputs[state.output],
                                                    state.distance);
    // As a tensor: nobody on the host of a GPU can read a scalar of memory.
    if (auto extract = init.getDefiningOp<tensor::ExtractOp>();
        extract && extract.getIndices().empty())
      init = extract.getTensor();
    inits.push_back(init);
  }
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

Box RecurrenceEmitter::getBox(unsigned number) {
  Box box;
  if (isa<RankedTensorType>(loop.states[number].type))
    box.sizes = tensor::getMixedSizes(rewriter, loc, inits[number]);
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
  box.sizes.insert(box.sizes.begin() + box.time, hoister.getSteps());
  return box;
}

void RecurrenceEmitter::findUses(const Expr *expr) {
  if (expr->kind == Expr::Updated)
    needsInclusive.set(expr->number);
  if (expr->kind == Expr::State)
    needsExclusive.set(expr->number);
  for (const Expr *operand : expr->operands)
    findUses(operand);
}

void RecurrenceEmitter::findUses(const RecurrenceGroup &group) {
  if (!isNeeded(group))
    return;
  if (group.update) {
    for (const Coefficient &value : {group.update->a, group.update->b})
      if (value.expr)
        findUses(value.expr);
  } else {
    for (const ScanOperator::Leaf &leaf : group.op->leaves)
      findUses(leaf.element);
  }
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
      },
      segments);
  setNumerics(scan, type, 2);
  return scan;
}

std::pair<Value, Value> RecurrenceEmitter::createScan(unsigned number, Value a,
                                                      Value b, const Box &box,
                                                      bool isExclusive,
                                                      bool wantsLast) {
  const RecurrenceUpdate &update = *updates[number];
  Value init = inits[number];
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
                                      loop.reverse, isExclusive, wantsLast,
                                      segments);
  } else {
    scan = AssociativeOp::create(
        rewriter, loc, b, init, box.time, loop.reverse, isExclusive, wantsLast,
        ArrayRef<Type>(elementType),
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          if (update.b.negated || !update.combine)
            return SmallVector<Value>{
                createSum(builder, loc, arguments[0], arguments[1])};
          Operation *copy = update.combine->clone();
          copy->setOperand(update.stateOperand, arguments[0]);
          copy->setOperand(1 - update.stateOperand, arguments[1]);
          copy->getResult(0).setType(elementType);
          builder.insert(copy);
          return SmallVector<Value>{copy->getResult(0)};
        },
        segments);
  }
  setNumerics(scan, elementType, 1);
  return {scan->getResult(0), wantsLast ? scan->getResult(1) : Value()};
}

bool RecurrenceEmitter::isResultUsed(unsigned number) {
  BlockArgument argument = loop.states[number].argument;
  return argument && !loop.loop.getTiedLoopResult(argument).use_empty();
}

bool RecurrenceEmitter::isNeeded(const RecurrenceGroup &group) {
  return llvm::any_of(group.states, [&](unsigned state) {
    return needsInclusive.test(state) || needsExclusive.test(state) ||
           isResultUsed(state);
  });
}

void RecurrenceEmitter::emitScans(unsigned number) {
  ScannedState &results = scanned[number];
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
        loop.states[other].type != state.type || !updates[other])
      continue;
    if (isAffinePair(*updates[number], *updates[other]))
      return emitAffinePair(number, other);
    if (isAffinePair(*updates[other], *updates[number]))
      return emitAffinePair(other, number);
  }
  results.box = getBox(number);
  const RecurrenceUpdate &update = *updates[number];
  Type type = state.update->type;
  Value b = lifter.lift(update.b, results.box, type), a;
  if (update.kind == RecurrenceUpdate::Linear)
    a = lifter.lift(update.a, results.box, type);
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
  Value a = lifter.lift(updates[offset]->a, box, type);
  Value b = lifter.lift(updates[offset]->b, box, type);
  bool wantsLast = isResultUsed(product) || isResultUsed(offset);
  AssociativeOp scan =
      createAffineScan(a, b, {inits[product], inits[offset]}, box,
                       /*isExclusive=*/false, wantsLast);
  scanned[product] = {box, scan.getResult(0), {}, {}};
  scanned[offset] = {box, scan.getResult(1), {}, {}};
  if (wantsLast) {
    scanned[product].last = scan.getResult(2);
    scanned[offset].last = scan.getResult(3);
  }
}

/// What `op.finish` makes of tensors of the leaves, with the time at `time` if
/// they have one.
Value RecurrenceEmitter::applyFinish(const ScanOperator &op, Value init,
                                     ValueRange leaves,
                                     std::optional<int64_t> time) {
  auto type = cast<RankedTensorType>(leaves.front().getType());
  int64_t rank = type.getRank();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, leaves.front()),
      type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(leaves.size(), identity);
  SmallVector<Value> inputs(leaves);
  bool isTensor = isa<RankedTensorType>(init.getType());
  if (isTensor) {
    inputs.push_back(init);
    maps.push_back(time ? identity.dropResult(*time) : identity);
  }
  maps.push_back(identity);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), inputs, empty, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &builder, Location, ValueRange arguments) {
               ValueRange values = arguments.take_front(leaves.size());
               linalg::YieldOp::create(
                   builder, loc,
                   op.finish(builder, loc,
                             isTensor ? arguments[leaves.size()] : init,
                             values));
             })
      .getResult(0);
}

/// The scan over several leaves that all states of a group are.
void RecurrenceEmitter::emitOperator(const RecurrenceGroup &group) {
  const ScanOperator &op = *group.op;
  Box box = getBox(group.states.front());
  SmallVector<Value> inputs, starts;
  SmallVector<Type> types;
  for (const ScanOperator::Leaf &leaf : op.leaves) {
    types.push_back(leaf.element->type);
    inputs.push_back(
        lifter.lift({leaf.element, false}, box, leaf.element->type));
    starts.push_back(
        leaf.initState >= 0
            ? inits[leaf.initState]
            : arith::ConstantOp::create(rewriter, loc, leaf.init).getResult());
  }
  bool wantsLast = false, wantsExclusive = false, wantsInclusive = false;
  for (unsigned state : group.states) {
    wantsLast |= isResultUsed(state);
    wantsExclusive |= needsExclusive.test(state);
    wantsInclusive |= needsInclusive.test(state);
  }
  wantsInclusive |= !wantsExclusive;
  unsigned count = op.leaves.size();
  for (bool isExclusive : {false, true}) {
    if (isExclusive ? !wantsExclusive : !wantsInclusive)
      continue;
    auto scan = AssociativeOp::create(
        rewriter, loc, inputs, starts, box.time, loop.reverse, isExclusive,
        wantsLast, types,
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          return op.combine(builder, loc, arguments.take_front(count),
                            arguments.drop_front(count));
        },
        segments);
    setNumerics(scan, types.back(), count);
    for (unsigned i = 0, e = group.states.size(); i < e; ++i) {
      unsigned state = group.states[i];
      ScannedState &results = scanned[state];
      results.box = box;
      auto get = [&](unsigned first, std::optional<int64_t> time) -> Value {
        if (op.finish)
          return applyFinish(op, inits[state],
                             scan->getResults().slice(first, count), time);
        return scan.getResult(first + op.results[i]);
      };
      (isExclusive ? results.exclusive : results.inclusive) = get(0, box.time);
      if (wantsLast)
        results.last = get(count, std::nullopt);
    }
    wantsLast = false;
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
  for (const CarriedOutput &output : loop.outputs)
    findUses(output.stored);
  for (const RecurrenceGroup &group : llvm::reverse(groups))
    findUses(group);
  for (const RecurrenceGroup &group : groups) {
    if (group.update)
      emitScans(group.states.front());
    else if (isNeeded(group))
      emitOperator(group);
  }

  llvm::DenseMap<Value, Value> results;
  for (auto [state, scan] : llvm::zip(loop.states, scanned)) {
    if (!state.argument)
      continue;
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
    auto [offsets, sizes] = hoister.getRange(output.part);
    llvm::SmallBitVector dropped = output.part.dropped;
    dropped.reset(output.part.timeDim);
    Box box;
    box.time = output.part.getTimePosition();
    for (auto [d, size] : llvm::enumerate(sizes))
      if (!dropped.test(d))
        box.sizes.push_back(size);
    Value value =
        lifter.lift({output.stored, false}, box, type.getElementType());
    results[output.argument] = hoister.emitWritten(output, value);
  }
  return llvm::map_to_vector(
      loop.loop.getRegionIterArgs(),
      [&](BlockArgument argument) { return results[argument]; });
}
