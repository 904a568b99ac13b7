//===- Reducer.cpp - Makes a program small while a test holds -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "Reduction.h"
#include "Scan/IR/ScanDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::impl;

//===----------------------------------------------------------------------===//
// The list of reductions
//===----------------------------------------------------------------------===//

namespace {

/// A rewrite pattern that a dialect gives to reducers, as a reduction.
struct PatternReduction : Reduction {
  PatternReduction(std::unique_ptr<RewritePattern> pattern, StringRef name)
      : Reduction(name,
                  llvm::formatv("a pattern on {0}",
                                pattern->getRootKind()
                                    ? pattern->getRootKind()->getStringRef()
                                    : "operations")
                      .str()),
        pattern(std::move(pattern)) {}
  unsigned getNumChoices(Operation *op) const override {
    // The program itself is no operation that patterns expect.
    if (!op->getParentOp())
      return 0;
    std::optional<OperationName> root = pattern->getRootKind();
    return !root || *root == op->getName() ? 1 : 0;
  }
  LogicalResult apply(RewriterBase &rewriter, Operation *op,
                      unsigned) const override {
    return pattern->matchAndRewrite(op,
                                    static_cast<PatternRewriter &>(rewriter));
  }
  std::unique_ptr<RewritePattern> pattern;
};

} // namespace

/// From coarse to fine: whole functions, patterns of dialects, operations,
/// extents.
static Reductions makeReductions(MLIRContext &context) {
  Reductions reductions;
  addProgramReductions(reductions);
  RewritePatternSet patterns(&context);
  DialectInterfaceCollection<DialectReductionPatternInterface> interfaces(
      &context);
  for (const DialectReductionPatternInterface &interface : interfaces)
    interface.populateReductionPatterns(patterns);
  for (std::unique_ptr<RewritePattern> &pattern :
       patterns.getNativePatterns()) {
    StringRef name = pattern->getDebugName();
    reductions.push_back(std::make_unique<PatternReduction>(
        std::move(pattern), name.empty() ? "pattern" : name));
  }
  addOperationReductions(reductions);
  return reductions;
}

SmallVector<ReductionInfo> scan::listReductions(MLIRContext &context) {
  SmallVector<ReductionInfo> list;
  for (const std::unique_ptr<Reduction> &reduction : makeReductions(context)) {
    auto *same = llvm::find_if(list, [&](const ReductionInfo &info) {
      return info.name == reduction->name;
    });
    if (same == list.end())
      list.push_back({reduction->name, reduction->summary});
    else if (!StringRef(same->summary).contains(reduction->summary))
      same->summary += "; " + reduction->summary;
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::string scan::printProgram(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!module->getAttrs().empty()) {
    module->print(os);
    os << "\n";
    return text;
  }
  for (Operation &op : *module.getBody()) {
    op.print(os);
    os << "\n";
  }
  return text;
}

/// What makes a program large, the most important first. A copy that is not
/// smaller in this order is not kept, so that every reduction ends.
static std::array<uint64_t, 4> measure(ModuleOp module, StringRef text) {
  uint64_t operations = 0, details = 0, extents = 0;
  auto addType = [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t extent : shaped.getShape())
        if (!ShapedType::isDynamic(extent))
          extents += extent;
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), addType);
    // A constant is a detail of what uses it.
    if (op->hasTrait<OpTrait::ConstantLike>()) {
      ++details;
      return;
    }
    ++operations;
    details += op->getNumOperands() + op->getNumResults() +
               op->getAttrDictionary().size();
    // What is computed and used keeps more code alive than an argument does.
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        details += !definition->hasTrait<OpTrait::ConstantLike>();
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        details += block.getNumArguments();
        llvm::for_each(block.getArgumentTypes(), addType);
      }
  });
  return {operations, details, extents, text.size()};
}

/// Removes operations whose results are not used.
static void eraseDeadOperations(ModuleOp module) {
  module->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

/// True if a scan needs the keyword `shared_yields`, which is for code that
/// passes have simplified. In a program that is written down it only hides that
/// constraints C9 and C10 are broken.
static bool hasSharedYields(ModuleOp module) {
  return module
      .walk([&](AssociativeOp op) {
        return op.hasSharedYields() ? WalkResult::interrupt()
                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {

class Search {
public:
  Search(OwningOpRef<ModuleOp> &best, InterestingnessTest &test,
         const ReducerOptions &options)
      : best(best), test(test), options(options), text(printProgram(*best)),
        size(measure(*best, text)) {
    seen.insert(text);
  }

  llvm::Error run();

private:
  /// Keeps `candidate` if it is a valid and smaller program for which the test
  /// holds.
  llvm::Expected<bool> consider(OwningOpRef<ModuleOp> candidate,
                                StringRef reduction);
  /// Tries `reduction` everywhere; true if it was of use.
  llvm::Expected<bool> tryEverywhere(const Reduction &reduction);
  /// Decides, once, whether later programs are freed from dead code.
  llvm::Error tryWithoutDeadCode();

  static SmallVector<Operation *> getOperations(ModuleOp module) {
    SmallVector<Operation *> operations;
    module->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { operations.push_back(op); });
    return operations;
  }

  OwningOpRef<ModuleOp> &best;
  InterestingnessTest &test;
  const ReducerOptions &options;
  std::string text;
  std::array<uint64_t, 4> size;
  /// Programs that have been tested; none is worth a second run.
  llvm::StringSet<> seen;
  bool eraseDead = false;
  bool allowsSharedYields = false;
  ReducerOptions::Progress progress;
};

} // namespace

llvm::Expected<bool> Search::consider(OwningOpRef<ModuleOp> candidate,
                                      StringRef reduction) {
  if (eraseDead)
    eraseDeadOperations(*candidate);
  if (failed(verify(*candidate)) ||
      (!allowsSharedYields && hasSharedYields(*candidate)))
    return false;
  std::string candidateText = printProgram(*candidate);
  std::array<uint64_t, 4> candidateSize = measure(*candidate, candidateText);
  if (candidateSize >= size || !seen.insert(candidateText).second)
    return false;
  if (!parseSourceString<ModuleOp>(candidateText, candidate->getContext()))
    return false;
  llvm::Expected<bool> interesting = test.run(candidateText);
  if (!interesting)
    return interesting.takeError();
  ++progress.tried;
  if (*interesting) {
    ++progress.kept;
    best = std::move(candidate);
    text = std::move(candidateText);
    size = candidateSize;
  }
  if (options.onProgress) {
    progress.program = text;
    progress.reduction = *interesting ? reduction : "";
    options.onProgress(progress);
  }
  return *interesting;
}

llvm::Expected<bool> Search::tryEverywhere(const Reduction &reduction) {
  bool changed = false;
  SmallVector<Operation *> operations = getOperations(*best);
  // From the last operation to the first: what depends on others goes first.
  for (unsigned i = operations.size(); i-- > 0;) {
    unsigned choice = 0;
    while (i < operations.size() &&
           choice < reduction.getNumChoices(operations[i])) {
      OwningOpRef<ModuleOp> copy(best->clone());
      Operation *op = getOperations(*copy)[i];
      PatternRewriter rewriter(op->getContext());
      rewriter.setInsertionPoint(op);
      if (failed(reduction.apply(rewriter, op, choice++)))
        continue;
      llvm::Expected<bool> kept = consider(std::move(copy), reduction.name);
      if (!kept)
        return kept.takeError();
      if (!*kept)
        continue;
      changed = true;
      choice = 0;
      operations = getOperations(*best);
    }
    i = std::min<unsigned>(i, operations.size());
  }
  return changed;
}

llvm::Error Search::tryWithoutDeadCode() {
  eraseDead = true;
  OwningOpRef<ModuleOp> copy(best->clone());
  eraseDeadOperations(*copy);
  if (printProgram(*copy) == text)
    return llvm::Error::success();
  llvm::Expected<bool> kept = consider(std::move(copy), "erase-dead-code");
  if (!kept)
    return kept.takeError();
  eraseDead = *kept;
  return llvm::Error::success();
}

llvm::Error Search::run() {
  // Candidates that are not valid are expected, and no news.
  ScopedDiagnosticHandler quiet(best->getContext(),
                                [](Diagnostic &) { return success(); });
  allowsSharedYields = hasSharedYields(*best);

  Reductions reductions = makeReductions(*best->getContext());
  if (!options.only.empty())
    llvm::erase_if(reductions,
                   [&](const std::unique_ptr<Reduction> &reduction) {
                     return !llvm::is_contained(options.only, reduction->name);
                   });
  else if (llvm::Error error = tryWithoutDeadCode())
    return error;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::unique_ptr<Reduction> &reduction : reductions) {
      llvm::Expected<bool> useful = tryEverywhere(*reduction);
      if (!useful)
        return useful.takeError();
      changed |= *useful;
    }
  }
  return llvm::Error::success();
}

llvm::Error scan::reduceProgram(OwningOpRef<ModuleOp> &module,
                                InterestingnessTest &test,
                                const ReducerOptions &options) {
  return Search(module, test, options).run();
}
