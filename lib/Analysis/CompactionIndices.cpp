//===- CompactionIndices.cpp - Places that differ -------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompactionIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;
using namespace mlir::scan;

/// Without conversions that keep what is not negative apart.
static Value stripCasts(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

/// The number of the argument of `block` that `value` is.
static std::optional<unsigned> getArgument(Value value, Block &block) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &block)
    return std::nullopt;
  return argument.getArgNumber();
}

/// What the store-map yields for output number `number`, which has one element.
static Value getStored(KernelOp kernel, unsigned number) {
  unsigned first = 0;
  for (auto [i, output, map] :
       llvm::enumerate(kernel.getOutputs(), kernel.getOutputMaps())) {
    int64_t elements = KernelOp::getNumElements(output, map);
    if (i == number)
      return elements == 1
                 ? kernel.getStore().front().getTerminator()->getOperand(first)
                 : Value();
    first += elements;
  }
  return {};
}

/// Whether `inLoad` and `inStore` are one computation of the inputs at a step.
static bool isSameOfInputs(KernelOp kernel, Value inLoad, Value inStore) {
  std::optional<unsigned> argument =
                              getArgument(inLoad, kernel.getLoad().front()),
                          other =
                              getArgument(inStore, kernel.getStore().front());
  if (argument || other)
    return argument && other && *other == *argument + 2 * kernel.getNumLeaves();
  auto lhs = cast<OpResult>(inLoad), rhs = cast<OpResult>(inStore);
  return lhs.getResultNumber() == rhs.getResultNumber() &&
         OperationEquivalence::isEquivalentTo(
             lhs.getOwner(), rhs.getOwner(),
             [&](Value a, Value b) {
               return success(isSameOfInputs(kernel, a, b));
             },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Whether leaf number `leaf` is the sum of `flag`, an i1 in `store`.
static bool isCount(KernelOp kernel, unsigned leaf, Value flag) {
  Block &load = kernel.getLoad().front(),
        &combine = kernel.getCombine().front();
  auto extend =
      load.getTerminator()->getOperand(leaf).getDefiningOp<arith::ExtUIOp>();
  if (!extend || !extend.getIn().getType().isInteger(1) ||
      !isSameOfInputs(kernel, extend.getIn(), flag))
    return false;
  auto sum =
      combine.getTerminator()->getOperand(leaf).getDefiningOp<arith::AddIOp>();
  if (!sum)
    return false;
  std::optional<unsigned> lhs = getArgument(sum.getLhs(), combine);
  std::optional<unsigned> rhs = getArgument(sum.getRhs(), combine);
  unsigned other = kernel.getNumLeaves() + leaf;
  return (lhs == leaf && rhs == other) || (lhs == other && rhs == leaf);
}

/// Whether the state of leaf number `leaf` before the first step is zero.
static bool beginsAtZero(KernelOp kernel, unsigned leaf) {
  if (!kernel.hasInit())
    return false;
  Block &initialize = kernel.getInitialize().front();
  Value value = initialize.getTerminator()->getOperand(leaf);
  if (std::optional<unsigned> argument = getArgument(value, initialize)) {
    unsigned first = 0;
    for (auto [init, map] :
         llvm::zip_equal(kernel.getInits(), kernel.getInitMaps())) {
      unsigned elements = KernelOp::getNumElements(init, map);
      if (*argument < first + elements) {
        value = init;
        break;
      }
      first += elements;
    }
  }
  return matchPattern(value, m_Zero());
}

std::optional<CompactionPlaces> mlir::scan::findCompaction(Value index,
                                                           int64_t dim) {
  auto kernel = index.getDefiningOp<KernelOp>();
  unsigned number = kernel ? cast<OpResult>(index).getResultNumber() : 0;
  if (!kernel || number >= kernel.getOutputs().size() ||
      kernel.isReduction(number) || kernel.hasSegmentOffsets())
    return std::nullopt;
  AffineMap map = kernel.getOutputMaps()[number];
  if (!map.isPermutation() || map.getDimPosition(dim) != kernel.getDim())
    return std::nullopt;
  Value stored = getStored(kernel, number);
  auto select = stored ? stripCasts(stored).getDefiningOp<arith::SelectOp>()
                       : arith::SelectOp();
  APInt none;
  if (!select || !matchPattern(select.getFalseValue(), m_ConstantInt(&none)) ||
      !none.isNegative())
    return std::nullopt;
  Block &store = kernel.getStore().front();
  unsigned leaves = kernel.getNumLeaves();
  Value count = stripCasts(select.getTrueValue());
  std::optional<unsigned> state = getArgument(count, store);
  // Of a leaf, the states before and behind a step both grow with each flag.
  if (!state || *state >= 2 * leaves ||
      !isCount(kernel, *state % leaves, select.getCondition()))
    return std::nullopt;
  unsigned bits = count.getType().getIntOrFloatBitWidth();
  return CompactionPlaces{
      kernel,
      number,
      stored,
      select.getCondition(),
      count,
      *state >= leaves && beginsAtZero(kernel, *state - leaves),
      bits >= 63 ? std::numeric_limits<int64_t>::max() : int64_t(1) << bits};
}
