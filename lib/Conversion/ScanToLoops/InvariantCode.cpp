//===- InvariantCode.cpp - What is the same at every step -----------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InvariantCode.h"
#include "IR/ExpensiveOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::scan;

/// Whether a value of the type can be kept in memory.
static bool isStorable(Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  return isa<IntegerType, FloatType>(type);
}

InvariantCode::InvariantCode(Block &block, ArrayRef<bool> isInvariant,
                             unsigned dim) {
  llvm::SmallPtrSet<Operation *, 16> invariant, expensive;
  auto isKnown = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &block)
      return static_cast<bool>(isInvariant[argument.getArgNumber()]);
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != &block || invariant.contains(op);
  };
  for (Operation &op : block.without_terminator()) {
    auto index = dyn_cast<IndexOp>(op);
    // There may be no step at all, for which nothing may be computed that can
    // fail.
    if (op.getNumRegions() != 0 || !isPure(&op) ||
        (index && index.getDim() == dim) ||
        !llvm::all_of(op.getOperands(), isKnown))
      continue;
    invariant.insert(&op);
    if (isExpensive(&op) || llvm::any_of(op.getOperands(), [&](Value operand) {
          return expensive.contains(operand.getDefiningOp());
        }))
      expensive.insert(&op);
  }

  // What steps need of it; a nested operation needs it for the one around it.
  auto isNeeded = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !invariant.contains(block.findAncestorOpInBlock(*user));
    });
  };
  // What is cheap to compute from values that are known is no value of its own.
  auto isCheap = [&](Operation &op) {
    return !isExpensive(&op) &&
           llvm::all_of(op.getOperands(), [&](Value operand) {
             return !expensive.contains(operand.getDefiningOp()) ||
                    llvm::is_contained(values, operand);
           });
  };
  llvm::SmallPtrSet<Operation *, 16> wanted;
  for (Operation &op : block.without_terminator())
    if (expensive.contains(&op) && !isCheap(op))
      for (Value result : op.getResults())
        if (isStorable(result.getType()) && isNeeded(result)) {
          values.push_back(result);
          wanted.insert(&op);
        }
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!wanted.contains(&op))
      continue;
    operations.push_back(&op);
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && source->getBlock() == &block)
        wanted.insert(source);
  }
  std::reverse(operations.begin(), operations.end());

  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isDone =
        wanted.contains(&op) &&
        llvm::all_of(op.getResults(), [&](Value result) {
          return llvm::is_contained(values, result) ||
                 llvm::all_of(result.getUsers(), [&](Operation *user) {
                   return done.contains(user);
                 });
        });
    if (isDone)
      done.insert(&op);
  }
}
