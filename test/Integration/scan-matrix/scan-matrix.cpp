//===- scan-matrix.cpp - Compares compiled scans with the interpreter -----===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every configuration of a plan for every shape, by the reference
// interpreter and by a backend, and compares all results. One compilation
// serves all shapes of a configuration. The last line counts; the exit status
// is 1 if there was a mismatch or an error, or no case at all.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Scan/Execution/CPU.h"
#include "Scan/Execution/CUDA.h"
#include "Scan/Execution/Emulator.h"
#include "Scan/Fuzz/Compare.h"
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
compile(ModuleOp module, const Configuration &, CpuExecutable *) {
  return CpuExecutable::compile(module, "f");
}
FailureOr<std::unique_ptr<CudaExecutable>>
compile(ModuleOp module, const Configuration &, CudaExecutable *) {
  return CudaExecutable::compile(module, "f");
}
/// The emulator runs threads and blocks in an order that is the configuration's
/// own.
FailureOr<std::unique_ptr<EmulatorExecutable>>
compile(ModuleOp module, const Configuration &configuration,
        EmulatorExecutable *) {
  emulator::EmulatorOptions options;
  options.seed = llvm::xxh3_64bits(configuration.name);
  return EmulatorExecutable::compile(module, "f", options);
}

template <typename Executable> class Runner {
public:
  Runner(MLIRContext &context, const Configuration &configuration,
         Totals &totals)
      : context(context), configuration(configuration), totals(totals) {}

  /// Runs all shapes of the configuration.
  void run() {
    module = parseSourceString<ModuleOp>(configuration.module, &context);
    OwningOpRef<ModuleOp> tested =
        parseSourceString<ModuleOp>(configuration.tested, &context);
    if (!module || !tested)
      return fail("the module does not parse");
    FailureOr<std::unique_ptr<Executable>> compiled =
        compile(*tested, configuration, static_cast<Executable *>(nullptr));
    if (failed(compiled))
      return fail("the module does not compile");
    executable = std::move(*compiled);
    for (ArrayRef<int64_t> shape : configuration.shapes)
      runShape(shape);
  }

private:
  void fail(const Twine &what) {
    ++totals.errors;
    llvm::outs() << configuration.name << ": error: " << what << "\n";
  }

  void runShape(ArrayRef<int64_t> shape) {
    SmallVector<HostArray> inputs, moduli;
    for (auto [i, operand] : llvm::enumerate(configuration.inputs)) {
      uint64_t seed =
          llvm::xxh3_64bits(configuration.name) + 977 * i + 31 * shape.size();
      inputs.push_back(makeRandomArray(
          operand.values, parseType(operand.elementType, &context),
          getShape(operand, shape, configuration.dim), seed));
      moduli.push_back(makeModuli(inputs.back()));
    }
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
    SmallVector<HostArray> found;
    if (failed(executable->run(inputs, found)))
      return fail("the run failed");
    if (expected->size() != configuration.outputs.size() ||
        found.size() != configuration.outputs.size())
      return fail(llvm::formatv("{0} results expected, {1} and {2} found",
                                configuration.outputs.size(), expected->size(),
                                found.size()));
    compareResults(shape, *expected, found, bounds);
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
                  tolerance);
      bitwiseEqual &= result.bitwiseEqual;
      totals.maxRatio = std::max(totals.maxRatio, result.maxRatio);
      if (result.mismatches) {
        matches = false;
        llvm::outs() << configuration.name << ": result " << i << ": "
                     << result.mismatches << " of " << result.elements
                     << " elements differ: " << result.first << "\n";
      }
    }
    totals.bitwiseEqual += bitwiseEqual;
    totals.mismatches += !matches;
  }

  MLIRContext &context;
  const Configuration &configuration;
  Totals &totals;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Executable> executable;
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
      Runner<CpuExecutable>(context, (*plan)[i], totals).run();
    else if (target == Target::CUDA)
      Runner<CudaExecutable>(context, (*plan)[i], totals).run();
    else
      Runner<EmulatorExecutable>(context, (*plan)[i], totals).run();
  }

  llvm::outs() << "COUNT: " << totals.configurations << " configurations, "
               << totals.cases << " cases, " << totals.mismatches
               << " mismatches, " << totals.errors << " errors; "
               << totals.bitwiseEqual << " cases bitwise equal, largest error "
               << llvm::format("%.3f", totals.maxRatio) << " of its bound\n";
  return totals.mismatches || totals.errors || !totals.cases;
}
