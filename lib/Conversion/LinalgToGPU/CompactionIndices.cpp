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

/// Whether leaf number `leaf` is the sum of input element number `flag`, an i1.
static bool isCount(KernelOp kernel, unsigned leaf, unsigned flag) {
  Block &load = kernel.getLoad().front(),
        &combine = kernel.getCombine().front();
  auto extend =
      load.getTerminator()->getOperand(leaf).getDefiningOp<arith::ExtUIOp>();
  if (!extend || getArgument(extend.getIn(), load) != flag ||
      !extend.getIn().getType().isInteger(1))
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

std::optional<int64_t> mlir::scan::getDistinctPlaces(Value index, int64_t dim) {
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
  std::optional<unsigned> flag = getArgument(select.getCondition(), store);
  std::optional<unsigned> state = getArgument(count, store);
  // Of a leaf, the states before and behind a step both grow with each flag.
  if (!flag || *flag < 2 * leaves || !state || *state >= 2 * leaves ||
      !isCount(kernel, *state % leaves, *flag - 2 * leaves))
    return std::nullopt;
  unsigned bits = count.getType().getIntOrFloatBitWidth();
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : int64_t(1) << bits;
}
