//===- Explain.cpp - --scan-explain ---------------------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUReport.h"
#include "Scan/Conversion/LinalgToGPU/Passes.h"
#include "Scan/Conversion/RecurrenceToGPU/Passes.h"
#include "Scan/IR/ScanRecurrence.h"
#include "Scan/Pipelines/Passes.h"
#include "Scan/Pipelines/ScanToCPU.h"
#include "Scan/Transforms/Passes.h"
#include "Schedule/ExplainReport.h"
#include "Target/OutputFiles.h"
#include "Transforms/Fusion/Neighbours.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"

namespace mlir::scan {
#define GEN_PASS_DEF_SCANEXPLAIN
#include "Scan/Pipelines/Passes.h.inc"
} // namespace mlir::scan

using namespace mlir;
using namespace mlir::scan;

/// What stays beside each kernel of the program, in the order of the kernels.
static SmallVector<SmallVector<ExplainReport::Beside>>
findBeside(ModuleOp module) {
  // To ask is to try.
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<KernelOp> kernels;
  copy->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  SmallVector<SmallVector<ExplainReport::Beside>> all;
  for (ArrayRef<Neighbour> neighbours : findNeighbours(kernels)) {
    all.emplace_back();
    for (const Neighbour &neighbour : neighbours)
      all.back().push_back({neighbour.operation,
                            describeLocation(neighbour.location),
                            neighbour.isBehind, neighbour.reason});
  }
  return all;
}

/// From recurrences that are no kernels to GPU kernels.
static void buildBlocksPipeline(OpPassManager &passes, const Chip &chip) {
  passes.addPass(createScanReductionsToKernels());
  ScanRecurrenceToBlocksOptions recurrences;
  recurrences.sharedMemory = chip.maxSharedPerBlock;
  recurrences.processors = chip.numSMs;
  passes.addPass(createScanRecurrenceToBlocks(recurrences));
  buildFusedToBuffersPipeline(passes, /*writableArguments=*/false,
                              StridedArguments::None);
  ConvertBlocksToGPUOptions blocks;
  blocks.sharedMemory = chip.maxSharedPerBlock;
  blocks.processors = chip.numSMs;
  passes.addPass(createConvertBlocksToGPU(blocks));
  passes.addPass(createScanLinalgToGPU());
}

/// What thread blocks will do of the recurrences in `module`, a copy that
/// becomes their kernels. To ask is to compile.
static LogicalResult
findBlocks(ModuleOp module, const Chip &chip,
           function_ref<LogicalResult(OpPassManager &)> run,
           SmallVector<ExplainReport::Blocks> &blocks) {
  IRRewriter rewriter(module.getContext());
  module->walk<WalkOrder::PreOrder>([&](RecurrenceOp op) {
    NormalizeObstacle obstacle;
    // What is pointwise may have a schedule that asks for launches.
    bool areLaunches = isa_and_present<StepLaunchesAttr>(
        op->getAttr(RecurrenceOp::getScheduleName()));
    if (!areLaunches)
      (void)normalizeScan(rewriter, op, obstacle);
    std::string reason = obstacle.reason;
    if (obstacle.op && obstacle.op != op.getOperation())
      reason = ("has '" + obstacle.op->getName().getStringRef() + "' (" +
                describeLocation(obstacle.op->getLoc()) + "), which " + reason)
                   .str();
    auto function = op->getParentOfType<FunctionOpInterface>();
    ExplainReport::Blocks &block = blocks.emplace_back();
    block.function = function ? function.getName().str() : "";
    block.location = describeLocation(op.getLoc());
    block.reason = reason;
    block.launchReason =
        describeStepLaunches(op, chip.maxSharedPerBlock, chip.numSMs);
    return WalkResult::skip();
  });
  if (blocks.empty())
    return success();
  OpPassManager passes("builtin.module");
  buildBlocksPipeline(passes, chip);
  if (failed(run(passes)))
    return failure();
  auto findNext = [&](auto *from, bool areLaunches) {
    return std::find_if(from, blocks.end(),
                        [&](const ExplainReport::Blocks &block) {
                          return !block.launchReason.empty() == areLaunches;
                        });
  };
  auto *next = findNext(blocks.begin(), /*areLaunches=*/false);
  module->walk([&](gpu::GPUFuncOp kernel) {
    auto plan =
        BlockPlan::get(kernel->getAttrOfType<DictionaryAttr>("scan.plan"));
    if (!plan || next == blocks.end())
      return;
    next->plan = *plan;
    next = findNext(next + 1, /*areLaunches=*/false);
  });
  next = findNext(blocks.begin(), /*areLaunches=*/true);
  module->walk([&](scf::ForOp loop) {
    auto launches = loop.getOps<gpu::LaunchFuncOp>();
    if (launches.empty() || next == blocks.end())
      return;
    next->launches = llvm::range_size(launches);
    next = findNext(next + 1, /*areLaunches=*/true);
  });
  return success();
}

namespace {
struct ScanExplain final : scan::impl::ScanExplainBase<ScanExplain> {
  using ScanExplainBase::ScanExplainBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes("builtin.module");
    buildScanToFusedPipeline(passes, /*isForGPU=*/true);
    buildScanToHostBuffersPipeline(passes, ScanToCPUOptions());
    buildBlocksPipeline(passes, getKnownChips().front());
    passes.getDependentDialects(registry);
    createConvertScanToLoops()->getDependentDialects(registry);
  }

  template <typename Report> void print(const Report &report) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == ReportFormat::Json) {
      llvm::json::OStream json(os, /*IndentSize=*/2);
      report.printJson(json);
      os << "\n";
    } else {
      report.printText(os);
    }
    Location location = getOperation().getLoc();
    if (llvm::Error failure = writeReport(output, text, location)) {
      emitError(location) << "scan-explain: "
                          << llvm::toString(std::move(failure));
      signalPassFailure();
    }
  }

  /// Runs `passes` on a copy of the program inside of the module, where passes
  /// may run on it, and calls `report` with it.
  void runOnCopy(OpPassManager &passes, function_ref<void(ModuleOp)> report) {
    ModuleOp copy = getOperation().clone();
    llvm::scope_exit eraseCopy([&] { copy.erase(); });
    copy.removeSymNameAttr();
    getOperation().push_back(copy);
    if (failed(runPipeline(passes, copy)))
      return signalPassFailure();
    report(copy);
  }

  void explainCPU(const KernelFacts::Question &question) {
    Processor processor = Processor::getDefault();
    if (!machine.empty()) {
      auto parsed = Processor::parseFile(machine);
      if (!parsed) {
        emitError(getOperation().getLoc())
            << "scan-explain: " << llvm::toString(parsed.takeError());
        return signalPassFailure();
      }
      processor = std::move(*parsed);
    }
    ScanToCPUOptions host;
    host.maxStateBytes = maxStateBytes;
    OpPassManager passes("builtin.module");
    buildScanToHostBuffersPipeline(passes, host);
    ConvertScanToLoopsOptions loops;
    loops.vectorBits = processor.vectorBits;
    loops.threads = true;
    runOnCopy(passes, [&](ModuleOp copy) {
      print(CPUReport(copy, processor, loops, question));
    });
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    const GPUModel *known = lookupGPUModel(chip);
    if (!known) {
      emitError(module.getLoc())
          << "scan-explain: expected a known chip, found '" << chip.getValue()
          << "'; known are " << getKnownChipNames();
      return signalPassFailure();
    }
    // The older spelling counts where the newer one is not given.
    int64_t size = batch ? batch : points;
    if (steps < 0 || size < 0) {
      emitError(module.getLoc())
          << "scan-explain: expected steps and batch of 1 or more, or none, "
             "found steps = "
          << steps.getValue() << " and batch = " << size;
      return signalPassFailure();
    }
    KernelFacts::Question question;
    if (steps)
      question.extent = steps;
    if (size)
      question.batch = size;
    if (cpu)
      return explainCPU(question);
    SmallVector<Calibration, 0> calibrations;
    if (!calibration.empty()) {
      auto parsed = Calibration::parseFile(calibration);
      if (!parsed) {
        emitError(module.getLoc())
            << "scan-explain: " << llvm::toString(parsed.takeError());
        return signalPassFailure();
      }
      calibrations = std::move(*parsed);
    }
    GPUModel gpu = *known;
    std::optional<TuningCache> cache = TuningCache::open(tuning, &getContext());
    gpu.tuning = cache ? &*cache : nullptr;
    OpPassManager passes("builtin.module");
    TensorPassOptions tensors;
    tensors.maxStateBytes = maxStateBytes;
    buildScanToFusedPipeline(passes, /*isForGPU=*/true, tensors);
    ExplainReport::Options options;
    options.dispatch = dispatch;
    options.maxVariants = maxVariants;
    options.allCandidates = candidates;
    options.calibrations = calibrations;
    options.question = question;
    runOnCopy(passes, [&](ModuleOp copy) {
      SmallVector<SmallVector<ExplainReport::Beside>> beside = findBeside(copy);
      options.beside = beside;
      ModuleOp kernels = copy.clone();
      llvm::scope_exit eraseKernels([&] { kernels.erase(); });
      module.push_back(kernels);
      SmallVector<ExplainReport::Blocks> blocks;
      auto run = [&](OpPassManager &more) {
        return runPipeline(more, kernels);
      };
      if (failed(findBlocks(kernels, gpu.chip, run, blocks)))
        return signalPassFailure();
      options.blocks = blocks;
      FailureOr<ExplainReport> report = ExplainReport::get(copy, gpu, options);
      if (failed(report))
        return signalPassFailure();
      print(*report);
    });
  }
};
} // namespace
