//===- KernelFacts.cpp - What the speed of a scan depends on --------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFacts.h"
#include "IR/KernelParts.h"
#include "IR/OperandMemory.h"
#include "Plan/ColumnCheckpoints.h"
#include "Plan/KernelPlan.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

/// Assumed where an extent is dynamic.
static constexpr int64_t kAssumedExtent = 2048;
static constexpr int64_t kAssumedBatch = 4096;

/// From here on more scans make no difference to a decision; and nothing
/// overflows.
static constexpr int64_t kLargeBatch = int64_t(1) << 30;

/// The arguments of `region` that vary along the scan dimension.
static DenseSet<Value> getVarying(KernelOp kernel, Region &region) {
  DenseSet<Value> varying(region.args_begin(), region.args_end());
  for (auto [number, arguments, map] : llvm::enumerate(
           getInputArguments(kernel, region), kernel.getInputMaps()))
    if (!map.isFunctionOfDim(kernel.getDim()) && !kernel.isGathered(number))
      for (Value argument : arguments)
        varying.erase(argument);
  return varying;
}

namespace {
/// Counts the instructions of a step: kernels compute what does not vary along
/// the scan dimension in front of a walk, and what `load` and `store` both
/// compute of an element, as in backward passes, once.
class StepInstructions {
public:
  explicit StepInstructions(KernelOp kernel) : kernel(kernel) {}

  int64_t count();

private:
  int64_t countRegion(Region &region, DenseSet<Value> varying);
  bool isKnown(Operation *op);
  Value getFirst(Value value) const {
    Value first = known.lookup(value);
    return first ? first : value;
  }

  KernelOp kernel;
  /// What has been counted, by what it computes.
  DenseMap<unsigned, SmallVector<Operation *, 1>> counted;
  /// Values that are the same as others before them, and these.
  DenseMap<Value, Value> known;
};
} // namespace

/// Whether an operation that computes the same has been counted; remembers `op`
/// if not.
bool StepInstructions::isKnown(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  unsigned hash = OperationEquivalence::computeHash(
      op, [&](Value value) { return hash_value(getFirst(value)); },
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  SmallVector<Operation *, 1> &others = counted[hash];
  for (Operation *other : others)
    if (OperationEquivalence::isEquivalentTo(
            op, other,
            [&](Value value, Value otherValue) {
              return success(getFirst(value) == getFirst(otherValue));
            },
            /*markEquivalent=*/nullptr,
            OperationEquivalence::IgnoreLocations)) {
      for (auto [value, first] :
           llvm::zip_equal(op->getResults(), other->getResults()))
        known[value] = getFirst(first);
      return true;
    }
  others.push_back(op);
  return false;
}

int64_t StepInstructions::countRegion(Region &region, DenseSet<Value> varying) {
  int64_t count = 0;
  for (Operation &op : region.front()) {
    bool varies = false;
    int64_t instructions = 0;
    op.walk([&](Operation *inner) {
      auto index = dyn_cast<IndexOp>(inner);
      varies |= index && index.getDim() == kernel.getDim();
      varies |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return varying.contains(operand);
      });
      instructions += OperationCost::get(inner).instructions;
    });
    if (varies)
      varying.insert(op.result_begin(), op.result_end());
    if (!isKnown(&op) && varies)
      count += instructions;
  }
  return count;
}

int64_t StepInstructions::count() {
  Region &load = kernel.getLoad(), &combine = kernel.getCombine();
  Region &store = kernel.getStore();
  int64_t count = countRegion(
      combine, DenseSet<Value>(combine.args_begin(), combine.args_end()));
  if (!load.empty())
    count += countRegion(load, getVarying(kernel, load));
  if (store.empty())
    return count;
  if (!load.empty())
    for (auto [later, first] : llvm::zip_equal(getInputArguments(kernel, store),
                                               getInputArguments(kernel, load)))
      for (auto [value, same] : llvm::zip_equal(later, first))
        known[value] = same;
  return count + countRegion(store, getVarying(kernel, store));
}

/// The operations of `region` on which `roots` depend and which depend on one
/// of `varying`.
static OperationCost sumCosts(Region &region, ValueRange roots,
                              DenseSet<Value> varying) {
  for (Operation &op : region.front())
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return varying.contains(operand); }))
      varying.insert(op.result_begin(), op.result_end());
  OperationCost sum;
  DenseSet<Operation *> seen;
  SmallVector<Value> left(roots);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !varying.contains(value) || !seen.insert(op).second)
      continue;
    op->walk([&](Operation *inner) { sum += OperationCost::get(inner); });
    llvm::append_range(left, op->getOperands());
  }
  return sum;
}

static OperationCost getWalkCost(KernelOp kernel) {
  OperationCost sum;
  for (Region *region : {&kernel.getLoad(), &kernel.getStore()})
    if (!region->empty())
      sum += sumCosts(*region, region->front().getTerminator()->getOperands(),
                      getVarying(kernel, *region));
  Block &combine = kernel.getCombine().front();
  SmallVector<Value> carried;
  for (auto [leaf, isCarried] : llvm::zip_equal(
           combine.getTerminator()->getOperands(), kernel.getCarriedLeaves()))
    if (isCarried)
      carried.push_back(leaf);
  DenseSet<Value> all(combine.args_begin(), combine.args_end());
  sum += sumCosts(kernel.getCombine(), carried, all);
  return sum;
}

/// The part of it that the states of the kernel's own direction take.
static OperationCost getFirstWalkCost(KernelOp kernel) {
  unsigned leaves = kernel.getNumLeaves() - kernel.getNumOpposite();
  auto getFirst = [&](Region &region) {
    return region.front().getTerminator()->getOperands().take_front(leaves);
  };
  Region &combine = kernel.getCombine();
  OperationCost sum =
      sumCosts(combine, getFirst(combine),
               DenseSet<Value>(combine.args_begin(), combine.args_end()));
  if (Region &load = kernel.getLoad(); !load.empty())
    sum += sumCosts(load, getFirst(load), getVarying(kernel, load));
  return sum;
}

/// The innermost extent of `operand` in memory, in bytes, or 0.
static int64_t getRowBytes(const KernelOperands::Operand &operand) {
  auto type = cast<ShapedType>(operand.value.getType());
  auto memory = dyn_cast<MemRefType>(type);
  if (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) ||
      (memory && !memory.getLayout().isIdentity()))
    return 0;
  return type.getShape().back() * operand.elementBytes;
}

/// How `operand` lies in memory; what extents it has is not known yet.
static KernelFacts::Operand
locateOperand(KernelOp kernel, const KernelOperands::Operand &operand) {
  KernelFacts::Operand fact = {operand, 0, false, false, 0};
  if (operand.isOffsets || operand.isGathered || operand.isReduction)
    return fact;
  fact.rowBytes = getRowBytes(operand);
  for (unsigned dim = 0; dim < kernel.getDomainRank(); ++dim) {
    bool &isContiguous = dim == kernel.getDim() ? fact.isContiguousInScan
                                                : fact.isContiguousAcross;
    isContiguous |= isContiguousAlong(operand.value, operand.map, dim);
  }
  return fact;
}

KernelFactsTable::KernelFactsTable(KernelOp kernel,
                                   const KernelOperands &operands)
    : scanDim(kernel.getDim()), shape(kernel.getStaticDomainShape()),
      range(getStepsRange(kernel)) {
  for (const KernelOperands::Operand &operand : operands.operands) {
    common.operands.push_back(locateOperand(kernel, operand));
    SmallVector<unsigned, 4> &dims = operandDims.emplace_back();
    if (operand.isOffsets)
      continue;
    for (AffineExpr result : operand.map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        dims.push_back(dim.getPosition());
  }
  common.reductions = operands.reductions;
  common.stateWords = operands.stateWords;
  common.carriedWords = operands.carriedWords;
  common.hasNarrowFunctions =
      llvm::any_of(kernel.getLoad().front(), [](Operation &op) {
        return isa_and_present<math::MathDialect>(op.getDialect()) &&
               isa<FloatType>(op.getOperand(0).getType()) &&
               getStorageBytes(op.getOperand(0).getType()) < 4;
      });
  common.varyingStateWords = operands.varyingStateWords;
  common.instructions = StepInstructions(kernel).count();
  common.walk = getWalkCost(kernel);
  if (!kernel.isBidirectional())
    return;
  common.firstWalk = getFirstWalkCost(kernel);
  llvm::SmallBitVector inFirst = getInputsOfLeaves(
      kernel, kernel.getNumLeaves() - kernel.getNumOpposite());
  for (KernelFacts::Operand &operand : common.operands)
    for (unsigned number : inFirst.set_bits())
      operand.isInFirstWalk |= operand.isInput && operand.isVarying &&
                               kernel.getInputs()[number] == operand.value;
}

/// Sets the extents of `facts`; returns those of the domain, with numbers in
/// place of what is dynamic.
SmallVector<double>
KernelFactsTable::countDomain(KernelFacts &facts,
                              KernelFacts::Question question) const {
  facts.batch = 1;
  facts.isExtentStatic = facts.isBatchStatic = true;
  unsigned numDynamic = 0;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool isDynamic = ShapedType::isDynamic(extent);
    if (dim == scanDim) {
      facts.isExtentStatic = !isDynamic;
      facts.isExtentAssumed = isDynamic && !question.extent;
      facts.extent = isDynamic ? question.extent.value_or(std::clamp(
                                     kAssumedExtent, range.least, range.most))
                               : extent;
    } else if (isDynamic) {
      facts.isBatchStatic = false;
      ++numDynamic;
    } else {
      facts.batch = std::min<int64_t>(
          kLargeBatch, facts.batch * std::min<int64_t>(extent, kLargeBatch));
    }
  }
  facts.staticBatch = facts.batch;
  facts.isBatchAssumed = !facts.isBatchStatic && !question.batch;
  // What the static extents leave of the batch is shared out.
  double each = 1;
  if (!facts.isBatchStatic && facts.batch > 0) {
    facts.batch = std::max(facts.batch, question.batch.value_or(kAssumedBatch));
    each = std::pow(double(facts.batch) / facts.staticBatch, 1.0 / numDynamic);
  }
  SmallVector<double> extents;
  for (auto [dim, extent] : llvm::enumerate(shape))
    extents.push_back(dim == scanDim                  ? double(facts.extent)
                      : ShapedType::isDynamic(extent) ? each
                                                      : double(extent));
  return extents;
}

KernelFacts KernelFactsTable::get(KernelFacts::Question question) const {
  KernelFacts facts = common;
  SmallVector<double> extents = countDomain(facts, question);
  for (auto [operand, dims] : llvm::zip_equal(facts.operands, operandDims)) {
    double elements = 1;
    if (operand.isOffsets || operand.isGathered) {
      // Of offsets and places of a number that is not known, it is not known
      // what they take.
      auto type = cast<ShapedType>(operand.value.getType());
      unsigned dim =
          operand.isGathered ? KernelOp::getGatheredDim(operand.map) : 0;
      elements = type.isDynamicDim(dim) ? 0 : double(type.getDimSize(dim));
    }
    for (unsigned dim : dims)
      elements *= extents[dim];
    operand.bytes = elements * operand.elementBytes;
    if (operand.isReduction)
      operand.bytes *= 2;
  }
  return facts;
}

KernelFacts KernelFacts::get(KernelOp kernel, Question question) {
  return KernelFactsTable(kernel, KernelOperands::get(kernel)).get(question);
}

double KernelFacts::getCompulsoryBytes() const {
  double bytes = 0;
  for (const Operand &operand : operands)
    bytes += operand.bytes;
  return bytes;
}

int64_t KernelFacts::getInputBytes() const {
  int64_t bytes = 0;
  for (const Operand &operand : operands)
    if (operand.isInput && operand.isVarying)
      bytes += operand.elementBytes;
  return bytes;
}
