//===- KernelOp.cpp - scan.kernel on tensors ------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the pseudo-code of the operation's description line by line. The
// regions say themselves which types they accumulate in: nothing is held wider
// than it is written.
//
//===----------------------------------------------------------------------===//

#include "IR/ScatteredOutputs.h"
#include "IR/StepsRange.h"
#include "KernelOperands.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

namespace {
struct Kernel {
  KernelOp op;
  SmallVector<KernelOperand> inputs, inits, outputs, finals;
  SmallVector<Slot> results;
  /// What `scan.index` reads, one per domain dimension.
  SmallVector<Slot> indices;
  /// `initialize` and `finalize` are null without inits and finals.
  ProgramPtr load, initialize, combine, store, finalize;

  LogicalResult run(Frame &frame);

private:
  FailureOr<SmallVector<int64_t>> getDomain(Frame &frame);
  LogicalResult runLine(Frame &frame, ArrayRef<int64_t> point, int64_t extent);
  LogicalResult runBidirectional(Frame &frame, ArrayRef<int64_t> point,
                                 int64_t extent);
  LogicalResult loadLeaves(Frame &frame, ArrayRef<int64_t> point,
                           int64_t extent, MutableArrayRef<Scalar> leaves);
  LogicalResult initializeState(Frame &frame, ArrayRef<int64_t> point,
                                MutableArrayRef<Scalar> state);
  LogicalResult combineStates(Frame &frame, ArrayRef<Scalar> incoming,
                              MutableArrayRef<Scalar> state);
  LogicalResult storeStep(Frame &frame, ArrayRef<int64_t> point, int64_t extent,
                          ArrayRef<Scalar> inclusive,
                          ArrayRef<Scalar> exclusive);
  LogicalResult storeFinals(Frame &frame, ArrayRef<int64_t> point,
                            ArrayRef<Scalar> state);
  void passInputs(Frame &frame, ArrayRef<int64_t> point, int64_t extent,
                  const Slot *argument);
  void setIndices(Frame &frame, ArrayRef<int64_t> point);
  SmallVector<BoundOperand> boundInputs, boundInits, boundOutputs, boundFinals;
};
} // namespace

/// Domain extents; the operands have to agree on them.
FailureOr<SmallVector<int64_t>> Kernel::getDomain(Frame &frame) {
  SmallVector<int64_t> domain(op.getDomainRank(), -1);
  auto operands = llvm::concat<KernelOperand>(inputs, inits, outputs, finals);
  for (auto [number, operand] : llvm::enumerate(operands)) {
    if (!operand.use.slot.isTensor)
      continue;
    // A list of segment offsets has an extent of its own.
    if (operand.isSegmentOffsets)
      continue;
    ArrayRef<int64_t> shape = frame.tensor(operand.use.slot).shape;
    for (auto [i, expr] : llvm::enumerate(operand.map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      // So has the dimension that an input is gathered along.
      if (operand.places >= 0 && !dim)
        continue;
      if (operand.placeDim)
        dim = cast<AffineDimExpr>(
            getWrittenMap(operand.map, op.getDim()).getResult(i));
      int64_t &expected = dim ? domain[dim.getPosition()] : domain[0];
      int64_t found = shape[i];
      if (dim && expected == -1)
        expected = found;
      if (dim ? expected != found : found != 1)
        return op.emitOpError("operand #")
               << number << " does not fit in its dimension " << i
               << ": expected extent " << (dim ? expected : 1) << ", found "
               << found;
    }
  }
  return domain;
}

/// The same for the inputs, which may be shifted; `extent` is that of the scan
/// dimension.
void Kernel::passInputs(Frame &frame, ArrayRef<int64_t> point, int64_t extent,
                        const Slot *argument) {
  for (const BoundOperand &bound : boundInputs) {
    if (bound.operand->isSegmentOffsets) {
      frame.scalar(*argument++) =
          readStart(bound, point[op.getDim()], op.getReverse());
      continue;
    }
    if (bound.operand->places >= 0) {
      std::optional<int64_t> block =
          findGathered(frame, boundInputs[bound.operand->places], bound, point);
      for (int64_t i = 0; i < bound.operand->count; ++i)
        frame.scalar(*argument++) =
            block ? bound.tensor.load(*block * bound.operand->count + i)
                  : Scalar{};
      continue;
    }
    SmallVector<int64_t> from(point);
    const BoundOperand *source = &bound;
    if (int64_t shift = bound.operand->shift) {
      // Differences of 64 bits may overflow: compare on the same side of zero.
      int64_t t = point[op.getDim()];
      bool inBounds = shift > 0 ? t >= shift : t < extent + shift;
      if (inBounds)
        from[op.getDim()] = t - shift;
      else
        source = &boundInputs[bound.operand->boundary];
    }
    for (int64_t i = 0; i < bound.operand->count; ++i)
      frame.scalar(*argument++) = readElement(frame, *source, from, i);
  }
}

void Kernel::setIndices(Frame &frame, ArrayRef<int64_t> point) {
  for (auto [slot, index] : llvm::zip_equal(indices, point))
    frame.scalar(slot).i = index;
}

static void passState(Frame &frame, ArrayRef<Scalar> state,
                      const Slot *argument) {
  for (Scalar value : state)
    frame.scalar(*argument++) = value;
}

static void readState(Frame &frame, const Program &program,
                      MutableArrayRef<Scalar> state) {
  for (auto [value, yield] : llvm::zip_equal(state, program.yields))
    value = frame.scalar(yield.slot);
}

LogicalResult Kernel::loadLeaves(Frame &frame, ArrayRef<int64_t> point,
                                 int64_t extent,
                                 MutableArrayRef<Scalar> leaves) {
  setIndices(frame, point);
  passInputs(frame, point, extent, load->arguments.data());
  if (failed(load->run(frame)))
    return failure();
  readState(frame, *load, leaves);
  return success();
}

LogicalResult Kernel::initializeState(Frame &frame, ArrayRef<int64_t> point,
                                      MutableArrayRef<Scalar> state) {
  setIndices(frame, point);
  if (!initialize)
    return success();
  passElements(frame, boundInits, point, initialize->arguments.data());
  if (failed(initialize->run(frame)))
    return failure();
  readState(frame, *initialize, state);
  return success();
}

LogicalResult Kernel::combineStates(Frame &frame, ArrayRef<Scalar> incoming,
                                    MutableArrayRef<Scalar> state) {
  passState(frame, state, combine->arguments.data());
  passState(frame, incoming, combine->arguments.data() + state.size());
  if (failed(combine->run(frame)))
    return failure();
  readState(frame, *combine, state);
  return success();
}

LogicalResult Kernel::storeStep(Frame &frame, ArrayRef<int64_t> point,
                                int64_t extent, ArrayRef<Scalar> inclusive,
                                ArrayRef<Scalar> exclusive) {
  const Slot *arguments = store->arguments.data();
  setIndices(frame, point);
  passState(frame, inclusive, arguments);
  passState(frame, exclusive, arguments + inclusive.size());
  passInputs(frame, point, extent, arguments + 2 * inclusive.size());
  if (failed(store->run(frame)))
    return failure();
  storeYields(frame, boundOutputs, point, store->yields.data());
  return success();
}

LogicalResult Kernel::storeFinals(Frame &frame, ArrayRef<int64_t> point,
                                  ArrayRef<Scalar> state) {
  if (!finalize)
    return success();
  setIndices(frame, point);
  passState(frame, state, finalize->arguments.data());
  if (failed(finalize->run(frame)))
    return failure();
  storeYields(frame, boundFinals, point, finalize->yields.data());
  return success();
}

LogicalResult Kernel::runLine(Frame &frame, ArrayRef<int64_t> first,
                              int64_t extent) {
  if (op.isBidirectional())
    return runBidirectional(frame, first, extent);
  unsigned numLeaves = op.getNumLeaves();
  SmallVector<int64_t> point(first);
  SmallVector<Scalar> state(numLeaves, Scalar{}), incoming(numLeaves);
  bool hasState = initialize != nullptr;
  if (failed(initializeState(frame, point, state)))
    return failure();
  for (int64_t step = 0; step < extent; ++step) {
    point[op.getDim()] = op.getReverse() ? extent - 1 - step : step;
    if (failed(loadLeaves(frame, point, extent, incoming)))
      return failure();
    SmallVector<Scalar> exclusive = state;
    if (!hasState)
      state = incoming;
    else if (failed(combineStates(frame, incoming, state)))
      return failure();
    hasState = true;
    if (failed(storeStep(frame, point, extent, state, exclusive)))
      return failure();
  }
  return storeFinals(frame, first, state);
}

/// The scan of leaves in opposite directions: at each step the leaves of one
/// direction are at one point and the others at another, so that all states are
/// kept until those of a point are complete.
LogicalResult Kernel::runBidirectional(Frame &frame, ArrayRef<int64_t> first,
                                       int64_t extent) {
  unsigned numLeaves = op.getNumLeaves();
  SmallVector<int64_t> point(first);
  SmallVector<Scalar> state(numLeaves, Scalar{}), incoming(numLeaves),
      other(numLeaves);
  // By index along the scan dimension, then by leaf.
  std::vector<Scalar> inclusive(extent * numLeaves),
      exclusive(extent * numLeaves);
  if (failed(initializeState(frame, point, state)))
    return failure();
  for (int64_t step = 0; step < extent; ++step) {
    int64_t index = op.getReverse() ? extent - 1 - step : step;
    int64_t mirrored = extent - 1 - index;
    point[op.getDim()] = index;
    if (failed(loadLeaves(frame, point, extent, incoming)))
      return failure();
    point[op.getDim()] = mirrored;
    if (failed(loadLeaves(frame, point, extent, other)))
      return failure();
    SmallVector<Scalar> before = state;
    for (unsigned leaf = 0; leaf < numLeaves; ++leaf)
      if (op.isOpposite(leaf))
        incoming[leaf] = other[leaf];
    if (step == 0 && !initialize)
      state = incoming;
    else if (failed(combineStates(frame, incoming, state)))
      return failure();
    for (unsigned leaf = 0; leaf < numLeaves; ++leaf) {
      int64_t at = op.isOpposite(leaf) ? mirrored : index;
      inclusive[at * numLeaves + leaf] = state[leaf];
      exclusive[at * numLeaves + leaf] = before[leaf];
    }
  }
  for (int64_t t = 0; t < extent; ++t) {
    point[op.getDim()] = t;
    if (failed(storeStep(frame, point, extent,
                         ArrayRef(inclusive).slice(t * numLeaves, numLeaves),
                         ArrayRef(exclusive).slice(t * numLeaves, numLeaves))))
      return failure();
  }
  return storeFinals(frame, first, state);
}

LogicalResult Kernel::run(Frame &frame) {
  FailureOr<SmallVector<int64_t>> domain = getDomain(frame);
  if (failed(domain))
    return failure();
  auto bind = [&](ArrayRef<KernelOperand> operands,
                  SmallVectorImpl<BoundOperand> &bound,
                  bool isWritten) -> LogicalResult {
    bound.clear();
    for (const KernelOperand &operand : operands) {
      BoundOperand entry;
      entry.operand = &operand;
      if (operand.use.slot.isTensor)
        entry.tensor = frame.take(operand.use);
      if (operand.isSegmentOffsets && failed(verifyAscending(op, entry.tensor)))
        return failure();
      if (isWritten) {
        FailureOr<Tensor> own =
            frame.session.makeUnique(op, std::move(entry.tensor));
        if (failed(own))
          return failure();
        entry.tensor = std::move(*own);
      }
      entry.strides = operand.getDomainStrides(entry.tensor, domain->size());
      bound.push_back(std::move(entry));
    }
    return success();
  };
  if (failed(bind(inputs, boundInputs, /*isWritten=*/false)) ||
      failed(bind(inits, boundInits, /*isWritten=*/false)) ||
      failed(bind(outputs, boundOutputs, /*isWritten=*/true)) ||
      failed(bind(finals, boundFinals, /*isWritten=*/true)))
    return failure();

  int64_t dim = op.getDim(), extent = (*domain)[dim];
  if (StepsRange range = getStepsRange(op); !range.contains(extent))
    return op.emitOpError("expected the extent of the scanned dimension to be "
                          "in '")
           << kStepsRangeAttrName << "', " << op->getAttr(kStepsRangeAttrName)
           << ", found " << extent;
  int64_t scans = 1;
  for (auto [loop, size] : llvm::enumerate(*domain))
    if (int64_t(loop) != dim)
      scans *= size;
  if (StepsRange range = getScansRange(op); !range.contains(scans))
    return op.emitOpError("expected the number of scans to be in '")
           << kScansRangeAttrName << "', " << op->getAttr(kScansRangeAttrName)
           << ", found " << scans;
  if (failed(forEachLine(*domain, dim, [&](ArrayRef<int64_t> point) {
        return runLine(frame, point, extent);
      })))
    return failure();

  unsigned result = 0;
  for (BoundOperand &bound :
       llvm::concat<BoundOperand>(boundOutputs, boundFinals)) {
    if (failed(setResult(frame, op, result, results[result],
                         std::move(bound.tensor))))
      return failure();
    ++result;
  }
  boundInputs.clear();
  boundInits.clear();
  return success();
}

FailureOr<Step> mlir::scan::reference::compileKernel(Compiler &compiler,
                                                     KernelOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("is supported by the reference interpreter on "
                          "tensors only");
  auto kernel = std::make_shared<Kernel>();
  kernel->op = op;
  for (unsigned i = 0; i < op.getDomainRank(); ++i)
    kernel->indices.push_back(compiler.defineScratch(Format::integer(64)));
  SmallVector<Slot> outer = compiler.exchangeDomainIndices(kernel->indices);
  llvm::scope_exit restore(
      [&] { compiler.exchangeDomainIndices(std::move(outer)); });
  // Without inits or finals, these regions only yield nothing.
  std::tuple<Region *, ProgramPtr *, bool> regions[] = {
      {&op.getLoad(), &kernel->load, true},
      {&op.getInitialize(), &kernel->initialize, op.hasInit()},
      {&op.getCombine(), &kernel->combine, true},
      {&op.getStore(), &kernel->store, true},
      {&op.getFinalize(), &kernel->finalize, !op.getFinals().empty()}};
  for (auto [region, program, isNeeded] : regions) {
    if (!isNeeded)
      continue;
    FailureOr<ProgramPtr> compiled = compiler.compileRegion(*region);
    if (failed(compiled))
      return failure();
    *program = *compiled;
  }

  auto addAll = [&](MutableOperandRange group,
                    SmallVectorImpl<KernelOperand> &operands) {
    for (OpOperand &operand : group) {
      KernelOperand entry;
      entry.use = compiler.use(operand);
      entry.map = op.getIndexingMap(operand);
      entry.count = KernelOp::getNumElements(operand.get(), entry.map);
      operands.push_back(entry);
    }
  };
  addAll(op.getInputsMutable(), kernel->inputs);
  for (auto [i, input] : llvm::enumerate(kernel->inputs)) {
    input.shift = op.getShift(i);
    input.boundary = op.getBoundary(i);
    input.isSegmentOffsets = op.isSegmentOffsets(i);
    input.places = op.getPlacesInput(i);
    if (op.isGathered(i))
      input.gatheredDim = KernelOp::getGatheredDim(input.map);
  }
  addAll(op.getInitsMutable(), kernel->inits);
  addAll(op.getOutputsMutable(), kernel->outputs);
  for (auto [i, output] : llvm::enumerate(kernel->outputs)) {
    output.isReduction = op.isReduction(i);
    output.placeDim = getPlaceDim(output.map);
    if (output.placeDim)
      output.placeNumber = getPlaceNumber(op, i);
  }
  addAll(op.getFinalsMutable(), kernel->finals);
  kernel->results = compiler.lookupAll(op.getResults());
  return Step([kernel](Frame &frame) { return kernel->run(frame); });
}
