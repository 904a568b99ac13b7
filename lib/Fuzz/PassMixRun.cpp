//===- PassMixRun.cpp - One program through one list of passes ------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstError.h"
#include "PassMix.h"
#include "Scan/Reference/Interpreter.h"
#include "Shrink.h"
#include "TargetDraw.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

StringRef fuzz::stringifyMixTarget(MixTarget target) {
  switch (target) {
  case MixTarget::Reference:
    return "reference";
  case MixTarget::CPU:
    return "cpu";
  case MixTarget::Emulator:
    return "emulator";
  }
  llvm_unreachable("all targets are handled");
}

Mix fuzz::makeMix(const FuzzOptions &options, uint64_t index) {
  uint64_t program = index / kMixesPerProgram;
  Mix mix;
  fuzz::Random choice(options.seed + 0x317C5, program);
  mix.isGraph = choice.chance(70);
  constexpr uint64_t cases = 2;
  if (mix.isGraph) {
    mix.graph = makeGraph(options.seed + 0x317C5, program);
    for (uint64_t i = 0; i < cases; ++i)
      mix.graphCases.push_back(
          {makeGraphExtents(mix.graph, options.seed, program, i),
           fuzz::Random(options.seed, (program << 8) + i).next()});
  } else {
    mix.program = makeProgram(options.seed + 0x317C5, program);
    for (uint64_t i = 0; i < cases; ++i)
      mix.cases.push_back(
          makeCase(mix.program, options.seed, program, i,
                   std::min<int64_t>(options.maxElements, 800)));
  }
  fuzz::Random random(options.seed + 0x317C6, index);
  unsigned wraps = random.pick({0, 0, 0, 1, 1, 2, 3});
  for (unsigned i = 0; i < wraps; ++i)
    mix.wraps.push_back(
        {random.pick({MixWrap::Call, MixWrap::Branch, MixWrap::Loop}),
         random.next()});
  mix.emulatorSeed = index;
  if (!options.passes.empty()) {
    // As they are told, down to whatever they leave.
    mix.passes = {options.passes};
    mix.target = MixTarget::CPU;
    return mix;
  }
  uint64_t place = random.below(100);
  // Bufferization copies tensors that are written in part, where they cross the
  // border of a region; in the emulator that is a read of what nobody has
  // written.
  bool hasRegions = llvm::any_of(mix.wraps, [](const MixWrap &wrap) {
    return wrap.kind != MixWrap::Call;
  });
  mix.target = place < 50                 ? MixTarget::Reference
               : place < 85 || hasRegions ? MixTarget::CPU
                                          : MixTarget::Emulator;
  bool hasCalls = llvm::any_of(mix.wraps, [](const MixWrap &wrap) {
    return wrap.kind == MixWrap::Call;
  });
  mix.passes = drawPasses(random, mix.target, hasCalls);
  return mix;
}

OwningOpRef<ModuleOp> fuzz::makeMixModule(const Mix &mix,
                                          MLIRContext &context) {
  auto module = parseSourceString<ModuleOp>(
      mix.isGraph ? printGraph(mix.graph) : printProgram(mix.program),
      ParserConfig(&context));
  if (module)
    applyWraps(*module, mix.wraps);
  return module;
}

/// The arguments of the program without wraps.
static std::vector<SmallVector<HostArray>>
makePlainArguments(const Mix &mix, MLIRContext &context) {
  std::vector<SmallVector<HostArray>> arguments;
  for (const GraphCase &call : mix.graphCases)
    arguments.push_back(
        makeGraphArguments(mix.graph, call.extents, call.seed, context));
  for (const Case &call : mix.cases)
    arguments.push_back(makeArguments(mix.program, call, context));
  return arguments;
}

std::vector<SmallVector<HostArray>>
fuzz::makeMixArguments(const Mix &mix, MLIRContext &context) {
  std::vector<SmallVector<HostArray>> arguments =
      makePlainArguments(mix, context);
  if (needsConditions(mix.wraps))
    for (SmallVector<HostArray> &call : arguments)
      for (char value : {1, 0}) {
        call.push_back(HostArray::zeros(IntegerType::get(&context, 1), {}));
        call.back().data[0] = value;
      }
  return arguments;
}

//===----------------------------------------------------------------------===//
// What the interpreter finds
//===----------------------------------------------------------------------===//

/// The results of the program as it was generated.
class MixRunner::Expected {
public:
  Expected(const Mix &mix, MLIRContext &context, ChildStatus &status)
      : text(mix.isGraph ? printGraph(mix.graph) : printProgram(mix.program)),
        plain(makePlainArguments(mix, context)) {
    if (!mix.isGraph)
      program = std::make_unique<ProgramRunner>(
          context, mix.program, Fault::None, mix.emulatorSeed,
          /*alsoDynamic=*/false,
          [&status](StringRef stage, bool) { status.setStage(stage); });
  }

  bool isOf(const Mix &mix) const {
    return text ==
           (mix.isGraph ? printGraph(mix.graph) : printProgram(mix.program));
  }

  Outcome evaluate(MLIRContext &context) {
    if (program)
      return {};
    FirstError error(context);
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return error.fail("reference", "the program does not parse");
    for (ArrayRef<HostArray> inputs : plain) {
      auto values = interpret(*module, "f", inputs);
      if (failed(values))
        return error.fail("reference", "does not run by the interpreter");
      results.push_back(std::move(*values));
    }
    return {};
  }

  Outcome compare(const Mix &mix, size_t number, StringRef target,
                  MutableArrayRef<HostArray> found) {
    if (program) {
      Outcome outcome = program->evaluate(plain[number]);
      return outcome.kind != Outcome::Pass
                 ? outcome
                 : program->compareResults(mix.cases[number], target, found);
    }
    std::string difference = findDifference(results[number], found);
    return difference.empty()
               ? Outcome()
               : Outcome{Outcome::Mismatch, target.str(), difference};
  }

private:
  std::string text;
  std::vector<SmallVector<HostArray>> plain, results;
  std::unique_ptr<ProgramRunner> program;
};

MixRunner::MixRunner(MLIRContext &context, ChildStatus &status, Fault fault)
    : context(context), status(status), fault(fault) {}
MixRunner::~MixRunner() = default;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Whether it is a constant tensor of unknown extents, which is invalid.
/// Upstream folds the comparison of a tensor with itself, or its xor, to one.
static bool isDynamicConstant(arith::ConstantOp constant) {
  auto type = dyn_cast<ShapedType>(constant.getType());
  return type && !type.hasStaticShape();
}

static bool hasDynamicConstant(ModuleOp module) {
  return module
      .walk([](arith::ConstantOp constant) {
        return isDynamicConstant(constant) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Sees constants of unknown extents that are gone again when folding is over.
struct DynamicConstantListener : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      isFound |= isDynamicConstant(constant);
  }
  bool isFound = false;
};
} // namespace

/// Whether that happens to the program sooner or later.
static bool foldsToDynamicConstant(ModuleOp module) {
  OwningOpRef<ModuleOp> clone = module.clone();
  DynamicConstantListener listener;
  GreedyRewriteConfig config;
  config.setListener(&listener);
  auto manager = PassManager::on<ModuleOp>(module.getContext());
  // With calls and without; what folding makes equal is found the second time.
  for (int i = 0; i < 2; ++i) {
    manager.addPass(createCSEPass());
    manager.addPass(createCanonicalizerPass(config));
    if (i == 0)
      manager.addPass(createInlinerPass());
  }
  return failed(manager.run(*clone)) || listener.isFound ||
         hasDynamicConstant(*clone);
}

namespace {
/// Sees transpositions to other static extents than their input has, which are
/// invalid. Upstream makes them of those that a loop carries, behind a cast.
struct UnevenTransposeListener : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    auto transpose = dyn_cast<linalg::TransposeOp>(op);
    if (!transpose)
      return;
    ArrayRef<int64_t> from = transpose.getInput().getType().getShape();
    ArrayRef<int64_t> to = transpose.getInit().getType().getShape();
    for (auto [extent, source] :
         llvm::zip_equal(to, transpose.getPermutation()))
      isFound |= extent != from[source];
  }
  bool isFound = false;
};
} // namespace

/// Whether canonicalization makes an invalid transposition of a valid one: that
/// by the identical permutation is folded to its input, of another type.
static bool canonicalizesToUnevenTranspose(ModuleOp module) {
  UnevenTransposeListener listener;
  for (bool topDown : {true, false}) {
    OwningOpRef<ModuleOp> clone = module.clone();
    GreedyRewriteConfig config;
    config.setListener(&listener).setUseTopDownTraversal(topDown);
    auto manager = PassManager::on<ModuleOp>(module.getContext());
    manager.enableVerifier(false);
    manager.addPass(createCanonicalizerPass(config));
    // What it leaves is not looked at.
    (void)manager.run(*clone);
  }
  return listener.isFound;
}

/// Counts the program among those that are left out if that happens to it.
bool MixRunner::isLeftOut(ModuleOp module) {
  if (!foldsToDynamicConstant(module))
    return false;
  PassCounts &count = counts["folding"];
  ++count.runs;
  ++count.refusals;
  return true;
}

/// Runs the pass on a copy, which takes the place of the module unless the pass
/// refuses it. There is none afterwards where upstream has made it invalid.
Outcome MixRunner::runPass(OwningOpRef<ModuleOp> &module, StringRef pass) {
  StringRef name = getPassName(pass);
  status.setStage(name);
  PassCounts &count = counts[name.str()];
  ++count.runs;
  FirstError error(context);
  auto manager = PassManager::on<ModuleOp>(&context);
  if (failed(parsePassPipeline(pass, manager, llvm::nulls())))
    return {Outcome::Error, name.str(), "'" + pass.str() + "' is no pipeline"};
  // What a pass leaves is verified here, so that an invalid program can be told
  // from one that the pass refuses.
  manager.enableVerifier(false);
  OwningOpRef<ModuleOp> changed = module->clone();
  LogicalResult result = manager.run(*changed);
  std::string message = error.take();
  if (failed(result)) {
    if (message.empty())
      return {Outcome::Error, name.str(), "fails without a message"};
    if (getRefusalReason(pass, message).empty())
      return {Outcome::Error, name.str(), "refuses the program: " + message};
    ++count.refusals;
    return {};
  }
  if (failed(verify(*changed))) {
    Outcome outcome = error.fail(name, "leaves an invalid program");
    bool isKnown =
        !getRefusalReason(pass, outcome.message).empty() ||
        (name == "canonicalize" && canonicalizesToUnevenTranspose(*module));
    if (!isKnown)
      return outcome;
    ++count.refusals;
    module = nullptr;
    return {};
  }
  // What comes after it would meet an invalid program: the mix ends here.
  if (hasDynamicConstant(*changed)) {
    ++count.refusals;
    changed = nullptr;
  }
  module = std::move(changed);
  return {};
}

Outcome MixRunner::runTarget(const Mix &mix, ModuleOp module) {
  StringRef target = stringifyMixTarget(mix.target);
  status.setStage(target);
  FirstError error(context);
  TargetOptions options = drawTargetOptions(mix.emulatorSeed);
  options.checkMemory = true;
  PassCounts &count = counts[target.str()];
  ++count.runs;
  auto executable = findExecutionTarget(target)->compile(module, "f", options);
  if (failed(executable)) {
    Outcome outcome = error.fail(target, "does not compile");
    if (getRefusalReason(target, outcome.message).empty())
      return outcome;
    ++count.refusals;
    return {};
  }
  for (auto [i, inputs] : llvm::enumerate(makeMixArguments(mix, context))) {
    SmallVector<HostArray> found;
    if (failed((*executable)->run(inputs, found))) {
      Outcome outcome = error.fail(target, "does not run");
      if (getRefusalReason(target, outcome.message).empty())
        return outcome;
      ++count.refusals;
      return {};
    }
    if (fault == Fault::Flip && !found.empty() && !found[0].data.empty())
      found[0].data[0] ^= 1;
    if (Outcome outcome = expected->compare(mix, i, target, found);
        outcome.kind != Outcome::Pass)
      return outcome;
  }
  return {};
}

Outcome MixRunner::run(const Mix &mix) {
  status.setStage("reference");
  if (!expected || !expected->isOf(mix)) {
    expected = std::make_unique<Expected>(mix, context, status);
    if (Outcome outcome = expected->evaluate(context);
        outcome.kind != Outcome::Pass) {
      expected.reset();
      return outcome;
    }
  }
  status.setStage("wrap");
  OwningOpRef<ModuleOp> module;
  {
    FirstError error(context);
    module = makeMixModule(mix, context);
    if (!module || failed(verify(*module)))
      return error.fail("wrap", "the program is not valid");
  }
  if (isLeftOut(*module))
    return {};
  for (StringRef pass : mix.passes) {
    Outcome outcome = runPass(module, pass);
    if (outcome.kind != Outcome::Pass || !module)
      return outcome;
  }
  // Passes may have made more tensors equal, which compiling would fold.
  if (mix.target != MixTarget::Reference && isLeftOut(*module))
    return {};
  return runTarget(mix, *module);
}

StepResult fuzz::simplifyMix(Mix &mix, size_t step) {
  // The extents of several calls would no longer fit one program.
  if (mix.graphCases.size() + mix.cases.size() != 1)
    return StepResult::NoSuchStep;
  return mix.isGraph
             ? simplifyGraph(mix.graph, mix.graphCases.front().extents, step)
             : applyShrinkStep(step, mix.program, mix.cases.front());
}
