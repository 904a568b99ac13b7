//===- PointwiseRecurrence.cpp - Pointwise recurrences to scan.kernel -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each lane walks on its own, a recurrence is a kernel whose order is
// sequential: the left fold of a step that need not be associative. The leaves
// are the k previous rows of each state, a delay line; the outputs; and what a
// step reads, which `combine` passes on as it comes in.
//
//===----------------------------------------------------------------------===//

#include "../Utils/ScalarCast.h"
#include "IR/Extents.h"
#include "IR/MatchCounts.h"
#include "IR/RecurrenceRows.h"
#include "IR/RecurrenceSteps.h"
#include "PointwiseParts.h"
#include "Scan/IR/RecurrenceSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANNORMALIZERECURRENCE
#include "Scan/Transforms/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

namespace {

using Sizes = SmallVector<OpFoldResult>;

class PointwiseKernel {
public:
  PointwiseKernel(RewriterBase &rewriter, RecurrenceOp op, PointwiseBody &body)
      : rewriter(rewriter), op(op), body(body), loc(op.getLoc()),
        dim(op.getDim()), rank(body.getNumLanes() + 1),
        steps(createRecurrenceSteps(rewriter, op)), parts(rewriter, op, steps) {
  }

  KernelOp emit();

private:
  void addReads();
  void addOutputs();
  KernelOp createKernel();
  void fillRegions(KernelOp kernel);
  void replaceResults(KernelOp kernel);
  Value createFinalState(unsigned state, ValueRange rows);

  AffineMap getDomain() { return rewriter.getMultiDimIdentityMap(rank); }
  Block *createBlock(Region &region, TypeRange types) {
    return rewriter.createBlock(&region, region.end(), types,
                                SmallVector<Location>(types.size(), loc));
  }

  RewriterBase &rewriter;
  RecurrenceOp op;
  PointwiseBody &body;
  Location loc;
  unsigned dim, rank;
  OpFoldResult steps;
  PointwiseParts parts;
  /// Operands of the kernel and the maps of its inputs and inits.
  SmallVector<Value> inputs, inits, outputs, finals;
  SmallVector<AffineMap> maps;
  /// The types of the leaves, of the elements of inputs and outputs.
  SmallVector<Type> leafTypes, inputTypes;
  /// For each thing that is read the number of its input; none for indices.
  SmallVector<std::optional<unsigned>> readInputs;
};

} // namespace

void PointwiseKernel::addReads() {
  llvm::append_range(leafTypes, body.getRowTypes());
  for (Value output : op.getOutputs())
    leafTypes.push_back(getElementTypeOrSelf(output.getType()));
  for (const PointwiseBody::Element &element : body.getElements()) {
    leafTypes.push_back(element.type);
    readInputs.emplace_back();
    PointwiseParts::Read read = parts.createRead(element);
    if (!read.source)
      continue;
    inputs.push_back(read.source);
    maps.push_back(read.map);
    readInputs.back() = inputTypes.size();
    inputTypes.push_back(element.type);
  }
  // The rows of the inits, the latest first.
  AffineMap row = getDomain().dropResult(dim);
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state)
    for (int64_t k = op.getWindow(state), back = 1; back <= k; ++back) {
      inits.push_back(
          parts.createInitRow(state, op.getReverse() ? back - 1 : k - back));
      maps.push_back(row);
    }
}

void PointwiseKernel::addOutputs() {
  Sizes sizes = tensor::getMixedSizes(rewriter, loc, op.getInits().front());
  sizes[dim] = steps;
  Sizes lanes(sizes);
  lanes.erase(lanes.begin() + dim);
  auto addOutput = [&](Value like) {
    outputs.push_back(tensor::EmptyOp::create(
        rewriter, loc, sizes, getElementTypeOrSelf(like.getType())));
  };
  for (Value init : op.getInits())
    addOutput(init);
  for (Value output : op.getOutputs())
    addOutput(output);
  if (op.getFinalStates())
    for (Type type : body.getRowTypes())
      finals.push_back(tensor::EmptyOp::create(rewriter, loc, lanes, type));
}

KernelOp PointwiseKernel::createKernel() {
  maps.append(outputs.size(), getDomain());
  maps.append(finals.size(), getDomain().dropResult(dim));
  SmallVector<Type> types(ValueRange(outputs).getTypes());
  llvm::append_range(types, ValueRange(finals).getTypes());
  auto kernel = KernelOp::create(
      rewriter, loc, types, inputs, inits, outputs, finals,
      rewriter.getI64IntegerAttr(dim),
      op.getReverse() ? rewriter.getUnitAttr() : UnitAttr(),
      rewriter.getAffineMapArrayAttr(maps),
      OrderAttr::get(rewriter.getContext(), Order::Sequential),
      op->getAttrOfType<ScheduleAttr>(RecurrenceOp::getScheduleName()));
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  kernel->removeDiscardableAttr(RecurrenceOp::getScheduleName());
  return kernel;
}

void PointwiseKernel::fillRegions(KernelOp kernel) {
  OpBuilder::InsertionGuard guard(rewriter);
  unsigned numRows = body.getRowTypes().size();
  unsigned numOutputs = op.getNumOutputs();
  auto addZeros = [&](SmallVector<Value> &values, unsigned from, unsigned to) {
    for (Type type : ArrayRef(leafTypes).slice(from, to - from))
      values.push_back(createScalarConstant(rewriter, loc, type, 0));
  };

  Block *load = createBlock(kernel.getLoad(), inputTypes);
  SmallVector<Value> read;
  addZeros(read, 0, numRows + numOutputs);
  for (auto [element, input] : llvm::zip(body.getElements(), readInputs)) {
    if (input) {
      read.push_back(load->getArgument(*input));
      continue;
    }
    unsigned d = element.lane ? *element.lane + (*element.lane >= dim) : dim;
    Value index = IndexOp::create(rewriter, loc, d);
    read.push_back(
        arith::IndexCastOp::create(rewriter, loc, element.type, index));
  }
  YieldOp::create(rewriter, loc, read);

  Block *initialize = createBlock(kernel.getInitialize(), body.getRowTypes());
  SmallVector<Value> start(initialize->getArguments());
  addZeros(start, numRows, leafTypes.size());
  YieldOp::create(rewriter, loc, start);

  SmallVector<Type> pairs(leafTypes);
  llvm::append_range(pairs, leafTypes);
  Block *combine = createBlock(kernel.getCombine(), pairs);
  ValueRange before =
      ValueRange(combine->getArguments()).take_front(leafTypes.size());
  ValueRange elements =
      ValueRange(combine->getArguments())
          .drop_front(leafTypes.size() + numRows + numOutputs);
  SmallVector<Value> yields =
      body.moveTo(*combine, before.take_front(numRows), elements);
  rewriter.setInsertionPointToEnd(combine);
  SmallVector<Value> after;
  unsigned first = 0;
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state) {
    unsigned window = op.getWindow(state);
    after.push_back(yields[state]);
    llvm::append_range(after, before.slice(first, window - 1));
    first += window;
  }
  llvm::append_range(after, ArrayRef(yields).drop_front(op.getNumStates()));
  llvm::append_range(after, elements);
  YieldOp::create(rewriter, loc, after);

  llvm::append_range(pairs, inputTypes);
  Block *store = createBlock(kernel.getStore(), pairs);
  SmallVector<Value> results;
  first = 0;
  for (unsigned state = 0, e = op.getNumStates(); state < e; ++state) {
    results.push_back(store->getArgument(first));
    first += op.getWindow(state);
  }
  llvm::append_range(results, store->getArguments().slice(numRows, numOutputs));
  YieldOp::create(rewriter, loc, results);

  if (!finals.empty()) {
    Block *finalize = createBlock(kernel.getFinalize(), leafTypes);
    YieldOp::create(rewriter, loc,
                    ValueRange(finalize->getArguments()).take_front(numRows));
  }
  kernel.addEmptyMaps(rewriter);
}

/// The last rows, of which `rows` has the latest first.
Value PointwiseKernel::createFinalState(unsigned state, ValueRange rows) {
  Value init = op.getInits()[state];
  int64_t window = op.getWindow(state);
  Sizes sizes = tensor::getMixedSizes(rewriter, loc, init);
  Value last = tensor::EmptyOp::create(rewriter, loc, sizes,
                                       getElementTypeOrSelf(init.getType()));
  RecurrenceRows slices(rewriter, loc, dim);
  for (auto [back, row] : llvm::enumerate(rows))
    last = slices.insert(row, last, sizes,
                         rewriter.getIndexAttr(op.getReverse()
                                                   ? static_cast<int64_t>(back)
                                                   : window - 1 - back));
  return last;
}

void PointwiseKernel::replaceResults(KernelOp kernel) {
  SmallVector<Value> results;
  unsigned numOuts = outputs.size();
  for (unsigned i = 0; i < numOuts; ++i)
    results.push_back(i < op.getNumStates()
                          ? parts.createHistory(i, kernel.getResult(i))
                          : kernel.getResult(i));
  unsigned first = numOuts;
  for (unsigned state = 0; op.getFinalStates() && state < op.getNumStates();
       ++state) {
    unsigned window = op.getWindow(state);
    results.push_back(
        createFinalState(state, kernel.getResults().slice(first, window)));
    first += window;
  }
  for (auto [value, type] : llvm::zip_equal(results, op.getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, loc, type, value);
  rewriter.replaceOp(op, results);
}

KernelOp PointwiseKernel::emit() {
  addReads();
  addOutputs();
  KernelOp kernel = createKernel();
  fillRegions(kernel);
  replaceResults(kernel);
  return kernel;
}

FailureOr<KernelOp> scan::normalizeScan(RewriterBase &rewriter, RecurrenceOp op,
                                        NormalizeObstacle &obstacle) {
  PointwiseBody body(op, obstacle);
  if (failed(body.compute()))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  return PointwiseKernel(rewriter, op, body).emit();
}

namespace {

/// Steps have one order: only a schedule that keeps it makes sense.
LogicalResult checkSchedule(RecurrenceOp op) {
  Attribute found = op->getAttr(RecurrenceOp::getScheduleName());
  auto schedule = dyn_cast_if_present<ScheduleAttr>(found);
  if (!found || isa<StepLaunchesAttr>(found) ||
      (schedule && schedule.keepsOrder()))
    return success();
  return op.emitOpError()
         << "expected " << RecurrenceOp::getScheduleName()
         << " to be a schedule of the strategy sequential, such as "
            "#scan.schedule<strategy = sequential, threads = 256>, or of the "
            "strategy row with as many rows as threads, found "
         << found
         << (isa<NewtonAttr>(found)
                 ? ": --scan-newton-recurrence comes first"
                 : ": its steps have one order, since --scan-raise-recurrence "
                   "makes no scan of them (its remarks say why)");
}

struct ScanNormalizeRecurrence
    : scan::impl::ScanNormalizeRecurrenceBase<ScanNormalizeRecurrence> {
  void runOnOperation() override {
    // What is in the body of another one is part of its step.
    SmallVector<RecurrenceOp> recurrences;
    getOperation()->walk([&](RecurrenceOp op) {
      if (!op->getParentOfType<RecurrenceOp>())
        recurrences.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    unsigned made = 0;
    for (RecurrenceOp op : recurrences) {
      if (failed(checkSchedule(op)) || failed(checkLoopSchedule(op)))
        return signalPassFailure();
      dropLoopSchedule(op);
      // Each of its steps is a launch.
      if (isa_and_present<StepLaunchesAttr>(
              op->getAttr(RecurrenceOp::getScheduleName())))
        continue;
      NormalizeObstacle obstacle;
      made += succeeded(normalizeScan(rewriter, op, obstacle));
    }
    numKernels += made;
    addMatchCounts(getOperation(), getArgument(), {{"kernels", made}});
  }
};

} // namespace
