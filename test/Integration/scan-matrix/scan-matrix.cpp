//===- scan-matrix.cpp - Compares compiled scans with the interpreter -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every configuration of a plan for every shape, by the reference
// interpreter and by a backend, perhaps with several schedules, and compares
// all results. One compilation serves all shapes of a configuration. The last
// line counts; the exit status
// is 1 if there was a mismatch or an error, or no case at all.
//
//===----------------------------------------------------------------------===//

#include "Execution/CUDA.h"
#include "Execution/Emulator.h"
#include "Fuzz/Compare.h"
#include "Plan.h"
#include "Scan/Execution/CPU.h"
#include "Scan/InitAll/InitAll.h"
#include "Scan/Reference/Interpreter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;
using namespace mlir::scan::matrix;
namespace cl = llvm::cl;

namespace {
enum class Target { CPU, Emulator, CUDA };

/// What all configurations of a plan amount to.
struct Totals {
  int64_t configurations = 0, cases = 0, mismatches = 0, errors = 0,
          bitwiseEqual = 0;
  double maxRatio = 0;
};

/// The shape of an argument or a result for an iteration shape.
SmallVector<int64_t> getShape(const Operand &operand,
                              ArrayRef<int64_t> iterationShape, int64_t dim) {
  SmallVector<int64_t> shape(iterationShape);
  if (operand.collapsed)
    shape.erase(shape.begin() + dim);
  shape.append(operand.trailing.begin(), operand.trailing.end());
  return shape;
}

FailureOr<std::unique_ptr<CpuExecutable>>
compile(ModuleOp module, const Tested &, uint64_t, CpuExecutable *) {
  return CpuExecutable::compile(module, "f");
}
FailureOr<std::unique_ptr<CudaExecutable>>
compile(ModuleOp module, const Tested &, uint64_t, CudaExecutable *) {
  return CudaExecutable::compile(module, "f");
}
FailureOr<std::unique_ptr<EmulatorExecutable>> compile(ModuleOp module,
                                                       const Tested &tested,
                                                       uint64_t seed,
                                                       EmulatorExecutable *) {
  emulator::EmulatorOptions options;
  options.seed = seed;
  options.schedule = tested.order;
  options.residentBlocks = tested.residentBlocks;
  return EmulatorExecutable::compile(module, "f", options);
}

template <typename Executable> class Runner {
public:
  /// Values, and in the emulator the order of threads and blocks, are the
  /// configuration's own, and follow from `seed`.
  Runner(MLIRContext &context, const Configuration &configuration,
         uint64_t seed, Totals &totals)
      : context(context), configuration(configuration),
        seed(llvm::xxh3_64bits(configuration.name) + seed), totals(totals) {}

  /// Runs all shapes of the configuration.
  void run() {
    module = parseSourceString<ModuleOp>(configuration.module, &context);
    if (!module)
      return fail("the module does not parse");
    for (const Tested &tested : configuration.tested) {
      what = tested.name;
      OwningOpRef<ModuleOp> parsed =
          parseSourceString<ModuleOp>(tested.module, &context);
      if (!parsed) {
        fail("the tested module does not parse");
        continue;
      }
      FailureOr<std::unique_ptr<Executable>> compiled =
          compile(*parsed, tested, seed, static_cast<Executable *>(nullptr));
      if (succeeded(compiled))
        executables.push_back({tested.name, std::move(*compiled)});
      else
        fail("the module does not compile");
    }
    for (ArrayRef<int64_t> shape : configuration.shapes)
      if (!executables.empty())
        runShape(shape);
  }

private:
  /// Says of what the rest of the line is.
  llvm::raw_ostream &say() {
    llvm::outs() << configuration.name;
    if (!what.empty())
      llvm::outs() << ", " << what;
    return llvm::outs() << ": ";
  }

  void fail(const Twine &message) {
    ++totals.errors;
    say() << "error: " << message << "\n";
  }

  void runShape(ArrayRef<int64_t> shape) {
    SmallVector<HostArray> inputs, moduli;
    for (auto [i, operand] : llvm::enumerate(configuration.inputs)) {
      inputs.push_back(makeRandomArray(
          operand.values, parseType(operand.elementType, &context),
          getShape(operand, shape, configuration.dim),
          seed + 977 * i + 31 * shape.size()));
      moduli.push_back(makeModuli(inputs.back()));
    }
    what.clear();
    FailureOr<SmallVector<HostArray>> expected =
        interpret(*module, "f", inputs);
    if (failed(expected))
      return fail("the interpreter failed");
    SmallVector<HostArray> bounds;
    if (configuration.roundings > 0) {
      FailureOr<SmallVector<HostArray>> result =
          interpret(*module, "f", moduli);
      if (failed(result))
        return fail("the interpreter failed for the moduli");
      bounds = std::move(*result);
    }
    for (const auto &[name, executable] : executables) {
      what = name;
      SmallVector<HostArray> found;
      if (failed(executable->run(inputs, found)))
        fail("the run failed");
      else if (expected->size() != configuration.outputs.size() ||
               found.size() != configuration.outputs.size())
        fail(llvm::formatv("{0} results expected, {1} and {2} found",
                           configuration.outputs.size(), expected->size(),
                           found.size()));
      else
        compareResults(shape, *expected, found, bounds);
    }
  }

  void compareResults(ArrayRef<int64_t> shape, ArrayRef<HostArray> expected,
                      ArrayRef<HostArray> found, ArrayRef<HostArray> bounds) {
    ++totals.cases;
    bool bitwiseEqual = true, matches = true;
    for (auto [i, operand] : llvm::enumerate(configuration.outputs)) {
      Tolerance tolerance;
      tolerance.roundings = configuration.roundings;
      tolerance.reverse = configuration.reverse;
      tolerance.extent = shape[configuration.dim];
      if (!operand.collapsed)
        tolerance.dim = configuration.dim;
      Comparison result =
          compare(expected[i], found[i], bounds.empty() ? nullptr : &bounds[i],
                  /*growths=*/nullptr, tolerance);
      bitwiseEqual &= result.bitwiseEqual;
      totals.maxRatio = std::max(totals.maxRatio, result.maxRatio);
      if (result.mismatches) {
        matches = false;
        say() << "result " << i << ": " << result.mismatches << " of "
              << result.elements << " elements differ: " << result.first
              << "\n";
      }
    }
    totals.bitwiseEqual += bitwiseEqual;
    totals.mismatches += !matches;
  }

  MLIRContext &context;
  const Configuration &configuration;
  uint64_t seed;
  Totals &totals;
  /// The name of what is being tested.
  std::string what;
  OwningOpRef<ModuleOp> module;
  SmallVector<std::pair<std::string, std::unique_ptr<Executable>>> executables;
};
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> path(cl::Positional, cl::Required,
                            cl::desc("<plan.json>"));
  cl::opt<unsigned> every(
      "every", cl::init(1),
      cl::desc("Run every n-th configuration only (n = 1: all)"));
  cl::opt<unsigned> first(
      "first", cl::init(0),
      cl::desc("Start at this configuration: with --every=n, the numbers 0 to "
               "n - 1 divide the plan among n processes"));
  cl::opt<uint64_t> seed(
      "seed", cl::init(0),
      cl::desc("Draw values, and the order of threads and blocks, from this"));
  cl::opt<Target> target(
      "target", cl::init(Target::CPU), cl::desc("What to compile for"),
      cl::values(clEnumValN(Target::CPU, "cpu", "This processor"),
                 clEnumValN(Target::Emulator, "emulator",
                            "GPU kernels, run by the emulator"),
                 clEnumValN(Target::CUDA, "cuda",
                            "The first NVIDIA GPU of this machine")));
  cl::ParseCommandLineOptions(argc, argv,
                              "compares compiled scans with the interpreter\n");

  llvm::Expected<std::vector<Configuration>> plan = readPlan(path);
  if (!plan) {
    llvm::errs() << "scan-matrix: error: " << llvm::toString(plan.takeError())
                 << "\n";
    return 1;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Totals totals;
  for (size_t i = first; i < plan->size();
       i += std::max(1u, every.getValue())) {
    ++totals.configurations;
    if (target == Target::CPU)
      Runner<CpuExecutable>(context, (*plan)[i], seed, totals).run();
    else if (target == Target::CUDA)
      Runner<CudaExecutable>(context, (*plan)[i], seed, totals).run();
    else
      Runner<EmulatorExecutable>(context, (*plan)[i], seed, totals).run();
  }

  llvm::outs() << "COUNT: " << totals.configurations << " configurations, "
               << totals.cases << " cases, " << totals.mismatches
               << " mismatches, " << totals.errors << " errors; "
               << totals.bitwiseEqual << " cases bitwise equal, largest error "
               << llvm::format("%.3f", totals.maxRatio) << " of its bound\n";
  return totals.mismatches || totals.errors || !totals.cases;
}
