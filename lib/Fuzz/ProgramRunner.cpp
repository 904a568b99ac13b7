//===- ProgramRunner.cpp - One program on all targets ---------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramRunner.h"
#include "FirstError.h"
#include "Scan/Reference/Interpreter.h"
#include "TargetDraw.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

StringRef fuzz::stringifyOutcome(Outcome::Kind kind) {
  switch (kind) {
  case Outcome::Pass:
    return "pass";
  case Outcome::Mismatch:
    return "mismatch";
  case Outcome::Error:
    return "error";
  case Outcome::Crash:
    return "crash";
  case Outcome::Timeout:
    return "timeout";
  }
  llvm_unreachable("all outcomes are handled");
}

std::optional<Outcome> fuzz::refuseCasts(ModuleOp module, StringRef target) {
  std::optional<Outcome> outcome;
  module.walk([&](tensor::CastOp cast) {
    if (!tensor::preservesStaticInformation(cast.getType(),
                                            cast.getSource().getType()))
      outcome = {Outcome::Error, target.str(), "refuses a cast"};
  });
  return outcome;
}

ProgramRunner::ProgramRunner(MLIRContext &context, const Program &program,
                             Fault fault, uint64_t emulatorSeed,
                             bool alsoDynamic, Enter enter)
    : context(context), program(program), results(getResults(program)),
      fault(fault), emulatorSeed(emulatorSeed), alsoDynamic(alsoDynamic),
      enter(std::move(enter)) {}

Outcome ProgramRunner::parse() {
  FirstError error(context);
  auto parse = [&](StringRef text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  };
  enter("parse", program.hasDynamicArguments);
  module = parse(printProgram(program));
  auto variant = fault == Fault::Swap ? Variant::Swapped : Variant::Plain;
  std::string text = printProgram(program, variant);
  tested.push_back({parse(text), program.hasDynamicArguments});
  bool isParsed = module && tested.front().module;
  if (alsoDynamic) {
    Program dynamic = program;
    dynamic.hasDynamicArguments = true;
    std::string other = printProgram(dynamic, variant);
    if (other != text) {
      tested.push_back({parse(other), true});
      isParsed &= bool(tested.back().module);
    }
  }
  if (!isExact(program)) {
    moduli = parse(printProgram(program, Variant::Moduli));
    isParsed &= bool(moduli);
    if (llvm::any_of(program.scans, hasGrowth)) {
      growth = parse(printProgram(program, Variant::Growth));
      isParsed &= bool(growth);
    }
  }
  if (!isParsed)
    return error.fail("reference", "the program does not parse");
  return {};
}

Outcome ProgramRunner::compile(StringRef target) {
  if (!module)
    if (Outcome outcome = parse(); outcome.kind != Outcome::Pass)
      return outcome;
  for (const Tested &variant : tested) {
    Outcome outcome = compile(variant, target);
    outcome.hasDynamicArguments = variant.hasDynamicArguments;
    if (outcome.kind != Outcome::Pass)
      return outcome;
  }
  return {};
}

namespace {
/// Cannot be destroyed.
struct DyingDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DyingDialect)
  explicit DyingDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<DyingDialect>()) {}
  ~DyingDialect() override { std::abort(); }
  static StringLiteral getDialectNamespace() { return "dying"; }
};
} // namespace

Outcome ProgramRunner::compile(const Tested &variant, StringRef target) {
  FirstError error(context);
  TargetOptions options = drawTargetOptions(emulatorSeed);
  enter(target, variant.hasDynamicArguments);
  if (fault == Fault::Cast)
    if (std::optional<Outcome> outcome = refuseCasts(*variant.module, target))
      return *outcome;
  bool isReversed = llvm::any_of(program.scans,
                                 [](const Scan &scan) { return scan.reverse; });
  if (fault == Fault::Crash && isReversed)
    std::abort();
  if (fault == Fault::CleanUp && isReversed)
    context.getOrLoadDialect<DyingDialect>();
  // The parent ends it.
  volatile bool isHung = fault == Fault::Hang && isReversed;
  while (isHung)
    continue;
  auto executable =
      findExecutionTarget(target)->compile(*variant.module, "f", options);
  if (failed(executable))
    return error.fail(target, "does not compile");
  executables.push_back(
      {target.str(), variant.hasDynamicArguments, std::move(*executable)});
  return {};
}

Outcome ProgramRunner::evaluate(ArrayRef<HostArray> arguments) {
  if (!module)
    if (Outcome outcome = parse(); outcome.kind != Outcome::Pass)
      return outcome;
  FirstError error(context);
  enter("reference", program.hasDynamicArguments);
  auto values = interpret(*module, "f", arguments);
  if (failed(values))
    return error.fail("reference", "does not run");
  expected = std::move(*values);
  bounds.clear();
  if (moduli) {
    values = interpret(*moduli, "f", arguments);
    if (failed(values))
      return error.fail("reference", "does not run for the moduli");
    bounds = std::move(*values);
  }
  growths.clear();
  if (growth) {
    values = interpret(*growth, "f", arguments);
    if (failed(values))
      return error.fail("reference", "does not run for the growths");
    growths = std::move(*values);
  }
  if (expected.size() != results.size())
    return error.fail("reference", "returns another number of results");
  return {};
}

/// The largest finite magnitude in an array.
static double getLargest(const HostArray &array) {
  double largest = 0;
  for (int64_t i = 0, e = array.getNumElements();
       i < e && isFloatLike(array.elementType); ++i) {
    double magnitude = std::abs(getElement(array, i));
    if (std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  }
  return largest;
}

void fuzz::flipBit(HostArray &result) {
  constexpr int64_t element = 37;
  if (result.getNumElements() > element)
    result.data[element * *getElementByteSize(result.elementType)] ^= 1;
}

Outcome ProgramRunner::compareResults(const Case &call, StringRef target,
                                      MutableArrayRef<HostArray> found) {
  if (found.size() != expected.size())
    return {Outcome::Mismatch, target.str(),
            "returns " + std::to_string(found.size()) + " results"};
  if (fault == Fault::Flip)
    flipBit(found[0]);
  for (auto [i, result] : llvm::enumerate(results)) {
    const Scan &scan = program.scans[result.scan];
    Tolerance tolerance;
    tolerance.roundings = result.roundings;
    tolerance.fixedRoundings = result.fixedRoundings;
    tolerance.shortRoundings = result.shortRoundings;
    tolerance.dim = result.dim;
    tolerance.reverse = scan.reverse;
    tolerance.extent = call.extents[scan.dim];
    Comparison comparison =
        compare(expected[i], found[i], bounds.empty() ? nullptr : &bounds[i],
                growths.empty() ? nullptr : &growths[i], tolerance);
    maxRatio = std::max(maxRatio, comparison.maxRatio);
    if (!comparison.mismatches)
      continue;
    Outcome outcome{Outcome::Mismatch, target.str(),
                    "result " + std::to_string(i) + ": " +
                        std::to_string(comparison.mismatches) + " of " +
                        std::to_string(comparison.elements) +
                        " elements differ: " + comparison.first};
    double largest = getLargest(expected[i]);
    if (largest > 0) {
      outcome.relativeError = comparison.maxError / largest;
      outcome.relativeBound = comparison.maxBound / largest;
    }
    return outcome;
  }
  return {};
}

Outcome ProgramRunner::run(const Case &call, ArrayRef<std::string> targets) {
  SmallVector<HostArray> arguments = makeArguments(program, call, context);
  if (Outcome outcome = evaluate(arguments); outcome.kind != Outcome::Pass)
    return outcome;
  for (const Compiled &compiled : executables) {
    if (!llvm::is_contained(targets, compiled.target))
      continue;
    Outcome outcome = run(call, compiled, arguments);
    outcome.hasDynamicArguments = compiled.hasDynamicArguments;
    if (outcome.kind != Outcome::Pass)
      return outcome;
    ++runs[compiled.target];
  }
  return {};
}

Outcome ProgramRunner::run(const Case &call, const Compiled &compiled,
                           ArrayRef<HostArray> arguments) {
  FirstError error(context);
  enter(compiled.target, compiled.hasDynamicArguments);
  SmallVector<HostArray> found;
  if (failed(compiled.executable->run(arguments, found)))
    return error.fail(compiled.target, "does not run");
  return compareResults(call, compiled.target, found);
}
