//===- OperationReductions.cpp - Something simpler for an operation -------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

//===----------------------------------------------------------------------===//
// What takes the place of a value
//===----------------------------------------------------------------------===//

/// The arguments of the blocks around `op` that it may use and that have type
/// `type`, those of the innermost block first.
static SmallVector<Value> getVisibleArguments(Operation *op, Type type) {
  SmallVector<Value> found;
  auto add = [&](Block &block) {
    for (BlockArgument argument : block.getArguments())
      if (argument.getType() == type)
        found.push_back(argument);
  };
  while (Block *block = op->getBlock()) {
    add(*block);
    // Of the other blocks of a region only the first dominates all.
    if (!block->isEntryBlock())
      add(block->getParent()->front());
    op = block->getParentOp();
    if (!op || op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      break;
  }
  return found;
}

Value scan::impl::createZero(RewriterBase &rewriter, Operation *op, Type type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute zero = rewriter.getZeroAttr(complex.getElementType());
    return complex::ConstantOp::create(rewriter, loc, complex,
                                       rewriter.getArrayAttr({zero, zero}));
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped &&
      (!isa<RankedTensorType, VectorType>(type) || !shaped.hasStaticShape() ||
       !shaped.getElementType().isIntOrIndexOrFloat()))
    return nullptr;
  TypedAttr zero = rewriter.getZeroAttr(type);
  if (!zero)
    return nullptr;
  return arith::ConstantOp::create(rewriter, loc, zero);
}

Value scan::impl::addParameter(Operation *op, Type type) {
  Operation *around = op->getParentOp();
  while (around && !isa<FunctionOpInterface>(around)) {
    if (around->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return nullptr;
    around = around->getParentOp();
  }
  auto function = dyn_cast_or_null<FunctionOpInterface>(around);
  if (!function ||
      !SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()))
    return nullptr;
  unsigned number = function.getNumArguments();
  if (failed(function.insertArgument(number, type, {}, op->getLoc())))
    return nullptr;
  return function.getArgument(number);
}

Value scan::impl::findSubstitute(RewriterBase &rewriter, Operation *op,
                                 Value value) {
  SmallVector<Value> arguments = getVisibleArguments(op, value.getType());
  if (!arguments.empty())
    return arguments.front();
  if (Value parameter = addParameter(op, value.getType()))
    return parameter;
  return createZero(rewriter, op, value.getType());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Operations whose results the reductions below replace: those that compute.
static bool isReplaceable(Operation *op) {
  return op->getBlock() && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<SymbolOpInterface>(op);
}

/// Lets `value` stand for a result, and removes the operation if no other
/// result is used.
static LogicalResult replaceResult(RewriterBase &rewriter, OpResult result,
                                   Value value) {
  Operation *op = result.getOwner();
  if (result.use_empty())
    return failure();
  rewriter.replaceAllUsesWith(result, value);
  if (op->use_empty() && isMemoryEffectFree(op))
    rewriter.eraseOp(op);
  return success();
}

namespace {

struct EraseOperation : Reduction {
  EraseOperation()
      : Reduction("erase-operation", "removes an operation without uses") {}
  unsigned getNumChoices(Operation *op) const override {
    return isReplaceable(op) && op->use_empty() ? 1 : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Choices: each result with each operand.
struct UseOperand : Reduction {
  UseOperand()
      : Reduction("use-operand",
                  "an operand of an operation stands for its result") {}
  unsigned getNumChoices(Operation *op) const override {
    return isReplaceable(op) ? op->getNumResults() * op->getNumOperands() : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    OpResult result = op->getResult(choice / op->getNumOperands());
    unsigned number = choice % op->getNumOperands();
    Value operand = op->getOperand(number);
    if (operand.getType() != result.getType() ||
        llvm::is_contained(op->getOperands().take_front(number), operand))
      return failure();
    return replaceResult(rewriter, result, operand);
  }
};

/// Choices: each result with each of the nearest arguments of its type.
struct UseArgument : Reduction {
  UseArgument()
      : Reduction("use-argument",
                  "an argument of a block or function stands for a result") {}
  static constexpr unsigned kMaxArguments = 3;
  unsigned getNumChoices(Operation *op) const override {
    return isReplaceable(op) ? op->getNumResults() * kMaxArguments : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    OpResult result = op->getResult(choice / kMaxArguments);
    SmallVector<Value> arguments = getVisibleArguments(op, result.getType());
    if (choice % kMaxArguments >= arguments.size())
      return failure();
    return replaceResult(rewriter, result, arguments[choice % kMaxArguments]);
  }
};

/// Choices: each result.
struct AddParameter : Reduction {
  AddParameter()
      : Reduction("add-parameter",
                  "a new parameter of the function stands for a result") {}
  unsigned getNumChoices(Operation *op) const override {
    return isReplaceable(op) ? op->getNumResults() : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    OpResult result = op->getResult(choice);
    if (result.use_empty())
      return failure();
    Value parameter = addParameter(op, result.getType());
    return parameter ? replaceResult(rewriter, result, parameter) : failure();
  }
};

/// Choices: each result.
struct UseZero : Reduction {
  UseZero() : Reduction("use-zero", "zero stands for a result") {}
  unsigned getNumChoices(Operation *op) const override {
    return isReplaceable(op) ? op->getNumResults() : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    OpResult result = op->getResult(choice);
    if (result.use_empty() || matchPattern(result, m_Zero()) ||
        matchPattern(result, m_AnyZeroFloat()))
      return failure();
    Value zero = createZero(rewriter, op, result.getType());
    return zero ? replaceResult(rewriter, result, zero) : failure();
  }
};

/// Choices: each region. Of a conditional one branch is taken, of a loop the
/// first iteration.
struct InlineRegion : Reduction {
  InlineRegion()
      : Reduction("inline-region", "the body of an operation takes its place, "
                                   "for example that of a loop") {}
  unsigned getNumChoices(Operation *op) const override {
    return isReplaceable(op) && !op->hasTrait<OpTrait::IsIsolatedFromAbove>()
               ? op->getNumRegions()
               : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    Region &region = op->getRegion(choice);
    if (!region.hasOneBlock())
      return failure();
    Block &body = region.front();
    if (body.empty() || !body.back().hasTrait<OpTrait::IsTerminator>() ||
        body.back().getOperandTypes() != op->getResultTypes())
      return failure();
    // The n-th argument of a type is the n-th operand of that type: this is how
    // loops pass their bounds and initial values on.
    SmallVector<Value> arguments;
    SmallVector<bool> taken(op->getNumOperands());
    for (BlockArgument argument : body.getArguments()) {
      Value value;
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (!value && !taken[i] && operand.getType() == argument.getType()) {
          value = operand;
          taken[i] = true;
        }
      if (!value)
        return failure();
      arguments.push_back(value);
    }
    Operation *terminator = &body.back();
    SmallVector<Value> results(terminator->getOperands());
    for (Value &result : results)
      if (auto argument = dyn_cast<BlockArgument>(result);
          argument && argument.getOwner() == &body)
        result = arguments[argument.getArgNumber()];
    rewriter.eraseOp(terminator);
    rewriter.inlineBlockBefore(&body, op, arguments);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Choices: each attribute that is not part of the operation's definition.
struct DropAttributes : Reduction {
  DropAttributes()
      : Reduction("drop-attribute",
                  "removes an attribute that no definition asks for") {}
  unsigned getNumChoices(Operation *op) const override {
    return op->getDiscardableAttrDictionary().size();
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    StringAttr name =
        op->getDiscardableAttrDictionary().getValue()[choice].getName();
    op->removeDiscardableAttr(name);
    return success();
  }
};

} // namespace

void scan::impl::addOperationReductions(Reductions &reductions) {
  reductions.push_back(std::make_unique<EraseOperation>());
  reductions.push_back(std::make_unique<UseOperand>());
  reductions.push_back(std::make_unique<UseArgument>());
  reductions.push_back(std::make_unique<AddParameter>());
  reductions.push_back(std::make_unique<UseZero>());
  reductions.push_back(std::make_unique<InlineRegion>());
  reductions.push_back(std::make_unique<DropAttributes>());
}
