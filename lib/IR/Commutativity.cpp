//===- Commutativity.cpp - Which combine regions commute ------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers the values of the region twice (value numbering): once as it is, and
// once with the states exchanged. Operations with the same name, attributes
// and numbers of operands have the same number, where the operands of
// commutative ones are sorted.
//
//===----------------------------------------------------------------------===//

#include "Commutativity.h"
#include "OperatorFacts.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

namespace {

class Numbering {
public:
  /// The numbers of what `block` yields where its first arguments have the
  /// numbers `arguments`; none if an operation cannot be compared.
  std::optional<SmallVector<unsigned>> number(Block &block,
                                              ArrayRef<unsigned> arguments);

private:
  /// An operation and the numbers of its operands.
  struct Known {
    Operation *op;
    SmallVector<unsigned> operands;
    unsigned firstResult;
  };
  unsigned numberOutside(Value value);
  unsigned numberOp(Operation &op, SmallVector<unsigned> operands);

  SmallVector<Known> known;
  llvm::SmallDenseMap<Value, unsigned> outside;
  unsigned next = 0;
};

} // namespace

/// What is defined outside of the region is the same in both.
unsigned Numbering::numberOutside(Value value) {
  auto [it, isNew] = outside.try_emplace(value, next);
  next += isNew;
  return it->second;
}

unsigned Numbering::numberOp(Operation &op, SmallVector<unsigned> operands) {
  if (op.hasTrait<OpTrait::IsCommutative>())
    llvm::sort(operands);
  for (const Known &other : known)
    if (other.operands == operands &&
        OperationEquivalence::isEquivalentTo(
            other.op, &op, OperationEquivalence::ignoreValueEquivalence,
            /*markEquivalent=*/nullptr,
            OperationEquivalence::Flags::IgnoreLocations))
      return other.firstResult;
  known.push_back({&op, std::move(operands), next});
  next += op.getNumResults();
  return known.back().firstResult;
}

std::optional<SmallVector<unsigned>>
Numbering::number(Block &block, ArrayRef<unsigned> arguments) {
  llvm::SmallDenseMap<Value, unsigned> numbers;
  for (auto [argument, number] :
       llvm::zip_equal(block.getArguments(), arguments))
    numbers[argument] = number;
  next = std::max<unsigned>(next, arguments.size());
  auto numberOperands = [&](Operation &op) {
    return llvm::map_to_vector(op.getOperands(), [&](Value operand) {
      auto it = numbers.find(operand);
      return it != numbers.end() ? it->second : numberOutside(operand);
    });
  };
  for (Operation &op : block.without_terminator()) {
    if (op.getNumRegions() != 0 || !isPure(&op))
      return std::nullopt;
    unsigned first = numberOp(op, numberOperands(op));
    for (Value result : op.getResults())
      numbers[result] = first++;
  }
  return numberOperands(*block.getTerminator());
}

bool mlir::scan::isCommutative(KernelOp kernel) {
  if (getOperatorFacts(kernel).isCommutative)
    return true;
  Block &combine = kernel.getCombine().front();
  unsigned numLeaves = kernel.getNumLeaves();
  auto same = llvm::to_vector(llvm::seq(2 * numLeaves)), exchanged = same;
  std::rotate(exchanged.begin(), exchanged.begin() + numLeaves,
              exchanged.end());
  Numbering numbering;
  std::optional<SmallVector<unsigned>> first = numbering.number(combine, same);
  return first && first == numbering.number(combine, exchanged);
}
