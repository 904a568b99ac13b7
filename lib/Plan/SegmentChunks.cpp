//===- SegmentChunks.cpp - Steps of packed sequences by blocks ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentChunks.h"
#include "IR/Divisions.h"
#include "IR/KernelParts.h"
#include "IR/ScatteredOutputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::scan;

/// What `value` of a combine region is where `flag` is true, as far as it is
/// chosen by that alone.
static Value getAtFlag(Value value, Value flag) {
  while (auto select = value.getDefiningOp<arith::SelectOp>()) {
    if (select.getCondition() != flag)
      return value;
    value = select.getTrueValue();
  }
  auto either = value.getDefiningOp<arith::OrIOp>();
  return either && llvm::is_contained(either->getOperands(), flag) ? flag
                                                                   : value;
}

/// The leaf that is a flag at which all leaves become those of the step: what
/// is computed of these as well would be missing in the first step of a chunk,
/// which is combined with nothing.
static std::optional<unsigned> findFlag(KernelOp kernel) {
  Block &combine = kernel.getCombine().front();
  ArrayRef<BlockArgument> ofStep =
      combine.getArguments().drop_front(kernel.getNumLeaves());
  for (auto [leaf, flag] : llvm::enumerate(ofStep))
    if (flag.getType().isInteger(1) &&
        llvm::all_of(
            llvm::zip_equal(combine.getTerminator()->getOperands(), ofStep),
            [flag = flag](auto pair) {
              auto [value, own] = pair;
              return getAtFlag(value, flag) == own;
            }))
      return leaf;
  return std::nullopt;
}

/// The number of the input of which `argument` of the load or the store region
/// is the only element; none if it is no element of an input of one element.
static std::optional<unsigned> findInput(KernelOp kernel,
                                         BlockArgument argument) {
  for (auto [number, elements] : llvm::enumerate(
           getInputArguments(kernel, *argument.getOwner()->getParent())))
    if (elements.size() == 1 && elements.front() == argument)
      return number;
  return std::nullopt;
}

/// Adds what computes `value` of the load region to `chunks`; false if that is
/// not the same in all scans.
static bool addComputation(KernelOp kernel, Value value,
                           llvm::SetVector<Operation *> &operations,
                           SegmentChunks &chunks) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    std::optional<unsigned> input = findInput(kernel, argument);
    AffineMap ofStep =
        AffineMap::get(kernel.getDomainRank(), 0,
                       getAffineDimExpr(kernel.getDim(), kernel.getContext()));
    if (!input || kernel.getInputMaps()[*input] != ofStep ||
        !isa<ShapedType>(kernel.getInputs()[*input].getType()) ||
        kernel.getShift(*input) != 0 || kernel.isBoundary(*input) ||
        kernel.isGathered(*input) || kernel.isSegmentOffsets(*input))
      return false;
    if (!llvm::is_contained(chunks.inputs, *input))
      chunks.inputs.push_back(*input);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (operations.contains(op))
    return true;
  // Of those without operands only constants are the same in all scans.
  if (!isPure(op) || op->getNumRegions() != 0 ||
      (op->getNumOperands() == 0 && !op->hasTrait<OpTrait::ConstantLike>()))
    return false;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) {
        return addComputation(kernel, operand, operations, chunks);
      }))
    return false;
  operations.insert(op);
  return true;
}

/// Values of the store region with what computes the same in the load region.
using SameValues = llvm::DenseSet<std::pair<Value, Value>>;

/// True if `stored` of the store region computes what `loaded` of the load
/// region does, as those in `known` do.
static bool isSame(KernelOp kernel, Value stored, Value loaded,
                   SameValues &known) {
  if (known.contains({stored, loaded}))
    return true;
  auto storedArgument = dyn_cast<BlockArgument>(stored);
  auto loadedArgument = dyn_cast<BlockArgument>(loaded);
  if (storedArgument || loadedArgument) {
    if (!storedArgument || !loadedArgument)
      return false;
    std::optional<unsigned> input = findInput(kernel, storedArgument);
    return input && input == findInput(kernel, loadedArgument);
  }
  bool areSame = OperationEquivalence::isEquivalentTo(
      stored.getDefiningOp(), loaded.getDefiningOp(),
      [&](Value lhs, Value rhs) {
        return success(isSame(kernel, lhs, rhs, known));
      },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
  if (areSame)
    known.insert({stored, loaded});
  return areSame;
}

/// True if the states before a step reach an output of it at a flag: other uses
/// of them than to be selected where there is none.
static bool storesStateBefore(KernelOp kernel, Value flag) {
  unsigned numLeaves = kernel.getNumLeaves();
  Block &store = kernel.getStore().front();
  SameValues known;
  for (BlockArgument before : store.getArguments().slice(numLeaves, numLeaves))
    for (OpOperand &use : before.getUses()) {
      auto select = dyn_cast<arith::SelectOp>(use.getOwner());
      if (!select || use.get() != select.getFalseValue() ||
          select.getTrueValue() == use.get() ||
          !isSame(kernel, select.getCondition(), flag, known))
        return true;
    }
  return false;
}

std::optional<SegmentChunks> SegmentChunks::get(KernelOp kernel,
                                                std::string *expected) {
  auto fail = [&](StringRef what) {
    if (expected)
      *expected = what;
    return std::nullopt;
  };
  // The results of a single scan may be stored in place of its flags, where
  // other blocks look for theirs.
  if (kernel.getDomainRank() < 2)
    return fail("scans side by side");
  if (kernel.isBidirectional())
    return fail("leaves of one direction");
  for (unsigned number = 0; number < kernel.getOutputs().size(); ++number)
    if (kernel.isReduction(number))
      return fail("no reduction outputs");
  if (hasScatteredOutputs(kernel))
    return fail("no scattered outputs");
  // In front of a chunk there is no state to combine.
  if (hasUnsafeOperation(kernel.getCombine()))
    return fail("a combine region without operations that may fail, such as "
                "divisions of integers");
  std::optional<unsigned> leaf = findFlag(kernel);
  if (!leaf)
    return fail("a leaf that is the head flag of a packed sequence, at which "
                "all states start anew");
  SegmentChunks chunks;
  chunks.flag = kernel.getLoad().front().getTerminator()->getOperand(*leaf);
  llvm::SetVector<Operation *> operations;
  if (!addComputation(kernel, chunks.flag, operations, chunks) ||
      chunks.inputs.empty())
    return fail("head flags that are computed from inputs with one element for "
                "each step, which all scans share");
  if (storesStateBefore(kernel, chunks.flag))
    return fail("a store region that reads no state from before a head flag");
  chunks.operations = operations.takeVector();
  return chunks;
}
