//===- Shrink.cpp - Smaller programs that fail the same way ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"
#include "ChildOutcome.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::fuzz;

/// Runs the failure's program and case in a child, as far as it takes; whether
/// it fails in the same way.
static bool reproduce(Failure &failure, const FuzzOptions &options) {
  std::vector<std::string> targets = {failure.outcome.target};
  // All may be needed to leave what cannot be cleaned up, and none where the
  // interpreter alone fails.
  if (targets.front() == kCleanUp)
    targets = options.targets;
  else if (targets.front() == "reference")
    targets.clear();
  return failsAgain(failure.outcome, options.timeout,
                    [&](MLIRContext &context, ChildStatus &status) {
                      ProgramRunner runner(context, failure.program,
                                           options.fault, failure.programIndex,
                                           /*alsoDynamic=*/false,
                                           [&](StringRef stage, bool) {
                                             status.setStage(stage);
                                           });
                      Outcome outcome;
                      for (const std::string &target : targets)
                        if (outcome.kind == Outcome::Pass)
                          outcome = runner.compile(target);
                      if (outcome.kind == Outcome::Pass)
                        outcome = runner.run(failure.call, targets);
                      return outcome;
                    });
}

namespace {
class Shrinker {
public:
  Shrinker(Failure &failure, const FuzzOptions &options, MLIRContext &context)
      : failure(failure), context(context),
        search(
            failure,
            [&options](Failure &smaller) {
              return reproduce(smaller, options);
            },
            options.shrinkSeconds) {}

  unsigned run() {
    search.repeat([&] {
      // Only when the program is as small as it gets are there values.
      search.repeat([&] { simplifyProgram(); });
      if (failure.call.filling == Case::Explicit) {
        removeData();
        simplifyValues();
      } else if (failure.call.filling == Case::Drawn || countElements() <= 64) {
        makeExplicit();
      }
    });
    return search.getNumTried();
  }

private:
  void simplifyProgram() {
    search.applySteps([](Failure &smaller, size_t step) {
      return applyShrinkStep(step, smaller.program, smaller.call);
    });
  }
  /// Of all arguments together.
  int64_t countElements() const;
  void makeExplicit();
  void removeData();
  void simplifyValues();

  Failure &failure;
  MLIRContext &context;
  GreedySearch<Failure> search;
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

void Shrinker::makeExplicit() {
  search.attempt([&](Failure &smaller) {
    SmallVector<HostArray> arguments =
        makeArguments(smaller.program, smaller.call, context);
    smaller.call.filling = Case::Explicit;
    for (auto [parameter, array] :
         llvm::zip_equal(getParameters(smaller.program), arguments))
      smaller.call.values[parameter.id] = array;
    return StepResult::Changed;
  });
}

/// Takes ranges of indices out of every dimension.
void Shrinker::removeData() {
  for (unsigned dim = 0; dim < failure.program.getRank(); ++dim)
    search.removeRanges(failure.call.extents[dim],
                        [&](Failure &smaller, size_t begin, size_t number) {
                          return smaller.call.extents[dim] > 1 &&
                                 removeIndices(smaller.program, smaller.call,
                                               dim, begin, number);
                        });
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

/// Sets the elements of a range to a number, if they are not as simple.
static StepResult simplify(HostArray &values, int number, int64_t begin,
                           int64_t end) {
  int64_t width = *getElementByteSize(values.elementType);
  StepResult result = StepResult::Unchanged;
  for (int64_t k = begin; k < end; ++k) {
    if (getComplexity(values, k) <= number)
      continue;
    result = StepResult::Changed;
    if (isFloatLike(values.elementType)) {
      setElement(values, k, number);
      continue;
    }
    std::memset(&values.data[k * width], 0, width);
    values.data[k * width] = static_cast<char>(number);
  }
  return result;
}

/// Tries zeros, then ones, for all elements, then halves, down to single ones.
void Shrinker::simplifyValues() {
  for (const Parameter &parameter : getParameters(failure.program)) {
    int64_t count = failure.call.values[parameter.id].getNumElements();
    for (int64_t size = count; size > 0; size /= 2)
      for (int64_t begin = 0; begin < count; begin += size)
        search.applySteps([&](Failure &smaller, size_t number) {
          return number > 1 ? StepResult::NoSuchStep
                            : simplify(smaller.call.values[parameter.id],
                                       static_cast<int>(number), begin,
                                       std::min(begin + size, count));
        });
  }
}

unsigned fuzz::shrink(Failure &failure, const FuzzOptions &options,
                      MLIRContext &context) {
  return Shrinker(failure, options, context).run();
}
