//===- Shrink.cpp - Smaller programs that fail the same way ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"
#include "FuzzDriver.h"
#include "ShrinkSteps.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

Outcome fuzz::reproduce(const Program &program, const Case &call,
                        StringRef target, uint64_t emulatorSeed,
                        const FuzzOptions &options) {
  return runCaseInChild(
      options.timeout,
      [&](MLIRContext &context, ChildStatus &status) -> Outcome {
        ProgramRunner runner(context, program, options.fault, emulatorSeed,
                             /*alsoDynamic=*/false, [&](StringRef stage, bool) {
                               status.setStage(stage);
                             });
        Outcome outcome;
        // The interpreter alone may be what fails.
        if (target != "reference")
          outcome = runner.compile(target);
        if (outcome.kind == Outcome::Pass)
          outcome = runner.run(call, {target.str()});
        return outcome;
      });
}

namespace {
class Shrinker {
public:
  Shrinker(Failure &failure, const FuzzOptions &options, MLIRContext &context)
      : failure(failure), options(options), clock(options), context(context) {}

  unsigned run() {
    // What it takes away decides what comes next, so that it starts over until
    // nothing can be taken away any more.
    bool hasChanged = true;
    while (hasChanged && !clock.isOver()) {
      hasChanged = tryAll();
      if (hasChanged)
        continue;
      if (failure.call.filling == Case::Explicit)
        hasChanged = removeData() || simplifyValues();
      else if (failure.call.filling == Case::Drawn || countElements() <= 64)
        hasChanged = makeExplicit();
    }
    return attempts;
  }

private:
  bool accept(const Program &program, const Case &call) {
    if (clock.isOver())
      return false;
    ++attempts;
    Outcome outcome = reproduce(program, call, failure.outcome.target,
                                failure.programIndex, options);
    if (!failsAlike(outcome, failure.outcome))
      return false;
    failure.program = program;
    failure.call = call;
    failure.outcome = outcome;
    return true;
  }

  bool tryAll() {
    bool hasChanged = false;
    // A step that was accepted may be taken again, and has made the numbers of
    // the later ones wrong, but never so that they could do harm.
    for (size_t i = 0; !clock.isOver(); ++i) {
      Program program = failure.program;
      Case call = failure.call;
      StepResult result = applyShrinkStep(i, program, call);
      if (result == StepResult::NoSuchStep)
        break;
      while (result == StepResult::Changed && accept(program, call)) {
        hasChanged = true;
        result = applyShrinkStep(i, program, call);
      }
    }
    return hasChanged;
  }

  /// Of all arguments together.
  int64_t countElements() const;
  bool makeExplicit();
  bool removeData();
  bool simplifyValues();
  bool simplify(unsigned parameter, int64_t begin, int64_t end);

  Failure &failure;
  const FuzzOptions &options;
  ShrinkClock clock;
  MLIRContext &context;
  unsigned attempts = 0;
};
} // namespace

int64_t Shrinker::countElements() const {
  int64_t count = 0;
  for (const Parameter &parameter : getParameters(failure.program)) {
    int64_t product = 1;
    for (int64_t extent : parameter.getShape(failure.call.extents))
      product *= extent;
    count += product;
  }
  return count;
}

bool Shrinker::makeExplicit() {
  SmallVector<HostArray> arguments =
      makeArguments(failure.program, failure.call, context);
  Case call = failure.call;
  call.filling = Case::Explicit;
  for (auto [parameter, array] :
       llvm::zip_equal(getParameters(failure.program), arguments))
    call.values[parameter.id] = array;
  return accept(failure.program, call);
}

/// Takes ranges of indices out of every dimension, larger ones first.
bool Shrinker::removeData() {
  bool hasChanged = false;
  for (unsigned dim = 0; dim < failure.program.getRank(); ++dim)
    hasChanged |= removeRanges(
        failure.call.extents[dim], clock, [&](size_t begin, size_t number) {
          Program program = failure.program;
          Case call = failure.call;
          return call.extents[dim] > 1 &&
                 removeIndices(program, call, dim, begin, number) &&
                 accept(program, call);
        });
  return hasChanged;
}

/// Zero is simpler than one, which is simpler than the rest.
static int getComplexity(const HostArray &array, int64_t index) {
  if (isFloatLike(array.elementType)) {
    std::complex<double> value = getElement(array, index);
    return value == 0.0 && !std::signbit(value.real()) ? 0
           : value == 1.0                              ? 1
                                                       : 2;
  }
  int64_t width = *getElementByteSize(array.elementType), value = 0;
  std::memcpy(&value, &array.data[index * width], width);
  return value == 0 ? 0 : value == 1 ? 1 : 2;
}

/// Tries zeros, then ones, for a range of elements.
bool Shrinker::simplify(unsigned parameter, int64_t begin, int64_t end) {
  for (int number : {0, 1}) {
    Case call = failure.call;
    HostArray &values = call.values[parameter];
    int64_t width = *getElementByteSize(values.elementType);
    bool isSimpler = false;
    for (int64_t k = begin; k < end; ++k) {
      if (getComplexity(values, k) <= number)
        continue;
      isSimpler = true;
      if (isFloatLike(values.elementType)) {
        setElement(values, k, number);
        continue;
      }
      std::memset(&values.data[k * width], 0, width);
      values.data[k * width] = static_cast<char>(number);
    }
    if (isSimpler && accept(failure.program, call))
      return true;
  }
  return false;
}

bool Shrinker::simplifyValues() {
  bool hasChanged = false;
  for (const Parameter &parameter : getParameters(failure.program)) {
    int64_t count = failure.call.values[parameter.id].getNumElements();
    // All elements, then halves, down to single ones.
    for (int64_t size = count; size > 0; size /= 2)
      for (int64_t begin = 0; begin < count && !clock.isOver(); begin += size)
        hasChanged |=
            simplify(parameter.id, begin, std::min(begin + size, count));
  }
  return hasChanged;
}

unsigned fuzz::shrink(Failure &failure, const FuzzOptions &options,
                      MLIRContext &context) {
  return Shrinker(failure, options, context).run();
}
