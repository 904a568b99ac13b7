//===- Reducer.cpp - Makes a program small while a test holds -------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "GreedySearch.h"
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

/// A program as it was tested, which does not change any more.
struct Version {
  explicit Version(OwningOpRef<ModuleOp> owned)
      : module(std::move(owned)), text(printProgram(*module)),
        size(measure(*module, text)), operations(getOperations(*module)) {}

  static SmallVector<Operation *> getOperations(ModuleOp module) {
    SmallVector<Operation *> operations;
    module->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { operations.push_back(op); });
    return operations;
  }

  OwningOpRef<ModuleOp> module;
  std::string text;
  std::array<uint64_t, 4> size;
  SmallVector<Operation *> operations;
};
using VersionRef = std::shared_ptr<Version>;

class ProgramSearch {
public:
  ProgramSearch(VersionRef &best, InterestingnessTest &test,
                const ReducerOptions &options)
      : best(best), test(test), options(options),
        search(best, [this](VersionRef &version) { return run(*version); }) {
    seen.insert(best->text);
    allowsSharedYields = hasSharedYields(*best->module);
  }

  llvm::Error run();

private:
  /// Whether the test holds. Ends the search if it cannot be run.
  bool run(const Version &version);
  /// Makes a version of a changed copy, unless that is no valid and smaller
  /// program.
  StepResult take(OwningOpRef<ModuleOp> copy, VersionRef &version);
  /// Tries `reduction` everywhere.
  void tryEverywhere(const Reduction &reduction);
  /// Decides, once, whether later programs are freed from dead code.
  void tryWithoutDeadCode();

  VersionRef &best;
  InterestingnessTest &test;
  const ReducerOptions &options;
  GreedySearch<VersionRef> search;
  llvm::Error error = llvm::Error::success();
  /// The name of what is being tried.
  StringRef reductionName;
  /// Programs that have been tested; none is worth a second run.
  llvm::StringSet<> seen;
  bool eraseDead = false;
  bool allowsSharedYields = false;
};

} // namespace

bool ProgramSearch::run(const Version &version) {
  llvm::Expected<bool> interesting = test.run(version.text);
  if (!interesting) {
    error = llvm::joinErrors(std::move(error), interesting.takeError());
    search.stop();
    return false;
  }
  if (options.onProgress)
    options.onProgress({search.getNumTried(),
                        search.getNumKept() + *interesting,
                        *interesting ? version.text : best->text,
                        *interesting ? reductionName : ""});
  return *interesting;
}

StepResult ProgramSearch::take(OwningOpRef<ModuleOp> copy,
                               VersionRef &version) {
  if (eraseDead)
    eraseDeadOperations(*copy);
  if (failed(verify(*copy)) || (!allowsSharedYields && hasSharedYields(*copy)))
    return StepResult::Unchanged;
  version = std::make_shared<Version>(std::move(copy));
  bool isNew = version->size < best->size && seen.insert(version->text).second;
  return isNew && parseSourceString<ModuleOp>(version->text,
                                              version->module->getContext())
             ? StepResult::Changed
             : StepResult::Unchanged;
}

void ProgramSearch::tryEverywhere(const Reduction &reduction) {
  reductionName = reduction.name;
  // From the last operation to the first: what depends on others goes first.
  for (size_t i = best->operations.size(); i-- > 0;) {
    search.applySteps([&](VersionRef &version, size_t choice) {
      if (i >= version->operations.size() ||
          choice >= reduction.getNumChoices(version->operations[i]))
        return StepResult::NoSuchStep;
      OwningOpRef<ModuleOp> copy(version->module->clone());
      Operation *op = Version::getOperations(*copy)[i];
      PatternRewriter rewriter(op->getContext());
      rewriter.setInsertionPoint(op);
      if (failed(reduction.apply(rewriter, op, choice)))
        return StepResult::Unchanged;
      return take(std::move(copy), version);
    });
    i = std::min(i, best->operations.size());
  }
}

void ProgramSearch::tryWithoutDeadCode() {
  reductionName = "erase-dead-code";
  OwningOpRef<ModuleOp> copy(best->module->clone());
  eraseDeadOperations(*copy);
  eraseDead = printProgram(*copy) == best->text ||
              search.attempt([&](VersionRef &version) {
                return take(std::move(copy), version);
              }) == StepResult::Changed;
}

llvm::Error ProgramSearch::run() {
  Reductions reductions = makeReductions(*best->module->getContext());
  if (options.only.empty())
    tryWithoutDeadCode();
  else
    llvm::erase_if(reductions,
                   [&](const std::unique_ptr<Reduction> &reduction) {
                     return !llvm::is_contained(options.only, reduction->name);
                   });
  search.repeat([&] {
    for (const std::unique_ptr<Reduction> &reduction : reductions)
      tryEverywhere(*reduction);
  });
  return std::move(error);
}

llvm::Error scan::reduceProgram(OwningOpRef<ModuleOp> &module,
                                InterestingnessTest &test,
                                const ReducerOptions &options) {
  // Candidates that are not valid are expected, and no news.
  ScopedDiagnosticHandler quiet(module->getContext(),
                                [](Diagnostic &) { return success(); });
  auto best = std::make_shared<Version>(std::move(module));
  llvm::Error error = ProgramSearch(best, test, options).run();
  module = std::move(best->module);
  return error;
}
