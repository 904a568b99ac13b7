//===- ProgramReductions.cpp - Less program around an operation -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include <set>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

/// True if nothing uses the symbol, but for what it defines itself.
static bool isUnusedSymbol(Operation *op) {
  if (!isa<SymbolOpInterface>(op) || !op->getParentOp())
    return false;
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(op, op->getParentOp());
  return uses && llvm::all_of(*uses, [&](const SymbolTable::SymbolUse &use) {
           return op->isAncestor(use.getUser());
         });
}

/// The same, without uses in itself either: its type may change.
static bool mayChangeType(Operation *op) {
  return isa<SymbolOpInterface>(op) && op->getParentOp() &&
         SymbolTable::symbolKnownUseEmpty(op, op->getParentOp());
}

namespace {

struct EraseProgram : Reduction {
  EraseProgram() : Reduction("erase-program", "leaves nothing at all") {}
  unsigned getNumChoices(Operation *op) const override {
    return !op->getParentOp() && !op->getRegion(0).front().empty() ? 1 : 0;
  }
  LogicalResult apply(RewriterBase &, Operation *op, unsigned) const override {
    op->getRegion(0).front().clear();
    return success();
  }
};

struct EraseFunction : Reduction {
  EraseFunction()
      : Reduction("erase-function",
                  "removes a function, or another symbol, without uses") {}
  unsigned getNumChoices(Operation *op) const override {
    return isUnusedSymbol(op) ? 1 : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Choices: halves, quarters, ... of the operations of a block, down to pairs,
/// the last first, since nothing depends on these.
struct EraseStretch : Reduction {
  EraseStretch()
      : Reduction("erase-stretch",
                  "removes consecutive operations of a function at once") {}

  static Block *getBody(Operation *op) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || function.isExternal() ||
        !function.getFunctionBody().hasOneBlock() ||
        function.getFunctionBody().front().empty())
      return nullptr;
    return &function.getFunctionBody().front();
  }

  unsigned getNumChoices(Operation *op) const override {
    Block *body = getBody(op);
    if (!body)
      return 0;
    unsigned operations = body->getOperations().size() - 1, choices = 0;
    for (unsigned length = operations / 2; length >= 2; length /= 2)
      choices += llvm::divideCeil(operations, length);
    return choices;
  }

  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned choice) const override {
    Block *body = getBody(op);
    unsigned operations = body->getOperations().size() - 1;
    unsigned length = operations / 2;
    while (choice >= llvm::divideCeil(operations, length)) {
      choice -= llvm::divideCeil(operations, length);
      length /= 2;
    }
    SmallVector<Operation *> stretch;
    for (auto [i, inner] :
         llvm::enumerate(llvm::reverse(body->without_terminator())))
      if (i / length == choice)
        stretch.push_back(&inner);
    for (Operation *inner : stretch) {
      for (Value result : inner->getResults())
        if (!result.use_empty()) {
          Value substitute = findSubstitute(rewriter, inner, result);
          if (!substitute)
            return failure();
          rewriter.replaceAllUsesWith(result, substitute);
        }
      rewriter.eraseOp(inner);
    }
    return success();
  }
};

/// Choices: common subexpressions and canonicalisation; calls inlined; operands
/// and results of linalg.generic.
struct Simplify : Reduction {
  Simplify()
      : Reduction("simplify", "canonicalises the program; inlines its calls; "
                              "drops unused operands of linalg.generic") {}
  unsigned getNumChoices(Operation *op) const override {
    return op->getParentOp() ? 0 : 3;
  }
  LogicalResult apply(RewriterBase &, Operation *op,
                      unsigned choice) const override {
    if (choice == 2) {
      RewritePatternSet patterns(op->getContext());
      linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
      return applyPatternsGreedily(op, std::move(patterns));
    }
    PassManager passes(op->getName());
    if (choice == 0)
      passes.addPass(createCanonicalizerPass());
    else
      passes.addPass(createInlinerPass());
    passes.addPass(createCSEPass());
    return passes.run(op);
  }
};

/// Choices: each result.
struct DropResult : Reduction {
  DropResult()
      : Reduction("drop-result", "a function returns one value less") {}
  unsigned getNumChoices(Operation *op) const override {
    auto function = dyn_cast<func::FuncOp>(op);
    return function && mayChangeType(op) ? function.getNumResults() : 0;
  }
  LogicalResult apply(RewriterBase &, Operation *op,
                      unsigned choice) const override {
    auto function = cast<func::FuncOp>(op);
    if (failed(function.eraseResult(choice)))
      return failure();
    function.walk(
        [&](func::ReturnOp ret) { ret.getOperandsMutable().erase(choice); });
    return success();
  }
};

/// Choices: each result with each operand of what computes it.
struct ReturnOperand : Reduction {
  ReturnOperand()
      : Reduction("return-operand", "a function returns an operand of what "
                                    "computes its result, of any type") {}
  static constexpr unsigned kMaxOperands = 4;
  static func::ReturnOp getReturn(func::FuncOp function) {
    if (!function || function.isExternal() || !function.getBody().hasOneBlock())
      return nullptr;
    return dyn_cast<func::ReturnOp>(function.getBody().front().back());
  }
  unsigned getNumChoices(Operation *op) const override {
    func::ReturnOp ret = getReturn(dyn_cast<func::FuncOp>(op));
    return ret && mayChangeType(op) ? ret.getNumOperands() * kMaxOperands : 0;
  }
  LogicalResult apply(RewriterBase &, Operation *op,
                      unsigned choice) const override {
    auto function = cast<func::FuncOp>(op);
    func::ReturnOp ret = getReturn(function);
    unsigned result = choice / kMaxOperands, operand = choice % kMaxOperands;
    Operation *definition = ret.getOperand(result).getDefiningOp();
    if (!definition || operand >= definition->getNumOperands())
      return failure();
    ret.setOperand(result, definition->getOperand(operand));
    function.setFunctionType(FunctionType::get(
        op->getContext(), function.getArgumentTypes(), ret.getOperandTypes()));
    return success();
  }
};

/// Choices: all that are not used, then each.
struct DropParameter : Reduction {
  DropParameter()
      : Reduction("drop-parameter", "removes unused parameters of a function") {
  }
  unsigned getNumChoices(Operation *op) const override {
    auto function = dyn_cast<FunctionOpInterface>(op);
    return function && mayChangeType(op) && !function.isExternal()
               ? function.getNumArguments() + 1
               : 0;
  }
  LogicalResult apply(RewriterBase &, Operation *op,
                      unsigned choice) const override {
    auto function = cast<FunctionOpInterface>(op);
    BitVector unused(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      if (argument.use_empty() &&
          (choice == 0 || choice == argument.getArgNumber() + 1))
        unused.set(argument.getArgNumber());
    return unused.any() ? function.eraseArguments(unused) : failure();
  }
};

/// Choices: each parameter and result that has attributes.
struct DropParameterAttributes : Reduction {
  DropParameterAttributes()
      : Reduction("drop-parameter-attributes",
                  "removes the attributes of parameters and results") {}
  unsigned getNumChoices(Operation *op) const override {
    return isa<FunctionOpInterface>(op) ? 2 : 0;
  }
  LogicalResult apply(RewriterBase &, Operation *op,
                      unsigned choice) const override {
    auto function = cast<FunctionOpInterface>(op);
    if (choice == 0 ? !function.getArgAttrsAttr() : !function.getResAttrsAttr())
      return failure();
    choice == 0 ? (void)function.removeArgAttrsAttr()
                : (void)function.removeResAttrsAttr();
    return success();
  }
};

/// Choices: each extent that occurs, largest first, made 1, 2, or its half.
struct ShrinkExtent : Reduction {
  ShrinkExtent()
      : Reduction("shrink-extent",
                  "makes one extent smaller wherever it occurs") {}
  static constexpr unsigned kWays = 3;

  static std::set<int64_t, std::greater<int64_t>> getExtents(Operation *op) {
    std::set<int64_t, std::greater<int64_t>> extents;
    auto add = [&](Type type) {
      if (isa<RankedTensorType, MemRefType>(type))
        for (int64_t extent : cast<ShapedType>(type).getShape())
          if (extent > 1)
            extents.insert(extent);
    };
    op->walk([&](Operation *inner) {
      llvm::for_each(inner->getResultTypes(), add);
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArgumentTypes(), add);
    });
    return extents;
  }

  unsigned getNumChoices(Operation *op) const override {
    return op->getParentOp() ? 0 : kWays * getExtents(op).size();
  }

  LogicalResult apply(RewriterBase &, Operation *op,
                      unsigned choice) const override {
    std::set<int64_t, std::greater<int64_t>> extents = getExtents(op);
    int64_t from = *std::next(extents.begin(), choice / kWays);
    int64_t to = ArrayRef<int64_t>{1, 2, from / 2}[choice % kWays];
    if (to >= from || (choice % kWays == 2 && to <= 2))
      return failure();

    auto shrink = [&](ArrayRef<int64_t> shape) {
      SmallVector<int64_t> smaller(shape);
      llvm::replace(smaller, from, to);
      return smaller;
    };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
      return RankedTensorType::get(shrink(type.getShape()),
                                   type.getElementType(), type.getEncoding());
    });
    replacer.addReplacement([&](MemRefType type) -> std::optional<Type> {
      if (!type.getLayout().isIdentity())
        return std::nullopt;
      return MemRefType::get(shrink(type.getShape()), type.getElementType(),
                             type.getLayout(), type.getMemorySpace());
    });
    // Constants keep as many of their elements, from the first on.
    replacer.addReplacement(
        [&](DenseElementsAttr attr)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          auto type = dyn_cast<RankedTensorType>(attr.getType());
          if (!type || !llvm::is_contained(type.getShape(), from))
            return std::nullopt;
          auto smaller = RankedTensorType::get(shrink(type.getShape()),
                                               type.getElementType());
          auto values = attr.getValues<Attribute>();
          SmallVector<Attribute> kept(
              values.begin(),
              std::next(values.begin(),
                        attr.isSplat() ? 1 : smaller.getNumElements()));
          return std::pair<Attribute, WalkResult>(
              DenseElementsAttr::get(smaller, kept), WalkResult::skip());
        });
    replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    return success();
  }
};

} // namespace

void scan::impl::addProgramReductions(Reductions &reductions) {
  reductions.push_back(std::make_unique<EraseProgram>());
  reductions.push_back(std::make_unique<EraseFunction>());
  reductions.push_back(std::make_unique<EraseStretch>());
  reductions.push_back(std::make_unique<Simplify>());
  reductions.push_back(std::make_unique<DropResult>());
  reductions.push_back(std::make_unique<ReturnOperand>());
  reductions.push_back(std::make_unique<DropParameter>());
  reductions.push_back(std::make_unique<DropParameterAttributes>());
  reductions.push_back(std::make_unique<ShrinkExtent>());
}
