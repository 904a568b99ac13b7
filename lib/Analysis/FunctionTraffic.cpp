//===- FunctionTraffic.cpp - What a function moves ------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccesses.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

SymbolicPolynomial TrafficAnalysis::getTripCount(Operation *op) {
  auto loop = cast<LoopLikeOpInterface>(op);
  if (std::optional<APInt> count = loop.getStaticTripCount())
    if (std::optional<int64_t> number = count->trySExtValue())
      return *number;
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> upper = loop.getLoopUpperBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!lower || !upper || !steps)
    return extents.makeUnknown();
  SymbolicPolynomial trips = 1;
  for (auto [first, last, step] : llvm::zip_equal(*lower, *upper, *steps)) {
    SymbolicPolynomial range = extents.getIndex(last) - extents.getIndex(first);
    std::optional<llvm::DynamicAPInt> stride =
        extents.getIndex(step).getConstant();
    std::optional<llvm::DynamicAPInt> length = range.getConstant();
    if (stride && *stride == 1)
      trips = trips * (length && *length < 0 ? SymbolicPolynomial() : range);
    else if (stride && *stride > 0 && length)
      trips = trips * SymbolicPolynomial(static_cast<int64_t>(
                          *length < 0 ? llvm::DynamicAPInt(0)
                                      : ceilDiv(*length, *stride)));
    else
      trips = trips * extents.makeUnknown();
  }
  return trips;
}

/// What is less where extents are large; the first if that is not known.
static Bytes getSmaller(const Bytes &first, const Bytes &second) {
  return second.getTotal().isAtMostForLargeExtents(first.getTotal()) ? second
                                                                     : first;
}

/// Counts the operations of a block that runs `count` times, and adds what they
/// move.
void TrafficAnalysis::countBlock(Block &block, const SymbolicPolynomial &count,
                                 FunctionTraffic &traffic, Bytes &most,
                                 Bytes &least) {
  for (Operation &op : block) {
    if (isOpTriviallyDead(&op))
      continue;
    OperationTraffic moved = getTraffic(&op);
    moved.count = count;
    moved.bytes = {moved.bytes.read * count, moved.bytes.written * count};
    most += moved.bytes;
    least += moved.bytes;
    if (!moved.bytes.getTotal().isZero())
      traffic.operations.push_back(std::move(moved));
    // Structured operations have been counted with their bodies.
    if (isa<linalg::LinalgOp>(op) ||
        op.hasTrait<OpTrait::IsIsolatedFromAbove>())
      continue;
    bool isLoop = isa<LoopLikeOpInterface>(op);
    if (!isLoop && !isa<RegionBranchOpInterface>(op) &&
        !isa<scf::InParallelOp>(op))
      continue;
    SymbolicPolynomial inner = isLoop ? count * getTripCount(&op) : count;
    Bytes larger;
    std::optional<Bytes> smaller;
    for (Region &region : op.getRegions()) {
      Bytes mostHere, leastHere;
      for (Block &block : region)
        countBlock(block, inner, traffic, mostHere, leastHere);
      if (isLoop) {
        most += mostHere;
        least += leastHere;
        continue;
      }
      larger.read = SymbolicPolynomial::max(larger.read, mostHere.read);
      larger.written =
          SymbolicPolynomial::max(larger.written, mostHere.written);
      smaller = smaller ? getSmaller(*smaller, leastHere) : leastHere;
    }
    most += larger;
    if (smaller)
      least += *smaller;
  }
}

/// What the value is in the first step of the loops that carry it.
static Value getBeforeLoops(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    if (!init)
      break;
    value = getViewRoot(init->get());
  }
  return value;
}

Bytes TrafficAnalysis::getCompulsoryBytes(FunctionOpInterface function,
                                          const FunctionTraffic &traffic) {
  Block &entry = function.getFunctionBody().front();
  auto isArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &entry;
  };
  // Which elements the steps of a loop read is not known, but how many.
  auto runsOnce = [&](Operation *op) {
    while (op->getBlock() != &entry && isa<scf::IfOp>(op->getParentOp()))
      op = op->getParentOp();
    return op->getBlock() == &entry;
  };
  auto overAllRuns = [&](const OperationTraffic &moved, Value root,
                         const MemoryAccess &access) {
    return runsOnce(moved.op)
               ? access
               : accessSome(root, access.numElements * moved.count);
  };
  SmallVector<MemoryAccess> given, results;
  for (const OperationTraffic &moved : traffic.operations) {
    for (const MemoryAccess &access : moved.reads) {
      Value root = getBeforeLoops(access.root);
      if (isArgument(root) || matchPattern(root, m_Constant()))
        given.push_back(overAllRuns(moved, root, access));
    }
    for (const MemoryAccess &access : moved.writes)
      if (isArgument(access.root) && isa<BaseMemRefType>(access.root.getType()))
        results.push_back(overAllRuns(moved, access.root, access));
  }
  Bytes compulsory = {getDistinctBytes(given), getDistinctBytes(results)};
  llvm::SmallPtrSet<Value, 4> seen;
  for (Block &block : function.getFunctionBody())
    if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
      for (Value value : block.getTerminator()->getOperands())
        if (isa<TensorType>(value.getType()) && seen.insert(value).second &&
            (isSlice(value) || !isArgument(getViewRoot(value))))
          compulsory.written += getBytes(value);
  return compulsory;
}

FunctionTraffic
TrafficAnalysis::getFunctionTraffic(FunctionOpInterface function) {
  FunctionTraffic traffic;
  if (function.isExternal())
    return traffic;
  for (Block &block : function.getFunctionBody())
    countBlock(block, 1, traffic, traffic.total, traffic.least);
  traffic.hasChoice = traffic.least.getTotal() != traffic.total.getTotal();
  traffic.compulsory = getCompulsoryBytes(function, traffic);
  return traffic;
}
