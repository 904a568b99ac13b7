//===- VerifierRun.cpp - A mutated program through the compiler -----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierRun.h"
#include "Mutate.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Pipelines/ScanToPTX.h"
#include "Scan/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

namespace {
/// A part of the compiler that verified programs go through.
struct Stage {
  StringRef name;
  void (*build)(OpPassManager &);
};
} // namespace

static const Stage kStages[] = {
    {"--canonicalize --cse",
     [](OpPassManager &pm) {
       pm.addPass(createCanonicalizerPass());
       pm.addPass(createCSEPass());
     }},
    {"--scan-normalize --scan-fuse-elementwise",
     [](OpPassManager &pm) {
       pm.addPass(createScanNormalize());
       pm.addPass(createScanFuseElementwise());
     }},
    {"--scan-to-cpu",
     [](OpPassManager &pm) { buildScanToCPUPipeline(pm, {}); }},
    {"--scan-to-ptx",
     [](OpPassManager &pm) { buildScanToPTXPipeline(pm, {}); }},
};

std::string fuzz::getStageCommand(StringRef stage) {
  for (const Stage &known : kStages)
    if (known.name == stage)
      return ("scan-opt %s " + stage).str();
  return "scan-opt %s";
}

static std::string print(ModuleOp module, bool isGeneric) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (isGeneric)
    flags.printGenericOpForm();
  module->print(os, flags);
  return text;
}

namespace {
/// Drops diagnostics, and counts the errors.
class ErrorCounter {
public:
  explicit ErrorCounter(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          count += diagnostic.getSeverity() == DiagnosticSeverity::Error;
        }) {}
  unsigned take() { return std::exchange(count, 0); }

private:
  unsigned count = 0;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// The part behind the verifier.
static std::string runStages(ModuleOp module, MLIRContext &context,
                             ErrorCounter &errors, ChildStatus &status,
                             VerifierCounts &counts) {
  ++counts.verified;
  status.setStage("print");
  std::string printed = print(module, /*isGeneric=*/false);
  status.setStage("read again");
  errors.take();
  // A name without letters is MLIR's own affair: its verifier lets it pass.
  bool isNamed = llvm::all_of(
      module.getOps<SymbolOpInterface>(),
      [](SymbolOpInterface symbol) { return !symbol.getName().empty(); });
  if (isNamed && !parseSourceString<ModuleOp>(printed, ParserConfig(&context)))
    return "is printed so that it cannot be read again";
  for (const Stage &stage : kStages) {
    status.setStage(stage.name);
    OwningOpRef<ModuleOp> clone = module.clone();
    auto pm = PassManager::on<ModuleOp>(&context);
    stage.build(pm);
    errors.take();
    if (succeeded(pm.run(*clone)))
      ++counts.compiled;
    else if (!errors.take())
      return (stage.name + ": fails without a message").str();
  }
  return "";
}

std::string fuzz::runMutated(StringRef text, MLIRContext &context,
                             ChildStatus &status, VerifierCounts &counts) {
  ErrorCounter errors(context);
  status.setText(text);
  status.setStage("parse");
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return errors.take() ? "" : "is refused without a message";
  return runStages(*module, context, errors, status, counts);
}

static std::string runRandomModule(MLIRContext &context, fuzz::Random &random,
                                   ChildStatus &status,
                                   VerifierCounts &counts) {
  ErrorCounter errors(context);
  status.setStage("build");
  OwningOpRef<ModuleOp> module = makeRandomModule(context, random);
  status.setText(print(*module, /*isGeneric=*/true));
  status.setStage("verify");
  errors.take();
  if (failed(verify(*module)))
    return errors.take() ? "" : "is refused without a message";
  return runStages(*module, context, errors, status, counts);
}

std::string fuzz::runMutatedCase(const FuzzOptions &options, uint64_t index,
                                 MLIRContext &context, ChildStatus &status,
                                 VerifierCounts &counts) {
  fuzz::Random random(options.seed, index);
  status.testCase = index;
  if (random.chance(30))
    return runRandomModule(context, random, status, counts);
  // Neighbours mutate the same program, each in its own way.
  std::string text = printProgram(makeProgram(options.seed, index / 8));
  uint64_t form = random.below(4);
  if (form > 0) {
    ErrorCounter errors(context);
    status.setText(text);
    status.setStage("--scan-normalize --scan-fuse-elementwise");
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    auto pm = PassManager::on<ModuleOp>(&context);
    if (form > 1)
      pm.addPass(createScanNormalize());
    if (module && succeeded(pm.run(*module)))
      text = print(*module, /*isGeneric=*/form % 2 == 1);
  }
  return runMutated(mutateText(text, random), context, status, counts);
}
