//===- ControlFlow.cpp - scf and func operations --------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::scan::reference;

static SmallVector<Datum> readAll(Frame &frame, ArrayRef<Use> uses) {
  SmallVector<Datum> values;
  values.reserve(uses.size());
  for (Use use : uses)
    values.push_back(frame.read(use));
  return values;
}

/// Results of an operation with regions; tensors are checked against their
/// declared extents.
static LogicalResult writeResults(Frame &frame, Operation *op,
                                  ArrayRef<Slot> slots,
                                  MutableArrayRef<Datum> values) {
  for (auto [i, slot] : llvm::enumerate(slots)) {
    if (!slot.isTensor)
      frame.scalar(slot) = values[i].scalar;
    else if (failed(setResult(frame, op, i, slot, std::move(values[i].tensor))))
      return failure();
  }
  return success();
}

static FailureOr<Step> compileIf(Compiler &compiler, scf::IfOp op) {
  FailureOr<ProgramPtr> thenBody = compiler.compileRegion(op.getThenRegion());
  if (failed(thenBody))
    return failure();
  FailureOr<ProgramPtr> elseBody = ProgramPtr();
  if (!op.getElseRegion().empty())
    elseBody = compiler.compileRegion(op.getElseRegion());
  if (failed(elseBody))
    return failure();
  Slot condition = compiler.lookup(op.getCondition());
  SmallVector<Slot> results = compiler.lookupAll(op.getResults());
  return Step([=, thenBody = *thenBody,
               elseBody = *elseBody](Frame &frame) mutable -> LogicalResult {
    const ProgramPtr &body = frame.scalar(condition).i ? thenBody : elseBody;
    if (!body)
      return success();
    if (failed(body->run(frame)))
      return failure();
    SmallVector<Datum> values = body->readYields(frame);
    return writeResults(frame, op, results, values);
  });
}

static FailureOr<Step> compileFor(Compiler &compiler, scf::ForOp op) {
  FailureOr<ProgramPtr> body = compiler.compileRegion(op.getRegion());
  if (failed(body))
    return failure();
  Slot lower = compiler.lookup(op.getLowerBound());
  Slot upper = compiler.lookup(op.getUpperBound());
  Slot stepSlot = compiler.lookup(op.getStep());
  SmallVector<Use> inits = compiler.useAll(op.getInitArgsMutable());
  SmallVector<Slot> results = compiler.lookupAll(op.getResults());
  bool isUnsigned = op.getUnsignedCmp();
  return Step([=, body = *body](Frame &frame) mutable -> LogicalResult {
    int64_t begin = frame.integer(lower), end = frame.integer(upper);
    int64_t step = frame.integer(stepSlot);
    if (step <= 0)
      return op.emitOpError("expected a step of 1 or more, found ") << step;
    unsigned width = lower.format.width;
    uint64_t ubegin = frame.scalar(lower).i, uend = frame.scalar(upper).i;
    bool isEmpty = isUnsigned ? ubegin >= uend : begin >= end;
    // The distance fits into 64 unsigned bits for signed bounds, too.
    uint64_t distance =
        isUnsigned ? uend - ubegin
                   : static_cast<uint64_t>(end) - static_cast<uint64_t>(begin);
    uint64_t trips = isEmpty ? 0 : (distance - 1) / step + 1;
    SmallVector<Datum> values = readAll(frame, inits);
    for (uint64_t trip = 0; trip < trips; ++trip) {
      frame.scalar(body->arguments[0]).i = truncateBits(
          static_cast<uint64_t>(begin) + trip * static_cast<uint64_t>(step),
          width);
      for (auto [slot, value] :
           llvm::zip(ArrayRef(body->arguments).drop_front(), values))
        frame.write(slot, std::move(value));
      if (failed(body->run(frame)))
        return failure();
      values = body->readYields(frame);
    }
    return writeResults(frame, op, results, values);
  });
}

/// The iterations one after the other, in row-major order.
static FailureOr<Step> compileForall(Compiler &compiler, scf::ForallOp op) {
  FailureOr<ProgramPtr> body = compiler.compileRegion(op.getRegion());
  if (failed(body))
    return failure();
  FailureOr<ProgramPtr> writes =
      compiler.compileRegion(op.getTerminator().getRegion());
  if (failed(writes))
    return failure();
  struct Bound {
    int64_t constant;
    std::optional<Slot> slot;
    int64_t read(Frame &frame) const {
      return slot ? frame.integer(*slot) : constant;
    }
  };
  auto getBounds = [&](ArrayRef<OpFoldResult> mixed) {
    return llvm::map_to_vector(mixed, [&](OpFoldResult bound) -> Bound {
      if (auto value = dyn_cast<Value>(bound))
        return {0, compiler.lookup(value)};
      return {*getConstantIntValue(bound), std::nullopt};
    });
  };
  SmallVector<Bound> lower = getBounds(op.getMixedLowerBound());
  SmallVector<Bound> upper = getBounds(op.getMixedUpperBound());
  SmallVector<Bound> steps = getBounds(op.getMixedStep());
  SmallVector<Use> inits = compiler.useAll(op.getOutputsMutable());
  SmallVector<Slot> results = compiler.lookupAll(op.getResults());
  return Step([=, body = *body,
               writes = *writes](Frame &frame) mutable -> LogicalResult {
    unsigned rank = lower.size();
    SmallVector<int64_t> trips, point(rank, 0);
    for (auto [begin, end, step] : llvm::zip(lower, upper, steps)) {
      int64_t first = begin.read(frame), last = end.read(frame);
      int64_t by = step.read(frame);
      if (by <= 0)
        return op.emitOpError("expected a step of 1 or more, found ") << by;
      trips.push_back(first < last ? llvm::divideCeilSigned(last - first, by)
                                   : 0);
    }
    ArrayRef<Slot> shared = ArrayRef(body->arguments).drop_front(rank);
    SmallVector<Datum> values = readAll(frame, inits);
    for (auto [slot, value] : llvm::zip(shared, values))
      frame.write(slot, std::move(value));
    if (countElements(trips) > 0)
      do {
        for (unsigned d = 0; d < rank; ++d)
          frame.scalar(body->arguments[d]).i =
              lower[d].read(frame) + point[d] * steps[d].read(frame);
        if (failed(body->run(frame)) || failed(writes->run(frame)))
          return failure();
      } while (nextPoint(point, trips));
    for (auto [slot, value] : llvm::zip(shared, values))
      value = frame.read({slot, /*isLastUse=*/true});
    return writeResults(frame, op, results, values);
  });
}

static FailureOr<Step> compileWhile(Compiler &compiler, scf::WhileOp op) {
  FailureOr<ProgramPtr> before = compiler.compileRegion(op.getBefore());
  if (failed(before))
    return failure();
  FailureOr<ProgramPtr> after = compiler.compileRegion(op.getAfter());
  if (failed(after))
    return failure();
  SmallVector<Use> inits = compiler.useAll(op.getInitsMutable());
  SmallVector<Slot> results = compiler.lookupAll(op.getResults());
  return Step([=, before = *before,
               after = *after](Frame &frame) mutable -> LogicalResult {
    SmallVector<Datum> values = readAll(frame, inits);
    while (true) {
      before->writeArguments(frame, values);
      if (failed(before->run(frame)))
        return failure();
      // scf.condition: the condition, then what is passed on.
      SmallVector<Datum> yields = before->readYields(frame);
      bool goesOn = yields.front().scalar.i != 0;
      yields.erase(yields.begin());
      if (!goesOn)
        return writeResults(frame, op, results, yields);
      after->writeArguments(frame, yields);
      if (failed(after->run(frame)))
        return failure();
      values = after->readYields(frame);
    }
  });
}

static FailureOr<Step> compileCall(Compiler &compiler, func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError("no function '") << op.getCallee() << "'";
  FailureOr<Function *> function =
      compiler.getSession().getFunction(callee, op);
  if (failed(function))
    return failure();
  SmallVector<Use> operands = compiler.useAll(op->getOpOperands());
  SmallVector<Slot> results = compiler.lookupAll(op.getResults());
  return Step([=, function = *function](Frame &frame) mutable -> LogicalResult {
    SmallVector<Datum> values = readAll(frame, operands);
    if (failed(frame.session.call(*function, op, frame.depth, values)))
      return failure();
    return writeResults(frame, op, results, values);
  });
}

static Step compileAssert(Compiler &compiler, cf::AssertOp op) {
  Slot condition = compiler.lookup(op.getArg());
  return [=](Frame &frame) mutable -> LogicalResult {
    if (frame.scalar(condition).i)
      return success();
    return op.emitOpError("failed: ") << op.getMsg();
  };
}

FailureOr<Step> mlir::scan::reference::compileControlFlow(Compiler &compiler,
                                                          Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Step>>(op)
      .Case([&](scf::IfOp op) { return compileIf(compiler, op); })
      .Case([&](scf::ForOp op) { return compileFor(compiler, op); })
      .Case([&](scf::ForallOp op) { return compileForall(compiler, op); })
      .Case([&](scf::WhileOp op) { return compileWhile(compiler, op); })
      .Case([&](func::CallOp op) { return compileCall(compiler, op); })
      .Case([&](cf::AssertOp op) { return compileAssert(compiler, op); })
      .Default([](Operation *) { return Step(); });
}
